"""A server on this machine that breaks HTTP: it hangs, resets, lies, trickles and never ends.

Each path is one way to misbehave; `/good` and `/packed` answer well.
"""

import gzip
import itertools
import socket
import struct
import threading
import zlib
from collections import Counter
from contextlib import contextmanager, suppress
from functools import cache

GOOD = b'{"score": 0.25}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
NEVER = 3600.0


class Liar:
    """What was asked of the server, and what it is doing."""

    def __init__(self):
        self.seen = Counter()
        self.heard = []
        self.sent = Counter()
        self.done = threading.Event()

    def answer(self, path, connection):
        getattr(self, path.strip("/").replace("-", "_"))(connection)

    # --- lengths ---

    def good(self, connection):
        connection.sendall(_whole(GOOD))

    def too_long(self, connection):
        """Promises more than it sends, and hangs up."""
        connection.sendall(HEAD + b"Content-Length: 999\r\n\r\n" + GOOD)

    def too_short(self, connection):
        """Sends more than it promised, and goes on."""
        connection.sendall(HEAD + b"Content-Length: 9\r\n\r\n" + GOOD)

    def no_length(self, connection):
        connection.sendall(HEAD + b"Content-Length: many\r\n\r\n" + GOOD)

    def half_chunked(self, connection):
        connection.sendall(
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n" + GOOD[:5] + b"\r\n9\r\n{"
        )

    # --- no end ---

    def endless(self, connection):
        self._pour(connection, b" " * 65_536)

    def endless_error(self, connection):
        self._pour(connection, b" " * 65_536, b"HTTP/1.1 400 No\r\n")

    def endless_headers(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        self._pour(connection, b"X-More: " + b"y" * 5000 + b"\r\n", b"")

    def huge_length(self, connection):
        """Says a terabyte is coming."""
        connection.sendall(HEAD + b"Content-Length: 1099511627776\r\n\r\n" + GOOD)

    def bomb(self, connection):
        """Some kilobytes that unpack to 128 megabytes."""
        connection.sendall(_whole(_packed_spaces(128), b"Content-Encoding: gzip\r\n"))

    def packed(self, connection):
        connection.sendall(_whole(gzip.compress(GOOD), b"Content-Encoding: gzip\r\n"))

    def packed_half(self, connection):
        connection.sendall(_whole(gzip.compress(GOOD)[:-9], b"Content-Encoding: gzip\r\n"))

    def not_packed(self, connection):
        connection.sendall(_whole(GOOD, b"Content-Encoding: gzip\r\n"))

    def packed_oddly(self, connection):
        connection.sendall(_whole(GOOD, b"Content-Encoding: zstd\r\n"))

    # --- no word, or one now and then ---

    def hang(self, _):
        self.done.wait(NEVER)

    def soon_silent(self, connection):
        if self.seen["/soon-silent"] > 20:
            self.done.wait(NEVER)
        connection.sendall(_whole(GOOD))

    def reset(self, connection):
        now = struct.pack("ii", 1, 0)  # on closing: at once, with a reset
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)

    def trickle(self, connection):
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        self._drip(connection, itertools.repeat(b"1\r\n \r\n"))

    def trickled_headers(self, connection):
        self._drip(connection, (bytes([letter]) for letter in itertools.cycle(HEAD)))

    # --- what it is said to be ---

    def called_html(self, connection):
        connection.sendall(_whole(GOOD, kind=b"text/html"))

    def odd_letters(self, connection):
        connection.sendall(_whole(GOOD, kind=b"application/json; charset=zlib"))

    def garbage(self, connection):
        connection.sendall(bytes(range(256)) * 8)

    def elsewhere(self, connection):
        host = connection.getsockname()
        place = f"http://localhost:{host[1]}/good"  # another name, so another host
        connection.sendall(
            f"HTTP/1.1 307 There\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
        )

    def wait_for_ever(self, connection):
        connection.sendall(
            b"HTTP/1.1 503 Later\r\nRetry-After: 999999999999999999999\r\nContent-Length: 0\r\n\r\n"
        )

    def _pour(self, connection, part, head=HEAD):
        connection.sendall(head + (b"\r\n" if head else b""))
        while not self.done.is_set():
            self.sent[threading.get_ident()] += connection.send(part)

    def _drip(self, connection, parts):
        for part in parts:
            connection.sendall(part)
            if self.done.wait(0.02):
                return


@cache
def _packed_spaces(megabytes):
    packing = zlib.compressobj(wbits=31)
    parts = [packing.compress(b" " * 2**20) for _ in range(megabytes)]
    return b"".join(parts) + packing.flush()


def _whole(content, headers=b"", kind=b"application/json"):
    length = str(len(content)).encode()
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n" + headers
        + b"Content-Length: " + length + b"\r\n\r\n" + content
    )  # fmt: skip


def _request(connection):
    """The head of one request; its body, some bytes of JSON, is read and left."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = connection.recv(65_536)
        if not part:
            return None
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    want = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < want:
        body += connection.recv(65_536)
    return head.decode("latin-1")


def _serve(liar, connection):
    with suppress(OSError), connection:
        while (head := _request(connection)) is not None:
            path = head.split()[1].partition("?")[0]
            liar.seen[path] += 1
            liar.heard.append(head)
            liar.answer(path, connection)
            if path not in ("/good", "/packed"):
                return


@contextmanager
def lying():
    """The server in threads, for as long as it is asked; gives it and its address."""
    liar = Liar()
    _packed_spaces(128)
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def listen():
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=_serve, args=(liar, connection), daemon=True).start()

    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    try:
        yield liar, f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        liar.done.set()
        listener.shutdown(socket.SHUT_RDWR)
        listening.join()
        listener.close()
