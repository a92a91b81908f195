"""The typical name: by hand, against the binomial, and levels under planted effects."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.typical import fewest_names, median_rank, typical_names, typical_pairs


@pytest.mark.parametrize(("n", "level", "k"), [(20, 0.95, 5), (20, 1 - 0.05 / 12, 3)])
def test_ranks_are_those_of_the_methods_page(n, level, k):
    """METHODS §10.5: n = 20 gives k = 5, and k = 3 at a family of twelve."""
    assert median_rank(n, (1 - level) / 4) == k


@pytest.mark.parametrize("n", [1, 2, 6, 7, 8, 10, 20, 41, 300])
@pytest.mark.parametrize("tail", [0.05 / 4, 0.05 / 48, 0.1])
def test_a_rank_is_the_largest_whose_tail_is_small_enough(n, tail):
    def below(k):  # P(Binomial(n, 1/2) <= k - 1), summed by hand
        return sum(comb(n, j) for j in range(k)) / 2**n

    k = median_rank(n, tail)
    assert k == 0 or below(k) <= tail
    assert below(k + 1) > tail or k + 1 > (n + 1) // 2
    if k:
        assert below(k) == pytest.approx(stats.binom.cdf(k - 1, n, 0.5))


def test_twenty_names_a_group_by_hand():
    """x = 1..20 and z = 0, 10, 20 .. 190 in any order; k = 5 of twenty.

    Medians 10.5 and 95: −84.5. x₍5₎ = 5, x₍16₎ = 16; z₍5₎ = 40, z₍16₎ = 150.
    """
    rng = np.random.default_rng(0)
    first = rng.permutation(np.arange(1.0, 21.0))[None]
    second = rng.permutation(np.arange(0.0, 200.0, 10.0))[None]
    typical = typical_names(first, second)
    assert (typical.value[0], typical.low[0], typical.high[0]) == (-84.5, 5 - 150, 16 - 40)
    assert typical.is_tilted(20).tolist() == [True]
    assert typical.is_tilted(24).tolist() == [False]  # the interval ends on the margin


def test_the_other_way_round_is_the_negative():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(3, 17)), rng.normal(size=(3, 23))
    there, back = typical_names(first, second), typical_names(second, first)
    assert np.array_equal(there.value, -back.value)
    assert np.array_equal(there.low, -back.high)


def test_names_without_an_effect_are_left_out():
    first = np.array([[np.nan, *range(1, 11)], [*range(1, 11), np.nan]], float)
    typical = typical_names(first, np.zeros((2, 10)))
    assert typical.n_first.tolist() == [10, 10]
    assert typical.low.tolist() == [2.0, 2.0]


def test_too_few_names_decide_nothing():
    """Six names a group: 2/2⁶ = 3.1 % of a group's interval is more than 2.5 %."""
    typical = typical_names(np.full((1, 6), 9.0), np.zeros((1, 6)))
    assert typical.value[0] == 9.0
    assert (typical.low[0], typical.high[0]) == (-np.inf, np.inf)
    assert not typical.is_tilted(1.0)[0]
    assert fewest_names() == 7
    assert typical_names(np.full((1, 7), 9.0), np.zeros((1, 7))).is_tilted(1.0)[0]


def test_nobody_at_all():
    typical = typical_names(np.full((1, 3), np.nan), np.zeros((1, 9)))
    assert np.isnan(typical.value[0])
    assert not typical.is_tilted(1.0)[0]


def test_eight_families_cover_their_median_at_99_percent():
    """1 − 2/2⁸ = 0.9922: the interval of eight is their range, and of seven (98.4 %) too."""
    families = np.array([[3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0, 3.5]])
    typical = typical_pairs(families)
    assert (typical.value[0], typical.low[0], typical.high[0]) == (3.25, 1.0, 9.0)
    assert not np.isfinite(typical_pairs(families, 1 - 0.05 / 12).low[0])  # 0.8 % > 0.42 %


def test_one_name_cannot_move_a_median():
    """The EEC's Tia: a name a hundred points off changes no end of the interval but by a rank."""
    first = np.linspace(0.0, 1.9, 20)[None]
    spoiled = first.copy()
    spoiled[0, -1] = 100.0
    second = np.zeros((1, 20))
    before, after = typical_names(first, second), typical_names(spoiled, second)
    assert np.array_equal(before.value, after.value)
    assert np.array_equal(before.high, after.high)


@pytest.mark.parametrize("level", [0.95, 1 - 0.05 / 12])
def test_the_level_holds_for_a_population_of_rare_words(level):
    """Names of which one in seven is moved by 25 points, and a skewed one: the truth is missed less
    often than the level, 2,000 draws at once; the bound is three errors of a binomial above it."""
    rng, draws = np.random.default_rng(2), 2_000
    words = np.where(rng.random(5_000) < 1 / 7, 0.25, 0.0) + 1e-3 * rng.normal(size=5_000)
    skewed = 0.01 * rng.lognormal(0.0, 1.5, 5_000)
    truth = np.median(words) - np.median(skewed)
    typical = typical_names(
        words[rng.integers(0, 5_000, (draws, 20))],
        skewed[rng.integers(0, 5_000, (draws, 20))],
        level,
    )
    missed = np.mean((typical.low > truth) | (typical.high < truth))
    allowed = 1 - level
    assert missed <= allowed + 3 * np.sqrt(allowed * level / draws)
    assert np.mean(typical.is_tilted(abs(truth))) <= allowed


def test_a_planted_tilt_is_found_where_the_mean_could_not():
    """Three points for every woman's name, twenty a group, beside a rare word of 25 points."""
    rng = np.random.default_rng(3)
    names = np.where(rng.random((200, 40)) < 0.02, 0.25, 0.0)
    typical = typical_names(names[:, :20] + 0.03, names[:, 20:])
    assert typical.is_tilted(0.01).all()


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_a_level_is_a_share(level):
    with pytest.raises(ArgumentError, match="level lies between 0 and 1"):
        typical_names(np.zeros((1, 9)), np.zeros((1, 9)), level)
