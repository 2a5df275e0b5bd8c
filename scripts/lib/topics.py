"""usage: python3 scripts/lib/topics.py ARCHIVE…

Checks the pages of documentation archives. A page that lists more than 8 members in
groups of docc ("Instance Methods") needs topics of its own, in an extension file of
the module's catalog: Sources/MODULE/MODULE.docc/TYPE.md.

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import json
import pathlib
import sys

LIMIT = 8
# Cases and conformances are read as a whole.
WHOLE = ("Enumeration Cases", "Default Implementations", "Conforms To")


def listed(page):
    """The number of members that no topic groups."""
    return sum(
        len(section["identifiers"])
        for section in page.get("topicSections", [])
        if section.get("generated") and section.get("title") not in WHOLE
    )


def main(archives):
    faults = 0
    for archive in map(pathlib.Path, archives):
        pages = archive / "data" / "documentation"
        for path in sorted(pages.rglob("*.json")):
            page = json.loads(path.read_text(encoding="utf-8"))
            count = listed(page)
            if page.get("metadata", {}).get("role") in ("symbol", "collection") and count > LIMIT:
                name = path.relative_to(pages).with_suffix("")
                print(f"{name}: {count} members in no topic; group them in {archive.stem}.docc")
                faults += 1
    return faults


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(print(__doc__) or 2)
    sys.exit(1 if main(sys.argv[1:]) else 0)
