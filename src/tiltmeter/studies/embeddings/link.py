"""How much of a system's tilt between names was already in the vectors it may be built on.

For each name: the log-odds that a classifier on the vectors alone gives it of being negative, and
how far the system's scores of sentences with it stand from the others'. Both about the average of
those who stand against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.audit_run import AuditedSystem
from tiltmeter.corpora import Corpus
from tiltmeter.scoring.open_systems import Specs, open_systems
from tiltmeter.scoring.provenance import audited_system
from tiltmeter.scoring.scoring_run import ScoringOptions, score_subjects
from tiltmeter.stats.bootstrap import (
    pearson_draws,
    percentile_interval,
    resample_counts,
    spearman_draws,
)
from tiltmeter.stats.correlation import pearson, spearman
from tiltmeter.studies.embeddings.rnsb import RnsbStudy
from tiltmeter.studies.embeddings.space import Array, Space
from tiltmeter.studies.paired.pairs import People, people_study

FEWEST = 6
"""Names below which a correlation says nothing."""
DUST = 1e-12
"""What rounding leaves of nothing."""
IN_GROUP = 3
"""Names of a group below which nothing is said of it."""
RESAMPLES, SHUFFLES, LEVEL = 2_000, 10_000, 0.05
LINKS = {
    **dict.fromkeys(("embedding", "system", "task", "corpus"), pl.String),
    "n": pl.Int64,
    **dict.fromkeys(
        ("pearson", "low", "high", "p", "spearman", "spearman_low", "spearman_high", "slope"),
        pl.Float64,
    ),
    "reason": pl.String,
}
LINK_NAMES = {
    **dict.fromkeys(("embedding", "system", "task", "person", "group"), pl.String),
    "log_odds": pl.Float64, "deviation": pl.Float64, "n": pl.Int64,
}  # fmt: skip
LINK_GAPS = {
    **dict.fromkeys(("embedding", "system", "task", "axis", "first", "second"), pl.String),
    **dict.fromkeys(("gap", "carried", "low", "high", "share"), pl.Float64),
}


@dataclass(frozen=True, slots=True, eq=False)
class LinkStudy:
    """What links vectors and systems: overall, by name, and between groups."""

    links: pl.DataFrame
    names: pl.DataFrame
    gaps: pl.DataFrame


def link_study(
    embedding: str,
    log_odds: Mapping[str, float],
    people: People,
    corpus: str,
    axes: Sequence[str],
    seed: int = 0,
) -> LinkStudy:
    """Hold each person's log-odds against each submission's deviation for them."""
    links, by_name, gaps = [], [], []
    for row, (system, task) in enumerate(people.submissions.select("system", "task").iter_rows()):
        names = _Names.of(people, row, log_odds)
        key, n = (embedding, system, task), len(names.x)
        by_name += [(*key, *one) for one in names.rows(axes)]
        obstacle = None
        if n < FEWEST:
            obstacle = f"{n} names have both a vector and scores; at least {FEWEST} are needed"
        elif np.ptp(names.y) == 0:
            obstacle = "the system scores all names alike: there is no tilt to explain"
        elif np.ptp(names.x) == 0:
            obstacle = "the vectors give all names the same sentiment"
        numbers = (None,) * 8 if obstacle else _correlations(names, seed)
        links.append((*key, corpus, n, *numbers, obstacle))
        if obstacle is None:
            gaps += [(*key, axis, *gap) for axis in axes for gap in _gaps(names, axis, seed)]
    return LinkStudy(
        pl.DataFrame(links, LINKS, orient="row"),
        pl.DataFrame(by_name, LINK_NAMES, orient="row"),
        pl.DataFrame(gaps, LINK_GAPS, orient="row"),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    """The persons who have both numbers."""

    people: pl.DataFrame
    x: Array
    """Log-odds, about the average of those in the same match."""
    y: Array
    """Deviations."""
    odds: Array

    @classmethod
    def of(cls, people: People, row: int, log_odds: Mapping[str, float]) -> _Names:
        odds = [log_odds.get(person) for person in people.people["person"]]
        known = people.people.with_columns(
            deviation=pl.Series(people.deviations[row]).fill_nan(None),
            odds=pl.Series(odds, dtype=pl.Float64),
        ).drop_nulls(["deviation", "odds"])
        several = known.filter(pl.len().over("match") > 1)
        centred = several.select(pl.col("odds") - pl.col("odds").mean().over("match")).to_series()
        numbers = (column.to_numpy() for column in (centred, several["deviation"], several["odds"]))
        return cls(several, *numbers)

    def rows(self, axes: Sequence[str]) -> list[tuple[object, ...]]:
        groups = self.people.select(
            pl.concat_str([pl.col(axis) for axis in axes], separator=" ", ignore_nulls=True)
        ).to_series()
        return list(
            zip(self.people["person"], groups, self.odds, self.y, self.people["n"], strict=True)
        )


def _correlations(names: _Names, seed: int) -> tuple[float | None, ...]:
    """Both correlations with intervals over names, p, and the slope."""
    r, rho = (float(measure(names.x[None], names.y).value[0]) for measure in (pearson, spearman))
    counts = np.hstack([one for [one] in resample_counts([len(names.x)], RESAMPLES, seed)])
    ends = []
    for draws_of in (pearson_draws, spearman_draws):
        low, high = percentile_interval(draws_of(names.x[None], names.y, counts), LEVEL)
        ends.append((_known(low[0]), _known(high[0])))
    slope = float(names.x @ names.y / (names.x @ names.x))
    # two-sided p: how often names dealt out anew to vectors correlate as much
    x, y = names.x - names.x.mean(), names.y - names.y.mean()
    dealt = np.random.default_rng([seed, 6]).permuted(np.tile(y, (SHUFFLES, 1)), axis=1)
    size = np.sqrt((x @ x) * (y @ y))
    more = int(np.count_nonzero(np.abs(dealt @ x) / size >= abs(r) - 1e-12))
    return (r, *ends[0], (1 + more) / (1 + SHUFFLES), rho, *ends[1], slope)


def _gaps(names: _Names, axis: str, seed: int) -> list[tuple[object, ...]]:
    """Each two groups: how far the system sets them apart, and the part that goes with vectors.

    carried = slope within groups · the vectors' gap: what names of the same group differ by for a
    unit of log-odds, times how far the groups' log-odds stand apart. Names are drawn again within
    groups for its interval.
    """
    where = names.people[axis].to_numpy()
    groups = [group for group in dict.fromkeys(where.tolist()) if group is not None]
    rows: list[tuple[object, ...]] = []
    for first, second in combinations(groups, 2):
        sides = [np.flatnonzero(where == group) for group in (first, second)]
        if min(map(len, sides)) < IN_GROUP:
            continue
        gap = float(names.y[sides[0]].mean() - names.y[sides[1]].mean())
        carried = _carried(names, [side[None] for side in sides])[0]
        rng = np.random.default_rng([seed, 7])
        drawn = [rng.choice(side, (RESAMPLES, len(side))) for side in sides]
        low, high = percentile_interval(_carried(names, drawn)[None], LEVEL)
        share = carried / gap if gap and not np.isnan(carried) else None
        ends = _known(carried), _known(low[0]), _known(high[0])
        rows.append((first, second, gap, *ends, share))
    return rows


def _carried(names: _Names, sides: Sequence[NDArray[np.int64]]) -> Array:
    """Of each draw of names, (draws,); NaN where a draw's names do not differ within groups."""
    at = [(names.x[side], names.y[side]) for side in sides]
    within = [(x - x.mean(axis=1, keepdims=True), y) for x, y in at]
    spread = sum(np.einsum("dn,dn->d", x, x) for x, _ in within)
    along = sum(np.einsum("dn,dn->d", x, y) for x, y in within)
    slope = along / np.where(spread > 0, spread, np.nan)
    carried: Array = slope * (at[0][0].mean(axis=1) - at[1][0].mean(axis=1))
    return np.where(np.abs(carried) > DUST, carried, np.where(np.isnan(carried), np.nan, 0.0))


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """How far each system's scores of each person's sentences stand from the others'."""

    corpus: Corpus
    people: People
    axes: tuple[str, ...]
    facts: Sequence[AuditedSystem] = field(default=())
    notes: tuple[str, ...] = ()


def names_in(corpus: Corpus) -> tuple[str, ...]:
    """The persons of a corpus who are called by one word and stand against several others.

    A phrase has no vector. Of a pair, such as he and she, the two deviations are one number.
    """
    persons = corpus.sentences().select("person", "match").unique(maintain_order=True)
    several = persons.filter(pl.len().over("match") > 2)
    return tuple(one for one in several["person"] if one and not one.split()[1:])


def deviations_of(
    systems: Specs, corpus: Corpus, tasks: Sequence[str], scoring: ScoringOptions
) -> Deviations:
    """Score a corpus with systems and see how each person's sentences fare."""
    with open_systems(systems, tasks, scoring.options) as subjects:
        run = score_subjects(subjects, corpus, scoring)
    axes = tuple(axis.name for axis in corpus.axes)
    notes = tuple(f"{one.card.name}: {note}" for one in run.scored for note in one.notes)
    return Deviations(
        corpus,
        people_study(run.sentences, run.matrix, axes),
        axes,
        [audited_system(run.corpus.name, scored) for scored in run.scored],
        notes,
    )


def link_embedding(study: RnsbStudy, space: Space, systems: Deviations, seed: int) -> LinkStudy:
    """Hold an embedding's names against every system's."""
    held = () if study.fit is None else space.held(names_in(systems.corpus))
    known = dict(zip(held, study.log_odds(space.rows(held)).tolist(), strict=True))
    return link_study(space.name, known, systems.people, systems.corpus.name, systems.axes, seed)
