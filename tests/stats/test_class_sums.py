"""Sums by cell and draw: hand-derived means and variances, gaps, repeated sentences."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiltmeter.stats.causal import class_sums


def test_means_and_variances_by_hand():
    # Cell 0 holds 1, 3: mean 2, s² = ((1−2)² + (3−2)²)/1 = 2. Cell 1 holds 5, 5, 8: mean 6,
    # s² = (1 + 1 + 4)/2 = 3.
    scores = np.array([[1.0, 3.0, 5.0, 5.0, 8.0]])
    sums = class_sums(scores, np.ones((1, 5)), np.array([0, 0, 1, 1, 1]), 2)
    assert sums.n[0, 0].tolist() == [2, 3]
    assert sums.mean[0, 0].tolist() == [2, 6]
    np.testing.assert_allclose(sums.variance[0, 0], [2, 3])


def test_a_missing_answer_is_nobodys_zero():
    # The second system lacks the 3: cell 0 has the 1 alone, and one score has no variance.
    scores = np.array([[1.0, 3.0, 5.0], [1.0, np.nan, 5.0]])
    sums = class_sums(scores, np.ones((1, 3)), np.array([0, 0, 1]), 3)
    assert sums.n[1, 0].tolist() == [1, 1, 0]
    assert sums.mean[1, 0, 0] == 1
    assert np.isnan(sums.mean[1, 0, 2])
    assert np.isnan(sums.variance[1, 0]).all()


def test_a_sentence_taken_twice_counts_twice():
    # Weights 2, 1: the scores 1, 1, 4; mean 2, s² = (1 + 1 + 4)/2 = 3.
    sums = class_sums(np.array([[1.0, 4.0]]), np.array([[2.0, 1.0]]), np.array([0, 0]), 1)
    assert sums.n.item() == 3
    assert sums.mean.item() == 2
    np.testing.assert_allclose(sums.variance.item(), 3)


def test_equal_scores_vary_by_nothing_that_counts():
    # 0.1 is not exact in binary: s² must stay below the (2e−6)² that counts as 0.
    sums = class_sums(np.full((1, 2100), 0.1), np.ones((1, 2100)), np.zeros(2100, np.int64), 1)
    assert 0 <= sums.variance.item() < 1e-14


@given(
    arrays(float, (3, 12), elements=st.floats(-1, 1)),
    arrays(np.int64, (2, 12), elements=st.integers(0, 3)),
    arrays(np.int64, 12, elements=st.integers(0, 2)),
)
def test_they_are_numpys_own_on_sentences_repeated(scores, weights, cell):
    sums = class_sums(scores, weights.astype(float), cell, 3)
    for system in range(3):
        for draw in range(2):
            for one in range(3):
                here = cell == one
                values = np.repeat(scores[system, here], weights[draw, here])
                assert sums.n[system, draw, one] == values.size
                if values.size > 1:
                    np.testing.assert_allclose(
                        sums.mean[system, draw, one], values.mean(), atol=1e-12
                    )
                    np.testing.assert_allclose(
                        sums.variance[system, draw, one], values.var(ddof=1), atol=1e-12
                    )
