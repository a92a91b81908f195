"""Corrections for many comparisons: by hand and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from tiltmeter.claims.judge import CORRECTIONS, SPOKEN
from tiltmeter.stats.multiplicity import benjamini_hochberg, bonferroni, holm

P = np.array([0.04, 0.001, 0.02, 0.03, 0.9])
probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array)


def test_bonferroni_by_hand():
    # each times 5, at most 1
    assert bonferroni(P, 5) == pytest.approx([0.2, 0.005, 0.1, 0.15, 1.0])


def test_holm_by_hand():
    # sorted 0.001, 0.02, 0.03, 0.04, 0.9 times 5, 4, 3, 2, 1 = 0.005, 0.08, 0.09, 0.08, 0.9;
    # never below an earlier one: 0.005, 0.08, 0.09, 0.09, 0.9
    assert holm(P, 5) == pytest.approx([0.09, 0.005, 0.08, 0.09, 0.9])


def test_benjamini_hochberg_by_hand():
    # sorted times 5/1, 5/2, 5/3, 5/4, 5/5 = 0.005, 0.05, 0.05, 0.05, 0.9
    assert benjamini_hochberg(P, 5) == pytest.approx([0.05, 0.005, 0.05, 0.05, 0.9])
    # never above a later one: 0.01·3 = 0.03, 0.03·3/2 = 0.045 → 0.04, 0.04·3/3 = 0.04
    assert benjamini_hochberg(np.array([0.03, 0.01, 0.04]), 3) == pytest.approx([0.04, 0.03, 0.04])


def test_a_larger_family_counts_the_absent_as_one():
    # the paper's 438, with two p-values in hand
    p = np.array([0.0001, 0.0002])
    assert bonferroni(p, 438) == pytest.approx([0.0438, 0.0876])
    assert holm(p, 438) == pytest.approx([0.0438, 0.0002 * 437])
    # BH: 0.0001 · 438/1 = 0.0438; 0.0002 · 438/2 = 0.0438
    assert benjamini_hochberg(p, 438) == pytest.approx([0.0438, 0.0438])
    absent = np.ones(436)
    for correct in CORRECTIONS.values():
        assert correct(p, 438) == pytest.approx(correct(np.concatenate([p, absent]), 438)[:2])


@given(probabilities)
def test_scipy_agrees_on_benjamini_hochberg(p):
    theirs = false_discovery_control(p, method="bh")
    assert np.allclose(benjamini_hochberg(p, p.size), theirs, atol=1e-12)


@given(probabilities, st.integers(1, 500))
def test_corrected_values_are_probabilities_no_smaller_than_the_plain_ones(p, family):
    for correct in CORRECTIONS.values():
        found = correct(p, family)
        assert ((found >= p * (1 - 1e-12)) & (found <= 1)).all()


@given(probabilities, st.integers(0, 2**32 - 1))
def test_the_order_of_p_values_changes_nothing(p, seed):
    order = np.random.default_rng(seed).permutation(p.size)
    for correct in CORRECTIONS.values():
        assert np.allclose(correct(p[order], p.size), correct(p, p.size)[order], atol=1e-15)


@given(probabilities)
def test_benjamini_hochberg_finds_at_least_what_holm_does_and_holm_what_bonferroni_does(p):
    bh, by_holm, plain = (correct(p, p.size) for correct in (benjamini_hochberg, holm, bonferroni))
    assert (bh <= by_holm + 1e-12).all()
    assert (by_holm <= plain + 1e-12).all()


def test_a_family_of_one_is_no_correction():
    for correct in CORRECTIONS.values():
        assert correct(np.array([0.03]), 1) == pytest.approx([0.03])


def test_no_p_values_give_none_back():
    for correct in CORRECTIONS.values():
        assert correct(np.zeros(0), 5).size == 0


def test_every_correction_has_a_spoken_name():
    assert SPOKEN.keys() == CORRECTIONS.keys()
