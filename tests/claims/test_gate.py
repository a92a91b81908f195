"""A gate read from text, and the decision, on tables made by hand."""

import polars as pl
import pytest

from tiltmeter.claims.gate import Decision, Gate, Limit, MovedLimit, decide, gate_given, parse_gate
from tiltmeter.claims.people_moved import judge_people_moved
from tiltmeter.claims.signal import Exclusions
from tiltmeter.claims.verdict import Margins
from tiltmeter.errors import TiltmeterError


def tilt(axis="gender", verdict="even", **given):
    """One judged tilt as `judge_tilts` gives it."""
    contrast = {"gender": "female-male", "race": "African American-European American"}.get(axis)
    return {
        "system": "vader", "task": "valence", "corpus": "eec", "edition": "corrected",
        "axis": axis, "contrast": contrast, "reference": contrast.split("-")[-1], "subset": "names",
        "unit": "scale", "value": 0.002, "low": -0.001, "high": 0.005, "margin": 0.01,
        "verdict": verdict, "needed_people": None, "reason": None, "n": 40, "se": 0.001,
        "family": 2,
    } | given  # fmt: skip


SCHEMA = {
    "needed_people": pl.Float64, "reason": pl.String,
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
        ("moved.race<=5%", "write it as a share of people: 0.05"),
        ("moved.race<=5", "a number from 0 to below 1"),
        ("moved.race<=-0.1", "a number from 0 to below 1"),
        ("moved.race<=few", "expected moved.AXIS<=SHARE"),
        ("moved.race", "expected moved.AXIS<=SHARE"),
        ("moved<=0.05", "of which axis?"),
        ("moved.<=0.05", "of which axis?"),
        ("moved.race:a-b<=0.05", "by group, not by contrast"),
        ("moved.race<=0.05, moved.race<=0.1", "names 'moved.race' twice"),
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


def test_an_axis_passes_only_where_both_names_and_couples_do():
    names, couples = tilt("gender", "even"), tilt("gender", "undecided", subset="couples")
    decision = decide(tilts(names, couples), parse_gate("gender<=0.01"))
    assert decision.outcome == "undecided"
    assert [one.people for one in decision.comparisons] == ["names", "couples"]
    couples = tilt("gender", "tilted", subset="couples")
    assert decide(tilts(names, couples), parse_gate("gender<=0.01")).outcome == "tilted"


def test_a_limit_on_people_moved_is_read():
    gate = parse_gate("moved.race <= .05, moved.* < 0.1, gender<=0.01")
    assert gate.moved == (MovedLimit("race", 0.05), MovedLimit("*", 0.1))
    assert gate.moved_limit("race").share == 0.05
    assert gate.moved_limit("gender").share == 0.1
    assert gate_given({"moved": {"race": 0.05}}) == gate_given({"moved.race": 0.05})
    assert parse_gate("moved.race<=0").moved[0].share == 0  # which a census can show


def moved(group, marked, low, high, people=60, **given):
    """An estimate of the share of people moved."""
    row = {
        "system": "vader", "task": "valence", "corpus": "eec", "edition": "corrected",
        "mode": "corrected", "axis": "race", "contrast": group, "reference": "", "subset": "names",
        "measure": "moved", "value": marked / people, "unit": "share", "se": None, "low": low,
        "high": high, "statistic": float(marked), "df": float(marked), "p": None, "n": people,
        "n_dropped": 0,
    }  # fmt: skip
    return row | given


MOVED_FEW = pl.DataFrame(
    [moved("Black", 3, 0.0104, 0.1392), moved("White", 0, 0.0, 0.0487)], infer_schema_length=None
)


@pytest.mark.parametrize(
    ("limit", "verdicts", "outcome"),
    [
        (0.2, ["even", "even"], "pass"),
        (0.1, ["undecided", "even"], "undecided"),
        (0.0487, ["undecided", "even"], "undecided"),  # the upper end may be the limit
        (0.01, ["tilted", "undecided"], "tilted"),
    ],
)
def test_each_groups_interval_is_held_to_the_share(limit, verdicts, outcome):
    gate = Gate((), "fail", (MovedLimit("race", limit),))
    found = judge_people_moved(MOVED_FEW, gate, Margins(0.02))
    assert found["verdict"].to_list() == verdicts
    decision = decide(tilts(tilt("race", "tilted")), gate, found)
    assert decision.outcome == outcome  # the tilt is not gated
    assert [one.contrast for one in decision.comparisons] == ["Black", "White"]
    assert {one.margin for one in decision.comparisons} == {0.02}
    assert decision.comparisons[0].moved == 3


def test_how_many_people_would_decide_a_share():
    gate = Gate((), "fail", (MovedLimit("race", 0.01),))
    needed = judge_people_moved(MOVED_FEW, gate, Margins())["needed_people"].to_list()
    # none seen: 1 − 0.05^(1/n) ≤ 0.01 from n = 299 on; the interval in hand is that of 60 people
    assert needed == [None, pytest.approx(299, abs=1)]
    at_the_limit = Gate((), "fail", (MovedLimit("race", 0.05),))
    assert (
        judge_people_moved(MOVED_FEW, at_the_limit, Margins())["needed_people"].to_list()[0] is None
    )


def test_a_system_without_a_signal_moves_nobody_and_does_not_pass():
    silent = Exclusions(no_signal={("vader", "valence", "eec"): "it answers the same to all words"})
    gate = Gate((), "fail", (MovedLimit("*", 0.2),))
    found = judge_people_moved(MOVED_FEW, gate, Margins(), silent)
    assert found["verdict"].to_list() == ["no_signal", "no_signal"]
    assert decide(tilts(tilt("race", "even")), gate, found).outcome == "undecided"


def test_a_limit_for_which_nobody_was_counted_never_passes():
    gate = parse_gate("moved.race<=0.1")
    with pytest.raises(TiltmeterError, match=r"moved\.race, and nobody was counted"):
        decide(tilts(tilt("race", "even")), gate)


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
    with pytest.raises(TiltmeterError, match=r"--scale s0=-5:5 "):
        decide(rows, Gate(ALL_AXES.limits, "pass"))
    beside = tilts(tilt("gender"), tilt("race", unit="native"))
    assert decide(beside, parse_gate("gender<=0.01")).passed


def test_tilts_judged_against_another_margin_are_refused():
    with pytest.raises(TiltmeterError, match=r"judged against 0\.02; the gate holds it to 0\.01"):
        decide(tilts(tilt(margin=0.02)), ALL_AXES)
