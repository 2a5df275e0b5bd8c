// Runs at the end of a page of `loopbench trace`. Each failed check is a console message,
// which oracles.py reports.
const check = (holds, text) => { if (!holds) console.error(`timeline: ${text}`); };
const near = (a, b) => Math.abs(a - b) <= 1e-6 * (whole.end - whole.start);
const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));

// A paint draws at most a few rectangles per pixel, however many spans there are.
let rectangles = 0;
const fillRect = context.fillRect;
context.fillRect = (...box) => { rectangles += 1; fillRect.apply(context, box); };
paint();
delete context.fillRect;
const rows = threads.reduce((sum, thread) => sum + thread.rows.length, 0);
check(allSpans.length > 100000, `the trace has only ${allSpans.length} spans`);
check(rectangles > 100, `a paint drew ${rectangles} rectangles`);
check(rectangles < rows * width * 2, `a paint drew ${rectangles} rectangles in ${rows} rows`);

const box = canvas.getBoundingClientRect();
const x = 500, before = timeOf(x - 1);
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -800, clientX: box.left + x, cancelable: true }));
check(view.end - view.start < (whole.end - whole.start) / 2, "the wheel does not zoom in");
check(near(timeOf(x - 1), before), "the wheel moves the time under the pointer");
const start = view.start;
key("ArrowRight");
check(view.start > start, "the right arrow does not move");
key("0");
check(near(view.start, whole.start) && near(view.end, whole.end), "0 does not show the whole trace");

const [thread, index] = data.ticks[0];
document.querySelector("#ticks tbody tr").click();
const tick = threads[thread].spans[index];
check(selected === tick, "a click on the longest tick does not select it");
const middle = (xOf(tick.start) + xOf(tick.end)) / 2;
check(spanAt(middle, yOf(tick) + 4) === tick, "the tick is not where it is drawn");
check(describe(tick).includes("duration"), `the tooltip is ${describe(tick)}`);

search.value = "TICK";
search.dispatchEvent(new Event("input"));
check(found.length >= data.tickCount, `the search found ${found.length} of ${data.tickCount} ticks`);
for (let count = 0; count < 2; count++) {
  search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
}
check(selected === found[1], "Enter does not show the next span");
search.value = "";
search.dispatchEvent(new Event("input"));
check(found.length === 0 && foundRows === null, "an empty search finds spans");
