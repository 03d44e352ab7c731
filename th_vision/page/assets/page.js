(() => {
  "use strict";
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

  // --- beside the board ---
  let shown = "";
  function panel() {
    const s = step(), key = [lastId.split("-")[0], at, steps.length, picked, JSON.stringify(live)].join(" ");
    if (key === shown) return;
    shown = key;
    $("steps").max = Math.max(0, steps.length - 1);
    $("steps").value = at;
    $("steps").setAttribute("aria-valuetext", s ? s.head : "");
    $("back").disabled = at <= 0;
    $("forward").disabled = newest();
    $("now").classList.toggle("behind", !newest());
    if (s) say(s);
    guide();
    open_();
    players();
    if ($("free").open) sides(); // what is closed is made when it is opened
    if ($("turns").open) turns();
    pickedWords();
    controls();
  }

  function say(s) {
    const nodes = [], pictures = [], epoch = lastId.split("-")[0];
    for (const one of turnSoFar()) {
      nodes.push(made("p", {className: one === s ? "head" : "head past"}, one.head));
      for (const [text, reason, kind] of one.said)
        nodes.push(made("p", {className: "say " + kind}, text, reason ? made("small", {}, reason) : null));
      one.closeups.forEach((c, i) => pictures.push([`picture/${one.n}/${i}.svg?lang=${LANG}&game=${epoch}`, c.title]));
      if (one.type === "move" && (live.crops || []).includes(one.road))
        pictures.push([`crop/${one.n}.jpg?game=${epoch}`, w("camera.picture")]);
    }
    $("said").replaceChildren(...nodes);
    $("evidence").replaceChildren(...pictures.map(([src, alt]) => {
      const button = made("button", {type: "button", title: alt}, made("img", {src, alt, loading: "lazy"}));
      button.addEventListener("click", () => { $("large-body").replaceChildren(made("img", {src, alt})); $("large").showModal(); });
      return button;
    }));
  }

  function guide() {
    const s = state(), off = newest() && live.guide && Object.keys(live.guide).length ? live.guide : s.ghosts || {};
    const ids = Object.keys(off);
    $("rebuild").hidden = !ids.length;
    $("rebuild-list").replaceChildren(...ids.map((id) => made("li", {}, off[id] || place(id))));
  }
  // Where a piece stood: of a road without what is free to cross.
  function place(id) {
    const r = (state().roads || {})[id];
    return r ? w("back.road", roadWords(id, r)) : describe(id);
  }

  // What is in doubt or a fault and still stands; each leads to the turn that it is from.
  function jump(text, to, id) {
    const button = made("button", {type: "button", className: "link"}, text);
    button.addEventListener("click", () => { if (id) picked = id; if (to >= 0) go(to); else later(); });
    return button;
  }
  function stepOf(road) {
    for (let i = at; i >= 0; i--) if (steps[i].road === road && steps[i].type !== "correction") return i;
    return -1;
  }
  function open_() {
    const s = state(), items = [];
    for (const [id, r] of Object.entries(s.roads || {})) if (r.call === "fault" || r.call === "too_close")
      items.push([r.call, jump(w("open." + r.call, {player: player(r.owner), road: id}), stepOf(id), id)]);
    for (const section of ["columns", "cars"]) for (const [id, one] of Object.entries(s[section] || {})) if (one.doubt)
      items.push(["too_close", jump(describe(id), -1, id)]);
    $("open").hidden = !items.length;
    $("open-list").replaceChildren(...items.map(([kind, button]) => made("li", {className: kind}, button)));
  }

  function swatch(name) {
    const svg = Board.el("svg", {viewBox: "0 0 26 10", class: "swatch", "aria-hidden": "true"});
    Board.el("line", {x1: 5, y1: 5, x2: 21, y2: 5, "stroke-width": 9.4, "stroke-linecap": "round", class: "rim"}, svg);
    Board.el("line", {x1: 5, y1: 5, x2: 21, y2: 5, stroke: Board.colorOf(game, name), "stroke-width": 8.4, "stroke-linecap": "round"}, svg);
    const dash = Board.DASHES[game.players.indexOf(name) % 4];
    if (dash) Board.el("line", {x1: 3, y1: 5, x2: 23, y2: 5, class: "middle", "stroke-width": 1.1, "stroke-dasharray": dash, "stroke-linecap": "round"}, svg);
    return svg;
  }

  // Who is ahead, and by what: points, or without missions cars left to place, since who has placed all wins.
  function leaders(s) {
    const known = game.players.filter((name) => (s.players || {})[name]);
    const ahead = (name) => game.missions ? s.players[name].total : -s.players[name].cars;
    const most = Math.max(...known.map(ahead)), first = known.filter((name) => ahead(name) === most);
    return first.length === known.length || (s.now || {}).finished ? [] : first;
  }
  function lead(p, shared) {
    const n = game.missions ? p.total : p.cars;
    return w((shared ? "shared." : "lead.") + (game.missions ? "points" : "cars"), {n});
  }
  // The last penalties that a player paid at once and that were not taken back: [step, [[to, discs, pieces], ...]].
  function penalty(name) {
    let from = Infinity;
    for (let i = at; i >= 0; i--) {
      const one = steps[i];
      if (one.type === "undo") from = Math.min(from, one.turn);
      const paid = (one.penalties || []).filter(([giver, , discs]) => giver === name && discs && one.turn < from);
      if (paid.length) return [i, paid.map(([, ...what]) => what)];
    }
    return null;
  }

  function players() {
    const s = state(), now = s.now || {}, first = leaders(s);
    const open = new Set([...document.querySelectorAll(".player details[open]")].map((d) => d.dataset.player));
    $("player-cards").replaceChildren(...game.players.map((name) => {
      const p = (s.players || {})[name];
      const h = made("h3", {}, swatch(name), player(name));
      const card = made("article", {className: "card player" + (now.next === name ? " turn" : "")}, h);
      if (!p) return card;
      if (now.next === name) h.append(made("span", {className: "chip"}, w("plays")));
      if (p.total !== undefined) h.append(made("span", {className: "points"}, w("points", {n: p.total})));
      const dl = made("dl", {});
      for (const [label, n] of [["held.cars", p.cars], ["held.gray", p.gray], ["held.yellow", p.yellow], ["held.sticks", p.sticks]])
        dl.append(made("dt", {}, w(label)), made("dd", {}, String(n)));
      card.append(dl, made("p", {className: "note"}, w("on.roads", {n: p.on_roads})));
      if (first.includes(name)) card.append(made("p", {className: "note lead"}, lead(p, first.length > 1)));
      const paid = penalty(name);
      for (const [taker, n, pieces] of paid ? paid[1] : []) card.append(made("p", {className: "note"},
        jump(w("penalty.last", {turn: steps[paid[0]].turn, player: player(taker), n}) + (pieces.length ? ` (${pieces.join(", ")})` : ""), paid[0])));
      if (p.out) card.append(made("p", {className: "note"}, w("out." + p.out)));
      if (p.score) {
        const parts = Object.entries(p.score);
        card.append(made("ul", {}, ...parts.map(([m, v]) => made("li", {title: made_of(p, m)}, w("mission." + m), made("b", {}, String(v))))));
        const details = made("details", {open: open.has(name)}, made("summary", {}, w("made.of")));
        details.dataset.player = name;
        details.append(made("ul", {}, ...parts.map(([m, v]) => {
          const of = made_of(p, m);
          return made("li", {}, `${w("mission." + m)}: ${v}${of ? " — " + of : ""}`);
        }), ...Object.entries(p.more || {}).map(([m, [more, needs]]) =>
          made("li", {}, w(needs ? "more.needs" : "more", {mission: w("mission." + m), n: more, needs})))));
        card.append(details);
      }
      return card;
    }));
  }
  function made_of(p, mission) {
    const ids = (p.made_of || {})[mission] || [];
    return ids.length > 12 ? "" : ids.join(", ");
  }

  function sideWords(side) {
    if (side.doubt) return [w("side.unsure"), "unsure"];
    if (side.free) return [side.spots ? w("side.spots") : w("side.free"), "free"];
    return [side.by ? w("side.by", {road: side.by}) : w("side." + side.why), "taken"];
  }
  function sides() {
    const s = state();
    $("free-rows").replaceChildren(...Object.entries(s.roads || {}).map(([id, r]) => {
      const button = made("button", {type: "button"}, id);
      button.addEventListener("click", () => pick(id));
      const cells = [r.over, r.under].map((side) => { const [text, kind] = sideWords(side); return made("td", {className: kind}, text); });
      return made("tr", {}, made("td", {}, button), made("td", {}, player(r.owner) + (r.kind === "road" ? "" : ` (${w("kind." + r.kind)})`)),
        ...cells, made("td", {}, r.ends.map((e) => Math.round(e[2])).join(" → ") + " " + w("mm")));
    }));
  }

  function turns() {
    $("turn-list").replaceChildren(...steps.map((s, i) => {
      const call = (s.penalties || []).length ? "penalty" : s.call, mark = {legal: "✓", fault: "✕", too_close: "?", info: "·", penalty: "!"}[call];
      const button = made("button", {type: "button"}, made("span", {className: call, "aria-hidden": "true"}, mark), made("span", {}, s.head));
      if (i === at) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(i));
      return made("li", {}, button);
    }));
  }

  // --- a piece in words ---
  function roadWords(id, r) {
    const [from, to] = r.rests.map((name) => name === "table" ? w("the.table") : name);
    return {road: id, kind: w("kind." + r.kind), player: player(r.owner), from, to, low: Math.round(r.ends[0][2]), high: Math.round(r.ends[1][2])};
  }
  function describe(id) {
    const s = state();
    if ((s.roads || {})[id]) {
      const r = s.roads[id], on = Object.values(s.cars || {}).filter((c) => c.on === id);
      const [over] = sideWords(r.over), [under] = sideWords(r.under);
      return w("say.road", Object.assign(roadWords(id, r), {over, under})) +
        (on.length ? " " + w("say.cars", {cars: on.map((c) => `${car(c.type)} (${player(c.owner)})`).join(", ")}) : "");
    }
    if ((s.columns || {})[id]) {
      const c = s.columns[id];
      return w(c.yellow ? "say.junction" : "say.column", {column: id, player: player(c.owner), n: c.levels, x: Math.round(c.x), y: Math.round(c.y)}) +
        (c.doubt ? " " + w("doubt." + c.doubt[0], {percent: c.doubt[1]}) : "");
    }
    if ((s.cars || {})[id]) {
      const c = s.cars[id];
      return w("say.car", {car: car(c.type), player: player(c.owner), road: c.on || "–"}) + (c.doubt ? " " + w("doubt." + c.doubt[0], {percent: c.doubt[1]}) : "");
    }
    if ((s.city || {})[id]) return `${w("city." + s.city[id].kind)} ${id}`;
    return id;
  }
  function pickedWords() {
    const node = $("picked"), text = picked ? describe(picked) : "", from = picked ? stepOf(picked) : -1;
    node.hidden = !text;
    const parts = text ? [text] : [];
    if (from >= 0 && steps[from].turn && steps[from].turn !== (step() || {}).turn) parts.push(" ", jump(w("show.turn", {turn: steps[from].turn}), from));
    node.replaceChildren(...parts);
  }
  function pick(id) { picked = picked === id ? null : id; later(); }

  // --- moving about ---
  function go(i) { at = Math.max(0, Math.min(steps.length - 1, i)); following = at === steps.length - 1; later(); }
  $("back").onclick = () => go(at - 1);
  $("forward").onclick = () => go(at + 1);
  $("now").onclick = () => go(steps.length - 1);
  $("steps").oninput = (e) => go(+e.target.value);
  for (const id of ["show-sides", "show-heights", "show-bases"]) {
    const kept = memory.get(id);
    if (kept !== null) $(id).checked = kept === "1";
    $(id).onchange = (e) => { memory.set(id, e.target.checked ? "1" : "0"); later(); };
  }
  function zoom(factor, cx, cy) {
    const box = $("board").getBoundingClientRect();
    const fx = cx === undefined ? 0.5 : (cx - box.left) / box.width, fy = cy === undefined ? 0.5 : (cy - box.top) / box.height;
    const width = Math.max(40, Math.min(4000, view.w * factor)), real = width / view.w;
    view.x += view.w * (1 - real) * fx; view.y += view.h * (1 - real) * fy;
    view.w *= real; view.h *= real; view.auto = false;
    later();
  }
  const views = {in: () => zoom(0.7), out: () => zoom(1 / 0.7), all: () => { view.auto = true; later(); },
    turn: () => { view.turn = (view.turn + 1) & 3; view.auto = true; later(); }};
  document.querySelectorAll("[data-view]").forEach((b) => { b.onclick = views[b.dataset.view]; });
  const board = $("board"), fingers = new Map();
  let moved = 0, pinch = 0;
  board.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(e.deltaY * 0.0015), e.clientX, e.clientY); }, {passive: false});
  board.addEventListener("pointerdown", (e) => { fingers.set(e.pointerId, [e.clientX, e.clientY]); moved = 0; pinch = 0; });
  addEventListener("pointermove", (e) => {
    const last = fingers.get(e.pointerId);
    if (!last) return;
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    const dx = e.clientX - last[0], dy = e.clientY - last[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < 6) return;
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (pinch) zoom(pinch / d, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      pinch = d;
    } else { const u = unit(); view.x -= dx * u; view.y -= dy * u; view.auto = false; later(); }
  });
  const lift = (e) => { fingers.delete(e.pointerId); pinch = 0; };
  addEventListener("pointerup", lift);
  addEventListener("pointercancel", lift);
  board.addEventListener("click", (e) => {
    if (moved >= 6) return;
    const hit = e.target.closest("[data-piece]"), id = hit && !hit.classList.contains("city") ? hit.dataset.piece : touched(e) || (hit && hit.dataset.piece);
    if (id) pick(id); else if (picked) pick(picked);
  });
  // A finger is wider than a road on a phone: what lies nearest is meant.
  function touched(e) {
    const box = board.getBoundingClientRect(), at = [view.x + (e.clientX - box.left) / box.width * view.w, view.y + (e.clientY - box.top) / box.height * view.h];
    return Board.nearest(state(), at, view.turn, unit() * (e.pointerType === "touch" ? 24 : 10));
  }
  board.addEventListener("keydown", (e) => {
    const pan = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (pan) { view.x += pan[0] * view.w * 0.1; view.y += pan[1] * view.h * 0.1; view.auto = false; later(); }
    else if (e.key === "+" || e.key === "=") zoom(0.7);
    else if (e.key === "-") zoom(1 / 0.7);
    else if (e.key === "0") views.all();
    else if (e.key === "r") views.turn();
    else if (e.key === "n" || e.key === "p") {
      const ids = Object.keys(state().roads || {}), i = ids.indexOf(picked);
      if (ids.length) { picked = ids[(i + (e.key === "n" ? 1 : ids.length - (i < 0 ? 0 : 1))) % ids.length]; later(); }
    } else return;
    e.preventDefault();
  });
  new ResizeObserver(() => later()).observe(board);

  for (const id of ["free", "turns"]) $(id).addEventListener("toggle", () => { shown = ""; later(); });

  // --- settings ---
  $("language").append(...Object.entries(W.languages).map(([tag, name]) => made("option", {value: tag, selected: tag === LANG, lang: tag}, name)));
  $("language").onchange = (e) => { location.search = "?lang=" + encodeURIComponent(e.target.value); };
  const theme = (v) => { if (v) document.documentElement.dataset.theme = v; else delete document.documentElement.dataset.theme; $("theme").value = v || ""; };
  theme(memory.get("theme"));
  $("theme").onchange = (e) => { memory.set("theme", e.target.value); theme(e.target.value); };

  // --- control ---
  const keys = {
    get() { try { return sessionStorage.getItem("th.key") || ""; } catch { return keys.kept || ""; } },
    set(v) { keys.kept = v; try { sessionStorage.setItem("th.key", v); } catch { /* private window */ } },
  };
  async function post(path, body, headers) {
    try {
      const answer = await fetch(path, {method: "POST", headers: Object.assign({"content-type": "application/json"}, headers), body: JSON.stringify(body)});
      return [answer.status, await answer.text()];
    } catch { return [0, ""]; }
  }
  function told(text) { $("control-said").textContent = text; }
  function controls() {
    $("control").hidden = !W.control;
    if (!W.control) return;
    $("unlock").hidden = !!keys.get();
    $("buttons").hidden = !keys.get();
    const s = state(), ruled = steps.slice(0, at + 1).filter((one) => one.road && (s.roads || {})[one.road] && one.turn).reverse();
    $("correct-road").replaceChildren(...ruled.map((one) => made("option", {value: one.turn}, `${one.road} (${player(s.roads[one.road].owner)})`)));
    if (step() && step().due !== null) $("correct-cars").value = step().due;
    for (const id of ["whose-player", "penalty-giver", "penalty-taker"]) {
      const before = $(id).value;
      $(id).replaceChildren(...game.players.map((name) => made("option", {value: name}, player(name))));
      if (game.players.includes(before)) $(id).value = before;
      else if (id === "penalty-taker") $(id).selectedIndex = 1;
    }
    $("asked").hidden = !live.question;
    $("question").textContent = live.question || "";
    $("pause").textContent = w(live.paused ? "do.resume" : "do.pause");
  }
  async function order(command) {
    const [code] = await post("command", Object.assign({seen: steps.length}, command), {"x-th-key": keys.get()});
    if (code === 403) { keys.set(""); shown = ""; later(); }
    told(w({202: "told.taken", 403: "told.code", 409: "told.gone.on", 0: "told.offline"}[code] || "told.refused"));
  }
  $("unlock").addEventListener("submit", async (e) => {
    e.preventDefault();
    const [code, text] = await post("code", {code: $("code").value});
    if (code === 200) { keys.set(JSON.parse(text).key); $("code").value = ""; told(w("told.unlocked")); shown = ""; later(); }
    else told(w({403: "told.code", 429: "told.too.often", 0: "told.offline"}[code] || "told.refused"));
  });
  document.querySelectorAll("[data-do]").forEach((b) => b.addEventListener("click", () => {
    const what = b.dataset.do === "pause" && live.paused ? "resume" : b.dataset.do;
    const command = {do: what};
    if (what === "undo" && step()) command.turn = step().turn;
    order(command);
  }));
  $("correct").addEventListener("submit", (e) => {
    e.preventDefault();
    const command = {do: "correct", turn: +$("correct-road").value, cars_due: +$("correct-cars").value};
    if ($("correct-call").value) command.call = $("correct-call").value;
    order(command);
  });
  $("penalty").addEventListener("submit", (e) => {
    e.preventDefault();
    order({do: "penalty", giver: $("penalty-giver").value, taker: $("penalty-taker").value, discs: +$("penalty-discs").value});
  });
  $("whose").addEventListener("submit", (e) => { e.preventDefault(); order({do: "whose_turn", player: $("whose-player").value}); });

  // --- legend ---
  function legend() {
    const item = (draw, words) => {
      const svg = Board.el("svg", {viewBox: "0 0 30 18", "aria-hidden": "true"});
      draw(svg);
      return made("li", {}, svg, made("span", {}, words));
    };
    const E = Board.el;
    const tag = (svg, a, b) => {
      const g = E("g", {class: "tag"}, svg);
      E("rect", {x: 3, y: 3, width: 24, height: 12, rx: 3.5}, g);
      E("polygon", {class: "side " + a, points: "7,13 15,13 11,4.5", "stroke-width": 1}, g);
      E("polygon", {class: "side " + b, points: "16,5 24,5 20,13.5", "stroke-width": 1}, g);
    };
    $("legend-list").replaceChildren(
      item((s) => tag(s, "free", "taken"), w("legend.sides")),
      item((s) => tag(s, "unsure", "unsure"), w("legend.unsure")),
      item((s) => { const g = E("g", {class: "level"}, s); E("circle", {cx: 15, cy: 9, r: 8}, g); E("text", {x: 15, y: 13, "text-anchor": "middle", "font-size": 11}, g).textContent = "3"; }, w("legend.level")),
      item((s) => { const g = E("g", {class: "level yellow"}, s); E("circle", {cx: 15, cy: 9, r: 8}, g); E("text", {x: 15, y: 13, "text-anchor": "middle", "font-size": 11}, g).textContent = "3"; }, w("legend.junction")),
      item((s) => E("text", {x: 15, y: 13, "text-anchor": "middle", "font-size": 11, class: "height"}, s).textContent = "32", w("legend.height")),
      item((s) => { E("line", {x1: 6, y1: 9, x2: 24, y2: 9, class: "glow", "stroke-width": 15, "stroke-linecap": "round"}, s); E("line", {x1: 6, y1: 9, x2: 24, y2: 9, stroke: "#888", "stroke-width": 9, "stroke-linecap": "round"}, s); }, w("legend.newest")),
      item((s) => { const g = E("g", {class: "spot pays"}, s); E("circle", {cx: 11, cy: 9, r: 7}, g); E("text", {x: 23, y: 13, "font-size": 9, "text-anchor": "middle"}, g).textContent = "+1"; }, w("legend.pays")),
      item((s) => { const g = E("g", {class: "doubt"}, s); E("circle", {cx: 13, cy: 9, r: 7}, g); E("text", {x: 24, y: 13, "font-size": 11, "text-anchor": "middle"}, g).textContent = "?"; }, w("legend.doubt")),
      item((s) => { const g = E("g", {class: "ghost"}, s); E("circle", {class: "edge", cx: 15, cy: 9, r: 7}, g); }, w("legend.ghost")),
      item((s) => E("circle", {cx: 15, cy: 9, r: 7, class: "base"}, s), w("legend.base")));
  }
  legend();
  window.thVision = {drawn: null, frame: () => render(), redraw: () => { painted = ""; render(); }};
  connect();
})();
