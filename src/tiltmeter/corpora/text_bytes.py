"""A table's bytes as text: looked at before they are read whole, decoded, or refused in words.

Of what is no text at all, a disk image under the name of a table, only the beginning is read.
"""

from __future__ import annotations

import codecs
from pathlib import Path

from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import LARGEST_TABLE, MB, check_plain, is_folder

MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks, the longer ones first."""
WIDE = ("utf-16", "utf-32")
"""Encodings in which a NUL byte is half of a letter."""
PIECE = 16 * MB
"""How much is decoded at once to see whether it can be."""


def file_text(path: Path, encoding: str | None = None) -> tuple[bytes, list[str]]:
    """The file's text as UTF-8 without a byte order mark, and a note when it was not so."""
    must_begin_a_table(path, file_bytes(path, MB), encoding)
    return _utf8(path, file_bytes(path), encoding)


def file_bytes(path: Path, most: int = -1, largest: int = LARGEST_TABLE) -> bytes:
    """What a file holds, or so much of it; an error where that is nothing, or the file larger."""
    try:
        check_plain(path, largest)
        with path.open("rb") as file:
            data = file.read(most)
    except OSError as error:
        reason = "this is a folder" if is_folder(path) else error.strerror or str(error)
        problem = Problem(str(path), f"{reason}; expected a file that can be read")
        raise CorpusError("the file cannot be read", [problem]) from error
    if not data.strip():
        raise nothing(path)
    return data


def known(path: Path, encoding: str | None) -> str:
    """The usual name of an encoding, or an error where there is none."""
    try:
        return codecs.lookup(encoding or "utf-8").name
    except LookupError as error:
        raise unknown(path, str(encoding)) from error


def must_begin_a_table(path: Path, start: bytes, encoding: str | None) -> None:
    """Raise where the first megabyte of a long file is no text, or a line that has no end."""
    named = known(path, encoding)
    if len(start) < MB or named.startswith(WIDE) or start.startswith(tuple(MARKS)):
        return
    end = max(start.rfind(b"\n"), start.rfind(b"\r")) + 1
    if b"\0" in start:
        problem = not_text(path, start.count(b"\n", 0, start.index(b"\0")) + 1)
        raise CorpusError("the file is not a text file", [problem])
    if encoding is not None:
        return
    if not end:
        what = "its first line has no end within a megabyte; expected a line of column names"
        raise CorpusError("the file holds no table", [Problem(str(path), f"{what}, then its rows")])
    _utf8(path, start[:end], encoding)


def nothing(path: Path) -> CorpusError:
    """What is said of an empty file."""
    what = "found nothing in it; expected a table: a line of column names, then its rows"
    return CorpusError("the file is empty", [Problem(str(path), what)])


def _utf8(path: Path, data: bytes, encoding: str | None) -> tuple[bytes, list[str]]:
    """The data in UTF-8 without a byte order mark, and a note when they were not so."""
    named = encoding or marked(data) or "utf-8"
    try:
        text = _decoded(data, named)
    except LookupError as error:  # what is no encoding of letters
        raise unknown(path, named) from error
    except UnicodeError as error:
        problem = undecodable(path, data, named, getattr(error, "start", 0))
        raise CorpusError("the file is in another encoding", [problem]) from error
    if not text.strip():
        raise nothing(path)
    if b"\0" in text:
        problem = not_text(path, text.count(b"\n", 0, text.index(b"\0")) + 1)
        raise CorpusError("the file is not a text file", [problem])
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    return text, [] if named == "utf-8" else [f"read as {named}"]


def _decoded(data: bytes, encoding: str) -> bytes:
    """The data in UTF-8; what is that already is not copied."""
    if codecs.lookup(encoding).name != "utf-8":
        return data.decode(encoding).removeprefix("\ufeff").encode()
    at, whole = 0, memoryview(data)
    while at < len(data):
        end = data.find(b"\n", at + PIECE) + 1 or len(data)
        try:
            str(whole[at:end], "utf-8")
        except UnicodeDecodeError as error:
            error.start += at
            raise
        at = end
    return data.removeprefix(codecs.BOM_UTF8)


def marked(data: bytes) -> str | None:
    """The encoding that a byte order mark tells."""
    return next((name for mark, name in MARKS.items() if data.startswith(mark)), None)


def unknown(path: Path, encoding: str) -> CorpusError:
    """What is said of an encoding that nobody knows."""
    what = f"there is no encoding called {encoding!r}; try utf-8, cp1252, latin-1 or utf-16"
    return CorpusError("the encoding is unknown", [Problem(str(path), what)])


def undecodable(path: Path, data: bytes, encoding: str, start: int, before: int = 0) -> Problem:
    """A byte that no letter has, where so many lines stand `before` the data."""
    line = before + data.count(b"\n", 0, start) + 1
    if b"\0" in data and not encoding.startswith(("utf-16", "utf-32")):
        return not_text(path, line)
    position = start - data.rfind(b"\n", 0, start)
    what = (
        f"byte 0x{data[start]:02x} (byte {position:,} of the line) is not {encoding.upper()}; "
        "save the file as UTF-8 or say its encoding: --encoding cp1252 (Windows) or latin-1"
    )
    return Problem(f"{path}:{line}", what)


def not_text(path: Path, line: int) -> Problem:
    """A NUL byte in a line."""
    what = (
        "found a NUL byte, so this is no UTF-8 text (a spreadsheet under another name?); "
        "save it as CSV in UTF-8, or say its encoding, as in --encoding utf-16-le"
    )
    return Problem(f"{path}:{line}", what)
