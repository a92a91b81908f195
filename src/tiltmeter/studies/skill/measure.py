"""How well systems agree with gold scores of labelled texts: the one measure of skill.

Over all texts of a task, Pearson's and Spearman's correlation with Fisher's intervals, and the
ranks that the texts allow: what an audit shows beside a tilt. With a bootstrap also mean errors,
and all of it for each group of texts: every number has a percentile interval over the texts (Efron
and Tibshirani 1993, §13). Groups are drawn again each by itself, so that their sizes stay; a
difference is a group minus the other one, or minus all others together where there are more than
two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.ranking import coarsen_column
from tiltmeter.schemas import ESTIMATES
from tiltmeter.stats.bootstrap import (
    UNDEFINED,
    Bootstrap,
    mean_draws,
    pearson_draws,
    resample_counts,
    spearman_draws,
)
from tiltmeter.stats.correlation import (
    FEWEST,
    bounded_atanh,
    is_constant,
    pearson,
    pearson_influence,
    spearman,
    spearman_influence,
)
from tiltmeter.stats.multiplicity import (
    LEVEL,
    Ranges,
    above_p,
    among_known,
    difference_variances,
    rank_ranges,
    surely_above,
)
from tiltmeter.studies.paired.tilt import range_columns

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Numbers = Mapping[str, Array]
"""By measure: arrays with a row for each system."""
Row = dict[str, Any]

RANKED_BY = ("pearson", "spearman")
GOLD = "gold"
"""The subset of the estimates: labelled texts, not sentences of a corpus."""
ALIKE = 1e-11
"""Correlations nearer than this share a range of ranks."""
RANKS = ("rank", "rank_best", "rank_worst", "tied", "of")
CORRELATION, SCALE = "correlation", "scale"
UNITS = {"pearson": CORRELATION, "spearman": CORRELATION, "mae": SCALE, "mean_error": SCALE}
"""The measures and their units. mae: mean |score − gold|; mean_error: mean score − gold."""
NO_SCALE = "its scale is not known, so scores and gold cannot be compared; say --scale LOW:HIGH"
OTHERS = "others"
"""What a group stands against where there are more than two."""

SKILL = pl.Schema(
    {"system": pl.String(), "task": pl.String(), "gold": pl.String(), "n": pl.Int64()}
    | {f"{name}{part}": pl.Float64() for name in RANKED_BY for part in ("", "_low", "_high")}
    | dict.fromkeys(RANKS, pl.Int64())
)
"""rank is by the numbers as they are, rank_best to rank_worst what the texts allow; systems of one
`tied` cannot be told from the group's first: see skill_ranges. `of`: how many are ranked."""
_COUNTED = pl.Schema({**SKILL, "n_dropped": pl.Int64()})
REASONS = pl.Schema(dict.fromkeys(("system", "task", "gold", "reason"), pl.String()))
AGREEMENT = pl.Schema(
    dict.fromkeys(("system", "task", "gold", "by", "group", "against", "measure"), pl.String())
    | dict.fromkeys(("value", "low", "high", "low_adjusted", "high_adjusted"), pl.Float64())
    | {"unit": pl.String()}
    | dict.fromkeys(("n", "n_against", "n_missing"), pl.Int64())
    | {"gold_sd": pl.Float64(), "reason": pl.String()}
)
"""Group is null for all texts together; against is null unless the row is a difference."""


@dataclass(frozen=True, slots=True)
class SkillStudy:
    """What the gold scores say of each submission."""

    skill: pl.DataFrame
    """A row a submission, best first within its task: see SKILL. Null: no skill is known."""
    estimates: pl.DataFrame
    """The same numbers as rows of the `estimates` table."""
    reasons: pl.DataFrame
    """system, task, gold, reason: why a submission that has scores has no skill."""
    table: pl.DataFrame
    """Every measure with its bootstrap interval: see AGREEMENT; empty without a bootstrap."""
    family: int
    """How many differences there are in each measure, or as many as were said."""


def check_rank_by(name: str) -> None:
    """Refuse to rank by what is not measured."""
    if name not in RANKED_BY:
        raise TiltmeterError(f"rank_by is {name!r}; expected one of {', '.join(RANKED_BY)}")


def skill_study(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    submissions: pl.DataFrame,
    rank_by: str = "pearson",
    *,
    mode: str = "corrected",
    bootstrap: Bootstrap | None = None,
    by: str | None = None,
) -> SkillStudy:
    """How well every submission's scores agree with the gold of its task, and their ranks.

    `scores` is a `scores` table of labelled texts; `gold` has id, task, score, gold, the name it
    goes by, and with `by` group; `submissions` has system and task, a row for each that is to stand
    in the result. With a bootstrap every measure has a row for all texts, for each group of them,
    and for the groups' differences.
    """
    check_rank_by(rank_by)
    parts, ranked, reasons = list[TaskTexts](), [_COUNTED.to_frame()], list[tuple[str, ...]]()
    for (task,), keys in submissions.select("system", "task").group_by("task", maintain_order=True):
        texts = gold.filter(pl.col("task") == task)
        skill = keys
        if texts.height:
            part = _task_texts(keys, scores.filter(pl.col("task") == task), texts, by)
            parts.append(part)
            answers, truth = part.sample.answers, part.sample.gold
            found = {"pearson": pearson(answers, truth), "spearman": spearman(answers, truth)}
            n = pl.Series(found["pearson"].n, dtype=pl.Int64)
            columns = {
                f"{measure}{end}": pl.Series(values).fill_nan(None)
                for measure, one in found.items()
                for end, values in (("", one.value), ("_low", one.low), ("_high", one.high))
            }
            skill = keys.with_columns(
                gold=pl.lit(part.gold), n=n, n_dropped=len(truth) - n, **columns,
                **range_columns(skill_ranges(answers, truth, rank_by)),
            )  # fmt: skip
            # Why each submission that has scores but no correlation has none.
            rows = skill.select("system", "n", RANKED_BY[0]).rows()
            for constant, (system, n_known, r) in zip(is_constant(answers), rows, strict=True):
                if r is not None or not n_known:
                    continue
                why = "the gold scores of the texts it has scores for are all the same"
                if n_known < FEWEST:
                    have = f"it has scores for {n_known:,} of {len(truth):,} gold texts"
                    why = f"{have}; at least {FEWEST} are needed"
                elif constant:
                    why = "its scores of the gold texts are all the same"
                    why = f"{why}, so no correlation can be given"
                reasons.append((system, str(task), part.gold, why))
        absent = [name for name in _COUNTED if name not in skill.columns]
        whole = skill.with_columns(pl.lit(None).alias(name) for name in absent).select(
            pl.col(name).cast(kind) for name, kind in _COUNTED.items()
        )
        # 1 for the best; ties share the better rank, unknown comes last.
        rank = coarsen_column(pl.col(rank_by)).rank("min", descending=True).cast(pl.Int64)
        ranked.append(
            whole.with_columns(pl.col("n", "n_dropped").fill_null(0), rank=rank).sort(
                "rank", nulls_last=True, maintain_order=True
            )
        )
    every = pl.concat(ranked)
    how = bootstrap or Bootstrap()
    family = how.family or max(sum(part.contrasts * part.keys.height for part in parts), 1)
    agreement = [
        row | {"by": by if row["group"] is not None else None}
        for part in (parts if bootstrap else ())
        for row in _agreement_rows(part, how, family)
    ]
    return SkillStudy(
        every.drop("n_dropped"),
        _estimates(every, mode),
        pl.DataFrame(reasons, REASONS, orient="row"),
        pl.from_dicts(agreement, AGREEMENT) if agreement else AGREEMENT.to_frame(),
        family,
    )


def answer_matrix(
    scores: pl.DataFrame, gold: pl.DataFrame, keys: pl.DataFrame, column: str = "raw"
) -> Array:
    """(submissions, gold texts): the answers as given, repeats averaged, NaN where missing.

    Correlations do not depend on the scale, so the native one will do; `score` is on 0 to 1.
    """
    placed = (
        scores.join(gold.select("id").with_row_index("column"), on="id")
        .join(keys.with_row_index("row"), on=["system", "task"])
        .group_by("row", "column")
        .agg(pl.col(column).mean())
    )
    values = np.full((keys.height, gold.height), np.nan)
    at = placed["row"].to_numpy(), placed["column"].to_numpy()
    values[at] = placed[column].fill_null(float("nan")).to_numpy()
    return values


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled texts and what every system answered; NaN where it has no answer."""

    answers: Array
    """(systems, texts), as given."""
    scores: Array
    """(systems, texts), on 0 to 1; NaN throughout where the scale is not known."""
    gold: Array
    """(texts,)."""

    def at(self, texts: Places) -> Sample:
        """Some of the texts."""
        return Sample(self.answers[:, texts], self.scores[:, texts], self.gold[texts])

    @property
    def n(self) -> Places:
        """How many texts each system has an answer to."""
        found: Places = np.count_nonzero(~np.isnan(self.answers), axis=1)
        return found

    @property
    def gold_sd(self) -> Array:
        """The spread of the gold scores of the texts that each system has an answer to."""
        known = ~np.isnan(self.answers)
        mean = (known * self.gold).sum(axis=1) / np.maximum(self.n, 1)
        squares = np.where(known, self.gold - mean[:, None], 0.0) ** 2
        sd: Array = np.sqrt(squares.sum(axis=1) / np.where(self.n > 1, self.n - 1, np.nan))
        return sd

    def numbers(self) -> Numbers:
        """Every measure for every system, (systems,); NaN where there are fewer than three texts.

        >>> sample = Sample(*2 * (np.array([[0.2, 0.4, 0.9]]),), np.array([0.1, 0.5, 0.9]))
        >>> {name: round(float(value[0]), 3) for name, value in sample.numbers().items()}
        {'pearson': 0.971, 'spearman': 1.0, 'mae': 0.067, 'mean_error': 0.0}
        """
        once = np.ones((len(self.gold), 1))
        found = {
            "pearson": pearson(self.answers, self.gold).value,
            "spearman": spearman(self.answers, self.gold).value,
            **{name: draws[:, 0] for name, draws in self._errors(once).items()},
        }
        enough = self.n >= FEWEST
        return {name: np.where(enough, value, np.nan) for name, value in found.items()}

    def draws(self, counts: Array) -> Numbers:
        """Every measure in every resample, (systems, resamples); counts are (texts, resamples)."""
        return {
            "pearson": pearson_draws(self.answers, self.gold, counts),
            "spearman": spearman_draws(self.answers, self.gold, counts),
            **self._errors(counts),
        }

    def _errors(self, counts: Array) -> Numbers:
        off = self.scores - self.gold
        return {"mae": mean_draws(np.abs(off), counts), "mean_error": mean_draws(off, counts)}

    def why_not(self, row: int, measure: str, no_scale: str) -> str:
        """Why a system has no number here; `no_scale` where it has no scores from 0 to 1."""
        n, total = int(self.n[row]), len(self.gold)
        if n < FEWEST:
            have = f"{n:,} of {total:,} texts have a score" if n < total else f"{n:,} texts"
            return f"{have}; at least {FEWEST} are needed"
        if UNITS[measure] == SCALE:
            return no_scale
        if is_constant(self.answers)[row]:
            return "its scores are all the same, so no correlation can be given"
        return "the gold scores are all the same, so no correlation can be given"


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """One task's systems and texts, and how its texts fall into groups."""

    keys: pl.DataFrame
    """system and task."""
    sample: Sample
    gold: str
    """What the gold is called."""
    no_scale: str
    """Why a system may have no scores from 0 to 1."""
    groups: Mapping[str, Places]
    """The texts of each, in order of appearance; none: only all texts together."""

    @property
    def contrasts(self) -> int:
        """How many differences there are for each system."""
        return len(self.groups) if len(self.groups) > 2 else len(self.groups) // 2


def _task_texts(
    keys: pl.DataFrame, scores: pl.DataFrame, gold: pl.DataFrame, by: str | None
) -> TaskTexts:
    truth = gold["score"].to_numpy().astype(np.float64)
    answers, on_scale = (answer_matrix(scores, gold, keys, name) for name in ("raw", "score"))
    no_scale = NO_SCALE
    if truth.min() < 0 or truth.max() > 1:
        span = f"{truth.min():g} to {truth.max():g}".replace("-", "−")
        no_scale = f"the gold scores lie from {span}, not within 0 to 1"
        on_scale = np.full_like(on_scale, np.nan)
    named = gold["group"].drop_nulls().unique(maintain_order=True) if by else ()
    groups = {name: (gold["group"] == name).arg_true().to_numpy().astype(int) for name in named}
    return TaskTexts(keys, Sample(answers, on_scale, truth), gold["gold"][0], no_scale, groups)


def skill_ranges(answers: Array, gold: Array, by: str = "pearson", level: float = LEVEL) -> Ranges:
    """Ranks by correlation with gold scores, 1 the best, and which the texts allow.

    `answers` is (systems, texts). Differences of atanh r are tested with the variance of each
    text's influence, so that systems that answer the same texts alike are told apart sooner.
    """
    correlation = {"pearson": pearson, "spearman": spearman}[by](answers, gold)
    known = ~np.isnan(correlation.value)
    influence = {"pearson": pearson_influence, "spearman": spearman_influence}[by]
    value = bounded_atanh(correlation.value[known])
    n = correlation.n[known].astype(np.float64)
    variance, _ = difference_variances(influence(answers[known], gold))
    df = np.minimum(n[:, None], n) - 2.0
    above = surely_above(above_p(value, variance, df, ALIKE), level)
    return among_known(known, rank_ranges(value, above, ALIKE))


def _estimates(skill: pl.DataFrame, mode: str) -> pl.DataFrame:
    """Both correlations as rows of the `estimates` table."""
    known = skill.filter(pl.col("gold").is_not_null())
    blocks = [
        known.select(
            "system", "task", "n", "n_dropped",
            corpus="gold",
            **dict.fromkeys(("edition", "axis", "contrast", "reference"), pl.lit("")),
            mode=pl.lit(mode), subset=pl.lit(GOLD), measure=pl.lit(name),
            value=name, low=f"{name}_low", high=f"{name}_high", unit=pl.lit(CORRELATION),
            **dict.fromkeys(("se", "statistic", "df", "p"), pl.lit(None, pl.Float64)),
        )
        for name in RANKED_BY
    ]  # fmt: skip
    return pl.concat(blocks).select(*ESTIMATES.columns)


@dataclass(frozen=True, slots=True)
class AgreementSide:
    """Some of the texts: every measure, as it is and in every resample."""

    sample: Sample
    value: Numbers
    draws: Numbers


def _agreement_rows(part: TaskTexts, how: Bootstrap, family: int) -> Iterator[Row]:
    """All texts together, then the groups, then their differences: the first minus the second."""
    whole, _ = _sides(part.sample, [np.arange(len(part.sample.gold))], 0, how)
    yield from _number_rows(part, whole, how, None)
    differences = list[Row]()
    names, places = list(part.groups), list(part.groups.values())
    for nth in range(1 if len(names) == 2 else len(names)):
        group, (own, others) = names[nth], _sides(part.sample, places, nth, how)
        yield from _number_rows(part, own, how, group)
        if len(names) == 1:
            continue
        against = OTHERS
        if len(names) == 2:
            against = names[1]
            yield from _number_rows(part, others, how, against)
        n, n_against = own.sample.n, others.sample.n
        for measure, unit in UNITS.items():
            values = own.value[measure] - others.value[measure]
            draws = own.draws[measure] - others.draws[measure]
            ends = (*how.interval(draws), *how.adjusted(draws, family))
            for row, (system, task) in enumerate(part.keys.rows()):
                why = None
                if np.isnan(values[row]):
                    first = np.isnan(own.value[measure][row])
                    empty, whose = (own, group) if first else (others, against)
                    why = f"{whose}: {empty.sample.why_not(row, measure, part.no_scale)}"
                differences.append({
                    "system": system, "task": task, "gold": part.gold, "group": group,
                    "against": against, "measure": measure, "unit": unit, "n": int(n[row]),
                    "n_against": int(n_against[row]),
                    **_number(why, values[row], *(end[row] for end in ends)),
                })  # fmt: skip
    yield from differences


def _sides(
    sample: Sample, places: Sequence[Places], nth: int, how: Bootstrap
) -> tuple[AgreementSide, AgreementSide]:
    """The texts of one place and of all others, drawn again each place by itself."""
    rest = [place for other, place in enumerate(places) if other != nth]
    own, others = sample.at(places[nth]), sample.at(np.concatenate([np.arange(0), *rest]))
    drawn = list[tuple[Numbers, Numbers]]()
    for counts in resample_counts([len(place) for place in places], how.resamples, how.seed):
        mine = counts.pop(nth)
        stacked = np.concatenate([np.empty((0, mine.shape[1])), *counts])
        drawn.append((own.draws(mine), others.draws(stacked)))
    first, second = (
        {name: np.concatenate([one[name] for one in chunks], axis=1) for name in UNITS}
        for chunks in zip(*drawn, strict=True)
    )
    return (
        AgreementSide(own, own.numbers(), first),
        AgreementSide(others, others.numbers(), second),
    )


def _number_rows(
    part: TaskTexts, side: AgreementSide, how: Bootstrap, group: str | None
) -> Iterator[Row]:
    """A row for each system and measure of some texts."""
    ends = {name: how.interval(side.draws[name]) for name in UNITS}
    n, sd, total = side.sample.n, side.sample.gold_sd, len(side.sample.gold)
    for row, (system, task) in enumerate(part.keys.rows()):
        for name, unit in UNITS.items():
            value, low, high = (one[row] for one in (side.value[name], *ends[name]))
            why = side.sample.why_not(row, name, part.no_scale) if np.isnan(value) else None
            yield {
                "system": system, "task": task, "gold": part.gold, "group": group,
                "measure": name, "unit": unit, "n": int(n[row]), "n_missing": total - int(n[row]),
                "gold_sd": _known(sd[row]), **_number(why, value, low, high),
            }  # fmt: skip


def _number(why: str | None, value: float, *ends: float) -> Row:
    """The value and its intervals, null where there is none; no value, no interval."""
    if why is not None:
        return {"value": None, "reason": why}
    if np.isnan(ends[0]):
        why = f"no interval: more than {100 * UNDEFINED:g} % of the resamples give no number"
    names = ("low", "high", "low_adjusted", "high_adjusted")
    known = dict(zip(names, map(_known, ends), strict=False))
    return {"value": float(value), **known, "reason": why}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
