"""Answers put to sentences: the `scores` table of one system, on the scale it turns out to have.

Scores are gone through a block at a time and summed up; a corpus in memory is one block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.schemas import SCORES
from tiltmeter.scoring.plan import Block, Texts
from tiltmeter.scoring.scale import (
    ResolvedScale,
    ScaleSource,
    ScaleTracker,
    infer_common_scale,
    on_unit,
)
from tiltmeter.scoring.spot_check import NOT_CHECKED, SpotCheck
from tiltmeter.scoring.store import answer_frame
from tiltmeter.systems.protocol import Card, Scale, System

Array = NDArray[np.float64]
Rounds = Sequence[pl.DataFrame]
"""Answers (raw, reason), a frame a repeat: a row for each distinct text, or for each sentence."""
Lookup = Callable[[Block], pl.DataFrame]
"""From a block to the answers (raw, reason) to its texts."""

NOT_STORED = "not in the store"
NO_SCORES = pl.DataFrame(
    schema=dict.fromkeys(SCORES.columns, pl.String)
    | {"repeat": pl.Int64(), "raw": pl.Float64(), "score": pl.Float64()}
)
"""The table of a large corpus is read from the store where it is written out."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What asking one system came to."""

    system: System | None = None
    """The system in the form it has."""
    answers: Lookup | None = field(default=None, repr=False)
    """Where its answers are; None for a control, which reads rows."""
    asked: int = 0
    known: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    written: tuple[float, float] | None = None
    """When the first and the last of the stored scores used were written, in seconds since 1970."""
    check: SpotCheck = NOT_CHECKED
    """What became of some of them that were asked again."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One system's scores of one corpus, and how they came about."""

    card: Card
    scores: pl.DataFrame
    """As the `scores` table."""
    asked: int
    """Texts the system was asked."""
    known: int
    """Texts whose score was stored already."""
    missing: int
    """Sentences without a score."""
    seconds: float
    resolved_scale: ResolvedScale
    noise: float | None = None
    """Standard deviation between repeats of the same text, pooled; None with one repeat."""
    notes: tuple[str, ...] = field(default=())
    repeats: int = 1
    why: str = ""
    """The reason most often given for a missing score."""
    written: tuple[float, float] | None = None
    """When the first and the last of the stored scores used were written, in seconds since 1970."""
    check: SpotCheck = NOT_CHECKED
    """What became of some of them that were asked again."""

    @property
    def remarks(self) -> list[str]:
        """What is worth knowing of these scores, in words; a declared scale is not remarkable."""
        return [*self.notes, *self._remarks()]

    @property
    def remarks_with_scale(self) -> list[str]:
        """The scale, declared or not, and what else is worth knowing."""
        return list(
            dict.fromkeys(
                [*self.notes, self.resolved_scale.describe(self.card.name), *self._remarks()]
            )
        )

    def _remarks(self) -> Iterator[str]:
        scale = self.resolved_scale
        if scale.known is not ScaleSource.DECLARED:
            yield scale.describe(self.card.name)
        if scale.outside:
            what = f"answers outside the scale {scale.scale}: {scale.outside:,}, kept as they are"
            yield f"{what}; the first: {scale.first_outside}" if scale.first_outside else what
        if self.noise is not None:
            yield (
                f"answers to the same text vary by {self.noise:.3g} of the native scale (standard "
                f"deviation over {self.repeats} repeats)"
            )
        if self.missing:
            yield f"most often missing because: {self.why}"


@dataclass(frozen=True)
class BlockScores:
    """One system's scores, found a block at a time."""

    system: System
    answers: Lookup | None
    """None for a control, which reads rows."""
    repeats: int
    witnesses: pl.DataFrame
    """A sentence of every group, for controls, which refuse sentences without theirs."""

    def rounds(self, texts: Texts) -> list[pl.DataFrame]:
        """The answers to a block's texts, raw and reason, a frame for each repeat."""
        if self.answers is None:
            return [self._from_rows(texts.sentences) for _ in range(self.repeats)]
        return [self.answers(texts.block.round(nth)) for nth in range(self.repeats)]

    def _from_rows(self, sentences: pl.DataFrame) -> pl.DataFrame:
        """A control's answers, by sentence and not by text; they are never stored."""
        both = pl.concat([self.witnesses, sentences])
        given = self.system.rows(both) if self.system.rows else []
        answers = answer_frame(both["text"].to_list(), given, 0)
        return answers[self.witnesses.height :].select("raw", "reason")

    def raw(self, texts: Texts) -> Array:
        """The answers to a block's sentences, repeats averaged, NaN where there is none."""
        return _mean(_raw(texts, self.rounds(texts)))

    def table(self, texts: Texts, name: str, scale: Scale | None) -> pl.DataFrame:
        """A block's rows of the `scores` table."""
        return _table(replace(self.system.card, name=name), texts, self.rounds(texts), scale)


class ScoreTotals:
    """What one system's answers come to, from going through them once."""

    def __init__(self, card: Card, declared: Scale | None, repeats: int = 1) -> None:
        self._card, self._repeats = card, repeats
        self._scale = ScaleTracker(declared or card.scale)
        self._reasons: Counter[str] = Counter()
        self._variance, self._varied = 0.0, 0

    def add(self, texts: Texts, rounds: Rounds) -> Array:
        """Look at a block's answers; gives them averaged over repeats, one a sentence."""
        for frame in rounds:
            by_text = frame.height == texts.distinct.len()
            self._scale.add(texts.distinct if by_text else texts.sentences["text"], frame["raw"])
            if frame["raw"].null_count():
                lost = _by_sentence(texts, frame).filter(pl.col("raw").is_null())["reason"]
                self._reasons.update(lost.fill_null(NOT_STORED).to_list())
        raw = _raw(texts, rounds)
        if len(rounds) > 1:
            several = raw[:, np.count_nonzero(~np.isnan(raw), axis=0) > 1]
            self._variance += float(np.nanvar(several, axis=0, ddof=1).sum())
            self._varied += several.shape[1]
        return _mean(raw)

    @property
    def scale(self) -> ResolvedScale:
        """The scale, from all answers so far."""
        return self._scale.resolved

    def scored(self, tally: Tally, scores: pl.DataFrame = NO_SCORES) -> Scored:
        """The outcome, with its table of scores where that is held."""
        reasons = self._reasons  # of several as frequent the first by name, always the same
        why = min(reasons, key=lambda reason: (-reasons[reason], reason), default="")
        return Scored(
            self._card, scores, tally.asked, tally.known, reasons.total(), tally.seconds,
            self.scale, (self._variance / self._varied) ** 0.5 if self._varied else None,
            (*self._card.notes, *tally.notes), self._repeats, why, tally.written, tally.check,
        )  # fmt: skip


def score_in_memory(
    card: Card, texts: Texts, rounds: Rounds, scale: Scale | None, tally: Tally
) -> Scored:
    """The outcome of one block, with its table."""
    totals = ScoreTotals(card, scale, len(rounds))
    totals.add(texts, rounds)
    return totals.scored(tally, _table(card, texts, rounds, totals.scale.scale))


def assemble(
    card: Card,
    texts: Texts,
    answers: pl.DataFrame,
    *,
    repeats: int = 1,
    scale: Scale | None = None,
    notes: Sequence[str] = (),
) -> Scored:
    """Put answers (by id where they have one, else by text) to sentences."""
    by = "id" if "id" in answers.columns else "text"
    wanted = (texts.sentences if by == "id" else texts.distinct.to_frame("text")).select(by)
    rounds = []
    for nth in range(repeats):
        part = answers.filter(pl.col("repeat") == nth)
        found = part.select("raw", "reason")
        if not part[by].equals(wanted[by]) or part[by].n_unique() < part.height:
            best = part.sort(pl.col("raw").is_not_null(), maintain_order=True)
            last = best.select(by, "raw", "reason").unique(by, keep="last")
            found = wanted.join(last, on=by, how="left", maintain_order="left").drop(by)
        rounds.append(found)
    return score_in_memory(card, texts, rounds, scale, Tally(notes=tuple(notes)))


def one_scale_each(scored: Sequence[Scored]) -> list[Scored]:
    """The same scores with one scale for each system, over all its tasks (and corpora) here.

    A declared scale stays; the others are inferred from all of a system's answers together.
    """
    seen: dict[str, list[ResolvedScale]] = {}
    for one in scored:
        if one.resolved_scale.known is not ScaleSource.DECLARED:
            seen.setdefault(one.card.name, []).append(one.resolved_scale)
    scales = {name: infer_common_scale(several) for name, several in seen.items()}
    declared = ScaleSource.DECLARED
    return [
        one if one.resolved_scale.known is declared else on_scale(one, scales[one.card.name])
        for one in scored
    ]


def on_scale(scored: Scored, scale: ResolvedScale) -> Scored:
    """The scores on another scale than their own answers would tell."""
    if scale.scale == scored.resolved_scale.scale:
        return replace(scored, resolved_scale=scale)
    scores = scored.scores.with_columns(score=on_unit(pl.col("raw"), scale.scale))
    return replace(scored, resolved_scale=scale, scores=scores)


def _by_sentence(texts: Texts, frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each sentence, from one for each distinct text where they are fewer."""
    return frame if frame.height == texts.sentences.height else frame[texts.index]


def _table(card: Card, texts: Texts, rounds: Rounds, scale: Scale | None) -> pl.DataFrame:
    """The `scores` table: sentence after sentence, each with its repeats."""
    parts, raw = [], pl.col("raw")
    for nth, frame in enumerate(rounds):
        answers = _by_sentence(texts, frame)
        rows = pl.DataFrame(
            [texts.sentences["corpus"], texts.sentences["id"], answers["raw"], answers["reason"]]
        )
        made = {
            "system": pl.lit(card.name),
            "task": pl.lit(card.task),
            "repeat": pl.lit(nth, pl.Int64),
            "score": on_unit(raw, scale),
            "reason": pl.when(raw.is_null()).then(pl.col("reason").fill_null(NOT_STORED)),
        }
        columns = (made.get(name, pl.col(name)).alias(name) for name in SCORES.columns)
        parts.append(rows.select(*columns))
    if len(parts) == 1:
        return parts[0]
    by_sentence = np.arange(len(parts) * parts[0].height).reshape(len(parts), -1).T.ravel()
    return pl.concat(parts)[by_sentence]


def _raw(texts: Texts, rounds: Rounds) -> Array:
    """The answers as an array, (repeats, sentences)."""
    return np.stack(
        [_by_sentence(texts, frame)["raw"].to_numpy(allow_copy=True) for frame in rounds]
    )


def _mean(rounds: Array) -> Array:
    """Each sentence's mean over the repeats that have an answer."""
    if len(rounds) == 1:
        alone: Array = rounds[0]
        return alone
    n = np.count_nonzero(~np.isnan(rounds), axis=0)
    mean: Array = np.full(n.shape, np.nan)
    np.divide(np.nansum(rounds, axis=0), n, out=mean, where=n > 0)
    return mean
