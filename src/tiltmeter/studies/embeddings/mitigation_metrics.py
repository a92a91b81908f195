"""What vectors are good for before and after: analogies, likeness, clusters, probes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.correlation import spearman
from tiltmeter.studies.embeddings.classifier import Space
from tiltmeter.studies.embeddings.directions import (
    REACH,
    Array,
    Proportion,
    Row,
    Sides,
    leaning,
    probe,
    proportion_row,
    refused,
    row,
    unit,
    wilson,
)
from tiltmeter.studies.embeddings.mitigation_methods import Task

# ---- analogies: a is to b as c is to what? Answered by vectors alone


Question = tuple[str, tuple[str, str, str, str]]
"""A section and a, b, c, d: a is to b as c is to d."""
AnalogiesPlaces = NDArray[np.intp]

OVERALL = "overall"
CELLS = 2**22
"""Cosines held at a time."""


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
    rows = [_told(name, asked[sections == name], right[sections == name]) for name in named]
    return [*rows, _told(OVERALL, asked, right)] if len(named) > 1 else rows


def answers(rows: Array, asked: AnalogiesPlaces) -> AnalogiesPlaces:
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


def _told(section: str, asked: AnalogiesPlaces, right: NDArray[np.bool_]) -> Row:
    if not len(right):
        return refused("analogies", section, "no question has all four words in the embedding", 0)
    value = float(right.mean())
    return row("analogies", section, value, *wilson(value, worth(asked, right)), len(right))


def worth(asked: AnalogiesPlaces, right: NDArray[np.bool_]) -> float:
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


# ---- is a removal cosmetic? Words that leaned are clustered without being told how they leaned
# Gonen & Goldberg (2019): after projection, the words that leaned most to either side still fall
# into two clusters that are the two sides. What was taken out of the vectors could be read from
# the rest. Clusters may follow something else that is stronger, such as sentiment: sides that no
# cluster shows may still be there, so the test stands beside a probe that is told the sides.

MOST, CLUSTERS_FEWEST = 500, 10
"""Words of each side: as many as in the paper, and the fewest that tell anything."""
STARTS, STEPS = 10, 100


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
    if many < CLUSTERS_FEWEST:
        found = f"{len(held)} words that should not lean are in the embedding"
        return Leaners(reason=f"{found}; expected at least {4 * CLUSTERS_FEWEST}")
    order = np.argsort(-leaning(space, held, direction), kind="stable")
    return Leaners(tuple(held[place] for place in [*order[:many], *order[-many:]]))


def cluster_alignment(rows: Array, side: Sides, rng: np.random.Generator) -> Proportion:
    """The share of rows whose cluster, of two, is their side: max(a, 1 − a), rows at length 1."""
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

    Centres start as in k-means++ (Arthur & Vassilvitskii 2007).

    >>> two_means(np.array([[0.0], [0.1], [5.0], [5.1]]), np.random.default_rng(1)).tolist()
    [False, False, True, True]
    """
    found = [_settled(rows, _start(rows, rng)) for _ in range(starts)]
    _, best = min(found, key=lambda one: one[0])
    named: Sides = best ^ best[0]
    return named


def _start(rows: Array, rng: np.random.Generator) -> Array:
    """One row by chance, another with a chance that grows with its squared distance."""
    one = rows[rng.integers(len(rows))]
    far = ((rows - one) ** 2).sum(axis=1)
    other = rng.choice(len(rows), p=far / far.sum()) if far.sum() > 0 else 0
    return np.stack([one, rows[other]])


def _settled(rows: Array, centres: Array) -> tuple[float, Sides]:
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


# ---- what vectors are good for, before and after: likeness as people judge it, and neighbours


QualityPlaces = NDArray[np.int64]

QUALITY_FEWEST = 10
"""Pairs below which a correlation says nothing."""
NEIGHBOURS, SAMPLE = 10, 500
KEPT = f"{NEIGHBOURS} nearest words"


def similarity(space: Space, what: str, pairs: Sequence[tuple[str, str, float]]) -> Row:
    """Spearman's ρ between the cosines of word pairs and the scores people gave them.

    The interval is Bonett & Wright's (2000); pairs with a word that is not in hand are left out.
    """
    held = [pair for pair in pairs if len(space.held(pair[:2])) == 2]
    if len(held) < QUALITY_FEWEST:
        found = f"{len(held)} of {len(pairs)} scored pairs are in the embedding"
        return refused(
            "similarity", what, f"{found}; expected at least {QUALITY_FEWEST}", len(held)
        )
    first = unit(space.rows([word for word, _, _ in held]))
    second = unit(space.rows([word for _, word, _ in held]))
    scores = np.array([score for _, _, score in held])
    told = spearman((first * second).sum(axis=1)[None, :], scores)
    value, low, high = (float(x[0]) for x in (told.value, told.low, told.high))
    if np.isnan(value):
        return refused("similarity", what, "all cosines or all scores are the same", len(held))
    return row("similarity", what, value, low, high, len(held))


def neighbour_sample(space: Space, rng: np.random.Generator) -> QualityPlaces:
    """The rows of the words whose neighbours are compared, 500 at most."""
    many = min(SAMPLE, len(space.words))
    return np.sort(rng.choice(len(space.words), many, replace=False))


def nearest(space: Space, places: QualityPlaces) -> QualityPlaces:
    """The 10 nearest words to each of some, by cosine, among the words in hand and no others."""
    rows = unit(space.vectors).astype(np.float32)
    cosines = rows[places] @ rows.T
    cosines[np.arange(len(places)), places] = -np.inf
    most = min(NEIGHBOURS, len(rows) - 1)
    near: QualityPlaces = np.argpartition(-cosines, max(most - 1, 0), axis=1)[:, :most]
    return near


def neighbours(before: QualityPlaces, after: QualityPlaces) -> Row:
    """The mean share of the 10 nearest words that stay the same; 1 where nothing moved."""
    if before.shape[1] < NEIGHBOURS:
        reason = f"the embedding holds {len(before)} of the words asked for; expected at least 11"
        return refused("neighbours", KEPT, reason, len(before))
    shared = (before[:, :, None] == after[:, None, :]).any(axis=2).mean(axis=1)
    value, n = float(shared.mean()), len(shared)
    reach = REACH * float(shared.std(ddof=1)) / np.sqrt(n)
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    return row("neighbours", KEPT, value, low, high, n)


# ---- what is measured of a space before it is moved and after, in the same way each time


Measured = Callable[[Space], Iterable[Row]]
ScoredPairs = tuple[str, Sequence[tuple[str, str, float]]]
"""A name, and word pairs with the scores people gave them."""

LEANING = "words that leaned most"
"""What is clustered and probed."""


@dataclass(frozen=True, eq=False)
class Ruler:
    """Every measure, the same for each space: the same sample, the same words that leaned."""

    task: Task
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
    def sample(self) -> tuple[QualityPlaces, QualityPlaces]:
        """Words whose neighbours are compared, and their neighbours before."""
        places = neighbour_sample(self.task.space, self._rng(2))
        return places, nearest(self.task.space, places)

    def rows(self, space: Space) -> list[Row]:
        """All numbers of one space."""
        likeness = [] if self.similarities is None else [similarity(space, *self.similarities)]
        return [
            *self.measured(space),
            *likeness,
            *analogy_rows(space, self.analogies),
            *self._neighbours(space),
            *self._cosmetic(space),
        ]

    def _neighbours(self, space: Space) -> list[Row]:
        places, before = self.sample
        return [neighbours(before, nearest(space, places))]

    def _cosmetic(self, space: Space) -> list[Row]:
        """Whether the sides can be found again in what is left."""
        words, side, reason = self.leaners.words, self.leaners.side, self.leaners.reason
        if reason is not None:
            return [refused(measure, LEANING, reason) for measure in ("cluster", "probe")]
        rows = unit(space.rows(words))
        return [
            proportion_row("cluster", LEANING, cluster_alignment(rows, side, self._rng(3))),
            proportion_row("probe", LEANING, probe(rows, side, self._rng(4))),
        ]

    def _rng(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.task.seed, stream])
