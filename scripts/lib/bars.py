"""The figures of scripts/bars.txt, and whether reports of loopbench meet their bars.

A bar is met if the upper end of the 95 % interval of the median over the rounds is not above it.
The ratio of two series is taken within each round. Instructions do not vary, so they have no
interval.
"""
import dataclasses
import pathlib
import random
import re
import statistics

FILE = pathlib.Path(__file__).parent.parent / "bars.txt"
# As in loopbench: fewer rounds have no 95 % interval.
LEAST_ROUNDS = 6
RESAMPLES = 2000
UNITS = {"ns": 1, "µs": 1000, "ms": 1_000_000}


class BarError(Exception):
    """A line of the file that cannot be parsed."""


class NotMeasured(Exception):
    """The reason why a figure has no value."""


@dataclasses.dataclass(frozen=True)
class Series:
    """One statistic of a peer in a series: a percentile, or a count for each burst."""

    scenario: str
    series: str
    peer: str
    statistic: str = "p50"
    factor: float = 1

    @property
    def path(self):
        return f"{self.scenario}/{self.series}"


@dataclasses.dataclass(frozen=True)
class Instructions:
    """A path of scripts/counts, less the count of a base path, divided by a number."""

    path: str
    base: str = ""
    divisor: float = 1

    @property
    def paths(self):
        return [self.path] + [self.base] * bool(self.base)


@dataclasses.dataclass(frozen=True)
class Figure:
    """A line of the file."""

    table: str
    workload: str
    ours: object
    beside: object
    # A ratio if there is a figure beside, otherwise ns or a number. None without a bar.
    bar: float
    # The bar as the file has it.
    barText: str

    @property
    def sides(self):
        return [self.ours] + [self.beside] * (self.beside is not None)


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The values of a figure. `verdict` is met, missed, or empty without a bar."""

    ours: float
    median: float
    low: float
    high: float
    rounds: int
    verdict: str


def parse(text):
    """The figures of the file, in its order."""
    figures = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 5:
            raise BarError(f"line {number}: {len(cells)} cells instead of 5")
        try:
            figures.append(figure(*cells))
        except BarError as error:
            raise BarError(f"line {number}: {error}") from None
    return figures


def figure(table, workload, ours, beside, bar):
    own = side(ours)
    other = None if beside == "-" else side(beside, own)
    if isinstance(own, Instructions) != isinstance(other or own, Instructions):
        raise BarError("instructions have only instructions beside them")
    return Figure(table, workload, own, other, number(bar, isRatio=other is not None), bar)


def side(text, other=None):
    if found := re.fullmatch(r"instructions (\S+)(?: - (\S+))?(?: / (\d+))?", text):
        return Instructions(found[1], found[2] or "", float(found[3] or 1))
    found = re.fullmatch(r"(?:([\d.]+) )?(?:([\w-]+)/(\S+) )?([\w.]+)(?: (\w[\w.]*))?", text)
    if not found or not (found[2] or isinstance(other, Series)):
        raise BarError(f"no series of loopbench: {text}")
    return Series(
        scenario=found[2] or other.scenario,
        series=found[3] or other.series,
        peer=found[4],
        statistic=found[5] or (other.statistic if other else "p50"),
        factor=float(found[1] or 1),
    )


def number(bar, isRatio):
    if bar == "-":
        return None
    found = re.fullmatch(r"([\d.]+)(x| ns| µs| ms)?", bar)
    if not found or (found[2] == "x") != isRatio:
        raise BarError(f"the bar {bar} is not a {'ratio' if isRatio else 'time or number'}")
    return float(found[1]) * UNITS.get((found[2] or "").strip(), 1)


def judge(figure, reports):
    """Judges a figure by reports, each from a run of its own. Throws NotMeasured."""
    own, *other = [values(side, reports) for side in figure.sides]
    rounds = sorted(key for key in own if all(each.get(key, 0) > 0 for each in other))
    if len(rounds) < LEAST_ROUNDS:
        raise NotMeasured(f"{len(rounds)} rounds have it, {LEAST_ROUNDS} are needed")
    shown = [own[key] / other[0][key] if other else own[key] for key in rounds]
    low, high = interval(shown)
    median = statistics.median(shown)
    ours = statistics.median(own[key] for key in rounds)
    return Judgement(ours, median, low, high, len(rounds), verdict(median, low, high, figure.bar))


def verdict(median, low, high, bar):
    if bar is None:
        return ""
    if high <= bar:
        return "met"
    # The interval includes the bar: more rounds may meet it.
    return "missed" if low > bar else "missed, within the noise"


def exact(figure, instructions):
    """Judges a figure by the instructions of each path. Throws NotMeasured."""

    def count(side):
        missing = [path for path in side.paths if path not in instructions]
        if missing:
            raise NotMeasured(f"no instructions of {missing[0]}")
        return (instructions[side.path] - instructions.get(side.base, 0)) / side.divisor

    ours = count(figure.ours)
    shown = ours / count(figure.beside) if figure.beside else ours
    return Judgement(ours, shown, shown, shown, 0, verdict(shown, shown, shown, figure.bar))


def values(side, reports):
    """The value of a series in each round, by (run, round)."""
    if not reports:
        raise NotMeasured("no report has it")
    found = {}
    for run, report in enumerate(reports):
        for result in report["results"]:
            key = result["scenario"], result["series"], result["peer"]
            for one in result["perRound"] if key == (side.scenario, side.series, side.peer) else []:
                value = statistic(side.statistic, one)
                if value is not None:
                    found[run, one["round"]] = value * side.factor
    if not found:
        raise NotMeasured(absence(side, reports))
    return found


def statistic(name, perRound):
    if re.fullmatch(r"p[\d.]+", name):
        return perRound["percentiles"].get(name[1:])
    counts = perRound.get("counts") or {}
    return counts[name] / counts["bursts"] if name in counts and counts.get("bursts") else None


def absence(side, reports):
    """The warning of a report about a peer without results, or that there is none."""
    for report in reports:
        for warning in report.get("warnings", []):
            if side.scenario in warning["text"] and re.search(rf"\b{re.escape(side.peer)}\b", warning["text"]):
                return warning["text"]
    return f"no result of {side.peer} in {side.path}"


def interval(values):
    """The 95 % bootstrap interval of the median."""
    generator = random.Random(1)
    medians = sorted(
        statistics.median(generator.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    cut = RESAMPLES // 40
    return medians[cut], medians[-1 - cut]
