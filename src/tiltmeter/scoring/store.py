"""Finished scores on disk: asked once, kept, found again, never half written.

    STORE/<fingerprint>/card.json                  what system this is, for people
    STORE/<fingerprint>/<time>-block-<key>.parquet a shard: text, repeat, raw, reason
    STORE/<fingerprint>/<time>-<random>.parquet    … of a block that is not whole yet

Shards are only added: written aside, flushed to disk, renamed into place. Two runs at once write
different shards; where both hold a text, a score wins over a null and the newer shard over the
older, so every reader sees the same, and what was asked anew stays anew. docs/scoring.md says why
these are files and no database.

The store itself may be a link. A link within it is never followed: what it leads to is not ours.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from tiltmeter.errors import StoreError, argument
from tiltmeter.files import (
    LARGEST_TEXT,
    cache_folder,
    is_folder,
    is_plain_file,
    open_plain,
    os_error_text,
    parquet_frame,
    read_capped,
    sync_folder,
)
from tiltmeter.scoring.plan import Block
from tiltmeter.systems.protocol import Answer, Card, Missing

ENVIRONMENT = "TILTMETER_STORE"
SHARD, BLOCK = "*.parquet", "-block-"
STAMP = 20
"""Digits of the time in a shard's name, in nanoseconds."""
ASIDE = ".aside-"
DIGEST = "tiltmeter.sha256"
CARD, PACE = "card.json", "pace.json"
FINGERPRINT = 32
"""Letters of a fingerprint, and so of a system's folder."""
LINK = "is a link, which is not followed"
TRIES = 9
"""How often a shard is written again where its folder is pruned meanwhile."""
LONGEST = 1e12
"""Texts or seconds that no run has had: a note of more is damaged."""
RECENT = 4
"""Shards held that were read last: the blocks of a corpus find their texts in neighbours."""
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)

SCHEMA = pl.Schema(
    {"text": pl.String(), "repeat": pl.Int64(), "raw": pl.Float64(), "reason": pl.String()}
)
KEYS = ["text", "repeat"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a store that is not as it should be."""

    path: Path
    what: str


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

    def folder(self, fingerprint: str) -> Path:
        """Where a system's scores are, there or not yet; an error where that name is a link."""
        folder = self.path / fingerprint
        if folder.is_symlink():
            raise StoreError(
                f"{folder} {LINK}; expected a folder of the store. Remove the link, or name "
                f"another store with {argument('store')} DIR"
            )
        return folder

    def shards(self, fingerprint: str) -> list[Path]:
        """A system's shards, the oldest first; what is a link or no plain file is none."""
        try:
            return sorted(filter(is_plain_file, self.folder(fingerprint).glob(SHARD)))
        except FileNotFoundError:  # pruned while we looked
            return []
        except OSError as error:
            raise self._unreadable(error) from error

    def blocks(self, fingerprint: str) -> dict[str, Path]:
        """Where each stored block of a system is, by its key; of two the newer."""
        return {key: shard for shard in self.shards(fingerprint) if (key := block_key(shard))}

    def read(self, fingerprint: str) -> tuple[pl.DataFrame, list[Fault]]:
        """All of a system's stored scores, one row a text and repeat, and the broken shards."""
        found: dict[Path, pl.DataFrame | Fault] = {}
        # Looked again where one was gone: another run may be merging what we are reading.
        while fresh := [one for one in self.shards(fingerprint) if one not in found]:
            found |= {shard: read_shard(shard) for shard in fresh}
            if all(shard.exists() for shard in fresh):
                break
        read = [found[shard] for shard in sorted(found)]
        faults = [one for one in read if isinstance(one, Fault) and one.path.exists()]
        frames = [one for one in read if not isinstance(one, Fault)]
        return latest_score_per_text(frames), faults

    def write(self, card: Card, scores: pl.DataFrame, block: str | None = None) -> Path:
        """Add a shard, of a block where its key is given; it is whole and on disk on return."""
        rows = scores.select(SCHEMA.names())
        try:
            for _ in range(TRIES):
                with contextlib.suppress(FileNotFoundError):  # pruned between two steps
                    return self._write(card, rows, block)
            return self._write(card, rows, block)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise self.unwritable(error) from error

    def _write(self, card: Card, rows: pl.DataFrame, block: str | None) -> Path:
        folder = self.make_folder(card)
        newest = max((shard.name for shard in self.shards(card.fingerprint)), default="")
        shard = folder / shard_name(block, after=newest)
        about = {DIGEST: digest(rows)}
        rename_into_place(shard, lambda path: rows.write_parquet(path, metadata=about))
        return shard

    def merge(
        self, card: Card, shards: Sequence[Path], scores: pl.DataFrame, block: str | None = None
    ) -> Path:
        """Write scores that stand in several shards into one, and remove those.

        A crash in between leaves doubles and loses nothing.
        """
        merged = self.write(card, scores, block)
        for shard in shards:
            with contextlib.suppress(OSError):
                shard.unlink()
        return merged

    def make_folder(self, card: Card) -> Path:
        """A system's folder, made where it is not there, with its card."""
        folder = self.folder(card.fingerprint)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_plain_file(folder / CARD):
            _write_card(folder, card)
        return folder

    def keep_card(self, card: Card) -> None:
        """Write a system's card where its scores are stored without one."""
        folder = self.folder(card.fingerprint)
        with contextlib.suppress(OSError):
            if folder.is_dir() and not _read_json(folder / CARD):
                _write_card(folder, card)

    def note_pace(self, card: Card, texts: int, seconds: float) -> None:
        """Remember how long a system took, for telling how long it will take."""
        pace = json.dumps({"texts": texts, "seconds": seconds})
        path = self.folder(card.fingerprint) / PACE
        with contextlib.suppress(OSError):
            rename_into_place(path, lambda aside: aside.write_text(pace))

    def pace(self, card: Card) -> float | None:
        """Seconds a text when the system was last asked, or None if it never was."""
        found = _read_json(self.folder(card.fingerprint) / PACE)
        texts, seconds = found.get("texts"), found.get("seconds")
        if not isinstance(texts, int) or not isinstance(seconds, int | float):
            return None
        return seconds / texts if 0 < texts < LONGEST and 0 <= seconds < LONGEST else None

    def entries(self) -> list[Entry]:
        """Every system in the store, by name."""
        entries = []
        for folder in self._folders():
            shards, stats = self.shards(folder.name), []
            for shard in shards:
                with contextlib.suppress(FileNotFoundError):
                    stats.append(shard.stat())
            if len(shards) == 1:
                scores = rows_of(shards[0])
            else:
                hashes = [text_hashes(shard, KEYS) for shard in shards]
                scores = pl.concat(hashes).n_unique() if hashes else 0
            card = _read_json(folder / CARD)
            name, task = str(card.get("name", "(card unreadable)")), str(card.get("task", ""))
            size = sum(stat.st_size for stat in stats)
            last = max((stat.st_mtime for stat in stats), default=0.0)
            entries.append(Entry(folder.name, name, task, scores, len(stats), size, last))
        return sorted(entries, key=lambda entry: (entry.name, entry.task, entry.fingerprint))

    def verify(self) -> list[Fault]:
        """Read every shard and card; what cannot be read, and what crashed runs left behind.

        A link or a folder where a file belongs is a fault too.
        """
        faults = [Fault(path, LINK) for path in self._names() if path.is_symlink()]
        unfinished = "was left behind by a run that did not finish writing it"
        for folder in self._folders():
            for path in self._list(folder):
                if path.is_symlink():
                    faults.append(Fault(path, LINK))
                elif path.is_dir():
                    faults.append(Fault(path, "is a folder, which no part of a store is"))
                elif path.match(SHARD):
                    fault = check_shard(path)
                    # One that is gone was pruned or merged while we looked
                    faults += [fault] if fault and path.exists() else []
                elif path.name.startswith(ASIDE):
                    faults.append(Fault(path, unfinished))
            if not (folder / CARD).is_symlink() and not _read_json(folder / CARD):
                faults.append(Fault(folder / CARD, "is not there or cannot be read"))
        return faults

    def remove(self, fingerprints: Iterable[str]) -> None:
        """Delete some systems' scores; links, not what they lead to, and no folder within."""
        for fingerprint in fingerprints:
            folder = self.folder(fingerprint)
            for path in self._list(folder):
                self._unlink(path)
            with contextlib.suppress(OSError):
                folder.rmdir()

    def clear(self, faults: Iterable[Fault]) -> list[Fault]:
        """Delete broken shards, links and what crashed runs left behind; what stays is given."""
        return [fault for fault in faults if not self._unlink(fault.path)]

    def _unlink(self, path: Path) -> bool:
        """Delete a file, a link or an empty folder; False for a folder that holds something."""
        try:
            if not path.is_symlink() and path.is_dir():
                with contextlib.suppress(OSError):
                    path.rmdir()
                return not path.exists()
            path.unlink(missing_ok=True)
        except OSError as error:
            raise self.unwritable(error) from error
        return True

    def _folders(self) -> Iterator[Path]:
        return (path for path in self._names() if not path.is_symlink() and is_folder(path))

    def _names(self) -> list[Path]:
        """Everything in the store that is called as a system's folder is."""
        try:
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"the store {self.path} is a file; expected a folder")
        except OSError as error:
            raise self._unreadable(error) from error
        return [path for path in self._list(self.path) if len(path.name) == FINGERPRINT]

    def _list(self, folder: Path) -> list[Path]:
        """What is in a folder, in order; nothing where it is gone."""
        try:
            return sorted(folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> StoreError:
        return StoreError(
            f"the store {self.path} cannot be read: {os_error_text(error)}; name another with "
            f"{argument('store')} DIR"
        )

    def unwritable(self, error: Exception) -> StoreError:
        """What is said where the store cannot be written."""
        return StoreError(
            f"the store {self.path} cannot be written: {os_error_text(error)}; what was stored "
            f"before is safe. Name another with {argument('store')} DIR, or free some space, and "
            "run the same command again"
        )


class StoredAnswers:
    """One system's stored answers, found a block at a time.

    A block that was asked in one go has a shard of its own, found by the block's key. Any other
    finds its texts among all shards; of those, hashes of their texts are held, 12 bytes a text, and
    none of a corpus that is found by its keys.
    """

    def __init__(
        self, store: Store, fingerprint: str, keys: Collection[str] = (), since: str = ""
    ) -> None:
        """`keys` are of the corpus' own blocks; only shards later than the name `since` count."""
        self._store, self._fingerprint, self.since = store, fingerprint, since
        self._keys = frozenset(keys)
        self._broken: dict[Path, str] = {}
        self.used: set[Path] = set()
        """The shards in which answers were found."""
        self._look()

    def _look(self) -> None:
        """List the shards, at first and where one is gone: another run may have merged it."""
        shards = [one for one in self._store.shards(self._fingerprint) if one.name > self.since]
        self._own = {key: shard for shard in shards if (key := block_key(shard))}
        self.others = [shard for shard in shards if block_key(shard) not in self._keys]
        self._hashes: pl.DataFrame | None = None
        self._recent: dict[Path, pl.DataFrame | Fault] = {}

    @property
    def faults(self) -> list[str]:
        """What was found broken, and is therefore asked again."""
        return [
            f"{shard.name} in the store {what}; its texts count as not stored"
            for shard, what in self._broken.items()
        ]

    @property
    def written(self) -> tuple[float, float] | None:
        """When the first and the last shard that was used was written, in seconds since 1970."""
        return time_span(self.used)

    def has(self, key: str) -> bool:
        """Whether a block has a shard of its own."""
        return key in self._own

    def find(self, block: Block) -> pl.DataFrame:
        """A row for each text of the block, in order; `raw` is null where nothing is known."""
        for _ in range(TRIES):
            with contextlib.suppress(_GoneError):
                return self._find(block)
            self._look()
        return self._find(block)

    def numbers(self, block: Block) -> pl.DataFrame:
        """The same without the texts, which take most of the time to read: raw, reason."""
        own = self._own.get(block.key)
        with contextlib.suppress(_GoneError, *UNREADABLE):
            if own is not None and not self._holding(block, after=own.name):
                found = read_columns(own, ["raw", "reason"])
                if found.height == block.texts.len() and not found["raw"].null_count():
                    return found
        return self.find(block).select("raw", "reason")

    def some(self, keys: Iterable[str], many: int) -> pl.DataFrame:
        """The rows of a few shards: of blocks with these keys, else of any."""
        own = [self._own[key] for key in keys if key in self._own] or self.others
        read = [read_shard(shard) for shard in own[:many]]
        return pl.concat([SCHEMA.to_frame(), *(one for one in read if not isinstance(one, Fault))])

    def _find(self, block: Block) -> pl.DataFrame:
        own, after = self._own.get(block.key), ""
        frames: dict[Path, pl.DataFrame] = {}
        found = self._read(own) if own is not None else None
        if own is not None and found is not None and found["text"].equals(block.texts):
            frames[own] = found
            after = "" if found["raw"].null_count() else own.name
        others = self._holding(block, after)
        if own in frames and not others:
            self.used.add(own)
            return frames[own]
        wanted = block.texts.to_frame("text").with_columns(repeat=pl.lit(block.repeat, pl.Int64))
        for shard in others:
            held = self._read(shard)
            if held is not None:
                frames[shard] = held.join(wanted, on=KEYS, how="semi")
        self.used.update(shard for shard, rows in frames.items() if rows.height)
        known = latest_score_per_text([frames[shard] for shard in sorted(frames)])
        return wanted.join(known, on=KEYS, how="left", maintain_order="left")

    def _holding(self, block: Block, after: str) -> list[Path]:
        """The other shards, later than the name `after`, that hold any of a block's texts."""
        if not any(shard.name > after for shard in self.others):
            return []
        if self._hashes is None:
            frames = []
            for nth, shard in enumerate(self.others):
                hashes = text_hashes(shard)
                if hashes.is_empty():
                    self._read(shard)  # which tells what is broken
                frames.append(hashes.to_frame("hash").with_columns(shard=pl.lit(nth, pl.UInt32)))
            self._hashes = pl.concat(frames)
        wanted = block.texts.hash().to_frame("hash")
        held = self._hashes.join(wanted, on="hash", how="semi")["shard"].unique().sort()
        return [shard for nth in held if (shard := self.others[nth]).name > after]

    def _read(self, shard: Path) -> pl.DataFrame | None:
        """A shard's rows; nothing where it is broken."""
        if shard not in self._recent:
            while len(self._recent) >= RECENT:
                self._recent.pop(next(iter(self._recent)))
            self._recent[shard] = read_shard(shard)
        found = self._recent[shard]
        if not isinstance(found, Fault):
            return found
        if not shard.exists():
            raise _GoneError
        self._broken[shard] = found.what
        return None


class _GoneError(Exception):
    """A shard that was there is not there any more."""


def block_key(shard: Path) -> str:
    """The key of the block that a shard holds; empty where it holds a part of one."""
    return shard.stem.partition(BLOCK)[2]


def shard_name(block: str | None = None, after: str = "") -> str:
    """A name that no other shard has, later ones last: also `after` a clock that ran ahead.

    >>> shard_name("key-0", after="99999999999999999998-aa.parquet")
    '99999999999999999999-block-key-0.parquet'
    """
    stamp = after[:STAMP]
    then = int(stamp) + 1 if stamp.isdecimal() and len(stamp) == STAMP else 0
    time_ns = min(max(time.time_ns(), then), 10**STAMP - 1)
    return f"{time_ns:0{STAMP}}{BLOCK + block if block else '-' + secrets.token_hex(4)}.parquet"


def read_columns(shard: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Some columns of a shard, or all; an OSError says why it cannot be read."""
    return parquet_frame(read_capped(shard, links=False), columns)


def read_shard(shard: Path) -> pl.DataFrame | Fault:
    """A shard's rows, or what is wrong with it."""
    try:
        frame = read_columns(shard)
    except UNREADABLE as error:
        return Fault(shard, f"cannot be read ({os_error_text(error)})")
    if frame.schema != SCHEMA:
        return Fault(
            shard, f"has the columns {', '.join(frame.columns)}, which is no shard of ours"
        )
    if (frame["raw"].is_nan() | frame["raw"].is_infinite()).any():
        return Fault(shard, "holds a score that is no number")
    return frame


def text_hashes(shard: Path, columns: Sequence[str] = ("text",)) -> pl.Series:
    """A hash of each of a shard's texts, or of several columns; none where it cannot be read."""
    try:
        frame = read_columns(shard, columns)
        return frame.to_struct().hash() if len(columns) > 1 else frame.to_series().hash()
    except UNREADABLE:
        return pl.Series([], dtype=pl.UInt64)


def rows_of(shard: Path) -> int:
    """How many rows a shard has, without its texts; none where it cannot be read."""
    try:
        return read_columns(shard, ["repeat"]).height
    except UNREADABLE:
        return 0


def time_span(shards: Iterable[Path]) -> tuple[float, float] | None:
    """When the first and the last of some shards was written, in seconds since 1970.

    >>> time_span([Path("00000000001500000000-aa.parquet"), Path("00000000003000000000-bb.parquet")])
    (1.5, 3.0)
    """  # noqa: E501
    stamps = [shard.name[:STAMP] for shard in shards]
    times = [int(stamp) / 1e9 for stamp in stamps if stamp.isdecimal()]
    return (min(times), max(times)) if times else None


def latest_score_per_text(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One row a text and repeat, from shards in their order: the last score, else the last."""
    if len(frames) == 1:  # a shard holds a text and repeat once
        return frames[0]
    scores = pl.concat([SCHEMA.to_frame(), *frames])
    by_score = scores.sort(pl.col("raw").is_not_null(), maintain_order=True)
    return by_score.unique(KEYS, keep="last", maintain_order=True)


def answer_frame(texts: Sequence[str], answers: Iterable[Answer], repeat: int) -> pl.DataFrame:
    """Answers to texts as rows of a shard."""
    given = list(answers)
    return pl.DataFrame(
        {
            "text": list(texts),
            "repeat": [repeat] * len(texts),
            "raw": [None if isinstance(answer, Missing) else answer for answer in given],
            "reason": [answer.reason if isinstance(answer, Missing) else None for answer in given],
        },
        SCHEMA,
    )


def shard_bytes(scores: pl.DataFrame) -> bytes:
    """A shard as it stands on disk, for whoever puts it there in another way."""
    rows, file = scores.select(SCHEMA.names()), io.BytesIO()
    rows.write_parquet(file, metadata={DIGEST: digest(rows)})
    return file.getvalue()


def digest(rows: pl.DataFrame) -> str:
    """A hash of a shard's rows, to tell a bit that flipped on disk."""
    joined = rows.select(
        pl.concat_str(
            "text", "repeat", pl.col("raw").cast(pl.String), "reason",
            separator="\x1f", ignore_nulls=True,
        )
    ).to_series()  # fmt: skip
    return hashlib.sha256("\x1e".join(joined.to_list()).encode()).hexdigest()


def check_shard(shard: Path) -> Fault | None:
    """What is wrong with a shard, if it cannot be read or does not hold what was written."""
    found = read_shard(shard)
    if isinstance(found, Fault):
        return found
    with contextlib.suppress(*UNREADABLE):  # pruned meanwhile
        with open_plain(shard, links=False) as file:
            written = pl.read_parquet_metadata(file).get(DIGEST)
        if written != digest(found):
            return Fault(shard, "does not hold what was written into it")
    return None


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


def _read_json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(read_capped(path, LARGEST_TEXT, links=False))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_card(folder: Path, card: Card) -> None:
    about = json.dumps(asdict(card), indent=2, ensure_ascii=False, default=str) + "\n"
    rename_into_place(folder / CARD, lambda path: path.write_text(about))
