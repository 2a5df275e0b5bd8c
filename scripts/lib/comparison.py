"""usage: python3 scripts/lib/comparison.py [--self-test]

Compares the figures of the page Comparison, and of the README's section about costs, with
the documents that they are copied from. A figure is a number with its unit (76.7 ns, 1.01×, 55 %) or a count without one (2,479),
outside of `code`. The last table of the section about SwiftNIO is left out: its programs
are not part of this repository.

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import re
import sys

# The pages, each with the heading of the only section that has figures, or None.
PAGES = {
    "Sources/LoopTransactions/LoopTransactions.docc/Comparison.md": None,
    "README.md": "## Costs",
}
SOURCES = (
    "docs/performance.md", "docs/loopbench.md", "Hosts/README.md", "Display/docs/frames.md",
)
# Not a part of a name or a version, such as HTTP/2 or 2.101.3.
FIGURE = re.compile(r"(?<![\w.,/])(\d+(?:,\d{3})*(?:\.\d+)?)( (?:ns|µs|ms|%)(?!\w)|×|(?![\w/]|\.\d))")
CODE = re.compile(r"``?[^`]*``?")
# From here to the next heading the figures have another source.
ELSEWHERE = "The programs are not part of this repository"


def figures(line, plain=False):
    """The figures of a line; with `plain`, also each number without its unit."""
    for number, unit in FIGURE.findall(line):
        number = number.replace(",", "")
        yield number + unit
        if plain:
            yield number


def known(paths):
    return {figure for path in paths for line in open(path, encoding="utf-8")
            for figure in figures(line, plain=True)}


def faults(page, lines, sources, section=None):
    here = code = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            code = not code
        elif line.startswith("#"):
            here = section in (None, line.strip())
        elif ELSEWHERE in line:
            here = False
        for figure in figures(CODE.sub("", line)) if here and not code else []:
            if figure not in sources:
                yield f"{page}:{number}: {figure} is in none of {', '.join(SOURCES)}"


# A line of the page, and its faults beside a document with 2479, 3.00, 1.01× and 55 %.
SAMPLES = [
    ("It executes 2,479 instructions.", 0), ("It executes 2,449 instructions.", 1),
    ("system calls: 3.00, against 10.98", 1), ("takes 1.01× (1.02×)", 1), ("55 % of 3.00", 0),
    ("53 %", 1), ("HTTP/2 and version 2.101.3, with `0x10` and `12`", 0), ("55", 0), ("2479 ns", 1),
]


def self_test():
    sources = set(figures("2479, 3.00 and 1.01× of 55 %", plain=True))
    def count(line, section=None):
        return len(list(faults("", ["# A", line, "# B"], sources, section)))
    wrong = [line for line, expected in SAMPLES if count(line) != expected or count(line, "# B")]
    return [f"comparison: another number of faults in: {line}" for line in wrong]


def main(arguments):
    if arguments not in ([], ["--self-test"]):
        return print(__doc__) or 2
    found = self_test() if arguments else [
        fault for page, section in PAGES.items()
        for fault in faults(page, open(page, encoding="utf-8"), known(SOURCES), section)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
