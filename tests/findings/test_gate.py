"""A gate read from text, and the decision, on tables made by hand."""

import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import Decision, Gate, Limit, decide, gate_given, parse_gate


def tilt(axis="gender", verdict="even", **given):
    """One judged tilt as `judged_tilts` gives it."""
    contrast = {"gender": "female-male", "race": "African American-European American"}.get(axis)
    return {
        "system": "vader", "task": "valence", "corpus": "eec", "edition": "corrected",
        "axis": axis, "contrast": contrast, "reference": contrast.split("-")[-1], "subset": "all",
        "unit": "scale", "value": 0.002, "low": -0.001, "high": 0.005, "margin": 0.01,
        "verdict": verdict, "needed_people": None, "needed_templates": None, "reason": None,
    } | given  # fmt: skip


SCHEMA = {
    "needed_people": pl.Float64, "needed_templates": pl.Float64, "reason": pl.String,
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
}  # fmt: skip


def tilts(*rows):
    return pl.DataFrame(list(rows), schema_overrides=SCHEMA)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "text",
    ["gender<=0.01, race<=0.02", "gender ≤ .01,race<2e-2", " gender<0.01 ,\n race <= 0.020,, "],
)
def test_a_gate_is_read_however_it_is_spaced(text):
    assert parse_gate(text).limits == (Limit("gender", 0.01), Limit("race", 0.02))


def test_a_contrast_goes_before_its_axis_and_that_before_the_star():
    gate = parse_gate("*<=0.03, race<=0.02, race:Anglo-Latino<=0.01")
    assert gate.limit("race", "Anglo-Latino").margin == 0.01
    assert gate.limit("race", "Anglo-Arab").margin == 0.02
    assert gate.limit("age", "young-old").margin == 0.03
    assert parse_gate("race:a-b<=0.01").limit("race", "a-c") is None


def test_a_contrast_may_hold_blanks_and_hyphens():
    limit = parse_gate("race:African American-European American<=0.02").limits[0]
    assert (limit.axis, limit.contrast) == ("race", "African American-European American")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "would judge nothing"),
        (" , ,", "would judge nothing"),
        ("gender", "expected AXIS<=MARGIN"),
        ("gender=0.01", "expected AXIS<=MARGIN"),
        ("gender>=0.01", "expected AXIS<=MARGIN"),
        ("<=0.01", "expected AXIS<=MARGIN"),
        ("gender<=0.01<=0.02", "expected AXIS<=MARGIN"),
        ("gender<=small", "expected AXIS<=MARGIN"),
        ("gender<=0", "above 0 and below 1"),
        ("gender<=-0.01", "above 0 and below 1"),
        ("gender<=nan", "above 0 and below 1"),
        ("gender<=inf", "above 0 and below 1"),
        ("gender<=1", "0.01 is 1 point of 100"),
        ("gender<=1.5", "above 0 and below 1"),
        ("gender<=1 point", "write it as a part of the scale: 0.01"),
        ("gender<=2.5%", "write it as a part of the scale: 0.025"),
        ("gender<=1.2.3 points", "expected AXIS<=MARGIN"),
        ("gender:<=0.01", "one contrast of it"),
        (":female-male<=0.01", "one contrast of it"),
        ("*:female-male<=0.01", "one contrast of it"),
        ("gender<=0.01, gender<=0.01", "names 'gender' twice"),
        ("*<=0.01, *<=0.02", "names '*' twice"),
    ],
)
def test_what_is_no_gate_is_refused_with_what_to_write(text, said):
    with pytest.raises(TiltmeterError) as refused:
        parse_gate(text)
    assert said in str(refused.value)


def test_undecided_is_fail_or_pass():
    with pytest.raises(TiltmeterError, match="undecided is 'pas': did you mean 'pass'"):
        parse_gate("gender<=0.01", "pas")
    assert gate_given(parse_gate("gender<=0.01"), "pass").undecided == "pass"
    assert gate_given(parse_gate("gender<=0.01", "pass")).undecided == "pass"


@pytest.mark.parametrize("margin", [True, "0.01", None, 0, float("nan"), [0.01]])
def test_a_table_holds_margins_and_nothing_else(margin):
    assert gate_given({"gender": 0.01}).limits == (Limit("gender", 0.01),)
    with pytest.raises(TiltmeterError, match="above 0 and below 1"):
        gate_given({"gender": margin})


def test_a_gate_of_another_kind_is_refused():
    with pytest.raises(TiltmeterError, match="found float for the gate"):
        gate_given(0.01)
    with pytest.raises(TiltmeterError, match="would judge nothing"):
        gate_given({})


# ---------------------------------------------------------------- deciding

ALL_AXES = parse_gate("*<=0.01")


@pytest.mark.parametrize(
    ("verdicts", "undecided", "outcome", "code"),
    [
        (("even", "even"), "fail", "pass", 0),
        (("even", "tilted"), "fail", "tilted", 1),
        (("undecided", "tilted"), "pass", "tilted", 1),  # tilted wins, whatever is let pass
        (("undecided", "even"), "fail", "undecided", 3),
        (("undecided", "even"), "pass", "pass", 0),
        (("not_estimable", "even"), "fail", "undecided", 3),
        (("not_estimable", "not_estimable"), "pass", "pass", 0),
    ],
)
def test_tilted_wins_over_undecided_and_undecided_over_even(verdicts, undecided, outcome, code):
    rows = tilts(tilt("gender", verdicts[0]), tilt("race", verdicts[1]))
    decision = decide(rows, Gate(ALL_AXES.limits, undecided))
    assert (decision.outcome, decision.exit_code) == (outcome, code)
    assert decision.passed is (code == 0)
    failing = sum(decision.fails(one) for one in decision.comparisons)
    assert (failing == 0) is decision.passed


def test_only_what_the_gate_names_is_judged():
    rows = tilts(tilt("gender", "even"), tilt("race", "tilted"))
    decision = decide(rows, parse_gate("gender<=0.01"))
    assert [one.axis for one in decision.comparisons] == ["gender"]
    assert decision.passed


def test_other_subsets_are_not_gated():
    rows = tilts(tilt("gender", "even"), tilt("gender", "tilted", subset="neutral"))
    assert decide(rows, ALL_AXES).passed


def test_a_verdict_nobody_knows_never_passes():
    assert decide(tilts(tilt("gender", "splendid")), ALL_AXES).outcome == "undecided"


def test_a_record_holds_what_was_judged():
    row = tilt("race", "undecided", needed_people=86.0, value=None, low=None, high=None)
    one = decide(tilts(row), ALL_AXES).comparisons[0]
    assert (one.first, one.second) == ("African American", "European American")
    assert (one.value, one.margin, one.needed_people) == (None, 0.01, 86)
    assert one.open


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("gendr<=0.01", "did you mean 'gender'?"),
        ("age<=0.01", "compared are gender, race"),
        ("gender:male-female<=0.01", "compared are female-male"),
        ("race:x-y<=0.01", "compared are African American-European American"),
    ],
)
def test_what_the_corpus_lacks_is_an_error_never_a_pass(gate, said):
    with pytest.raises(TiltmeterError) as refused:
        decide(tilts(tilt("gender"), tilt("race")), parse_gate(gate))
    assert said in str(refused.value)
    assert refused.value.exit_code == 2


def test_every_corpus_must_have_what_the_gate_names():
    rows = tilts(tilt("gender"), tilt("race"), tilt("gender", corpus="other"))
    assert decide(rows, parse_gate("gender<=0.01")).passed
    with pytest.raises(TiltmeterError, match="nothing of other was compared by it"):
        decide(rows, parse_gate("race<=0.01"))


def test_a_gate_that_judges_nothing_is_an_error():
    with pytest.raises(TiltmeterError, match="no tilt to judge"):
        decide(tilts(tilt()).clear(), ALL_AXES)
    with pytest.raises(TiltmeterError, match="no tilt to judge"):
        decide(tilts(tilt(subset="neutral")), ALL_AXES)
    with pytest.raises(TiltmeterError, match="judges nothing"):
        Decision(ALL_AXES, ())


def test_a_system_without_a_scale_is_asked_for_it():
    rows = tilts(*(tilt(system=f"s{n}", unit="native", verdict="not_estimable") for n in range(5)))
    with pytest.raises(TiltmeterError, match=r"the scale of s0, s1, s2 and 2 more is not known"):
        decide(rows, ALL_AXES)
    with pytest.raises(TiltmeterError, match=r"--scale LOW:HIGH"):
        decide(rows, Gate(ALL_AXES.limits, "pass"))
    beside = tilts(tilt("gender"), tilt("race", unit="native"))
    assert decide(beside, parse_gate("gender<=0.01")).passed


def test_tilts_judged_against_another_margin_are_refused():
    with pytest.raises(TiltmeterError, match=r"judged against 0\.02; the gate holds it to 0\.01"):
        decide(tilts(tilt(margin=0.02)), ALL_AXES)
