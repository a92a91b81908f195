"""Rows of texts, each computed once and kept: `features` is how the rooms above read texts.

    CACHE/features/<encoder's digest>/<random>.npz    a shard: keys (n, 32) and rows (n, d)

A row is kept under the SHA-256 of its text and never with the text, since the terms of labelled
texts often forbid copies of them. Shards are written aside and renamed, and only ever added or
merged: a run that is killed loses the chunk it was at, and two runs at once lose nothing. A shard
that is damaged (its checksums tell) is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import secrets
import time
import zipfile
from collections.abc import Callable, Container, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import OutputError
from tiltmeter.files import cache_folder, write_aside
from tiltmeter.vectors.encoder import Encoder, Rows, encoder_failure

CHUNK = 512
"""Texts that are encoded before their rows are written."""
SHOWN_TEXT = 80
KEY = 32
"""Bytes of a key."""
MANY = 16
"""Shards that are not full, beyond which they are merged."""
FULL = 8192
"""Rows that a merged shard has at most."""
STALE = 24 * 3600.0
"""Seconds after which a half-written file is taken to be a killed run's."""

log = logging.getLogger(__name__)


def features(
    encoder: Encoder,
    texts: Sequence[str],
    folder: Path | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Rows:
    """The rows of texts, (texts, dimension); those not yet kept are computed and kept.

    `folder` stands for `features` in the user's cache. `tell` is told how many of the distinct
    texts are done, and how many there are. Where nothing can be written, nothing is kept.
    """
    if not encoder.kept:
        return _encode(encoder, list(texts))
    distinct = list(dict.fromkeys(texts))
    shards = Shards((folder or cache_folder() / "features") / encoder.digest, encoder.dimension)
    keys = [hashlib.sha256(text.encode(errors="surrogatepass")).digest() for text in distinct]
    rows = np.empty((len(distinct), encoder.dimension), np.float32)
    lacking = shards.take(keys, rows)
    for start in range(0, len(lacking), CHUNK):
        if tell:
            tell(len(distinct) - len(lacking) + start, len(distinct))
        chunk = lacking[start : start + CHUNK]
        rows[chunk] = _encode(encoder, [distinct[at] for at in chunk])
        shards.keep([keys[at] for at in chunk], rows[chunk])
    if lacking:
        shards.tidy()
    if tell:
        tell(len(distinct), len(distinct))
    place = {text: at for at, text in enumerate(distinct)}
    return rows if len(distinct) == len(texts) else rows[[place[text] for text in texts]]


def _encode(encoder: Encoder, texts: list[str]) -> Rows:
    """What the encoder makes of texts, if it is what an encoder may."""
    found = np.asarray(encoder.encode(texts), np.float32)
    if found.shape != (len(texts), encoder.dimension):
        what = f"gives rows of shape {found.shape} to {len(texts)} texts"
        raise encoder_failure(encoder.name, f"{what}; expected {encoder.dimension} numbers each")
    odd = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(odd):
        first = repr(texts[odd[0]][:SHOWN_TEXT])
        what = f"gives a row that is not finite to {len(odd):,} of {len(texts):,} texts"
        raise encoder_failure(encoder.name, f"{what} (first at the text {first})")
    return found


class Shards:
    """The rows kept in one folder, all of one dimension."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self.folder, self.dimension = folder, dimension
        self.writable = True
        self.damaged: set[Path] = set()

    def take(self, keys: Sequence[bytes], rows: Rows) -> list[int]:
        """Put the kept rows of keys into their places; the places of the others, in order."""
        lacking = {key: at for at, key in enumerate(keys)}
        seen: set[Path] = set()
        # Looked again until nothing is new: another run may be merging what we are reading.
        while lacking and (fresh := [path for path in self._paths() if path not in seen]):
            for path in fresh:
                for key, row in self._read(path, lacking).items():
                    if key in lacking:
                        rows[lacking.pop(key)] = row
            seen.update(fresh)
        return sorted(lacking.values())

    def keep(self, keys: Sequence[bytes], rows: Rows) -> None:
        """Write a shard; where that cannot be, nothing is kept from here on."""
        if not self.writable:
            return
        try:
            self._write(keys, rows)
        except OutputError as error:
            self.writable = False
            log.warning("what is computed is not kept for the next time: %s", error)

    def tidy(self) -> None:
        """Merge shards where there are many; remove the damaged and what killed runs left."""
        with contextlib.suppress(OSError, OutputError):
            before = time.time() - STALE
            for path in (
                *self.damaged,
                *[path for path in self.folder.glob(".*.npz.*") if path.stat().st_mtime < before],
            ):
                path.unlink(missing_ok=True)
            if len(self._sizes()) > MANY:
                # Put the smallest shards into one; it is there before they go
                kept: dict[bytes, NDArray[np.float32]] = {}
                merged = []
                room = FULL
                for path, size in self._sizes().items():
                    room -= size
                    if room < 0:
                        break
                    if found := self._read(path):
                        kept |= found
                        merged.append(path)
                if len(merged) > 1:
                    self._write(list(kept), np.stack(list(kept.values())))
                    for path in merged:
                        path.unlink(missing_ok=True)

    def _paths(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.glob("[!.]*.npz") if path.is_file())
        except OSError:
            return []

    def _sizes(self) -> dict[Path, int]:
        """About how many rows each shard that is not full has, smallest first."""
        a_row = KEY + 4 * self.dimension
        found = {path: path.stat().st_size // a_row for path in self._paths()}
        by_size = sorted(found.items(), key=lambda pair: pair[1])
        return {path: size for path, size in by_size if size < FULL}

    def _write(self, keys: Sequence[bytes], rows: Rows) -> None:
        array = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY)
        path = self.folder / f"{secrets.token_hex(8)}.npz"
        write_aside(path, lambda file: np.savez(file, keys=array, rows=rows))

    def _read(
        self, path: Path, wanted: Container[bytes] | None = None
    ) -> dict[bytes, NDArray[np.float32]]:
        """A shard's rows by key; nothing where none is wanted, or the shard is gone or damaged."""
        try:
            with zipfile.ZipFile(path) as file:
                keys = [key.tobytes() for key in _array(file, "keys", np.uint8, KEY)]
                if wanted is not None and not any(key in wanted for key in keys):
                    return {}
                rows = _array(file, "rows", np.float32, self.dimension)
            if not np.isfinite(rows).all():
                raise ValueError("rows are not finite")
            return dict(zip(keys, rows, strict=True))
        except (OSError, MemoryError):
            return {}
        except Exception:  # whatever a damaged file makes zipfile and NumPy raise
            self.damaged.add(path)
            return {}


def _array(file: zipfile.ZipFile, name: str, kind: type, width: int) -> NDArray[np.generic]:
    """An array of a shard, (n, width), after its checksum was found to be right."""
    whole = io.BytesIO(file.read(f"{name}.npy"))
    found: NDArray[np.generic] = np.load(whole, allow_pickle=False)
    if found.dtype != kind or found.ndim != 2 or found.shape[1] != width:
        raise ValueError(f"{name} have the shape {found.shape} and the type {found.dtype}")
    return found
