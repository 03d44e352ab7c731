// The page: what comes from the server, and drawing it. With panel.js and controls.js one function (th_vision/page/html.py).
const $ = (id) => document.getElementById(id);
const W = JSON.parse($("words").textContent);
const LANG = W.language;
const w = (key, values) => {
  let t = W.words[key];
  if (Array.isArray(t)) t = t.length > 1 && values && values.n !== 1 ? t[1] : t[0];
  if (t === undefined) return key;
  return values ? t.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "") : t;
};
const player = (name) => W.words["player." + name] || name;
const car = (type) => w("car." + type);
const memory = {
  get(k) { try { return localStorage.getItem("th." + k); } catch { return null; } },
  set(k, v) { try { localStorage.setItem("th." + k, v); } catch { /* private window */ } },
};
const made = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const k in attributes || {}) if (k in node && k !== "list") node[k] = attributes[k]; else node.setAttribute(k, attributes[k]);
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
};

let game = null, states = [], steps = [], at = 0, following = true, live = {}, picked = null, lastId = "";
const view = {x: 0, y: 0, w: 400, h: 300, turn: 0, auto: true};

// --- what comes ---
let source = null, heard = 0, waiting = 0;
function connect() {
  if (source) source.close();
  source = new EventSource("events?lang=" + encodeURIComponent(LANG) + (lastId ? "&after=" + encodeURIComponent(lastId) : ""));
  const on = (kind, f) => source.addEventListener(kind, (e) => {
    heard = Date.now();
    if (e.lastEventId) lastId = e.lastEventId;
    status("live");
    f(e.data ? JSON.parse(e.data) : null);
  });
  on("reset", (data) => { game = data; states = []; steps = []; at = 0; following = true; picked = null; view.auto = true; later(); });
  on("step", (data) => {
    if (!game || data.n !== steps.length) return; // seen already
    steps.push(data);
    states.push(Board.apply(states.length ? states[states.length - 1] : {}, data.board));
    if (following) at = steps.length - 1;
    later();
  });
  on("live", (data) => { live = data || {}; status("live"); later(); });
  on("ping", () => {});
  source.onopen = () => { heard = Date.now(); status("live"); };
  source.onerror = () => {
    status("lost");
    if (source.readyState === EventSource.CLOSED) { clearTimeout(waiting); waiting = setTimeout(connect, 2000); }
  };
}
setInterval(() => { if (heard && Date.now() - heard > 40000) { heard = Date.now(); status("lost"); connect(); } }, 5000);
addEventListener("online", connect);
function status(what) {
  const chip = $("connection");
  if (what === "live" && chip.className === "chip lost") { shown = ""; later(); } // pictures that were missed are asked for anew
  const text = what === "lost" ? w(live.source === "ended" ? "connection.ended" : "connection.lost") : live.source === "finished" || live.source === "file" ? w("connection.file") : w("connection.live");
  chip.className = "chip " + what;
  if (chip.textContent !== text) chip.textContent = text;
}

// --- drawing ---
let queued = false;
function later() { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; render(); }); } }
function state() { return states[at] || {}; }
function step() { return steps[at] || null; }
// The steps of the turn up to the one that is looked at: the move, its cars, what was corrected.
function turnSoFar() {
  const s = step();
  if (!s) return [];
  let first = at;
  // What was taken back counts no more.
  while (s.turn && first > 0 && s.type !== "undo" && steps[first - 1].turn === s.turn && steps[first - 1].type !== "undo") first--;
  return steps.slice(first, at + 1);
}
const newest = () => at === steps.length - 1;

function unit() {
  const box = $("board").getBoundingClientRect();
  return box.width ? Math.max(view.w / box.width, view.h / box.height) : 0.5;
}
function fit() {
  // Every state of the game fits, so that stepping back doesn't move the table.
  const all = Board.bounds(states.length ? states[states.length - 1] : {}), b = Board.bounds(state());
  const [x0, y0, x1, y1] = [Math.min(all[0], b[0]), Math.min(all[1], b[1]), Math.max(all[2], b[2]), Math.max(all[3], b[3])];
  const corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(([x, y]) => {
    const c = [1, 0, -1, 0][view.turn & 3], s = [0, 1, 0, -1][view.turn & 3];
    return [x * c - y * s, -(x * s + y * c)];
  });
  const xs = corners.map((p) => p[0]), ys = corners.map((p) => p[1]);
  view.x = Math.min(...xs); view.y = Math.min(...ys);
  view.w = Math.max(...xs) - view.x; view.h = Math.max(...ys) - view.y;
  const box = $("board").getBoundingClientRect();
  if (!box.width || !box.height) return;
  const want = box.width / box.height; // fill the frame, so that zooming is even
  if (view.w / view.h < want) { const d = view.h * want - view.w; view.x -= d / 2; view.w += d; }
  else { const d = view.w / want - view.h; view.y -= d / 2; view.h += d; }
}

function render() {
  const started = performance.now();
  if (game) {
    if (view.auto) fit();
    drawBoard();
    panel();
  }
  banner();
  window.thVision.drawn = {ms: performance.now() - started, step: at, steps: steps.length};
}

let painted = "";
function drawBoard() {
  $("board").setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  // Moving the plan draws nothing anew; zooming only where words would become too small or too large.
  const size = 1.12 ** Math.round(Math.log(unit()) / Math.log(1.12));
  const key = [lastId.split("-")[0], at, steps.length, picked, size, view.turn, view.auto, JSON.stringify(live.guide || {}),
    $("show-sides").checked, $("show-heights").checked, $("show-bases").checked].join("|");
  scale();
  if (key === painted) return;
  painted = key;
  const ghosts = newest() && live.guide && Object.keys(live.guide).length ? live.guide : null;
  Board.draw($("world"), game, state(), {
    newest: new Set(turnSoFar().flatMap((one) => one.newest)), selected: picked, words: w, unit: size, type: type(), turn: view.turn, ghosts,
    frame: view.auto ? [view.x, view.y, view.w, view.h] : null,
    sides: $("show-sides").checked, heights: $("show-heights").checked, bases: $("show-bases").checked,
    crossings: turnSoFar().flatMap((one) => one.closeups).map((c) => ({at: c.at, call: c.call, pays: c.pays,
      label: c.call === "too_close" ? "?" : c.rule === "crossing" ? (c.pays ? "+1" : "") : "!"})),
  });
}
// Words on the plan grow with those beside it: on a TV they are read from further away.
function type() { return Math.max(1, Math.min(1.8, parseFloat(getComputedStyle(document.documentElement).fontSize) / 15)); }
function scale() {
  const bar = $("scale").firstElementChild, u = unit();
  const mm = [10, 20, 50, 100, 200, 500].find((v) => v / u > 60) || 500;
  bar.style.width = mm / u + "px";
  bar.textContent = mm + " " + w("mm");
}

function banner() {
  const s = state(), now = s.now || {}, words = [];
  if (!now.finished && newest() && live.state && W.words["state." + live.state]) words.push(w("state." + live.state));
  if (live.trouble && newest()) words.push(live.trouble);
  const text = words.join(" · "), node = $("state");
  node.hidden = !text;
  if (node.textContent !== text) node.textContent = text;
  if (!game) return;
  let turn = w("setup");
  if (now.finished) turn = ranking(now);
  else if (step() && (step().turn || now.turn > 1)) turn = w("turn.next", {turn: now.turn, player: player(now.next)});
  else if (now.next) turn = w("setup.next", {player: player(now.next)});
  if (!newest()) turn += " " + w("looking.back");
  if ($("turn").textContent !== turn) $("turn").textContent = turn;
}
function ranking(now) {
  const first = (now.ranking || [[]])[0].map(player);
  return first.length ? w(first.length > 1 ? "winners" : "winner", {player: first.join(", ")}) : w("game.over");
}
