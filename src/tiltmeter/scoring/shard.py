"""One shard of a store: its name, its columns, its digest, read and written whole."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.files import sync_folder

SHARD, BLOCK = "*.parquet", "-block-"
STAMP = 20
"""Digits of the time in a shard's name, in nanoseconds."""
ASIDE = ".aside-"
DIGEST = "tiltmeter.sha256"

SCHEMA = pl.Schema(
    {"text": pl.String(), "repeat": pl.Int64(), "raw": pl.Float64(), "reason": pl.String()}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a store that is not as it should be."""

    path: Path
    what: str


def shard_name(block: str | None = None, after: str = "") -> str:
    """A name that no other shard has, later ones last: also `after` a clock that ran ahead.

    >>> shard_name("key-0", after="99999999999999999998-aa.parquet")
    '99999999999999999999-block-key-0.parquet'
    """
    stamp = after[:STAMP]
    then = int(stamp) + 1 if stamp.isdecimal() and len(stamp) == STAMP else 0
    time_ns = min(max(time.time_ns(), then), 10**STAMP - 1)
    return f"{time_ns:0{STAMP}}{BLOCK + block if block else '-' + secrets.token_hex(4)}.parquet"


def read_shard(shard: Path) -> pl.DataFrame | Fault:
    """A shard's rows, or what is wrong with it."""
    try:
        frame = pl.read_parquet(shard, memory_map=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        return Fault(shard, f"cannot be read ({str(error).splitlines()[0]})")
    if frame.schema != SCHEMA:
        return Fault(
            shard, f"has the columns {', '.join(frame.columns)}, which is no shard of ours"
        )
    if (frame["raw"].is_nan() | frame["raw"].is_infinite()).any():
        return Fault(shard, "holds a score that is no number")
    return frame


def part_of(shard: Path, texts: pl.Series | None) -> pl.DataFrame | Fault:
    """What a shard holds, or of a block only some texts where they are given."""
    found = read_shard(shard)
    if isinstance(found, Fault) or texts is None or BLOCK not in shard.name:
        return found
    return found.join(texts.to_frame("text"), on="text", how="semi")


def holds_any(shard: Path, texts: pl.Series) -> bool:
    """Whether a shard has any of these texts; not where it cannot be read."""
    try:
        held = pl.read_parquet(shard, columns=["text"], memory_map=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return False
    return not held.join(texts.to_frame("text"), on="text", how="semi").is_empty()


def time_span(shards: Iterable[Path]) -> tuple[float, float] | None:
    """When the first and the last of some shards was written, in seconds since 1970.

    >>> time_span([Path("00000000001500000000-aa.parquet"), Path("00000000003000000000-bb.parquet")])
    (1.5, 3.0)
    """  # noqa: E501
    stamps = [shard.name[:STAMP] for shard in shards]
    times = [int(stamp) / 1e9 for stamp in stamps if stamp.isdecimal()]
    return (min(times), max(times)) if times else None


def rows_of(shard: Path) -> int:
    """How many rows a shard has, from its metadata alone; none where it cannot be read."""
    try:
        return int(pl.scan_parquet(shard).select(pl.len()).collect().item())
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return 0


def settled(scores: pl.DataFrame) -> pl.DataFrame:
    """One row a text and repeat: the last that holds a score, else the last."""
    by_score = scores.sort(pl.col("raw").is_not_null(), maintain_order=True)
    return by_score.unique(["text", "repeat"], keep="last", maintain_order=True)


def shard_bytes(scores: pl.DataFrame) -> bytes:
    """A shard as it stands on disk, for whoever puts it there in another way."""
    rows, file = scores.select(SCHEMA.names()), io.BytesIO()
    rows.write_parquet(file, metadata={DIGEST: digest(rows)})
    return file.getvalue()


def is_whole(shard: Path) -> bool:
    """Whether a shard can be read and holds what was written into it."""
    found = read_shard(shard)
    return not isinstance(found, Fault) and (
        pl.read_parquet_metadata(shard).get(DIGEST) == digest(found)
    )


def digest(rows: pl.DataFrame) -> str:
    """A hash of a shard's rows, to tell a bit that flipped on disk."""
    joined = rows.select(
        pl.concat_str(
            "text", "repeat", pl.col("raw").cast(pl.String), "reason",
            separator="\x1f", ignore_nulls=True,
        )
    ).to_series()  # fmt: skip
    return hashlib.sha256("\x1e".join(joined.to_list()).encode()).hexdigest()


def rename_into_place(path: Path, write: Callable[[Path], object]) -> None:
    """Write a neighbour, flush it to disk, rename it; a crash leaves the neighbour at most."""
    aside = path.parent / f"{ASIDE}{secrets.token_hex(8)}"
    try:
        write(aside)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(path)
        sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)
