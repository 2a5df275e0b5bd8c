"""usage: scripts/soak attack [-m MINUTES] [-n SCALE] [-s SEED] [-T] [-- ARGUMENT...]

Attacks the example server, the scheduler and the picture decoders for a third of the time
each, and prints figures. Then measures crafted pictures and texts. Exits 1 if work is lost, if
a program hangs or crashes, or if a picture or text takes over 128 MiB beyond its bitmap;
standard error then tells how to reproduce it.

  -m MINUTES  the total time, without building (default 10); a round that has begun is
              finished
  -n SCALE    the work per round, relative to a normal test run (LT_STRESS_SCALE, default 2)
  -s SEED     the seed of the first round (LT_STRESS_SEED, default: from the clock)
  -T          never refuse threads; by default, every other round of the scheduler refuses
              them for 30 ms of every 100 ms

Arguments after '--' go to 'swift build' of the tests (default: -c release). The server is
always a release build. The picture decoders are skipped if Display's libraries are missing.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
HERE = os.path.dirname(os.path.abspath(__file__))
# The number of seconds after which a round counts as hung. Not measured.
PATIENCE = 600
NEEDED = "cairo pangocairo libjpeg libpng gdk-pixbuf-2.0 sdl2".split()


class Failed(Exception):
    """An attack found a fault."""


def build(package, *arguments):
    """Builds a package and returns the folder of its binaries."""
    command = ["swift", "build", "--package-path", package, *arguments]
    if subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False).returncode != 0:
        raise Failed(f"{' '.join(command)}: failed")
    # --show-bin-path builds too if --build-tests is given.
    bare = [word for word in command if word != "--build-tests"] + ["--show-bin-path"]
    return subprocess.run(bare, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def run(command, **variables):
    """Runs a command. Returns its output and its peak memory in MB."""
    began = time.monotonic()
    with open(os.path.join(ROOT, ".build", "attack.log"), "w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, **variables})
        while True:
            number, status, usage = os.wait4(process.pid, os.WNOHANG)
            if number != 0:
                break
            if time.monotonic() - began > PATIENCE:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        text = log.read()
    if process.returncode != 0:
        settings = " ".join(f"{name}={value}" for name, value in variables.items())
        reason = "hung" if time.monotonic() - began > PATIENCE else f"exit {process.returncode}"
        raise Failed(f"{text[-4000:]}\n{reason}; to repeat it: {settings} {' '.join(command)}")
    return text, usage.ru_maxrss >> 10


def tests(folder, package, suite):
    program = os.path.join(folder, f"{package}PackageTests.xctest")
    return [program, "--testing-library", "swift-testing", "--filter", suite]


def rounds(seconds, seed):
    """Yields the seeds of rounds until the time is over, and at least one."""
    until = time.monotonic() + seconds
    while True:
        yield seed
        seed += 1
        if time.monotonic() >= until:
            return


def attack_server(seconds, options):
    folder = build("Examples", "-c", "release", "--product", "resp-server")
    script = os.path.join(HERE, "server.py")
    program = os.path.join(folder, "resp-server")
    text, _ = run([sys.executable, script, program, "-s", str(seconds), "--seed", str(options.seed)])
    print(text, end="", flush=True)


def refusing_library():
    """Builds refuse_threads.c and returns the path of the library."""
    library = os.path.join(ROOT, ".build", "refuse_threads.so")
    source = os.path.join(HERE, "refuse_threads.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def attack_scheduler(seconds, options):
    folder = build(".", *options.arguments, "--build-tests")
    command = tests(folder, "LoopTransactions", "LoopTransactionsStressTests")
    library = None if options.keeps_threads else refusing_library()
    figures = {"plain": [0, 0.0, 0], "refusing threads": [0, 0.0, 0]}
    for number, seed in enumerate(rounds(seconds, options.seed)):
        is_refusing = library is not None and number % 2 == 1
        variables = {"LT_STRESS_SCALE": str(options.scale), "LT_STRESS_SEED": str(seed)}
        if is_refusing:
            variables["LD_PRELOAD"] = library
        began = time.monotonic()
        _, peak = run(command, **variables)
        one = figures["refusing threads" if is_refusing else "plain"]
        one[:] = one[0] + 1, max(one[1], time.monotonic() - began), max(one[2], peak)
    for name, (count, slowest, peak) in figures.items():
        if count > 0:
            print(f"scheduler, {name}: {count} rounds of scale {options.scale:g}, 0 lost;"
                  f" peak {peak} MB, slowest round {slowest:.1f} s", flush=True)


def attack_pictures(seconds, options):
    if subprocess.run(["pkg-config", "--exists", *NEEDED], check=False).returncode != 0:
        print("pictures: skipped, Display's libraries are not installed")
        return
    folder = build("Display", *options.arguments, "--build-tests")
    command = tests(folder, "Display", "PictureAttackTests")
    decoded = refused = slowest = peak = 0
    for seed in rounds(seconds, options.seed):
        text, most = run(
            command, LT_STRESS_SCALE=str(options.scale), LT_STRESS_SEED=str(seed), LT_ATTACK="1")
        for line in re.findall(r"^attack: .*", text, re.MULTILINE):
            values = dict(word.split("=") for word in line.split()[1:])
            decoded += int(values["decoded"])
            refused += int(values["refused"])
            slowest = max(slowest, int(values["slowest_us"]))
        peak = max(peak, most)
    print(f"pictures: {decoded} decoded, {refused} refused, 0 lost; peak {peak} MB,"
          f" slowest {slowest / 1000:.1f} ms", flush=True)
    attack_costs(folder)


def attack_costs(folder):
    """Measures crafted pictures and texts. The suite fails if one takes too much memory."""
    text, _ = run(tests(folder, "Display", "HostileCostTests"), LT_FIGURES="1")
    costs = re.findall(r"^cost: +([0-9.]+) ms between polls, .* ([0-9.]+) MiB: (.*)$", text, re.M)
    if not costs:
        raise Failed(f"{text[-4000:]}\nHostileCostTests printed no figures")
    slowest = max(costs, key=lambda cost: float(cost[0]))
    largest = max(costs, key=lambda cost: float(cost[1]))
    print(f"crafted pictures and texts: {len(costs)} measured, at most 128 MiB beyond the bitmap;"
          f" most {largest[1]} MiB ({largest[2]}), longest step {slowest[0]} ms ({slowest[2]})",
          flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak attack", usage=__doc__, add_help=False)
    parser.add_argument("-m", dest="minutes", type=float, default=10)
    parser.add_argument("-n", dest="scale", type=float, default=2)
    parser.add_argument("-s", dest="seed", type=int, default=int(time.time()))
    parser.add_argument("-T", dest="keeps_threads", action="store_true")
    words = sys.argv[1:]
    if "-h" in words or "--help" in words:
        print(__doc__, end="")
        return
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    options.arguments = words[split + 1:] or ["-c", "release"]
    os.makedirs(os.path.join(ROOT, ".build"), exist_ok=True)
    print(f"seed {options.seed}", flush=True)
    for attack in (attack_server, attack_scheduler, attack_pictures):
        try:
            attack(options.minutes * 20, options)
        except Failed as fault:
            sys.exit(f"attack: {fault}")


if __name__ == "__main__":
    main()
