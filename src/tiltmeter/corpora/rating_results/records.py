"""Rows in brief, set aside on disk: which tally, which sentence, which score.

Of a sentence only a hash of 128 bits is kept, by which rows are parted, so that rows of one
sentence come back together, some of the rows at a time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import OutputError

PARTS = 64
SEEDS = (11, 23)
RECORD = np.dtype(
    [
        ("tally", "<u4"),
        ("row", "<u8"),
        ("raw", "<f8"),
        ("keyed", "?"),
        ("hash", "<u8"),
        ("check", "<u8"),
    ]
)
Brief = NDArray[np.void]
"""Records of RECORD."""


class Records:
    """Records of rows on disk, until the end of the `with`."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._files: list[BinaryIO] = []

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def add(self, some: Brief) -> None:
        """Set records aside."""
        part = some["hash"] % PARTS
        order = np.argsort(part, kind="stable")
        ends = np.searchsorted(part[order], np.arange(1, PARTS))
        try:
            if not self._files:
                new = (tempfile.TemporaryFile() for _ in range(PARTS))  # noqa: SIM115
                self._files = [self._stack.enter_context(file) for file in new]
            for file, those in zip(self._files, np.split(some[order], ends), strict=True):
                file.write(those.tobytes())
        except OSError as error:
            what = f"{tempfile.gettempdir()}: {error.strerror}, while rows were set aside there"
            how = f"they take {RECORD.itemsize} bytes each; name a folder with more room in TMPDIR"
            raise OutputError(f"{what}; {how}") from error

    def parts(self) -> Iterator[Brief]:
        """All records, those of one sentence together."""
        for file in self._files:
            file.seek(0)
            yield np.frombuffer(file.read(), RECORD)


def in_brief(rows: pl.DataFrame, tally: pl.Series, first: int) -> Brief:
    """The records of rows with a key each or null, numbered from the `first` on."""
    found = np.zeros(rows.height, RECORD)
    found["tally"] = tally.to_numpy()
    found["row"] = np.arange(first, first + rows.height)
    found["raw"] = rows["raw"].to_numpy()
    found["keyed"] = rows["key"].is_not_null().to_numpy()
    for name, hashed in zip(("hash", "check"), hashes(rows["key"]), strict=True):
        found[name] = np.where(found["keyed"], hashed, found["row"])
    return found


def hashes(keys: pl.Series) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Two hashes of every key."""
    one, other = (keys.hash(seed).to_numpy() for seed in SEEDS)
    return one, other
