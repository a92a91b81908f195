"""Rows of texts, each computed once and kept: `features` is how the rooms above read texts.

    CACHE/features/<encoder's digest>/<random>.npz    a shard: keys (n, 32) and rows (n, d)

A row is kept under the SHA-256 of its text and never with the text, since the terms of labelled
texts often forbid copies of them. Shards are written aside and renamed, and only ever added or
merged: a run that is killed loses the chunk it was at, and two runs at once lose nothing. A shard
that is damaged (its checksums tell) is made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tiltmeter.files import cache_folder
from tiltmeter.vectors.encoder import Encoder, Rows
from tiltmeter.vectors.hub import encoder_failure
from tiltmeter.vectors.shards import Shards

CHUNK = 512
"""Texts that are encoded before their rows are written."""
SHOWN_TEXT = 80


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
        return _encoded(encoder, list(texts))
    distinct = list(dict.fromkeys(texts))
    shards = Shards((folder or cache_folder() / "features") / encoder.digest, encoder.dimension)
    keys = [_key(text) for text in distinct]
    rows = np.empty((len(distinct), encoder.dimension), np.float32)
    lacking = shards.take(keys, rows)
    for start in range(0, len(lacking), CHUNK):
        if tell:
            tell(len(distinct) - len(lacking) + start, len(distinct))
        chunk = lacking[start : start + CHUNK]
        rows[chunk] = _encoded(encoder, [distinct[at] for at in chunk])
        shards.keep([keys[at] for at in chunk], rows[chunk])
    if lacking:
        shards.tidy()
    if tell:
        tell(len(distinct), len(distinct))
    place = {text: at for at, text in enumerate(distinct)}
    return rows if len(distinct) == len(texts) else rows[[place[text] for text in texts]]


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _encoded(encoder: Encoder, texts: list[str]) -> Rows:
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
