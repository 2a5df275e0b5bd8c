"""usage: python3 scripts/lib/messages.py [--list]

Compares the messages of the libraries with the page Troubleshooting: messages that end
the process, reports on standard error, and descriptions of errors. Each must be on the
page, as code, with … for each value. The page names no other message of a program, and
every public error type.

  --list  print each message, with its place

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import re
import subprocess
import sys

PAGE = "Sources/LoopTransactions/LoopTransactions.docc/Troubleshooting.md"
FOLDERS = (
    "Sources/LoopTransactions", "Sources/LoopTransactionsIO", "Sources/LoopTransactionsMain",
    "Sources/LoopTransactionsMainTesting", "Sources/LoopTransactionsTesting",
    "Sources/LoopTransactionsDispatch",
    "Sources/LoopTransactionsFoundation", "Hosts/Sources", "Display/Sources/AsyncDisplay",
)
CALL = re.compile(
    r"\b(?:require|trap|fatalError|precondition|preconditionFailure|assertionFailure"
    r"|System\.logToStandardError|trapUnclosable)\("
)
STRING = re.compile(r'"""\n(.*?)\n\s*"""|"((?:[^"\\\n]|\\[^(]|\\\((?:[^()"]|\([^()]*\))*\))*)"', re.S)
# Files with errors, and with the error of a trait for tests.
DESCRIBED = re.compile(
    r"Error: (?:.*\b)?CustomStringConvertible|: (?:[\w, ]*\b)?Error\b|\bfindProblem\b"
)
TEXT = re.compile(r"(?:var (?:description|reason): String|func findProblem\(\) -> String\?) \{")
ERROR = re.compile(r"^\s*public (?:struct|enum) (\w+): (?:[\w, ]*\b)?Error\b", re.M)
CODE = re.compile(r"`([^`\n]+)`")


def sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *FOLDERS],
                            capture_output=True, text=True, check=True)
    for path in sorted(set(listed.stdout.split())):
        if path.endswith(".swift"):
            yield path, open(path, encoding="utf-8").read()


def call_end(text, start, brackets="()"):
    """The position of the parenthesis that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += {brackets[0]: 1, brackets[1]: -1}.get(text[index], 0)
        if depth == 0:
            return index
    return len(text)


def without_values(text):
    """Replaces interpolations, which may be nested, by …"""
    result, index = "", 0
    while index < len(text):
        if text.startswith("\\(", index):
            index = call_end(text, index + 1) + 1
            result += "…"
        else:
            result += text[index]
            index += 1
    return result


def message(arguments):
    """The literals among the arguments of a call, as one text."""
    parts = []
    for several, one in STRING.findall(arguments):
        parts.append(re.sub(r"\s*\\?\n\s*", " ", several.strip()) if several else one)
    return without_values("".join(parts)).replace('\\"', '"')


def messages():
    """Yields each message with its place."""
    for path, text in sources():
        for call in CALL.finditer(text):
            line = text[text.rfind("\n", 0, call.start()) + 1:call.start()]
            if "//" in line or line.rstrip().endswith("func"):
                continue
            found = message(text[call.end():call_end(text, call.end() - 1)])
            # A message that is only a value is a message of another place.
            if len(re.sub(r"[^a-z]", "", found)) > 7:
                yield found, f"{path}:{text.count(chr(10), 0, call.start()) + 1}"


def descriptions():
    """Yields each description of an error, with its place."""
    for path, text in sources():
        if not DESCRIBED.search(text):
            continue
        for block in TEXT.finditer(text):
            body = text[block.end():call_end(text, block.end() - 1, "{}")]
            for literal in STRING.finditer(body):
                found = message(literal.group())
                reason = re.sub(r"[^a-z]", "", re.sub(r"^[\w.]+: ", "", found))
                if len(reason) > 7 and ("; " in found or re.match(r"[\w.]+: ", found)):
                    yield found, f"{path}:{text.count(chr(10), 0, block.start()) + 1}"


def check():
    page = open(PAGE, encoding="utf-8").read()
    shown = set(CODE.findall(page))
    known, faults = set(), []
    for text, place in descriptions():
        # Other literals may begin and end a description.
        entries = {entry for entry in shown if text in entry}
        known |= entries
        if not entries:
            faults.append(f"{place}: not in {PAGE}: `{text}`")
    for text, place in messages():
        known.add(text)
        if text not in shown:
            faults.append(f"{place}: not in {PAGE}: `{text}`")
    for text in sorted(shown - known):
        if not re.match(r"[\w.… ']+: \w", text):
            continue
        if not any(text.replace("…", "") in other for _, other in sources()):
            faults.append(f"{PAGE}: no library has this message: `{text}`")
    for path, text in sources():
        for name in ERROR.findall(text):
            if name not in page:
                faults.append(f"{path}: {name} is not in {PAGE}")
    return faults


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        for text, place in [*messages(), *descriptions()]:
            print(f"{place}: {text}")
    elif sys.argv[1:]:
        sys.exit(print(__doc__) or 2)
    else:
        found = check()
        print("\n".join(found), end="\n" if found else "")
        sys.exit(1 if found else 0)
