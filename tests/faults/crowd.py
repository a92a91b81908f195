"""A server that answers only once a crowd has come: it can tell how many asked at the same time."""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from subprocess import PIPE


class Crowd:
    """Requests that are being answered, and the most there were at once."""

    def __init__(self, size):
        self.size, self.now, self.peak, self.asked = size, 0, 0, 0
        self.gathered = asyncio.Event()

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [
                    line for line in head.lower().split(b"\r\n") if b"content-length" in line
                ]
                body = await reader.readexactly(int(lengths[0].split(b":")[1]))
                await self._together()
                self._answer(writer, json.loads(body)["text"])
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _together(self):
        """Wait for the crowd: the first of it is not answered before the last has asked."""
        self.now += 1
        self.asked += 1
        self.peak = max(self.peak, self.now)
        if self.now >= self.size:
            self.gathered.set()
        await asyncio.wait_for(self.gathered.wait(), 60)
        self.now -= 1

    def _answer(self, writer, text):
        content = json.dumps({"score": len(text) / 100}).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\n\r\n".encode()
        writer.write(head + content)


async def main(size):
    """Listen until the standard input ends; print the port first and the counts last."""
    crowd = Crowd(size)
    server = await asyncio.start_server(crowd.serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(crowd.peak, crowd.asked, flush=True)
    os._exit(0)  # whoever is still connected need not be waited for


@contextmanager
def gathering(size):
    """The server in a process of its own; gives its address and what ends and counts it."""
    program = [sys.executable, __file__, str(size)]
    with subprocess.Popen(program, stdin=PIPE, stdout=PIPE, text=True) as running:
        port = running.stdout.readline().strip()

        def counts():
            running.stdin.close()
            return [int(number) for number in running.stdout.read().split()]

        yield f"http://127.0.0.1:{port}", counts
        running.kill()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
