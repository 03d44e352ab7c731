// A city of triangles to turn around: WebGL 2 where there is any, else the triangles sorted by distance on a 2D canvas.
const City = (() => {
  "use strict";
  function bytes(text) {
    const raw = atob(text), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  }
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((v) => v / l); };

  const FIELD = 0.32, INSIDE = 0.95, GROUND = 30; // half the angle of view; the part of the picture that is filled; mm

  function show(canvas, data) {
    const positions = new Int16Array(bytes(data.positions).buffer), colors = bytes(data.colors);
    const triangles = new Uint32Array(bytes(data.triangles).buffer), s = 1 / data.steps;
    const [low, high] = data.box, size = Math.max(120, Math.hypot(high[0] - low[0], high[1] - low[1]));
    // fits: all of the city is kept in the picture, however it is turned, until somebody comes closer or moves it.
    const home = {yaw: -0.6, pitch: 0.75, reach: size * 1.02, x: 0, y: 0, fits: true};
    const view = Object.assign({}, home), corners = outermost();
    const gl = canvas.getContext("webgl2", {antialias: true});
    const paint = gl ? byGl(gl) : byHand(canvas.getContext("2d"));
    let queued = false;
    const later = () => { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; render(); }); } };

    // Columns of the view: right, up, towards the eye; and the eye. z = 0 of the data lies in the middle of the box.
    function camera() {
      const cp = Math.cos(view.pitch), sp = Math.sin(view.pitch), cy = Math.cos(view.yaw), sy = Math.sin(view.yaw);
      const back = [cp * sy, -cp * cy, sp], right = [cy, sy, 0], up = cross(back, right);
      let middle = [view.x, view.y, low[2] - data.origin[2]];
      if (view.fits) middle = fitted(right, up, back);
      return {right, up, back, eye: middle.map((v, i) => v + back[i] * view.reach)};
    }

    // Those of all corners that lie furthest out, in many directions: they are in the picture if and only if all is.
    function outermost() {
      const found = new Set();
      for (let k = 0; k < 160; k++) {
        const z = 1 - (2 * k + 1) / 160, r = Math.sqrt(1 - z * z), x = r * Math.cos(k * 2.39996), y = r * Math.sin(k * 2.39996);
        let best = -Infinity, which = 0;
        for (let i = 0; i < positions.length; i += 3) {
          const d = positions[i] * x + positions[i + 1] * y + positions[i + 2] * z;
          if (d > best) { best = d; which = i; }
        }
        found.add(which);
      }
      return [...found].map((i) => [positions[i] * s, positions[i + 1] * s, positions[i + 2] * s]);
    }

    // Sets how far the eye is so that all that stands on the table is in the picture; gives what it looks at.
    function fitted(right, up, back) {
      const o = data.origin, w = canvas.width || 1, h = canvas.height || 1, side = Math.min(w, h), f = 1 / Math.tan(FIELD) / INSIDE;
      let middle = [0, 1, 2].map((i) => (low[i] + high[i]) / 2 - o[i]);
      for (let again = 0; again < 6; again++) {
        const seen = corners.map((p) => p.map((v, i) => v - middle[i])).map((p) => [dot(p, right), dot(p, up), dot(p, back)]);
        view.reach = Math.max(60, ...seen.map(([x, y, z]) => z + Math.max(Math.abs(x) * f * side / w, Math.abs(y) * f * side / h)));
        const half = (at) => { const a = seen.map((p) => p[at] / (view.reach - p[2])); return (Math.min(...a) + Math.max(...a)) / 2 * view.reach; };
        const [dx, dy] = [half(0), half(1)];
        middle = middle.map((v, i) => v + right[i] * dx + up[i] * dy);
      }
      view.seen = middle;
      return middle;
    }
    // From where somebody moves or comes closer by hand.
    function free() {
      if (!view.fits) return;
      const k = (low[2] - data.origin[2] - view.seen[2]) / (camera().back[2] || 1), back = camera().back;
      view.x = view.seen[0] + back[0] * k; view.y = view.seen[1] + back[1] * k; view.reach -= k; view.fits = false;
    }

    function render() {
      const ratio = Math.min(2, devicePixelRatio || 1), w = canvas.clientWidth, h = canvas.clientHeight;
      if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
        canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
      }
      const started = performance.now();
      paint(camera(), canvas.width, canvas.height);
      City.drawn = {ms: performance.now() - started, triangles: triangles.length / 3, webgl: !!gl};
    }

    function byGl(gl) {
      const shader = (kind, text) => { const it = gl.createShader(kind); gl.shaderSource(it, text); gl.compileShader(it); return it; };
      const program = gl.createProgram();
      gl.attachShader(program, shader(gl.VERTEX_SHADER, `#version 300 es
        in vec3 place; in vec3 color; uniform mat4 view; uniform float s; out vec3 at; out vec3 tint;
        void main() { at = place * s; tint = color; gl_Position = view * vec4(at, 1.0); }`));
      gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `#version 300 es
        precision highp float; in vec3 at; in vec3 tint; uniform vec3 eye; out vec4 result;
        void main() { vec3 n = normalize(cross(dFdx(at), dFdy(at))); if (dot(n, eye - at) < 0.0) n = -n;
          float light = 0.55 + 0.35 * max(0.0, dot(n, normalize(vec3(-0.45, -0.7, 0.9)))) + 0.18 * max(0.0, n.z);
          result = vec4(tint * light, 1.0); }`));
      gl.linkProgram(program); gl.useProgram(program);
      const attribute = (name, array, type, normal) => {
        const where = gl.getAttribLocation(program, name);
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
        gl.enableVertexAttribArray(where); gl.vertexAttribPointer(where, 3, type, normal, 0, 0);
      };
      const ground = floor();
      attribute("place", joined(positions, ground.positions), gl.SHORT, false);
      attribute("color", joined(colors, ground.colors), gl.UNSIGNED_BYTE, true);
      const index = new Uint32Array(triangles.length + 6);
      index.set(triangles); index.set([0, 1, 2, 0, 2, 3].map((i) => i + positions.length / 3), triangles.length);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, index, gl.STATIC_DRAW);
      gl.enable(gl.DEPTH_TEST);
      return (c, w, h) => {
        const f = 1 / Math.tan(FIELD), near = view.reach * 0.05, far = view.reach * 6, side = Math.min(w, h);
        const rows = [c.right, c.up, c.back].map((v) => [...v, -dot(v, c.eye)]);
        const m = [rows[0].map((v) => v * f * side / w), rows[1].map((v) => v * f * side / h),
          rows[2].map((v, i) => v * (far + near) / (near - far) + (i === 3 ? 2 * far * near / (near - far) : 0)), rows[2].map((v) => -v)];
        const flat = new Float32Array(16);
        for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) flat[k * 4 + r] = m[r][k];
        gl.viewport(0, 0, w, h); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.uniformMatrix4fv(gl.getUniformLocation(program, "view"), false, flat);
        gl.uniform1f(gl.getUniformLocation(program, "s"), s);
        gl.uniform3fv(gl.getUniformLocation(program, "eye"), c.eye);
        gl.drawElements(gl.TRIANGLES, index.length, gl.UNSIGNED_INT, 0);
      };
    }
    function joined(a, b) { const out = new a.constructor(a.length + b.length); out.set(a); out.set(b, a.length); return out; }
    function floor() {
      const m = GROUND, z = (low[2] - data.origin[2] - 0.2) / s, o = data.origin;
      const corners = [[low[0] - m, low[1] - m], [high[0] + m, low[1] - m], [high[0] + m, high[1] + m], [low[0] - m, high[1] + m]];
      return {positions: new Int16Array(corners.flatMap((p) => [(p[0] - o[0]) / s, (p[1] - o[1]) / s, z])),
        colors: new Uint8Array([0, 0, 0, 0].flatMap(() => [222, 212, 196]))};
    }

    function byHand(pen) {
      const count = positions.length / 3, seen = new Float32Array(count * 3);
      return (c, w, h) => {
        const f = Math.min(w, h) / 2 / Math.tan(FIELD), light = unit([-0.45, -0.7, 0.9]);
        for (let i = 0; i < count; i++) {
          const p = [positions[3 * i] * s - c.eye[0], positions[3 * i + 1] * s - c.eye[1], positions[3 * i + 2] * s - c.eye[2]];
          const d = -dot(p, c.back);
          seen[3 * i] = w / 2 + f * dot(p, c.right) / d; seen[3 * i + 1] = h / 2 - f * dot(p, c.up) / d; seen[3 * i + 2] = d;
        }
        const faces = [];
        for (let t = 0; t < triangles.length; t += 3) {
          const [i, j, k] = [triangles[t], triangles[t + 1], triangles[t + 2]];
          const turn = (seen[3 * j] - seen[3 * i]) * (seen[3 * k + 1] - seen[3 * i + 1]) - (seen[3 * k] - seen[3 * i]) * (seen[3 * j + 1] - seen[3 * i + 1]);
          if (turn < 0) faces.push([seen[3 * i + 2] + seen[3 * j + 2] + seen[3 * k + 2], i, j, k]);
        }
        faces.sort((a, b) => b[0] - a[0]);
        pen.clearRect(0, 0, w, h);
        for (const [, i, j, k] of faces) {
          const at = (n) => [positions[3 * n], positions[3 * n + 1], positions[3 * n + 2]], a = at(i);
          const n = unit(cross(at(j).map((v, x) => v - a[x]), at(k).map((v, x) => v - a[x])));
          const l = 0.6 + 0.45 * Math.max(0, dot(n, light));
          pen.fillStyle = `rgb(${colors[3 * i] * l},${colors[3 * i + 1] * l},${colors[3 * i + 2] * l})`;
          pen.beginPath(); pen.moveTo(seen[3 * i], seen[3 * i + 1]); pen.lineTo(seen[3 * j], seen[3 * j + 1]); pen.lineTo(seen[3 * k], seen[3 * k + 1]); pen.fill();
        }
      };
    }

    const turn = (dx, dy) => { view.yaw -= dx; view.pitch = Math.max(0.05, Math.min(1.55, view.pitch + dy)); later(); };
    const move = (dx, dy) => { free(); const c = camera(), k = view.reach * 0.0012;
      view.x -= (c.right[0] * dx - c.back[0] * dy) * k; view.y -= (c.right[1] * dx - c.back[1] * dy) * k; later(); };
    const nearer = (factor) => { free(); view.reach = Math.max(40, Math.min(size * 5, view.reach * factor)); later(); };
    const fingers = new Map();
    let pinch = 0;
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, [e.clientX, e.clientY]); pinch = 0; });
    canvas.addEventListener("pointermove", (e) => {
      const last = fingers.get(e.pointerId);
      if (!last) return;
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      const dx = e.clientX - last[0], dy = e.clientY - last[1];
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (pinch) nearer(pinch / d);
        pinch = d; move(dx / 2, dy / 2);
      } else if (e.shiftKey || e.buttons === 2) move(dx, dy); else turn(dx * 0.008, dy * 0.008);
    });
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (e) => { fingers.delete(e.pointerId); pinch = 0; });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); nearer(Math.exp(e.deltaY * 0.0012)); }, {passive: false});
    canvas.addEventListener("keydown", (e) => {
      const keys = {ArrowLeft: () => turn(0.12, 0), ArrowRight: () => turn(-0.12, 0), ArrowUp: () => turn(0, 0.1), ArrowDown: () => turn(0, -0.1),
        "+": () => nearer(0.85), "=": () => nearer(0.85), "-": () => nearer(1 / 0.85), 0: () => { Object.assign(view, home); later(); }};
      if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
    });
    new ResizeObserver(later).observe(canvas);
    later();
    // How far the city reaches from the middle of the picture to its rim, across and up: 1 is the rim.
    function spread() {
      const c = camera(), w = canvas.width, h = canvas.height, f = Math.min(w, h) / Math.tan(FIELD);
      const seen = corners.map((p) => p.map((v, i) => v - c.eye[i])).map((p) => [dot(p, c.right), dot(p, c.up), -dot(p, c.back)]);
      return [Math.max(...seen.map((p) => Math.abs(p[0] / p[2]) * f / w)), Math.max(...seen.map((p) => Math.abs(p[1] / p[2]) * f / h))];
    }
    return {view, render, spread};
  }
  return {show, drawn: null};
})();
