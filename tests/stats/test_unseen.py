"""The floor that knows its level: by hand, against the hypergeometric, and levels by drawing."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from tiltmeter.stats.unseen import effective_names, reach_with_unseen, unseen_share


@pytest.mark.parametrize("n", [1, 10, 20, 300])
@pytest.mark.parametrize("level", [0.9, 0.95, 1 - 0.05 / 12])
def test_a_list_misses_that_share_with_half_of_what_lies_outside(n, level):
    u = float(unseen_share(n, level))
    assert (1 - u) ** n == pytest.approx((1 - level) / 2)


@pytest.mark.parametrize(
    ("n", "population"), [(10, 20), (15, 20), (19, 20), (99, 100), (300, 2736), (1, 5)]
)
@pytest.mark.parametrize("level", [0.95, 1 - 0.05 / 12])
def test_of_a_finite_population_no_more_is_missed(n, population, level):
    """The hypergeometric probability that n names miss more than u of them is below α/2."""
    u = float(unseen_share(n, level, probability=n / population))
    more = int(np.floor(u * population)) + 1
    assert stats.hypergeom.pmf(0, population, more, n) <= (1 - level) / 2
    assert u <= float(unseen_share(n, level))


def test_ten_of_twenty_by_hand():
    """½^M = 0.025 at M = 5.32: u = 5.32/20 = 0.266; the exact M is 4, C(16, 10)/C(20, 10) = 4.3 %
    and C(15, 10)/C(20, 10) = 1.6 %."""
    assert comb(16, 10) / comb(20, 10) > 0.025 > comb(15, 10) / comb(20, 10)
    assert float(unseen_share(10, probability=0.5)) == pytest.approx(0.2661, abs=1e-4)


def test_all_names_hide_nobody_and_no_name_hides_everybody():
    assert float(unseen_share(20, probability=1.0)) == 0
    assert float(unseen_share(0)) == 1


def test_names_that_cannot_be_known_have_no_floor():
    """Names without a vector: the difference is exactly 0 and not undecided (METHODS §10.6)."""
    nobody = unseen_share(20, knowable=np.mean(np.zeros(500, bool)))
    assert float(reach_with_unseen(0.0, 38.0, [nobody, nobody], 0.2)) == 0.0
    assert float(unseen_share(20, knowable=0.01)) == 0.01
    assert float(unseen_share(20, knowable=0.9)) == pytest.approx(1 - 0.025 ** (1 / 20))


def test_reach_by_hand():
    """t of 4 degrees of freedom at 95 % is 2.776445; (2.776445 · 0.01)² + (0.1·0.2)² + (0.2·0.2)²
    = 0.00077086 + 0.0004 + 0.0016 = 0.00277086, whose root is 0.052639."""
    reach = reach_with_unseen([0.01], [4.0], [[0.1], [0.2]], [0.2])
    assert reach[0] == pytest.approx(0.052639, abs=1e-6)


def test_a_census_leaves_nothing_to_chance():
    names = effective_names(np.full((1, 4), 0.25), np.ones(4))
    assert names.unseen()[0] == 0
    assert reach_with_unseen([0.0], [0.0], [names.unseen(), names.unseen()], [0.2])[0] == 0


def test_cells_of_unequal_size_are_worth_less_than_their_names():
    """A cell of 5 and one of 15, each half of the mean: h = 1/10 and 1/30, Σh² = 5/100 + 15/900
    = 1/15, so fifteen names, not twenty."""
    share = np.concatenate([np.full(5, 0.1), np.full(15, 1 / 30)])[None]
    assert effective_names(share, np.zeros(20)).n[0] == pytest.approx(15)


@pytest.mark.parametrize("level", [0.95, 1 - 0.05 / 12])
@pytest.mark.parametrize("rate", [0.001, 0.01, 0.05, 0.15, 0.3])
def test_the_level_holds_where_one_name_in_many_is_a_word(level, rate):
    """Twenty names a group, of the first group's population a share `rate` moved by w: 4,000 lists.

    The variance alone misses (1 − rate)²⁰ of the time, which is 98 % at one in a thousand.
    """
    rng, draws, w = np.random.default_rng(4), 4_000, 0.25
    first = np.where(rng.random((draws, 20)) < rate, w, 0.0)
    difference = first.mean(axis=1)
    se = np.sqrt(first.var(axis=1, ddof=1) / 20)
    u = unseen_share(20, level)
    reach = reach_with_unseen(se, np.full(draws, 19.0), [u, u], np.full(draws, w), level)
    missed = np.mean(np.abs(difference - rate * w) > reach)
    assert missed <= 1 - level + 3 * np.sqrt((1 - level) * level / draws)
    alone = reach_with_unseen(se, np.full(draws, 19.0), [0.0], np.full(draws, w), level)
    if rate < 0.1:
        assert np.mean(np.abs(difference - rate * w) > alone) > 0.1
