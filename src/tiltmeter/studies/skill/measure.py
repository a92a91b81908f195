"""Skill beside tilt: how well each system's scores agree with gold scores of labelled texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES
from tiltmeter.stats.bootstrap import (
    UNDEFINED,
    Bootstrap,
    mean_draws,
    pearson_draws,
    resample_counts,
    spearman_draws,
)
from tiltmeter.stats.correlation import FEWEST, is_constant, pearson, spearman
from tiltmeter.stats.correlation import Array as correlation_Array
from tiltmeter.studies.paired.tilt_ranks import range_columns, skill_ranges

# ---- skill beside tilt: how well each system's scores agree with gold scores of labelled texts


RANKED_BY = ("pearson", "spearman")
GOLD = "gold"
"""The subset of the estimates: labelled texts, not sentences of a corpus."""
DIGITS = 12
"""Correlations that agree to so many decimals share a rank."""

SKILL = pl.Schema(
    {"system": pl.String(), "task": pl.String(), "gold": pl.String(), "n": pl.Int64()}
    | {f"{name}{part}": pl.Float64() for name in RANKED_BY for part in ("", "_low", "_high")}
    | dict.fromkeys(("rank", "rank_best", "rank_worst", "tied", "of"), pl.Int64())
)
"""rank is by the numbers as they are, rank_best to rank_worst what the texts allow; systems of one
`tied` cannot be told from the group's first: see tilt_ranks. `of`: how many are ranked."""
_COUNTED = pl.Schema({**SKILL, "n_dropped": pl.Int64()})
Reason = tuple[str, str, str, str]
REASONS = pl.Schema(dict.fromkeys(("system", "task", "gold", "reason"), pl.String()))


@dataclass(frozen=True, slots=True)
class SkillStudy:
    """What the gold scores say of each submission."""

    skill: pl.DataFrame
    """A row a submission, best first within its task: see SKILL. Null: no skill is known."""
    estimates: pl.DataFrame
    """The same numbers as rows of the `estimates` table."""
    reasons: pl.DataFrame
    """system, task, gold, reason: why a submission that has scores has no skill."""


def skill_study(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    submissions: pl.DataFrame,
    rank_by: str = "pearson",
    *,
    mode: str = "corrected",
) -> SkillStudy:
    """Correlate every submission's scores with the gold of its task, and rank them.

    `scores` is a `scores` table of labelled texts; `gold` has id, task, score and gold, the name it
    goes by; `submissions` has system and task, a row for each that is to stand in the result.
    """
    check_rank_by(rank_by)
    parts = [
        _of_task(
            rank_by,
            *(frame.filter(pl.col("task") == task) for frame in (submissions, scores, gold)),
        )
        for task in submissions["task"].unique(maintain_order=True)
    ]
    ranked = pl.concat([_ranked(part, rank_by) for part, _ in parts] or [_COUNTED.to_frame()])
    reasons = [row for _, rows in parts for row in rows]
    return SkillStudy(
        ranked.drop("n_dropped"),
        _estimates(ranked, mode),
        pl.DataFrame(reasons, REASONS, orient="row"),
    )


def check_rank_by(name: str) -> None:
    """Refuse to rank by what is not measured."""
    if name not in RANKED_BY:
        raise TiltmeterError(f"rank_by is {name!r}; expected one of {', '.join(RANKED_BY)}")


def _of_task(
    rank_by: str, submissions: pl.DataFrame, scores: pl.DataFrame, gold: pl.DataFrame
) -> tuple[pl.DataFrame, list[Reason]]:
    """One task's skill, not yet ranked, and why some submissions have none."""
    keys = submissions.select("system", "task")
    if gold.is_empty():
        return keys, []
    values = answer_matrix(scores, gold, keys)
    truth, name = gold["score"].to_numpy(), gold["gold"][0]
    found = {"pearson": pearson(values, truth), "spearman": spearman(values, truth)}
    n = pl.Series(found["pearson"].n, dtype=pl.Int64)
    columns = {
        f"{measure}{end}": pl.Series(values).fill_nan(None)
        for measure, one in found.items()
        for end, values in (("", one.value), ("_low", one.low), ("_high", one.high))
    }
    ranges = range_columns(skill_ranges(values, truth, rank_by))
    counted = keys.with_columns(
        gold=pl.lit(name), n=n, n_dropped=gold.height - n, **columns, **ranges
    )
    return counted, list(_reasons(counted, values, gold.height))


def answer_matrix(
    scores: pl.DataFrame, gold: pl.DataFrame, keys: pl.DataFrame, column: str = "raw"
) -> correlation_Array:
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


def _ranked(skill: pl.DataFrame, rank_by: str) -> pl.DataFrame:
    """The submissions of a task, 1 for the best; ties share the better rank, unknown comes last."""
    absent = [name for name in _COUNTED if name not in skill.columns]
    whole = skill.with_columns(pl.lit(None).alias(name) for name in absent)
    whole = whole.select(pl.col(name).cast(kind) for name, kind in _COUNTED.items())
    rank = pl.col(rank_by).round(DIGITS).rank("min", descending=True).cast(pl.Int64)
    return whole.with_columns(pl.col("n", "n_dropped").fill_null(0), rank=rank).sort(
        "rank", nulls_last=True, maintain_order=True
    )


def _reasons(skill: pl.DataFrame, values: correlation_Array, total: int) -> Iterator[Reason]:
    """Why each submission that has scores but no correlation has none."""
    constant = is_constant(values)
    columns = ("system", "task", "gold", "n", "pearson")
    for nth, (system, task, gold, n, r) in enumerate(skill.select(columns).iter_rows()):
        if r is not None or not n:
            continue
        why = "the gold scores of the texts it has scores for are all the same"
        if n < FEWEST:
            why = f"it has scores for {n:,} of {total:,} gold texts; at least {FEWEST} are needed"
        elif constant[nth]:
            why = "its scores of the gold texts are all the same, so no correlation can be given"
        yield system, task, gold, why


def _estimates(skill: pl.DataFrame, mode: str) -> pl.DataFrame:
    """Both correlations as rows of the `estimates` table."""
    known = skill.filter(pl.col("gold").is_not_null())
    blocks = [
        known.select(
            "system",
            "task",
            corpus="gold",
            **dict.fromkeys(("edition", "axis", "contrast", "reference"), pl.lit("")),
            mode=pl.lit(mode),
            subset=pl.lit(GOLD),
            measure=pl.lit(name),
            value=name,
            unit=pl.lit("correlation"),
            low=f"{name}_low",
            high=f"{name}_high",
            **dict.fromkeys(("se", "statistic", "df", "p"), pl.lit(None, pl.Float64)),
            n="n",
            n_dropped="n_dropped",
        )
        for name in RANKED_BY
    ]
    return pl.concat(blocks).select(*ESTIMATES.columns)


# ---- how well systems agree with gold scores, over all texts and for each group of them
# Every number has a percentile bootstrap interval over the texts (Efron and Tibshirani 1993, §13).
# Groups are drawn again each by itself, so that their sizes stay; a difference is a group minus the
# other one, or minus all others together where there are more than two.

Array = NDArray[np.float64]
Numbers = Mapping[str, Array]
"""By measure: arrays with a row for each system."""

CORRELATION, SCALE = "correlation", "scale"
UNITS = {"pearson": CORRELATION, "spearman": CORRELATION, "mae": SCALE, "mean_error": SCALE}
"""The measures and their units. mae: mean |score − gold|; mean_error: mean score − gold."""
NO_SCALE = "its scale is not known, so scores and gold cannot be compared; say --scale LOW:HIGH"

AGREEMENT = pl.Schema(
    dict.fromkeys(("system", "task", "gold", "by", "group", "against", "measure"), pl.String())
    | dict.fromkeys(("value", "low", "high", "low_adjusted", "high_adjusted"), pl.Float64())
    | {"unit": pl.String()}
    | dict.fromkeys(("n", "n_against", "n_missing"), pl.Int64())
    | {"gold_sd": pl.Float64(), "reason": pl.String()}
)
"""Group is null for all texts together; against is null unless the row is a difference."""
Places = NDArray[np.int64]
Row = dict[str, Any]
OTHERS = "others"
"""What a group stands against where there are more than two."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled texts and what every system answered; NaN where it has no answer."""

    answers: Array
    """(systems, texts), as given."""
    scores: Array
    """(systems, texts), on 0 to 1; NaN throughout where the scale is not known."""
    gold: Array
    """(texts,)."""

    def at(self, texts: NDArray[np.int64]) -> Sample:
        """Some of the texts."""
        return Sample(self.answers[:, texts], self.scores[:, texts], self.gold[texts])

    @property
    def n(self) -> NDArray[np.int64]:
        """How many texts each system has an answer to."""
        found: NDArray[np.int64] = np.count_nonzero(~np.isnan(self.answers), axis=1)
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
class TextGroups:
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


@dataclass(frozen=True, slots=True)
class AgreementSide:
    """Some of the texts: every measure, as it is and in every resample."""

    sample: Sample
    value: Numbers
    draws: Numbers


def agreement_rows(part: TextGroups, how: Bootstrap, family: int) -> Iterator[Row]:
    """All texts together, then the groups, then their differences."""
    everything = [np.arange(len(part.sample.gold))]
    whole, _ = _sides(part.sample, everything, 0, how)
    yield from _number_rows(part, whole, how, None)
    differences = list[Row]()
    names, places = list(part.groups), list(part.groups.values())
    for nth in range(1 if len(names) == 2 else len(names)):
        own, others = _sides(part.sample, places, nth, how)
        yield from _number_rows(part, own, how, names[nth])
        if len(names) == 2:
            yield from _number_rows(part, others, how, names[1])
        if len(names) > 1:
            against = names[1] if len(names) == 2 else OTHERS
            differences += _difference_rows(part, (own, others), how, family, names[nth], against)
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
    part: TextGroups, side: AgreementSide, how: Bootstrap, group: str | None
) -> Iterator[Row]:
    """A row for each system and measure of some texts."""
    ends = {name: how.interval(side.draws[name]) for name in UNITS}
    n, sd, total = side.sample.n, side.sample.gold_sd, len(side.sample.gold)
    for row, (system, task) in enumerate(part.keys.rows()):
        about = {"system": system, "task": task, "gold": part.gold, "group": group}
        counted = {"n": int(n[row]), "n_missing": total - int(n[row]), "gold_sd": _known(sd[row])}
        for name, unit in UNITS.items():
            value, low, high = (one[row] for one in (side.value[name], *ends[name]))
            why = _no_interval(low)
            if np.isnan(value):
                why = side.sample.why_not(row, name, part.no_scale)
            number = _number(value, low, high)
            yield about | counted | {"measure": name, "unit": unit, "reason": why} | number


def _difference_rows(
    part: TextGroups,
    sides: tuple[AgreementSide, AgreementSide],
    how: Bootstrap,
    family: int,
    group: str,
    against: str,
) -> Iterator[Row]:
    """A row for each system and measure: how far the first texts stand from the second."""
    own, others = sides
    n, n_against = own.sample.n, others.sample.n
    for name, unit in UNITS.items():
        values = own.value[name] - others.value[name]
        draws = own.draws[name] - others.draws[name]
        ends, wider = how.interval(draws), how.adjusted(draws, family)
        for row, (system, task) in enumerate(part.keys.rows()):
            value, low, high = (one[row] for one in (values, *ends))
            why = _no_interval(low)
            if np.isnan(value):
                empty, whose = (own, group) if np.isnan(own.value[name][row]) else (others, against)
                why = f"{whose}: {empty.sample.why_not(row, name, part.no_scale)}"
            yield {
                "system": system, "task": task, "gold": part.gold, "group": group,
                "against": against, "measure": name, "unit": unit, "n": int(n[row]),
                "n_against": int(n_against[row]), "reason": why,
                **_number(value, low, high, *(one[row] for one in wider)),
            }  # fmt: skip


def _no_interval(low: float) -> str | None:
    if not np.isnan(low):
        return None
    return f"no interval: more than {100 * UNDEFINED:g} % of the resamples give no number"


def _number(value: float, *ends: float) -> Row:
    """The value and its intervals, null where there is none; no value, no interval."""
    names = ("low", "high", "low_adjusted", "high_adjusted")
    kept = [None if np.isnan(value) else _known(end) for end in ends]
    return {"value": _known(value), **dict(zip(names, kept, strict=False))}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class AgreementStudy:
    """What gold scores say of each submission."""

    table: pl.DataFrame
    """See AGREEMENT."""
    family: int
    """How many differences there are in each measure, or as many as were said."""
    ranks: pl.DataFrame
    """system, task, rank, rank_best, rank_worst, tied, of: by Pearson's r over all texts."""


def agreement_study(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    submissions: pl.DataFrame,
    how: Bootstrap | None = None,
    by: str | None = None,
) -> AgreementStudy:
    """Every measure for every submission, its groups and their differences.

    `scores` is a `scores` table of the gold texts; `gold` has id, task, score, gold (its name) and,
    with `by`, group; `submissions` has system and task, of tasks that there is gold for.
    """
    how = how or Bootstrap()
    parts = [
        _part(keys, scores.filter(pl.col("task") == task), gold.filter(pl.col("task") == task), by)
        for (task,), keys in submissions.group_by("task", maintain_order=True)
    ]
    family = how.family or max(sum(part.contrasts * part.keys.height for part in parts), 1)
    rows = [
        row | {"by": by if row["group"] is not None else None}
        for part in parts
        for row in agreement_rows(part, how, family)
    ]
    table = pl.from_dicts(rows, AGREEMENT) if rows else AGREEMENT.to_frame()
    ranks = [
        part.keys.with_columns(**range_columns(skill_ranges(part.sample.answers, part.sample.gold)))
        for part in parts
    ]
    return AgreementStudy(table, family, pl.concat(ranks) if ranks else pl.DataFrame())


def _part(
    keys: pl.DataFrame, scores: pl.DataFrame, gold: pl.DataFrame, by: str | None
) -> TextGroups:
    truth = gold["score"].to_numpy().astype(np.float64)
    answers, on_scale = (answer_matrix(scores, gold, keys, name) for name in ("raw", "score"))
    no_scale = NO_SCALE
    if truth.min() < 0 or truth.max() > 1:
        span = f"{truth.min():g} to {truth.max():g}".replace("-", "−")
        no_scale = f"the gold scores lie from {span}, not within 0 to 1"
        on_scale = np.full_like(on_scale, np.nan)
    named = gold["group"].drop_nulls().unique(maintain_order=True) if by else ()
    groups = {name: (gold["group"] == name).arg_true().to_numpy().astype(int) for name in named}
    return TextGroups(keys, Sample(answers, on_scale, truth), gold["gold"][0], no_scale, groups)
