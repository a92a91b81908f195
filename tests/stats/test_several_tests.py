"""p-values corrected along the last axis: against statsmodels, and where a test is missing."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from tiltmeter.stats.multiplicity import CORRECTIONS, corrected_p

CALLED = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}


def test_every_correction_is_held_against_a_reference():
    assert {"none", *CALLED} == set(CORRECTIONS)


@pytest.mark.parametrize("how", CALLED)
def test_statsmodels_agrees_family_by_family(how):
    p = np.random.default_rng(3).uniform(0, 1, (2, 3, 15)) ** 3
    found = corrected_p(p, how)
    for place in np.ndindex(2, 3):
        expected = multipletests(p[place], method=CALLED[how])[1]
        np.testing.assert_allclose(found[place], expected)


def test_none_leaves_them_alone():
    p = np.array([[0.01, 0.5]])
    assert corrected_p(p, "none") is p


@pytest.mark.parametrize("how", CALLED)
def test_a_test_that_could_not_be_made_takes_no_other_with_it(how):
    # Three tests were planned, so 0.01 is corrected as the smallest of three: 0.03.
    found = corrected_p(np.array([[np.nan, 0.01, 0.9]]), how)[0]
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(0.03)
    assert 0.9 <= found[2] <= 1
