"""How each person's sentences stand beside the same sentences of others."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.studies.paired.pairs import people_study
from tiny import scores_of, tiny

SENTENCES = tiny()
# In each frame: mother, father, Ann, Bea, Cal, Dan
LEVELS = np.array([0.5, 0.3, 0.1, 0.2, 0.3, 0.4])


def study(values, sentences=SENTENCES, **options):
    found = people_study(sentences, scores_of(sentences, values, **options), ["gender", "race"])
    return dict(zip(found.people["person"], found.deviations[0], strict=True))


def test_a_person_is_compared_with_everyone_of_the_same_match():
    # mother/father: mean 0.4; names: mean (0.1 + 0.2 + 0.3 + 0.4)/4 = 0.25
    found = study(np.tile(LEVELS, 3))
    assert found == pytest.approx({
        "my mother": 0.1, "my father": -0.1, "Ann": -0.15, "Bea": -0.05, "Cal": 0.05, "Dan": 0.15,
    })  # fmt: skip


def test_the_table_of_people_counts_their_sentences():
    found = people_study(SENTENCES, scores_of(SENTENCES, np.tile(LEVELS, 3)), ["gender", "race"])
    assert found.people.columns == ["person", "match", "gender", "race", "n"]
    assert found.people["n"].to_list() == [3] * 6
    assert found.people.row(2) == ("Ann", "names", "female", "A", 3)


def test_a_frame_in_which_everyone_scores_high_moves_nobody():
    moved = np.concatenate([LEVELS, LEVELS + 0.4, LEVELS + 0.1])
    assert study(moved) == pytest.approx(study(np.tile(LEVELS, 3)))


def test_a_missing_score_is_left_out_of_the_average():
    values = np.tile(LEVELS, 3)
    values[5] = np.nan  # Dan in the first frame: the mean there is 0.6/3 = 0.2
    found = study(values)
    assert found["Dan"] == pytest.approx(0.15)  # from the other two frames
    # Ann: (−0.1 − 0.15 − 0.15)/3
    assert found["Ann"] == pytest.approx(-0.4 / 3)


def test_whoever_has_nobody_beside_them_has_no_number():
    values = np.tile(LEVELS, 3)
    values[[1, 7, 13]] = np.nan  # the father, throughout
    found = study(values)
    assert np.isnan(found["my father"])
    assert np.isnan(found["my mother"])
    assert found["Ann"] == pytest.approx(-0.15)


def test_a_match_of_one_person_has_no_number_either():
    alone = SENTENCES.filter(pl.col("person") != "my father")
    assert np.isnan(study(np.full(15, 0.5), alone)["my mother"])


def test_nobody_is_compared_with_themselves():
    mother = SENTENCES.filter(pl.col("person") == "my mother")
    twice = pl.concat([SENTENCES.filter(pl.col("match") == "names"), mother,
                       mother.with_columns(id=pl.col("id") + "/again")])  # fmt: skip
    assert np.isnan(study(np.linspace(0, 1, twice.height), twice)["my mother"])


def test_rounding_is_no_deviation():
    # The mean of four times 0.1 times 3 is not 0.3 to the last digit, and nobody deviates
    found = study(np.full(18, 0.1 * 3))
    assert set(found.values()) == {0.0}


def test_a_person_without_any_score_has_no_number():
    assert all(np.isnan(number) for number in study(np.full(18, np.nan)).values())
