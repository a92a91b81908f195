"""From estimates to findings: families, significance, what could have been detected, IDs."""

import re

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tiltmeter.claims.judge import Rule, judge_differences
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES, FINDINGS, validate

ROW = {
    "system": "s", "task": "valence", "corpus": "eec", "edition": "corrected", "mode": "corrected",
    "axis": "gender", "contrast": "female-male", "reference": "male", "subset": "all",
    "measure": "mean_difference", "value": 0.01, "unit": "scale", "se": 0.002, "low": 0.006,
    "high": 0.014, "statistic": 5.0, "df": 99.0, "p": 0.5, "n": 100, "n_dropped": 0,
}  # fmt: skip
SCHEMA = {
    name: pl.Float64 if column.dtype == "Float64" else pl.Int64 if column.dtype == "Int64"
    else pl.String
    for name, column in ESTIMATES.columns.items()
}  # fmt: skip


def estimates(*changes):
    rows = [ROW | change for change in changes]
    return validate(pl.DataFrame(rows, schema=SCHEMA), ESTIMATES)


def named(count, **changes):
    return [{"system": f"s{number}", **changes} for number in range(count)]


def as_findings(found):
    told = found.with_columns(sentence=pl.lit("."))
    return validate(told.select(*FINDINGS.columns), FINDINGS)


def test_the_family_is_every_comparison_on_the_subset():
    # 3 systems × 2 tasks × 2 corpora × 2 contrasts
    rows = [
        {"system": system, "task": task, "corpus": corpus, "axis": axis, "contrast": contrast}
        for system in "abc"
        for task in ("joy", "anger")
        for corpus in ("eec", "eec-es")
        for axis, contrast in (("gender", "female-male"), ("race", "A-B"))
    ]
    found = judge_differences(estimates(*rows))
    assert found["family"].unique().to_list() == [24]
    as_findings(found)


def test_every_other_subset_is_a_family_of_its_own_and_exploratory():
    found = judge_differences(
        estimates(*named(6), *named(4, subset="neutral"), *named(2, subset="template:1"))
    )
    families = found.group_by("subset", maintain_order=True).agg(pl.col("family", "rule").unique())
    assert {subset: family for subset, (family,), _ in families.rows()} == {
        "all": 6, "neutral": 4, "template:1": 2
    }  # fmt: skip
    for subset, _, (rule,) in families.rows():
        assert rule.startswith("exploratory: ") == (subset != "all")


def test_other_measures_are_neither_judged_nor_counted():
    found = judge_differences(
        estimates({}, {"measure": "spread", "p": None}, {"measure": "sign_flip"})
    )
    assert found.height == 1
    assert found["family"].to_list() == [1]


def test_a_system_without_scores_counts_and_a_contrast_without_pairs_does_not():
    nothing = {"value": None, "se": None, "low": None, "high": None, "p": None, "df": None, "n": 0}
    without_scores = {"system": "b", "n_dropped": 100, **nothing}
    without_pairs = {"contrast": "female-nobody", **nothing}
    found = judge_differences(estimates({}, without_scores, without_pairs))
    assert found["family"].unique().to_list() == [2]
    assert found["significance"].to_list() == ["none", "not_estimable", "not_estimable"]
    assert found["p_adjusted"].to_list() == [1.0, None, None]
    as_findings(found)


def test_where_nothing_can_be_compared_nothing_is_divided_by_zero():
    found = judge_differences(estimates({"value": None, "se": None, "p": None, "df": None, "n": 0}))
    assert found.select("significance", "family").rows() == [("not_estimable", 1)]


@pytest.mark.parametrize(
    ("p", "significance"), [(0.05 / 438 * 0.999, "up"), (0.05 / 438 * 1.001, "none")]
)
def test_the_papers_family_of_438_can_be_given(p, significance):
    found = judge_differences(estimates({"p": p}), Rule(family=438))
    assert found["significance"].to_list() == [significance]
    assert found["family"].to_list() == [438]
    assert found["p_adjusted"].to_list() == [pytest.approx(p * 438)]


def test_219_systems_on_two_axes_make_the_papers_family_without_being_told():
    rows = named(219) + named(219, axis="race", contrast="A-B")
    assert judge_differences(estimates(*rows))["family"].unique().to_list() == [438]


def test_a_given_family_holds_for_every_subset():
    found = judge_differences(estimates(*named(2), *named(2, subset="neutral")), Rule(family=10))
    assert found["family"].unique().to_list() == [10]


@pytest.mark.parametrize(
    ("value", "p", "significance"),
    [(0.1, 0.01, "up"), (-0.1, 0.01, "down"), (0.1, 0.05, "none"), (-0.1, 0.2, "none"),
     (0.1, 0.0, "up"), (0.0, 1.0, "none"), (0.1, None, "not_estimable")],
)  # fmt: skip
def test_significance(value, p, significance):
    found = judge_differences(estimates({"value": value, "p": p}))
    assert found["significance"].to_list() == [significance]


def test_the_corrections_lead_to_their_own_findings():
    # p = 0.001, 0.02, 0.03, 0.04, of five with 0.9. Bonferroni: 0.005, 0.1, …; Holm: 0.005, 0.08,
    # …; Benjamini–Hochberg: 0.005, 0.05, 0.05, 0.05; at the level 0.06 it detects four.
    rows = [{"system": f"s{at}", "p": p} for at, p in enumerate((0.001, 0.02, 0.03, 0.04, 0.9))]
    counts = {
        name: judge_differences(estimates(*rows), Rule(name, level=0.06))["significance"]
        .to_list()
        .count("up")
        for name in ("bonferroni", "holm", "bh")
    }
    assert counts == {"bonferroni": 1, "holm": 1, "bh": 4}


def test_what_could_have_been_detected_by_hand():
    # se 0.002, df 99, level 0.05/2: t(0.9875, 99) = 2.2760, t(0.8, 99) = 0.8453
    found = judge_differences(estimates(*named(2)))["detectable"][0]
    assert found == pytest.approx((2.2760 + 0.8453) * 0.002, rel=1e-4)
    theirs = stats.t.ppf(1 - 0.05 / 4, 99) + stats.t.ppf(0.8, 99)
    assert found == pytest.approx(theirs * 0.002, rel=1e-9)


def test_such_a_difference_is_detected_four_times_in_five():
    # noncentral t: the power of a two-sided test at 0.05/2 against the detectable difference
    found = judge_differences(estimates(*named(2)))["detectable"][0]
    reach, shift = stats.t.ppf(1 - 0.05 / 4, 99), found / 0.002
    power = stats.nct.sf(reach, 99, shift) + stats.nct.cdf(-reach, 99, shift)
    assert power == pytest.approx(0.8, abs=0.005)


def test_without_spread_nothing_is_said_of_what_could_have_been_detected():
    found = judge_differences(estimates({"se": 0.0}, {"se": None, "system": "b"}))
    assert found["detectable"].to_list() == [None, None]


def test_the_largest_families_leave_a_finite_detectable_difference():
    found = judge_differences(estimates({}), Rule(family=10**17))["detectable"][0]
    assert np.isfinite(found)


def test_the_rule_is_said_in_words():
    assert Rule().text(4) == (
        "paired t-test, two-sided, level 0.05 after Bonferroni correction for 4 comparisons"
    )
    assert Rule("holm", 0.01).text(1, exploratory=True) == (
        "exploratory: paired t-test, two-sided, level 0.01 after Holm correction for 1 comparison"
    )
    assert Rule("bh", family=438).text(4) == (
        "paired t-test, two-sided, level 0.05 after Benjamini–Hochberg correction for 438 "
        "comparisons, a number given by the user (4 were made)"
    )
    assert judge_differences(estimates({}))["rule"].to_list() == [Rule().text(1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"correction": "bonferoni"}, "did you mean 'bonferroni'"),
        ({"family": 0}, "at least 1 comparison; found 0"),
        ({"level": 5}, "between 0 and 1, as in 0.05; found 5"),
        ({"level": 0}, "between 0 and 1"),
        ({"level": float("nan")}, "between 0 and 1"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(given, message):
    with pytest.raises(TiltmeterError, match=re.escape(message)):
        Rule(**given)


def test_ids_are_unique_stable_and_safe_in_an_address():
    rows = [
        {"system": system, "task": task, "subset": subset}
        for system in ("s", "s/..?#", "<b>", "séß")
        for task in ("joy", "anger")
        for subset in ("all", "neutral", 'template:"1"')
    ]
    found = judge_differences(estimates(*rows))
    ids = dict(zip(found.select("system", "task", "subset").rows(), found["id"], strict=True))
    assert len(set(ids.values())) == len(rows)
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in ids.values())
    again = judge_differences(
        estimates(*reversed(rows)).with_columns(value=pl.lit(0.5)), Rule("holm")
    )
    assert ids == dict(
        zip(again.select("system", "task", "subset").rows(), again["id"], strict=True)
    )


def test_an_id_written_down_stays():
    # sha256 of the JSON list of the keys; a change here breaks the links in everybody's reports
    assert judge_differences(estimates({}))["id"].to_list() == ["4717fe12ed97b29b"]


def test_names_that_only_look_alike_have_their_own_ids():
    alike = [
        {"contrast": "a-b-c", "reference": "c"},
        {"contrast": "a-b-c", "reference": "b-c"},
        {"system": "a\x1fb", "task": "c"},
        {"system": "a", "task": "b\x1fc"},
    ]
    found = judge_differences(estimates(*alike))
    assert found["id"].n_unique() == 4
    as_findings(found)


def test_nothing_estimated_gives_no_findings():
    found = judge_differences(estimates().head(0))
    assert found.height == 0
    as_findings(found)


@pytest.mark.parametrize("family", [1.5, True, 2**63])
def test_a_family_is_a_whole_number_that_a_table_can_hold(family):
    with pytest.raises(TiltmeterError, match=r"^family needs at least 1 comparison"):
        Rule(family=family)
