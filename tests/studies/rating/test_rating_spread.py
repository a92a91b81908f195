"""How sure a rating is, from ratings of repeats written down by hand."""

import numpy as np
import pytest

from tiltmeter.studies.rating.grades import NONE, RatingSpread, orders_of, shares_of, spread_of


@pytest.mark.parametrize(
    ("rating", "repeated", "expected"),
    [
        # 4 of 100 repeats give 3: 96 % are at most 2, less than 97.5 %, so the spread reaches 3.
        (2, [2] * 96 + [3] * 4, RatingSpread(2, 3, 0.96)),
        # 2 of 100: 98 % are at most 2, and the spread ends there.
        (2, [2] * 98 + [3] * 2, RatingSpread(2, 2, 0.98)),
        # Both ends: 3 of 100 below and 3 above.
        (2, [1] * 3 + [2] * 94 + [3] * 3, RatingSpread(1, 3, 0.94)),
        # A rating that no repeat gives is within its own spread.
        (1, [2] * 10, RatingSpread(1, 2, 0.0)),
        # Repeats without a rating do not count.
        (2, [2, NONE, 2, NONE, 3, 3], RatingSpread(2, 3, 0.5)),
        # No repeats, or no rating: nothing is said.
        (2, [], RatingSpread()),
        (2, [NONE, NONE], RatingSpread()),
        (NONE, [1, 2], RatingSpread()),
    ],
)
def test_spreads_by_hand(rating, repeated, expected):
    assert spread_of(rating, np.array(repeated, np.int64)) == expected


def test_shares_are_of_the_repeats_with_a_rating():
    found = dict(shares_of(np.array([1, 1, 3, NONE]), 3))
    assert found == {1: pytest.approx(2 / 3), 2: 0.0, 3: pytest.approx(1 / 3)}
    assert not list(shares_of(np.array([NONE, NONE]), 3))


def test_orders_by_hand():
    # The second system is the lower in the data at hand. Of the three repeats where both have a
    # score it is lower in two and equal in one: not certain.
    values = np.array([5.0, 1.0])
    repeated = np.array([[5.0, 6.0, 1.0, np.nan], [1.0, 2.0, 1.0, 3.0]])
    (found,) = orders_of(values, repeated, [0, 1])
    assert (found.first, found.second) == (1, 0)
    assert found.lower == pytest.approx(2 / 3)
    assert found.equal == pytest.approx(1 / 3)
    assert found.higher == 0
    assert not found.certain


@pytest.mark.parametrize(
    ("lower", "equal", "certain"),
    [(95, 0, True), (94, 6, False), (0, 100, True), (0, 99, False), (100, 0, True)],
)
def test_an_order_is_certain_from_19_of_20_repeats_on_or_if_all_tie(lower, equal, certain):
    higher = 100 - lower - equal
    one = np.array([1.0] * lower + [2.0] * equal + [3.0] * higher)
    (found,) = orders_of(np.array([1.0, 2.0]), np.stack([one, np.full(100, 2.0)]), [0, 1])
    assert (found.lower, found.equal, found.higher) == (lower / 100, equal / 100, higher / 100)
    assert found.certain is certain


def test_x_is_above_every_number_and_equal_to_x():
    values, repeated = np.array([3.0, np.inf, np.inf]), np.array([[3.0], [np.inf], [np.inf]])
    found = {(one.first, one.second): one for one in orders_of(values, repeated, [0, 1, 2])}
    assert found[0, 1].lower == found[0, 2].lower == 1
    assert found[1, 2].equal == 1


def test_ties_survive_rounding_and_systems_without_a_score_have_no_order():
    values = np.array([0.1 + 0.2, 0.3, np.nan])
    repeated = np.array([[0.1 + 0.2], [0.3], [0.3]])
    (found,) = orders_of(values, repeated, [0, 1, 2])
    assert {found.first, found.second} == {0, 1}
    assert found.equal == 1


def test_only_systems_of_the_same_task_are_put_in_order():
    values, repeated = np.arange(3.0), np.arange(3.0)[:, None]
    assert {(one.first, one.second) for one in orders_of(values, repeated, [0, 2])} == {(0, 2)}
