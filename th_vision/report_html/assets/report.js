(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const states = [];
  for (const step of data.steps) states.push(Board.apply(states.length ? states[states.length - 1] : {}, step.board));
  const words = (key) => data.words[key] ?? key;
  for (const node of document.querySelectorAll("[data-player]"))
    node.style.setProperty("--player", Board.colorOf(data.game, node.dataset.player));

  const last = Board.bounds(states[states.length - 1] || {});
  function draw(svg) {
    if (svg.firstChild) return;
    const number = +svg.dataset.step, step = data.steps[number], state = states[number];
    const [x0, y0, x1, y1] = last, w = x1 - x0, h = y1 - y0;
    svg.setAttribute("viewBox", `${x0} ${-y1} ${w} ${h}`);
    const width = svg.getBoundingClientRect().width || 500;
    Board.draw(Board.el("g", {}, svg), data.game, state, {newest: new Set(step.newest), words, unit: Math.max(w / width, h / (width * 0.75)), frame: [x0, -y1, w, h],
      crossings: step.spots.map((c) => ({at: c.at, call: c.call, pays: c.pays, label: c.call === "too_close" ? "?" : c.rule === "crossing" ? (c.pays ? "+1" : "") : "!"}))});
  }
  const boards = [...document.querySelectorAll("svg.board")];
  const watch = new IntersectionObserver((seen) => seen.forEach((e) => { if (e.isIntersecting) { draw(e.target); watch.unobserve(e.target); } }), {rootMargin: "600px"});
  boards.forEach((svg) => watch.observe(svg));
  addEventListener("beforeprint", () => boards.forEach(draw));
  const city = City.show(document.getElementById("city"), data.city);
  window.thReport = {city, boards: boards.length, draw: () => boards.forEach(draw)};
})();
