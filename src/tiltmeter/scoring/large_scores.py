"""One system's scores of a large corpus: read block by block, summed up, never held."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.schemas import SCORES
from tiltmeter.scoring.blocks import Block
from tiltmeter.scoring.kept_blocks import KeptBlocks
from tiltmeter.scoring.large import Tally
from tiltmeter.scoring.scale import Seen
from tiltmeter.scoring.scored import NOT_STORED, Scored, most_often
from tiltmeter.scoring.store import Store
from tiltmeter.scoring.texts import Texts
from tiltmeter.scoring.writer import answer_frame
from tiltmeter.systems.protocol import Scale, System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LargeScores:
    """Where one system's answers are found, a block at a time."""

    system: System
    store: Store
    repeats: int
    witnesses: pl.DataFrame
    """A sentence of every group, for controls, which refuse sentences without theirs."""

    @cached_property
    def kept(self) -> KeptBlocks:
        """The stored answers."""
        return KeptBlocks(self.store, self.system.card.fingerprint)

    def rounds(self, texts: Texts) -> list[pl.DataFrame]:
        """The answers to a block's sentences, raw and reason, a frame for each repeat."""
        if self.system.rows is not None:
            return [self._from_rows(texts.sentences)] * self.repeats
        found = (self.kept.numbers(Block(texts.distinct, nth)) for nth in range(self.repeats))
        if texts.distinct.len() == texts.sentences.height:
            return list(found)
        return [frame[texts.index] for frame in found]

    def raw(self, texts: Texts) -> Array:
        """The answers to a block's sentences, repeats averaged, NaN where there is none."""
        rounds = [frame["raw"].to_numpy(allow_copy=True) for frame in self.rounds(texts)]
        return _mean(np.stack(rounds))

    def _from_rows(self, sentences: pl.DataFrame) -> pl.DataFrame:
        """A control's answers, from the rows themselves."""
        both = pl.concat([self.witnesses, sentences])
        given = self.system.rows(both) if self.system.rows else []
        answers = answer_frame(both["text"].to_list(), given, 0)
        return answers[self.witnesses.height :].select("raw", "reason")

    def table(self, texts: Texts, name: str, scale: Scale | None) -> pl.DataFrame:
        """A block's rows of the `scores` table."""
        keys = texts.keys.drop("text")
        raw, unit = pl.col("raw"), scale or Scale(0.0, 1.0)
        parts = [
            keys.hstack(frame).with_columns(
                system=pl.lit(name),
                task=pl.lit(self.system.card.task),
                repeat=pl.lit(nth, pl.Int64),
                score=(raw - unit.low) / unit.width if scale else pl.lit(None, pl.Float64),
                reason=pl.when(raw.is_null()).then(pl.col("reason").fill_null(NOT_STORED)),
            )
            for nth, frame in enumerate(self.rounds(texts))
        ]
        return pl.concat(parts).select(*SCORES.columns)


class LargeScored:
    """What one system's answers come to, from going through them once."""

    def __init__(self, scores: LargeScores, scale: Scale | None) -> None:
        self._scores = scores
        self._seen = Seen(scale or scores.system.card.scale)
        self._reasons: Counter[str] = Counter()
        self._missing = 0
        self._variance, self._varied = 0.0, 0

    def add(self, texts: Texts) -> Array:
        """Look at a block's answers; gives them averaged over repeats."""
        rounds = self._scores.rounds(texts)
        for frame in rounds:
            self._seen.add(texts.sentences["text"], frame["raw"])
            lost = frame.filter(pl.col("raw").is_null())["reason"].fill_null(NOT_STORED)
            self._reasons.update(lost.to_list())
            self._missing += lost.len()
        stacked = np.stack([frame["raw"].to_numpy(allow_copy=True) for frame in rounds])
        if len(rounds) > 1:
            self._vary(stacked)
        return _mean(stacked)

    def _vary(self, rounds: Array) -> None:
        """Add up how far the repeats of each sentence lie apart."""
        n = np.count_nonzero(~np.isnan(rounds), axis=0)
        several = rounds[:, n > 1]
        if several.size:
            self._variance += float(np.nanvar(several, axis=0, ddof=1).sum())
            self._varied += several.shape[1]

    def scored(self, tally: Tally) -> Scored:
        """The outcome, without its table of scores."""
        card = self._scores.system.card
        noise = (self._variance / self._varied) ** 0.5 if self._varied else None
        # What is missing though nothing was asked is what --reuse stored did not find.
        known = tally.known if tally.asked else max(tally.known - self._missing, 0)
        return Scored(
            card, NO_SCORES, tally.asked, known, self._missing, tally.seconds,
            self._seen.settled, noise, (*card.notes, *tally.notes), self._scores.repeats,
            most_often(self._reasons), tally.written, tally.check,
        )  # fmt: skip


NO_SCORES = pl.DataFrame(
    schema=dict.fromkeys(SCORES.columns, pl.String)
    | {"repeat": pl.Int64(), "raw": pl.Float64(), "score": pl.Float64()}
)
"""The table of a large corpus is read from the store where it is written out."""


def _mean(rounds: Array) -> Array:
    """Each sentence's mean over the repeats that have an answer."""
    if len(rounds) == 1:
        alone: Array = rounds[0]
        return alone
    n = np.count_nonzero(~np.isnan(rounds), axis=0)
    mean: Array = np.full(n.shape, np.nan)
    np.divide(np.nansum(rounds, axis=0), n, out=mean, where=n > 0)
    return mean
