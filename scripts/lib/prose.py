#!/usr/bin/env python3
"""Counts constructions that make English hard to read, per 1,000 words.

usage: prose.py [--list] [--exceptions FILE] [--limit DENSITY] [PATH...]
       prose.py --self-test FILE

Reads comments, string literals and test names of Swift and C, comments of shell
and Python scripts, and Markdown outside code blocks. A PATH is a file or a
folder; the default is every file that git knows.

  --list              print each finding as PATH:LINE: [RULE] TEXT
  --exceptions FILE   findings to ignore, one 'PATH: part of the line' per line
  --limit DENSITY     exit 1 when there are more findings per 1,000 words
  --self-test FILE    check the rules: each line 'hard: TEXT' of FILE must have a
                      finding, and each line 'plain: TEXT' must have none

exit: 0 at or below the limit, or no limit · 1 above the limit, or a failed self-test ·
      2 usage error
"""

import argparse
import os
import re
import subprocess
import sys

# Before `what` or `who` used as a noun: the start of a sentence, punctuation, or
# one of these words.
BEFORE = (
    r"(?:^|[.:;,(\"|!?—–-]\s*|\b(?:of|to|by|for|with|and|than|then|from|in|on|or|as|at|is|are|was|"
    r"be|not|but|that|so|about|after|before|over|under|until|into|out|like|all|only|full|"
    r"has|have|does|do|takes?|takes|keeps?|gives?|says?|knows?|tells?|shows?|runs?|"
    r"performs?|counts?|reports?|measures?|prints?|sees?|drops?|frees?|releases?|holds?|"
    r"bounds?|answers?)\s+)"
)

RULES = {
    "free relative": [
        BEFORE + r"what(?:ever)?\b(?! (?:to do|happens|happened|it does|is it\?|now\?)\b)",
        BEFORE + r"who(?:ever)?\b(?! am\b)",
        r"\b(?:that|those) of (?:the|a|an|its|one|this|another|each|every)\b",
        r"\b(?:is|are|was|were|as) those (?:that|which|who|made|of)\b",
        r"[,;:] (?:nil |none )?for one that\b", r"\b(?:is|are) of something else\b",
    ],
    "archaic": [
        r"\bcan not\b", r"\bfor ever\b", r"\banew\b", r"\b(?:somebody|nobody|somewhere else)\b",
        r"\bmend(?:s|ed|ing)?\b", r"\blet(?:s|ting)? go of\b", r"\ball else\b", r"\bto and fro\b",
        r"\bnot any more\b", r"\bat once\b(?= it | they | by )", r"\bby and by\b", r"\bnought\b",
        r"\bas whom\b", r"\bbe it\b", r"\bso far as\b", r"\bas (?:soon|long) as that\b",
        r"\bmade use of\b", r"\btake[sn]? (?:its|their) (?:time|leave)\b", r"\bwhence\b",
        r"\bhitherto\b", r"\bthereof\b", r"\btherein\b", r"\bupon which\b", r"\bother ones\b",
        r"\bis had\b", r"\bhas it that\b", r"\btwice over\b",
        r"\bonce and for all\b", r"[,;:] for (?:it|they|that|this|there|these|those|he|she) "
        r"(?:is|are|was|were|has|have|would|could|can|may|might|will|does|do)\b",
    ],
    "vague passive": [
        r"\b(?:is|are|be|was|were|been|being) told\b", r"\b(?:is|are|be|was|were|been) said\b",
        r"\b(?:is|are) (?:lent|lacking)\b", r"\bis stopped with\b", r"\btakes long\b",
        r"\b(?:is|are|be|was|were) (?:asked|looked) (?:for|at|to)\b", r"\basked for by\b",
        r"\b(?:is|are|was|were) there to be\b",
    ],
    "our metaphor": [
        r"\bow(?:e|es|ed|ing)\b", r"\bheld up\b", r"\bhold(?:s|ing)? up\b(?! to)", r"\bputs? down\b",
        r"\baging lane\b", r"\btake[sn]? back\b", r"\bbrings? back\b", r"\bcomes? of\b",
        r"\bsettle[sd]?\b(?= (?:up|down|accounts))",
        r"\bpass(?:es|ed)? (?:it|them|that|this) over\b", r"\bmeans? nothing\b",
    ],
    "causative": [
        r"(?:^|[.:;] )Has (?:this|that|the|a|an|its|each) \w+ (?:run|wait|sleep|begin|end|be|do|take)\b",
        r"\b(?:has|have|had) (?:it|them|this|that) (?:keep|hold|run|do|take|begin|end|wait)\b",
    ],
    "ellipsis": [
        r"\b(?:line|part|one|half|all|each|most) of (?:it|them) (?:would|could|does|did|is|was)[.;]",
        r":\s+As the (?:property|function|method|type|parameter)\b", r"\bended, all\b",
    ],
    "states the invariant": [
        r"\b(?:took|takes|accepted|accepts|kept|keeps) (?:every|each|all)\b[^.:;]*, got\b",
    ],
    "clause as subject": [
        r"(?:^|[.:;] )(?:That|How|Where|When|Which)\b(?:(?! is )[^.?!,:;]){4,80}? "
        r"(?:is|are|was) (?:not |no |never )?(?:counted|known|measured|tested|checked|said|told|kept|seen|shown|stated|decided|the)\b",
        r"(?:^|[.:;] )(?:Which|As whom|By whom|Whose)\b[^?]*?(?:\.|$)(?<!\?)",
    ],
}

COMPILED = [(name, re.compile(p, re.I if name != "clause as subject" else 0))
            for name, patterns in RULES.items() for p in patterns]

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
C_STRING_EXTS = (".swift", ".c", ".h")
SCRIPT_EXTS = (".sh", ".py", "")


def swift_lines(text):
    """Yields (line number, kind, text) for comments and string literals."""
    in_block = in_string = in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if in_string:
            if '"""' in stripped:
                in_string = False
            elif " " in stripped:
                yield number, "string", stripped
            continue
        if in_block or stripped.startswith("/*"):
            yield number, "comment", stripped.strip("/*! ")
            in_block = "*/" not in stripped
            continue
        comment = re.match(r"//+[!<]?\s?(.*)", stripped)
        if comment:
            if comment.group(1).strip().startswith("```"):
                in_code = not in_code
            elif not in_code:
                yield number, "comment", re.sub(r"`[^`]*`", "`code`", comment.group(1))
            continue
        in_code = False
        if stripped.count('"""') == 1:
            in_string = True
            continue
        for match in STRING.finditer(line):
            if " " in match.group(1).strip():
                yield number, "string", re.sub(r"\\\([^)]*\)", "N", match.group(1))
        tail = re.search(r"\s//+\s(.*)$", STRING.sub('""', line))
        if tail:
            yield number, "comment", tail.group(1)


def markdown_lines(text):
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and not line.startswith("    "):
            item = re.match(r"\s*(?:[-*+]\s|\d+\.\s|[|#>])", line)
            words = line.lstrip("#>-*| 0123456789.")
            yield number, "item" if item else "prose", re.sub(r"`[^`]*`", "`code`", words)


def script_lines(text):
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"\s*#(?!!)\s?(.*)", line)
        if match:
            yield number, "comment", match.group(1)
        else:
            for literal in re.finditer(r'"((?:[^"\\]|\\.)*)"' + r"|'([^']*)'", line):
                words = literal.group(1) or literal.group(2) or ""
                if len(re.findall(r"\b[a-z]{2,}\b", words)) >= 4:
                    yield number, "string", words


def sentences(lines):
    """Joins the lines of one paragraph or list item, so that a rule sees whole sentences."""
    block, start, last, kind_now = [], 0, None, None
    for number, kind, text in lines:
        joined = last == number - 1 and (
            (kind == "prose" and kind_now in ("prose", "item"))
            or (kind == kind_now == "comment" and not text.startswith(("- ", "| ", "* "))))
        if block and not (joined and text.strip()):
            yield start, " ".join(block)
            block = []
        if text.strip():
            if not block:
                start = number
            block.append(text.strip())
        last, kind_now = number, kind
    if block:
        yield start, " ".join(block)


def reader(path):
    if path.endswith((".md", ".tutorial")):
        return markdown_lines
    if path.endswith((".swift", ".c", ".h", ".modulemap", ".pml")):
        return swift_lines
    if path.endswith((".sh", ".py", ".1")):
        return script_lines
    return None


def is_script(path):
    if "." in os.path.basename(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!" or "/steps/" in path
    except OSError:
        return False


def files(paths):
    if not paths:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True)
        paths = listed.stdout.decode().split("\0")
    for path in paths:
        if os.path.isdir(path):
            for folder, folders, names in os.walk(path):
                folders[:] = sorted(f for f in folders if not f.startswith("."))
                yield from (os.path.join(folder, n) for n in sorted(names))
        elif os.path.isfile(path):
            yield path


def findings(path):
    """Returns the number of words in the file, and its findings."""
    read = reader(path) or (script_lines if is_script(path) else None)
    if read is None or os.path.islink(path):
        return 0, []
    with open(path, errors="replace") as file:
        text = file.read()
    words, found = 0, []
    for number, sentence in sentences(read(text)):
        words += len(sentence.split())
        for name, match in matches(sentence):
            begin = max(0, match.start() - 30)
            found.append((number, name, sentence[begin:match.end() + 40]))
    return words, found


def matches(sentence):
    """The name and the match of each finding in `sentence`."""
    return [(name, match) for name, pattern in COMPILED for match in pattern.finditer(sentence)]


def self_test(path):
    """Checks the rules with the samples in `path`. Returns the exit code."""
    failures = 0
    with open(path) as file:
        samples = [l.rstrip("\n") for l in file if l.strip() and not l.startswith("#")]
    for sample in samples:
        kind, text = sample.split(": ", 1)
        if (kind == "hard") == bool(matches(text)):
            continue
        failures += 1
        print(f"{path}: {'no finding in' if kind == 'hard' else 'a finding in'}: {text}")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--exceptions")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--self-test")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options.self_test)
    exceptions = []
    if options.exceptions:
        with open(options.exceptions) as file:
            exceptions = [l.rstrip("\n").split(": ", 1) for l in file
                          if l.strip() and not l.startswith("#")]
    words = count = 0
    for path in files(options.paths):
        more, found = findings(path)
        words += more
        for number, name, text in found:
            if any(path == e[0] and e[1] in text for e in exceptions):
                continue
            count += 1
            if options.list:
                print(f"{path}:{number}: [{name}] {text}")
    density = 1000 * count / max(1, words)
    print(f"{density:.2f} per 1,000 words ({count} in {words})")
    return 1 if options.limit is not None and density > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
