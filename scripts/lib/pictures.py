"""usage: python3 scripts/lib/pictures.py [--check]

Draws the pictures of the concept pages as SVG, into the catalog of LoopTransactions:
NAME.svg, and NAME~dark.svg for the dark appearance. They are beside the articles, not in
a folder, because only then docc and a reader of the files find them by one name.

  --check  write nothing; fail if a picture differs

exit: 0 done · 1 a picture differs · 2 usage error
"""
import pathlib
import sys
from html import escape

FOLDER = pathlib.Path("Sources/LoopTransactions/LoopTransactions.docc")
LIGHT = {
    "paper": "#ffffff", "ink": "#1d1d1f", "dim": "#6e6e73", "line": "#86868b",
    "blue": "#d6e6fb", "green": "#d9f2dc", "orange": "#fde6cc", "grey": "#ececf0",
    "red": "#fbd9d9",
}
DARK = {
    "paper": "#000000", "ink": "#f5f5f7", "dim": "#a1a1a6", "line": "#86868b",
    "blue": "#16365f", "green": "#1c4526", "orange": "#5a3a10", "grey": "#2c2c30",
    "red": "#5c2020",
}


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def box(self, x, y, width, height, fill, text="", size=14, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" '
            f'fill="{{{fill}}}" stroke="{{line}}"{dash}/>'
        )
        for index, line in enumerate(text.split("\n") if text else []):
            count = text.count("\n")
            middle = y + height / 2 + (index - count / 2) * (size + 4) + size * 0.35
            self.text(x + width / 2, middle, line, size=size, anchor="middle")

    def text(self, x, y, text, size=14, anchor="start", ink="ink", bold=False):
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{{{ink}}}"{weight}>{escape(text)}</text>'
        )

    def arrow(self, *points):
        """A line with a head. Not a marker: docc would take its id for the picture's."""
        (x0, y0), (x, y) = points[-2:]
        length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
        dx, dy = (x - x0) / length, (y - y0) / length
        path = "M" + " L".join(f"{px},{py}" for px, py in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{{line}}" stroke-width="1.5"/>')
        corners = [(x, y), (x - 9 * dx - 4 * dy, y - 9 * dy + 4 * dx),
                   (x - 9 * dx + 4 * dy, y - 9 * dy - 4 * dx)]
        text = " ".join(f"{cx:.1f},{cy:.1f}" for cx, cy in corners)
        self.parts.append(f'<polygon points="{text}" fill="{{line}}"/>')

    def svg(self, colours):
        text = "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" '
            'font-family="-apple-system, Helvetica, Arial, sans-serif">',
            f"<title>{escape(self.title)}</title>",
            f'<rect width="{self.width}" height="{self.height}" fill="{{paper}}"/>',
            *self.parts,
            "</svg>\n",
        ])
        for name, value in colours.items():
            text = text.replace("{" + name + "}", value)
        return text


def tick():
    p = Picture(860, 400, "The order of one tick")
    p.text(20, 30, "run()", bold=True)
    p.text(70, 30, "entry observers first, exit observers last", ink="dim")
    left = [("timers", "due timers", "grey", 20, 100), ("beforeWaiting", "", "blue", 140, 300),
            ("poll", "waits for events\nand calls back", "green", 460, 130),
            ("afterWaiting", "observers,\none idle block", "blue", 610, 120),
            ("closing", "closed\nhandles", "grey", 750, 90)]
    for name, inside, fill, x, width in left:
        p.box(x, 60, width, 250, fill)
        p.text(x + width / 2, 84, name, anchor="middle", bold=True)
        for index, line in enumerate(inside.split("\n") if inside else []):
            p.text(x + width / 2, 180 + 20 * index, line, anchor="middle", ink="dim", size=13)
    rows = [("", "posts"), ("0", "queues: a batch"), ("2,000,000", "display commits"),
            ("0xFFFFFF", "transactions: once each"), ("0x1000000", "connections send"),
            ("Int.max", "transaction groups")]
    for index, (order, text) in enumerate(rows):
        y = 98 + 34 * index
        p.box(150, y, 280, 28, "paper", size=13)
        p.text(228, y + 19, order, anchor="end", size=12, ink="dim")
        p.text(240, y + 19, text, size=13)
    for start, end in [(120, 138), (440, 458), (590, 608), (730, 748)]:
        p.arrow((start, 185), (end, 185))
    p.arrow((795, 312), (795, 350), (70, 350), (70, 314))
    p.text(430, 343, "the next tick", anchor="middle", ink="dim", size=13)
    p.text(430, 378, "The poll does not block while work is pending, so no commit waits for an event.",
           anchor="middle", size=13)
    return p


def budget():
    p = Picture(860, 300, "A tick's budget")
    for index in range(3):
        x = 30 + 275 * index
        p.text(x, 36, f"tick {index + 1}", bold=True)
        p.box(x, 50, 180, 110, "grey", dashed=True)
        p.text(x + 176, 178, "budget: 4 ms", anchor="end", ink="dim", size=12)
        p.box(x + 222, 50, 40, 110, "green", "poll", size=13)
    for x, width, text in [(34, 54, "1"), (92, 54, "2"), (150, 94, "3"), (309, 54, "4"),
                           (367, 54, "5"), (425, 54, "6"), (584, 54, "7")]:
        p.box(x, 84, width, 50, "orange" if text == "3" else "blue", text)
    p.text(30, 210, "Piece 3 begins within the budget and is finished: each consumer exceeds it by at most one piece.",
           size=13)
    p.text(30, 234, "Pieces 4 to 7 are carried over. The poll in between does not block, and serves ready events.",
           size=13)
    p.text(30, 258, "Posts, queues, transactions and observers with pending work share the budget; each gets at least one piece.",
           size=13)
    p.arrow((292, 70), (304, 70))
    p.arrow((567, 70), (579, 70))
    return p


def coalescing():
    p = Picture(860, 300, "Coalescing of commits")
    p.text(30, 36, "callbacks of one tick", bold=True)
    p.text(360, 36, "pending set", bold=True)
    p.text(610, 36, "beforeWaiting", bold=True)
    commits = [("label, layout", "blue"), ("list, reload", "green"), ("label, layout", "blue"),
               ("label, layout", "blue")]
    for index, (text, fill) in enumerate(commits):
        y = 56 + 46 * index
        p.box(30, y, 190, 34, fill, f"commit({text})", size=13)
        p.arrow((222, y + 17), (352, 90 if "label" in text else 160))
    p.box(360, 70, 170, 40, "blue", "label, layout")
    p.box(360, 140, 170, 40, "green", "list, reload")
    p.box(610, 70, 210, 40, "blue", "layout(label), once")
    p.box(610, 140, 210, 40, "green", "reload(list), once")
    p.arrow((532, 90), (608, 90))
    p.arrow((532, 160), (608, 160))
    p.arrow((715, 112), (715, 138))
    p.text(30, 262, "A pair of target and selector is pending once. It keeps the position of its first commit.",
           size=13)
    p.text(30, 284, "A commit during the flush is performed in the next tick.", size=13)
    return p


def priority():
    p = Picture(860, 320, "How workers pick operations")
    p.text(30, 36, "queued operations", bold=True)
    p.text(610, 36, "workers", bold=True)
    levels = [("interactive", 96, "red", ["9"]), ("high", 64, "orange", ["5", "8"]),
              ("normal", 0, "blue", ["2", "4", "7"]), ("background", -64, "grey", ["1", "3", "6"])]
    for row, (name, level, fill, operations) in enumerate(levels):
        y = 56 + 52 * row
        p.text(30, y + 25, name)
        p.text(170, y + 25, str(level), anchor="end", ink="dim", size=12)
        for index, number in enumerate(operations):
            p.box(190 + 70 * index, y, 56, 38, fill, number)
    for index, text in enumerate(["9", "5", "8"]):
        p.box(610, 56 + 52 * index, 120, 38, "green", f"runs {text}")
    p.box(610, 212, 120, 38, "green", "runs 1")
    p.text(742, 132, "highest priority,", ink="dim", size=12)
    p.text(742, 148, "then oldest", ink="dim", size=12)
    p.text(742, 228, "aging slot:", ink="dim", size=12)
    p.text(742, 244, "the oldest of all", ink="dim", size=12)
    p.arrow((250, 75), (606, 75))
    p.arrow((320, 127), (606, 127))
    p.arrow((218, 252), (218, 264), (670, 264), (670, 252))
    p.text(30, 294, "The numbers are the order in which the operations were added. setPriority moves a queued one in",
           size=13)
    p.text(30, 312, "constant time. The aging slot lets no operation starve.", size=13)
    return p


def threads():
    p = Picture(860, 330, "The threads of a program")
    p.box(30, 50, 230, 190, "grey")
    p.text(145, 76, "any thread", anchor="middle", bold=True)
    for index, text in enumerate(["port.post { … }", "PortTransaction.commit()", "queue.enqueue(…)"]):
        p.box(45, 96 + 46 * index, 200, 34, "paper", text, size=13)
    p.box(350, 50, 230, 190, "blue")
    p.text(465, 76, "the loop's thread", anchor="middle", bold=True)
    for index, text in enumerate(["posts, timers, observers", "actions, queue handlers", "completions"]):
        p.box(365, 96 + 46 * index, 200, 34, "paper", text, size=13)
    p.box(670, 50, 160, 190, "green")
    p.text(750, 76, "workers", anchor="middle", bold=True)
    p.box(685, 96, 130, 34, "paper", "operation bodies", size=13)
    p.arrow((262, 145), (348, 145))
    p.text(305, 135, "inbox", anchor="middle", ink="dim", size=12)
    p.arrow((582, 113), (668, 113))
    p.text(625, 103, "add", anchor="middle", ink="dim", size=12)
    p.arrow((668, 205), (582, 205))
    p.text(625, 195, "results", anchor="middle", ink="dim", size=12)
    p.text(30, 276, "A loop, its timers, its observers and its transactions belong to the loop's thread. A call from another thread traps.",
           size=13)
    p.text(30, 300, "A burst of posts wakes a sleeping loop once. The results of a transaction arrive together.", size=13)
    return p


def actors():
    p = Picture(860, 250, "A call of an actor that is pinned to a loop")
    for x, title, fill, call, back in [
        (30, "a task on Swift's threads", "grey", "wakes the loop", "wakes a thread of Swift"),
        (450, "a task that prefers the port", "blue", "a post", "a post"),
    ]:
        p.text(x, 36, title, bold=True)
        p.box(x, 56, 110, 110, fill, "await\nsession\n.receive(…)", size=13)
        p.box(x + 270, 56, 110, 110, "blue", "the actor,\non the loop's\nthread", size=13)
        p.arrow((x + 112, 88), (x + 268, 88))
        p.text(x + 190, 78, call, anchor="middle", ink="dim", size=12)
        p.arrow((x + 268, 138), (x + 112, 138))
        p.text(x + 190, 156, back, anchor="middle", ink="dim", size=12)
    p.text(30, 206, "Each call is one job for the actor and one job for the task that continues.", size=13)
    p.text(30, 230, "On the loop's own thread, both jobs run within a tick and wake no thread.", size=13)
    return p


def turns():
    p = Picture(860, 350, "A loop that a host runs in turns")
    p.text(30, 36, "the host's thread", bold=True)
    steps = [(30, 200, "green", "the host waits\nfor pollDescriptor,\nat most nextTimeout"),
             (290, 220, "blue", "turn()\nmakes one tick\nof the loop"),
             (570, 260, "grey", "the host handles\nits own events")]
    for x, width, fill, text in steps:
        p.box(x, 56, width, 90, fill, text, size=13)
    p.arrow((232, 100), (288, 100))
    p.arrow((512, 100), (568, 100))
    p.arrow((700, 148), (700, 172), (130, 172), (130, 150))
    p.text(560, 190, "the next wait", anchor="middle", ink="dim", size=12)
    p.box(30, 220, 200, 50, "paper", "another thread posts", size=13)
    p.arrow((60, 218), (60, 150))
    p.text(68, 210, "makes the descriptor readable", ink="dim", size=12)
    p.box(570, 220, 260, 50, "paper", "a callback of the host commits", size=13)
    p.arrow((568, 245), (500, 245))
    p.box(290, 220, 208, 50, "orange", "onChange: schedule a turn", size=13)
    p.arrow((400, 218), (400, 150))
    p.text(30, 306, "A commit between two turns makes a turn due earlier. A turn observes the loop's budget: if work is left,",
           size=13)
    p.text(30, 330, "nextTimeout is zero. A host that asks for nextTimeout before each wait needs no onChange.", size=13)
    return p


PICTURES = {"tick": tick, "budget": budget, "coalescing": coalescing, "priority": priority,
            "threads": threads, "actors": actors, "turns": turns}


def main(check):
    differing = []
    for name, draw in PICTURES.items():
        picture = draw()
        for suffix, colours in (("", LIGHT), ("~dark", DARK)):
            path, text = FOLDER / f"{name}{suffix}.svg", picture.svg(colours)
            if check:
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    differing.append(path)
            else:
                path.write_text(text, encoding="utf-8")
    for path in differing:
        print(f"{path}: differs from scripts/lib/pictures.py; run it")
    return 1 if differing else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(print(__doc__) or 2)
    sys.exit(main(bool(sys.argv[1:])))
