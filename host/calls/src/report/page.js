// SPDX-License-Identifier: MIT OR Apache-2.0
// Draws the flame graph and the timeline of a report, and searches names. Names are only ever drawn or
// set as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const count = data.parent.length;
  const ROW = 20;
  const MAX_ROWS = 400;
  const LANE_ROWS = 48;
  let needle = "";
  let matches = new Uint8Array(data.names.length);

  const children = Array.from({ length: count }, () => []);
  const roots = [];
  for (let node = 0; node < count; node++) {
    const parent = data.parent[node];
    (parent < 0 ? roots : children[parent]).push(node);
  }
  const depth = new Uint32Array(count);
  for (let node = 0; node < count; node++) {
    if (data.parent[node] >= 0) depth[node] = depth[data.parent[node]] + 1;
  }
  // With one thread, its functions are the first row.
  const skip = data.has_threads ? 0 : 1;

  const number = (value) => Math.round(value).toLocaleString("en-US");
  const percent = (part, all) => (all > 0 ? (100 * part) / all : 0).toFixed(1) + " %";
  const plural = (value, word) => number(value) + " " + word + (value === 1 ? "" : "s");
  const time = (value) => {
    if (data.unit !== "ticks" || !data.hertz) return number(value) + " " + data.unit;
    const seconds = value / data.hertz;
    for (const [scale, unit] of [[1, "s"], [1e3, "ms"], [1e6, "µs"]]) {
      if (Math.abs(seconds * scale) >= 1) return (seconds * scale).toPrecision(4) + " " + unit;
    }
    return (seconds * 1e9).toFixed(0) + " ns";
  };

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const exceptions = new Set(data.exceptions);
  const hues = data.names.map((name) => {
    let hash = 2166136261;
    for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 16777619);
    return (hash >>> 8) % 1000;
  });
  const fill = (node) => {
    const name = data.name[node];
    const light = dark.matches ? 34 : 76;
    if (needle && !matches[name]) return dark.matches ? "#2a333d" : "#e6eaee";
    if (exceptions.has(name)) return `hsl(350 60% ${light}%)`;
    const hue = 30 + ((hues[name] * 37) % 230);
    return `hsl(${hue} ${36 + (hues[name] % 7) * 4}% ${light + (hues[name] % 5) * 2}%)`;
  };
  const ink = () => getComputedStyle(document.body).color;

  // A canvas of a size in CSS pixels.
  const prepare = (canvas, height) => {
    const width = canvas.parentElement.clientWidth;
    const scale = Math.min(window.devicePixelRatio || 1, 2, 16000 / Math.max(height, 1));
    canvas.style.height = height + "px";
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    return [context, width];
  };
  const bar = (context, node, x, y, width, color) => {
    context.fillStyle = fill(node);
    context.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), 0.5), ROW - 1);
    if (width > 28) {
      const name = data.names[data.name[node]];
      const fits = Math.floor((width - 8) / 6.6);
      context.fillStyle = color;
      context.fillText(name.length > fits ? name.slice(0, Math.max(fits - 1, 1)) + "…" : name, x + 4, y + ROW / 2);
    }
  };

  // ---- Flame graph
  let metric = 0;
  let totals = [];
  let zoomed = -1;
  let flames = [];
  const sum = () => {
    totals = data.metrics[metric].own.slice();
    for (let node = count - 1; node >= 0; node--) {
      if (data.parent[node] >= 0) totals[data.parent[node]] += totals[node];
    }
    for (const list of children) list.sort((a, b) => totals[b] - totals[a]);
    roots.sort((a, b) => totals[b] - totals[a]);
  };
  const all = () => roots.reduce((sum, node) => sum + totals[node], 0);
  const drawFlames = () => {
    const canvas = byId("flames");
    const width = canvas.parentElement.clientWidth;
    flames = [];
    let rows = 1;
    const path = [];
    for (let node = zoomed; node >= 0; node = data.parent[node]) path.unshift(node);
    const shown = path.filter((node) => depth[node] >= skip);
    shown.forEach((node, row) => flames.push({ node, x: 0, width, row }));
    const first = shown.length;
    const work = [];
    const place = (list, x, available, whole, row) => {
      for (const node of list) {
        const size = whole > 0 ? (available * totals[node]) / whole : 0;
        if (size < 0.4) break;
        work.push({ node, x, width: size, row });
        x += size;
      }
    };
    if (zoomed >= 0) {
      place(children[zoomed], 0, width, totals[zoomed], first);
    } else {
      const list = skip ? roots.flatMap((root) => children[root]) : roots;
      list.sort((a, b) => totals[b] - totals[a]);
      place(list, 0, width, all(), 0);
    }
    while (work.length) {
      const box = work.pop();
      flames.push(box);
      rows = Math.max(rows, box.row + 1);
      if (box.row + 1 < MAX_ROWS) place(children[box.node], box.x, box.width, totals[box.node], box.row + 1);
    }
    rows = Math.max(rows, first);
    const [context] = prepare(canvas, rows * ROW + 2);
    const color = ink();
    for (const box of flames) bar(context, box.node, box.x, box.row * ROW + 1, box.width, color);
  };
  const flameText = (node) => {
    const own = data.metrics[metric].own[node];
    const label = data.metrics[metric].label;
    const show = label === "time" ? time : (value) => number(value) + " " + label;
    return `${data.names[data.name[node]]}: ${show(totals[node])} with all that it called ` +
      `(${percent(totals[node], all())}), ${show(own)} of its own, ${plural(data.calls[node], "call")}`;
  };
  const flameAt = (event) => {
    const box = byId("flames").getBoundingClientRect();
    const x = event.clientX - box.left;
    const row = Math.floor((event.clientY - box.top - 1) / ROW);
    return flames.find((it) => it.row === row && x >= it.x && x < it.x + it.width);
  };
  const startFlames = () => {
    const select = byId("metric");
    data.metrics.forEach((it, index) => {
      const option = document.createElement("option");
      option.value = index;
      option.textContent = it.label;
      select.append(option);
    });
    select.addEventListener("change", () => {
      metric = Number(select.value);
      sum();
      drawFlames();
      showFound();
    });
    const canvas = byId("flames");
    canvas.addEventListener("pointermove", (event) => {
      const hit = flameAt(event);
      if (hit) byId("flame-detail").textContent = flameText(hit.node);
    });
    canvas.addEventListener("click", (event) => {
      const hit = flameAt(event);
      if (!hit) return;
      zoomed = hit.node === zoomed ? data.parent[hit.node] : hit.node;
      if (zoomed >= 0 && depth[zoomed] < skip) zoomed = -1;
      byId("flame-detail").textContent = flameText(hit.node);
      drawFlames();
    });
    byId("whole").addEventListener("click", () => {
      zoomed = -1;
      drawFlames();
    });
  };

  // ---- Timeline
  const span = Math.max(data.span, 1);
  let from = 0;
  let to = span;
  // By lane and row: beginnings, ends and nodes of bars, in order.
  const lanes = data.lanes.map((lane) => {
    const rows = [];
    const open = [];
    const close = (length, at) => {
      while (open.length > length) {
        const { node, begin } = open.pop();
        const row = open.length;
        if (!rows[row]) rows[row] = { begins: [], ends: [], nodes: [] };
        rows[row].begins.push(begin);
        rows[row].ends.push(at);
        rows[row].nodes.push(node);
      }
    };
    let at = 0;
    for (let piece = 0; piece < lane.pieces.length; piece += 3) {
      if (lane.pieces[piece] > 0) close(0, at);
      at += lane.pieces[piece];
      const path = [];
      for (let node = lane.pieces[piece + 2]; node >= 0; node = data.parent[node]) path.push(node);
      path.reverse();
      path.splice(0, skip);
      path.length = Math.min(path.length, LANE_ROWS);
      let same = 0;
      while (same < path.length && same < open.length && open[same].node === path[same]) same++;
      close(same, at);
      for (let row = same; row < path.length; row++) open.push({ node: path[row], begin: at });
      at += lane.pieces[piece + 1];
    }
    close(0, at);
    return { label: lane.label, rows };
  });
  // By lane of marks: where each begins and ends, and its name.
  const markLanes = data.marks.map((lane) => {
    const marks = [];
    let at = 0;
    for (let piece = 0; piece < lane.pieces.length; piece += 3) {
      at += lane.pieces[piece];
      marks.push({ begin: at, stop: at + lane.pieces[piece + 1], name: lane.pieces[piece + 2] });
    }
    return { label: lane.label, marks };
  });
  const AXIS = 26;
  const LABEL = 18;
  let boxes = [];
  const firstAfter = (list, value) => {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const step = (length, parts) => {
    const rough = length / Math.max(parts, 1);
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1e-9))));
    for (const factor of [1, 2, 5, 10]) if (factor * power >= rough) return factor * power;
    return 10 * power;
  };
  const drawLanes = () => {
    const canvas = byId("lanes");
    const rows = lanes.reduce((sum, lane) => sum + LABEL + Math.max(lane.rows.length, 1) * ROW + 6, 0);
    const height = AXIS + rows + markLanes.length * (LABEL + ROW + 6);
    const [context, width] = prepare(canvas, height);
    const color = ink();
    const scale = width / (to - from);
    boxes = [];
    context.fillStyle = color;
    context.strokeStyle = color;
    let every = step(to - from, width / 90);
    if (data.unit !== "ticks" || !data.hertz) every = Math.max(every, 1);
    else every = step((to - from) / data.hertz, width / 90) * data.hertz;
    let free = 0;
    for (let mark = Math.ceil(from / every) * every; mark <= to; mark += every) {
      const x = (mark - from) * scale;
      context.globalAlpha = 0.15;
      context.fillRect(x, AXIS - 6, 1, height);
      context.globalAlpha = 0.8;
      const text = time(mark);
      const left = Math.max(x - 2, 2);
      const right = left + context.measureText(text).width;
      if (left < free || right > width) continue;
      free = right + 10;
      context.fillText(text, left, 10);
    }
    context.globalAlpha = 1;
    let y = AXIS;
    const heading = (label) => {
      context.fillStyle = color;
      context.globalAlpha = 0.7;
      context.fillText(label, 4, y + LABEL / 2);
      context.globalAlpha = 1;
      y += LABEL;
    };
    for (const lane of lanes) {
      heading(lane.label);
      for (const row of lane.rows) {
        let drawn = -1;
        for (let index = firstAfter(row.ends, from); index < row.begins.length && row.begins[index] < to; index++) {
          const x = Math.max(0, (row.begins[index] - from) * scale);
          const end = Math.min(width, (row.ends[index] - from) * scale);
          // Bars that are narrower than what was drawn there are not seen.
          if (end < drawn + 0.35) continue;
          drawn = Math.max(end, x + 0.5);
          bar(context, row.nodes[index], x, y, end - x, color);
          const name = data.name[row.nodes[index]];
          boxes.push({ name, x, end: drawn, y, begin: row.begins[index], stop: row.ends[index] });
        }
        y += ROW;
      }
      y += Math.max(1 - lane.rows.length, 0) * ROW + 6;
    }
    for (const lane of markLanes) {
      heading(lane.label);
      let drawn = -1;
      for (const { begin, stop, name } of lane.marks) {
        const x = Math.max(0, (begin - from) * scale);
        const end = Math.max(Math.min(width, (stop - from) * scale), x + 2);
        if (stop < from || begin > to || end < drawn + 0.35) continue;
        drawn = end;
        context.globalAlpha = needle && !matches[name] ? 0.15 : 0.6;
        context.fillRect(x, y, end - x, ROW - 2);
        boxes.push({ name, x, end: Math.max(end, x + 4), y, begin, stop });
      }
      context.globalAlpha = 1;
      y += ROW + 6;
    }
    if (drag && drag.x !== drag.start) {
      context.globalAlpha = 0.15;
      context.fillStyle = color;
      context.fillRect(Math.min(drag.x, drag.start), 0, Math.abs(drag.x - drag.start), height);
      context.globalAlpha = 1;
    }
  };
  let drag = null;
  const show = (first, last) => {
    const length = Math.min(Math.max(last - first, Math.min(4, span)), span);
    from = Math.min(Math.max(first, 0), span - length);
    to = from + length;
    drawLanes();
  };
  const startLanes = () => {
    const canvas = byId("lanes");
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top, box.width];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") return;
      const [x] = place(event);
      drag = { start: x, x };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (drag) {
        drag.x = x;
        drawLanes();
      }
      const hit = boxes.find((it) => y >= it.y && y < it.y + ROW && x >= it.x && x <= it.end);
      if (hit) {
        byId("lane-detail").textContent =
          `${data.names[hit.name]}: from ${time(hit.begin)}, for ${time(hit.stop - hit.begin)}`;
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!drag) return;
      const [x, , width] = place(event);
      const [left, right] = [Math.min(x, drag.start), Math.max(x, drag.start)];
      drag = null;
      const unit = (to - from) / width;
      if (right - left > 4) show(from + left * unit, from + right * unit);
      else drawLanes();
    });
    canvas.addEventListener("pointercancel", () => {
      drag = null;
      drawLanes();
    });
    const buttons = {
      closer: () => show(from + (to - from) / 4, to - (to - from) / 4),
      farther: () => show(from - (to - from) / 2, to + (to - from) / 2),
      earlier: () => show(from - (to - from) / 2, to - (to - from) / 2),
      later: () => show(from + (to - from) / 2, to + (to - from) / 2),
      all: () => show(0, span),
    };
    for (const [id, run] of Object.entries(buttons)) byId(id).addEventListener("click", run);
  };

  // ---- Search
  const showFound = () => {
    if (!needle) {
      byId("found").textContent = "";
      return;
    }
    let own = 0;
    for (let node = 0; node < count; node++) {
      if (matches[data.name[node]]) own += data.metrics[metric].own[node];
    }
    const names = matches.reduce((sum, match) => sum + match, 0);
    const label = data.metrics[metric].label;
    byId("found").textContent = `${plural(names, "name")}, ${percent(own, all())} of ${label} of their own`;
  };
  byId("search").addEventListener("input", (event) => {
    needle = event.target.value.trim().toLowerCase();
    data.names.forEach((name, index) => {
      matches[index] = needle && name.toLowerCase().includes(needle) ? 1 : 0;
    });
    for (const row of document.querySelectorAll(".function")) {
      row.hidden = needle !== "" && !row.querySelector("b").textContent.toLowerCase().includes(needle);
    }
    drawFlames();
    drawLanes();
    showFound();
  });

  const draw = () => {
    drawFlames();
    drawLanes();
  };
  sum();
  startFlames();
  startLanes();
  draw();
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) {
      width = window.innerWidth;
      draw();
    }
  });
  dark.addEventListener("change", draw);
})();
