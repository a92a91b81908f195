"""Answers put to sentences: the `scores` table of one system, on the scale it turns out to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from tiltmeter.schemas import SCORES
from tiltmeter.scoring.scale import (
    ScaleSource,
    Settled,
    inferred_together,
    on_unit,
    settle,
)
from tiltmeter.scoring.spot_check import NOT_CHECKED, SpotCheck
from tiltmeter.scoring.texts import Texts
from tiltmeter.systems.protocol import Card, Scale

NOT_STORED = "not in the store"


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
    settled: Settled
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
        return [*self.notes, *_remarks(self)]

    @property
    def remarks_with_scale(self) -> list[str]:
        """The scale, declared or not, and what else is worth knowing."""
        return list(dict.fromkeys([*self.notes, str(self.settled), *_remarks(self)]))


def _remarks(scored: Scored) -> Iterator[str]:
    settled = scored.settled
    if settled.known is not ScaleSource.DECLARED:
        yield str(settled)
    if settled.outside:
        what = f"answers outside the scale {settled.scale}: {settled.outside:,}, kept as they are"
        yield f"{what}; the first: {settled.first_outside}" if settled.first_outside else what
    if scored.noise is not None:
        yield (
            f"answers to the same text vary by {scored.noise:.3g} of the native scale (standard "
            f"deviation over {scored.repeats} repeats)"
        )
    if scored.missing:
        yield f"most often missing because: {scored.why}"


def most_often(reasons: Counter[str]) -> str:
    """The reason given most often; of several the first by name, so that it is always the same."""
    return min(reasons, key=lambda reason: (-reasons[reason], reason), default="")


def assemble(
    card: Card,
    texts: Texts,
    answers: pl.DataFrame,
    *,
    repeats: int = 1,
    scale: Scale | None = None,
    asked: int = 0,
    known: int = 0,
    seconds: float = 0.0,
    notes: Sequence[str] = (),
    written: tuple[float, float] | None = None,
    check: SpotCheck = NOT_CHECKED,
) -> Scored:
    """Put answers (by id where they have one, else by text) to sentences."""
    settled = settle(answers, scale or card.scale)
    joined = _joined(texts, answers, repeats)
    reason = pl.when(pl.col("raw").is_null()).then(pl.coalesce("reason", pl.lit(NOT_STORED)))
    scores = joined.with_columns(
        system=pl.lit(card.name),
        task=pl.lit(card.task),
        score=on_unit(pl.col("raw"), settled.scale),
        reason=reason,
    ).select(*SCORES.columns)
    missing = scores["raw"].null_count()
    said = (*card.notes, *notes)
    why = most_often(Counter(scores["reason"].drop_nulls()))
    return Scored(
        card, scores, asked, known, missing, seconds, settled, _noise(scores), said, repeats, why,
        written, check,
    )  # fmt: skip


def one_scale_each(scored: Sequence[Scored]) -> list[Scored]:
    """The same scores with one scale for each system, over all its tasks (and corpora) here.

    A declared scale stays; the others are inferred from all of a system's answers together.
    """
    seen: dict[str, list[Settled]] = {}
    for one in scored:
        if one.settled.known is not ScaleSource.DECLARED:
            seen.setdefault(one.card.name, []).append(one.settled)
    scales = {name: inferred_together(several) for name, several in seen.items()}
    return [
        one if one.settled.known is ScaleSource.DECLARED else on_scale(one, scales[one.card.name])
        for one in scored
    ]


def on_scale(scored: Scored, settled: Settled) -> Scored:
    """The scores on another scale than their own answers would tell."""
    if settled.scale == scored.settled.scale:
        return replace(scored, settled=settled)
    rescored = scored.scores.with_columns(score=on_unit(pl.col("raw"), settled.scale))
    return replace(scored, settled=settled, scores=rescored)


def _joined(texts: Texts, answers: pl.DataFrame, repeats: int) -> pl.DataFrame:
    """Every sentence and repeat with its answer, null where there is none."""
    sentences = texts.keys
    if repeats == 1 and "id" not in answers.columns and texts.are(answers):
        found = (answers[name].gather(texts.index) for name in ("repeat", "raw", "reason"))
        return sentences.hstack(list(found))
    by = ["id" if "id" in answers.columns else "text", "repeat"]
    rounds = pl.DataFrame({"repeat": range(repeats)}, {"repeat": pl.Int64})
    best = answers.select(*by, "raw", "reason").sort(
        pl.col("raw").is_not_null(), maintain_order=True
    )
    wanted = sentences.join(rounds, how="cross")
    return wanted.join(best.unique(by, keep="last"), on=by, how="left", maintain_order="left")


def _noise(scores: pl.DataFrame) -> float | None:
    """Pooled standard deviation of repeats around each sentence's own mean."""
    if not scores["repeat"].max():
        return None
    variances = scores.group_by("id").agg(pl.col("raw").var())["raw"].drop_nulls()
    return float(variances.to_numpy().mean() ** 0.5) if variances.len() else None
