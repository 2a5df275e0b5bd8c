"""usage: bench.py FOLDER [PAGE]

Prints the tables of scripts/bench from the reports in FOLDER. With PAGE, also
writes each between its two comments in that file.

exit: 0 done · 1 a report lacks a figure, or PAGE the comments
"""

import json
import pathlib
import statistics
import sys

# The unit of a figure. A row: name, scenario, series, peer, reference, percentile, unit, bar.
# `medians` is the quotient of two medians over all runs. loopbench compares only with references.
ratio, medians, extra, plain, share = "×", "× of medians", "ns above", "ns", "a burst"
LOOP = [
    ("a duplicate commit, looked up", "commit", "duplicate", "lt", "set", "50", ratio, 0.30),
    ("a duplicate commit, kept", "commit", "duplicate", "lt.kept", "dirtybit", "50", ratio, 1.5),
    ("a first commit and its performing", "commit", "first", "lt", "set", "50", ratio, 0.45),
    ("a closure from another thread", "post", "closure.across", "lt", "uv", "50", ratio, 1.1),
    ("a function from another thread", "post", "typed.across", "lt", "uv", "50", ratio, 0.2),
    ("a commit from another thread", "post", "commit.across", "lt", "uv", "50", ratio, 0.3),
    ("a function from the loop itself", "post", "typed.self", "lt", None, "50", plain, 20),
    ("a wake across CPUs, p50", "wake", "across", "lt", "uv", "50", ratio, 1.10),
    ("a wake across CPUs, p99", "wake", "across", "lt", "uv", "99", ratio, 1.20),
    ("a wake on one CPU, sender not preempted", "wake", "same", "lt", "uv", "50", ratio, None),
    ("a wake on one CPU, sender preempted", "wake", "same.low", "lt", "uv", "50", ratio, 0.15),
    ("a tick with nothing to do", "idle", "tick", "lt", "uv", "50", extra, 40),
]
OPERATIONS = [
    ("an empty operation, added and run", "pool", "empty", "lt", "uvwork", "50", ratio, 0.4),
    ("the same", "pool", "empty", "lt", "dispatch", "50", ratio, 0.2),
    ("the same", "pool", "empty", "lt", "opqueue", "50", ratio, 0.05),
    ("the same", "pool", "empty", "lt", "ring", "50", ratio, None),
    ("cancelling one that waits", "pool", "cancel", "lt", None, "50", plain, 100),
    ("a transaction and its completion", "pool", "transactions", "lt", "uvwork", "50", ratio, 1),
    ("the same", "pool", "transactions", "lt", "ring", "50", ratio, None),
    ("a call of apply, of 1000 empty ones", "pool", "apply", "lt", "dispatch", "50", ratio, 1),
    ("wakes for 1000 transactions", "pool", "transactions", "lt", None, "wakes", share, 20),
    ("an urgent one over 10000 others, p50", "priority", "latency", "lt", None, "50", plain, 10_000),
    ("the same, p99", "priority", "latency", "lt", None, "99", plain, 30_000),
    ("the same, p50", "priority", "latency", "lt", "opqueue", "50", ratio, 0.25),
    ("the same, p99", "priority", "latency", "lt", "opqueue", "99", ratio, 0.25),
    ("the same, p99", "priority", "latency", "lt", "dispatch", "99", ratio, 1),
    ("a low one under endless urgent ones, p50", "priority", "starvation", "lt", None, "50", plain, None),
    ("the same, the longest", "priority", "starvation", "lt", None, "max", plain, None),
]
HOPS = [
    ("a pinned actor, by a task that prefers the loop", "hop", "call", "lt.preferred", None, "50", plain, None),
    ("the same", "hop", "call", "lt.preferred", "lt", "50", ratio, 0.1),
    ("a pinned actor, from Swift's threads", "hop", "call", "lt", None, "50", plain, None),
    ("MainActor on a bridge, from Swift's threads", "hop", "call", "main", None, "50", plain, None),
    ("a default actor that has no other caller", "hop", "call", "actor", None, "50", plain, None),
]
IO = [
    ("a byte to a watcher's callback", "io", "byte", "lt", "uv", "50", ratio, None),
    ("the same", "io", "byte", "lt", "epoll", "50", ratio, None),
    ("the same, by a Dispatch source", "io", "byte", "dispatch", None, "50", plain, None),
    ("the same", "io", "byte", "lt", "dispatch", "50", medians, None),
    ("an echo over TCP", "io", "echo", "lt", "uv", "50", ratio, None),
    ("the same", "io", "echo", "lt", "epoll", "50", ratio, None),
    ("the same, by a Dispatch source", "io", "echo", "dispatch", None, "50", plain, None),
    ("the same", "io", "echo", "lt", "dispatch", "50", medians, None),
    ("a message over one of 32 connections", "io", "echo.many", "lt", "uv", "50", ratio, None),
    ("the same", "io", "echo.many", "lt", "epoll", "50", ratio, None),
    ("the same, by a Dispatch source", "io", "echo.many", "dispatch", None, "50", plain, None),
    ("the same", "io", "echo.many", "lt", "dispatch", "50", medians, None),
]
RUNLOOP = [
    (label, "wake", series, peer, reference, "50", kind, None)
    for name, series in [
        ("a wake across CPUs", "across"),
        ("a wake on one CPU, sender not preempted", "same"),
        ("a wake on one CPU, sender preempted", "same.low"),
    ]
    for label, peer, reference, kind in [
        (name, "lt", "runloop", medians), ("the same, by a run loop", "runloop", None, plain),
    ]
]
TABLES = {"loop": LOOP, "operations": OPERATIONS, "hops": HOPS, "io": IO, "runloop": RUNLOOP}


def result(report, scenario, series, peer):
    for one in report["results"]:
        if (one["scenario"], one["series"], one["peer"]) == (scenario, series, peer):
            return one


def value(report, scenario, series, peer, name):
    """A percentile, the largest, or a count for each burst; None where that is not there."""
    one = result(report, scenario, series, peer)
    if name in one["counts"]:
        return one["counts"][name] / one["counts"]["bursts"]
    return one["max"] if name == "max" else one["percentiles"].get(name)


def comparison(report, scenario, series, peer, reference, percentile):
    key = (scenario, series, peer, reference, percentile)
    for one in report["comparisons"]:
        if tuple(one[name] for name in ("scenario", "series", "peer", "reference", "percentile")) == key:
            return one


def figure(report, scenario, series, peer, reference, percentile, kind):
    if kind in (plain, share):
        return value(report, scenario, series, peer, percentile)
    found = comparison(report, scenario, series, peer, reference, percentile)
    return found["ratio" if kind == ratio else "difference"]["median"]


def show(value, kind):
    return {ratio: f"{value:.2f}×", medians: f"{value:.2f}×", extra: f"{value:.1f} ns", share: f"{value:.2g}"}.get(kind) or time(value)


def time(nanoseconds):
    return f"{nanoseconds / 1000:.1f} µs" if nanoseconds >= 1000 else f"{nanoseconds:.3g} ns"


def short(value, kind):
    return {ratio: f"{value:g}×", share: f"{value:g}"}.get(kind) or time(value)


def table(reports, bars):
    machine, rounds = reports[0]["machine"], reports[0]["settings"]["rounds"]
    lines = [
        f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['virtualization']}, {machine['os']}, "
        f"libuv {machine['libuv']}, Swift {machine['swift']}. {len(reports)} runs of {rounds} rounds.",
        "",
        "| figure | series | this runtime | beside | median | lowest to highest run | bar | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, scenario, series, peer, reference, percentile, kind, bar in bars:
        own = statistics.median(value(report, scenario, series, peer, percentile) for report in reports)
        if kind == medians:
            other = statistics.median(value(report, scenario, series, reference, percentile) for report in reports)
            lines.append(f"| {name} | `{scenario} {series}` | {time(own)} | {reference} | {show(own / other, kind)} |  |  |  |")
            continue
        values = [figure(report, scenario, series, peer, reference, percentile, kind) for report in reports]
        median = statistics.median(values)
        lines.append(
            f"| {name} | `{scenario} {series}` | {show(own, share) if kind == share else time(own)} | "
            f"{reference or ''} | {show(median, kind)} | "
            f"{show(min(values), kind)} to {show(max(values), kind)} | {'' if bar is None else short(bar, kind)} | "
            f"{'' if bar is None else 'met' if median <= bar else 'missed'} |"
        )
    return "\n".join(lines)


def replace(page, name, text):
    """Replaces the table between the page's comments for `name`."""
    head, rest = page.read_text().split(f"<!-- bench {name} -->\n", 1)
    _, tail = rest.split(f"<!-- /bench {name} -->", 1)
    page.write_text(f"{head}<!-- bench {name} -->\n{text}\n<!-- /bench {name} -->{tail}")


def main():
    folder, *page = map(pathlib.Path, sys.argv[1:])
    for name, bars in TABLES.items():
        reports = [json.loads(path.read_text()) for path in sorted(folder.glob(name + ".*"))]
        if not reports:
            continue
        text = table(reports, bars)
        print(text + "\n")
        if page:
            replace(page[0], name, text)


main()
