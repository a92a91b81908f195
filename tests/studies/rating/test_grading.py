"""From raw scores to ratings: the split, ties, X, one system alone, overall ratings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiltmeter.studies.rating.grades import (
    NONE,
    overall_ratings,
    ratings_against,
    ratings_of,
)

NAN, X = np.nan, np.inf
LEVELS = st.integers(2, 9)
# WRS with the weights 1, 0.8, 0.6 is a whole number of tenths below some 100.
SCORES = st.one_of(st.just(NAN), st.just(X), st.integers(0, 60).map(lambda n: n / 10))
PANELS = arrays(float, st.integers(1, 12), elements=SCORES)


def rated(*psi, levels=3):
    return ratings_of(np.array(psi, float), levels).tolist()


@pytest.mark.parametrize(
    ("psi", "expected"),
    [
        # Seven values in three parts: 3, 2, 2, as array_split cuts them.
        ((1, 2, 3, 4, 5, 6, 7), [1, 1, 1, 2, 2, 3, 3]),
        ((7, 1, 6, 2, 5, 3, 4), [3, 1, 3, 1, 2, 1, 2]),
        # Fewer systems than levels: parts of one, then empty parts: two systems are 1 and 2.
        ((5, 9), [1, 2]),
        # 0, 0, 0, 1, 2, 3 are cut 0 0 | 0 1 | 2 3: the third 0 takes the first part it is in.
        ((0, 0, 0, 1, 2, 3), [1, 1, 1, 2, 3, 3]),
        # All tie: all are in the first part.
        ((4, 4, 4), [1, 1, 1]),
        # X is left out: two values in three parts, and X takes the worst.
        ((5, X, 9), [1, 3, 2]),
        ((X, X), [3, 3]),
        # No score, no rating; the others are split as if it were not there.
        ((NAN, 1, 2, 3), [NONE, 1, 2, 3]),
        ((NAN, NAN), [NONE, NONE]),
        ((NAN, X, X), [NONE, 3, 3]),
    ],
)
def test_scores_are_split_in_consecutive_parts(psi, expected):
    assert rated(*psi) == expected


def test_more_levels_than_systems_leave_the_last_ones_to_x():
    assert rated(1, 2, 3, levels=7) == [1, 2, 3]
    assert rated(1, X, 3, levels=7) == [1, 7, 2]


@pytest.mark.parametrize(("psi", "rating"), [(0, 1), (0.6, 2), (23, 2), (X, 2), (NAN, NONE)])
def test_one_system_alone_is_rated_absolutely(psi, rating):
    assert rated(psi, levels=2) == [rating]


def test_a_silent_system_beside_it_leaves_a_system_as_alone_as_before():
    # Split by itself 23 would stand in the first part and look like the least tilt.
    assert rated(23, NAN) == [3, NONE]
    assert rated(NAN, 0, NAN) == [NONE, 1, NONE]


def test_sums_that_differ_by_rounding_tie():
    # 0.7 + 0.6 is 1.2999999999999998 in binary, and 1.3 is not.
    assert 0.7 + 0.6 != 1.3
    assert rated(0.7 + 0.6, 1.3, 5, 6) == [1, 1, 2, 3]
    assert rated(1.3, 0.7 + 0.6, 5, 6) == [1, 1, 2, 3]


@given(PANELS, LEVELS)
def test_a_larger_score_never_has_a_better_rating(psi, levels):
    ratings = ratings_of(psi, levels)
    for one in range(len(psi)):
        for other in range(len(psi)):
            if psi[one] <= psi[other]:
                assert ratings[one] <= ratings[other]
            if psi[one] == psi[other]:
                assert ratings[one] == ratings[other]


@given(PANELS, LEVELS, st.randoms(use_true_random=False))
def test_ratings_go_with_the_system_and_not_with_its_place(psi, levels, random):
    order = np.array(random.sample(range(len(psi)), len(psi)))
    assert (ratings_of(psi[order], levels) == ratings_of(psi, levels)[order]).all()


@given(PANELS, LEVELS)
def test_every_rating_is_from_1_to_l_or_none_for_want_of_a_score(psi, levels):
    ratings = ratings_of(psi, levels)
    assert ((ratings >= 1) & (ratings <= levels))[~np.isnan(psi)].all()
    assert (ratings[np.isnan(psi)] == NONE).all()
    assert (ratings[np.isinf(psi)] == levels).all()


@given(PANELS, LEVELS)
def test_a_panels_members_rated_against_it_keep_their_ratings(psi, levels):
    assert (ratings_against(psi, psi, levels) == ratings_of(psi, levels)).all()
    known = psi[~np.isnan(psi)]
    if known.size:
        alone = [ratings_against(one[None], known, levels).item() for one in psi]
        assert alone == ratings_of(psi, levels).tolist()


@given(
    arrays(float, st.integers(2, 12), elements=st.floats(0, 50)), LEVELS,
    st.floats(0, 60), st.floats(0, 60),
)  # fmt: skip
def test_a_newcomer_stands_where_its_score_would(panel, levels, one, other):
    low, high = sorted((one, other))
    better, worse = ratings_against(np.array([low, high]), panel, levels)
    assert better <= worse
    beyond = ratings_against(np.array([panel.max() + 1]), panel, levels).item()
    assert beyond == levels
    assert ratings_against(np.array([0.0]), panel, levels).item() == 1


def test_against_a_panel_by_hand():
    # The panel 0, 1, 2 in three parts of one. 0.5 would be second, 2 is third, 2.1 beyond.
    found = ratings_against(np.array([0, 0.5, 1, 2, 2.1, X, NAN]), np.array([0.0, 1, 2, X]), 3)
    assert found.tolist() == [1, 2, 2, 3, 3, 3, NONE]


@pytest.mark.parametrize("alone", [0.0, 23.0, X])
def test_against_a_panel_of_one_ratings_are_absolute_as_its_own_was(alone):
    assert ratings_of(np.array([alone]), 2) == ratings_against(
        np.array([alone]), np.array([alone]), 2
    )
    found = ratings_against(np.array([0.0, 5.0]), np.array([alone]), 2)
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("ratings", "mean", "overall"),
    [
        ((2, 3, 2, 2, 1, 3), 13 / 6, 2),
        ((2, 1, 2, 2, 2, 1), 10 / 6, 2),
        ((1, 2, 1, 1, 1, 2), 8 / 6, 1),
        # Half goes up, to the worse: 9/6 = 1.5 → 2 and 15/6 = 2.5 → 3 (round() would give 2).
        ((1, 2, 1, 2, 1, 2), 1.5, 2),
        ((2, 3, 2, 3, 2, 3), 2.5, 3),
    ],
)
def test_the_overall_rating_is_the_mean_rounded_half_up(ratings, mean, overall):
    means, found = overall_ratings(np.array(ratings))
    assert means == pytest.approx(mean)
    assert found == overall


def test_without_a_rating_in_one_group_there_is_no_overall_rating():
    means, found = overall_ratings(np.array([[1, NONE, 1], [1, 1, 1]]))
    assert np.isnan(means[0])
    assert found.tolist() == [NONE, 1]
