"""usage: python3 scripts/lib/pages.py ARCHIVE…

Compares documentation archives with the public API: each declaration of
docs/api/MODULE.txt must have a page in MODULE.doccarchive. Overloads are counted.

exit: 0 no fault, 1 faults, which are printed, 2 usage
"""
import collections
import json
import pathlib
import re
import sys

API = pathlib.Path("docs/api")
# docc appends it to the name of an overload, or of a name that differs only in case.
SUFFIX = re.compile(r"-(swift\.[\w.]+|[0-9a-z]+)$")


def declarations(text):
    """The path of each declaration. A conformance has no page."""
    for line in text.splitlines():
        path, what = line.split(" | ", 1)
        if not what.startswith(("conforms to ", "inherits from ")):
            yield path


def protocols(text, owner):
    """The protocols to which a type or a protocol conforms."""
    return re.findall(rf"^{re.escape(owner)} \| conforms to (\w+)$", text, re.MULTILINE)


def key(names):
    return re.sub("[/<>]", "_", ".".join(names).lower())


def page_key(page, module):
    """The path of a symbol's page, without the modules, or None."""
    if page.get("metadata", {}).get("symbolKind") in (None, "module", "extension"):
        return None
    names = page["identifier"]["url"].split("/documentation/", 1)[1].split("/")[1:]
    extended = page["metadata"].get("extendedModule", module)
    if names[0] == extended and extended != module:
        names.pop(0)
    return key(SUFFIX.sub("", name) for name in names)


def missing(archive):
    module = archive.stem
    api = API / f"{module}.txt"
    if not api.exists():
        return
    pages = collections.Counter(
        page_key(json.loads(path.read_text(encoding="utf-8")), module)
        for path in (archive / "data" / "documentation").rglob("*.json")
    )
    text = api.read_text(encoding="utf-8")
    absent = []
    for path in declarations(text):
        pages[key([path])] -= 1
        if pages[key([path])] < 0:
            absent.append(path)
    for path in absent:
        # docc shows the default for a requirement of an inherited protocol there.
        owner, _, member = path.rpartition(".")
        names = [key([f"{parent}.{member}"]) for parent in protocols(text, owner)]
        name = next((name for name in names if pages[name] > 0), None)
        if name is None:
            yield f"{api}: {path} has no page"
        else:
            pages[name] -= 1


def main(archives):
    faults = [fault for archive in archives for fault in missing(pathlib.Path(archive))]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(print(__doc__) or 2)
    sys.exit(main(sys.argv[1:]))
