"""Formulas: what they stand for, and what is said of one that cannot be read."""

import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.regression.design import formula_of

TWO = ["gender", "race"]
THREE = ["gender", "race", "age"]


@pytest.mark.parametrize(
    ("text", "axes", "written_out"),
    [
        (None, ["gender"], "gender"),
        (None, TWO, "gender + race + gender:race"),
        (None, THREE, "gender + race + age + gender:race + gender:age + race:age"),
        ("gender", TWO, "gender"),
        ("race", TWO, "race"),
        ("gender + race", TWO, "gender + race"),
        ("race + gender", TWO, "race + gender"),
        ("gender * race", TWO, "gender + race + gender:race"),
        ("race * gender", TWO, "gender + race + gender:race"),
        ("gender*race", TWO, "gender + race + gender:race"),
        ("  gender  *  race  ", TWO, "gender + race + gender:race"),
        ("gender + race + gender:race", TWO, "gender + race + gender:race"),
        ("race:gender + gender + race", TWO, "gender + race + gender:race"),
        ("gender * race + gender", TWO, "gender + race + gender:race"),
        ("gender + gender", TWO, "gender"),
        ("gender * race + template", TWO, "gender + race + gender:race + template"),
        ("template + gender", TWO, "gender + template"),
        ("frame + gender + template + frame", TWO, "gender + frame + template"),
        ("gender + emotion_word", TWO, "gender + emotion_word"),
        (
            "gender * race * age",
            THREE,
            "gender + race + age + gender:race + gender:age + race:age + gender:race:age",
        ),
        ("gender * age + race", THREE, "gender + age + race + gender:age"),
    ],
)
def test_a_formula_written_out(text, axes, written_out):
    assert str(formula_of(text, axes)) == written_out


@pytest.mark.parametrize("text", [None, "gender * race", "gender * race + template", "race"])
def test_what_is_written_out_reads_as_the_same(text):
    once = formula_of(text, TWO)
    assert formula_of(str(once), TWO) == once


def test_axes_come_in_the_order_they_are_named():
    assert formula_of("race + gender", TWO).axes == ("race", "gender")
    assert formula_of(None, THREE).axes == tuple(THREE)
    assert formula_of("gender * race + frame", TWO).controls == ("frame",)


GAP = "has a gap; expected axes joined, as in gender * race + template"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", f"the formula '' {GAP}"),
        ("   ", f"the formula '   ' {GAP}"),
        ("gender +", f"the formula 'gender +' {GAP}"),
        ("+ gender", f"the formula '+ gender' {GAP}"),
        ("gender + + race", f"the formula 'gender + + race' {GAP}"),
        ("gender *", f"the formula 'gender *' {GAP}"),
        ("gender ** race", f"the formula 'gender ** race' {GAP}"),
        ("gender:", f"the formula 'gender:' {GAP}"),
        (":", f"the formula ':' {GAP}"),
        (
            "gendr",
            "the formula 'gendr' names 'gendr', which is no axis here: did you mean 'gender'?",
        ),
        (
            "gender * rase",
            "the formula 'gender * rase' names 'rase', which is no axis here: did you mean 'race'",
        ),
        (
            "gender + templat",
            "the formula 'gender + templat' names 'templat', which is no axis here: "
            "did you mean 'template'?",
        ),
        (
            "gender + zodiac",
            "the formula 'gender + zodiac' names 'zodiac', which is no axis here: "
            "there are gender, race, and template, emotion_word, frame as controls",
        ),
        (
            "gender race",
            "the formula 'gender race' names 'gender race', which is no axis here: ",
        ),
        (
            "gender * race : gender",
            "the formula 'gender * race : gender' mixes * and : in 'gender * race : gender'; "
            "join the two by +, as in gender * race + template",
        ),
        (
            "gender:race",
            "the formula 'gender:race' has gender:race without gender; write gender * race",
        ),
        (
            "gender + gender:race",
            "the formula 'gender + gender:race' has gender:race without race; write gender * race",
        ),
        (
            "gender * template",
            "the formula 'gender * template' multiplies by template, which is a control; "
            "add it instead, as in gender * race + template",
        ),
        (
            "gender:emotion_word",
            "the formula 'gender:emotion_word' multiplies by emotion_word, which is a control; "
            "add it instead, as in gender * race + template",
        ),
        (
            "gender * gender",
            "the formula 'gender * gender' multiplies an axis by itself in 'gender * gender'",
        ),
        ("template", "the formula 'template' names no axis; expected gender, race"),
        ("template + frame", "the formula 'template + frame' names no axis; expected gender, race"),
    ],
)
def test_what_cannot_be_read_is_said(text, says):
    with pytest.raises(TiltmeterError) as raised:
        formula_of(text, TWO)
    assert str(raised.value).startswith(says)


def test_a_product_of_three_needs_every_product_of_two():
    text = "gender + race + age + gender:race + gender:race:age"
    with pytest.raises(TiltmeterError) as raised:
        formula_of(text, THREE)
    assert str(raised.value) == (
        f"the formula {text!r} has gender:race:age without gender:age; write gender * race * age"
    )


def test_a_corpus_without_axes_is_said():
    with pytest.raises(TiltmeterError, match="there are none, and template"):
        formula_of("ethnicity", [])
