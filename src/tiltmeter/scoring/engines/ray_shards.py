"""Shards that workers wrote, and how they come into the store: copied, or there already."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiltmeter.errors import StoreError
from tiltmeter.scoring.shard import BLOCK, is_whole, rename_into_place
from tiltmeter.scoring.shard_folder import ShardFolder, open_folder
from tiltmeter.scoring.store import Store
from tiltmeter.systems.protocol import Card

if TYPE_CHECKING:
    from tiltmeter.scoring.run import Settings

SEEN_WITHIN = 10.0
"""Seconds that a shared disk may take to show what another machine wrote."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known of a block that is done, without its answers."""

    key: str
    path: Path
    """The shard in the store."""
    texts: int
    missing: int
    reason: str
    """The last reason why there is no score."""
    asked: bool = True
    """False where an earlier run had asked it, which was stopped before it took the shard."""


def take_shards(store: Store, card: Card, settings: Settings) -> list[str]:
    """Take into the store what lies in the shards' folder from runs that were stopped.

    Returns the blocks' keys. A shard that is damaged is left alone, and its texts are asked again.
    """
    if settings.shards is None:
        return []
    folder = shards_of(store, card, settings)
    own = store.path / card.fingerprint
    if is_folder(folder, own):
        return []
    new = [name for name in folder.shards() if not (own / name).exists()]
    taken = [name for name in new if take(folder, name, store, card)]
    return [Path(name).stem.partition(BLOCK)[2] for name in taken]


def shards_of(store: Store, card: Card, settings: Settings) -> ShardFolder:
    """Where the workers write this system's shards: the store's own folder if nothing was said."""
    return open_folder(settings.shards or str(store.path.absolute())).within(card.fingerprint)


def is_folder(folder: ShardFolder, path: Path) -> bool:
    """Whether a folder of shards is that folder on disk."""
    return folder.on_disk and Path(folder.path).resolve() == path.resolve()


def shard_names(store: Store, card: Card) -> list[str]:
    """The names of a system's stored shards."""
    return [path.name for path in (store.path / card.fingerprint).glob("*.parquet")]


def keep_card(store: Store, card: Card) -> None:
    """See that the store has the system's folder and card."""
    try:
        (store.path / card.fingerprint).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the store {store.path} cannot be written: {error.strerror or error}; name another "
            "with --store DIR"
        ) from error
    store.keep_card(card)


def take(folder: ShardFolder, name: str, store: Store, card: Card) -> bool:
    """Copy a shard into the store under the same name; False where it is damaged."""
    path, data = store.path / card.fingerprint / name, folder.get(name)
    keep_card(store, card)
    try:
        rename_into_place(path, lambda aside: aside.write_bytes(data))
    except OSError as error:
        raise StoreError(
            f"the store {store.path} cannot be written: {error.strerror or error}; the shard is in "
            f"{folder.url}. Free some space, and run the same command again"
        ) from error
    if is_whole(path):
        return True
    path.unlink(missing_ok=True)
    return False


def appears(path: Path) -> bool:
    """Whether a file is there; a shared disk may show it a moment later."""
    end = time.monotonic() + SEEN_WITHIN
    while not path.exists():
        if time.monotonic() > end:
            return False
        os.listdir(path.parent)  # noqa: PTH208 - makes a network disk look again
        time.sleep(0.1)
    return True


def told_of(path: Path) -> Manifest:
    """The manifest of a shard that is in the store."""
    found = pl.read_parquet(path, columns=["raw", "reason"], memory_map=False)
    reasons = found["reason"].drop_nulls()
    key, missing = path.stem.partition(BLOCK)[2], found["raw"].null_count()
    return Manifest(key, path, found.height, missing, reasons[-1] if reasons.len() else "", False)
