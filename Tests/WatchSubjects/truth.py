"""Compares the holds that `loopbench watch` reports with those that a subject planted.

README.md has the format of the truth.
"""
import dataclasses
import json
import re

MS = 1_000_000


@dataclasses.dataclass
class Plant:
    """A hold that a subject planted. Times are in ns of the monotonic clock."""

    name: str
    began: int
    ended: int
    cpu: int  # The time for which the thread ran, or -1 if the subject does not know.
    queued: int  # The time for which it waited for a CPU.
    causes: set
    functions: set  # Empty if the function cannot be named.
    reason: str  # A pattern of what a blocked thread waits for, or '-'.

    @property
    def length(self):
        return self.ended - self.began

    def allowed_causes(self):
        """The machine may be the main cause of a plant that waited for a CPU for long."""
        if self.causes == {"throttled"}:
            return self.causes
        return self.causes | ({"waiting for CPU"} if self.queued * 2.5 > self.length else set())


@dataclasses.dataclass
class Hold:
    """A hold that the watch reported."""

    began: float
    ended: float
    causes: dict
    culprit: list
    reason: str
    stacks: list

    @property
    def length(self):
        return self.ended - self.began

    @property
    def cause(self):
        return max(self.causes, key=self.causes.get) if self.causes else "none"

    def names(self, functions):
        """True if the culprit has one of the functions."""
        return any(entry in functions or entry.split(" ")[0].split("<")[0].rsplit("::", 1)[-1] in functions
                   or entry.split(" ")[0] in functions for entry in self.culprit)

    def __str__(self):
        parts = ", ".join(f"{cause} {time / MS:.1f}" for cause, time in self.causes.items())
        path = " < ".join(self.culprit) or "no name"
        return f"{self.length / MS:.1f} ms from {self.began / MS:.1f}: {parts}; {path}"


@dataclasses.dataclass
class Truth:
    plants: list
    known: list  # Spans in which the subject may have held its loop.
    ticks: list  # Times at which the loop ran a timer or answered.


def read_truth(path):
    truth = Truth([], [], [])
    with open(path) as file:
        for line in file:
            kind, *words = line.rstrip("\n").split("\t")
            if kind == "hold":
                name, began, ended, cpu, queued, causes, functions, reason = words
                names = set() if functions == "-" else set(functions.split("|"))
                truth.plants.append(
                    Plant(name, int(began), int(ended), int(cpu), int(queued), set(causes.split("|")), names,
                          reason))
            elif kind == "known":
                truth.known.append((int(words[0]), int(words[1])))
            elif kind == "tick":
                truth.ticks.append(int(words[0]))
    return truth


def read_holds(path):
    with open(path) as file:
        document = json.load(file)
    return [
        Hold(
            hold["startTime"] * MS, (hold["startTime"] + hold["duration"]) * MS,
            {cause: time * MS for cause, time in hold["causes"].items()},
            hold.get("culprit") or [], hold.get("reason", ""), hold["stacks"])
        for hold in document["holds"]]


def overlap(began, ended, hold):
    return max(0, min(ended, hold.ended) - max(began, hold.began))


class Judgement:
    """The results of one subject."""

    columns = ["planted", "found", "length", "named", "cause", "reason", "ran", "queued"]

    def __init__(self, truth, holds, threshold, is_sampled=False):
        """Samples of a running program are 2 ms apart, and later on a busy machine. They
        may miss a wait between two holds."""
        self.rows = {}
        self.remarks = []
        self.others = 0
        self.wrong_others = 0
        self.threshold = threshold
        self.is_sampled = is_sampled
        remaining = list(holds)
        for plant in truth.plants:
            if plant.length < threshold:
                continue
            hold = max(remaining, key=lambda one: overlap(plant.began, plant.ended, one), default=None)
            if hold and overlap(plant.began, plant.ended, hold) * 2 > plant.length:
                remaining.remove(hold)
            else:
                hold = None
            self._judge(plant, hold)
        for hold in remaining:
            self._judge_other(hold, truth)

    def _row(self, name):
        # Right results and their number, by column.
        return self.rows.setdefault(name, {column: [0, 0] for column in self.columns})

    def _note(self, plant, column, is_right, text):
        cell = self._row(plant.name)[column]
        cell[1] += 1
        cell[0] += is_right
        if not is_right:
            if cell[1] - cell[0] <= 2:
                self.remarks.append(f"{plant.name}: {column}: {text}")

    def _judge(self, plant, hold):
        self._row(plant.name)["planted"][0] += 1
        planted = f"planted {plant.length / MS:.1f} ms at {plant.began / MS:.1f}"
        self._note(plant, "found", hold is not None, planted)
        if not hold:
            return
        error = abs(hold.length - plant.length)
        self._note(plant, "length", error <= max(plant.length * 0.05, 2 * MS), f"{planted}; {hold}")
        if plant.functions:
            self._note(plant, "named", hold.names(plant.functions),
                       f"expected {'|'.join(sorted(plant.functions))}; {hold}")
        self._note(plant, "cause", hold.cause in plant.allowed_causes(),
                   f"expected {'|'.join(sorted(plant.causes))}, ran {plant.cpu / MS:.1f} ms, "
                   f"queued {plant.queued / MS:.1f} ms; {hold}")
        if plant.reason != "-":
            self._note(plant, "reason", re.search(plant.reason, hold.reason) is not None,
                       f"expected '{plant.reason}', not '{hold.reason}'; {hold}")
        if plant.cpu >= 0:
            self._judge_time(plant, "ran", plant.cpu, hold, "running")
            self._judge_time(plant, "queued", plant.queued, hold, "waiting for CPU", "throttled")

    def _judge_time(self, plant, column, time, hold, *causes):
        error = abs(sum(hold.causes.get(cause, 0) for cause in causes) - time)
        # The system updates the time of a running thread in steps of 4 to 10 ms.
        is_right = error <= max(plant.length * 0.1, 10 * MS)
        self._note(plant, column, is_right, f"{time / MS:.1f} ms; {hold}")

    def _judge_other(self, hold, truth):
        """A hold that was not planted is wrong if the loop ran in it."""
        ticks = [tick for tick in truth.ticks if hold.began + MS < tick < hold.ended - MS]
        is_known = any(overlap(*span, hold) * 2 > hold.length for span in truth.known)
        planted = [plant for plant in truth.plants
                   if overlap(plant.began, plant.ended, hold) * 2 > hold.length]
        if len(ticks) < 2 and planted and planted[0].length < self.threshold:
            return  # Just at the threshold.
        self.others += 1
        # A tick follows each 5 ms. Without ticks, only the cause tells.
        is_there = truth.ticks or is_known or hold.cause in ("waiting for CPU", "stolen", "throttled")
        if len(ticks) >= 2 or not is_there:
            self.wrong_others += 1
            self.remarks.append(f"not planted: {len(ticks)} ticks within; {hold}")

    def total(self):
        sums = {column: [0, 0] for column in self.columns}
        for row in self.rows.values():
            for column, cell in row.items():
                sums[column] = [sums[column][0] + cell[0], sums[column][1] + cell[1]]
        return sums

    def failures(self):
        """The bounds that the subject exceeded, in words."""
        sums = self.total()
        length = 0.8 if self.is_sampled else 0.95
        limits = {"found": 0.95, "length": length, "named": 0.9, "cause": 1, "reason": 1}
        for column, share in limits.items():
            right, count = sums[column]
            if right < count * share:
                yield f"{column}: {right} of {count}"
        if self.wrong_others > (sums["planted"][0] / 20 if self.is_sampled else 0):
            yield f"{self.wrong_others} holds were not planted"

    def lines(self):
        for name, row in self.rows.items():
            yield [name] + [self._cell(row, column) for column in self.columns] + [""]
        sums = self.total()
        others = f"{self.wrong_others} of {self.others}" if self.others else "0"
        yield ["all"] + [self._cell(sums, column) for column in self.columns] + [others]

    @staticmethod
    def _cell(row, column):
        right, count = row[column]
        if column == "planted":
            return str(right)
        return f"{right}/{count}" if count else "-"
