"""usage: python3 scripts/lib/idle_wakes.py RESP_SERVER CONNECTIONS SECONDS

Starts the server, connects idle clients, and counts how often its threads wake up.
scripts/idle-wakes has the details.

exit: 0 no thread woke up, 1 a thread did or the server failed
"""
import glob
import re
import socket
import subprocess
import sys
import time


def switches(process):
    """The voluntary context switches of each thread, by its number and name."""
    counts = {}
    for folder in glob.glob(f"/proc/{process}/task/*"):
        with open(f"{folder}/status") as file:
            text = file.read()
        name = re.search(r"^Name:\s*(.*)$", text, re.M).group(1)
        count = re.search(r"^voluntary_ctxt_switches:\s*(\d+)$", text, re.M).group(1)
        counts[f"{folder.rsplit('/', 1)[1]} {name}"] = int(count)
    return counts


def connect(port):
    """A client that has been answered, so that a loop of the server has accepted it."""
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.sendall(b"PING\r\n")
    if client.recv(64) != b"+PONG\r\n":
        raise SystemExit("idle_wakes: the server does not answer PING")
    return client


def settled(process):
    """The counts, once they have not changed for a second. At most a minute."""
    before = switches(process)
    for _ in range(60):
        time.sleep(1)
        after = switches(process)
        if after == before:
            break
        before = after
    return after


def measure(server, connections, seconds):
    port = int(re.search(r":(\d+)$", server.stdout.readline().strip()).group(1))
    clients = [connect(port) for _ in range(connections)]
    before = settled(server.pid)
    time.sleep(seconds)
    after = switches(server.pid)
    wakes = {thread: count - before.get(thread, 0) for thread, count in sorted(after.items())}
    for thread, count in wakes.items():
        print(f"{count:6} {thread}")
    total = sum(wakes.values())
    print(f"{total:6} wake-ups of {len(wakes)} threads with {len(clients)} idle connections in {seconds} s")
    return 1 if total or after.keys() != before.keys() else 0


def main(program, connections, seconds):
    command = [program, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        return measure(server, int(connections), int(seconds))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
