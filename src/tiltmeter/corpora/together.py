"""The rows of a large table brought together by frame, in memory that does not grow with it.

Frames come in the order in which they begin, their rows in the order of the file. The rows are
dealt out to files of neighbouring frames, and each of those is then put in order by itself.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tiltmeter.corpora.gathered import KEY, places
from tiltmeter.corpora.spool import Spool
from tiltmeter.corpora.table_look import LINE
from tiltmeter.errors import OutputError
from tiltmeter.files import os_error_text

ROWS = 250_000
"""Rows in a part, about: a frame is not parted."""
MOST_PARTS = 512
"""So that there are not too many files; the parts of a very large table are larger."""
LENGTH = 8
"""Bytes that say how long the next piece of a file is."""
RANK, PART = "*rank", "*part"
BROUGHT = (
    "the sentences of a frame do not all stand together in the file; they are brought together, "
    "frames in the order in which they begin"
)


def bring_together(spool: Spool, frames: pl.DataFrame) -> None:
    """Put the rows of a spool in order.

    `frames` has the hash of every frame, its `first` row and how many `rows` it has.
    """
    ordered = spool.inside("together")
    piles = _Piles(ordered.folder, frames)
    for rows in spool():
        piles.deal(rows)
    for rows in piles:
        ordered.add(rows)
    spool.take(ordered)


class _Piles:
    """Files of neighbouring frames, each a row of small Parquet files."""

    def __init__(self, folder: Path, frames: pl.DataFrame) -> None:
        self._folder, self._used = folder, set[int]()
        rows = max(ROWS, int(frames["rows"].sum()) // MOST_PARTS)
        ends = pl.col("rows").cast(pl.Int64).cum_sum()
        ranked = frames.sort("first").select(
            KEY,
            pl.int_range(pl.len(), dtype=pl.UInt32).alias(RANK),
            ((ends - pl.col("rows")) // rows).cast(pl.UInt32).alias(PART),
        )
        self._frames = ranked.sort(KEY)
        self._keys = self._frames[KEY].to_numpy()

    def deal(self, rows: pl.DataFrame) -> None:
        """Put each row to its pile."""
        at, _ = places(rows["frame"].hash().to_numpy(), self._keys)
        where = self._frames.select(RANK, PART)[at]
        dealt = rows.hstack(where).partition_by(PART, as_dict=True, include_key=False)
        for (part,), some in dealt.items():
            self._append(int(part), some)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The piles in order, each put in order; what was read is removed."""
        for part in sorted(self._used):
            rows = pl.concat(self._pieces(part))
            # Two frames of one hash share a rank, and are still kept apart.
            yield rows.sort(RANK, "frame", LINE).drop(RANK)
            self._pile(part).unlink()

    def _append(self, part: int, rows: pl.DataFrame) -> None:
        piece = io.BytesIO()
        rows.write_parquet(piece, compression="lz4", statistics=False)
        try:
            with self._pile(part).open("ab") as file:
                file.write(len(piece.getbuffer()).to_bytes(LENGTH))
                file.write(piece.getbuffer())
        except OSError as error:
            raise OutputError(
                f"{self._folder}: cannot be written: {os_error_text(error)}"
            ) from error
        self._used.add(part)

    def _pieces(self, part: int) -> Iterator[pl.DataFrame]:
        with self._pile(part).open("rb") as file:
            while length := file.read(LENGTH):
                yield pl.read_parquet(io.BytesIO(file.read(int.from_bytes(length))))

    def _pile(self, part: int) -> Path:
        return self._folder / f"pile-{part:05}"
