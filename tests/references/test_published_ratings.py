"""The paper's ratings from the paper's ψ: Tables 2 and 3 to Tables 6 and 7, exactly."""

import numpy as np
import pytest
from rating_tables import (
    COLUMNS,
    LEVELS,
    TABLE_2,
    TABLE_3,
    TABLE_6,
    TABLE_6_OVERALL,
    TABLE_7,
    TABLE_7_OVERALL,
)

from tiltmeter.studies.rating.grades import overall_ratings, ratings_of

TABLES = [
    pytest.param(TABLE_2, TABLE_6, TABLE_6_OVERALL, id="discretised"),
    pytest.param(TABLE_3, TABLE_7, TABLE_7_OVERALL, id="continuous"),
]


@pytest.mark.parametrize(("psi", "ratings", "overall"), TABLES)
def test_ratings_and_overall_ratings_are_the_papers(psi, ratings, overall):
    found = np.stack([ratings_of(np.array(psi[one], float), LEVELS) for one in COLUMNS], axis=-1)
    assert found.tolist() == [list(row) for row in ratings]
    # S_g†: (2 + 3 + 2 + 2 + 1 + 3)/6 = 2.17; S_r: (2 + 1 + 2 + 2 + 2 + 1)/6 = 1.67;
    # S_t: (1 + 2 + 1 + 1 + 1 + 2)/6 = 1.33; S_g: 7/6 = 1.17. No mean ends in .5.
    assert overall_ratings(found)[1].tolist() == list(overall)


def test_the_two_values_printed_swapped_are_rated_alike_either_way():
    swapped = np.array([23, 5.2, 0, 0, 3.8])
    assert ratings_of(swapped, LEVELS).tolist() == [row[2] for row in TABLE_6]


def test_x_may_as_well_be_the_value_printed_beside_it():
    # Group 2 prints {X, 16.16}, Group 4 {X, 18.18}: left out, four values split 2, 1, 1, so S_b
    # is alone in the third part. Kept in, the five would split 2, 2, 1 and S_g would be 2.
    kept = ratings_of(np.array([128.5, 10.87, 0, 0, 16.16]), LEVELS)
    assert kept.tolist() == [3, 2, 1, 1, 2]
    assert [row[1] for row in TABLE_6] == [3, 2, 1, 1, 3]
