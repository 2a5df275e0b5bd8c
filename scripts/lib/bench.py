"""usage: bench.py --rounds N --runs N [--peers PROGRAM] [--before PROGRAM] [--page FILE] [TABLE…]

Measures the figures of scripts/bars.txt and prints a table that judges them. scripts/bench
builds the programs. With --page, also writes each table between its two comments in that file.

exit: 0 done · 1 a run failed, or the page has no such comments
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

import allocators
import bars

OWN = ".build/release/loopbench"


class Runs:
    """The reports of loopbench, by the scenarios and peers that one process measures."""

    def __init__(self, options):
        self.options = options
        self.rounds = -(-options.rounds // options.runs)
        self.peers = {OWN: self.listed(OWN, "peers")}
        self.series = {OWN: self.listed(OWN, "metrics")}
        if options.peers:
            self.peers[options.peers] = self.listed(options.peers, "peers")
            self.series[options.peers] = self.listed(options.peers, "metrics")
        self.reports = {}

    @staticmethod
    def listed(program, topic):
        """The peers with their scenarios, or the series."""
        text = subprocess.run([program, "list", topic, "--json"], check=True, capture_output=True, text=True).stdout
        return {one["name"]: one.get("scenarios") for one in json.loads(text)[topic]}

    def program(self, sides):
        """The first program that has the series and the peers. Throws bars.NotMeasured."""
        reason = ""
        for program in self.peers:
            missing = [side for side in sides if side.path not in self.series[program]]
            if missing:
                reason = f"loopbench has no series {missing[0].path}"
                continue
            missing = [side for side in sides if side.scenario not in self.peers[program].get(side.peer, [])]
            if not missing:
                return program
            reason = f"no peer {missing[0].peer} in {missing[0].scenario}"
        missing = not self.options.peers and "peer" in reason
        raise bars.NotMeasured(reason + "; loopbench-peers was not built" * missing)

    def group(self, figure):
        """The key of the process that measures a figure."""
        sides = [side for side in figure.sides if not side.isEarlier]
        program = self.program(sides)
        if len(sides) < len(figure.sides) and not self.options.before:
            raise bars.NotMeasured("no earlier program was named: --before PROGRAM")
        return program, tuple(sorted({side.scenario for side in sides}))

    def measure(self, figures):
        """Measures the figures of loopbench, all of them in each run, with the earlier program beside."""
        groups = collections.OrderedDict()
        for figure in figures:
            try:
                groups.setdefault(self.group(figure), []).append(figure)
            except bars.NotMeasured:
                pass
        for run in range(self.options.runs):
            for key, members in groups.items():
                sides = [side for figure in members for side in figure.sides]
                now = [side for side in sides if not side.isEarlier]
                self.reports.setdefault(key, []).append(self.run(key[0], now))
                earlier = [side for side in sides if side.isEarlier]
                if earlier:
                    report = self.run(self.options.before, earlier)
                    self.reports.setdefault(("before",) + key, []).append(report)
            print(f"run {run + 1} of {self.options.runs}: load average {os.getloadavg()[0]:.1f}", file=sys.stderr)

    def run(self, program, sides):
        names = {name: ",".join(dict.fromkeys(values)) for name, values in [
            ("--series", [side.path for side in sides]), ("-p", [side.peer for side in sides])]}
        command = [program, *dict.fromkeys(side.scenario for side in sides), "--rounds", str(self.rounds)]
        command += ["--no-aa", "-f", "json", "--progress", "never"]
        for name, value in names.items():
            command += [name, value]
        result = subprocess.run(command, capture_output=True, text=True)
        # 1: a peer failed, and the report says so.
        if result.returncode not in (0, 1) or not result.stdout:
            sys.exit(f"bench: {' '.join(command)} failed:\n{result.stderr}")
        return json.loads(result.stdout)

    def judge(self, figure, instructions):
        if isinstance(figure.ours, bars.Instructions):
            return bars.judge(figure, [], instructions=instructions)
        key = self.group(figure)
        return bars.judge(figure, self.reports.get(key, []), self.reports.get(("before",) + key, []))


def counted(figures):
    """The instructions of the paths that the figures name, by scripts/counts."""
    paths = [path for figure in figures for side in figure.sides if isinstance(side, bars.Instructions)
             for path in side.paths]
    if not paths:
        return {}
    result = subprocess.run(["scripts/counts", *dict.fromkeys(paths)], capture_output=True, text=True)
    if result.returncode:
        print(f"bench: scripts/counts failed: {result.stderr.strip()}", file=sys.stderr)
    lines = [line.split() for line in result.stdout.splitlines()]
    return {words[0]: float(words[1]) for words in lines if words[2:3] == ["instructions"]}


def time(nanoseconds):
    for unit, size in [("ms", 1_000_000), ("µs", 1000)]:
        if nanoseconds >= size:
            return f"{nanoseconds / size:.1f} {unit}"
    return f"{nanoseconds:.3g} ns"


def quantity(figure, value):
    """A value of `ours` in its unit."""
    if isinstance(figure.ours, bars.Instructions):
        return f"{value:.0f} instructions"
    return time(value) if figure.ours.statistic[0] == "p" else f"{value:.2g}"


def name(side):
    if side is None:
        return ""
    if isinstance(side, bars.Instructions):
        return f"`{' − '.join(side.paths)}`" + (f" / {side.divisor:g}" if side.divisor != 1 else "")
    words = f"`{side.path}` `{side.peer}`" + (f" {side.statistic}" if side.statistic != "p50" else "")
    return "before: " * side.isEarlier + f"{side.factor:g} × " * (side.factor != 1) + words


def beside(figure):
    """The peer alone, if it is measured in the series of `ours`."""
    other = figure.beside
    if isinstance(other, bars.Series) and other.path == figure.ours.path and not other.isEarlier:
        return f"`{other.peer}`"
    return name(other)


def row(figure, runs, instructions):
    """The cells of a figure's line."""
    head = [figure.workload, name(figure.ours)]
    bar = "" if figure.bar is None else figure.barText.replace("x", "×")
    try:
        found = runs.judge(figure, instructions)
    except bars.NotMeasured as reason:
        return head + ["", beside(figure), "", "", bar, f"not measured: {reason}"]
    show = (lambda value: f"{value:.2f}×") if figure.beside else (lambda value: quantity(figure, value))
    low, high = show(found.low), show(found.high)
    between = f"{low} to {high}" if found.rounds else ""
    return head + [quantity(figure, found.ours), beside(figure), show(found.median), between, bar, found.verdict]


def table(figures, runs, instructions):
    rows = [row(figure, runs, instructions) for figure in figures]
    titles = ["workload", "ours", "", "beside", "ratio", "95 % interval", "bar", ""]
    lines = ["| " + " | ".join(cells) + " |" for cells in [titles, ["---"] * 8] + rows]
    return "\n".join(lines).replace("|  |", "| |").replace("|  |", "| |").replace("| --- ", "|---").replace("---|---", "---|---")


def machine(runs, loads):
    if not runs.reports:
        return "Counts alone."
    one = next(iter(runs.reports.values()))[0]["machine"]
    count = runs.options.runs
    return (
        f"{one['cpu']}, {one['cpus']} CPUs, {one['virtualization']}, {one['os']}, libuv {one['libuv']}, "
        f"Swift {one['swift']}. {runs.rounds * count} rounds in {count} processes. "
        f"Load average {loads[0]:.1f} before and {loads[1]:.1f} after.{busy(runs.reports)}"
    )


def busy(groups):
    """A sentence about the run beside which other processes used the most CPU time, if loopbench warned."""
    texts = [warning["text"] for reports in groups.values() for report in reports
             for warning in report["warnings"] if warning.get("id") == "load"]
    used = [float(found[1]) for text in texts if (found := re.search(r"used ([\d.]+) of", text))]
    return f" Not a quiet machine: other processes used up to {max(used):g} CPUs." if used else ""


def replace(page, name, text):
    """Replaces the table between the page's comments for `name`."""
    head, rest = page.read_text().split(f"<!-- bench {name} -->\n", 1)
    _, tail = rest.split(f"<!-- /bench {name} -->", 1)
    page.write_text(f"{head}<!-- bench {name} -->\n{text}\n<!-- /bench {name} -->{tail}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    for option in ["--peers", "--before", "--page"]:
        parser.add_argument(option)
    parser.add_argument("tables", nargs="*")
    options = parser.parse_args()
    figures = bars.parse(bars.FILE.read_text())
    for table_name in options.tables or dict.fromkeys(figure.table for figure in figures):
        if table_name == "allocators":
            text = allocators.table(OWN, options.runs, options.rounds)
        else:
            text = measured([figure for figure in figures if figure.table == table_name], options)
        print(f"{table_name}: {text}\n", flush=True)
        if options.page:
            replace(pathlib.Path(options.page), table_name, text)


def measured(figures, options):
    """The table of `figures`, below the machine that measured them."""
    runs, before = Runs(options), os.getloadavg()[0]
    runs.measure([figure for figure in figures if isinstance(figure.ours, bars.Series)])
    lines = table(figures, runs, counted(figures))
    return f"{machine(runs, (before, os.getloadavg()[0]))}\n\n{lines}"


if __name__ == "__main__":
    main()
