// The board from above, to scale, as SVG. Data: see th_vision/page/board.py. Lengths in mm; y goes up on the table.
const Board = (() => {
  "use strict";
  const NS = "http://www.w3.org/2000/svg";
  const NAMED = {blue: "#5b8fd6", pink: "#e58fb0", green: "#58a869", yellow: "#d9b52e", red: "#d0584a", white: "#dcdcdc",
    black: "#4a4a4f", orange: "#e08a3c", purple: "#8d6cc0", gray: "#8f9399", brown: "#96704f"};
  const CARS = {sedan: [16, 8], sports_car: [15, 8], electric_car: [13, 7.5], food_truck: [17, 9], family_wagon: [17, 8],
    limousine: [24, 8], delivery_van: [17, 8.5], construction_truck: [19, 9], jumbo_trailer: [28, 9], highway_bus: [25, 9]};
  // What tells the types apart from above, in shares of length (forward) and width: cabin, then marks.
  const SHAPES = {
    sedan: {body: 0.28, roof: [-0.25, 0.18]}, sports_car: {body: 0.5, roof: [-0.3, 0.02], stripe: true},
    electric_car: {body: 0.4, roof: [-0.3, 0.2], bolt: true}, food_truck: {body: 0.08, roof: [0.18, 0.4], awning: true},
    family_wagon: {body: 0.24, roof: [-0.44, 0.2]}, limousine: {body: 0.22, roof: [-0.32, 0.24], lines: 2},
    delivery_van: {body: 0.12, roof: [0.16, 0.4], box: [-0.47, 0.1]},
    construction_truck: {body: 0.08, roof: [0.2, 0.44], bed: [-0.46, 0.12]},
    jumbo_trailer: {body: 0.05, roof: [0.32, 0.47], box: [-0.5, 0.24]},
    highway_bus: {body: 0.12, roof: [-0.46, 0.4], lines: 4},
  };
  const DASHES = ["", "7 5", "0.1 5", "12 3 0.1 3"]; // a line along the middle tells the players apart without colour

  function el(tag, attributes, parent) {
    const node = document.createElementNS(NS, tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    if (parent) parent.appendChild(node);
    return node;
  }
  const round = (v) => Math.round(v * 100) / 100;

  function colorOf(game, player) {
    return game.colors[player] || NAMED[String(player).toLowerCase()] || "#9a9c9e";
  }

  // Where everything lies: [x0, y0, x1, y1] in mm with a margin; a usual table where there is nothing yet.
  function bounds(state) {
    const xs = [], ys = [];
    const add = (x, y) => { xs.push(x); ys.push(y); };
    Object.values(state.columns || {}).forEach((c) => add(c.x, c.y));
    Object.values(state.roads || {}).forEach((r) => r.ends.forEach((e) => add(e[0], e[1])));
    Object.values(state.city || {}).forEach((o) => o.outline.forEach((p) => add(p[0], p[1])));
    if (!xs.length) return [-200, -150, 200, 150];
    const m = 18;
    return [Math.min(...xs) - m, Math.min(...ys) - m, Math.max(...xs) + m, Math.max(...ys) + m];
  }

  // options: newest (Set of ids), crossings [{at, call, pays}], selected, heights, sides, bases, unit (mm a pixel), type
  // (how much larger than usual words are), turn (quarter turns), frame ([x, y, w, h] that is seen, or null), ghosts {id: words}, words (function key -> text)
  function draw(root, game, state, options) {
    const o = Object.assign({newest: new Set(), crossings: [], selected: null, heights: true, sides: true, bases: false,
      unit: 0.5, type: 1, turn: 0, frame: null, ghosts: null, words: (key) => key}, options);
    const cos = [1, 0, -1, 0][o.turn & 3], sin = [0, 1, 0, -1][o.turn & 3];
    const P = (x, y) => [round(x * cos - y * sin), round(-(x * sin + y * cos))];
    const ghosts = o.ghosts || state.ghosts || {};
    const columns = state.columns || {}, roads = state.roads || {}, cars = state.cars || {}, city = state.city || {};
    const fresh = document.createDocumentFragment();
    const layer = (name) => el("g", {class: name}, fresh);
    const ground = layer("ground"), shadows = layer("shadows"), base = layer("columns"), lanes = layer("roads"),
      traffic = layer("cars"), tops = layer("tops"), marks = layer("marks");
    const size = (mm, px) => round(Math.max(mm, px * o.unit * o.type));
    const poly = (points) => points.map((p) => P(p[0], p[1]).join(",")).join(" ");
    const text = (parent, x, y, words, height, more) => {
      const node = el("text", Object.assign({x: round(x), y: round(y + height * 0.35), "font-size": height,
        "text-anchor": "middle"}, more), parent);
      node.textContent = words;
      return node;
    };
    const pick = (node, id) => { node.dataset.piece = id; return node; };

    grid(ground, state, P);
    for (const [id, thing] of Object.entries(city)) drawCity(id, thing);
    const order = Object.entries(roads).sort((a, b) =>
      (a[1].ends[0][2] + a[1].ends[1][2]) - (b[1].ends[0][2] + b[1].ends[1][2]));
    const rank = Object.fromEntries(order.map(([id], i) => [id, i]));
    for (const [id, column] of Object.entries(columns)) drawColumn(id, column);
    for (const [id, road] of order) drawRoad(id, road);
    // Where a lower lying road is over another one all the same, its piece there is drawn again, on top.
    Object.values(state.pairs || {})
      .filter((p) => !p.partial && roads[p.over] && roads[p.under] && rank[p.over] < rank[p.under])
      .forEach((p) => patch(p));
    for (const [id, car] of Object.entries(cars)) if (!(id in ghosts)) drawCar(id, car);
    for (const [id, column] of Object.entries(columns)) if (!(id in ghosts)) drawLevel(id, column);
    if (o.sides) drawTags();
    for (const crossing of o.crossings) drawCrossing(crossing);
    for (const id of Object.keys(ghosts)) drawGhost(id, ghosts[id]);
    root.replaceChildren(fresh);

    function drawCity(id, thing) {
      const g = pick(el("g", {class: "city " + thing.kind + (o.selected === id ? " selected" : "")}, ground), id);
      const tall = thing.kind === "building" || thing.kind === "tower";
      if (tall) {
        const [dx, dy] = [thing.height * 0.09, -thing.height * 0.09];
        el("polygon", {class: "shade", points: poly(thing.outline.map((p) => [p[0] + dx, p[1] + dy]))}, g);
      }
      el("polygon", {class: "face", points: poly(thing.outline)}, g);
      const c = middle(thing.outline);
      if (tall) el("polygon", {class: "roof", points: poly(thing.outline.map((p) =>
        [c[0] + (p[0] - c[0]) * 0.62, c[1] + (p[1] - c[1]) * 0.62]))}, g);
      for (const one of thing.obstacles || []) el("polygon", {class: "obstacle", points: poly(one.outline)}, g);
      if (thing.arch) {
        const [a, b] = thing.arch;
        ["#c0392b", "#e0a030", "#3f8f5a", "#3d6fb6"].forEach((color, i) => {
          const n = [-(b[1] - a[1]), b[0] - a[0]], l = Math.hypot(n[0], n[1]) || 1, s = (i - 1.5) * 2.2 / l;
          const [x1, y1] = P(a[0] + n[0] * s, a[1] + n[1] * s), [x2, y2] = P(b[0] + n[0] * s, b[1] + n[1] * s);
          el("line", {x1, y1, x2, y2, stroke: color, "stroke-width": 2}, g);
        });
      }
      // The name, where there is room for one that can be read: on an area below what stands on it.
      const name = o.words("city." + thing.kind), [x, y] = P(c[0], c[1]), corners = thing.outline.map((p) => P(p[0], p[1]));
      const low = Math.max(...corners.map((p) => p[1])), width = 2 * Math.max(...corners.map((p) => Math.abs(p[0] - x)));
      const wide = [...name].reduce((sum, char) => sum + (char.charCodeAt(0) > 0x2e7f ? 1.05 : 0.64), 0);
      const height = Math.min(7, width / wide);
      if (height / o.unit >= 6) text(g, x, tall ? y : low - height * 0.75, name, round(height), {class: "name"});
    }

    function drawColumn(id, c) {
      const [x, y] = P(c.x, c.y), r = game.disc.diameter / 2, [sx, sy] = P(c.x + c.z * 0.09, c.y - c.z * 0.09);
      if (id in ghosts) return;
      el("circle", {class: "shade", cx: sx, cy: sy, r}, shadows);
      const g = pick(el("g", {class: "column" + (c.yellow ? " yellow" : "") + (o.selected === id ? " selected" : "")}, base), id);
      if (o.newest.has(id)) el("circle", {class: "glow", cx: x, cy: y, r: r + 4}, g);
      el("circle", {class: "disc", cx: x, cy: y, r}, g);
      el("circle", {class: "ring", cx: x, cy: y, r: r - 1.6, stroke: colorOf(game, c.owner)}, g);
      if (o.bases && state.players && state.now && (state.players[state.now.next] || {bases: []}).bases.includes(id))
        el("circle", {class: "base", cx: x, cy: y, r: r + 3}, g);
    }

    function tips(road) {
      const [a, b] = road.ends, l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      const inset = game.stick.ends === "round" ? Math.min(game.stick.width / 2, l / 2) : 0;
      const ux = (b[0] - a[0]) / l, uy = (b[1] - a[1]) / l;
      return [[a[0] + ux * inset, a[1] + uy * inset], [b[0] - ux * inset, b[1] - uy * inset]];
    }

    function drawRoad(id, road) {
      if (id in ghosts) return;
      const [a, b] = tips(road), [x1, y1] = P(a[0], a[1]), [x2, y2] = P(b[0], b[1]);
      const cap = game.stick.ends === "round" ? "round" : "butt", w = game.stick.width;
      const [z1, z2] = [road.ends[0][2] * 0.09, road.ends[1][2] * 0.09];
      const [s1, t1] = P(a[0] + z1, a[1] - z1), [s2, t2] = P(b[0] + z2, b[1] - z2);
      el("line", {class: "shade", x1: s1, y1: t1, x2: s2, y2: t2, "stroke-width": w, "stroke-linecap": cap}, shadows);
      const g = pick(el("g", {class: "road " + road.kind + " " + road.call + (o.selected === id ? " selected" : "")}, lanes), id);
      const line = (width, name, stroke, more) => el("line", Object.assign({class: name, x1, y1, x2, y2,
        "stroke-width": width, "stroke-linecap": cap}, stroke ? {stroke} : {}, more || {}), g);
      const color = colorOf(game, road.owner);
      if (o.newest.has(id)) line(w + 8, "glow");
      if (road.call !== "legal") line(w + 6.5, "warn " + road.call);
      line(w + 2.6, "casing");
      line(w + 0.9, "rim");
      line(w, "lane", color);
      const dash = DASHES[game.players.indexOf(road.owner) % 4];
      if (dash) line(1.1, "middle", null, {"stroke-dasharray": dash, "stroke-linecap": "round"});
      if (o.heights && o.unit < 0.95) heightsAt(road).forEach(([x, y], tip) =>
        text(tops, x, y, String(Math.round(road.ends[tip][2])), size(4.6, 8.5), {class: "height"}));
    }
    function heightsAt(road) {
      return [[0, 1], [1, 0]].map(([tip, other]) => {
        const p = road.ends[tip], q = road.ends[other], l = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1, reach = Math.min(17, l / 3);
        return P(p[0] + (q[0] - p[0]) / l * reach, p[1] + (q[1] - p[1]) / l * reach);
      });
    }

    function patch(p) {
      const road = roads[p.over];
      if (p.over in ghosts) return;
      const [a, b] = road.ends, l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, w = game.stick.width;
      const ux = (b[0] - a[0]) / l, uy = (b[1] - a[1]) / l, half = w * 0.8;
      const [x1, y1] = P(p.at[0] - ux * half, p.at[1] - uy * half), [x2, y2] = P(p.at[0] + ux * half, p.at[1] + uy * half);
      const g = pick(el("g", {class: "road patch"}, lanes), p.over);
      el("line", {class: "casing", x1, y1, x2, y2, "stroke-width": w + 2.6}, g);
      el("line", {class: "rim", x1, y1, x2, y2, "stroke-width": w + 0.9}, g);
      el("line", {class: "lane", x1, y1, x2, y2, "stroke-width": w, stroke: colorOf(game, road.owner)}, g);
    }

    function drawCar(id, car) {
      const [length, width] = car.size || CARS[car.type] || CARS.sedan, s = SHAPES[car.type] || SHAPES.sedan;
      const [x, y] = P(car.x, car.y);
      const g = pick(el("g", {class: "car" + (o.selected === id ? " selected" : ""),
        transform: `translate(${x} ${y}) rotate(${-(car.heading + (o.turn & 3) * 90)})`}, traffic), id);
      const L = length, W = width / 2;
      if (o.newest.has(id)) el("rect", {class: "glow", x: -L / 2 - 3, y: -W - 3, width: L + 6, height: 2 * W + 6, rx: 4}, g);
      el("rect", {class: "body", x: -L / 2, y: -W, width: L, height: 2 * W, rx: round(s.body * W * 2),
        fill: colorOf(game, car.owner)}, g);
      if (s.box) el("rect", {class: "load", x: s.box[0] * L, y: -W * 0.86, width: (s.box[1] - s.box[0]) * L, height: W * 1.72}, g);
      if (s.bed) el("rect", {class: "bed", x: s.bed[0] * L, y: -W * 0.75, width: (s.bed[1] - s.bed[0]) * L, height: W * 1.5}, g);
      el("rect", {class: "glass", x: s.roof[0] * L, y: -W * 0.7, width: (s.roof[1] - s.roof[0]) * L, height: W * 1.4, rx: 1}, g);
      for (let i = 1; i <= (s.lines || 0); i++) {
        const at = s.roof[0] * L + (s.roof[1] - s.roof[0]) * L * i / (s.lines + 1);
        el("line", {class: "detail", x1: at, x2: at, y1: -W * 0.7, y2: W * 0.7}, g);
      }
      if (s.awning) for (let i = 0; i < 4; i++)
        el("rect", {class: i % 2 ? "load" : "bed", x: -0.46 * L + i * 0.15 * L, y: -W * 0.86, width: 0.15 * L, height: W * 1.72}, g);
      if (s.stripe) el("rect", {class: "load", x: -L / 2, y: -W * 0.16, width: L, height: W * 0.32}, g);
      if (s.bolt) el("polygon", {class: "bolt", points: `${-0.1 * L},0 ${0.12 * L},${-W * 0.5} ${0.02 * L},0 ${0.16 * L},0 ${-0.08 * L},${W * 0.55} ${0.02 * L},0.2`}, g);
      if (car.doubt) doubt(x, y, L / 2 + 3, id);
    }

    function levelRadius() { return Math.min(size(5.4, 7.5), 13); }
    function drawLevel(id, c) {
      const [x, y] = P(c.x, c.y), r = levelRadius();
      const g = pick(el("g", {class: "level" + (c.yellow ? " yellow" : "")}, tops), id);
      el("circle", {cx: x, cy: y, r}, g);
      text(g, x, y, String(c.levels), round(r * 1.5));
      if (c.doubt) doubt(x, y, Math.max(game.disc.diameter / 2 + 3.5, r + 2), id);
    }

    function doubt(x, y, r, id) {
      const g = pick(el("g", {class: "doubt"}, marks), id);
      el("circle", {cx: x, cy: y, r: round(r)}, g);
      text(g, x + r * 0.75, y - r * 0.75, "?", size(8, 13));
    }

    // The road's name, with its two sides: a full triangle is free for others, an empty one is taken. The newest first,
    // for where there is no room for all.
    function drawTags() {
      const h = size(6.4, 11.5), name = (id) => h * 0.56 * id.length, circles = [];
      const shownRoads = Object.keys(roads).filter((id) => !(id in ghosts)).reverse();
      const rank_ = (id) => (o.selected === id ? 0 : o.newest.has(id) ? 1 : 2);
      shownRoads.sort((one, other) => rank_(one) - rank_(other));
      for (const c of Object.values(columns)) circles.push([...P(c.x, c.y), Math.max(levelRadius(), game.disc.diameter / 2), 4]);
      for (const c of Object.values(cars)) circles.push([...P(c.x, c.y), (c.size || CARS[c.type] || CARS.sedan)[0] * 0.42, 2]);
      for (const c of o.crossings) {
        const [x, y] = P(c.at[0], c.at[1]);
        circles.push([x, y, size(8, 10), 4]);
        if (c.label) circles.push([x + size(10, 13), y - size(8, 11), size(7, 10), 6]);
      }
      if (o.heights && o.unit < 0.95) for (const id of shownRoads) for (const p of heightsAt(roads[id])) circles.push([...p, size(3, 5.5), 3]);
      const wide = (id) => [name(id) + h * 1.95, h * 1.1], bare = [h * 1.6, h * 0.95];
      const put = Labels.place(shownRoads.map((id) => ({id, ends: roads[id].ends.map((e) => P(e[0], e[1])),
        sizes: [wide(id), bare], first: rank_(id) < 2})), circles, o.unit, game.stick.width, o.frame);
      for (const id in put) drawTag(id, roads[id], put[id], [wide(id), bare][put[id].size], h, name(id));
    }
    function drawTag(id, road, where, [w, high], h, name) {
      const [x, y] = where.at, left = x - w / 2, whole = where.size === 0, color = colorOf(game, road.owner);
      const g = pick(el("g", {class: "tag" + (o.selected === id ? " selected" : "")}, marks), id);
      if (where.on) el("line", {class: "leader", x1: round(x), y1: round(y), x2: round(where.on[0]), y2: round(where.on[1]),
        stroke: color, "stroke-width": round(1.3 * o.unit)}, g);
      el("rect", {x: round(left), y: round(y - high / 2), width: round(w), height: round(high), rx: round(h * 0.3), stroke: color,
        "stroke-width": round((o.selected === id ? 2.8 : 1.3) * o.unit)}, g);
      if (whole) text(g, left + h * 0.3 + name / 2, y, id, round(h * 0.9));
      const start = left + (whole ? h * 0.42 + name : h * 0.13);
      triangle(g, start + h * 0.36, y, h * 0.56, 1, road.over);
      triangle(g, start + h * 0.98, y, h * 0.56, -1, road.under);
    }

    function triangle(g, x, y, s, up, side) {
      const state_ = side.doubt ? "unsure" : side.free ? "free" : "taken";
      const points = `${round(x - s / 2)},${round(y + up * s * 0.42)} ${round(x + s / 2)},${round(y + up * s * 0.42)} ${round(x)},${round(y - up * s * 0.48)}`;
      el("polygon", {class: "side " + state_, points, "stroke-width": round(s * 0.16)}, g);
    }

    function drawCrossing(c) {
      const [x, y] = P(c.at[0], c.at[1]), g = el("g", {class: "spot " + c.call + (c.pays ? " pays" : "")}, marks);
      el("circle", {cx: x, cy: y, r: size(8, 10)}, g);
      if (c.label) text(g, x + size(10, 13), y - size(8, 11), c.label, size(8, 13));
    }

    function drawGhost(id, words) {
      const g = pick(el("g", {class: "ghost"}, marks), id);
      let at = null;
      if (roads[id]) {
        const [a, b] = tips(roads[id]), [x1, y1] = P(a[0], a[1]), [x2, y2] = P(b[0], b[1]);
        el("line", {class: "body", x1, y1, x2, y2, "stroke-width": game.stick.width, "stroke-linecap": "round",
          stroke: colorOf(game, roads[id].owner)}, g);
        el("polyline", {class: "edge", points: `${x1},${y1} ${x2},${y2}`}, g);
        at = [x1 + (x2 - x1) * 0.3, y1 + (y2 - y1) * 0.3]; // the middle is a car's
      } else if (columns[id]) {
        const [x, y] = P(columns[id].x, columns[id].y);
        el("circle", {class: "body", cx: x, cy: y, r: game.disc.diameter / 2}, g);
        el("circle", {class: "edge", cx: x, cy: y, r: game.disc.diameter / 2}, g);
        text(g, x, y, String(columns[id].levels), size(8, 11));
        at = [x, y + game.disc.diameter * 0.75];
      } else if (cars[id]) {
        const [x, y] = P(cars[id].x, cars[id].y);
        el("circle", {class: "edge", cx: x, cy: y, r: 8}, g);
        at = [x, y];
      }
      if (at) text(g, at[0], at[1], id, size(6, 10), {class: "name"});
    }
  }

  function grid(parent, state, P) {
    const [x0, y0, x1, y1] = bounds(state);
    let d = "";
    for (let x = Math.ceil(x0 / 50) * 50; x <= x1; x += 50) d += `M${P(x, y0)}L${P(x, y1)}`;
    for (let y = Math.ceil(y0 / 50) * 50; y <= y1; y += 50) d += `M${P(x0, y)}L${P(x1, y)}`;
    el("path", {class: "grid", d}, parent);
  }

  function middle(outline) {
    return [outline.reduce((s, p) => s + p[0], 0) / outline.length, outline.reduce((s, p) => s + p[1], 0) / outline.length];
  }

  // The piece nearest to a place of the plan (in its own turned coordinates), no further away than `most` mm.
  function nearest(state, at, turn, most) {
    const cos = [1, 0, -1, 0][turn & 3], sin = [0, 1, 0, -1][turn & 3], x = at[0] * cos - at[1] * sin, y = -(at[0] * sin + at[1] * cos);
    let best = null, least = most;
    const look = (id, away) => { if (away < least) { least = away; best = id; } };
    for (const [id, c] of Object.entries(state.cars || {})) look(id, Math.hypot(c.x - x, c.y - y) * 0.9);
    for (const [id, c] of Object.entries(state.columns || {})) look(id, Math.hypot(c.x - x, c.y - y) - 4);
    for (const [id, road] of Object.entries(state.roads || {})) {
      const [a, b] = road.ends, d = [b[0] - a[0], b[1] - a[1]], l = d[0] * d[0] + d[1] * d[1] || 1;
      const t = Math.max(0, Math.min(1, ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / l));
      look(id, Math.hypot(a[0] + d[0] * t - x, a[1] + d[1] * t - y));
    }
    return best;
  }

  // The state after a step: sections are shared with the state before where nothing changed.
  function apply(before, delta) {
    const after = Object.assign({}, before);
    for (const section in delta) {
      const entries = Object.assign({}, before[section]);
      for (const id in delta[section])
        if (delta[section][id] === null) delete entries[id]; else entries[id] = delta[section][id];
      after[section] = entries;
    }
    return after;
  }

  return {draw, bounds, apply, nearest, colorOf, el, middle, DASHES};
})();
