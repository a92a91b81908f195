"""Why a verdict is what it is, and what would decide it."""

import pytest

from tiltmeter.audit_run import LargerDraw
from tiltmeter.schemas import Verdict
from tiltmeter.studies.paired.advice import NextStep
from tiltmeter.studies.paired.submissions import ContrastPanel, ShownVerdict
from tiltmeter.studies.paired.verdict_reasons import RULES, Reason

PANEL = ContrastPanel(
    0, "gender", "female-male", "female", "male", "about women", "about men", people="names"
)


def reason(verdict, step=None, plan=""):
    tilt = ShownVerdict(verdict, 0.01, "What was found.", "male", None, None, None, None)
    return Reason(PANEL, tilt, "my system", step, plan).facts()


def test_every_verdict_has_a_rule_that_says_its_margin():
    assert set(RULES) == set(Verdict)
    tilted = reason(Verdict.TILTED)
    assert tilted["rule"].startswith("Tilted, because the whole 95 % interval lies beyond")
    assert "1 point of 100" in tilted["rule"]
    assert (tilted["verdict"], tilted["shape"][0], tilted["step"]) == ("tilted", "tilted", None)
    assert tilted["title"] == "Sentences about women and about men, by names"
    assert "within" in reason(Verdict.EVEN)["rule"]
    assert reason(Verdict.NO_SIGNAL)["shape"][0] == "no-signal"


@pytest.mark.parametrize(
    ("step", "plan", "command", "said"),
    [
        (NextStep(None, "no number of names decides it"), "tiltmeter plan x", "", "no number of"),
        (None, "tiltmeter plan x", "tiltmeter plan x", "says how many people"),
    ],
)
def test_an_undecided_verdict_says_what_would_decide_it(step, plan, command, said):
    found = reason(Verdict.UNDECIDED, step, plan)["step"]
    assert found["command"] == command
    assert said in found["said"]


def test_a_larger_draw_is_the_command_with_its_cost():
    draw = LargerDraw("eec", ("gender",), "names-us", 200, 36674)
    found = reason(Verdict.UNDECIDED, NextStep(draw, ""))["step"]
    assert found["command"] == "tiltmeter audit 'my system' --corpus names-us --people 200"
    assert found["said"] == "asks for 36,674 sentences."


def test_what_is_decided_needs_no_step():
    assert reason(Verdict.EVEN, None, "tiltmeter plan x")["step"] is None
