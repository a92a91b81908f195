"""Finished scores on disk: asked once, kept, found again, never half written.

    STORE/<fingerprint>/card.json            what system this is, for people
    STORE/<fingerprint>/<time>-<random>.parquet    a shard: text, repeat, raw, reason

Shards are only added: written aside, flushed to disk, renamed into place. Two runs at once write
different shards; where both hold a text, a score wins over a null and the newer shard over the
older, so every reader sees the same, and what was asked anew stays anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from tiltmeter.errors import StoreError
from tiltmeter.systems.protocol import Card

ENVIRONMENT = "TILTMETER_STORE"
SHARD = "*.parquet"
ASIDE = ".aside-"
DIGEST = "tiltmeter.sha256"
CARD, PACE = "card.json", "pace.json"

SCHEMA = pl.Schema(
    {"text": pl.String(), "repeat": pl.Int64(), "raw": pl.Float64(), "reason": pl.String()}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One system's part of a store."""

    fingerprint: str
    name: str
    task: str
    scores: int
    shards: int
    bytes: int
    last: float
    """When it was last written to, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a store that is not as it should be."""

    path: Path
    what: str


def default_store() -> Path:
    """$TILTMETER_STORE, else a folder in the user's cache."""
    if named := os.environ.get(ENVIRONMENT):
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tiltmeter" / "scores"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of finished scores."""

    path: Path

    def read(self, fingerprint: str) -> tuple[pl.DataFrame, list[Fault]]:
        """A system's stored scores, one row a text and repeat, and the shards that are broken."""
        frames, faults = [], []
        for shard in self._shards(fingerprint):
            found = _read_shard(shard)
            if isinstance(found, Fault):
                faults.append(found)
            else:
                frames.append(found)
        if not frames:
            return pl.DataFrame(schema=SCHEMA), faults
        # A shard holds a text and repeat once, so one shard alone needs no settling.
        return frames[0] if len(frames) == 1 else _settled(pl.concat(frames)), faults

    def write(self, card: Card, scores: pl.DataFrame) -> Path:
        """Add a shard; it is whole and on disk when this returns."""
        folder = self.path / card.fingerprint
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (folder / CARD).exists():
                _rename_into_place(folder / CARD, lambda path: path.write_text(_as_json(card)))
            shard = folder / f"{time.time_ns():020}-{secrets.token_hex(4)}.parquet"
            rows = scores.select(SCHEMA.names())
            about = {DIGEST: _digest(rows)}
            _rename_into_place(shard, lambda path: rows.write_parquet(path, metadata=about))
        except OSError as error:
            raise self._unwritable(error) from error
        except pl.exceptions.PolarsError as error:
            raise self._unwritable(error) from error
        return shard

    def merge(self, card: Card, shards: Sequence[Path], asks: pl.DataFrame) -> None:
        """Put the shards of one run into one, in the order of its asks (text, repeat).

        A crash in between leaves doubles and loses nothing.
        """
        if len(shards) < 2:
            return
        every = _settled(pl.concat(pl.read_parquet(shard) for shard in shards))
        self.write(card, asks.join(every, on=["text", "repeat"], maintain_order="left"))
        for shard in shards:
            with contextlib.suppress(OSError):
                shard.unlink()

    def keep_card(self, card: Card) -> None:
        """Write a system's card where its scores are stored without one."""
        folder = self.path / card.fingerprint
        if folder.is_dir() and not _read_json(folder / CARD):
            with contextlib.suppress(OSError):
                _rename_into_place(folder / CARD, lambda path: path.write_text(_as_json(card)))

    def note_pace(self, card: Card, texts: int, seconds: float) -> None:
        """Remember how long a system took, for telling how long it will take."""
        pace = json.dumps({"texts": texts, "seconds": seconds})
        with contextlib.suppress(OSError):
            path = self.path / card.fingerprint / PACE
            _rename_into_place(path, lambda aside: aside.write_text(pace))

    def pace(self, card: Card) -> float | None:
        """Seconds a text when the system was last asked, or None if it never was."""
        found = _read_json(self.path / card.fingerprint / PACE)
        texts, seconds = found.get("texts"), found.get("seconds")
        if isinstance(texts, int) and isinstance(seconds, int | float) and texts > 0:
            return seconds / texts
        return None

    def entries(self) -> list[Entry]:
        """Every system in the store, by name."""
        found = [self._entry(folder) for folder in self._folders()]
        return sorted(found, key=lambda entry: (entry.name, entry.task, entry.fingerprint))

    def verify(self) -> list[Fault]:
        """Read every shard and card; what cannot be read, and what crashed runs left behind."""
        return [fault for folder in self._folders() for fault in _faults(folder)]

    def remove(self, fingerprints: Iterable[str]) -> None:
        """Delete some systems' scores."""
        for fingerprint in fingerprints:
            folder = self.path / fingerprint
            for path in [*folder.glob("*"), *folder.glob(f"{ASIDE}*")]:
                self._unlink(path)
            with contextlib.suppress(OSError):
                folder.rmdir()

    def clear(self, faults: Iterable[Fault]) -> None:
        """Delete broken shards and what crashed runs left behind."""
        for fault in faults:
            self._unlink(fault.path)

    def _unlink(self, path: Path) -> None:
        try:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def _folders(self) -> Iterator[Path]:
        if self.path.exists() and not self.path.is_dir():
            raise StoreError(f"the store {self.path} is a file; expected a folder")
        if self.path.is_dir():
            yield from sorted(p for p in self.path.iterdir() if p.is_dir() and len(p.name) == 32)

    def _shards(self, fingerprint: str) -> list[Path]:
        return sorted((self.path / fingerprint).glob(SHARD))

    def _entry(self, folder: Path) -> Entry:
        scores, _ = self.read(folder.name)
        shards = list(folder.glob(SHARD))
        card = _read_json(folder / CARD)
        return Entry(
            folder.name,
            str(card.get("name", "(card unreadable)")),
            str(card.get("task", "")),
            scores.height,
            len(shards),
            sum(path.stat().st_size for path in shards),
            max((path.stat().st_mtime for path in shards), default=0.0),
        )

    def _unwritable(self, error: Exception) -> StoreError:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        return StoreError(
            f"the store {self.path} cannot be written: {reason}; what was stored before is safe. "
            "Name another with --store DIR, or free some space, and run the same command again"
        )


def _settled(scores: pl.DataFrame) -> pl.DataFrame:
    """One row a text and repeat: the last that holds a score, else the last."""
    by_score = scores.sort(pl.col("raw").is_not_null(), maintain_order=True)
    return by_score.unique(["text", "repeat"], keep="last", maintain_order=True)


def _read_shard(shard: Path) -> pl.DataFrame | Fault:
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


def _faults(folder: Path) -> Iterator[Fault]:
    for shard in sorted(folder.glob(SHARD)):
        found = _read_shard(shard)
        if isinstance(found, Fault):
            yield found
        elif pl.read_parquet_metadata(shard).get(DIGEST) != _digest(found):
            yield Fault(shard, "does not hold what was written into it")
    for left in sorted(folder.glob(f"{ASIDE}*")):
        yield Fault(left, "was left behind by a run that did not finish writing it")
    if not _read_json(folder / CARD):
        yield Fault(folder / CARD, "is not there or cannot be read")


def _digest(rows: pl.DataFrame) -> str:
    """A hash of a shard's rows, to tell a bit that flipped on disk."""
    joined = rows.select(
        pl.concat_str(
            "text", "repeat", pl.col("raw").cast(pl.String), "reason",
            separator="\x1f", ignore_nulls=True,
        )
    ).to_series()  # fmt: skip
    return hashlib.sha256("\x1e".join(joined.to_list()).encode()).hexdigest()


def _read_json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _as_json(card: Card) -> str:
    return json.dumps(asdict(card), indent=2, ensure_ascii=False, default=str) + "\n"


def _rename_into_place(path: Path, write: Callable[[Path], object]) -> None:
    """Write a neighbour, flush it to disk, rename it; a crash leaves the neighbour at most."""
    aside = path.parent / f"{ASIDE}{secrets.token_hex(8)}"
    try:
        write(aside)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
