"""The permutation test of two sets: by hand, by brute force, against SciPy, and at its level."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.stats import association as permutations
from tiltmeter.stats.association import _drawn_sums, permuted, two_sample_p

VALUES = st.lists(st.integers(-6, 6), min_size=1, max_size=5)


def p_of(first, second, **how):
    return permuted(first, second, **({"seed": 0, "key": "women-men"} | how)).p


def brute(first, second):
    """Every division, counted one by one."""
    both, size = [*first, *second], len(first)

    def apart(chosen):
        inside = [both[place] for place in chosen]
        outside = [value for place, value in enumerate(both) if place not in chosen]
        return abs(sum(inside) / len(inside) - sum(outside) / len(outside))

    found = [apart(chosen) for chosen in itertools.combinations(range(len(both)), size)]
    return np.mean(np.array(found) >= apart(range(size)) - 1e-9)


def difference(first, second, axis):
    return np.mean(first, axis=axis) - np.mean(second, axis=axis)


def test_three_and_three_by_hand():
    # {1, 2, 3} and {7, 8, 9} are 6 apart; of the C(6, 3) = 20 divisions only these two sets are
    assert p_of([1, 2, 3], [7, 8, 9]) == 2 / 20
    assert two_sample_p([1, 2, 3], [7, 8, 9], seed=0, key="") == (0.1, True)


def test_sets_of_other_sizes_by_hand():
    # the mean of all is 2.75; alone, 5 is 2.25 away from it, 1 is 1.75, 2 and 3 are less: 1 of 4
    assert p_of([5], [1, 2, 3]) == p_of([1, 2, 3], [5]) == 1 / 4


def test_ties_count_as_far_as_the_ones_seen():
    # 0.1 + 0.2 − 0.3 is 0 in every book, 5.6e-17 here: every division is at least that far apart
    assert p_of([0.1, 0.2], [0.3, 0.0]) == 1.0
    # the same around 1,000, where rounding leaves some 1e-13
    assert p_of([1000 + 1 / 3, 1000 + 2 / 3], [1000.5, 1000.5]) == 1.0


def test_values_that_are_all_equal_are_no_evidence():
    assert p_of([0.1] * 5, [0.1] * 5) == p_of([0.1] * 12, [0.1] * 14) == 1.0


@given(VALUES, VALUES)
def test_every_division_counted_one_by_one_gives_the_same(first, second):
    assert p_of(first, second) == pytest.approx(brute(first, second), abs=1e-12)


@pytest.mark.parametrize("size", [2, 4, 7])
def test_scipys_exact_test_agrees(size):
    rng = np.random.default_rng(size)
    sides = rng.normal(size=size), rng.normal(0.8, size=size)
    found = stats.permutation_test(
        sides, difference, permutation_type="independent", vectorized=True, n_resamples=np.inf
    )
    assert p_of(*sides) == pytest.approx(found.pvalue, abs=1e-12)


def test_scipy_agrees_on_sets_of_other_sizes_if_told_what_two_sided_means():
    rng = np.random.default_rng(3)
    sides = rng.exponential(size=3), rng.exponential(size=9)
    found = stats.permutation_test(  # SciPy's own two-sided p is twice the smaller tail
        sides, lambda *both, axis: abs(difference(*both, axis)), permutation_type="independent",
        vectorized=True, n_resamples=np.inf, alternative="greater",
    )  # fmt: skip
    assert p_of(*sides) == pytest.approx(found.pvalue, abs=1e-12)


def test_drawn_divisions_come_close_to_all_of_them():
    rng = np.random.default_rng(1)
    sides = rng.normal(size=9), rng.normal(0.5, size=8)
    exact, drawn = permuted(*sides, seed=0, key="a"), permuted(*sides, seed=0, key="a", few=0)
    assert (exact.exact, exact.permutations) == (True, 24_310)  # C(17, 8)
    assert (drawn.exact, drawn.permutations) == (False, 100_000)
    error = np.sqrt(exact.p * (1 - exact.p) / 100_000)
    assert 0 < abs(drawn.p - exact.p) < 5 * error


def test_200000_divisions_are_tried_and_more_are_drawn():
    ten, more = np.arange(10.0), np.arange(11.0)
    assert permuted(ten, ten, seed=0, key="").permutations == 184_756
    assert not permuted(ten, more, seed=0, key="").exact  # C(21, 10) = 352,716


def test_a_drawn_p_is_never_0():
    # none of 999 divisions is as far apart; the one seen is: (1 + 0) / (1 + 999)
    assert p_of(np.arange(20.0), np.arange(100.0, 120.0), draws=999) == 1 / 1000


def test_draws_depend_on_the_seed_the_key_and_the_sizes():
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=20), rng.normal(size=20)
    seen = p_of(first, second)
    assert seen == p_of(first, second)
    assert seen != p_of(first, second, seed=1)
    assert seen != p_of(first, second, key="another")


def test_neither_the_order_nor_which_set_comes_first_changes_a_drawn_p():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=15), rng.normal(0.3, size=18)
    mixed = rng.permutation(first), rng.permutation(second)
    assert p_of(first, second) == p_of(*mixed) == p_of(second, first)


def test_draws_are_without_replacement_and_every_subset_is_as_likely():
    # powers of two: a sum says which values it holds; 2 of 5 make 10 subsets
    sums = np.concatenate([*_drawn_sums(2.0 ** np.arange(5), 2, 20_000, np.random.default_rng(0))])
    found, times = np.unique(sums.astype(int), return_counts=True)
    assert [int(one).bit_count() for one in found] == [2] * 10
    assert stats.chisquare(times).pvalue > 0.001


def test_blocks_of_any_size_give_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    sides = rng.normal(size=6), rng.normal(size=6)
    whole = p_of(*sides)
    monkeypatch.setattr(permutations, "CELLS", 1)
    monkeypatch.setattr(permutations, "LEAST", 7)
    assert p_of(*sides) == whole


def test_memory_stays_small_however_many_divisions():
    sides = np.arange(10.0), np.arange(5.0, 15.0)
    tracemalloc.start()
    permuted(*sides, seed=0, key="")
    p_of(np.arange(60.0), np.arange(60.0) + 9)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 25e6


@pytest.mark.parametrize("sides", [([], [1.0]), ([1.0], []), ([1.0, np.nan], [2.0, 3.0])])
def test_nothing_to_divide_has_no_p(sides):
    found = permuted(*sides, seed=0, key="")
    assert np.isnan(found.p)
    assert found.permutations == 0


@pytest.mark.slow
def test_false_alarms_come_at_the_promised_rate():
    rng = np.random.default_rng(6)
    p = np.array([p_of(rng.exponential(size=5), rng.exponential(size=6)) for _ in range(400)])
    # 462 divisions: p ≤ 0.05 has a chance of 23/462 = 0.0498; 400 tries are within 3 errors of it
    assert abs(np.mean(p <= 0.05) - 0.0498) < 3 * np.sqrt(0.05 * 0.95 / 400)
    assert stats.kstest(p, "uniform").pvalue > 0.001
