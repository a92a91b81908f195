"""How often an interval of RNSB holds the truth, and how often ordinary words are called uneven.

A space is planted: positive and negative words about two centres, terms anywhere. The truth is the
RNSB of a classifier fitted to forty times as many words, with the same ridge for each. Lexicons are
drawn anew; each gives an RNSB and three intervals from its resamples: value ± 1.96 standard
deviations (ours), the resamples' middle 95 %, and these turned about the value. Classes are
balanced in every fit. Two spaces with the same terms, whose lexicons are drawn from the same
clouds, have one truth: how often would one of four lists decide between them? A last table plants
one space and draws lexicons with 0.5 to 4 negative words for a positive one: the mean RNSB of
balanced classes, and of words that all weigh the same.

    python benchmarks/simulate_rnsb.py [lexicons for each space]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.logistic import Fits, balanced_weights, fit_ridge, fit_weightings, sigmoid
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.embeddings.choice import MARGIN
from tiltmeter.studies.embeddings.rnsb import (
    by_chance,
    drawn_weights,
    interval,
    joint_reach,
    rnsb,
)

Array = NDArray[np.float64]

TIMES, RESAMPLES = 40, 150
INTERVALS = ("± 1.96 sd", "percentiles", "turned")


@dataclass(frozen=True)
class Planted:
    """A space to draw lexicons from."""

    dimension: int
    positive: int
    negative: int
    apart: float
    spread: float
    """Of the terms."""
    ridge: float
    seed: int


SPACES = tuple(
    Planted(*shape, seed)
    for shape in (
        (20, 600, 1200, 1.5, 1.3, 0.05),
        (50, 600, 1200, 1.2, 2.0, 0.1),
        (50, 600, 1200, 1.2, 0.2, 0.1),
        (100, 650, 1400, 1.6, 1.0, 0.25),
    )
    for seed in (0, 1)
)


def main(lexicons: int = 60) -> None:
    """Print the coverage of each interval, space by space, and the level of p."""
    print(f"{'space':>34} {'RNSB':>7} " + " ".join(f"{name:>12}" for name in INTERVALS))
    every = []
    for planted in SPACES:
        with one_thread():
            truth, held = covered(planted, lexicons)
        every.append(held)
        shape = f"{planted.dimension} d, {planted.positive + planted.negative:,} words"
        named = f"{shape}, terms {planted.spread:g}"
        print(f"{named:>34} {truth:7.4f} " + " ".join(f"{share:12.0%}" for share in held))
    print(f"{'mean':>34} {'':7} " + " ".join(f"{share:12.0%}" for share in np.mean(every, axis=0)))
    for terms in (15, 40):
        share = false_alarms(terms, 400)
        print(f"lists of {terms} terms like ordinary words with p ≤ 0.05: {share:.1%} of 400")
    shares = false_choices(200)
    print("pairs of equal spaces that one of four lists tells apart: "
          f"{shares[0]:.1%} of 200; beyond the margin of {MARGIN:g}: {shares[1]:.1%}")  # fmt: skip
    by_ratio(lexicons)


def covered(planted: Planted, lexicons: int) -> tuple[float, Array]:
    """The truth, and the share of lexicons whose intervals hold it, (intervals,)."""
    rng = np.random.default_rng(planted.seed)
    towards = rng.normal(size=planted.dimension)
    towards *= planted.apart / np.linalg.norm(towards)
    terms = rng.normal(size=(15, planted.dimension)) * planted.spread / np.sqrt(planted.dimension)

    def drawn(times: int) -> tuple[Array, NDArray[np.bool_]]:
        sides = [
            rng.normal(size=(size * times, planted.dimension)) + sign * towards
            for size, sign in ((planted.positive, -1), (planted.negative, 1))
        ]
        labels = np.repeat([False, True], [len(side) for side in sides])
        return np.vstack(sides) / np.sqrt(planted.dimension), labels

    large = balanced_fit(*drawn(TIMES), planted.ridge * TIMES)
    truth = float(rnsb(sigmoid(large.log_odds(terms)))[0])
    held = np.zeros(len(INTERVALS))
    for nth in range(lexicons):
        x, negative = drawn(1)
        value = rnsb(sigmoid(balanced_fit(x, negative, planted.ridge).log_odds(terms)))[0]
        weights = drawn_weights(planted.positive, planted.negative, RESAMPLES, nth)
        fits = fit_weightings(x, negative, planted.ridge, weights, balanced=True)
        draws = rnsb(sigmoid(fits.log_odds(terms)))
        low, high = np.quantile(draws, [0.025, 0.975])
        ours = interval(value, draws)
        for place, ends in enumerate([ours, (low, high), (2 * value - high, 2 * value - low)]):
            held[place] += ends[0] <= truth <= ends[1]
    return truth, held / lexicons


def balanced_fit(x: Array, negative: NDArray[np.bool_], ridge: float) -> Fits:
    """Both polarities of the same weight."""
    return fit_ridge(x, negative, ridge, balanced_weights(negative))


def by_ratio(lexicons: int) -> None:
    """Print the mean RNSB of one space by the lexicon's ratio, balanced and not."""
    rng = np.random.default_rng(0)
    dimension, words = 50, 1_800
    towards = np.zeros(dimension)
    towards[0] = 1.2
    terms = rng.normal(size=(15, dimension)) * 2.0
    print(f"{'negative : positive':>34} {'balanced':>12} {'as listed':>12}")
    for ratio in (0.5, 1.0, 1.3, 2.4, 4.0):
        few = round(words / (1 + ratio))
        negative = np.arange(words) >= few
        found = []
        for _ in range(lexicons):
            x = rng.normal(size=(words, dimension)) + np.where(negative, 1, -1)[:, None] * towards
            fits = (balanced_fit(x, negative, 5.0), fit_ridge(x, negative, 5.0))
            found.append([rnsb(sigmoid(fit.log_odds(terms)))[0] for fit in fits])
        told = " ".join(f"{mean:12.3f}" for mean in np.mean(found, axis=0))
        print(f"{f'{ratio:g} : 1':>34} {told}")


def false_choices(pairs: int) -> Array:
    """How often a joint interval of four differences leaves out 0, and lies beyond the margin."""
    rng, each, dimension, lists = np.random.default_rng(11), 300, 8, 4
    centre = np.eye(dimension)[0]
    negative = np.repeat([False, True], each)
    found = np.zeros(2)
    for nth in range(pairs):
        terms = rng.normal(size=(lists, 10, dimension))
        weights = drawn_weights(each, each, RESAMPLES, nth)
        sides = []
        for _ in range(2):
            x = rng.normal(size=(2 * each, dimension))
            x += np.where(negative, 1, -1)[:, None] * centre
            fit = balanced_fit(x, negative, 3.0)
            fits = fit_weightings(x, negative, 3.0, weights, balanced=True)
            sides.append([
                (rnsb(sigmoid(fit.log_odds(own)))[0], rnsb(sigmoid(fits.log_odds(own))))
                for own in terms
            ])  # fmt: skip
        apart = []
        for (value, draws), (other, others) in zip(*sides, strict=True):
            reach = joint_reach(lists) * (draws - others).std(ddof=1)
            apart.append(abs(value - other) - reach)
        found += [max(apart) > 0, max(apart) > MARGIN]
    return found / pairs


def false_alarms(terms: int, lists: int) -> float:
    """How often terms that are like ordinary words have p ≤ 0.05."""
    rng = np.random.default_rng(0)
    found = [by_chance(rng.beta(2, 3, terms), rng.beta(2, 3, 227), 0).p for _ in range(lists)]
    return float(np.mean(np.array(found) <= 0.05))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
