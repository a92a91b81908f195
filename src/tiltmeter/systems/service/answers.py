"""An answer taken from a server within bounds: so many bytes, packed and unpacked.

Nothing that a server says about its answer is believed: not its length, not its compression, not
its letters. What is longer than any list of scores is left on the wire.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

LARGEST = 8 * 2**20
"""Bytes of the longest answer that is read: scores of a hundred thousand texts."""
PACKED = ("gzip", "x-gzip", "deflate")
PLAIN = ("", "identity")
ASKED_FOR = "gzip"
"""What is sent as Accept-Encoding."""
EITHER_HEADER = 47
"""Tells zlib to take its own header or gzip's."""


class UnreadableError(ValueError):
    """Why an answer cannot be read."""


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: the status, the headers, and the content or why it was not read."""

    code: int
    headers: Mapping[str, str]
    content: bytes
    unread: str = ""

    @property
    def text(self) -> str:
        """The content as letters, whatever letters the server says they are."""
        return self.content.decode("utf-8", errors="replace")


def received(response: httpx2.Response) -> Received:
    """Take a response that is being streamed; what is too long is not read to its end."""
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    try:
        content, unread = _unpacked(_gathered(response.iter_raw()), coding), ""
    except UnreadableError as error:
        content, unread = b"", str(error)
    return Received(response.status_code, response.headers, content, unread)


def _gathered(parts: Iterable[bytes]) -> bytes:
    found = bytearray()
    for part in parts:
        found += part
        if len(found) > LARGEST:
            raise _too_long()
    return bytes(found)


def _unpacked(content: bytes, coding: str) -> bytes:
    if coding in PLAIN or not content:
        return content
    if coding not in PACKED:
        raise UnreadableError(f"the answer is packed as {coding[:40]!r}; expected {ASKED_FOR}")
    unpacking = zlib.decompressobj(EITHER_HEADER)
    try:
        plain = unpacking.decompress(content, LARGEST + 1)
    except zlib.error:
        raise UnreadableError(f"the answer is said to be packed as {coding} and is not") from None
    if len(plain) > LARGEST:
        raise _too_long()
    if not unpacking.eof:
        raise UnreadableError(f"the answer, packed as {coding}, is cut off")
    return plain


def _too_long() -> UnreadableError:
    return UnreadableError(f"the answer is longer than {LARGEST // 2**20} MB")
