// Where the roads' names go on the plan: on their road or beside it with a line to it, over nothing else. Lengths in mm.
const Labels = (() => {
  "use strict";
  const ALONG = [0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86], AWAY = [0, 6, 13, 22, 34, 48, 64];
  const TAKEN = 1000; // over another label: never, if there is any other place
  const OFF = (t) => Math.abs(t - 0.5) * 14;
  const BESIDE = ALONG.flatMap((t) => AWAY.flatMap((away) => [1, -1].map((side) => [OFF(t) + 3 + away * 0.6, t, side, away])))
    .sort((one, other) => one[0] - other[0]);

  // roads: [{id, ends: [[x, y], [x, y]], sizes: [[w, h], ...] (the first that finds a place is taken), first (never left
  // out)}], in the order of their importance; circles: [[x, y, r, weight]]; px: mm of a pixel; width of a road, mm.
  // frame: [x, y, w, h] to keep within, or null. Gives {id: {at, size, on}}: the label's middle, which size, and from where its line comes (null: it is on its road).
  function place(roads, circles, px, width, frame) {
    const spots = []; // everything that a label should not be over: [x, y, r, weight a mm, whose]
    for (const c of circles) spots.push([c[0], c[1], c[2], c[3] / px, null]);
    for (const road of roads) {
      const [a, b] = road.ends;
      for (let i = 0; i <= 6; i++) spots.push([a[0] + (b[0] - a[0]) * i / 6, a[1] + (b[1] - a[1]) * i / 6, width / 2, 1.6 / px, road.id]);
    }
    const put = [], found = {};
    for (const road of roads) {
      const [a, b] = road.ends, dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1, nx = -dy / l, ny = dx / l;
      const [w0, h0] = road.sizes[0], far = l / 2 + AWAY[AWAY.length - 1] * px + w0 + h0, mx = (a[0] + b[0]) / 2, my = (a[1] + b[1]) / 2;
      const near = spots.filter((s) => s[4] !== road.id && Math.abs(s[0] - mx) < far + s[2] && Math.abs(s[1] - my) < far + s[2]);
      const rects = put.filter((r) => Math.abs(r[0] - mx) < far + r[2] && Math.abs(r[1] - my) < far + r[3]);
      let best = null, least = Infinity;
      for (let size = 0; size < road.sizes.length && least >= TAKEN; size++) {
        const [w, h] = road.sizes[size], wide = w / 2, high = h / 2, clear = width / 2 + px + Math.abs(nx) * wide + Math.abs(ny) * high;
        const look = (base, t, out) => {
          const ox = a[0] + dx * t, oy = a[1] + dy * t, x = ox + nx * out, y = oy + ny * out;
          let cost = base;
          if (frame && (x - wide < frame[0] || y - high < frame[1] || x + wide > frame[0] + frame[2] || y + high > frame[1] + frame[3])) cost += TAKEN / 2;
          for (const r of rects) if (Math.abs(r[0] - x) < r[2] + wide && Math.abs(r[1] - y) < r[3] + high) cost += TAKEN;
          for (let i = 0; i < near.length && cost < least; i++) {
            const s = near[i], ex = Math.abs(s[0] - x) - wide, ey = Math.abs(s[1] - y) - high;
            if (ex >= s[2] || ey >= s[2]) continue;
            const deep = s[2] - (ex > 0 && ey > 0 ? Math.hypot(ex, ey) : Math.max(0, ex, ey));
            if (deep > 0) cost += deep * s[3];
          }
          if (cost < least) { least = cost; best = {at: [x, y], size, on: out ? [ox, oy] : null}; }
        };
        const hides = Math.max(0, (Math.abs(dx) / l * w + Math.abs(dy) / l * h) / l - 0.45) * 60; // as long as its road
        for (const t of ALONG) if (OFF(t) + hides < least) look(OFF(t) + hides, t, 0);
        for (const [base, t, side, away] of BESIDE) {
          if (base >= least) break;
          look(base, t, side * (clear + away * px));
        }
      }
      if (least >= TAKEN && !road.first) continue; // touching the road tells what its label would
      const [w, h] = road.sizes[best.size];
      put.push([best.at[0], best.at[1], w / 2 + px, h / 2 + px]);
      found[road.id] = best;
    }
    return found;
  }

  return {place};
})();
