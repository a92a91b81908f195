"""Shifted pairs: by hand, by brute force, against SciPy and DeLong, and levels by drawing."""

import numpy as np
import pytest
from scipy import stats

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.shifted import DrawnNames, NameCell, shifted_couples, shifted_names


def names(effects, **options):
    return DrawnNames(np.array(effects, float), **options)


def cell_of(first, second, share=1.0):
    return NameCell(names(first), names(second), share)


def test_six_pairs_by_hand():
    """First 0, 4; second 1, 3, 9; margin 2. Differences −1 −3 −9 / 3 1 −5.

    Lower: −3, −9, −5 = 3 of 6; higher: 3 = 1 of 6; within: −1, 1 = 2 of 6; net −2/6.
    g of the first group (higher − lower): 0 has (0 − 2)/3, 4 has (1 − 1)/3; s² = (2/3)²/2 = 2/9.
    g of the second: 1 has (1 − 0)/2, 3 has (0 − 1)/2, 9 has −2/2; mean −1/3, squares about it
    25/36 + 1/36 + 16/36 = 42/36, s² = 7/12.
    Variance 2/9/2 + 7/12/3 = 1/9 + 7/36 = 11/36.
    """
    pairs = shifted_names([cell_of([0, 4], [1, 3, 9])], 2.0)
    assert pairs.first_lower.value == pytest.approx(3 / 6)
    assert pairs.first_higher.value == pytest.approx(1 / 6)
    assert pairs.within.value == pytest.approx(2 / 6)
    assert pairs.either.value == pytest.approx(4 / 6)
    assert pairs.net.value == pytest.approx(-2 / 6)
    assert pairs.net.se**2 == pytest.approx(11 / 36)
    assert pairs.net.df == pytest.approx((11 / 36) ** 2 / ((1 / 9) ** 2 / 1 + (7 / 36) ** 2 / 2))
    assert (pairs.n_first, pairs.n_second, pairs.census) == (2, 3, False)


def brute_force(cells, margin):
    """Every pair, one after the other: lower, higher."""
    lower = higher = 0.0
    for cell in cells:
        sides = []
        for side in (cell.first, cell.second):
            weight = np.ones(side.effects.size) if side.weight is None else side.weight
            chance = np.ones(side.effects.size) if side.probability is None else side.probability
            counted = weight / chance
            sides.append(counted / counted.sum())
        for i, x in enumerate(cell.first.effects):
            for j, z in enumerate(cell.second.effects):
                share = cell.share * sides[0][i] * sides[1][j]
                lower += share * (x < z - margin)
                higher += share * (x > z + margin)
    return lower, higher


@pytest.mark.parametrize("seed", range(5))
def test_sorting_gives_what_all_pairs_give(seed):
    rng = np.random.default_rng(seed)

    def side():
        n = int(rng.integers(3, 40))
        return DrawnNames(
            rng.integers(-5, 6, n).astype(float), rng.exponential(1, n), rng.uniform(0.1, 0.9, n)
        )

    cells = [NameCell(side(), side(), share) for share in (0.5, 0.3, 0.2)]
    lower, higher = brute_force(cells, 2.0)
    pairs = shifted_names(cells, 2.0)
    assert pairs.first_lower.value == pytest.approx(lower)
    assert pairs.first_higher.value == pytest.approx(higher)
    assert pairs.within.value == pytest.approx(1 - lower - higher)


def delong_variance(x, z):
    """DeLong, DeLong & Clarke-Pearson (1988) from midranks, as Sun & Xu (2014) compute it."""
    m, n = x.size, z.size
    joint = stats.rankdata(np.concatenate([x, z]))
    v10 = (joint[:m] - stats.rankdata(x)) / n
    v01 = 1 - (joint[m:] - stats.rankdata(z)) / m
    return v10.var(ddof=1) / m + v01.var(ddof=1) / n


def test_without_a_margin_it_is_mann_whitney_and_delong():
    """net is 2·AUC − 1, and its variance 4 times the area's."""
    rng = np.random.default_rng(7)
    x, z = rng.normal(0.5, 1, 23), rng.normal(0, 2, 31)
    pairs = shifted_names([cell_of(x, z)], 0.0)
    area = stats.mannwhitneyu(x, z).statistic / (23 * 31)
    assert pairs.first_higher.value == pytest.approx(area)
    assert pairs.net.value == pytest.approx(2 * area - 1)
    assert pairs.net.se**2 == pytest.approx(4 * delong_variance(x, z))
    group = np.repeat([0, 1], [31, 23])
    assert pairs.net.value == pytest.approx(stats.somersd(group, np.concatenate([z, x])).statistic)


def test_the_error_is_that_of_a_bootstrap_of_names():
    """800 lists of names drawn anew from the list: an error of 2.5 % by itself, and n for n − 1."""
    rng = np.random.default_rng(8)
    x, z = rng.normal(0, 3, 40), rng.normal(1, 2, 40)
    drawn = [
        shifted_names([cell_of(rng.choice(x, 40), rng.choice(z, 40))], 1.0).net.value
        for _ in range(800)
    ]
    assert shifted_names([cell_of(x, z)], 1.0).net.se == pytest.approx(np.std(drawn), rel=0.12)


def test_a_tilt_of_another_axis_shifts_nobody():
    """Three points for every woman's name: 0 of pairs by race, where "moved" was 40 of 40."""
    black, white = np.zeros(10), np.zeros(10)
    women = NameCell(names(black + 3), names(white + 3), 0.5)
    men = NameCell(names(black), names(white), 0.5)
    by_race = shifted_names([women, men], 1.0)
    assert (by_race.either.value, by_race.net.value) == (0, 0)
    by_gender = shifted_names([NameCell(names(black + 3), names(black))], 1.0)
    assert (by_gender.first_higher.value, by_gender.net.value) == (1, 1)
    assert shifted_names([NameCell(names(black + 1.9), names(black))], 1.0).net.value == 1


def test_a_difference_of_the_margin_lies_within_it():
    """0.71 − 0.7 is 0.010000000000000009 in floating point."""
    pairs = shifted_names([cell_of([0.71, 0.71], [0.7, 0.7])], 0.01)
    assert pairs.within.value == 1


def test_where_nobody_is_shifted_the_bound_is_what_nobody_saw():
    """Two groups of 20, in two cells of ten: u = 1 − 0.025^(1/20) = 0.1684; √2 u = 0.2381."""
    cells = [cell_of(np.zeros(10), np.zeros(10), 0.5)] * 2
    pairs = shifted_names(cells, 1.0)
    bound = np.sqrt(2) * (1 - 0.025 ** (1 / 20))
    assert (pairs.net.value, pairs.net.se) == (0, 0)
    assert pairs.net.high == pytest.approx(bound)
    assert pairs.net.low == pytest.approx(-bound)
    assert (pairs.either.low, pairs.either.high) == (0, pytest.approx(bound))
    assert pairs.within.low == pytest.approx(1 - bound)
    strict = shifted_names(cells, 1.0, 1 - 0.05 / 12)
    assert strict.net.high == pytest.approx(np.sqrt(2) * (1 - (0.05 / 24) ** (1 / 20)))


def test_names_that_the_system_cannot_know_are_shifted_by_nothing():
    cells = [NameCell(names(np.zeros(10), knowable=0.0), names(np.zeros(10), knowable=0.0))]
    pairs = shifted_names(cells, 1.0)
    assert (pairs.net.low, pairs.net.high, pairs.either.high) == (0, 0, 0)


def test_a_census_is_exact():
    first, second = (names(values, probability=np.ones(3)) for values in ([0, 4, 9], [1, 3, 9]))
    pairs = shifted_names([NameCell(first, second)], 2.0)
    assert pairs.census
    assert pairs.net.low == pairs.net.value == pairs.net.high
    assert pairs.net.se == 0


def test_a_weighted_draw_is_divided_by_what_the_population_weighs():
    """John (60 of 100 bearers) is certain; of the other 40 two names of 5 are drawn with π = ¼.

    By w/π they come to 60 + 20 + 20 = 100 here, and to 60 + 20 + 20 of 120 where the total is 120:
    then the two share 60, 30 each. John alone is higher: 60/100, and 60/120.
    """
    drawn = {"weight": np.array([60.0, 5, 5]), "probability": np.array([1, 0.25, 0.25])}
    other = names([0.0, 0.0], probability=np.ones(2))
    for total, expected in ((None, 0.6), (100.0, 0.6), (120.0, 0.5)):
        first = names([5, 0, 0], total=total, **drawn)
        assert shifted_names([NameCell(first, other)], 1.0).net.value == pytest.approx(expected)
    known = shifted_names([NameCell(names([5, 0, 0], total=100.0, **drawn), other)], 1.0)
    assert known.net.se == 0  # John's share is known, and the other two do the same
    unknown = shifted_names([NameCell(names([5, 0, 0], **drawn), other)], 1.0)
    assert unknown.net.se > 0


def test_exchanging_the_groups_turns_the_sign():
    rng = np.random.default_rng(9)
    x, z = rng.normal(0, 2, 12), rng.normal(1, 2, 17)
    there, back = shifted_names([cell_of(x, z)], 1.0), shifted_names([cell_of(z, x)], 1.0)
    assert there.net.value == pytest.approx(-back.net.value)
    assert there.net.low == pytest.approx(-back.net.high)
    assert there.first_lower.high == pytest.approx(back.first_higher.high)


def test_names_without_an_effect_are_left_out():
    pairs = shifted_names([cell_of([np.nan, 5, 5], [0, np.nan])], 1.0)
    assert (pairs.n_first, pairs.n_second, pairs.net.value) == (2, 1, 1)


def test_effects_known_up_to_an_error_widen_both_ends():
    """Who met a part of the sentences: errors spread effects, and do not make pairs shifted."""
    rng = np.random.default_rng(10)
    noise = rng.normal(0, 2, 400)  # nobody is shifted; sentences alone set them apart
    first, second = noise[:200], noise[200:]
    plain = shifted_names([cell_of(first, second)], 1.0)
    doubt = {"error": np.full(200, 2.0)}
    doubted = shifted_names([NameCell(names(first, **doubt), names(second, **doubt))], 1.0)
    assert plain.either.value > 0.5 > doubted.either.value
    assert doubted.either.low <= 0.01 < plain.either.low
    assert doubted.net.low < plain.net.low < plain.net.high < doubted.net.high


def test_word_pairs_are_their_own_pairs():
    """aunt/uncle +16 against sister/brother −16, eight couples within: net 0, either 2 of 10."""
    pairs = shifted_couples(np.array([16.0, -16, *np.zeros(8)]), 1.0)
    assert (pairs.net.value, pairs.either.value, pairs.n_first) == (0, 0.2, 10)
    assert pairs.net.se**2 == pytest.approx(2 / 9 / 10)  # s² = 2/9 over ten couples


def test_couples_of_a_family_count_as_one_draw():
    """Two families of two couples alike: as two numbers, not four. s² of 1 and 0 is 1/2, by 2."""
    pairs = shifted_couples(np.array([5.0, 5, 0, 0]), 1.0, family=np.array([0, 0, 1, 1]))
    assert pairs.net.value == 0.5
    assert pairs.net.se**2 == pytest.approx(1 / 4)
    every = shifted_couples(np.array([5.0, 0]), 1.0, probability=np.ones(2))
    assert (every.net.low, every.net.high, every.census) == (0.5, 0.5, True)


@pytest.mark.parametrize("level", [0.95, 1 - 0.05 / 12])
@pytest.mark.parametrize("kind", ["rare word", "spread", "one group apart", "nobody"])
def test_the_level_holds(level, kind):
    """Lists of ten names a cell from populations whose shares are known; all four numbers."""
    rng, draws = np.random.default_rng(11), 400
    cells = []
    for shift in (0.0, 0.5):
        first, second = rng.normal(0, 0.2, (2, 2_000))
        if kind == "rare word":
            first = first + np.where(rng.random(2_000) < 0.05, 25.0, 0.0)
        elif kind == "spread":
            first, second = 10 * first + shift, 5 * second
        elif kind == "one group apart":
            first = first + 1.0 + shift
        cells.append((first, second))
    truth = shifted_names([cell_of(*cell, 0.5) for cell in cells], 1.0)
    kinds = ("net", "either", "first_lower", "first_higher")
    missed = dict.fromkeys(kinds, 0)
    for _ in range(draws):
        drawn = [[rng.choice(side, 10, replace=False) for side in cell] for cell in cells]
        pairs = shifted_names([cell_of(*cell, 0.5) for cell in drawn], 1.0, level)
        for name in kinds:
            interval, value = getattr(pairs, name), getattr(truth, name).value
            missed[name] += not interval.low <= value <= interval.high
    allowed = (1 - level) * draws
    assert max(missed.values()) <= allowed + 3 * np.sqrt(allowed)


def test_what_cannot_be_compared_is_an_error():
    with pytest.raises(ArgumentError, match="cells have shares that add up to 0"):
        shifted_names([], 1.0)
    with pytest.raises(ArgumentError, match="a group has no name with an effect"):
        shifted_names([cell_of([1.0], [np.nan])], 1.0)
    with pytest.raises(ArgumentError, match=r"add up to 0\.5"):
        shifted_names([cell_of([1.0], [1.0], 0.5)], 1.0)
    with pytest.raises(ArgumentError, match="margin"):
        shifted_couples(np.array([1.0]), -1.0)
    with pytest.raises(ArgumentError, match="no couple with a difference"):
        shifted_couples(np.array([np.nan]), 1.0)


def test_a_hundred_thousand_names_a_group_fit_in_memory():
    """All pairs would be 10¹⁰."""
    rng = np.random.default_rng(12)
    pairs = shifted_names([cell_of(rng.normal(size=100_000), rng.normal(size=100_000))], 0.5)
    assert pairs.net.value == pytest.approx(0, abs=0.02)


def test_draws_by_bearers_vary_as_their_error_says():
    """Priority samples (Duffield, Lund & Thorup 2007) of sixty of a thousand names: the share is
    unbiased, its mean variance that of the draws within 25 %, and a nominal 5 % misses no more."""
    rng, draws = np.random.default_rng(13), 400
    weight = rng.lognormal(0, 1.5, (2, 1_000))
    effects = rng.normal(0, 2, (2, 1_000)) + [[0.5], [0.0]] * np.log(weight)
    certain = np.ones(1_000)
    whole = [
        names(values, weight=sizes, probability=certain)
        for values, sizes in zip(effects, weight, strict=True)
    ]
    truth = shifted_names([NameCell(*whole)], 1.0).net.value

    def draw(side):
        priority = weight[side] / (1 - rng.random(1_000))
        order = np.argsort(-priority)
        at, threshold = order[:60], priority[order[60]]
        chance = np.minimum(1, weight[side, at] / threshold)
        total = float(weight[side].sum())
        return names(effects[side, at], weight=weight[side, at], probability=chance, total=total)

    nets = [shifted_names([NameCell(draw(0), draw(1))], 1.0).net for _ in range(draws)]
    values = np.array([net.value for net in nets])
    assert np.mean(values) == pytest.approx(truth, abs=4 * np.std(values) / np.sqrt(draws))
    assert np.mean([net.se**2 for net in nets]) == pytest.approx(np.var(values), rel=0.25)
    missed = np.mean([not net.low <= truth <= net.high for net in nets])
    assert missed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)
