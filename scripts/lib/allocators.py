"""The table of `scripts/bench allocators`: posts of closures with other libraries of malloc.

Such a closure is allocated by one thread and freed by another.
"""
import glob
import json
import os
import statistics
import subprocess
import sys

import bars

# The path of each library for LD_PRELOAD. glibc needs none.
LIBRARIES = {"glibc": None, "jemalloc": "/usr/lib/*/libjemalloc.so.2", "mimalloc": "/usr/lib/*/libmimalloc.so.2.0"}
PEERS = ["lt", "uv"]
SERIES = "closure.across"


def found():
    """The libraries that are installed."""
    paths = {name: next(iter(glob.glob(pattern)), None) for name, pattern in LIBRARIES.items() if pattern}
    for name, path in paths.items():
        if not path:
            print(f"note: {name} is not installed; scripts/setup --checks installs it", file=sys.stderr)
    return {"glibc": None} | {name: path for name, path in paths.items() if path}


def measure(program, library, rounds):
    command = [program, "post", "--series", SERIES, "-p", ",".join(PEERS), "--no-aa", "--rounds", str(rounds)]
    environment = os.environ | ({"LD_PRELOAD": library} if library else {})
    result = subprocess.run(command + ["-f", "json"], capture_output=True, text=True, env=environment)
    if result.returncode:
        sys.exit(f"bench: {' '.join(command)} failed with {library}:\n{result.stderr}")
    return json.loads(result.stdout)


def table(program, runs, rounds):
    """Runs the processes with each library in turn."""
    libraries = found()
    reports = {name: [] for name in libraries}
    for _ in range(runs):
        for name, path in libraries.items():
            reports[name].append(measure(program, path, -(-rounds // runs)))
    return "\n".join([
        f"`post/{SERIES}`, ns per item. {rounds} rounds in {runs} processes for each library.",
        "",
        "| malloc | `lt` | `uv` | `lt` / `uv` | 95 % interval | `lt` / `lt` with glibc |",
        "|---|--:|--:|--:|---|--:|",
        *rows(reports),
    ])


def rows(reports):
    medians = {name: [statistics.median(values(peer, own).values()) for peer in PEERS] for name, own in reports.items()}
    for name, own in reports.items():
        lt, uv = (values(peer, own) for peer in PEERS)
        ratios = [lt[key] / uv[key] for key in lt if key in uv]
        low, high = bars.interval(ratios)
        yield (
            f"| {name} | {medians[name][0]:.1f} ns | {medians[name][1]:.1f} ns | {statistics.median(ratios):.2f}× | "
            f"{low:.2f}× to {high:.2f}× | {medians[name][0] / medians['glibc'][0]:.2f}× |"
        )


def values(peer, reports):
    return bars.values(bars.Series("post", SERIES, peer), reports)
