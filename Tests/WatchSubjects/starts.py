"""usage: python3 Tests/WatchSubjects/starts.py [ROUNDS]

Starts `loopbench watch` ROUNDS times, by default 100, and ends it again at a random moment
within 0.3 s: in half of the rounds on a server that runs, with --pid, and in the other half
on a server that it starts. Every tenth watch is ended by SIGKILL, the others by SIGTERM or
SIGINT. Four clients send requests to the server all the time. Checks that each request is
answered, that no thread is left stopped or traced, that the server ends with 0, and that no
file in /tmp, no zombie and no process is left. 1,000 rounds take ten minutes.

SEED in the environment repeats the moments of an earlier run, which has printed it.

exit: 0 all held · 1 something did not · 2 usage error
"""
import ctypes
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from load import Failure, LIMIT, Load
from subjects import FOLDER, WATCH, build_watch


def status(path):
    """The lines of a /proc status file; empty if its thread has ended."""
    try:
        text = path.read_text()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def check_threads(process):
    """Fails if a thread of the server is stopped, traced or a zombie."""
    for folder in pathlib.Path(f"/proc/{process}/task").iterdir():
        fields = status(folder / "status")
        if fields and (fields["State"][0] in "tTZ" or fields["TracerPid"].strip() != "0"):
            raise Failure(f"thread {folder.name} has state {fields['State']}, "
                          f"tracer {fields['TracerPid']}")


def children_of(process):
    """The processes whose parent is the process, also those that have ended."""
    words = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(word) for word in words]


def memories(process):
    """The number of mappings of the memory that a watch shares with the process."""
    text = pathlib.Path(f"/proc/{process}/maps").read_text()
    return text.count("/memfd:loopbench-waits")


class Rounds:
    def __init__(self, count, seed):
        self.random, self.count = random.Random(seed), count
        self.killed = self.answers = 0
        self.processes = []

    def start(self, words):
        """Starts a process with the output in a file that errors quote."""
        environment = os.environ | {"TMPDIR": str(self.folder)}
        with open(self.folder / "log", "a") as log:
            process = subprocess.Popen(
                words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)
        self.processes.append(process.pid)
        return process

    def server(self, name):
        path = self.folder / name
        return path, [shutil.which("node"), str(FOLDER / "server.js"), str(path)]

    def await_server(self, path, process):
        with socket.socket(socket.AF_UNIX) as client:
            while client.connect_ex(str(path)) != 0:
                if process.poll() is not None:
                    raise Failure(f"the server ended with {process.returncode}")
                time.sleep(0.002)

    def end(self, watch, number):
        """Ends a watch at a random moment. Returns true if it was killed."""
        time.sleep(self.random.uniform(0, 0.3))
        if number % 10 == 9:
            watch.kill()
            self.killed += 1
        return number % 10 == 9

    def watch_running(self, number, server, load):
        """A watch of a server that runs."""
        watch = self.start([WATCH, "--threshold", "2ms", "--pid", str(server.pid)])
        is_killed = self.end(watch, number)
        if not is_killed:
            watch.send_signal([signal.SIGTERM, signal.SIGINT][number % 2])
        code = watch.wait(timeout=LIMIT)
        # A signal before the watch handles it ends the watch by that signal.
        if not is_killed and code not in (0, -signal.SIGTERM, -signal.SIGINT):
            raise Failure(f"the watch ended with {code}")
        check_threads(server.pid)
        load.progress()

    def start_watched(self, number):
        """A watch of a server that it starts."""
        path, words = self.server(f"started-{number}")
        watch = self.start([WATCH, "--threshold", "2ms", "--", *words])
        self.await_server(path, watch)
        server = children_of(watch.pid)[0]
        self.processes.append(server)
        load = Load(path, busy=16)
        load.progress()
        is_killed = self.end(watch, number)
        if is_killed:
            watch.wait(timeout=LIMIT)
            check_threads(server)
            if memories(server) != 1:
                raise Failure(f"the server has {memories(server)} memories of waits")
        load.progress()
        self.answers += load.stop()
        os.kill(server if is_killed else watch.pid, signal.SIGTERM)
        # After the end of the watch, this process is the server's parent.
        code = os.waitpid(server, 0)[1] if is_killed else watch.wait(timeout=LIMIT)
        if code != 0:
            raise Failure(f"the server, or its watch, ended with {code}")
        path.unlink()

    def check_left(self):
        """Fails if a process, a zombie or a file is left."""
        left = [f"process {process}" for process in children_of(os.getpid())]
        names = {f"perf-{process}.map" for process in self.processes}
        left += [str(path) for path in pathlib.Path("/tmp").iterdir() if path.name in names]
        left += [path.name for path in self.folder.iterdir() if path.name != "log"]
        if left:
            raise Failure("left: " + ", ".join(left))

    def run(self):
        with tempfile.TemporaryDirectory(prefix="watch-starts-") as folder:
            self.folder = pathlib.Path(folder)
            try:
                self.run_all()
            finally:
                self.log = (self.folder / "log").read_text()

    def run_all(self):
        path, words = self.server("running")
        server = self.start(words)
        self.await_server(path, server)
        load = Load(path, busy=16)
        try:
            for number in range(self.count // 2):
                self.watch_running(number, server, load)
            self.answers += load.stop()
            check_threads(server.pid)
            if memories(server.pid):
                raise Failure("a watch with --pid left memory in the server")
        finally:
            load.is_over = True
            server.terminate()
        if server.wait(timeout=LIMIT) != 0:
            raise Failure(f"the server ended with {server.returncode}")
        path.unlink()
        for number in range(self.count - self.count // 2):
            self.start_watched(number)
        self.check_left()


def main(count):
    seed = os.environ.get("SEED", str(time.time_ns()))
    print(f"seed {seed}")
    if not shutil.which("node"):
        print("note: node is not installed, so the starts of the watch were not tried")
        return 0
    # 36: PR_SET_CHILD_SUBREAPER. The server of a watch that was killed becomes our child.
    if ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) != 0:
        raise SystemExit("starts: prctl failed")
    build_watch()
    rounds = Rounds(count, seed)
    try:
        rounds.run()
    except (Failure, subprocess.TimeoutExpired) as failure:
        print(f"{rounds.log[-3000:]}\nerror: {failure}")
        return 1
    stops = sum(int(text.replace(",", "")) for text in re.findall(r"([\d,]+) stops? of", rounds.log))
    print(f"{count} watches, {rounds.killed} ended by SIGKILL; {rounds.answers} requests, all "
          f"answered; {stops} stops in the watches that ended by themselves")
    return 0


if __name__ == "__main__":
    if not re.fullmatch("[1-9][0-9]*", " ".join(sys.argv[1:]) or "100"):
        sys.exit(print(__doc__, end="") or 2)
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
