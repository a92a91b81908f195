"""WEAT and SEAT: which of two sets of words lies closer to one attribute than to another.

WEAT, the word embedding association test of Caliskan, Bryson & Narayanan (2017): are the first
target words closer to the good attributes, and the second to the bad ones? Each target has an
association s(w, A, B) = mean cos(w, a) − mean cos(w, b); the effect size d is the difference
between the two sets' mean associations in standard deviations of all of them.

p is of the permutation test of that difference over all divisions of the targets into sets of the
sizes found, without replacement. It is two-sided in every mode: the direction is asked for, not
assumed. The paper's is one-sided; with sets of one size it is half of ours, where the effect points
the way that was expected. The statistic is the difference of means. It is the paper's difference of
sums where the sets have one size; where they do not, sums would differ under the null as well.

The interval is a percentile bootstrap: targets are drawn anew within X and within Y, attributes
within A and within B. So it covers the choice of words, had as many others been taken of the same
kinds: in simulations with 8 or 25 words a set it held the mean d of such choices in 97 to 99 %. It
does not cover the training of the vectors. Nor does it say what d more words would give: the fewer
the attributes, the more of their noise stands in d's denominator, and the smaller it is.

The two answer different questions. p takes the attributes as they are, the interval does not: where
p is small and the interval holds 0, the effect depends on which attributes were taken.

SEAT, the sentence encoder association test of May et al. (2019), is WEAT on words in sentences that
say little ("This is a doctor."). Published, every sentence is a unit, as in the paper. Corrected,
the unit is the word: sentences of one word are close to each other because of the word, so they are
no independent witnesses. To divide them at random as if they were counts every word several times,
and makes p too small.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import WordTest
from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.association import (
    DRAWS,
    Array,
    associations,
    cosines,
    effect_draws,
    effect_size,
    permuted,
    unit_rows,
)
from tiltmeter.stats.bootstrap import percentile_interval, resample_counts
from tiltmeter.stats.correlation import spearman
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.embeddings.space import Space

CORRECTED, PUBLISHED = "corrected", "published"
COVERAGE = 0.7
"""The share of each set's words that an embedding must hold."""
FEWEST = 2
"""Words a set needs: one has no spread."""
RESAMPLES = 1_000
LEVEL = 0.05
"""Intervals are of 95 %."""
SAME = "all target words are equally close to both sets of attributes"
SIDES = ("first", "second", "good", "bad")
"""The sets of a test: targets, then attributes."""
WEAT: dict[str, Any] = {
    **dict.fromkeys(("embedding", "test", "title", "kind", *SIDES), pl.String),
    **dict.fromkeys(("effect", "low", "high", "p"), pl.Float64),
    "exact": pl.Boolean,
    **dict.fromkeys(("permutations", *(f"n_{side}" for side in SIDES), "missing"), pl.Int64),
    "published": pl.Float64,
    "reason": pl.String,
    "missing_words": pl.List(pl.String),
}
ASSOCIATIONS = {
    **dict.fromkeys(("embedding", "test", "side", "word"), pl.String),
    "association": pl.Float64,
}
OTHERS = {
    **dict.fromkeys(("embedding", "test", "measure"), pl.String),
    "value": pl.Float64,
    "reason": pl.String,
}
Sentences = Mapping[str, tuple[str, ...]]
"""The texts that each word stands in."""


@dataclass(frozen=True, slots=True, eq=False)
class WeatStudy:
    """The tests of one embedding."""

    weat: pl.DataFrame
    """A row for each test; a reason and null numbers where words are too few."""
    associations: pl.DataFrame
    """A row for each target word that the embedding holds."""
    others: pl.DataFrame
    """Further measures of the same tests."""


def weat_study(
    space: Space,
    tests: Sequence[WordTest],
    sentences: Sentences | None = None,
    *,
    coverage: float = COVERAGE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    permutations: int = DRAWS,
    mode: str = CORRECTED,
) -> WeatStudy:
    """Every test on the words of a space or, where `sentences` has the texts of each word, SEAT.

    Then the space is one of texts. In published mode the words of the frames, and what they count,
    are sentences; WEAT is the same in both modes, as nothing was corrected. `coverage` is the share
    of a set's words that must be there; `resamples` of the words give the interval, 0 none;
    `permutations` are the divisions drawn where there are too many to try all.
    """
    least = {"resamples": (resamples, 0), "seed": (seed, 0), "permutations": (permutations, 1)}
    wrong = [
        f"{name} is {value!r}; expected a whole number of at least {fewest}"
        for name, (value, fewest) in least.items()
        if value < fewest
    ]
    if not 0 <= coverage <= 1:
        wrong.append(f"coverage is {coverage!r}; expected a share from 0 to 1")
    if mode not in (CORRECTED, PUBLISHED):
        wrong.append(f"mode is {mode!r}; expected {CORRECTED} or {PUBLISHED}")
    if wrong:
        raise TiltmeterError(f"word tests cannot be made: {'; '.join(wrong)}")
    if sentences is not None and mode == PUBLISHED:
        tests = [in_sentences(test, sentences) for test in tests]
    elif sentences is not None:
        space = mean_of_sentences(space, sentences)
    rows, words, others = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    with one_thread():
        for test in tests:
            held = held_words(space, test, coverage)
            names = {"embedding": space.name, "test": test.name}
            row = dict.fromkeys(WEAT) | names | {
                "title": test.title, "kind": "weat" if sentences is None else "seat",
                **{side: name for side, (name, _) in sets_of(test).items()},
                **{f"n_{side}": len(held.words[side]) for side in SIDES},
                "missing": len(held.missing), "published": test.published,
                "reason": held.reason, "missing_words": list(held.missing),
            }  # fmt: skip
            if held.reason:
                rows.append(row)
                others += [names | {"measure": name, "reason": held.reason} for name in MEASURES]
                continue
            rows.append(row | _numbers(held, resamples, seed, permutations))
            for side in SIDES[:2]:
                own = dict(zip(held.words[side], held.associations(side).tolist(), strict=True))
                words += [
                    names | {"side": side, "word": word, "association": own[word]}
                    for word in getattr(test, side)
                    if word in own
                ]
            for name, (measure, undefined) in MEASURES.items():
                value = measure(*(held.vectors[side] for side in SIDES))
                found = {"value": value} if np.isfinite(value) else {"reason": undefined}
                others.append(names | {"measure": name} | found)
    return WeatStudy(
        pl.DataFrame(rows, schema=WEAT, orient="row"),
        pl.DataFrame(words, schema=ASSOCIATIONS, orient="row"),
        pl.DataFrame(others, schema=OTHERS, orient="row"),
    )


def mean_of_sentences(space: Space, sentences: Sentences) -> Space:
    """Words by the mean of their sentences' directions, each sentence brought to length 1 first.

    A cosine asks for direction only, and so no sentence has more say because its vector is longer.
    A word of which a sentence is missing, or has no direction, is left out: the rest would be other
    sentences than those of the words it is compared with.

    >>> texts = Space("e", ("a cat", "cats"), np.array([[2.0, 0.0], [0.0, 1.0]]))
    >>> mean_of_sentences(texts, {"cat": ("a cat", "cats"), "dog": ("a dog", "dogs")}).vectors
    array([[0.5, 0.5]])
    """
    means = {
        word: mean
        for word, texts in sentences.items()
        if texts and len(space.held(texts)) == len(texts)
        and np.isfinite(mean := unit_rows(space.rows(texts)).mean(axis=0)).all()
    }  # fmt: skip
    vectors = np.array([*means.values()]).reshape(-1, space.dimension)
    return Space(space.name, tuple(means), vectors)


def in_sentences(test: WordTest, sentences: Sentences) -> WordTest:
    """A test whose words are sentences; a word without any stays, and is missing."""
    first, second, good, bad = (
        tuple(text for word in words for text in sentences.get(word) or (word,))
        for _, words in sets_of(test).values()
    )
    return replace(test, first=first, second=second, good=good, bad=bad)


def sets_of(test: WordTest) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The name and the words of each set; a word that stands twice is an error."""
    sets = {side: (getattr(test, f"{side}_name"), getattr(test, side)) for side in SIDES}
    twice = [
        f"{word!r} in {name}"
        for name, words in sets.values()
        for word, times in Counter(words).items()
        if times > 1
    ]
    for (one, these), (other, those) in combinations(sets.values(), 2):
        twice += [f"{word!r} in {one} and {other}" for word in these if word in set(those)]
    if twice:
        found = f"the word test {test.name!r} has words that stand twice: {', '.join(twice)}"
        raise TiltmeterError(f"{found}; expected each word once: delete it from one place")
    return sets


@dataclass(frozen=True, slots=True, eq=False)
class HeldWords:
    """What of a test's words a space holds, in alphabetical order: none of it depends on theirs."""

    test: WordTest
    words: Mapping[str, tuple[str, ...]]
    """The words of each side that have a direction."""
    vectors: Mapping[str, Array]
    """Their vectors, (words, dimension)."""
    missing: tuple[str, ...]
    """Words without a vector, or with one of length 0, in the order of the test."""
    reason: str | None
    """Why there is nothing to compute; None where there is."""

    def associations(self, side: str) -> Array:
        """s(w, A, B) of the words of a side."""
        return associations(self.vectors[side], self.vectors["good"], self.vectors["bad"])


def held_words(space: Space, test: WordTest, coverage: float) -> HeldWords:
    """The words of a test that a space has a direction for; a reason where they are too few."""
    sets, words, lacks = sets_of(test), {}, []
    for side, (named, asked) in sets.items():
        vectors = {word: space.vectors[space.places[word]] for word in space.held(asked)}
        held = [word for word, row in vectors.items() if np.isfinite(row).all() and row.any()]
        words[side] = tuple(sorted(held))
        found = f"{len(held)} of {len(asked)} words of {named!r} are in the embedding"
        if len(held) < FEWEST:
            lacks.append(f"{found} (a set needs {FEWEST})")
        elif len(held) / len(asked) < coverage:
            lacks.append(f"{found} (at least {100 * coverage:.4g} % are needed)")
    missing = tuple(
        word for side, (_, asked) in sets.items() for word in asked if word not in words[side]
    )
    rows = {side: space.rows(held) for side, held in words.items()}
    return HeldWords(test, words, rows, missing, "; ".join(lacks) or None)


def _numbers(held: HeldWords, resamples: int, seed: int, permutations: int) -> dict[str, Any]:
    """The effect, its interval and its p-value, or why there is none."""
    first, second = held.associations("first"), held.associations("second")
    effect = effect_size(first, second)
    if np.isnan(effect):
        return {"reason": SAME}
    key, sizes = held.test.name, [len(held.words[side]) for side in SIDES]
    chance = permuted(first, second, seed=seed, key=key, draws=permutations)
    targets = np.concatenate([held.vectors["first"], held.vectors["second"]])
    similar = cosines(targets, held.vectors["good"]), cosines(targets, held.vectors["bad"])
    own_seed = seed * 2**32 + zlib.crc32(key.encode(errors="replace"))
    draws = [
        effect_draws(similar, (sizes[0], sizes[1]), counts)
        for counts in resample_counts(sizes, resamples, own_seed)
    ]
    low = high = np.nan
    if draws:
        ends = percentile_interval(np.concatenate(draws)[None, :], LEVEL)
        low, high = (float(end[0]) for end in ends)
    return {
        "effect": effect,
        "low": None if np.isnan(low) else low,
        "high": None if np.isnan(high) else high,
        "p": chance.p,
        "exact": chance.exact,
        "permutations": chance.permutations,
    }


# Further measures of the same tests. Each was made for one set of attributes, a test here has two.
# ECT and MAC take both; RND and RIPA are the difference between good and bad, so that what draws
# the targets to any word at all cancels out. None has a p-value: they describe, beside WEAT.


def coherence(first: Array, second: Array, good: Array, bad: Array) -> float:
    """ECT, the embedding coherence test: ρ(cos(m₁, w), cos(m₂, w)) over the attribute words w.

    m₁ and m₂ are the mean vectors of the two sets of targets, ρ is Spearman's correlation (Dev &
    Phillips 2019). 1: both sets of targets put the attributes, good and bad together, in one order.
    NaN below 3 attributes, or where a mean has no direction.

    >>> axes = np.eye(3)
    >>> round(coherence(axes[:1], axes[:1] * 2, axes[:2], np.array([[1.0, 1.0, 0.0]])), 6)
    1.0
    """
    means = np.stack([first.mean(axis=0), second.mean(axis=0)])
    similar = cosines(means, np.concatenate([good, bad]))
    return float(spearman(similar[:1], similar[1]).value[0])


def relative_norm_distance(first: Array, second: Array, good: Array, bad: Array) -> float:
    """RND, the relative norm distance: mean of ‖w − m₁‖ − ‖w − m₂‖, over good less over bad words.

    All vectors are of length 1, m₁ and m₂ are the means of the targets' (Garg, Schiebinger,
    Jurafsky & Zou 2018, who sum over one set of words; the mean does not grow with it). Below 0:
    the first targets stand closer to the good words, a distance being small where WEAT is large.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])
    >>> round(relative_norm_distance(right, up, right, up), 6)  # (0 − √2) − (√2 − 0)
    -2.828427
    """
    ends = [unit_rows(side).mean(axis=0) for side in (first, second)]
    further = [
        np.linalg.norm(unit_rows(words) - ends[0], axis=1).mean()
        - np.linalg.norm(unit_rows(words) - ends[1], axis=1).mean()
        for words in (good, bad)
    ]
    return float(further[0] - further[1])


def inner_product(first: Array, second: Array, good: Array, bad: Array) -> float:
    """RIPA, the relational inner product association: mean ⟨w, b⟩, over good less over bad words.

    b = (x − y)/‖x − y‖ for a pair of words (Ethayarajh, Duvenaud & Hirst 2019). Sets of words have
    no pairs, so b is the mean over every first x with every second y; WEFE pairs words by their
    place, which is the same for one word a side. Above 0: the first targets are closer to good.
    Lengths of vectors count, as the authors mean them to, so that embeddings do not compare by it.
    NaN where a first and a second target have the same vector.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> round(inner_product(right, up, right, up), 6)  # 1/√2 − (−1/√2)
    1.414214
    """
    relation = unit_rows((first[:, None, :] - second[None, :, :]).reshape(-1, first.shape[1]))
    return float((good.mean(axis=0) - bad.mean(axis=0)) @ relation.mean(axis=0))


def mean_average_cosine(first: Array, second: Array, good: Array, bad: Array) -> float:
    """MAC, the mean average cosine distance: mean of 1 − cos(t, a), within good and bad, then both.

    Over all targets t (Manzini, Lim, Tsvetkov & Black 2019). It has no direction: 1 is no
    association, and a test's targets may have a strong one each way at 1.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> mean_average_cosine(right, right, right, up)  # (0 + 1) / 2
    0.5
    """
    targets = np.concatenate([first, second])
    return float(np.mean([1 - cosines(targets, words).mean() for words in (good, bad)]))


MEASURES: Mapping[str, tuple[Callable[[Array, Array, Array, Array], float], str]] = {
    "ect": (
        coherence,
        "the mean of a set of targets is close to no attribute word, or to all alike",
    ),
    "rnd": (relative_norm_distance, "the distances are no numbers"),
    "ripa": (inner_product, "a first and a second target word have the same vector"),
    "mac": (mean_average_cosine, "the cosines are no numbers"),
}
"""By name: what it is, and why it may be undefined."""
