"""usage: python3 Tests/Oracles/oracles.py

Compares loopbench with independent implementations: its JSON with its schemas, by PyPI's
jsonschema; percentiles with PyPI's hdrhistogram, on 5 distributions of a
million values; the pages of trace and watch with Chromium, which must open them
without an error, and run the checks beside this file. Prints every figure it compares.
Missing network or Chromium is noted and is no error.

exit: 0 they agree · 1 they differ; standard error names the figures · 2 usage error
"""

import array
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BINARIES, WORK = ROOT / ".build/release", ROOT / ".build/oracles"
PACKAGES = ["jsonschema==4.23.0", "hdrhistogram==0.10.3"]


def enter_environment():
    """Runs this program again in a virtual environment that has the packages."""
    python, ready = WORK / "venv/bin/python", WORK / "venv/ready"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    if not ready.exists():
        shutil.rmtree(WORK / "venv", ignore_errors=True)
        for command in [sys.executable, "-m", "venv", WORK / "venv"], [*pip, "--timeout", "15", *PACKAGES]:
            if subprocess.run(command).returncode != 0:
                print("note: the packages from PyPI could not be installed, so nothing was compared")
                sys.exit(0)
        ready.touch()
    os.execv(python, [python, __file__])


if sys.argv[1:]:
    print(__doc__, end="")
    sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
if sys.prefix != str(WORK / "venv"):
    enter_environment()

import jsonschema
from hdrh.histogram import HdrHistogram

COUNT = 1_000_000
ALLOWED = 0.004
PERCENTILES = ("50", "90", "99", "99.9")
failures = []


def tool(name, *arguments):
    return subprocess.run(
        [BINARIES / name, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout


def distributions():
    """Name and values, in ns, all from 1 ns to an hour."""
    rng = random.Random(20263)
    yield "uniform", [rng.uniform(1e3, 1e6) for _ in range(COUNT)]
    yield "exponential", [1 + rng.expovariate(1 / 50e3) for _ in range(COUNT)]
    yield "log-normal", [min(3.6e12, rng.lognormvariate(11, 2)) for _ in range(COUNT)]
    yield "pareto", [min(3.6e12, 100 * rng.paretovariate(1.1)) for _ in range(COUNT)]
    yield "bimodal", [rng.gauss(*rng.choice([(8e3, 400), (3e7, 1e6)])) for _ in range(COUNT)]


def schema():
    validator = jsonschema.Draft202012Validator(json.loads(tool("loopbench", "schema")))
    validator.check_schema(validator.schema)
    for arguments in (["--rounds", "2"], ["wake", "-p", "uv", "--no-aa", "--rounds", "1"]):
        report = json.loads(tool("loopbench", "-f", "json", "-q", "-w", "1ms", *arguments))
        errors = [error.message[:200] for error in validator.iter_errors(report)]
        failures.extend(f"schema: {error}" for error in errors[:5])
        print(f"schema: {len(report['results'])} results, {len(errors)} faults")
    broken = dict(report, results=[dict(report["results"][0], count=-1)])
    if validator.is_valid(broken):
        failures.append("schema: a negative count is valid")


def watch():
    """The JSON of a watched program that holds its loop three times."""
    program = WORK / "holds.py"
    program.write_text("""
import asyncio, time
async def main():
    for _ in range(3):
        await asyncio.sleep(0.05)
        spin(0.05)
def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
asyncio.run(main())
""")
    file = WORK / "watch.json"
    tool("loopbench-watch", "--json", file, "--html", WORK / "watch.html", "--", sys.executable, program)
    document = json.loads(file.read_text())
    validator = jsonschema.Draft202012Validator(json.loads(tool("loopbench-watch", "--schema")))
    validator.check_schema(validator.schema)
    errors = [error.message[:200] for error in validator.iter_errors(document)]
    failures.extend(f"watch: {error}" for error in errors[:5])
    print(f"watch: {len(document['holds'])} holds, {len(errors)} faults")
    if len(document["holds"]) < 3:
        failures.append(f"watch: {len(document['holds'])} of 3 holds")


def near(what, found, wanted):
    error = abs(found - wanted) / wanted
    print(f"  {what}: {found:.6g} ns, {wanted:.6g} expected, {error:.3%} off")
    if error > ALLOWED:
        failures.append(f"{what}: {error:.3%} off")


def percentiles(name, values):
    """Against hdrhistogram with 4 figures, in ps, and against the sorted values."""
    file = WORK / (name + ".values")
    array.array("d", values).tofile(open(file, "wb"))
    result = json.loads(tool("loopbench-oracle", "feed", file))["results"][0]
    oracle = HdrHistogram(1, 4_000_000_000_000_000, 4)
    for value in values:
        oracle.record_value(max(1, round(value * 1000)))
    ordered = sorted(values)
    for percentile in PERCENTILES:
        found = result["percentiles"][percentile]
        near(f"{name} p{percentile}, hdrhistogram", found,
             oracle.get_value_at_percentile(float(percentile)) / 1000)
        rank = -(-COUNT * int(float(percentile) * 1000) // 100_000)
        near(f"{name} p{percentile}, sorted", found, ordered[rank - 1])
    near(f"{name} mean", result["mean"], sum(values) / COUNT)
    file.unlink()


def chromium():
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        print("note: no chromium, so the HTML was not opened")
        return
    trace, timeline = WORK / "wake.trace.json", WORK / "wake.trace.html"
    tool("loopbench", "trace", "wake", "--series", "across,same", "--for", "1s", "-n", "10000",
         "-q", "-o", trace)
    tool("loopbench", "trace", trace, "-q", "-o", timeline)
    pages = [checked(timeline, "timeline_check.js")]
    if (WORK / "watch.html").exists():
        pages.append(checked(WORK / "watch.html", "watch_page_check.js"))
    for page in pages:
        for scheme in ("light", "dark"):
            show(browser, page, scheme)


def checked(page, script):
    """Adds the script to the page, which reports failed checks to the console."""
    with page.open("a") as file:
        file.write(f"<script>{(FOLDER / script).read_text()}</script>\n")
    return page


def show(browser, page, scheme):
    picture = WORK / f"{page.stem}-{scheme}.png"
    said = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--enable-logging=stderr", "--v=0", "--window-size=900,1400",
         *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
           if scheme == "dark" else ["--blink-settings=preferredColorScheme=1"]),
         f"--screenshot={picture}", page.as_uri()],
        check=True, capture_output=True, text=True, timeout=120).stderr
    faults = [line for line in said.splitlines() if "CONSOLE" in line]
    failures.extend(f"chromium, {page.name}, {scheme}: {line}" for line in faults)
    print(f"chromium, {page.name}, {scheme}: {len(faults)} console messages, {picture}")


def build():
    for product in ["loopbench", "loopbench-oracle"]:
        subprocess.run(["swift", "build", "--quiet", "-c", "release", "--product", product], check=True, cwd=ROOT)
    if sys.platform == "linux":
        subprocess.run([ROOT / "scripts/loopbench", "watch", "--help"], check=True, stdout=subprocess.DEVNULL)


build()
schema()
if sys.platform == "linux":
    watch()
for title, samples in distributions():
    print(title)
    percentiles(title, samples)
chromium()
for failure in failures:
    print("error:", failure, file=sys.stderr)
sys.exit(1 if failures else 0)
