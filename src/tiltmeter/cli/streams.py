"""Standard output and error: what they cannot show is escaped, and who stops reading stops nothing.

A command that prints into a closed pipe (`| head -3`) goes on to its end: its files are whole and
its exit code is the one of its results.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STREAMS = ("stdout", "stderr")


class PipeOutput(io.FileIO):
    """The bytes of a stream; from the moment that its reader is gone, they go nowhere."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write bytes; where nobody reads them any more, so do all that follow."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)


def prepare_streams() -> None:
    """Make both streams outlive their readers and escape letters that they cannot hold.

    Where there is no stream, what is printed goes nowhere.
    """
    for number, name in enumerate(STREAMS, start=1):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            raw = getattr(stream.buffer, "raw", stream.buffer)  # unbuffered: Python -u
            if type(raw) is io.FileIO and raw.fileno() == number:
                setattr(sys, name, _outlive_reader(stream, is_buffered=raw is not stream.buffer))


def _outlive_reader(stream: io.TextIOWrapper, *, is_buffered: bool) -> io.TextIOWrapper:
    """The same stream, with an end that a reader may close."""
    stream.flush()
    raw = PipeOutput(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw) if is_buffered else raw,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
