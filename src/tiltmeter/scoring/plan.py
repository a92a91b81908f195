"""What is still to be asked: the texts of a corpus, less those the store has answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np
import polars as pl

from tiltmeter.scoring.store import Store
from tiltmeter.scoring.texts import Texts
from tiltmeter.systems.protocol import System

Reuse = Literal["missing", "never", "stored"]
ASKS = pl.Schema({"text": pl.String(), "repeat": pl.Int64()})
REUSES = ("missing", "never", "stored")
"""missing: ask what is not stored; never: ask everything anew; stored: ask nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask one system, and what is known already."""

    known: pl.DataFrame
    """Stored scores of the corpus' texts: text, repeat, raw, reason."""
    asks: pl.DataFrame
    """Texts still to be asked, equal ones once: text, repeat."""
    wanted: int
    """How many answers there should be in all."""


def make_plan(texts: Texts, stored: pl.DataFrame, repeats: int, reuse: Reuse) -> Plan:
    """Set what is stored against what is wanted; a stored null counts as not yet answered."""
    if reuse != "never" and repeats == 1 and texts.are(stored) and not stored["raw"].null_count():
        return Plan(stored, pl.DataFrame(schema=ASKS), stored.height)
    wanted = (
        pl.DataFrame({"text": texts.distinct})
        .join(pl.DataFrame({"repeat": range(repeats)}, {"repeat": pl.Int64}), how="cross")
        .sort("repeat", maintain_order=True)
    )
    keys = ["text", "repeat"]
    known = stored.join(wanted, on=keys, how="semi") if reuse != "never" else stored.clear()
    answered = known.filter(pl.col("raw").is_not_null())
    asks = wanted.join(answered, on=keys, how="anti", maintain_order="left")
    return Plan(known, asks if reuse != "stored" else asks.clear(), wanted.height)


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
    take = _shared_out(frames, [len(one) for one in own], _in_turn(neutral, rng))
    return [
        one[index]
        for one, drawn, many in zip(own, order, take, strict=True)
        for index in drawn[:many]
    ]


def _in_turn(neutral: Sequence[bool], rng: np.random.Generator) -> list[int]:
    """The kinds of frames by lot, those with and without an emotion word one after the other."""
    lots = [int(nth) for nth in rng.permutation(len(neutral))]
    parts = [[nth for nth in lots if neutral[nth] is one] for one in (False, True)]
    return [nth for pair in zip_longest(*parts) for nth in pair if nth is not None]


def _shared_out(frames: int, sizes: Sequence[int], first: Sequence[int]) -> list[int]:
    """How many frames each kind gives: one each as far as they reach, then by Webster's divisors.

    >>> _shared_out(8, [20, 20, 1], [2, 0, 1]), _shared_out(2, [20, 20, 1], [2, 0, 1])
    ([4, 3, 1], [1, 0, 1])
    """
    take = [0] * len(sizes)
    for nth in first[:frames]:
        take[nth] = 1
    for _ in range(frames - sum(take)):
        open_ = [nth for nth, size in enumerate(sizes) if take[nth] < size]
        take[max(open_, key=lambda nth: (sizes[nth] / (take[nth] + 0.5), -nth))] += 1
    return take
