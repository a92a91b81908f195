"""Which scale a system's answers are on, and its scores from 0 to 1.

Declared by the user or the adapter; else inferred from the answers to all its tasks together, if
they lie in 0..1 or −1..1; else there is none, and tilt is measured in native units. Never from the
smallest and largest answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.schemas import SCORES
from tiltmeter.scoring.plan import Block, Texts
from tiltmeter.scoring.spot_check import NOT_CHECKED, SpotCheck
from tiltmeter.scoring.store import answer_frame
from tiltmeter.systems.protocol import SIGNED, UNIT, Card, Scale, System, exact

# ---- which scale a system's answers are on, and its scores from 0 to 1
# Declared by the user or the adapter; else inferred from the answers to all its tasks together, if
# they lie in 0..1 or −1..1; else there is none, and tilt is measured in native units. Never from
# the smallest and largest answer.


class ScaleSource(StrEnum):
    """How a system's scale is known."""

    DECLARED = "declared"
    """By the system or the user."""
    INFERRED = "inferred"
    """Every answer lies within it."""
    UNBOUNDED = "unbounded"
    """Not at all: answers lie beyond both 0..1 and −1..1."""
    UNANSWERED = "unanswered"
    """Not at all: there is no answer."""


@dataclass(frozen=True, slots=True)
class ResolvedScale:
    """A system's scale, how it is known, and the answers outside it."""

    scale: Scale | None
    known: ScaleSource
    low: float = math.inf
    """The smallest and the largest answer."""
    high: float = -math.inf
    outside: int = 0
    first_outside: str = ""

    @property
    def holds(self) -> bool:
        """Whether every answer lies within the scale, if there is one."""
        scale = self.scale
        return not scale or self.low > self.high or scale.low <= self.low <= self.high <= scale.high

    def __str__(self) -> str:
        """As in `scale 0 to 1, inferred: every answer lies within it`."""
        if self.known is ScaleSource.DECLARED:
            return f"scale {self.scale}, declared"
        if self.known is ScaleSource.INFERRED:
            return f"scale {self.scale}, inferred: every answer lies within it"
        if self.known is ScaleSource.UNANSWERED:
            return "scale unknown: there is no answer to infer it from"
        found = Scale(self.low, self.high)
        return f"scale unbounded: answers from {found}; say --scale LOW:HIGH if you know it"


def infer_scale(low: float, high: float) -> ResolvedScale:
    """The scale of a system whose answers lie from low to high.

    >>> str(infer_scale(-0.02, 0.9).scale), infer_scale(-0.02, 1.1).known.value
    ('−1 to 1', 'unbounded')
    """
    if low > high:
        return ResolvedScale(None, ScaleSource.UNANSWERED)
    for scale in (UNIT, SIGNED):
        if scale.low <= low and high <= scale.high:
            return ResolvedScale(scale, ScaleSource.INFERRED, low, high)
    return ResolvedScale(None, ScaleSource.UNBOUNDED, low, high)


def infer_common_scale(several: Iterable[ResolvedScale]) -> ResolvedScale:
    """The one scale of a system, from what was seen of its tasks and corpora."""
    ends = [(one.low, one.high) for one in several]
    return infer_scale(min(low for low, _ in ends), max(high for _, high in ends))


def resolve_scale(
    texts: Sequence[str], answers: Sequence[float | None], declared: Scale | None
) -> ResolvedScale:
    """The scale of a system's answers to a few texts; None, no answer, counts for nothing.

    >>> resolve_scale(["a", "b"], [0.5, 1.5], UNIT).first_outside
    "1.5 for 'b'"
    """
    known = [(one, text) for one, text in zip(answers, texts, strict=True) if one is not None]
    low = min((one for one, _ in known), default=math.inf)
    high = max((one for one, _ in known), default=-math.inf)
    if declared is None:
        return infer_scale(low, high)
    outside = [
        f"{exact(one)} for {text!r}"
        for one, text in known
        if not declared.low <= one <= declared.high
    ]
    first = next(iter(outside), "")
    return ResolvedScale(declared, ScaleSource.DECLARED, low, high, len(outside), first)


class ScaleTracker:
    """A system's answers looked at, all at once or a block at a time."""

    def __init__(self, declared: Scale | None) -> None:
        self._declared = declared
        self._low, self._high = math.inf, -math.inf
        self._outside, self._first = 0, ""

    def add(self, texts: pl.Series, raw: pl.Series) -> None:
        """Look at further answers; null ones count for nothing."""
        low, high = raw.min(), raw.max()
        if not isinstance(low, int | float) or not isinstance(high, int | float):
            return
        self._low, self._high = min(self._low, low), max(self._high, high)
        scale = self._declared
        if scale is None or scale.low <= low <= high <= scale.high:
            return
        out = ((raw < scale.low) | (raw > scale.high)).fill_null(False).arg_true()
        self._first = self._first or f"{exact(raw[out[0]])} for {texts[out[0]]!r}"
        self._outside += out.len()

    @property
    def resolved(self) -> ResolvedScale:
        """The scale, from all that was seen."""
        if self._declared is None:
            return infer_scale(self._low, self._high)
        return ResolvedScale(
            self._declared, ScaleSource.DECLARED, self._low, self._high, self._outside, self._first
        )


def on_unit(raw: pl.Expr, scale: Scale | None) -> pl.Expr:
    """The answers from 0 to 1; null without a scale, outside where the answer is outside."""
    if scale is None:
        import polars as pl

        return pl.lit(None, pl.Float64)
    return (raw - scale.low) / scale.width


# ---- answers put to sentences: the `scores` table of one system, on the scale it turns out to
# have
# Scores are gone through a block at a time and summed up; a corpus in memory is one block.

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
    settled: ResolvedScale
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
        return list(dict.fromkeys([*self.notes, str(self.settled), *self._remarks()]))

    def _remarks(self) -> Iterator[str]:
        scale = self.settled
        if scale.known is not ScaleSource.DECLARED:
            yield str(scale)
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
        if one.settled.known is not ScaleSource.DECLARED:
            seen.setdefault(one.card.name, []).append(one.settled)
    scales = {name: infer_common_scale(several) for name, several in seen.items()}
    return [
        one if one.settled.known is ScaleSource.DECLARED else on_scale(one, scales[one.card.name])
        for one in scored
    ]


def on_scale(scored: Scored, scale: ResolvedScale) -> Scored:
    """The scores on another scale than their own answers would tell."""
    if scale.scale == scored.settled.scale:
        return replace(scored, settled=scale)
    scores = scored.scores.with_columns(score=on_unit(pl.col("raw"), scale.scale))
    return replace(scored, settled=scale, scores=scores)


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
