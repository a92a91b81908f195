"""How large a pickle's memo is, told before it is read.

A pickle numbers what it will mention again, and the reader makes room up to the highest number. A
damaged or hostile file of a few bytes may say 4,294,967,295, and 64 GB would be set aside for it.
Each number is used by an instruction of its own, so an honest one is smaller than the file.
"""

from __future__ import annotations

import mmap
import pickletools
from pathlib import Path

from tiltmeter.errors import TiltmeterError

PUTS = {"PUT", "BINPUT", "LONG_BINPUT"}
LENGTH_BYTES = {-2: 1, -3: 4, -4: 4, -5: 8}
"""How many bytes say how long an argument is, by what `pickletools` calls its kind."""
CODES = {op.code.encode("latin1")[0]: op for op in pickletools.opcodes}
FIXED = {code: op.arg.n if op.arg else 0 for code, op in CODES.items()}
LINES = {code: 2 if op.name in ("GLOBAL", "INST") else 1 for code, op in CODES.items()}
PUT_CODES = {code for code, op in CODES.items() if op.name in PUTS}
STOP = ord(".")


def check_memo(path: Path) -> None:
    """Raise where an instruction asks for more room than an honest file of this size needs."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if _highest(data, len(data)) > len(data):
            what = "is damaged: it asks for far more memory than its size allows"
            raise TiltmeterError(f"{path}: {what}; nothing was read: fetch it anew")


def _highest(data: mmap.mmap, size: int) -> int:
    """The highest number that anything is given, up to where the file makes sense."""
    at, highest = 0, 0
    while at < size and (code := data[at]) != STOP:
        length = FIXED.get(code)
        if length is None:
            break  # reading it will say what is wrong
        start = at + 1
        if length >= 0:
            at = start + length
        elif length == -1:
            at = _after_lines(data, start, LINES[code])
        else:
            prefix = LENGTH_BYTES[length]
            at = start + prefix + int.from_bytes(data[start : start + prefix], "little")
        if code in PUT_CODES:
            highest = max(highest, _number(data[start:at]))
    return highest


def _after_lines(data: mmap.mmap, start: int, lines: int) -> int:
    """Where so many lines end; the end of the file where they do not."""
    for _ in range(lines):
        end = data.find(b"\n", start)
        if end < 0:
            return len(data)
        start = end + 1
    return start


def _number(said: bytes) -> int:
    """A number written as digits and a line's end, or as bytes."""
    digits = said.strip()
    if said.endswith(b"\n") and digits.isdigit() and len(said) > 1:
        return int(digits[:20])
    return int.from_bytes(said, "little")
