"""usage: server.py BINARY [-s SECONDS] [--seed N]

Starts a resp-server with few descriptors on the loopback interface and attacks it: damaged
requests, dropped connections, pipelines, clients that do not read, and more clients than
descriptors. A prober measures its latency all the time.

Prints the number of clients served and refused, the peak memory, and the slowest answer to
the prober. Exits 1 if an answer is lost, a client hangs, a connection leaks, or the server
crashes or does not exit on SIGTERM.
"""

import argparse
import os
import random
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

DESCRIPTORS = 128
# The number of seconds after which an answer counts as lost.
PATIENCE = 20
VALUE = b"v" * 20_000
WORDS = [
    b"GET", b"SET", b"INCR", b"PUBLISH", b"SUBSCRIBE", b"UNSUBSCRIBE", b"EXPIRE", b"QUIT", b"k",
    b"", b"*", b"$", b"-1", b"0", b"1", b"3", b"1024", b"1048576", b"9223372036854775808", b" ",
    b"\r\n", b"\n", b"\r", b"\0", b"\xff",
]


class Lost(Exception):
    """A reply is missing or wrong."""


def command(*words):
    parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


class Server:
    def __init__(self, binary, loops):
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--loops", str(loops)], stdout=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)))
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def peak(self):
        """Returns the peak memory in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM"))

    def end(self):
        if self.process.poll() is not None:
            raise Lost(f"the server exited unexpectedly with {self.process.returncode}")
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Lost("the server did not exit on SIGTERM") from None
        if code != 0:
            raise Lost(f"the server exited with {code}")


def receive(client, count):
    """Reads `count` bytes, or fewer if the connection ends."""
    parts, left = [], count
    while left > 0:
        part = client.recv(min(left, 1 << 16))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def expect(client, reply):
    got = receive(client, len(reply))
    if got != reply:
        raise Lost(f"got {got[:60]!r} of {len(got)} bytes, expected {reply[:60]!r} of {len(reply)}")


def information(client):
    client.sendall(command("INFO"))
    header = b""
    while not header.endswith(b"\r\n"):
        byte = receive(client, 1)
        if not byte:
            raise Lost("INFO: no reply")
        header += byte
    text = receive(client, int(header[1:-2]) + 2).decode()
    return {name: int(value) for name, value in (line.split(":") for line in text.split())}


def exchange(client, request, reply):
    """Sends and receives concurrently, because the server stops reading from a client that
    does not receive its replies."""
    sent, got = 0, bytearray()
    limit = time.monotonic() + 3 * PATIENCE
    client.setblocking(False)
    while len(got) < len(reply):
        wanted = [client] if sent < len(request) else []
        readable, writable, _ = select.select([client], wanted, [], PATIENCE)
        if not readable and not writable or time.monotonic() > limit:
            raise Lost(f"received only {len(got)} of {len(reply)} bytes")
        if writable:
            sent += client.send(request[sent:sent + (1 << 16)])
        if readable:
            part = client.recv(1 << 16)
            if not part:
                raise Lost(f"the connection ended after {len(got)} of {len(reply)} bytes")
            got += part
    client.setblocking(True)
    client.settimeout(PATIENCE)
    if got != reply:
        raise Lost("a pipeline received wrong replies")


def drop(client, source):
    """Ends a connection abruptly, with or without a reset."""
    if source.random() < 0.5:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


class Prober(threading.Thread):
    """A client that stays connected and measures a reply every 10 ms."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client, self.slowest, self.fault = server.connect(), 0.0, None
        self.is_ending = threading.Event()

    def run(self):
        try:
            while not self.is_ending.wait(0.01):
                began = time.monotonic()
                self.client.sendall(command("PING"))
                expect(self.client, b"+PONG\r\n")
                self.slowest = max(self.slowest, time.monotonic() - began)
        except (OSError, Lost) as fault:
            self.fault = fault

    def end(self):
        self.is_ending.set()
        self.join()
        self.client.close()
        if self.fault:
            raise Lost(f"the prober: {self.fault!r}")


# Each attack returns the number of clients served and of clients refused.


def damaged(server, source):
    served = refused = 0
    for _ in range(200):
        client = server.connect()
        text = b"".join(source.choice(WORDS) for _ in range(source.randrange(1, 40)))
        if source.random() < 0.5:
            text = b"*%d\r\n$4\r\nPING\r\n" % source.randrange(-2, 4) + text
        try:
            client.sendall(text)
            if source.random() < 0.5:
                drop(client, source)
                continue
            client.shutdown(socket.SHUT_WR)
            reply = b"".join(iter(lambda c=client: c.recv(1 << 16), b""))
        except (ConnectionResetError, BrokenPipeError):
            reply = b"-"
        client.close()
        if b"-ERR Protocol" in reply or reply == b"-":
            refused += 1
        else:
            served += 1
    return served, refused


def pipelines(server, source):
    for _ in range(4):
        count = source.randrange(1000, 20_000)
        numbers = [source.randrange(1 << 30) for _ in range(count)]
        request = b"".join(command("ECHO", number) for number in numbers)
        reply = b"".join(b"$%d\r\n%d\r\n" % (len(str(n)), n) for n in numbers)
        client = server.connect()
        exchange(client, request, reply)
        drop(client, source)
    return 4, 0


def slow_readers(server, source):
    """Clients that request 10 MB each and do not read at first. Half of them read it later."""
    setter = server.connect()
    setter.sendall(command("SET", "big", VALUE))
    expect(setter, b"+OK\r\n")
    setter.close()
    clients = [server.connect() for _ in range(20)]
    for client in clients:
        client.sendall(command("GET", "big") * 500)
    one = b"$%d\r\n%s\r\n" % (len(VALUE), VALUE)
    served = 0
    for client in clients:
        if source.random() < 0.5:
            for _ in range(500):
                expect(client, one)
            served += 1
        drop(client, source)
    return served, 0


def floods(server, source):
    """Publishes messages to subscribers. Half of the subscribers do not read."""
    listeners, silent = ([server.connect() for _ in range(4)] for _ in range(2))
    for client in listeners + silent:
        client.sendall(command("SUBSCRIBE", "c"))
        expect(client, b"*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
    message = bytes(source.randrange(97, 123) for _ in range(1000))
    count = 500
    publisher = server.connect()
    exchange(publisher, command("PUBLISH", "c", message) * count, b":8\r\n" * count)
    for client in listeners:
        expect(client, (b"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1000\r\n%s\r\n" % message) * count)
    for client in listeners + silent + [publisher]:
        drop(client, source)
    return len(listeners) + 1, 0


def exhaustion(server, source):
    """Three times as many clients as descriptors. The server must serve all that stay."""
    clients = []
    for _ in range(3 * DESCRIPTORS):
        client = server.connect()
        client.sendall(command("PING"))
        if source.random() < 0.2:
            drop(client, source)
        else:
            clients.append(client)
    served = len(clients)
    while clients:
        ready, _, _ = select.select(clients, [], [], PATIENCE)
        if not ready:
            raise Lost(f"{len(clients)} of {served} clients over the limit were not served")
        for client in ready:
            expect(client, b"+PONG\r\n")
            clients.remove(client)
            drop(client, source)
    return served, 0


ATTACKS = [damaged, pipelines, slow_readers, floods, exhaustion]


def settle(server):
    """Waits until the server has closed the dropped connections: only the prober and this
    client remain."""
    limit = time.monotonic() + PATIENCE
    client = server.connect()
    while (count := information(client)["connections"]) > 2:
        if time.monotonic() > limit:
            raise Lost(f"{count - 2} connections leaked")
        time.sleep(0.02)
    client.close()


def attack(binary, loops, until, source, figures):
    server = Server(binary, loops)
    try:
        prober = Prober(server)
        prober.start()
        is_first = True
        while is_first or time.monotonic() < until:
            for one in ATTACKS:
                try:
                    served, refused = one(server, source)
                    settle(server)
                except (OSError, Lost) as fault:
                    raise Lost(f"{one.__name__}, {loops} loops: {fault!r}") from fault
                figures["served"] += served
                figures["refused"] += refused
            figures["rounds"] += 1
            is_first = False
        figures["peak"] = max(figures["peak"], server.peak())
        prober.end()
        figures["slowest"] = max(figures["slowest"], prober.slowest)
        server.end()
    finally:
        server.process.kill()
        server.process.wait()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("-s", dest="seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    figures = {"rounds": 0, "served": 0, "refused": 0, "peak": 0, "slowest": 0.0}
    began, variants = time.monotonic(), [1, 2, 4]
    try:
        for index, loops in enumerate(variants):
            until = began + arguments.seconds * (index + 1) / len(variants)
            attack(os.path.abspath(arguments.binary), loops, until, source, figures)
    except Lost as fault:
        print(f"server: {fault}", file=sys.stderr)
        sys.exit(1)
    print(f"server: {figures['rounds']} rounds of {len(ATTACKS)} attacks, {figures['served']} served,"
          f" {figures['refused']} refused, 0 lost; peak {figures['peak']} MB,"
          f" slowest answer {1000 * figures['slowest']:.0f} ms")


if __name__ == "__main__":
    main()
