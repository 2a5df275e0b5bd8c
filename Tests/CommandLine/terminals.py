"""usage: terminals.py LOOPBENCH

The part of Tests/CommandLine/check that needs a pseudo-terminal or signals.

exit: 0 all checks passed · 1 a check failed; standard error names it
"""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time

# A job that a script starts in the background ignores these, and so would loopbench.
for ignored in (signal.SIGINT, signal.SIGHUP):
    signal.signal(ignored, signal.SIG_DFL)

binary = sys.argv[1]
run = [binary, "timer", "--rounds", "3", "-n", "6", "-w", "1ms"]
failures = []


def on_terminal(arguments, keys=(), **environment):
    """Returns the output on a terminal. `keys`: pairs of a text to wait for and keys to type."""
    variables = {"PATH": os.environ["PATH"], "TERM": "xterm", "HOME": os.getcwd(), **environment}
    child, terminal = pty.fork()
    if child == 0:
        os.execve(arguments[0], arguments, variables)
    text, keys, limit = "", list(keys), time.monotonic() + 30
    while time.monotonic() < limit:
        if keys and keys[0][0] in text.replace("\r\n", "\n"):
            os.write(terminal, keys.pop(0)[1].encode())
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        text += data.decode(errors="replace")
    else:
        os.kill(child, signal.SIGKILL)
    os.close(terminal)
    return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def check(holds, what):
    if not holds:
        failures.append(what)


def progress():
    shown, status = on_terminal(run)
    check(status == 0 and "\r" in shown.replace("\r\n", ""), "no progress on a terminal")
    # lt is slower there by far: a verdict that has a colour.
    judged = [binary, "commit", "-p", "uv,lt", "--rounds", "10", "-n", "20", "-w", "1ms"]
    check("\x1b[31m" in on_terminal(judged)[0], "no colour on a terminal")
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        shown, _ = on_terminal(judged, **{name: value})
        check("slower" in shown and "\x1b[3" not in shown, f"colours with {name}={value}")
    for name, value in (("CI", "1"), ("TERM", "dumb")):
        shown, _ = on_terminal(run, **{name: value})
        check("\r" not in shown.replace("\r\n", ""), f"progress with {name}={value}")
    piped = subprocess.run(run, capture_output=True, check=False)
    check(piped.stderr == b"", f"progress without a terminal: {piped.stderr[:200]!r}")
    check(b"\x1b" not in piped.stdout, "colours without a terminal")


def interrupt():
    process = subprocess.Popen(
        [binary, "commit", "--rounds", "1000", "-n", "8000", "-w", "1ms", "-q", "-o", "part.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    check(process.returncode == 130, f"Ctrl-C: exit {process.returncode}, not 130")
    check(b"interrupted" in output, "Ctrl-C: no report")
    report = json.load(open("part.json", encoding="utf-8"))
    check(0 < len(report["rounds"]) < 1000, "Ctrl-C: no rounds in the file")


def interrupt_phases():
    """Before the first round, in a trace, and with a load that must not outlive it."""
    subprocess.run(
        [binary, "commit", "--rounds", "10", "-n", "20", "-q", "-o", "base.json"], check=True,
        stdout=subprocess.DEVNULL)
    for arguments in (
        ["wake", "-w", "20s", "-o", "early.json"],
        ["trace", "wake", "--for", "20s", "-o", "early.trace.json"],
        ["wake", "-w", "20s", "--load", "cmd:sleep 86399 & sleep 86399"],
        # As many samples a round as the base has: another number is refused at once.
        ["check", "commit", "--rounds", "1000", "-n", "2000", "--baseline", "./base.json"],
    ):
        process = subprocess.Popen(
            [binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        check(process.returncode == 130, f"Ctrl-C, {arguments[0]}: {process.returncode}")
    sleeping = subprocess.run(["pgrep", "-f", "^sleep 86399"], capture_output=True, check=False)
    check(not sleeping.stdout, "Ctrl-C: a load outlives the run")
    twice = subprocess.Popen(
        [binary, "wake", "-w", "20s", "--load", "cmd:sleep 86399", "-o", "twice.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    for _ in range(2):
        twice.send_signal(signal.SIGINT)
        time.sleep(0.05)
    twice.communicate(timeout=30)
    check(twice.returncode == 130, f"Ctrl-C twice: exit {twice.returncode}, not 130")
    hung_up = subprocess.Popen(
        [binary, "commit", "--rounds", "1000", "-n", "8000", "-q", "-o", "hung-up.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    hung_up.send_signal(signal.SIGHUP)
    hung_up.communicate(timeout=30)
    check(hung_up.returncode == 130, f"SIGHUP: exit {hung_up.returncode}, not 130")
    leftovers = [name for name in os.listdir(".") if name.endswith(".part")]
    check(not leftovers, f"Ctrl-C: left behind {leftovers}")


def zsh():
    shell = shutil.which("zsh")
    if not shell:
        print("note: no zsh, so its completions were not checked")
        return
    check(subprocess.run([shell, "-n", "_loopbench"], check=False).returncode == 0,
          "zsh cannot read its completions")
    folder = os.path.dirname(binary)
    keys = [
        ("READY", f"path=({folder} $path); fpath=($PWD $fpath); autoload -Uz compinit;"
                  " compinit -u -D; setopt noautomenu; PS1='GO''> '\n"),
        ("GO>", "loopbench re\t\t"),
        ("report", "\x15loopbench help wa\t;echo DONE''1\n"),
        ("DONE1", "exit\n"),
    ]
    shown, _ = on_terminal([shell, "-f", "-i"], keys, PS1="READY> ")
    check("replay" in shown and "report" in shown, "zsh does not offer replay and report")
    check("help wake" in shown, "zsh does not complete 'help wa'")


progress()
interrupt()
interrupt_phases()
zsh()
for failure in failures:
    print("error:", failure, file=sys.stderr)
sys.exit(1 if failures else 0)
