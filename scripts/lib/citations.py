"""usage: python3 scripts/lib/citations.py [--list]

Compares the numbered rules of the documents with the comments that cite them.
Fails when a comment cites a rule that no document defines, when no test cites a
rule, when a document links to or names a file that does not exist, when
docs/rules.md links to a test that does not cite the rule, and when a comment or a
test's name has a tag that no document explains.

  --list  print each rule with the tests that cite it

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import os
import re
import subprocess
import sys
from collections import defaultdict

RULES, PROOFS, DISPLAY = "docs/rules.md", "docs/proofs.md", "Display/PROOFS.md"
# Relative links and file names in these are checked.
LINKED = (
    RULES, PROOFS, DISPLAY, "ARCHITECTURE.md", "docs/loopbench-internals.md", "docs/workarounds.md"
)

# A definition begins a list item, a table row, a paragraph or a heading.
DEFINITION = re.compile(r"^(?:[-*] |\| |#+ )?(?:\*\*)?([LTQOECDXI][1-9]\d?)\b(?:\.?\*\*| |:|\.|$)")
ITEM_END = re.compile(r"^(?:$|- |\||#)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# The end of a path; "…" stands for folders.
FILE_NAME = re.compile(r"`(?:\.\.\./|…/)?([\w/+…-]+\.(?:swift|c|h|py|sh|pml))`")

# A citation stands alone: at the beginning of a comment or after punctuation, and
# before punctuation, a further citation or the end. "an L1 cache" cites nothing.
CITATION = re.compile(
    r"(?:^|[.,:;!?(]\s*|\b[LTQOECDXI]\d{1,2} and )([LTQOECDXI][1-9]\d?)"
    r"(?=\s*(?:$|[,;:)]|\.(?!\w)|and [LTQOECDXI]\d))"
)
# Numbers of lists that are not in this repository.
TAG = re.compile(
    r"\b(?:D|AUI|INC|LAY|MIX|TUT)-\d+[a-z]?\b"
    r"|\b(?:texture|graver|asyncui) (?:\d+|[a-h])\b|\byykit (?:\d+|[a-z])\b"
    r"|\bTexture's (?:disabled )?tests? \d+|\bcarried-over (?:\d+|[a-z])\b"
    r"|\baudit \d+|\b[Ii]ssue \d+, point \d+|(?<=[,;] )W\d+\b|^W\d+\b(?=[,.;]|$)"
)

# A string or a comment of Swift or C, in the order in which they are tried.
TOKEN = re.compile(
    r'"""(?:\\.|(?!""").)*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\''
    r"|(//[^\n]*)|(/\*.*?\*/)",
    re.S,
)
TEST_NAME = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\\n]|\\.)*)"')
TEST_FOLDER = re.compile(r"(?:^|/)Tests/")


def tracked(*patterns):
    """Files that git tracks or would add, as far as they exist."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [name for name in sorted(set(names.split("\n"))) if os.path.isfile(name)]


def read(path):
    with open(path, encoding="utf-8") as handle:
        return handle.read()


def comment_lines(source):
    """Yields the line number and the text of each line of each comment."""
    for match in TOKEN.finditer(source):
        comment = match.group(1) or match.group(2)
        if comment is None:
            continue
        first = source.count("\n", 0, match.start()) + 1
        for offset, line in enumerate(comment.split("\n")):
            yield first + offset, re.sub(r"^\s*(?:/{2,}|/?\*+)|\*/$", "", line).strip()


def without_code(text):
    """`text` without the code between backticks."""
    return re.sub(r"`[^`]*`", "``", text)


class Documents:
    """The rules that documents define, and their links."""

    def __init__(self):
        self.faults = []
        # By document, each rule with its line and the paths it links to.
        self.rules = {RULES: {}, PROOFS: {}, DISPLAY: {}}
        self.files = "\n".join(tracked())
        for path in LINKED:
            if os.path.exists(path):
                self._read(path)

    def _read(self, path):
        rules, current, in_code = self.rules.get(path), None, False
        for number, line in enumerate(read(path).split("\n"), 1):
            if line.startswith("```"):
                in_code = not in_code
            if in_code:
                continue
            match = DEFINITION.match(line) if rules is not None else None
            if match:
                current = match.group(1)
                if current in rules:
                    self.faults.append(f"{path}:{number}: {current} is defined twice")
                rules[current] = (number, [])
            elif ITEM_END.match(line):
                current = None
            for target in self._targets(path, number, line):
                if current:
                    rules[current][1].append(target)

    def _targets(self, path, number, line):
        """The files that `line` links to. Reports those that do not exist."""
        for name in FILE_NAME.findall(line):
            pattern = re.escape(name).replace("…", ".*")
            if not re.search(rf"(?:^|/|[+]){pattern}$", self.files, re.M):
                self.faults.append(f"{path}:{number}: there is no {name}")
        for link in LINK.findall(line):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link))
            if re.match(r"[a-z]+:", link):
                continue
            if os.path.exists(target):
                yield target
            else:
                self.faults.append(f"{path}:{number}: there is no {target}")

    def defines(self, rule, path):
        """Whether a comment in the file at `path` may cite `rule`."""
        documents = [RULES, PROOFS] + ([DISPLAY] if path.startswith("Display/") else [])
        return any(rule in self.rules[document] for document in documents)


class Citations:
    """The rules and the tags that comments have, by file."""

    def __init__(self):
        # By rule, each file that cites it with the first line.
        self.places = defaultdict(dict)
        self.tags = []
        for path in tracked("*.swift", "*.c", "*.h"):
            source = read(path)
            for number, line in comment_lines(source):
                self._add(path, number, without_code(line))
            for match in TEST_NAME.finditer(source):
                self._add_tag(path, source.count("\n", 0, match.start(1)) + 1, match.group(1))

    def _add(self, path, number, line):
        for match in CITATION.finditer(line):
            self.places[match.group(1)].setdefault(path, number)
        self._add_tag(path, number, line)

    def _add_tag(self, path, number, text):
        self.tags += [f"{path}:{number}: {match.group(0)}" for match in TAG.finditer(text)]

    def tests(self, rule, folder=""):
        return [path for path in self.places[rule]
                if TEST_FOLDER.search(path) and path.startswith(folder)]


def faults(documents, citations):
    """Each fault as a line; the faults of one kind follow each other."""
    yield from documents.faults
    for rule, places in sorted(citations.places.items()):
        for path, number in places.items():
            if not documents.defines(rule, path):
                yield f"{path}:{number}: cites {rule}, which no document defines"
    for document, rules in documents.rules.items():
        for rule, (number, links) in rules.items():
            tests = citations.tests(rule, "Display/" if document == DISPLAY else "")
            if not tests:
                yield f"{document}:{number}: no comment of a test cites {rule}"
            if document != RULES:
                continue
            if not links:
                yield f"{document}:{number}: {rule} has no link to a test"
            for link in links:
                if TEST_FOLDER.search(link) and tests and link not in tests:
                    yield f"{document}:{number}: {rule} links to {link}, which does not cite it"
    for tag in citations.tags:
        yield f"{tag}: a tag that no document explains; say it in words"


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if arguments not in ([], ["--list"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    documents, citations = Documents(), Citations()
    if arguments:
        for document, rules in documents.rules.items():
            for rule in rules:
                print(f"{rule} {document}: {', '.join(citations.tests(rule)) or '-'}")
        return 0
    found = list(faults(documents, citations))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
