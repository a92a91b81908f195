"""Blocks: texts by the ten thousand, asked and stored together.

A corpus too large to be held in memory is scored a block at a time. A block is known by what it
holds, so that the same texts find their stored answers again, whoever cut them and wherever.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import polars as pl

ROWS = 65_536
"""Sentences of a block: a few megabytes, and seconds of work for a quick system."""
DIGITS = 32
"""Of a block's key."""


@dataclass(frozen=True)
class Block:
    """Distinct texts, in order, and one round of asking them."""

    texts: pl.Series
    repeat: int = 0

    @cached_property
    def key(self) -> str:
        """What names the block's shard: a hash of its texts, and the round."""
        return f"{texts_key(self.texts)}-{self.repeat}"


def round_key(key: str, repeat: int) -> str:
    """The key of a block's texts in another round.

    >>> round_key("1f-0", 2)
    '1f-2'
    """
    return f"{key.rpartition('-')[0]}-{repeat}"


def texts_key(texts: pl.Series) -> str:
    """A hash of texts in order, each with its length, so that no two lists share it.

    >>> texts_key(pl.Series(["ab", "c"])) == texts_key(pl.Series(["a", "bc"]))
    False
    """
    digest = hashlib.sha256(texts.str.len_bytes().to_numpy().astype("<u8").tobytes())
    digest.update("".join(texts.to_list()).encode())
    return digest.hexdigest()[:DIGITS]
