"""What is still to be asked: the texts of a corpus, less those the store has answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from tiltmeter.scoring.texts import Texts

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


def frames_drawn(known: pl.DataFrame, frames: int, seed: int) -> list[str]:
    """Frames of a corpus, drawn evenly over its templates; the same for the same seed.

    `known` has template and frame, each once. Each template gives a share in proportion to its
    frames (largest remainders first), so that a sample looks like the corpus it comes from.
    """
    if frames >= known.height:
        return known["frame"].to_list()
    rng = np.random.default_rng(seed)
    counts = known.group_by("template", maintain_order=True).len()
    shares = counts["len"].to_numpy() * frames / known.height
    take = np.floor(shares).astype(int)
    short = frames - int(take.sum())
    take[np.argsort(take - shares, kind="stable")[:short]] += 1
    chosen: list[str] = []
    for template, number in zip(counts["template"], take, strict=True):
        own = known.filter(pl.col("template") == template)["frame"].to_list()
        chosen += [own[index] for index in rng.permutation(len(own))[:number]]
    return chosen
