"""What a stranger sends that would run or call, and how a test knows that it did."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TRAP = """
import pathlib
pathlib.Path("ran").touch()
def score(texts):
    return [0.5 for _ in texts]
"""
"""A module that leaves a mark where it is imported."""


@contextmanager
def counting_server() -> Iterator[tuple[str, list[socket.socket]]]:
    """The address of a server that only counts who connects."""
    listener, calls = socket.create_server(("127.0.0.1", 0)), list[socket.socket]()

    def listen() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                calls.append(connection)
                connection.close()

    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/score", calls
    listener.shutdown(socket.SHUT_RDWR)
    listening.join()
    listener.close()


def lay_traps(folder: Path, address: str) -> None:
    """Put a module, a described service and a model that are traps into a folder."""
    (folder / "trap.py").write_text(TRAP)
    service = f'[system]\nurl = "{address}"\nscale = [0, 1]\n[answer]\nscore = "score"\n'
    (folder / "trap.toml").write_text(service)
    lay_model(folder / "model")
    (folder / "trap.skops").write_bytes(b"PK\x03\x04")


def lay_model(folder: Path) -> None:
    """Make a folder whose model.json would have code run."""
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps({"kind": "python", "code": TRAP}))
