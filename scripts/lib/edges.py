"""usage: python3 scripts/lib/edges.py [--write | --why FROM TO]

Computes which folders of a library use which, from the names they declare and
mention. Fails when folders depend on each other in a cycle, or when the picture
in the library's document differs from the computed one.

  --write        put the computed pictures into the documents
  --why FROM TO  list the names that FROM uses of TO, with their files

exit: 0 as drawn, 1 a cycle or another picture, 2 usage error
"""
import os
import re
import sys
from collections import defaultdict

# Each library, and the document with the picture of its folders.
LIBRARIES = {
    "Sources/LoopTransactions": "ARCHITECTURE.md",
    "Sources/LoopbenchKit": "docs/loopbench-internals.md",
    "Display/Sources/AsyncDisplay": "Display/ARCHITECTURE.md",
}
# The loop holds these parts of other folders, which use the loop. They do not count as
# cycles.
CALLED_BACK = {("EventLoop", "Transactions"), ("EventLoop", "Embedding")}
# Files beside the folders put the library together, so they may use every folder.
ROOT = "(root)"

MODIFIERS = r"(?:(?:public|package|internal|open|final|indirect|nonisolated|@\w+(?:\([^)]*\))?)\s+)*"
TYPE = re.compile(rf"^{MODIFIERS}(?:class|struct|enum|actor|protocol|typealias)\s+(\w+)", re.M)
FUNCTION = re.compile(rf"^{MODIFIERS}func\s+(\w+)", re.M)
EXTENSION = re.compile(rf"^{MODIFIERS}extension\s+([\w.]+)")
MEMBER = re.compile(r"  (?! )(.*?)\b(?:func|var|let)\s+(\w+)")
ANY_MEMBER = re.compile(r"\b(?:func|var|let|case|for)\s+(\w+)")
# A name that also labels a parameter does not identify a member.
LABEL = re.compile(r"[(,]\s*(\w+)(?:\s+\w+)?\s*:")
# Accessors, and members that the standard library's types have too.
COMMON_MEMBERS = ("encode", "get", "set", "update", "resume")


def without_text(source):
    """`source` without comments and string literals."""
    source = re.sub(r'"""(.|\n)*?"""', '""', source)
    source = re.sub(r"//.*", "", source)
    source = re.sub(r"/\*(.|\n)*?\*/", "", source)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', source)


class Library:
    """The Swift files of one target, and the names that its folders share."""

    def __init__(self, path, folder_of=None):
        self.code = {}
        for directory, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                if name.endswith(".swift"):
                    file = os.path.join(directory, name)
                    with open(file, encoding="utf-8") as handle:
                        self.code[os.path.relpath(file, path)] = without_text(handle.read())
        self.folder_of = folder_of or (lambda file: file.split("/")[0] if "/" in file else ROOT)
        self.folders = sorted({self.folder_of(file) for file in self.code})
        self.uses = defaultdict(lambda: defaultdict(set))
        self._add_types_and_functions()
        self._add_extension_members()
        self.called_back = {user: sorted(used for used in self.uses[user] if (user, used) in CALLED_BACK)
                            for user in self.folders}
        for user, used in self.called_back.items():
            for folder in used:
                del self.uses[user][folder]

    def _add_types_and_functions(self):
        places = defaultdict(set)
        for file, code in self.code.items():
            for match in TYPE.finditer(code):
                places[match.group(1), False].add(self.folder_of(file))
            for match in FUNCTION.finditer(code):
                places[match.group(1), True].add(self.folder_of(file))
        for (name, is_function), folders in places.items():
            # A name that two folders declare does not identify one of them.
            if len(folders) == 1:
                ending = r"\(" if is_function else r"\b"
                self._add_mentions(name, next(iter(folders)), rf"(?<![\w.]){name}{ending}")

    def _add_extension_members(self):
        """Members of extensions count where their name is declared only once."""
        declared = defaultdict(int, {name: 2 for name in COMMON_MEMBERS})
        members = {}
        for file, code in self.code.items():
            for match in ANY_MEMBER.finditer(code):
                declared[match.group(1)] += 1
            for match in LABEL.finditer(code):
                declared[match.group(1)] += 2
            extended = None
            for line in code.split("\n"):
                if re.match(r"[^\s})@#>]", line):
                    match = EXTENSION.match(line)
                    extended = match.group(1) if match else None
                match = MEMBER.match(line)
                if match and extended and "private" not in match.group(1):
                    members[match.group(2)] = (extended, file)
        for name, (extended, file) in members.items():
            if declared[name] == 1:
                self._add_mentions(
                    name, self.folder_of(file), rf"(?<!\w){name}\b", f"{extended}.{name}"
                )

    def _add_mentions(self, name, home, pattern, label=None):
        expression = re.compile(pattern)
        for file, code in self.code.items():
            folder = self.folder_of(file)
            if folder != home and name in code and expression.search(code):
                self.uses[folder][home].add((label or name, file))

    def layers(self):
        """The folders from the lowest up, and the cycles among the rest."""
        left, order = set(self.folders), []
        while left:
            free = sorted(f for f in left if not (set(self.uses[f]) & left - {f}))
            if not free:
                return order, self._cycles(left)
            order += free
            left -= set(free)
        return order, []

    def _cycles(self, left):
        reach = {f: set(self.uses[f]) & left for f in left}
        for _ in left:
            for folder in left:
                reach[folder] |= set().union(*(reach[g] for g in reach[folder]), set())
        return sorted({tuple(sorted(g for g in left if g in reach[f] and f in reach[g]))
                       for f in left if f in reach[f]})

    def picture(self):
        """One line per folder, lowest last, with the folders that it uses directly."""
        order, _ = self.layers()
        width = max(map(len, order), default=0)
        place = {folder: number for number, folder in enumerate(order)}
        lines = []
        for folder in reversed(order):
            used = sorted(self.uses[folder], key=lambda f: -place.get(f, 0))
            line = f"{folder:{width}}  uses  {', '.join(used)}" if used else folder
            if self.called_back[folder]:
                line += f"; calls {', '.join(self.called_back[folder])}"
            lines.append(line)
        return "\n".join(lines)


def markers(path):
    return f"<!-- folders: {path} -->", "<!-- /folders -->"


def drawn(text, path):
    begin, end = map(re.escape, markers(path))
    match = re.search(rf"{begin}\n+```text\n(.*?)\n```\n+{end}", text, re.S)
    return match.group(1) if match else None


def check(path, document, write):
    library = Library(path)
    _, cycles = library.layers()
    for cycle in cycles:
        print(f"{path}: these folders depend on each other in a cycle: {', '.join(cycle)}")
        pairs = [(a, b) for a in cycle for b in cycle if a < b]
        both = [(a, b) for a, b in pairs if library.uses[a][b] and library.uses[b][a]]
        for a, b in both or pairs:
            for user, used in ((a, b), (b, a)):
                names = sorted({name for name, _ in library.uses[user][used]})
                if names:
                    print(f"  {user} uses {', '.join(names)} of {used}")
    if cycles:
        return False
    with open(document, encoding="utf-8") as handle:
        text = handle.read()
    before, picture = drawn(text, path), library.picture()
    if before == picture:
        return True
    if not write:
        print(f"{document}: the picture of {path} is out of date; the computed one is:")
        print(picture)
        print("  error: remove the new arrow, or run: python3 scripts/lib/edges.py --write")
        return False
    begin, end = markers(path)
    block = f"{begin}\n\n```text\n{picture}\n```\n\n{end}"
    if begin not in text:
        print(f"{document}: add the lines {begin} and {end} where the picture belongs")
        return False
    pattern = rf"{re.escape(begin)}.*?{re.escape(end)}"
    with open(document, "w", encoding="utf-8") as handle:
        handle.write(re.sub(pattern, lambda _: block, text, count=1, flags=re.S))
    return True


def explain(source, target):
    for path in LIBRARIES:
        for name, file in sorted(Library(path).uses[source][target]):
            print(f"{path}/{file}: {name}")


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if len(arguments) == 3 and arguments[0] == "--why":
        explain(*arguments[1:])
        return 0
    if arguments not in ([], ["--write"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    good = [check(path, document, bool(arguments)) for path, document in LIBRARIES.items()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
