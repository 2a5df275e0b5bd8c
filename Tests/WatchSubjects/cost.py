"""usage: python3 Tests/WatchSubjects/cost.py [node | redis] [ROUNDS]

Measures how much a watch costs the program that it starts. Each of ROUNDS rounds, by default
10, starts two servers, one of them under `loopbench watch`, and sends requests to them in
turns of one second. Prints, with the watch in percent of without: the CPU time of the server
per answer, the answers per second, and the 99th percentile of their times (redis only). Each
figure is the median of all pairs of turns, with the interval that has the median of other
runs in 95 of 100 cases. Run it on a quiet machine. 10 rounds take four minutes.

exit: 0 measured · 1 a server failed · 2 usage error
"""
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from load import Failure, Load
from subjects import FOLDER, WATCH, build_watch

TURNS = 5  # Pairs of turns in a round.
REQUESTS = 60_000  # Of redis-benchmark in a turn.


def cpu_time(process):
    """The CPU time of a process, in ns."""
    tasks = pathlib.Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


class Server:
    """A server that listens at a socket, under a watch or not."""

    def __init__(self, kind, folder, is_watched):
        self.kind, self.path = kind, folder / ("watched" if is_watched else "plain")
        words = {
            "node": ["node", str(FOLDER / "server.js"), str(self.path)],
            "redis": ["redis-server", "--port", "0", "--unixsocket", str(self.path), "--save", ""],
        }[kind]
        watch = [str(WATCH), "--"] if is_watched else []
        self.started = subprocess.Popen(watch + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not self.path.exists():
            if time.monotonic() > end or self.started.poll() is not None:
                raise Failure(f"{kind} does not listen at {self.path}")
            time.sleep(0.01)
        # The watch starts the program as its only child.
        children = pathlib.Path(f"/proc/{self.started.pid}/task/{self.started.pid}/children")
        self.process = int(children.read_text().split()[0]) if is_watched else self.started.pid

    def turn(self):
        """Sends requests. Returns the CPU time for each, their rate, and their p99 in ms."""
        before, start = cpu_time(self.process), time.monotonic()
        answers, p99 = self.load()
        spent, passed = cpu_time(self.process) - before, time.monotonic() - start
        return spent / answers, answers / passed, p99

    def load(self):
        if self.kind == "node":
            load = Load(self.path)
            time.sleep(1)
            return load.stop(), None
        command = ["redis-benchmark", "-s", self.path, "-t", "get", "-n", str(REQUESTS), "--csv"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        names, values = (line.replace('"', "").split(",") for line in lines[-2:])
        return REQUESTS, float(dict(zip(names, values))["p99_latency_ms"])

    def stop(self):
        self.started.terminate()
        self.started.wait()


def measure(kind, folder, is_watched_first):
    """The results of pairs of turns: (watched, plain)."""
    servers = {}
    try:
        for is_watched in (is_watched_first, not is_watched_first):
            servers[is_watched] = Server(kind, folder, is_watched)
        for server in servers.values():
            server.turn()
        for number in range(TURNS):
            order = (True, False) if number % 2 else (False, True)
            turns = {is_watched: servers[is_watched].turn() for is_watched in order}
            yield turns[True], turns[False]
    finally:
        for server in servers.values():
            server.stop()


def interval(ratios):
    """The median of the ratios, and the 95 % interval of medians of samples of them."""
    chance = random.Random(1)
    medians = sorted(
        statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[-51]


def main(words):
    kinds = [words.pop(0)] if words and words[0] in ("node", "redis") else ["node", "redis"]
    if len(words) > 1 or not all(word.isdigit() and int(word) for word in words):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build_watch()
    for kind in kinds:
        pairs = []
        for number in range(int(words[0]) if words else 10):
            with tempfile.TemporaryDirectory() as folder:
                pairs += measure(kind, pathlib.Path(folder), number % 2 == 0)
        for index, name in enumerate(["CPU time per answer", "answers per second", "p99"]):
            if pairs[0][0][index] is None:
                continue
            median, low, high = interval([watched[index] / plain[index] for watched, plain in pairs])
            print(f"{kind}: {name} {median:.1%} ({low:.1%} to {high:.1%}), {len(pairs)} pairs", flush=True)
    return 0


try:
    sys.exit(main(sys.argv[1:]))
except Failure as failure:
    sys.exit(f"cost: {failure}")
