// Runs at the end of a page of `loopbench watch --html`. Each failed check is a console
// message, which oracles.py reports.
const check = (holds, text) => { if (!holds) console.error(`watch page: ${text}`); };
const press = (key) =>
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

const bars = [...document.querySelectorAll(".lane a")];
check(bars.length >= 3, `there are ${bars.length} bars`);
check(bars.every((bar) => document.querySelector(bar.getAttribute("href"))), "a bar leads nowhere");
bars[0].focus();
press("ArrowRight");
check(document.activeElement === bars[1], "the right arrow does not reach the next bar");
bars[1].click();
const details = document.querySelector(bars[1].getAttribute("href"));
check(details.open, "a click on a bar does not open the hold");

const flames = document.querySelector(".flames");
const frames = [...flames.querySelectorAll("button")];
frames[0].focus();
press("ArrowDown");
const frame = document.activeElement;
check(frame !== frames[0] && frames.includes(frame), "the down arrow does not reach a function");
frame.click();
check(frame.style.width === "100%", `a click zooms to ${frame.style.width}`);
check(flames.previousElementSibling.value === frame.title, "the focused function is not named");
press("Escape");
check(frames.every((one) => !one.hidden), "Escape does not show the whole graph");
check(document.querySelectorAll("[tabindex='0']").length < bars.length + frames.length,
  "every bar and function is reached by Tab");
document.activeElement.blur();
check(document.documentElement.scrollWidth <= innerWidth, "the page is wider than the window");
details.open = false;
scrollTo(0, 0);
