"""usage: python3 scripts/lib/counts.py PROGRAM [--check | --write] [PATH…]

Counts the hot paths of PROGRAM under valgrind. scripts/counts builds it.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PATHS = """commit.first commit.again commit.kept.first commit.kept.again commit.port
post.closure post.allocating post.function post.thread post.chain queue.batched queue.whole
timer.arm timer.fire event operation completion transaction apply job idle tick tick.libuv tick.floor
tick.observers tick.adopted observer.cancel commit.first+report commit.first+trace post.closure+report
post.closure+latencies post.closure+watchdog post.closure+trace operation+trace tick+report
tick+latencies tick+watchdog tick+trace""".split()
FILE = "scripts/counts.txt"
# Threads that wait for each other call the kernel depending on the machine.
THREADED = {"post.thread", "operation", "operation+trace", "completion", "transaction", "apply"}
FEW, MANY = 1000, 11000
# The functions of libc that allocate.
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
# How often the budget reads the clock depends on the speed of the machine.
CLOCK = re.compile(r"readClock|uv_hrtime|clock_gettime|vdso|uv__hrtime")


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"counts: {' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result


def profile(program, path, steps, folder):
    """The instructions of each function, and the number of allocations."""
    out = f"{folder}/{path}.{steps}"
    run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, path, str(steps)])
    text = run(["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", out]).stdout
    counts = collections.Counter()
    for line in text.splitlines():
        found = re.match(r" *([\d,]+)  (\S.*?)(?: \[.*\])?$", line)
        if found and not found[2].startswith("PROGRAM TOTALS"):
            name = found[2].rsplit(":", 1)[-1]
            counts[name] += int(found[1].replace(",", ""))
    return counts, allocations(out)


def allocations(out):
    """The calls of functions that allocate. The format names a function once, with a number."""
    names, caller, called, total = {}, "", "", 0
    with open(out) as file:
        for line in file:
            if found := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                if found[3]:
                    names[found[2]] = found[3].split("@")[0]
                called = names.get(found[2], "")
                caller = caller if found[1] else called
            elif line.startswith("calls=") and called in ALLOCATORS:
                # libc itself calls malloc if the alignment is small.
                if not caller.startswith("_mid_memalign"):
                    total += int(line[len("calls=") :].split()[0])
    return total


def kernel_calls(program, path, steps, folder):
    out = f"{folder}/{path}.{steps}.calls"
    run(["strace", "-f", "-c", "-U", "calls,name", "-o", out, program, path, str(steps)])
    with open(out) as file:
        return next(int(line.split()[0]) for line in file if line.split()[1:] == ["total"])


def count(program, path, folder):
    """The allocations and kernel calls of a step, and the instructions of each function in it."""
    few, before = profile(program, path, FEW, folder)
    many, after = profile(program, path, MANY, folder)
    each = {}
    for name in many:
        instructions = (many[name] - few[name]) / (MANY - FEW)
        if not CLOCK.search(name) and instructions >= 0.05:
            each[name] = round(instructions, 1)
    calls = kernel_calls(program, path, MANY, folder) - kernel_calls(program, path, FEW, folder)
    return round((after - before) / (MANY - FEW), 2), round(calls / (MANY - FEW), 2), each


def versions():
    swift = run(["swift", "--version"]).stdout.splitlines()[0]
    libuv = run(["pkg-config", "--modversion", "libuv"]).stdout.strip()
    return f"# {swift.strip()}; libuv {libuv}; {os.confstr('CS_GNU_LIBC_VERSION')}; {os.uname().machine}"


def read():
    """The recorded versions and counts."""
    recorded, paths = "", {}
    with open(FILE) as file:
        for line in file:
            words = line.rstrip("\n").split("\t")
            if line.startswith("#"):
                recorded = words[0]
            elif len(words) == 4:
                each = {}
                paths[words[0]] = (float(words[2]), float(words[3]), each)
            elif len(words) == 2:
                each[words[1]] = float(words[0])
    return recorded, paths


def write(counts):
    with open(FILE, "w") as file:
        print(versions(), file=file)
        for path, (blocks, calls, each) in counts.items():
            print(f"{path}\t{round(sum(each.values()), 1)}\t{blocks}\t{calls}", file=file)
            for name, instructions in sorted(each.items(), key=lambda item: (-item[1], item[0])):
                if instructions >= 1:
                    print(f"{instructions}\t{name}", file=file)


def totals():
    """The recorded totals, which include the functions of less than an instruction."""
    with open(FILE) as file:
        lines = [line.split("\t") for line in file]
    return {words[0]: float(words[1]) for words in lines if len(words) == 4}


def grown(path, before, now):
    """A report if `path` takes more than before, or None."""
    total, old = sum(now[2].values()), totals()[path]
    if now[0] > before[0] + 0.01:
        return f"{path}: {now[0]} allocations, {before[0]} before"
    if path not in THREADED and now[1] > before[1] + 0.05:
        return f"{path}: {now[1]} kernel calls, {before[1]} before"
    if total <= old * 1.02 + 2:
        return None
    growth = {name: value - before[2].get(name, 0) for name, value in now[2].items()}
    worst = sorted(growth.items(), key=lambda item: -item[1])[:3]
    names = "".join(f"\n  {value:+.1f} {demangled(name)}" for name, value in worst)
    return f"{path}: {total:.1f} instructions, {old:.1f} before{names}"


def demangled(name):
    return run(["swift", "demangle", "--compact", "--simplified", name]).stdout.strip()


def main():
    program, *words = sys.argv[1:]
    mode = words.pop(0) if words and words[0] in ("--check", "--write") else None
    unknown = [word for word in words if word not in PATHS]
    if unknown:
        print(f"counts: no path {unknown[0]}; the paths are {', '.join(PATHS)}", file=sys.stderr)
        sys.exit(2)
    if mode == "--write" and words:
        print("counts: --write counts all paths; name none", file=sys.stderr)
        sys.exit(2)
    paths = words or PATHS
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as threads:
        results = list(threads.map(lambda path: count(program, path, folder), paths))
    counts = dict(zip(paths, results))
    for path, (blocks, calls, each) in counts.items():
        figures = f"{sum(each.values()):8.1f} instructions{blocks:8.2f} allocations{calls:8.2f} kernel calls"
        print(f"{path:22}{figures}")
    if mode == "--write":
        write(counts)
    if mode != "--check":
        return
    recorded, before = read()
    if recorded != versions():
        print(f"note: not compared, because {FILE} was written with other versions: {recorded[2:]}")
        return
    reports = [report for path in paths if (report := grown(path, before[path], counts[path]))]
    for report in reports:
        print(f"counts: {report}", file=sys.stderr)
    sys.exit(1 if reports else 0)


main()
