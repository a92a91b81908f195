"""Who gives no signal, what it does to a verdict, and who leaves the family of comparisons."""

import polars as pl
import pytest

from tiltmeter.claims.judge import Rule, judge_differences, judge_tilts
from tiltmeter.claims.signal import AuditedSubmission, Exclusions, find_exclusions
from tiltmeter.schemas import ESTIMATES

BASE = {
    "task": "valence", "corpus": "c", "edition": "corrected", "mode": "corrected",
    "axis": "gender", "contrast": "female-male", "reference": "male", "subset": "all",
    "unit": "scale", "low": None, "high": None, "statistic": None, "n": 40, "n_dropped": 0,
}  # fmt: skip


def table(*rows):
    schema = {name: getattr(pl, column.dtype) for name, column in ESTIMATES.columns.items()}
    return pl.DataFrame([BASE | row for row in rows], schema)


def tilt(system, value=0.0, se=0.001, p=1.0, **more):
    return {
        "system": system,
        "measure": "tilt",
        "value": value,
        "se": se,
        "df": 20.0,
        "p": p,
        **more,
    }


def heard(value=0.9, p=0.0, df=100.0, n=40, statistic=50.0, subset="all", task="valence"):
    return {
        "system": "mine", "task": task, "axis": "", "contrast": "", "reference": "",
        "measure": "signal", "unit": "share of words", "subset": subset, "value": value, "se": None,
        "df": df, "p": p, "n": n, "statistic": statistic,
    }  # fmt: skip


def of(**more):
    return AuditedSubmission(
        **{"system": "mine", "task": "valence", "corpus": "c", "language": "es", **more}
    )


def no_signal(*rows, **more):
    return find_exclusions(table(*rows), [of(**more)]).no_signal.get(
        ("mine", more.get("task", "valence"), "c")
    )


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (heard(), None),
        (heard(value=0.1), None),
        (heard(value=0.075), "tells 3 of 40 emotion words"),
        (heard(value=0.0, statistic=0.0, p=1.0), "answers the same to all 40 emotion words"),
        (heard(value=0.2, statistic=1.1, p=0.3), "no more from one of 40 emotion words to another"),
        (heard(value=0.2, statistic=3.0, p=0.05, df=12.0), None),
        (heard(value=None, statistic=None, p=None, n=0), None),
    ],
    ids=[
        "reads",
        "one word in ten",
        "fewer",
        "constant",
        "chance",
        "too small to tell",
        "no words",
    ],
)
def test_no_signal_from_what_was_measured(row, why):
    found = no_signal(row)
    assert found is None if why is None else why in found


@pytest.mark.parametrize(("share", "silent"), [(0.25, False), (0.2, True)])
def test_a_system_for_one_emotion_may_read_its_own_words_alone(share, silent):
    rows = heard(value=0.05, task="joy"), heard(value=share, n=10, subset="own-emotion", task="joy")
    assert (no_signal(*rows, task="joy") is not None) == silent


@pytest.mark.parametrize(
    ("reads", "language", "silent"),
    [
        (("en",), "es", True), (("en",), "en", False), (("en",), "en-GB", False),
        ((), "es", False), (("en",), "und", False), (("en", "es"), "es", False),
    ],
)  # fmt: skip
def test_a_language_that_a_system_says_it_does_not_read(reads, language, silent):
    found = no_signal(heard(), reads=reads, language=language)
    assert (found is not None) == silent
    if silent:
        assert found.startswith("it reads English, and the corpus c is in Spanish: choose a system")


def test_no_signal_stands_for_even_and_undecided_and_never_for_tilted():
    rows = [tilt("mine", value, contrast=f"{value}-male") for value in (0.0, 0.01, 0.03)]
    excluded = Exclusions(no_signal={("mine", "valence", "c"): "it reads nothing"})
    plain = judge_tilts(table(*rows))
    assert plain["verdict"].to_list() == ["even", "undecided", "tilted"]
    found = judge_tilts(table(*rows), exclusions=excluded)
    assert found["verdict"].to_list() == ["no_signal", "no_signal", "tilted"]
    assert found["reason"].to_list() == ["it reads nothing"] * 3
    assert found["needed_people"].null_count() == 3


def test_what_cannot_be_estimated_stays_so():
    excluded = Exclusions(no_signal={("mine", "valence", "c"): "it reads nothing"})
    rows = table(tilt("mine", None, None, None, n=0))
    assert judge_tilts(rows, exclusions=excluded)["verdict"].to_list() == ["not_estimable"]


CONTROLS = Exclusions(
    controls=frozenset({("control", "valence", "c")}),
    no_signal={("deaf", "valence", "c"): "it reads nothing"},
)


def paired(system, p):
    return {
        "system": system,
        "measure": "mean_difference",
        "value": 0.1,
        "se": 0.1,
        "df": 9.0,
        "p": p,
    }


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh"])
def test_controls_and_systems_without_a_signal_leave_the_family(correction):
    real = [paired("a", 0.02), paired("b", 0.03)]
    more = [paired("control", 0.001), paired("deaf", 0.9)]
    alone = judge_differences(table(*real), Rule(correction))
    found = judge_differences(table(*real, *more), Rule(correction), exclusions=CONTROLS)
    assert found["family"].to_list() == [2] * 4
    assert found["p_adjusted"][:2].to_list() == alone["p_adjusted"].to_list()
    assert found["p_adjusted"][2:].to_list() == [0.002, 1.0]  # each times the family
    assert found["rule"][0] == alone["rule"][0]
    assert found["rule"][2].startswith(alone["rule"][0] + ", of which this is none")


def test_a_family_of_ones_own_overrides_and_controls_alone_are_a_family():
    rows = table(paired("a", 0.02), paired("control", 0.001))
    assert (
        judge_differences(rows, Rule(family=438), exclusions=CONTROLS)["family"].to_list()
        == [438] * 2
    )
    alone = judge_differences(table(paired("control", 0.001)), exclusions=CONTROLS)
    assert (alone["family"][0], alone["p_adjusted"][0]) == (1, 0.001)
    assert "of which this is none" not in alone["rule"][0]
