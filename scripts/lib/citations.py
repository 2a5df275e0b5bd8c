"""usage: python3 scripts/lib/citations.py [--list]

Compares the numbered rules of the documents with the comments and documents that
cite them. The headings of docs/rules.md ('## L: the loop') determine the letters of
rules, and I stands for the invariants of docs/proofs.md. Fails when a comment or a
document cites a rule that no document defines, when no test cites a rule, when a
document links to a file or heading that does not exist, when a document about the
code names a file that does not exist, and when docs/rules.md links to a test that does
not cite the rule.

  --list  print each rule with the tests that cite it

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import functools
import os
import re
import subprocess
import sys
from collections import defaultdict

RULES, PROOFS, DISPLAY = "docs/rules.md", "docs/proofs.md", "Display/PROOFS.md"
# The names of files in these are checked. Other documents name files of their users.
NAMING = (
    RULES, PROOFS, DISPLAY, "ARCHITECTURE.md", "Display/ARCHITECTURE.md",
    "docs/loopbench-internals.md", "docs/workarounds.md"
)

# The heading of a section of rules, which begins with the letter of its rules.
SECTION = re.compile(r"^## ([A-Z]): ", re.M)
# A definition begins a list item, a table row, a paragraph or a heading.
DEFINITION = re.compile(r"^(?:[-*] |\| |#+ )?(?:\*\*)?([A-Z][1-9]\d?)\b(?:\.?\*\*| |:|\.|$)")
ITEM_END = re.compile(r"^(?:$|- |\||#)")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")
# The end of a path; "…" stands for folders.
FILE_NAME = re.compile(r"`(?:\.\.\./|…/)?([\w/+…-]+\.(?:swift|c|h|py|sh|pml))`")

# A citation stands alone: at the beginning of a comment or after punctuation, and
# before punctuation, a further citation or the end. "an L1 cache" cites nothing.
CITATION = re.compile(
    r"(?:^|[.,:;!?(]\s*|\b[A-Z]\d{1,2} and )([A-Z][1-9]\d?)"
    r"(?=\s*(?:$|[,;:)]|\.(?!\w)|and [A-Z]\d))"
)
# In a document a rule may also be cited within a sentence: "by I2".
WORD = re.compile(r"(?<![\w.-])([A-Z])([1-9]\d?)(?![\w-]|\.\d)")
# A string or a comment of Swift or C, in the order in which they are tried.
TOKEN = re.compile(
    r'"""(?:\\.|(?!""").)*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\''
    r"|(//[^\n]*)|(/\*.*?\*/)",
    re.S,
)
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


def prose_lines(path):
    """Yields the line number and the text of each line of a document that is not code."""
    in_code = False
    for number, line in enumerate(read(path).split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, line


@functools.cache
def anchors(path):
    """The anchors that GitHub makes of a document's headings."""
    found = set()
    for _, line in prose_lines(path):
        if match := HEADING.match(line):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", match.group(1)).lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


class Documents:
    """The rules that documents define, their links, and their citations."""

    def __init__(self):
        self.faults = []
        # By document, each rule with its line and the paths it links to.
        self.rules = {RULES: {}, PROOFS: {}, DISPLAY: {}}
        # Each citation as a path, a line and a rule.
        self.citations = []
        self.letters = set(SECTION.findall(read(RULES))) | {"I"}
        self.files = "\n".join(tracked())
        for path in tracked("*.md"):
            self._read(path)

    def _read(self, path):
        rules, current = self.rules.get(path), None
        for number, line in prose_lines(path):
            self._cite(path, number, without_code(line))
            match = DEFINITION.match(line) if rules is not None else None
            if match:
                current = match.group(1)
                if current in rules:
                    self.faults.append(f"{path}:{number}: {current} is defined twice")
                if path == RULES and current[0] not in self.letters:
                    self.faults.append(f"{path}:{number}: {current} has no section of its letter")
                rules[current] = (number, [])
            elif ITEM_END.match(line):
                current = None
            for target in self._targets(path, number, line):
                if current:
                    rules[current][1].append(target)

    def _cite(self, path, number, line):
        found = {letter + digits for letter, digits in WORD.findall(line) if letter in self.letters}
        # An unknown letter counts only where a citation stands.
        found |= {rule for rule in CITATION.findall(line) if not line.startswith(("#", "|"))}
        self.citations += [(path, number, rule) for rule in sorted(found)]

    def _targets(self, path, number, line):
        """The files that `line` links to. Reports files and anchors that do not exist."""
        for name in FILE_NAME.findall(line) if path in NAMING else []:
            pattern = re.escape(name).replace("…", ".*")
            if not re.search(rf"(?:^|/|[+]){pattern}$", self.files, re.M):
                self.faults.append(f"{path}:{number}: there is no {name}")
        for link, anchor in LINK.findall(without_code(line)):
            if re.match(r"[a-z]+:", link):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), link)) if link else path
            if not os.path.exists(target):
                self.faults.append(f"{path}:{number}: there is no {target}")
                continue
            if anchor and target.endswith(".md") and anchor not in anchors(target):
                self.faults.append(f"{path}:{number}: there is no #{anchor} in {target}")
            yield target

    def defines(self, rule, path):
        """Whether a comment in the file at `path` may cite `rule`."""
        documents = [RULES, PROOFS] + ([DISPLAY] if path.startswith("Display/") else [])
        return any(rule in self.rules[document] for document in documents)


class Citations:
    """The rules that comments cite."""

    def __init__(self):
        # By rule, each file that cites it with the first line.
        self.places = defaultdict(dict)
        for path in tracked("*.swift", "*.c", "*.h"):
            for number, line in comment_lines(read(path)):
                for rule in CITATION.findall(without_code(line)):
                    self.places[rule].setdefault(path, number)

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
    for path, number, rule in documents.citations:
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
