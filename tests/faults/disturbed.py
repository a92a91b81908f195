"""Runs of the real command that are disturbed: killed at a moment, short of room, at once."""

import ctypes
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tiltmeter.cli import main

PAUSED = """
import os, time
from pathlib import Path

LOG = Path(__file__).with_name("asked.log")
HOLD = float(os.environ.get("HOLD", "inf"))

def score(text):
    time.sleep(float(os.environ.get("PAUSE", "0")))
    while HOLD < float("inf") and LOG.exists() and len(LOG.read_bytes().splitlines()) >= HOLD:
        time.sleep(0.02)
    with LOG.open("a", encoding="utf-8") as log:
        log.write(text + "\\n")
    return len(text) / 100
"""
"""A system that notes what it is asked, in PAUSE seconds each; silent after HOLD texts."""

KILLED = """
import os, signal, sys

place, moment, events = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
del sys.argv[1:4]
seen = 0

def watch(event, given):
    global seen
    if event in events and place in str(given[0]):
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
from tiltmeter.cli import main
try:
    main()
finally:
    print(f"moments: {seen}", file=sys.stderr)
"""
"""The command, killed just before it opens, makes or renames its nth thing in a place."""
EVENTS = "open os.mkdir os.rename"


def environment(**more):
    return {**os.environ, "COLUMNS": "100", **{name: str(value) for name, value in more.items()}}


def tiltmeter(folder, *words, **more):
    """The command in a process of its own, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "tiltmeter", *map(str, words)],
        cwd=folder, capture_output=True, text=True, check=False, env=environment(**more),
    )  # fmt: skip


def started(folder, *words, **more):
    """The command in a process of its own, at the head of a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tiltmeter", *map(str, words)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env=environment(**more),
    )  # fmt: skip


def killed_at(folder, place, moment, *words, events=EVENTS):
    """The command, killed at a moment of its writing into a place; moment 0 lets it live."""
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(place), str(moment), events, *map(str, words)],
        cwd=folder, capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip


def moments(done):
    """How many moments a run that was let live had."""
    return int(done.stderr.rpartition("moments: ")[2])


def here(monkeypatch, capsys, *words):
    """The command in this process: its exit code and what it said."""
    monkeypatch.setattr(sys, "argv", ["tiltmeter", *map(str, words)])
    with pytest.raises(SystemExit) as done:
        main()
    return done.value.code or 0, capsys.readouterr().err


def one_message(said):
    """What was said, if it is one message and no more."""
    assert "Traceback" not in said, said
    assert said.startswith("error: "), said
    assert said.count("error: ") == 1, said
    assert len(said.strip().splitlines()) == 1, said
    return said.strip()


def until(found, seconds=300.0):
    """Wait for something to be so."""
    deadline = time.monotonic() + seconds
    while not (seen := found()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return seen


def without_environment(path):
    """The bytes of a file of results, all but its environment block."""
    text = path.read_text(encoding="utf-8")
    block = json.dumps(json.loads(text)["environment"], indent=2, ensure_ascii=False)
    indented = block.replace("\n", "\n  ")
    assert text.count(indented) == 1
    return text.replace(indented, "").encode()


@contextmanager
def small_disk(folder, size, options=""):
    """A disk of some bytes, mounted at a folder."""
    folder.mkdir(exist_ok=True)
    library = ctypes.CDLL(None, use_errno=True)
    told = f"size={size}{options}".encode()
    if os.name != "posix" or library.mount(b"none", str(folder).encode(), b"tmpfs", 0, told):
        pytest.skip(f"a small disk cannot be mounted here: {os.strerror(ctypes.get_errno())}")
    try:
        yield folder
    finally:
        library.umount2(str(folder).encode(), 2)


def make_read_only(folder):
    """Turn a mounted small disk into one that only lets itself be read."""
    library = ctypes.CDLL(None, use_errno=True)
    read_only, again = 1, 32
    assert not library.mount(b"none", str(folder).encode(), b"tmpfs", read_only | again, b"")


def group_of(process):
    """Every process of a group but its head."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(told[2]) == process.pid and told[0] != "Z" and int(entry.parent.name) != process.pid:
            found.append(int(entry.parent.name))
    return found
