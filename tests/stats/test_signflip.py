"""The sign-flip test: by hand, by brute force, against SciPy, and at its level."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.stats.paired_tests import PATTERNS, _random_codes, _sums, sign_flip


def flipped(*deltas, seed=0, patterns=PATTERNS):
    return sign_flip(np.array([deltas], float), np.random.default_rng(seed), patterns)[0]


def brute(deltas):
    """Every pattern of signs, counted one by one."""
    known = [delta for delta in deltas if not np.isnan(delta)]
    sums = [
        abs(sum(sign * delta for sign, delta in zip(signs, known, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(known))
    ]
    return np.mean(np.array(sums) >= abs(sum(known)) - 1e-9)


def test_three_differences_by_hand():
    # |±1 ±2 ±3| ≥ 6 for +++ and −−− alone: 2 of 8
    assert flipped(1, 2, 3) == 0.25


def test_ties_count_as_far_as_the_one_seen():
    # 1 + 1 − 1 = 1: every one of the 8 patterns gives 1 or 3
    assert flipped(1, 1, -1) == 1.0
    # 1 + 1 + 1 = 3: +++ and −−−: 2 of 8; in thirds that do not add up exactly as well
    assert flipped(1, 1, 1) == flipped(1 / 3, 1 / 3, 1 / 3) == 0.25
    # 0.1 + 0.2 − 0.3 = 0 in every book, 5.6e-17 here: all patterns are at least as far
    assert flipped(0.1, 0.2, -0.3) == 1.0


def test_ties_are_ties_however_far_from_zero_the_scores_are():
    # Δ in steps of 0.1 from scores around 1,000, which leave some 1e-13 of rounding in each
    steps = np.random.default_rng(0).integers(-5, 6, 40)
    deltas = (1000 + steps / 10) - 1000
    assert flipped(*deltas) == flipped(*steps)


def test_one_pair_says_nothing():
    assert flipped(5.0) == 1.0


def test_a_dropped_pair_and_a_zero_change_nothing():
    assert flipped(1, 2, 3, np.nan, 0.0, np.nan) == flipped(1, 2, 3)


def test_without_any_difference_p_is_one():
    assert flipped(*[0.0] * 50) == 1.0


def test_without_any_pair_there_is_no_p_value():
    found = sign_flip(np.array([[np.nan, np.nan], [1.0, 2.0]]), np.random.default_rng(0))
    assert np.isnan(found[0])
    assert found[1] == 0.5
    assert np.isnan(sign_flip(np.zeros((2, 0)), np.random.default_rng(0))).all()
    assert sign_flip(np.zeros((0, 5)), np.random.default_rng(0)).shape == (0,)


@pytest.mark.parametrize("pairs", [2, 5, 9, 13, 14])
def test_few_pairs_are_exact_whatever_the_seed(pairs):
    deltas = np.random.default_rng(pairs).normal(0.3, 1, pairs).round(1)
    assert flipped(*deltas, seed=1) == flipped(*deltas, seed=2) == brute(deltas)


def test_few_differences_among_many_zeros_are_exact_too():
    deltas = np.zeros(1000)
    deltas[[3, 500, 999]] = 1, 2, 3
    assert flipped(*deltas) == 0.25


@pytest.mark.parametrize("pairs", [3, 8, 12])
def test_scipy_agrees_when_exact(pairs):
    deltas = np.random.default_rng(pairs).normal(0.4, 1, pairs)
    theirs = stats.permutation_test(
        (deltas,), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert flipped(*deltas) == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("pairs", [20, 64, 65, 144, 700])
def test_scipy_agrees_when_drawn(pairs):
    deltas = np.random.default_rng(pairs).normal(0.1, 1, pairs)
    theirs = stats.permutation_test(
        (deltas,), np.sum, permutation_type="samples", n_resamples=20_000, rng=1, batch=2000
    ).pvalue
    # Two draws: sd ≤ √(p (1 − p) (1/8,192 + 1/20,000)); within five of them
    allowed = 5 * np.sqrt(theirs * (1 - theirs) * (1 / 8192 + 1 / 20_000)) + 1 / 8192
    assert abs(flipped(*deltas) - theirs) < allowed


def test_the_least_p_value_is_one_of_the_patterns():
    assert flipped(*[1.0] * 200) == 1 / PATTERNS
    assert flipped(*[1.0] * 200, patterns=1000) == 1 / 512  # rounded down to a power of two


def test_the_same_seed_gives_the_same_and_another_seed_nearly_so():
    deltas = np.random.default_rng(3).normal(0.05, 1, 400)
    assert flipped(*deltas, seed=5) == flipped(*deltas, seed=5)
    others = [flipped(*deltas, seed=seed) for seed in range(40)]
    p = np.mean(others)
    assert len(set(others)) > 20
    assert np.std(others) < 1.5 * np.sqrt(p * (1 - p) / PATTERNS)


def test_a_system_comes_out_the_same_alone_and_among_others():
    deltas = np.random.default_rng(0).normal(size=(50, 333))
    together = sign_flip(deltas, np.random.default_rng(1))
    for row in (0, 31, 32, 49):
        alone = sign_flip(deltas[row : row + 1], np.random.default_rng(1))[0]
        assert alone == pytest.approx(together[row], abs=1e-12)


@pytest.mark.parametrize("bits", [0, 1, 4, 7])
def test_the_signs_are_scipys_hadamard_matrix(bits):
    from scipy.linalg import hadamard

    assert np.array_equal(_sums(np.eye(2**bits), np.arange(2**bits), bits), hadamard(2**bits))


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_sums_are_those_of_a_group_of_patterns(pairs, bits, seed):
    rng = np.random.default_rng(seed)
    deltas, codes = rng.normal(size=(3, pairs)), _random_codes(rng, pairs, bits)
    signs = np.array(
        [[(-1) ** (int(g) & int(b)).bit_count() for g in range(2**bits)] for b in codes]
    )
    assert np.allclose(_sums(deltas, codes, bits).T, deltas @ signs, atol=1e-12)
    patterns = {tuple(column) for column in signs.T}
    assert (1,) * pairs in patterns
    first, last = signs[:, 1], signs[:, -1]
    assert tuple(first * last) in patterns


def test_no_two_pairs_always_flip_together_while_there_are_codes():
    codes = _random_codes(np.random.default_rng(0), 8192, 13)
    assert len(set(codes.tolist())) == 8192
    twice = _random_codes(np.random.default_rng(0), 10_000, 13)
    assert np.bincount(twice).max() == 2


@pytest.mark.parametrize("pairs", [10, 40])
def test_the_level_is_kept_under_noise_with_heavy_tails(pairs):
    # Exactly valid for symmetric differences, however heavy their tails (Cauchy here): the number
    # of p ≤ 0.05 among 2,000 is at most binomial(2,000, 0.05), sd 9.7; within four of them.
    rng = np.random.default_rng(pairs)
    p = sign_flip(rng.standard_cauchy((2000, pairs)), rng)
    assert abs(np.count_nonzero(p <= 0.05) - 100) < 4 * 9.7
