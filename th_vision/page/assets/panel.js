// What stands beside the board: the ruling in words, doubts, players, free sides, turns, a piece in words.
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
