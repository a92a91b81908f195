"""Three verdicts: by hand, against statsmodels, at their promised rates, and their odd cases."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.claims.judge import Rule, judge_tilts, levels
from tiltmeter.claims.verdict import Margins, p_beyond, p_decides, p_within, thresholds
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES


def rows_of(*tilts, unit="scale", subset="names"):
    """Estimates of claims from (axis, value, se, df), all of the error from ten people."""
    rows = []
    for axis, value, se, df in tilts:
        keys = {
            "system": "s", "task": "valence", "corpus": "c", "edition": "e", "mode": "corrected",
            "axis": axis, "contrast": "a-b", "reference": "b", "subset": subset, "unit": unit,
        }  # fmt: skip
        known = {"low": None, "high": None, "statistic": None, "p": 0.5, "n_dropped": 0}
        rows.append(keys | known | {"measure": "tilt", "value": value, "se": se, "df": df, "n": 10})
        for name, share in (("people", se), ("floor", 0.0), ("words", 0.0), ("noise", 0.0)):
            of = {"measure": f"tilt_{name}", "value": share, "se": None, "df": df, "n": 10}
            rows.append(keys | known | of)
    schema = {name: getattr(pl, column.dtype) for name, column in ESTIMATES.columns.items()}
    return pl.DataFrame(rows, schema)


def test_two_one_sided_tests_are_statsmodels():
    from statsmodels.stats.weightstats import DescrStatsW

    apart = np.random.default_rng(0).normal(0.008, 0.01, 30)
    value, se = apart.mean(), apart.std(ddof=1) / np.sqrt(30)
    known, _, _ = DescrStatsW(apart).ttost_mean(-0.01, 0.01)
    assert p_within(value, se, 29, 0.01) == pytest.approx(known)
    # Beyond the margin, or as far on the other side, where a true difference is the margin.
    above = DescrStatsW(apart).ttest_mean(0.01, "larger")[1]
    far = DescrStatsW(apart).ttest_mean(-0.01, "larger")[1]
    assert p_beyond(value, se, 29, 0.01) == pytest.approx(above + far)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(0.03, "tilted"), (-0.03, "tilted"), (0.001, "even"), (0.01, "undecided")],
)
def test_one_of_three(value, verdict):
    (row,) = judge_tilts(rows_of(("gender", value, 0.003, 20))).iter_rows(named=True)
    assert (row["verdict"], row["margin"]) == (verdict, 0.01)


def test_a_margin_by_axis_and_by_contrast():
    margins = Margins(0.01, {"race": 0.05, "age:a-b": 0.002})
    found = judge_tilts(
        rows_of(("gender", 0.03, 0.003, 20), ("race", 0.03, 0.003, 20), ("age", 0.001, 0.0, 9)),
        margins=margins,
    )
    assert found["margin"].to_list() == [0.01, 0.05, 0.002]
    assert found["verdict"].to_list() == ["tilted", "even", "even"]


def test_the_family_makes_it_harder_both_ways():
    one = rows_of(("gender", 0.0, 0.0045, 20))
    assert judge_tilts(one)["verdict"].to_list() == ["even"]  # P(T < −2.22) = 0.019
    assert judge_tilts(one, Rule(family=10))["verdict"].to_list() == ["undecided"]
    other = rows_of(("gender", 0.02, 0.0045, 20))
    assert judge_tilts(other)["verdict"].to_list() == ["tilted"]
    assert judge_tilts(other, Rule(family=10))["verdict"].to_list() == ["undecided"]


def test_claims_by_names_and_by_couples_are_one_family():
    both = pl.concat([
        rows_of(("gender", 0.0, 0.003, 20), ("race", 0.0, 0.003, 20)),
        rows_of(("gender", 0.0, 0.003, 20), subset="couples"),
    ])  # fmt: skip
    found = judge_tilts(both)
    assert found["family"].to_list() == [3, 3, 3]
    assert not found["rule"].str.starts_with("exploratory").any()


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh"])
def test_the_interval_shown_is_the_one_that_decides(correction):
    """Within the margin exactly where even, wholly beyond it exactly where tilted."""
    rng = np.random.default_rng(3)
    tilts = [(f"a{n}", v, s, 12) for n, (v, s) in enumerate(
        zip(rng.normal(0, 0.012, 60), rng.uniform(0.0005, 0.006, 60), strict=True))]  # fmt: skip
    found = judge_tilts(rows_of(*tilts), Rule(correction))
    within = (found["low"] > -0.01) & (found["high"] < 0.01)
    beyond = (found["low"] > 0.01) | (found["high"] < -0.01)
    assert within.to_list() == (found["verdict"] == "even").to_list()
    assert beyond.to_list() == (found["verdict"] == "tilted").to_list()
    assert {"even", "tilted", "undecided"} == set(found["verdict"])


def test_the_interval_is_students_at_the_corrected_level():
    """0.004 ± t(1 − 0.05/10) · 0.001 with 20 degrees of freedom: 2.845, two-sided 0.01."""
    (row,) = judge_tilts(
        rows_of(("gender", 0.004, 0.001, 20)), Rule(family=5)
    ).iter_rows(named=True)  # fmt: skip
    assert row["level"] == pytest.approx(0.01)
    assert row["high"] - row["value"] == pytest.approx(0.001 * 2.8453, rel=1e-4)
    assert row["value"] - row["low"] == pytest.approx(row["high"] - row["value"])


def test_holms_levels_are_those_at_which_it_rejects():
    p = np.array([0.004, 0.02, 0.03, 0.9])
    # 0.05/4 and 0.05/3 are passed by 0.004 alone: the rest are held to 0.05/3.
    assert levels(p, 4, "holm", 0.05) == pytest.approx([0.0125, 0.05 / 3, 0.05 / 3, 0.05 / 3])
    assert levels(p, 4, "bh", 0.05) == pytest.approx([0.05 * 3 / 4] * 4)


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.0, "even"), (0.02, "tilted"), (0.01, "undecided")]
)
def test_without_any_spread_it_is_certain_but_on_the_margin(value, verdict):
    assert judge_tilts(rows_of(("gender", value, 0.0, 20)))["verdict"].to_list() == [verdict]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (rows_of(("gender", 0.1, 0.01, 9), unit="native"), "give --scale"),
        (rows_of(("gender", 0.1, None, None)), "too few people"),
        (rows_of(("gender", None, None, None)).with_columns(n=pl.lit(0, pl.Int64)), "no pair"),
    ],
)
def test_what_cannot_be_judged_says_why(rows, why):
    (row,) = judge_tilts(rows).iter_rows(named=True)
    assert row["verdict"] == "not_estimable"
    assert why in row["reason"]


def test_without_a_scale_there_is_no_verdict_even_of_nothing():
    found = judge_tilts(rows_of(("gender", 0.0, 0.0, 9), unit="native"))
    assert found["verdict"].to_list() == ["not_estimable"]


def test_nothing_to_judge_is_an_empty_table():
    found = judge_tilts(rows_of(("gender", 0.0, 0.0, 9)).clear())
    assert found.is_empty()
    assert {"verdict", "margin", "p_decides", "level", "needed_people"} <= set(found.columns)


def test_an_undecided_one_says_how_many_people_would_decide():
    (row,) = judge_tilts(rows_of(("gender", 0.0, 0.008, 1e6))).iter_rows(named=True)
    assert row["verdict"] == "undecided"
    # Two-sided 95 %, four times in five: z(0.975) + z(0.9) = 3.2415 errors fit into the margin, and
    # all of the error is people's: 10 · (0.008 · 3.2415/0.01)² = 67.2.
    assert row["needed_people"] == 68


@pytest.mark.parametrize("truth", [0.0, 0.005, 0.00999, 0.01001, 0.02])
def test_wrong_verdicts_come_at_most_at_the_level(truth):
    """With 10 degrees of freedom: the wrong one of two verdicts at most 5 times in 100."""
    rng = np.random.default_rng(1)
    draws, df, se = 20_000, 10, 0.004
    value = rng.normal(truth, se, draws)
    error = se * np.sqrt(rng.chisquare(df, draws) / df)
    decided = p_decides(value, error, df, 0.01) < 0.05
    inside = np.abs(value) < 0.01
    wrong = np.mean(decided & (~inside if truth <= 0.01 else inside))
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)


def test_the_thresholds_have_their_reasons():
    known = thresholds()
    assert known["margin"] == Margins().default == 0.01
    assert all(f"{name}_reason" in known for name in ("margin", "level", "power"))


def test_a_correction_that_is_not_there_is_refused():
    with pytest.raises(TiltmeterError, match="correction"):
        Rule("bonferoni")
