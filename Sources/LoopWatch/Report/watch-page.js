"use strict";
// Local times, zooming into flame graphs, and arrow keys. The page is readable without.

for (const time of document.querySelectorAll("time")) {
  const date = new Date(time.dateTime);
  if (!isNaN(date)) time.textContent = date.toLocaleString();
}

/** Moves the focus within `items`, of which one is reached by the Tab key. */
function focusOn(items, item) {
  if (!item) return;
  for (const other of items) other.tabIndex = other === item ? 0 : -1;
  item.focus();
}

for (const lane of document.querySelectorAll(".lane")) {
  const bars = [...lane.querySelectorAll("a")];
  lane.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    focusOn(bars, bars[bars.indexOf(document.activeElement) + step]);
  });
  lane.addEventListener("click", (event) => {
    const details = document.querySelector(event.target.closest("a")?.getAttribute("href"));
    if (!details) return;
    details.open = true;
    details.querySelector("summary").focus();
  });
}

for (const flames of document.querySelectorAll(".flames")) {
  const output = flames.previousElementSibling;
  const frames = [...flames.querySelectorAll("button")].map((button) => {
    const left = parseFloat(button.style.left), width = parseFloat(button.style.width);
    const row = parseInt(button.style.top.replace(/\D+/, ""));
    return { button, left, width, row, end: left + width };
  });
  const buttons = frames.map(({ button }) => button);
  const isWithin = (inner, outer) => inner.left >= outer.left - 1e-3 && inner.end <= outer.end + 1e-3;
  const isShown = ({ button }) => !button.hidden;
  let zoomed = frames[0];

  function zoom(to) {
    zoomed = to;
    for (const frame of frames) {
      const isOuter = frame.row <= to.row && isWithin(to, frame);
      frame.button.hidden = !isOuter && !(frame.row > to.row && isWithin(frame, to));
      const left = isOuter ? 0 : (frame.left - to.left) / to.width * 100;
      const width = isOuter ? 100 : frame.width / to.width * 100;
      frame.button.style.left = `${left}%`;
      frame.button.style.width = `${width}%`;
      // 24 pixels: less has no room for a word.
      frame.button.classList.toggle("thin", width / 100 * flames.clientWidth < 24);
    }
  }
  zoom(zoomed);
  addEventListener("resize", () => zoom(zoomed));

  /** The frame that an arrow key leads to. */
  function next(from, key) {
    const shown = frames.filter(isShown);
    switch (key) {
      case "ArrowUp": return shown.find((one) => one.row === from.row - 1 && isWithin(from, one));
      case "ArrowDown": return shown.find((one) => one.row === from.row + 1 && isWithin(one, from));
      case "ArrowLeft": return shown.findLast((one) => one.row === from.row && one.left < from.left);
      case "ArrowRight": return shown.find((one) => one.row === from.row && one.left > from.left);
    }
  }

  const frameOf = (event) => frames[buttons.indexOf(event.target)];
  flames.addEventListener("click", (event) => {
    if (frameOf(event)) zoom(frameOf(event));
  });
  // Some browsers do not focus a button that is clicked.
  for (const type of ["click", "focusin", "mouseover"]) {
    flames.addEventListener(type, (event) => {
      if (frameOf(event)) output.value = event.target.title;
    });
  }
  flames.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return zoom(frames[0]);
    if (!event.key.startsWith("Arrow") || !frameOf(event)) return;
    event.preventDefault();
    focusOn(buttons, next(frameOf(event), event.key)?.button);
  });
}
