"""usage: python3 scripts/lib/blocks.py [--update | --write KIND FOLDER]

Compares the Swift code of Markdown files with the programs that it comes from. A line
'<!-- PATH.swift -->' or '<!-- PATH.swift#PART -->' directly before a code block names
its source. The block must be equal to the file, with or without the comment at its
top, or to the part between the lines '// snippet.PART' and '// snippet.end'. Lines of
the form '// snippet.NAME' do not count, and a part is shifted to the left margin.

The source must be a Swift file that a package of this repository compiles. In an
article of a documentation catalog (*.docc/*.md) every Swift block must have a source,
and no line of a block may have more than 76 columns: the site's pages cut it off.
'<!-- KIND: NAME -->' before that line, or instead of it, marks a file of a reader's
package, which the steps 'consumer' and 'url' of scripts/check build and run. Blocks of
one file are joined, in the order of the page. A block of output loses its first line,
which is the command.

Each example of a public symbol's documentation comment must be in a program, snippet or
test, as consecutive lines. Indentation and empty lines do not count.

  --update             copy the blocks from their programs
  --write KIND FOLDER  write the files of the packages of a kind

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import itertools
import pathlib
import re
import subprocess
import sys
import textwrap

SOURCE = re.compile(r"^<!-- ([\w./+-]+\.swift)(?:#([\w-]+))? -->$")
KINDS = ("consumer", "first-program", "host", "server", "tests", "window")
PACKAGE = re.compile(rf"^<!-- ({'|'.join(KINDS)}): ([\w./-]+) -->$")
MARK = re.compile(r"^\s*// snippet\.([\w-]+)\s*$")
# A line of a documentation comment.
COMMENT = re.compile(r"^\s*/// ?(.*)$")
ACCESS = re.compile(r"\b(public|open|package|internal|private|fileprivate)\b")
PROGRAMS = ("Samples", "Tests", "Examples", "Hosts/Tests", "Hosts/NodeAddon", "Display/Tests")
WIDTH = 76
# Folders that a package compiles.
COMPILED = ("Samples/", "Sources/", "Tests/", "Examples/", "Hosts/", "Display/")


def blocks(text, language="swift"):
    """Yields (line number, markers, code) of each block in a language, or in any for None."""
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        if not lines[index].startswith("```"):
            index += 1
            continue
        end = next(i for i in range(index + 1, len(lines) + 1) if i == len(lines) or lines[i] == "```")
        if language is None or lines[index] == "```" + language:
            above = itertools.takewhile(lambda line: line.startswith("<!-- "), lines[:index][::-1])
            yield index + 1, list(above), "\n".join(lines[index + 1:end])
        index = end + 1


def without_marks(text):
    return "\n".join(line for line in text.split("\n") if not MARK.match(line))


def without_header(text):
    lines = text.split("\n")
    while lines and lines[0].startswith("//"):
        lines.pop(0)
    return "\n".join(lines)


def part(text, name):
    """The part of a program between its marks, or None."""
    found, inside = [], False
    for line in text.split("\n"):
        mark = MARK.match(line)
        if mark and mark[1] == name:
            inside = True
        elif mark and inside:
            break
        elif inside:
            found.append(line)
    return textwrap.dedent("\n".join(found)) if found else None


def candidates(text, name):
    """The texts that a block of this source may have."""
    if name:
        text = part(text, name)
        return [] if text is None else [text.strip("\n")]
    text = without_marks(text)
    return [text.strip("\n"), without_header(text).strip("\n")]


def packages(markers):
    """Yields (kind, name) of each file of a reader's package that has the block."""
    return (found.groups() for found in map(PACKAGE.match, markers) if found)


def fault(markers, code, read, must):
    """The fault of a block, or None. `read` returns the text of a path."""
    source = next(filter(None, map(SOURCE.match, markers)), None)
    if not source and any(packages(markers)):
        return None
    if not source:
        return "name the program of this block: <!-- Samples/NAME.swift#PART -->" if must else None
    path, name = source.groups()
    if not path.startswith(COMPILED):
        return f"{path} is in no folder that a package compiles"
    text = read(path)
    if text is None:
        return f"there is no {path}"
    allowed = candidates(text, name)
    if not allowed:
        return f"{path} has no part '{name}'"
    if code.strip("\n") not in allowed:
        return f"the block differs from {path}" + (f", part '{name}'" if name else "")
    return None


def wide(code):
    """The fault of a block of the site that is too wide, or None."""
    longest = max(code.split("\n"), key=len)
    return f"over {WIDTH} columns: {longest}" if len(longest) > WIDTH else None


def updated(path, text):
    """The text of a document with the blocks of their programs."""
    for _, markers, code in blocks(text):
        source = next(filter(None, map(SOURCE.match, markers)), None)
        if source and fault(markers, code, read_file, False):
            full = code.startswith("//") and not source[2]
            allowed = candidates(read_file(source[1]) or "", source[2])
            if allowed:
                new = allowed[0 if full else -1]
                text = text.replace(f"```swift\n{code}\n```", f"```swift\n{new}\n```")
                print(f"{path}: copied {source[1]}")
    return text


def update():
    for path, text in documents():
        new = updated(path, text)
        if new != text:
            pathlib.Path(path).write_text(new, encoding="utf-8")


def read_file(path):
    try:
        return open(path, encoding="utf-8").read()
    except FileNotFoundError:
        return None


def documents():
    """Yields (path, text) of each Markdown file."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"],
                            capture_output=True, text=True, check=True)
    for path in sorted(set(listed.stdout.split())):
        yield path, read_file(path) or ""


def write(kind, folder):
    """Writes the files of a package. Returns how many there are."""
    files = {}
    for _, text in documents():
        for language in ("swift", "c", "text", "console"):
            for _, markers, code in blocks(text, language):
                lines = code.split("\n")[language == "console":]
                for found, name in packages(markers):
                    if found == kind:
                        files.setdefault(name, []).append("\n".join(lines) + "\n")
    for name, parts in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts), encoding="utf-8")
    return len(files)


def examples(text):
    """Yields (line number, lines) of each Swift block of a documentation comment of a
    symbol that is public, or whose access is that of its extension or protocol."""
    lines = text.split("\n")
    begin = None
    for index, line in enumerate(lines):
        comment = COMMENT.match(line)
        if comment and comment[1] == "```swift":
            begin = index
        elif comment and comment[1] == "```" and begin is not None:
            after = (each for each in lines[index:] if not COMMENT.match(each))
            access = ACCESS.search("\n".join(next(after, "") for _ in range(8)))
            if access and access[1] in ("public", "open"):
                yield begin + 1, plain(COMMENT.match(each)[1] for each in lines[begin + 1:index])
            begin = None


def plain(lines):
    """The lines without indentation, empty lines and marks."""
    return [line.strip() for line in lines if line.strip() and not MARK.match(line)]


def contains(programs, lines):
    first = lines[0]
    return any(
        program[index:index + len(lines)] == lines
        for program in programs
        for index, line in enumerate(program)
        if line == first
    )


def swift_files(*folders):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *folders],
                            capture_output=True, text=True, check=True)
    for path in sorted(set(listed.stdout.split())):
        if path.endswith(".swift"):
            yield path, read_file(path) or ""


def check_examples():
    programs = [plain(text.split("\n")) for _, text in swift_files(*PROGRAMS)]
    programs += [
        plain(code.split("\n"))
        for _, text in documents()
        for _, markers, code in blocks(text)
        if any(packages(markers))
    ]
    count = faults = 0
    for path, text in swift_files("Sources", "Hosts/Sources", "Display/Sources/AsyncDisplay"):
        for number, lines in examples(text):
            count += 1
            if not contains(programs, lines):
                print(f"{path}:{number}: no program, snippet or test has these lines")
                faults += 1
            if wide("\n".join(lines)):
                print(f"{path}:{number}: {wide(chr(10).join(lines))}")
                faults += 1
    print(f"note: {count} examples of documentation comments compared")
    return faults


def check():
    count = faults = 0
    for path, text in documents():
        for number, markers, code in blocks(text):
            count += bool(markers)
            message = fault(markers, code, read_file, ".docc/" in path)
            if message:
                print(f"{path}:{number}: {message}")
                faults += 1
        for number, _, code in blocks(text, None) if ".docc/" in path else []:
            if wide(code):
                print(f"{path}:{number}: {wide(code)}")
                faults += 1
    print(f"note: {count} code blocks compared")
    return faults


def main(arguments):
    if arguments == ["--update"]:
        return update()
    if len(arguments) == 3 and arguments[0] == "--write":
        return 0 if write(arguments[1], arguments[2]) else 1
    if arguments:
        print(__doc__)
        return 2
    return 1 if check() + check_examples() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
