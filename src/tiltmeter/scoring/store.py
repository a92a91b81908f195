"""Finished scores on disk: asked once, kept, found again, never half written.

    STORE/<fingerprint>/card.json            what system this is, for people
    STORE/<fingerprint>/<time>-<random>.parquet    a shard: text, repeat, raw, reason
    STORE/<fingerprint>/<time>-block-<key>.parquet the shard of one block of a large corpus

Shards are only added: written aside, flushed to disk, renamed into place. Two runs at once write
different shards; where both hold a text, a score wins over a null and the newer shard over the
older, so every reader sees the same, and what was asked anew stays anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from tiltmeter.errors import StoreError
from tiltmeter.files import cache_folder, os_error_text
from tiltmeter.scoring.shard import (
    ASIDE,
    BLOCK,
    DIGEST,
    SCHEMA,
    SHARD,
    Fault,
    digest,
    holds_any,
    part_of,
    read_shard,
    rename_into_place,
    rows_of,
    settled,
    shard_name,
    time_span,
)
from tiltmeter.systems.protocol import Card

ENVIRONMENT = "TILTMETER_STORE"
TRIES = 9
"""How often a shard is written again where its folder is pruned meanwhile."""
CARD, PACE = "card.json", "pace.json"
LONGEST = 1e12
"""Texts or seconds that no run has had: a note of more is damaged."""


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


def default_store() -> Path:
    """$TILTMETER_STORE, else `scores` in $TILTMETER_CACHE, else in the user's cache."""
    if named := os.environ.get(ENVIRONMENT):
        return Path(named)
    return cache_folder() / "scores"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of finished scores."""

    path: Path

    def read(
        self, fingerprint: str, texts: pl.Series | None = None, *, blocks: bool = True
    ) -> tuple[pl.DataFrame, list[Fault]]:
        """A system's stored scores, one row a text and repeat, and the shards that are broken.

        Of blocks, which may hold millions of texts, only some `texts` where they are given, or
        nothing at all.
        """
        found: dict[Path, pl.DataFrame | Fault] = {}
        # Looked again where one was gone: another run may be merging what we are reading.
        while fresh := [one for one in self.shards(fingerprint, blocks) if one not in found]:
            found |= {shard: part_of(shard, texts) for shard in fresh}
            if all(shard.exists() for shard in fresh):
                break
        read = [found[shard] for shard in sorted(found)]
        faults = [one for one in read if isinstance(one, Fault) and one.path.exists()]
        frames = [one for one in read if not isinstance(one, Fault)]
        if not frames:
            return pl.DataFrame(schema=SCHEMA), faults
        # A shard holds a text and repeat once, so one shard alone needs no settling.
        return frames[0] if len(frames) == 1 else settled(pl.concat(frames)), faults

    def written(self, fingerprint: str, texts: pl.Series) -> tuple[float, float] | None:
        """When the first and the last shard with any of these texts was written, since 1970."""
        shards = self.shards(fingerprint)
        if len(shards) > 1:  # one alone holds whatever was found; of several some may hold others
            shards = [shard for shard in shards if holds_any(shard, texts)]
        return time_span(shards)

    def blocks(self, fingerprint: str) -> dict[str, Path]:
        """Where each stored block of a system is, by its key; of two the newer."""
        shards = sorted((self.path / fingerprint).glob(f"*{BLOCK}*.parquet"))
        return {shard.stem.partition(BLOCK)[2]: shard for shard in shards}

    def write(self, card: Card, scores: pl.DataFrame, block: str | None = None) -> Path:
        """Add a shard, of a block where its key is given; it is whole and on disk on return."""
        rows = scores.select(SCHEMA.names())
        try:
            for _ in range(TRIES):
                with contextlib.suppress(FileNotFoundError):  # pruned between two steps
                    return self._write(card, rows, block)
            return self._write(card, rows, block)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise self._unwritable(error) from error

    def _write(self, card: Card, rows: pl.DataFrame, block: str | None) -> Path:
        folder = self.path / card.fingerprint
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / CARD).exists():
            rename_into_place(folder / CARD, lambda path: path.write_text(_as_json(card)))
        newest = max((shard.name for shard in folder.glob(SHARD)), default="")
        shard = folder / shard_name(block, after=newest)
        about = {DIGEST: digest(rows)}
        rename_into_place(shard, lambda path: rows.write_parquet(path, metadata=about))
        return shard

    def merge(self, card: Card, shards: Sequence[Path], asks: pl.DataFrame) -> None:
        """Put the shards of one run into one, in the order of its asks (text, repeat).

        A crash in between leaves doubles and loses nothing.
        """
        if len(shards) < 2:
            return
        read = {shard: read_shard(shard) for shard in shards}  # some may be pruned meanwhile
        whole = {shard: one for shard, one in read.items() if not isinstance(one, Fault)}
        if not whole:
            return
        every = settled(pl.concat(whole.values()))
        self.write(card, asks.join(every, on=["text", "repeat"], maintain_order="left"))
        for shard in whole:
            with contextlib.suppress(OSError):
                shard.unlink()

    def keep_card(self, card: Card) -> None:
        """Write a system's card where its scores are stored without one."""
        folder = self.path / card.fingerprint
        with contextlib.suppress(OSError):
            if folder.is_dir() and not _read_json(folder / CARD):
                rename_into_place(folder / CARD, lambda path: path.write_text(_as_json(card)))

    def note_pace(self, card: Card, texts: int, seconds: float) -> None:
        """Remember how long a system took, for telling how long it will take."""
        pace = json.dumps({"texts": texts, "seconds": seconds})
        with contextlib.suppress(OSError):
            path = self.path / card.fingerprint / PACE
            rename_into_place(path, lambda aside: aside.write_text(pace))

    def pace(self, card: Card) -> float | None:
        """Seconds a text when the system was last asked, or None if it never was."""
        found = _read_json(self.path / card.fingerprint / PACE)
        texts, seconds = found.get("texts"), found.get("seconds")
        if not isinstance(texts, int) or not isinstance(seconds, int | float):
            return None
        return seconds / texts if 0 < texts < LONGEST and 0 <= seconds < LONGEST else None

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
        try:
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"the store {self.path} is a file; expected a folder")
            every = sorted(self.path.iterdir()) if self.path.is_dir() else []
            yield from (path for path in every if path.is_dir() and len(path.name) == 32)
        except OSError as error:
            raise self._unreadable(error) from error

    def shards(self, fingerprint: str, blocks: bool = True) -> list[Path]:
        """A system's shards, the oldest first; with or without those of blocks."""
        try:
            every = sorted((self.path / fingerprint).glob(SHARD))
        except OSError as error:
            raise self._unreadable(error) from error
        return every if blocks else [shard for shard in every if BLOCK not in shard.name]

    def _entry(self, folder: Path) -> Entry:
        scores, _ = self.read(folder.name, blocks=False)
        in_blocks = sum(rows_of(shard) for shard in self.blocks(folder.name).values())
        shards = [told for path in folder.glob(SHARD) if (told := _stat(path))]
        card = _read_json(folder / CARD)
        return Entry(
            folder.name,
            str(card.get("name", "(card unreadable)")),
            str(card.get("task", "")),
            scores.height + in_blocks,
            len(shards),
            sum(told.st_size for told in shards),
            max((told.st_mtime for told in shards), default=0.0),
        )

    def _unreadable(self, error: OSError) -> StoreError:
        return StoreError(
            f"the store {self.path} cannot be read: {os_error_text(error)}; name another with "
            "--store DIR"
        )

    def _unwritable(self, error: Exception) -> StoreError:
        return StoreError(
            f"the store {self.path} cannot be written: {os_error_text(error)}; what was stored "
            "before is safe. Name another with --store DIR, or free some space, and run the same "
            "command again"
        )


def _faults(folder: Path) -> Iterator[Fault]:
    for shard in sorted(folder.glob(SHARD)):
        found = read_shard(shard)
        if not shard.exists():
            continue  # pruned or merged while we looked
        if isinstance(found, Fault):
            yield found
        elif pl.read_parquet_metadata(shard).get(DIGEST) != digest(found):
            yield Fault(shard, "does not hold what was written into it")
    for left in sorted(folder.glob(f"{ASIDE}*")):
        yield Fault(left, "was left behind by a run that did not finish writing it")
    if not _read_json(folder / CARD):
        yield Fault(folder / CARD, "is not there or cannot be read")


def _stat(path: Path) -> os.stat_result | None:
    """What is known of a file, or nothing where it is gone."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat()
    return None


def _read_json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _as_json(card: Card) -> str:
    return json.dumps(asdict(card), indent=2, ensure_ascii=False, default=str) + "\n"
