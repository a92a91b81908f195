"""Three verdicts: by hand, against statsmodels, at their promised rates, and their odd cases."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import Margins, Rule, judged_tilts, p_beyond, p_within, thresholds
from tiltmeter.tables import ESTIMATES


def rows_of(*tilts, unit="scale", subset="all"):
    """Estimates of tilts from (axis, value, se, df), with what each is made of."""
    rows = []
    for axis, value, se, df in tilts:
        keys = {
            "system": "s", "task": "valence", "corpus": "c", "edition": "e", "mode": "corrected",
            "axis": axis, "contrast": "a-b", "reference": "b", "subset": subset, "unit": unit,
        }  # fmt: skip
        known = {"low": None, "high": None, "statistic": None, "p": 0.5, "n_dropped": 0}
        rows.append(keys | known | {"measure": "tilt", "value": value, "se": se, "df": df, "n": 10})
        for name, share, n in (("people", se, 20), ("templates", 0.0, 7), ("words", 0.0, 5)):
            of = {"measure": f"tilt_{name}", "value": share, "se": None, "df": df, "n": n}
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
    (row,) = judged_tilts(rows_of(("gender", value, 0.003, 20))).iter_rows(named=True)
    assert (row["verdict"], row["margin"]) == (verdict, 0.01)


def test_a_margin_by_axis_and_by_contrast():
    margins = Margins(0.01, {"race": 0.05, "age:a-b": 0.002})
    found = judged_tilts(
        rows_of(("gender", 0.03, 0.003, 20), ("race", 0.03, 0.003, 20), ("age", 0.001, 0.0, 9)),
        margins=margins,
    )
    assert found["margin"].to_list() == [0.01, 0.05, 0.002]
    assert found["verdict"].to_list() == ["tilted", "even", "even"]


def test_the_family_makes_it_harder_both_ways():
    one = rows_of(("gender", 0.0, 0.0045, 20))
    assert judged_tilts(one)["verdict"].to_list() == ["even"]  # P(T < −2.22) = 0.019
    assert judged_tilts(one, Rule(family=10))["verdict"].to_list() == ["undecided"]
    other = rows_of(("gender", 0.02, 0.0045, 20))
    assert judged_tilts(other)["verdict"].to_list() == ["tilted"]
    assert judged_tilts(other, Rule(family=10))["verdict"].to_list() == ["undecided"]


def test_every_other_subset_is_exploratory_and_a_family_of_its_own():
    both = pl.concat([
        rows_of(("gender", 0.0, 0.004, 20), ("race", 0.0, 0.004, 20)),
        rows_of(("gender", 0.0, 0.004, 20), subset="neutral"),
    ])  # fmt: skip
    found = judged_tilts(both)
    assert found["family"].to_list() == [2, 2, 1]
    assert found["rule"].str.starts_with("exploratory").to_list() == [False, False, True]


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.0, "even"), (0.02, "tilted"), (0.01, "undecided")]
)
def test_without_any_spread_it_is_certain_but_on_the_margin(value, verdict):
    assert judged_tilts(rows_of(("gender", value, 0.0, 20)))["verdict"].to_list() == [verdict]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (rows_of(("gender", 0.1, 0.01, 9), unit="native"), "give --scale"),
        (rows_of(("gender", 0.1, None, None)), "too few people"),
        (rows_of(("gender", None, None, None)).with_columns(n=pl.lit(0, pl.Int64)), "no pair"),
    ],
)
def test_what_cannot_be_judged_says_why(rows, why):
    (row,) = judged_tilts(rows).iter_rows(named=True)
    assert row["verdict"] == "not_estimable"
    assert why in row["reason"]


def test_no_difference_at_all_is_even_on_any_scale():
    found = judged_tilts(rows_of(("gender", 0.0, 0.0, 9), unit="native"))
    assert found["verdict"].to_list() == ["even"]


def test_nothing_to_judge_is_an_empty_table():
    found = judged_tilts(rows_of(("gender", 0.0, 0.0, 9)).clear())
    assert found.is_empty()
    assert {"verdict", "margin", "p_tilted", "needed_people"} <= set(found.columns)


def test_an_undecided_one_says_how_many_people_would_decide():
    (row,) = judged_tilts(rows_of(("gender", 0.0, 0.008, 19))).iter_rows(named=True)
    assert row["verdict"] == "undecided"
    # For even, se must fall to about 0.01 / 2.93; all of it is people's: 20 · (0.008 · 2.93/0.01)²
    assert row["needed_people"] == pytest.approx(20 * (0.8 * 2.9264) ** 2, rel=0.05)
    assert row["needed_templates"] is None


@pytest.mark.parametrize("truth", [0.0, 0.005, 0.00999, 0.01001, 0.02])
def test_wrong_verdicts_come_at_most_at_the_level(truth):
    """With 10 degrees of freedom: the wrong one of two verdicts at most 5 times in 100."""
    rng = np.random.default_rng(1)
    draws, df, se = 20_000, 10, 0.004
    value = rng.normal(truth, se, draws)
    error = se * np.sqrt(rng.chisquare(df, draws) / df)
    tilted = np.mean(p_beyond(value, error, df, 0.01) < 0.05)
    even = np.mean(p_within(value, error, df, 0.01) < 0.05)
    wrong = tilted if truth <= 0.01 else even
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)


def test_the_thresholds_have_their_reasons():
    known = thresholds()
    assert known["margin"] == Margins().default == 0.01
    assert all(f"{name}_reason" in known for name in ("margin", "level", "power"))


def test_a_correction_that_is_not_there_is_refused():
    with pytest.raises(TiltmeterError, match="correction"):
        Rule("bonferoni")
