"""usage: python3 scripts/lib/topics.py ARCHIVE…

Checks the pages of documentation archives. A page that lists more than 8 members in
groups of docc ("Instance Methods") needs topics of its own, in an extension file of
the module's catalog: Sources/MODULE/MODULE.docc/Members/TYPE.md. A topic of a page has
at most 8 members, and a member is in one topic.

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import collections
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


def topics(page):
    """Yields (title, members) of each group that a catalog names."""
    for section in page.get("topicSections", []):
        if not section.get("generated"):
            yield section.get("title", ""), section["identifiers"]


def faults_of(page):
    """Yields the faults of a page."""
    if page.get("metadata", {}).get("role") in ("symbol", "collection") and listed(page) > LIMIT:
        yield f"{listed(page)} members in no topic; group them"
    for title, members in topics(page):
        if len(members) > LIMIT:
            yield f"{len(members)} members in the topic '{title}'; divide it"
    counts = collections.Counter(member for _, members in topics(page) for member in members)
    for member, count in counts.items():
        if count > 1:
            yield f"{member} is in {count} topics; leave it in one"


def main(archives):
    faults = 0
    for archive in map(pathlib.Path, archives):
        pages = archive / "data" / "documentation"
        for path in sorted(pages.rglob("*.json")):
            page = json.loads(path.read_text(encoding="utf-8"))
            for fault in faults_of(page):
                name = path.relative_to(pages).with_suffix("")
                print(f"{archive.stem}.docc: {name}: {fault}")
                faults += 1
    return faults


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(print(__doc__) or 2)
    sys.exit(1 if main(sys.argv[1:]) else 0)
