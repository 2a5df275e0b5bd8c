"""usage: python3 scripts/lib/figures.py COLUMNS <TEXT >SVG
       python3 scripts/lib/figures.py --insert TEXT DOCUMENT…

Draws the output of a terminal, with its colours, as an SVG picture. It follows the
reader's light or dark colour scheme. With --insert, puts the text into each document
instead, between the lines <!-- loopbench --> and <!-- /loopbench -->.
"""
import re
import sys

CELL, LINE, MARGIN = 8.4, 18, 12
COLOURS = {"31": "bad", "32": "good", "33": "unsure"}
STYLE = """<style>
svg { color-scheme: light dark }
text { font: 14px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #222; white-space: pre }
rect { fill: #222 } rect.paper { fill: #fff }
text.good { fill: #1a7f37 } text.bad { fill: #c8342b } text.unsure { fill: #9a6700 }
@media (prefers-color-scheme: dark) {
text, rect { fill: #ddd } rect.paper { fill: #16181c }
text.good { fill: #4ac26b } text.bad { fill: #ff6a5e } text.unsure { fill: #d4a72c }
}
</style>"""
# Parts of bars are drawn, because fonts disagree about their size: the left edge and
# the width, as shares of a cell.
BARS = {"█": (0, 1), "▐": (0.5, 0.5), "▌": (0, 0.5), "│": (0.44, 0.12)}


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def runs(line):
    """Yields (column, class, text) for each piece of `line` without a gap or a change of
    colour."""
    column, colour = 0, ""
    for part in re.split(r"(\x1b\[\d+m)", line):
        code = re.fullmatch(r"\x1b\[(\d+)m", part)
        if code:
            colour = COLOURS.get(code[1], "")
            continue
        for match in re.finditer(r"\S+( \S+)*", part):
            yield column + match.start(), colour, match[0]
        column += len(part)


def elements(line, top):
    for column, colour, text in runs(line):
        # A bar may touch words only through a gap, so a run is either.
        if any(sign in BARS for sign in text):
            for index, sign in enumerate(text):
                if sign in BARS:
                    left, width = BARS[sign]
                    x = MARGIN + (column + index + left) * CELL
                    yield (f'<rect x="{x:.1f}" y="{top + 2}" width="{width * CELL:.1f}" '
                           f'height="{LINE - 4}"/>')
            text = "".join(" " if sign in BARS else sign for sign in text)
            if not text.strip():
                continue
        name = f' class="{colour}"' if colour else ""
        yield (f'<text{name} x="{MARGIN + column * CELL:.1f}" y="{top + 13}" '
               f'textLength="{len(text) * CELL:.1f}">{escaped(text)}</text>')


def picture(text, columns):
    lines = text.rstrip("\n").split("\n")
    width, height = round(columns * CELL) + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    plain = re.sub(r"\x1b\[\d+m", "", lines[0]).strip()
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'width="{width}" height="{height}" role="img">')
    yield f"<title>{escaped(re.split(r'  +', plain)[0])}</title>"
    yield STYLE
    # Not a background of the svg element, which some viewers ignore.
    yield f'<rect class="paper" width="{width}" height="{height}"/>'
    for number, line in enumerate(lines):
        yield from elements(line, MARGIN + number * LINE)
    yield "</svg>"


BLOCKS = {
    "--insert": ("loopbench", "```console\n$ scripts/loopbench compare-libuv\n{}```\n"),
}


def insert(kind, text, document):
    name, block = BLOCKS[kind]
    with open(document, encoding="utf-8") as file:
        old = file.read()
    block = f"<!-- {name} -->\n{block.format(text)}<!-- /{name} -->"
    new, count = re.subn(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _: block, old,
                         flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{document}: {count} places for the text, not one")
    with open(document, "w", encoding="utf-8") as file:
        file.write(new)


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] in BLOCKS:
        with open(sys.argv[2], encoding="utf-8") as file:
            screen = file.read()
        for document in sys.argv[3:]:
            insert(sys.argv[1], screen, document)
    elif len(sys.argv) == 2 and sys.argv[1].isdigit():
        print("\n".join(picture(sys.stdin.read(), int(sys.argv[1]))))
    else:
        sys.exit(__doc__)
