"""Every effect of a regression as one plain sentence."""

from types import SimpleNamespace

import polars as pl
import pytest

from tiltmeter.schemas import FINDINGS, validate
from tiltmeter.studies.regression.wording import stars, unestimated, with_regression_sentences

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


FITS = pl.DataFrame([FIT | {"reason": None}], schema_overrides={"reason": pl.String})


def frame(
    *effects, value=0.012, low=0.004, high=0.020, p=0.01, significance="up",
    measure="marginal_effect",
):  # fmt: skip
    rows = [{
        "id": "0", "system": "s", "task": "joy", "corpus": "eec-arab", "edition": "corrected",
        "mode": "corrected", "subset": "own-emotion", "measure": measure, **effect,
        "value": value, "low": low, "high": high, "p": p, "p_adjusted": p, "family": 3,
        "n": 1400, "n_dropped": 0, "significance": significance, "verdict": None, "margin": None,
        "rule": "", "unit": "scale", "se": 0.004, "detectable": 0.015,
    } for effect in effects]  # fmt: skip
    kinds = {"verdict": pl.String, "margin": pl.Float64} | dict.fromkeys(
        ("value", "low", "high", "p", "p_adjusted"), pl.Float64
    )
    return pl.DataFrame(rows, schema_overrides=kinds)


def told(effect, value=0.012, low=0.004, high=0.020, p=0.01, significance="up", reason=None):
    judged = frame(effect, value=value, low=low, high=high, p=p, significance=significance)
    fits = FITS.with_columns(reason=pl.lit(reason, pl.String))
    found = with_regression_sentences(judged, PHRASES, fits)
    return validate(found, FINDINGS)["sentence"][0]


def test_a_detected_effect_says_who_is_scored_higher_and_by_how_much():
    assert told(GENDER) == (
        "s: sentences about women are scored 1.2 points of 100 higher than sentences about men "
        "(joy, eec-arab; 95 % interval 0.4 to 2.0, p = 0.01 after correction, 1,400 sentences "
        "with words of joy, 40 names in 7 templates)."
    )


def test_an_effect_below_zero_is_told_from_the_other_side():
    said = told(GENDER, -0.012, -0.020, -0.004, significance="down")
    assert "sentences about men are scored 1.2 points of 100 higher than sentences about women" in (
        said
    )
    assert "95 % interval 0.4 to 2.0" in said


@pytest.mark.parametrize(
    ("value", "more", "less"), [(0.012, "Arab", "Anglo"), (-0.012, "Anglo", "Arab")]
)
def test_a_product_is_a_difference_of_differences(value, more, less):
    # (Arab women − Arab men) − (Anglo women − Anglo men): women against men, Arab against Anglo
    low, high = sorted((value / 3, value * 5 / 3))
    said = told(BOTH, value, low, high)
    assert said.startswith(
        "s: sentences about women, compared with those about men, are scored 1.2 points of 100 "
        f"higher with {more} names than with {less} names (joy, eec-arab; 95 % interval 0.4 to 2.0,"
    )


def test_a_product_without_a_difference_names_both_comparisons_once():
    said = told(BOTH, -0.002, -0.010, 0.006, 0.6, "none")
    assert said.startswith(
        "No difference detected for s, sentences about women compared with those about men, with "
        "Arab names and with Anglo names (joy, eec-arab; 0.20 points of 100 higher with Anglo "
        "names, 95 % interval"
    )


def test_an_effect_of_nothing_is_said_to_be_0():
    assert "(joy, eec-arab; an effect of 0, 95 % interval" in told(
        GENDER, 0.0, -0.001, 0.001, 1.0, "none"
    )


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
        "sentences with Arab names are scored 1.2 points of 100 higher than those of all groups on "
        "average"
    ) in told(effect)
    assert (
        "sentences with Arab names are scored 1.2 points of 100 lower than those of all groups"
    ) in told(effect, -0.012, -0.020, -0.004, significance="down")


def test_the_papers_coefficient_says_at_which_group_it_holds_the_other_axis():
    # Of least squares with a product, β of gender is women − men among the reference: Anglo names.
    both = frame(GENDER, BOTH, measure="least_squares")
    found = with_regression_sentences(both, PHRASES, FITS)["sentence"]
    assert "higher than sentences about men, all with Anglo names (joy" in found[0]
    assert "all with" not in found[1]
    averaged = with_regression_sentences(frame(GENDER, BOTH), PHRASES, FITS)["sentence"]
    assert "all with" not in averaged[0]


@pytest.mark.parametrize(("reason", "told"), [(None, "the mixed model"), ("of ties", "of ties")])
def test_what_has_no_effects_is_listed_with_the_reason(reason, told):
    findings = pl.DataFrame({"system": ["s"], "task": ["joy"], "significance": ["not_estimable"]})
    fits = pl.DataFrame(
        {"system": ["s", "t"], "task": ["joy", "joy"], "reason": [reason, None]},
        schema_overrides={"reason": pl.String},
    )
    found = unestimated(SimpleNamespace(findings=findings, fits=fits))
    assert list(found.values()) == [["s (joy)"]]
    assert next(iter(found)).startswith(told)


@pytest.mark.parametrize(
    ("contrast", "reference"),
    [("female-male:a:b-c", "male:c"), ("female-male:c-a:b", "male:a:b")],
)
def test_a_group_with_a_colon_in_its_name_is_still_one_group(contrast, reference):
    said = told({"axis": "gender:race", "contrast": contrast, "reference": reference})
    assert "sentences about women, compared with those about men, are scored" in said
    assert "marked “a:b”" in said
    assert "marked “c”" in said


def test_no_difference_larger_than_the_scale_is_said_to_be_seen():
    wide = frame(GENDER, BOTH, significance="none").with_columns(detectable=pl.lit(1.2))
    found = with_regression_sentences(wide, PHRASES, FITS)["sentence"]
    assert found[0].endswith("; the data could have shown none of any size).")
    # A difference of two differences may be twice the scale.
    assert found[1].endswith("; the data could have shown one of 120 points of 100).")


@pytest.mark.parametrize(
    ("subset", "which"),
    [("neutral", " without an emotion word"), ("template:3", " of template 3"), ("all", "")],
)
def test_the_sentence_says_which_sentences_it_is_of(subset, which):
    rows = frame(GENDER).with_columns(subset=pl.lit(subset))
    said = with_regression_sentences(rows, PHRASES, FITS)["sentence"][0]
    assert f"1,400 sentences{which}, 40 names in 7 templates" in said


def test_the_stars_are_the_papers():
    assert [stars(p) for p in (0.0, 0.01, 0.010001, 0.05, 0.0501, 0.1, 0.1001, None)] == [
        "***", "***", "**", "**", "*", "*", "", ""
    ]  # fmt: skip
