"""usage: python3 scripts/lib/comparison.py

Compares the figures of the page Comparison with the documents that it copies them from.
A figure is a number with a unit: 76.7 ns, 1.01×, 55 %. The last table of the section
about SwiftNIO is left out: its programs are not part of this repository.

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import re
import sys

PAGE = "Sources/LoopTransactions/LoopTransactions.docc/Comparison.md"
SOURCES = (
    "docs/performance.md", "docs/loopbench.md", "Hosts/README.md", "Display/docs/frames.md",
)
FIGURE = re.compile(r"\d[\d,.]*(?: (?:ns|µs|ms|%)|×)")
# From here to the next heading the figures have another source.
ELSEWHERE = "The programs are not part of this repository"


def faults():
    known = set()
    for path in SOURCES:
        known.update(FIGURE.findall(open(path, encoding="utf-8").read()))
    here = True
    for number, line in enumerate(open(PAGE, encoding="utf-8"), 1):
        if line.startswith("#"):
            here = True
        elif ELSEWHERE in line:
            here = False
        for figure in FIGURE.findall(line) if here else []:
            if figure not in known:
                yield f"{PAGE}:{number}: {figure} is in none of {', '.join(SOURCES)}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(print(__doc__) or 2)
    found = list(faults())
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
