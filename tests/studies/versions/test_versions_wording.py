"""A change between two versions in words: golden sentences, and what numbers look like."""

import polars as pl
import pytest

from tiltmeter.studies.paired.wording import Sides
from tiltmeter.studies.versions.wording import (
    answers_sentence,
    change_numbers,
    drift_answer,
    sentence,
)

SIDES = Sides("about women", "about men")
ROW = {
    "old_system": "a", "new_system": "b", "task": "valence", "corpus": "eec",
    "edition": "corrected", "axis": "gender", "contrast": "female-male", "reference": "male",
    "unit": "scale", "margin": 0.01, "old": 0.001, "new": 0.031, "change": 0.03,
    "change_se": 0.002, "change_low": 0.026, "change_high": 0.034, "size_change": 0.03,
    "size_low": 0.0255, "size_high": 0.0345, "p_same_adjusted": 1.0, "p_size_adjusted": 0.00001,
    "n": 40, "n_dropped": 0, "subset": "names", "templates": 11, "needed_people": None,
    "reason": None, "verdict": "worse", "family": 4, "total": 0.032,
    "total_se": 0.002, "undecided_because": None,
}  # fmt: skip


def test_worse():
    assert sentence(ROW, SIDES) == (
        "Worse: the gender tilt of a → b by names grew by 3.0 points of 100, from 0.1 points "
        "higher about women to 3.1 points higher about women (valence, eec; 95 % interval 2.5 to "
        "3.5, p < 0.001 after correction, 40 names)."
    )


def test_better_says_by_how_much_without_a_sign():
    turned = ROW | {"verdict": "better", "old": 0.031, "new": -0.001, "change": -0.032,
                    "change_low": -0.036, "change_high": -0.028, "size_change": -0.03,
                    "size_low": -0.034, "size_high": -0.026, "n_dropped": 3}  # fmt: skip
    assert sentence(turned, SIDES) == (
        "Better: the gender tilt of a → b by names shrank by 3.0 points of 100, from 3.1 points "
        "higher about women to 0.1 points higher about men (valence, eec; 95 % interval −3.4 to "
        "−2.6, p < 0.001 after correction, 40 names, 3 without a score)."
    )


def test_same_says_the_margin():
    alike = ROW | {"verdict": "same", "old_system": "b", "new": 0.0012, "change": 0.0002,
                   "change_low": -0.001, "change_high": 0.0014,
                   "p_same_adjusted": 0.002}  # fmt: skip
    assert sentence(alike, SIDES) == (
        "Same within 1 point of 100: the gender tilt of b by names changed by 0.02 points, from "
        "0.10 points higher about women to 0.12 points higher about women (valence, eec; 95 % "
        "interval −0.10 to 0.14, p = 0.002 after correction, 40 names)."
    )


def test_same_says_so_where_the_tilt_surely_moved_but_by_less_than_the_margin():
    moved = ROW | {"verdict": "same", "old_system": "b", "new": -0.003, "change": -0.004,
                   "change_se": 0.0, "change_low": -0.004, "change_high": -0.004,
                   "p_same_adjusted": 0.0}  # fmt: skip
    assert sentence(moved, SIDES) == (
        "Same within 1 point of 100: the gender tilt of b by names changed by −0.40 points, "
        "surely but by less than that, from 0.10 points higher about women to 0.30 points higher "
        "about men (valence, eec; exact: the same in every sentence, p < 0.001 after correction, "
        "40 names)."
    )


def test_a_certain_change_that_is_larger_than_the_margin_has_no_interval_without_width():
    certain = ROW | {"size_change": 0.03, "size_low": 0.03, "size_high": 0.03}
    assert sentence(certain, SIDES) == (
        "Worse: the gender tilt of a → b by names grew by 3.0 points of 100, from 0.1 points "
        "higher about women to 3.1 points higher about women (valence, eec; exact: the same in "
        "every sentence, p < 0.001 after correction, 40 names)."
    )


@pytest.mark.parametrize(
    ("because", "other", "why"),
    [
        ("may_exceed", {}, "A change of more than 1 point of 100 fits the data too."),
        ("moved_may_exceed", {},
         "It surely changed; by more than 1 point of 100 or by less is not shown."),
        ("may_be_none", {},
         "With other names like these there may be no change."),
        ("many_looks", {}, "By itself this would be a change; allowing for all 4 comparisons "
         "made, there may be none."),
        ("which_larger", {}, "It surely changed. Whether the tilt is now larger or smaller than it "
         "was is not shown."),
        ("which_larger", {"old": -0.02, "new": 0.02, "total": 0.0},
         "It surely changed. It turned around, and whether the tilt is now larger or smaller than "
         "it was is not shown."),
        ("which_larger", {"old": -0.02, "new": 0.02, "total": 0.0, "total_se": 0.0},
         "It surely changed. It turned around, and the tilt is as large as it was."),
    ],
)  # fmt: skip
def test_undecided_says_why_and_what_would_decide_it(because, other, why):
    row = {"verdict": "undecided", "undecided_because": because, "needed_people": 120}
    said = sentence(ROW | row | other, SIDES)
    end = "If it is as seen, about 120 names (here 40) would decide it."
    assert said.endswith(f"40 names). {why} {end}")


def test_where_nothing_practical_would_decide_it_that_is_said():
    said = sentence(ROW | {"verdict": "undecided", "undecided_because": "may_be_none"}, SIDES)
    assert said.endswith("No number of names would decide it.")


def test_not_estimable_says_why():
    row = ROW | {"verdict": "not_estimable", "reason": "its scale is not known"}
    assert sentence(row, SIDES) == (
        "Not estimable for a → b by names (valence, eec): its scale is not known."
    )  # fmt: skip


def test_the_numbers_of_a_row_have_the_same_decimals():
    assert change_numbers(ROW) == ["0.1", "3.1", "3.0", "2.6 to 3.4"]
    assert change_numbers(ROW | {"unit": "native"}) == ["–"] * 4


ANSWERS = {
    "old_system": "s", "new_system": "s", "task": "valence", "corpus": "eec", "unit": "scale",
    "margin": 0.01, "texts": 100, "changed": 80, "largest": -0.2, "apart": 0.05, "noise": 0.02,
    "beyond": 0.03, "beyond_low": 0.025, "beyond_high": 0.035, "verdict": "drifted", "reason": "",
}  # fmt: skip


def test_answers_then_and_now():
    assert answers_sentence(ANSWERS) == (
        "s (valence, eec): 80 of 100 answers changed, the most by −20 points; an answer of then "
        "and one of now are 5.0 points apart on average, two of one time 2.0 points: more than "
        "noise (3.0 points, 95 % interval 2.5 to 3.5 beyond it)."
    )
    less = answers_sentence(ANSWERS | {"beyond_low": -0.01})
    assert ": no more than noise (" in less
    alike = answers_sentence(ANSWERS | {"beyond_low": 0.03, "beyond_high": 0.03})
    assert ": more than noise (3.0 points, the same for every text, beyond it)." in alike
    grown = ANSWERS | {"beyond": -0.03, "beyond_low": -0.04, "beyond_high": -0.02}
    assert "the noise is larger than it was" in answers_sentence(grown)


def test_what_drifted_is_said():
    answers = pl.DataFrame([ANSWERS])
    changes = pl.DataFrame({"verdict": ["worse", "same"]})
    assert drift_answer("drifted", answers, changes) == (
        "Drifted: answers moved by more than 1 point of 100 beyond noise and 1 of 2 tilts changed."
    )
    steady = answers.with_columns(verdict=pl.lit("steady"))
    open_ = pl.DataFrame({"verdict": ["undecided", "same"]})
    assert drift_answer("undecided", steady, open_) == (
        "Undecided: answers are steady, but 1 of 2 tilts may have moved by 1 point of 100 or more."
    )
