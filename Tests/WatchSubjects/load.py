"""The clients of server.js."""
import socket
import threading
import time

CLIENTS = 4
# An answer may be late on a busy machine. One that never comes is a failure.
LIMIT = 60  # s


class Failure(Exception):
    """A request without its answer, or another thing that a watch must not change."""


def request(client, path):
    """Sends a request, and returns when the whole answer has arrived."""
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"}]}"):
        part = client.recv(1 << 16)
        if not part:
            raise Failure(f"the server closed the connection before it answered {path}")
        answer += part
    if f'{{"path":"{path}",'.encode() not in answer:
        raise Failure(f"{path} has the answer {answer[:200]}")


class Load:
    """Clients that send requests until they are stopped, each on a connection of its own.
    Every `busy`-th request makes the server compute for 4 ms."""

    def __init__(self, path, busy=0):
        self.path, self.busy, self.is_over, self.failures = path, busy, False, []
        self.answered = [0] * CLIENTS
        self.threads = [
            threading.Thread(target=self.send, args=(i,), daemon=True) for i in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def send(self, number):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(LIMIT)
                client.connect(str(self.path))
                while not self.is_over:
                    count = self.answered[number]
                    kind = "busy" if self.busy and count % self.busy == 0 else "item"
                    request(client, f"/{kind}/{number}/{count}")
                    self.answered[number] += 1
        except (OSError, Failure) as error:
            self.failures.append(f"request {self.answered[number]} of client {number}: {error}")

    def progress(self):
        """Waits until each client has the answer to a request that it sends after this call."""
        wanted = [count + 2 for count in self.answered]
        end = time.monotonic() + LIMIT
        while any(have < want for have, want in zip(self.answered, wanted)):
            if self.failures or time.monotonic() > end:
                raise Failure("; ".join(self.failures) or "the server gives no answers")
            time.sleep(0.001)

    def stop(self):
        """Ends the clients after their last answers. Returns the number of answers."""
        self.is_over = True
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise Failure("; ".join(self.failures))
        return sum(self.answered)
