"""What is measured of vectors before and after: analogies, likeness, clusters, probes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.stats.correlation import spearman
from tiltmeter.studies.embeddings.mitigation_methods import (
    REACH,
    MitigationTask,
    Proportion,
    Sides,
    probe,
    wilson,
)
from tiltmeter.studies.embeddings.space import Array, Space, leaning, unit

Places = NDArray[np.intp]
"""Rows of a space."""
Row = Mapping[str, Any]
"""measure, what, value, low, high, n, reason."""
Measured = Callable[[Space], Iterable[Row]]
ScoredPairs = tuple[str, Sequence[tuple[str, str, float]]]
"""A name, and word pairs with the scores people gave them."""
Question = tuple[str, tuple[str, str, str, str]]
"""A section and a, b, c, d: a is to b as c is to d."""
OVERALL = "overall"
CELLS = 2**22
"""Cosines held at a time."""
MOST, FEWEST_LEANERS = 500, 10
"""Words of each side: as many as in the paper, and the fewest that say anything."""
STARTS, STEPS = 10, 100
FEWEST_PAIRS = 10
"""Scored pairs below which a correlation says nothing."""
NEIGHBOURS, SAMPLE = 10, 500
KEPT = f"{NEIGHBOURS} nearest words"
LEANING = "words that leaned most"
"""What is clustered and probed."""
MITIGATION = pl.Schema(
    {
        **dict.fromkeys(("embedding", "direction", "method", "measure", "what"), pl.String),
        **dict.fromkeys(("value", "low", "high"), pl.Float64),
        "n": pl.Int64,
        "reason": pl.String,
    }
)


def row(
    measure: str, what: str, value: float, low: float | None, high: float | None, n: int
) -> Row:
    """A number and how sure it is."""
    return {
        **{"measure": measure, "what": what, "value": value, "low": low, "high": high, "n": n},
        "reason": None,
    }


def refused(measure: str, what: str, reason: str, n: int | None = None) -> Row:
    """No number, and why."""
    return {
        **{"measure": measure, "what": what, "value": None, "low": None, "high": None, "n": n},
        "reason": reason,
    }


def analogy_rows(space: Space, questions: Sequence[Question]) -> list[Row]:
    """The share of questions answered right, by section and overall.

    The answer is the word in hand with the highest cosine to b − a + c, other than a, b and c
    (3CosAdd, Mikolov et al. 2013), vectors at length 1. Only words that were read are candidates,
    so shares are higher than among a whole vocabulary: compare them before and after, not with
    other people's. Questions with a word that is not in hand are left out.
    """
    if not questions:
        return []
    held = [question for question in questions if len(space.held(question[1])) == 4]
    asked = np.array([[space.places[word] for word in words] for _, words in held], np.intp)
    asked = asked.reshape(-1, 4)
    right = answers(unit(space.vectors), asked[:, :3]) == asked[:, 3]
    sections = np.array([section for section, _ in held], dtype=object)
    named = dict.fromkeys(section for section, _ in questions)
    of = {name: sections == name for name in named}
    if len(named) > 1:
        of[OVERALL] = np.ones(len(held), np.bool_)
    rows = []
    for section, own in of.items():
        if not own.any():
            reason = "no question has all four words in the embedding"
            rows.append(refused("analogies", section, reason, 0))
            continue
        value = float(right[own].mean())
        ends = wilson(value, worth(asked[own], right[own]))
        rows.append(row("analogies", section, value, *ends, int(own.sum())))
    return rows


def answers(rows: Array, asked: Places) -> Places:
    """The row nearest to b − a + c for each question (a, b, c); rows have length 1."""
    light = rows.astype(np.float32)
    at_once = max(1, CELLS // max(1, len(rows)))
    found = np.empty(len(asked), np.intp)
    for begun in range(0, len(asked), at_once):
        part = asked[begun : begun + at_once]
        a, b, c = part.T
        cosines = (light[b] - light[a] + light[c]) @ light.T
        np.put_along_axis(cosines, part, -np.inf, axis=1)
        found[begun : begun + at_once] = cosines.argmax(axis=1)
    return found


def worth(asked: Places, right: NDArray[np.bool_]) -> float:
    """How many independent questions these are worth: p(1 − p) over the variance of p.

    Twenty pairs make 380 questions, each of two pairs. The variance allows for questions that share
    a pair (dyadic clusters, Fafchamps & Gubert 2007): (Σ S² over pairs − Σ S² over twos of pairs) /
    n², S the sum of what answers are above p. Where all or no answers are right, pairs are counted.
    """
    _, pairs = np.unique(asked.reshape(-1, 2), axis=0, return_inverse=True)
    twos = np.sort(pairs.reshape(-1, 2), axis=1)
    _, two = np.unique(twos, axis=0, return_inverse=True)
    n, many, p = len(right), int(twos.max()) + 1, float(right.mean())
    above = right - p
    by_two, own = np.bincount(two.ravel(), above), twos[:, 0] == twos[:, 1]
    by_pair = np.bincount(twos[:, 0], above, many)
    by_pair += np.bincount(twos[:, 1], np.where(own, 0.0, above), many)
    shared = float((by_pair**2).sum() - (by_two**2).sum()) * many / max(many - 1, 1)
    return min(float(n), p * (1 - p) * n**2 / shared) if shared > 0 else float(min(many, n))


@dataclass(frozen=True, slots=True, eq=False)
class Leaners:
    """The words that leaned most before anything moved: those to the first side come first."""

    words: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def side(self) -> Sides:
        """True for the words that leaned to the first side."""
        return np.arange(len(self.words)) < len(self.words) // 2


def leaners(space: Space, candidates: Sequence[str], direction: Array) -> Leaners:
    """The candidates in hand that lean most to each side, a quarter of them or 500 at most.

    Sides are relative to the other candidates: where all lean one way, some still lean more.
    """
    held = space.held(dict.fromkeys(candidates))
    many = min(MOST, len(held) // 4)
    if many < FEWEST_LEANERS:
        found = f"{len(held)} words that should not lean are in the embedding"
        return Leaners(reason=f"{found}; expected at least {4 * FEWEST_LEANERS}")
    order = np.argsort(-coarsen(leaning(space, held, direction)), kind="stable")
    return Leaners(tuple(held[place] for place in [*order[:many], *order[-many:]]))


def cluster_alignment(rows: Array, side: Sides, rng: np.random.Generator) -> Proportion:
    """The share of rows whose cluster, of two, is their side: max(a, 1 − a), rows at length 1.

    Gonen & Goldberg (2019): after projection, the words that leaned most to either side still fall
    into two clusters that are the two sides. What was taken out of the vectors could be read from
    the rest. Clusters may follow something else that is stronger, such as sentiment: sides that no
    cluster shows may still be there, so the test stands beside a probe that knows the sides.
    """
    agree = float((two_means(unit(rows), rng) == side).mean())
    value = max(agree, 1 - agree)
    return Proportion(value, *wilson(value, len(side)), len(side))


def aligned_by_chance(n: int) -> Proportion:
    """max(a, 1 − a) of n words put into two clusters by a coin: its mean, 2.5 and 97.5 %.

    >>> round(aligned_by_chance(2).value, 9)  # a is 0, ½, ½ or 1
    0.75
    """
    from scipy.stats import binom

    hits = np.arange(n + 1)
    larger, weight = np.maximum(hits, n - hits) / n, binom.pmf(hits, n, 0.5)
    order = np.argsort(larger, kind="stable")
    total = np.cumsum(weight[order])
    low, high = (float(larger[order][np.searchsorted(total, p)]) for p in (0.025, 0.975))
    return Proportion(float(larger @ weight), low, high, n)


def two_means(rows: Array, rng: np.random.Generator, starts: int = STARTS) -> Sides:
    """Which of two clusters each row is in: k-means with k = 2, the best of several starts.

    Centres start as in k-means++ (Arthur & Vassilvitskii 2007): one row by chance, another with a
    chance that grows with its squared distance.

    >>> two_means(np.array([[0.0], [0.1], [5.0], [5.1]]), np.random.default_rng(1)).tolist()
    [False, False, True, True]
    """
    found = []
    for _ in range(starts):
        one = rows[rng.integers(len(rows))]
        far = ((rows - one) ** 2).sum(axis=1)
        other = rng.choice(len(rows), p=far / far.sum()) if far.sum() > 0 else 0
        found.append(_clusters(rows, np.stack([one, rows[other]])))
    _, best = min(found, key=lambda one: coarsen(one[0]))
    named: Sides = best ^ best[0]
    return named


def _clusters(rows: Array, centres: Array) -> tuple[float, Sides]:
    """The squared distances left and the clusters, once no row changes sides."""
    member: NDArray[np.bool_] = np.zeros(len(rows), np.bool_)
    for step in range(STEPS):
        second = rows @ (centres[1] - centres[0]) > (centres[1] ** 2 - centres[0] ** 2).sum() / 2
        if step and (second == member).all():
            break
        member = second
        if member.all() or not member.any():  # all rows are alike
            break
        centres = np.stack([rows[~member].mean(axis=0), rows[member].mean(axis=0)])
    return float(((rows - centres[member.astype(np.intp)]) ** 2).sum()), member


def similarity(space: Space, what: str, pairs: Sequence[tuple[str, str, float]]) -> Row:
    """Spearman's ρ between the cosines of word pairs and the scores people gave them.

    The interval is Bonett & Wright's (2000); pairs with a word that is not in hand are left out.
    """
    held = [pair for pair in pairs if len(space.held(pair[:2])) == 2]
    if len(held) < FEWEST_PAIRS:
        many = f"{len(held)} of {len(pairs)} scored pairs are in the embedding"
        return refused("similarity", what, f"{many}; expected at least {FEWEST_PAIRS}", len(held))
    first = unit(space.rows([word for word, _, _ in held]))
    second = unit(space.rows([word for _, word, _ in held]))
    scores = np.array([score for _, _, score in held])
    found = spearman((first * second).sum(axis=1)[None, :], scores)
    value, low, high = (float(x[0]) for x in (found.value, found.low, found.high))
    if np.isnan(value):
        return refused("similarity", what, "all cosines or all scores are the same", len(held))
    return row("similarity", what, value, low, high, len(held))


def neighbour_sample(space: Space, rng: np.random.Generator) -> Places:
    """The rows of the words whose neighbours are compared, 500 at most."""
    many = min(SAMPLE, len(space.words))
    return np.sort(rng.choice(len(space.words), many, replace=False))


def nearest(space: Space, places: Places) -> Places:
    """The 10 nearest words to each of some, by cosine, among the words in hand and no others."""
    rows = unit(space.vectors).astype(np.float32)
    cosines = rows[places] @ rows.T
    cosines[np.arange(len(places)), places] = -np.inf
    most = min(NEIGHBOURS, len(rows) - 1)
    near: Places = np.argpartition(-cosines, max(most - 1, 0), axis=1)[:, :most]
    return near


def neighbours(before: Places, after: Places) -> Row:
    """The mean share of the 10 nearest words that stay the same; 1 where nothing moved."""
    if before.shape[1] < NEIGHBOURS:
        reason = f"the embedding holds {len(before)} of the words asked for; expected at least 11"
        return refused("neighbours", KEPT, reason, len(before))
    shared = (before[:, :, None] == after[:, None, :]).any(axis=2).mean(axis=1)
    value, n = float(shared.mean()), len(shared)
    reach = REACH * float(shared.std(ddof=1)) / np.sqrt(n)
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    return row("neighbours", KEPT, value, low, high, n)


@dataclass(frozen=True, eq=False)
class Metrics:
    """Every measure, the same for each space: the same sample, the same words that leaned."""

    task: MitigationTask
    measured: Measured
    similarities: ScoredPairs | None
    analogies: tuple[Question, ...]

    @cached_property
    def leaners(self) -> Leaners:
        """Chosen before anything moves."""
        direction = self.task.direction
        if direction.vector is None:
            return Leaners(reason=direction.reason)
        return leaners(self.task.space, self.task.neutral, direction.vector)

    @cached_property
    def sample(self) -> tuple[Places, Places]:
        """Words whose neighbours are compared, and their neighbours before."""
        places = neighbour_sample(self.task.space, self._rng(2))
        return places, nearest(self.task.space, places)

    def rows(self, space: Space) -> list[Row]:
        """All numbers of one space; last, whether the sides can be found again in what is left."""
        rows = [*self.measured(space)]
        if self.similarities is not None:
            rows.append(similarity(space, *self.similarities))
        rows += analogy_rows(space, self.analogies)
        places, before = self.sample
        rows.append(neighbours(before, nearest(space, places)))
        words, side, reason = self.leaners.words, self.leaners.side, self.leaners.reason
        if reason is not None:
            return rows + [refused(measure, LEANING, reason) for measure in ("cluster", "probe")]
        vectors = unit(space.rows(words))
        for measure, found in (
            ("cluster", cluster_alignment(vectors, side, self._rng(3))),
            ("probe", probe(vectors, side, self._rng(4))),
        ):
            rows.append(row(measure, LEANING, found.value, found.low, found.high, found.n))
        return rows

    def _rng(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.task.seed, stream])
