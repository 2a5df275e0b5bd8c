"use strict";
// Draws the trace in the element #data. All times are in ns.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("view"), context = canvas.getContext("2d"), tip = byId("tip");
const labelWidth = 150, axisHeight = 24, rowHeight = 18, counterHeight = 36, gap = 8;
const font = '11px system-ui,"DejaVu Sans",sans-serif';

// MARK: Model

// The spans of a thread and depth do not overlap, so starts and ends are sorted.
function makeThread(thread, number) {
  const spans = [], rows = [];
  let start = 0;
  thread.starts.forEach((difference, index) => {
    start += difference;
    const depth = thread.depths[index];
    const span = {
      thread: number, index, start, end: start + thread.durations[index], depth,
      kind: thread.kinds[index], arrows: [],
    };
    spans.push(span);
    (rows[depth] ??= []).push(span);
  });
  for (let depth = 0; depth < rows.length; depth++) rows[depth] ??= [];
  return { name: thread.name, process: thread.process, marks: thread.marks, spans, rows };
}

const threads = data.threads.map(makeThread);
const allSpans = threads.flatMap((thread) => thread.spans).sort((a, b) => a.start - b.start);
const arrows = data.arrows.map((flat) => {
  const arrow = [];
  for (let index = 0; index < flat.length; index += 3) {
    const span = threads[flat[index]].spans[flat[index + 2]];
    arrow.push({ thread: flat[index], time: flat[index + 1], span });
    if (span) span.arrows.push(arrow);
  }
  return arrow;
});
for (const counter of data.counters) {
  counter.graphs = Object.entries(counter.series).sort().map(([name, values]) => {
    return { name, values, most: values.reduce((most, value) => Math.max(most, value), 0) };
  });
}
const times = [
  ...threads.flatMap((thread) => thread.marks.map((mark) => mark.time)),
  ...data.counters.flatMap((counter) => [counter.times[0], counter.times.at(-1)]),
];
let first = Infinity, last = -Infinity;
for (const span of allSpans) { first = Math.min(first, span.start); last = Math.max(last, span.end); }
for (const time of times) { first = Math.min(first, time); last = Math.max(last, time); }
const margin = Math.max((last - first) * 0.01, 10);
const whole = { start: first - margin, end: last + margin };
const leastWidth = 20;

// Lanes from the top: the threads of each process, then its counters.
const lanes = [];
let laneEnd = axisHeight;
function addLane(lane, height) {
  lanes.push({ ...lane, top: laneEnd, height });
  laneEnd += height + gap;
}
const processes = [...new Set([...threads, ...data.counters].map((item) => item.process))];
for (const process of processes) {
  const title = processes.length > 1 ? `${process} / ` : "";
  threads.forEach((thread, number) => {
    if (thread.process !== process) return;
    const room = thread.marks.length > 0 ? 14 : 0;
    addLane(
      { thread, number, room, title: (thread.name === process ? "" : title) + thread.name },
      room + Math.max(thread.rows.length, 1) * rowHeight,
    );
  });
  for (const counter of data.counters) {
    if (counter.process === process) addLane({ counter, title: title + counter.name }, counterHeight);
  }
}
const laneOfThread = new Map(lanes.filter((lane) => lane.thread).map((lane) => [lane.number, lane]));

// MARK: State

let view = { ...whole }, scroll = 0, width = 0, height = 0, colors = {};
let hovered = null, selected = null, isDrawing = false;
// The spans that the search finds, the same by row, and the last one shown.
let found = [], foundRows = null, current = -1;

const scale = () => (width - labelWidth) / (view.end - view.start);
const xOf = (time) => labelWidth + (time - view.start) * scale();
const timeOf = (x) => view.start + (x - labelWidth) / scale();
const yOf = (span) => {
  const lane = laneOfThread.get(span.thread);
  return lane.top + lane.room + span.depth * rowHeight - scroll;
};

/** The first index whose item is accepted, if later items are too. */
function firstIndex(items, accepts) {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (accepts(items[middle])) high = middle; else low = middle + 1;
  }
  return low;
}

function show(start, end) {
  const most = whole.end - whole.start;
  const length = Math.min(Math.max(end - start, leastWidth), most);
  start = Math.min(Math.max((start + end - length) / 2, whole.start), whole.end - length);
  view = { start, end: start + length };
  draw();
}

function zoom(factor, around = (view.start + view.end) / 2) {
  const length = Math.max((view.end - view.start) * factor, leastWidth);
  const share = (around - view.start) / (view.end - view.start);
  show(around - share * length, around + (1 - share) * length);
}

const move = (time) => show(view.start + time, view.end + time);

function scrollTo(y) {
  scroll = Math.max(0, Math.min(y, laneEnd - height));
  draw();
}

/** Selects a span and moves it into view, `share` of the view wide. */
function jump(span, share) {
  selected = span;
  const center = (span.start + span.end) / 2;
  const length = share ? Math.max((span.end - span.start) / share, 2000) : view.end - view.start;
  const y = yOf(span);
  if (y < axisHeight || y + rowHeight > height) scrollTo(scroll + y - height / 2);
  show(center - length / 2, center + length / 2);
}

// MARK: Text

function time(ns) {
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
  const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
  const value = ns / size;
  const digits = unit === "ns" || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function nameOf(kind) {
  const [name, category] = data.kinds[kind];
  return !category || category === name ? name : `${category} ${name}`;
}

/** Why a span ran: the first point of an arrow that ends or passes in it. */
function causeOf(span) {
  for (const arrow of span.arrows) {
    const place = arrow.findIndex((point) => point.span === span);
    if (place < 1) continue;
    const from = arrow[place - 1];
    const name = from.span ? nameOf(from.span.kind) : "code";
    const begin = place > 1 && from.span ? from.span.end : from.time;
    const waited = time(Math.max(arrow[place].time - begin, 0));
    return `cause: ${name} on ${threads[from.thread].name}, ${waited} before`;
  }
  return "";
}

function describe(span) {
  return [
    nameOf(span.kind), `start ${time(span.start)}, duration ${time(span.end - span.start)}`,
    `on ${threads[span.thread].name}`, causeOf(span),
  ].filter(Boolean).join("\n");
}

function fit(text, room) {
  if (context.measureText(text).width <= room) return text;
  const count = Math.floor(text.length * (room - 10) / context.measureText(text).width);
  return count > 2 ? text.slice(0, count) + "…" : "";
}

// MARK: Pointer

function spanAt(x, y) {
  if (x < labelWidth || y < axisHeight) return null;
  const lane = lanes.find((lane) => lane.thread && y + scroll >= lane.top + lane.room
    && y + scroll < lane.top + lane.height);
  const row = lane?.thread.rows[Math.floor((y + scroll - lane.top - lane.room) / rowHeight)];
  if (!row) return null;
  const at = timeOf(x), reach = 2 / scale();
  const index = firstIndex(row, (span) => span.end >= at);
  const near = [row[index], row[index - 1]].filter(Boolean);
  const distance = (span) => Math.max(span.start - at, at - span.end, 0);
  near.sort((a, b) => distance(a) - distance(b));
  return near[0] && distance(near[0]) <= reach ? near[0] : null;
}

function point(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left - 1, event.clientY - box.top - 1];
}

let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  drag = { x: event.clientX, y: event.clientY, start: view.start, end: view.end, scroll, far: 0 };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (drag) {
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.far = Math.max(drag.far, Math.abs(dx), Math.abs(dy));
    if (drag.far < 3) return;
    scrollTo(drag.scroll - dy);
    show(drag.start - dx / scale(), drag.end - dx / scale());
  }
  const span = drag ? null : spanAt(...point(event));
  if (span !== hovered) draw();
  hovered = span;
  tip.hidden = !span;
  if (!span) return;
  tip.textContent = describe(span);
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  const below = event.clientY + 18;
  const isHigh = below + tip.offsetHeight > innerHeight;
  tip.style.top = `${isHigh ? event.clientY - tip.offsetHeight - 10 : below}px`;
});
canvas.addEventListener("pointerup", (event) => {
  if (drag && drag.far < 3) { selected = spanAt(...point(event)); draw(); }
  drag = null;
});
canvas.addEventListener("pointerleave", () => { hovered = null; tip.hidden = true; draw(); });
canvas.addEventListener("dblclick", (event) => {
  const span = spanAt(...point(event));
  if (span) jump(span, 0.8);
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.shiftKey) return scrollTo(scroll + (event.deltaY || event.deltaX));
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return move(event.deltaX / scale());
  const pixels = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
  zoom(1.0015 ** pixels, timeOf(point(event)[0]));
}, { passive: false });

// MARK: Keys and search

const keys = {
  "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6),
  "0": () => show(whole.start, whole.end),
  ArrowLeft: () => move((view.start - view.end) / 8),
  ArrowRight: () => move((view.end - view.start) / 8),
  ArrowUp: () => scrollTo(scroll - rowHeight * 3),
  ArrowDown: () => scrollTo(scroll + rowHeight * 3),
  "/": () => byId("search").focus(), Escape: () => { selected = null; draw(); },
};
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.tagName === "INPUT";
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
byId("in").onclick = keys["+"];
byId("out").onclick = keys["-"];
byId("all").onclick = keys["0"];

const search = byId("search");
search.addEventListener("input", () => {
  const text = search.value.toLowerCase();
  const isMatch = data.kinds.map((_, kind) => nameOf(kind).toLowerCase().includes(text));
  found = text ? allSpans.filter((span) => isMatch[span.kind]) : [];
  foundRows = text ? new Map() : null;
  for (const span of found) {
    const row = threads[span.thread].rows[span.depth];
    if (!foundRows.has(row)) foundRows.set(row, []);
    foundRows.get(row).push(span);
  }
  current = -1;
  byId("found").value = text ? counted(found.length, "span") : "";
  draw();
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    search.value = "";
    search.dispatchEvent(new Event("input"));
    canvas.focus();
  }
  if (event.key !== "Enter" || found.length === 0) return;
  const step = event.shiftKey ? found.length - 1 : 1;
  current = (Math.max(current, event.shiftKey ? 0 : -1) + step) % found.length;
  jump(found[current], 0.1);
  byId("found").value = `${current + 1} of ${counted(found.length, "span")}`;
});

// MARK: Tables

function fillTable(id, titles, words, rows) {
  const table = byId(id);
  const addRow = (parent, cells, tag) => {
    const row = parent.insertRow();
    cells.forEach((text, column) => {
      const cell = row.appendChild(document.createElement(tag));
      cell.textContent = cell.title = text;
      if (words.includes(column)) cell.className = "word";
    });
    return row;
  };
  addRow(table.createTHead(), titles, "th");
  const body = table.createTBody();
  for (const { cells, span } of rows) {
    const row = addRow(body, cells, "td");
    row.tabIndex = 0;
    row.onclick = () => { jump(span, 0.6); canvas.scrollIntoView({ block: "nearest" }); };
    row.onkeydown = (event) => { if (event.key === "Enter") row.onclick(); };
  }
}

byId("ticks-title").textContent = data.hasTicks ? "Longest ticks" : "Longest spans";
const tickTitles = ["at", data.hasTicks ? "tick" : "span", "longest piece of work", "its time", "thread"];
fillTable("ticks", tickTitles, [2, 4], data.ticks.map(([thread, index, culprit, own]) => {
  const { spans, name } = threads[thread], span = spans[index];
  const itself = data.hasTicks ? "" : nameOf(span.kind);
  const [piece, longest] = culprit >= 0 ? [nameOf(spans[culprit].kind), time(own)] : [itself, ""];
  return { span, cells: [time(span.start), time(span.end - span.start), piece, longest, name] };
}));
fillTable("work", ["work", "total", "count", "mean", "longest"], [0],
  data.work.map(([kind, count, total, longest, thread, index]) => ({
    span: threads[thread].spans[index],
    cells: [nameOf(kind), time(total), `${count}`, time(total / count), time(longest)],
  })));
byId("facts").textContent = [
  counted(threads.length, "thread"), counted(data.tickCount, "tick"),
  counted(allSpans.length, "span"), time(last - first),
  ...data.notes,
].join(" · ");

// MARK: Size

function resize() {
  height = Math.min(laneEnd, Math.max(innerHeight * 0.62, 200));
  canvas.style.height = `${height}px`;
  width = canvas.clientWidth;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  scrollTo(scroll);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); draw(); });
addEventListener("resize", resize);
readColors();
resize();
