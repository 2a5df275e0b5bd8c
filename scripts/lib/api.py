"""usage: api.py GRAPHS MODULE…

Prints the public API of MODULEs from their symbol graphs in the folder GRAPHS,
one declaration or conformance per line, sorted: PATH | DECLARATION.

exit: 0 done · 1 a graph cannot be read
"""

import json
import pathlib
import sys

# Every type has these, and compilers differ in which they record.
IMPLICIT = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}
RELATIONS = {"==": "==", "sameType": "==", "conformance": ":", "superclass": ":"}


def graphs(folder, module):
    """The graph of the module, then the graphs of its extensions to other modules' types."""
    yield folder / f"{module}.symbols.json"
    yield from sorted(folder.glob(f"{module}@*.symbols.json"))


def where(constraints):
    parts = sorted(
        f"{one['lhs']} {RELATIONS[one['kind']]} {one['rhs']}"
        for one in constraints or ()
        if one["rhs"].split(".")[-1] not in IMPLICIT
    )
    return " // where " + ", ".join(parts) if parts else ""


def declaration(symbol):
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    text = " ".join(text.split())
    # The graph has `open` apart from the declaration.
    prefix = "open " if symbol["accessLevel"] == "open" else ""
    constraints = symbol.get("swiftExtension", {}).get("constraints")
    return prefix + text + where(constraints)


def conformance(relation, paths):
    name = relation.get("targetFallback", relation["target"]).split(".", 1)[-1]
    name = paths.get(relation["target"], name)
    if name in IMPLICIT:
        return None
    verb = "inherits from" if relation["kind"] == "inheritsFrom" else "conforms to"
    return f"{verb} {name}{where(relation.get('swiftConstraints'))}"


def lines(graph):
    paths = {one["identifier"]["precise"]: ".".join(one["pathComponents"]) for one in graph["symbols"]}
    for symbol in graph["symbols"]:
        yield f"{'.'.join(symbol['pathComponents'])} | {declaration(symbol)}"
    for relation in graph["relationships"]:
        if relation["kind"] not in ("conformsTo", "inheritsFrom"):
            continue
        text = conformance(relation, paths)
        if text:
            yield f"{paths.get(relation['source'], relation['source'])} | {text}"


def main():
    folder = pathlib.Path(sys.argv[1])
    for module in sys.argv[2:]:
        found = set()
        for path in graphs(folder, module):
            found.update(lines(json.loads(path.read_text(encoding="utf-8"))))
        print(*sorted(found), sep="\n")


main()
