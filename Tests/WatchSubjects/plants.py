"""usage: TRUTH=FILE python3 plants.py [--uvloop] ROUNDS PLANT…

Holds an asyncio loop with each plant, ROUNDS times, and writes what it planted to
TRUTH. README.md has the format.
"""
import asyncio
import gc
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

now = time.monotonic_ns
# CPython writes the names of its functions for other programs from 3.12 on.
HAS_NAMES = sys.version_info >= (3, 12)
fifo = os.path.join(os.path.dirname(os.environ["TRUTH"]), f"fifo-{os.getpid()}")
lines = []


# MARK: Plants

def busy_loop():
    end = now() + 60_000_000
    while now() < end:
        sum(range(100))


def sleep():
    time.sleep(0.06)


def run_child():
    subprocess.run(["sleep", "0.06"])


def read_fifo():
    with open(fifo) as file:
        file.read()


def prepare_fifo():
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    subprocess.Popen(["sh", "-c", f"exec 3>'{fifo}'; sleep 0.15; echo text >&3"])


def parse_json():
    json.loads(text)


def collect_garbage():
    gc.collect()


def prepare_garbage():
    global kept
    kept = [[index] for index in range(400_000)]


def derive_key():
    hashlib.pbkdf2_hmac("sha512", b"secret", b"salt", 100_000)


def slow_pattern():
    re.match("(a+)+$", "a" * 20 + "b")


def wait_for_lock():
    lock.acquire()
    lock.release()


def prepare_lock():
    def hold():
        with lock:
            time.sleep(0.2)

    threading.Thread(target=hold).start()


# Another thread computes, and has the interpreter's lock half of the time.
def share_interpreter():
    is_shared.set()
    other = threading.Thread(target=compute_while_shared)
    other.start()
    end = now() + 100_000_000
    while now() < end:
        sum(range(1000))
    is_shared.clear()
    other.join()


def compute_while_shared():
    while is_shared.is_set():
        sum(range(1000))


def receive_late():
    receiver.recv(1)


def prepare_receive():
    threading.Timer(0.15, lambda: sender.send(b"x")).start()


def short_callback():
    end = now() + 15_000
    while now() < end:
        pass


text = json.dumps([{"id": i, "name": f"item {i}", "price": i / 3} for i in range(60_000)])
lock = threading.Lock()
is_shared = threading.Event()
receiver, sender = socket.socketpair()
# function: what to do before it, its causes, and the reason of a blocked thread
PLANTS = {
    busy_loop: (None, "running", "-"),
    sleep: (None, "blocked", "sleep"),
    run_child: (None, "blocked", "wait for the child sleep"),
    read_fifo: (prepare_fifo, "blocked", "read of .*fifo"),
    parse_json: (None, "running", "-"),
    collect_garbage: (prepare_garbage, "running", "-"),
    derive_key: (None, "running", "-"),
    slow_pattern: (None, "running", "-"),
    wait_for_lock: (prepare_lock, "blocked", "lock"),
    share_interpreter: (None, "blocked|running|waiting for CPU", "-"),
    receive_late: (prepare_receive, "blocked", "recv.* of a socket"),
    short_callback: (None, "running", "-"),
}


# MARK: Run

def cpu_times():
    """The time for which this thread has run, and for which it has waited for a CPU."""
    with open("/proc/thread-self/schedstat") as file:
        return time.thread_time_ns(), int(file.read().split()[1])


def note(plant, began, cpu):
    ended = now()
    ran, queued = [after - before for after, before in zip(cpu_times(), cpu)]
    _, causes, reason = PLANTS[plant]
    function = plant.__name__ if HAS_NAMES else "-"
    words = ["hold", plant.__name__, began, ended, ran, queued, causes, function, reason]
    lines.append("\t".join(map(str, words)))


def hold(plant, done):
    cpu, began = cpu_times(), now()
    if plant is short_callback:
        return hold_by_many(done)
    plant()
    note(plant, began, cpu)
    done.set()


# All callbacks run in the next tick.
def hold_by_many(done):
    start = []
    loop = asyncio.get_running_loop()
    loop.call_soon(lambda: start.extend([now(), cpu_times()]))
    for _ in range(5000):
        loop.call_soon(short_callback)
    loop.call_soon(lambda: (note(short_callback, *start), done.set()))


async def tick():
    while True:
        await asyncio.sleep(0.005)
        lines.append(f"tick\t{now()}")


async def main(rounds, names):
    ticks = asyncio.create_task(tick())
    loop = asyncio.get_running_loop()
    plants = {plant.__name__: plant for plant in PLANTS}
    await asyncio.sleep(0.1)
    for plant in [plants[name] for name in names for _ in range(rounds)]:
        began = now()
        prepare = PLANTS[plant][0]
        if prepare:
            prepare()
        lines.append(f"known\t{began}\t{now()}")
        await asyncio.sleep(0.04)
        done = asyncio.Event()
        loop.call_soon(hold, plant, done)
        await done.wait()
        await asyncio.sleep(0.04)
    ticks.cancel()
    if os.path.exists(fifo):
        os.remove(fifo)
    with open(os.environ["TRUTH"], "a") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    run = asyncio.run
    if words[0] == "--uvloop":
        import uvloop

        run = uvloop.run
        words = words[1:]
    run(main(int(words[0]), words[1:] or [plant.__name__ for plant in PLANTS]))
