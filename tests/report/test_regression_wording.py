"""Every effect of a regression as one plain sentence."""

import polars as pl
import pytest

from tiltmeter.report import stars, with_regression_sentences
from tiltmeter.tables import FINDINGS, validate

PHRASES = {
    ("eec-arab", "gender", "female"): "about women",
    ("eec-arab", "gender", "male"): "about men",
    ("eec-arab", "race", "Arab"): "with Arab names",
    ("eec-arab", "race", "Anglo"): "with Anglo names",
}
FIT = {"system": "s", "task": "joy", "corpus": "eec-arab", "people": 40, "templates": 7}
GENDER = {"axis": "gender", "contrast": "female-male", "reference": "male"}
BOTH = {
    "axis": "gender:race",
    "contrast": "female-male:Arab-Anglo",
    "reference": "male:Anglo",
}


def told(effect, value=0.012, low=0.004, high=0.020, p=0.01, significance="up", reason=None):
    row = {
        "id": "0", "system": "s", "task": "joy", "corpus": "eec-arab", "edition": "corrected",
        "mode": "corrected", "subset": "own-emotion", "measure": "marginal_effect", **effect,
        "value": value, "low": low, "high": high, "p": p, "p_adjusted": p, "family": 3,
        "n": 1400, "n_dropped": 0, "significance": significance, "verdict": None, "margin": None,
        "rule": "", "unit": "scale", "se": 0.004, "detectable": 0.015,
    }  # fmt: skip
    kinds = {"verdict": pl.String, "margin": pl.Float64} | dict.fromkeys(
        ("value", "low", "high", "p", "p_adjusted"), pl.Float64
    )
    judged = pl.DataFrame([row], schema_overrides=kinds)
    fits = pl.DataFrame([FIT | {"reason": reason}], schema_overrides={"reason": pl.String})
    found = with_regression_sentences(judged, PHRASES, fits)
    return validate(found, FINDINGS)["sentence"][0]


def test_a_detected_effect_says_who_is_scored_higher_and_by_how_much():
    assert told(GENDER) == (
        "s: sentences about women are scored 1.2 points of 100 higher than sentences about men "
        "(joy, eec-arab; 95 % interval 0.4 to 2.0, p = 0.01 after correction, 1,400 sentences, "
        "40 names in 7 templates)."
    )


def test_an_effect_below_zero_is_told_from_the_other_side():
    said = told(GENDER, -0.012, -0.020, -0.004, significance="down")
    assert "sentences about men are scored 1.2 points of 100 higher than sentences about women" in (
        said
    )
    assert "95 % interval 0.4 to 2.0" in said


@pytest.mark.parametrize(("value", "word"), [(0.012, "more"), (-0.012, "less")])
def test_a_product_is_a_difference_of_differences(value, word):
    low, high = sorted((value / 3, value * 5 / 3))
    said = told(BOTH, value, low, high)
    assert (
        f"what sentences about women are scored above those about men is 1.2 points of 100 {word} "
        "with Arab names than with Anglo names"
    ) in said


def test_no_difference_detected_says_what_could_have_been_seen():
    said = told(GENDER, 0.002, -0.006, 0.010, 0.6, "none")
    assert said.startswith("No difference detected for s, sentences about women and about men (")
    assert "the data could have shown one of 1.5 points of 100" in said


def test_what_cannot_be_estimated_says_why():
    said = told(GENDER, None, None, None, None, "not_estimable", "all 1,400 scores are the same")
    assert said == (
        "Cannot be estimated for s, sentences about women and about men (joy, eec-arab), because "
        "all 1,400 scores are the same."
    )


def test_without_a_reference_a_group_stands_beside_the_average():
    effect = {"axis": "race", "contrast": "Arab-average", "reference": "average"}
    assert (
        "sentences with Arab names are scored 1.2 points of 100 higher than sentences of all "
        "groups on average"
    ) in told(effect)


def test_the_stars_are_the_papers():
    assert [stars(p) for p in (0.0, 0.01, 0.010001, 0.05, 0.0501, 0.1, 0.1001, None)] == [
        "***", "***", "**", "**", "*", "*", "", ""
    ]  # fmt: skip
