// What people do: stepping, zooming, settings, corrections; and the legend.
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
