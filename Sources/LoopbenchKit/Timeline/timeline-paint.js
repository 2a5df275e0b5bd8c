// Paints the lanes. Uses the model and the view of timeline.js.

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "text", "dim", "line", "lane", "match", "mark", "arrow", "tick",
    "span-light", "span-text"]) colors[name] = style.getPropertyValue(`--${name}`).trim();
  // 137.5 degrees: the golden angle, which gives neighbours different hues.
  colors.kinds = data.kinds.map(([name], number) => {
    return name === "tick" ? colors.tick : `hsl(${number * 137.5 % 360} 60% ${colors["span-light"]})`;
  });
}

/** Paints at the next frame, once. */
function draw() {
  if (!isDrawing) requestAnimationFrame(paint);
  isDrawing = true;
}

function paint() {
  isDrawing = false;
  context.clearRect(0, 0, width, height);
  context.font = font;
  context.textBaseline = "middle";
  for (const lane of lanes) {
    const y = lane.top - scroll;
    if (y + lane.height < axisHeight || y > height) continue;
    context.fillStyle = colors.lane;
    context.fillRect(labelWidth, y, width, lane.height);
    if (lane.thread) paintThread(lane, y); else paintCounter(lane.counter, y);
  }
  for (const span of new Set([selected, hovered])) if (span) paintSelection(span);
  paintLabels();
  paintAxis();
}

function paintThread(lane, y) {
  lane.thread.rows.forEach((row, depth) => {
    const top = y + lane.room + depth * rowHeight;
    context.globalAlpha = foundRows ? 0.3 : 1;
    paintRow(row, top, (span) => colors.kinds[span.kind]);
    context.globalAlpha = 1;
    const marked = foundRows?.get(row);
    if (marked) paintRow(marked, top, (span) => colors.kinds[span.kind], colors.match);
  });
  let free = labelWidth;
  for (const mark of lane.thread.marks) {
    const x = xOf(mark.time);
    if (x < labelWidth || x > width) continue;
    context.fillStyle = colors.mark;
    context.fillRect(x, y, 1, lane.height);
    if (x + 3 < free) continue;
    context.fillText(mark.name, x + 3, y + 7);
    free = x + 9 + context.measureText(mark.name).width;
  }
}

// Draws one bar per pixel for spans that are thinner, and skips the others there.
function paintRow(row, y, color, border) {
  let index = firstIndex(row, (span) => span.end >= view.start);
  while (index < row.length && row[index].start <= view.end) {
    const span = row[index];
    const left = Math.max(xOf(span.start), labelWidth - 1);
    const right = Math.min(xOf(span.end), width + 1);
    const size = Math.max(right - left - (right - left > 4 ? 0.5 : 0), 1);
    context.fillStyle = border && size < 4 ? border : color(span);
    context.fillRect(left, y, size, rowHeight - 2);
    if (border && size >= 4) {
      context.strokeStyle = border;
      context.lineWidth = 2;
      context.strokeRect(left + 1, y + 1, size - 2, rowHeight - 4);
    }
    if (size > 26) {
      context.fillStyle = colors["span-text"];
      context.fillText(fit(data.kinds[span.kind][0], size - 6), left + 3, y + rowHeight / 2 - 1);
    }
    index += 1;
    if (size > 1) continue;
    const end = timeOf(left + 1);
    if (row[index] && row[index].end < end) index = firstIndex(row, (span) => span.end >= end);
  }
}

function paintCounter(counter, y) {
  const most = Math.max(1, ...counter.graphs.map((graph) => graph.most));
  counter.graphs.forEach(({ name, values, most: own }, number) => {
    const level = (value) => y + counterHeight - 2 - value / most * (counterHeight - 16);
    let index = Math.max(firstIndex(counter.times, (time) => time >= view.start) - 1, 0);
    context.strokeStyle = context.fillStyle = number === 0 ? colors.arrow : colors.mark;
    context.lineWidth = 1.5;
    context.setLineDash(number === 0 ? [] : [4, 3]);
    context.beginPath();
    let height = level(values[index]);
    context.moveTo(Math.max(xOf(counter.times[index]), labelWidth), height);
    for (index += 1; index < values.length && counter.times[index] <= view.end; index++) {
      const x = xOf(counter.times[index]);
      context.lineTo(x, height);
      height = level(values[index]);
      context.lineTo(x, height);
    }
    context.lineTo(index < values.length ? width : xOf(counter.times.at(-1)), height);
    context.stroke();
    context.setLineDash([]);
    context.fillText(`${name} ≤ ${own}`, labelWidth + 6 + number * 110, y + 7);
  });
}

function paintSelection(span) {
  const x = xOf(span.start), y = yOf(span);
  context.strokeStyle = colors.text;
  context.lineWidth = 2;
  context.strokeRect(x, y, Math.max(xOf(span.end) - x, 2), rowHeight - 2);
  for (const arrow of span.arrows) {
    for (let index = 1; index < arrow.length; index++) {
      paintArrow(arrow[index - 1], arrow[index], index > 1);
    }
  }
}

function paintArrow(from, to, isStep) {
  if (!from.span || !to.span) return;
  // A step is work that causes more when it ends.
  const [x1, x2] = [xOf(isStep ? from.span.end : from.time), xOf(to.time)];
  const [y1, y2] = [yOf(from.span) + rowHeight / 2, yOf(to.span) + rowHeight / 2];
  const bend = Math.max(Math.min((x2 - x1) / 2, 80), 20);
  context.strokeStyle = context.fillStyle = colors.arrow;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 6, y2);
  context.stroke();
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 8, y2 - 4);
  context.lineTo(x2 - 8, y2 + 4);
  context.fill();
}

function paintLabels() {
  context.fillStyle = colors.back;
  context.fillRect(0, 0, labelWidth - 1, height);
  for (const lane of lanes) {
    const y = lane.top - scroll;
    context.fillStyle = lane.thread ? colors.text : colors.dim;
    context.fillText(fit(lane.title, labelWidth - 14), 8, y + (lane.room ?? 0) + rowHeight / 2);
  }
}

function paintAxis() {
  context.fillStyle = colors.back;
  context.fillRect(0, 0, width, axisHeight - 2);
  const least = 110 / scale();
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((size) => size >= least));
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find(([size]) =>
    Math.max(Math.abs(view.start), Math.abs(view.end)) >= size) ?? [1, "ns"];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  for (let at = Math.ceil(view.start / step) * step; at <= view.end; at += step) {
    const x = xOf(at);
    context.fillStyle = colors.dim;
    context.fillText(`${((at || 0) / size).toFixed(digits)} ${unit}`, x + 4, axisHeight / 2);
    context.globalAlpha = 0.35;
    context.fillRect(x, 0, 1, height);
    context.globalAlpha = 1;
  }
  context.fillRect(0, axisHeight - 3, width, 1);
}
