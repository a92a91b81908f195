"""What is to be asked: distinct texts, in blocks, less those that the store has answered.

A corpus in memory is one block; a larger one comes in blocks of whole frames. A block is known by
what it holds, so that the same texts find their stored answers again, whoever cut them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from tiltmeter.systems.protocol import System

if TYPE_CHECKING:
    from tiltmeter.scoring.store import Store

Reuse = Literal["missing", "never", "stored"]
REUSES = ("missing", "never", "stored")
"""missing: ask what is not stored; never: ask everything anew; stored: ask nothing."""
ROWS = 65_536
"""Sentences of a block of a large corpus: a few megabytes, seconds of work for a quick system."""
DIGITS = 32
"""Of a block's key."""


@dataclass(frozen=True)
class Block:
    """Distinct texts, in order, and one round of asking them."""

    texts: pl.Series
    repeat: int = 0

    @cached_property
    def texts_key(self) -> str:
        """A hash of the texts in order, each with its length, so that no two lists share it."""
        digest = hashlib.sha256(self.texts.str.len_bytes().to_numpy().astype("<u8").tobytes())
        digest.update("".join(self.texts.to_list()).encode())
        return digest.hexdigest()[:DIGITS]

    @property
    def key(self) -> str:
        """What names the block's shard: the hash of its texts, and the round."""
        return f"{self.texts_key}-{self.repeat}"

    def round(self, repeat: int) -> Block:
        """The same texts in another round."""
        other = replace(self, repeat=repeat)
        other.__dict__["texts_key"] = self.texts_key
        return other


def round_key(key: str, repeat: int) -> str:
    """The key of a block's texts in another round.

    >>> round_key("1f-0", 2)
    '1f-2'
    """
    return f"{key.rpartition('-')[0]}-{repeat}"


@dataclass(frozen=True)
class Texts:
    """The distinct texts of some sentences, in order of first appearance."""

    sentences: pl.DataFrame
    """At least corpus, id and text."""
    distinct: pl.Series
    index: pl.Series
    """For each sentence, which of the distinct texts it has."""

    @cached_property
    def block(self) -> Block:
        """The distinct texts as they are asked."""
        return Block(self.distinct)


def texts_of(sentences: pl.DataFrame) -> Texts:
    """Gather the distinct texts of sentences."""
    distinct = sentences["text"].unique(maintain_order=True)
    numbered = pl.DataFrame({"text": distinct, "index": range(distinct.len())})
    joined = sentences.select("text").join(numbered, on="text", how="left", maintain_order="left")
    return Texts(sentences, distinct, joined["index"])


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """What to ask of one block, and what is known of it already."""

    block: Block
    known: pl.DataFrame
    """A row for each of the block's texts, in order: text, repeat, raw, reason."""
    asks: Block
    """The texts still to be asked."""

    def complete(self, answers: pl.DataFrame) -> pl.DataFrame:
        """What is known of the block's texts once all asks are answered, in their order."""
        if self.asks is self.block:
            return answers
        keys = self.known.select("text", "repeat")
        new = keys.join(answers, on=keys.columns, how="left", maintain_order="left")
        return new.with_columns(raw=self.known["raw"].fill_null(new["raw"]))


def make_plan(block: Block, known: pl.DataFrame, reuse: Reuse) -> BlockPlan:
    """Ask whatever has no stored score; a stored null counts as not yet answered."""
    if reuse == "stored":
        return BlockPlan(block, known, Block(block.texts.clear(), block.repeat))
    asks = block.texts.filter(known["raw"].is_null())
    whole = asks.len() == block.texts.len()
    return BlockPlan(block, known, block if whole else Block(asks, block.repeat))


def stored_form(system: System, store: Store) -> System:
    """Which of a system's forms has stored scores, of several the newest; else the system itself.

    Nothing is asked for it.
    """
    newest = {
        max(shard.name for shard in shards): form
        for form in system.forms
        if (shards := store.shards(form.card.fingerprint))
    }
    return newest[max(newest)] if newest else system


def frames_drawn(known: pl.DataFrame, frames: int, seed: int) -> list[str]:
    """Frames of a corpus, drawn over its templates; the same for the same seed.

    `known` has template, frame and emotion. Every template keeps a frame, and one without an
    emotion word where it has any; the rest are shared out in proportion to its frames (Webster's
    method). A larger sample holds every smaller one. Where fewer frames are wanted than there are
    such kinds, they are drawn by lot, sentences with and without an emotion word in turn.
    """
    known = known.unique("frame", maintain_order=True)
    if frames >= known.height:
        return known["frame"].to_list()
    rng = np.random.default_rng(seed)
    kinds = known.with_columns(neutral=pl.col("emotion").is_null()).group_by(
        "template", "neutral", maintain_order=True
    )
    own = [part["frame"].to_list() for _, part in kinds]
    order = [rng.permutation(len(one)) for one in own]
    neutral = [bool(name[1]) for name, _ in kinds]
    # The kinds of frames by lot, those with and without an emotion word one after the other
    lots = [int(nth) for nth in rng.permutation(len(neutral))]
    parts = [[nth for nth in lots if neutral[nth] is one] for one in (False, True)]
    take = _webster_shares(
        frames,
        [len(one) for one in own],
        [nth for pair in zip_longest(*parts) for nth in pair if nth is not None],
    )
    return [
        one[index]
        for one, drawn, many in zip(own, order, take, strict=True)
        for index in drawn[:many]
    ]


def _webster_shares(frames: int, sizes: Sequence[int], first: Sequence[int]) -> list[int]:
    """How many frames each kind gives: one each as far as they reach, then by Webster's divisors.

    >>> _webster_shares(8, [20, 20, 1], [2, 0, 1]), _webster_shares(2, [20, 20, 1], [2, 0, 1])
    ([4, 3, 1], [1, 0, 1])
    """
    take = [0] * len(sizes)
    for nth in first[:frames]:
        take[nth] = 1
    for _ in range(frames - sum(take)):
        open_ = [nth for nth, size in enumerate(sizes) if take[nth] < size]
        take[max(open_, key=lambda nth: (sizes[nth] / (take[nth] + 0.5), -nth))] += 1
    return take
