"""usage: changelog.py section VERSION
       changelog.py debian PACKAGE SECTION VERSION MAINTAINER DATE

Reads CHANGELOG.md. `section` prints the section of VERSION. `debian` prints
SECTION in the format of a Debian changelog, as VERSION of PACKAGE.

exit: 0 done · 1 there is no such section, or it is empty
"""

import pathlib
import re
import sys
import textwrap


def section(version):
    """The text between the heading of `version` and the next."""
    text = pathlib.Path("CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text, re.MULTILINE | re.DOTALL
    )
    body = found.group(1).strip() if found else ""
    if not body:
        sys.exit(f"error: CHANGELOG.md has no entries for [{version}]")
    return body


def plain(markdown):
    """Without links and code marks."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "")


def debian(package, name, version, maintainer, date):
    # An entry is a line that begins with "- " and the indented lines after it.
    entries = re.findall(r"^- (.*(?:\n  .*)*)", section(name), re.MULTILINE)
    lines = [f"{package} ({version}) unstable; urgency=medium", ""]
    for entry in entries:
        lines += textwrap.wrap(
            plain(" ".join(entry.split())),
            width=78,
            initial_indent="  * ",
            subsequent_indent="    ",
            break_on_hyphens=False,
        )
    return "\n".join([*lines, "", f" -- {maintainer}  {date}"])


def main():
    command, *arguments = sys.argv[1:]
    print({"section": section, "debian": debian}[command](*arguments))


main()
