"""Bootstrap skill: by hand, against SciPy on the very same resamples, and by simulation."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats import bootstrap
from tiltmeter.stats.bootstrap import (
    Bootstrap,
    mean_draws,
    pearson_draws,
    percentile_interval,
    resample_counts,
    spearman_draws,
)
from tiltmeter.studies.skill.measure import AGREEMENT, UNITS, Sample, skill_study

EXACT = {"rel": 0, "abs": 1e-12}
QUICK = Bootstrap(resamples=200)


@pytest.fixture(scope="module")
def noisy():
    """Six systems on 60 texts, with ties, gaps, other scales and a constant."""
    rng = np.random.default_rng(4)
    gold = np.round(rng.random(60), 1)
    values = np.linspace(-0.5, 1, 6)[:, None] * gold + rng.normal(0, 0.3, (6, 60))
    values[1] = np.round(values[1], 1)
    values[2, ::7] = np.nan
    values[3] = 1e6 + 1e3 * values[3]
    values[4] = 0.3
    return values, gold


def table_of(scores, gold, groups=None, *, raw=None, how=QUICK):
    """The study of systems' scores (a row each) against gold, all of them on 0 to 1."""
    ids = [f"t{nth}" for nth in range(len(gold))]
    rows = [
        pl.DataFrame({"system": f"s{nth}", "task": "valence", "id": ids, "score": one, "raw": own})
        for nth, (one, own) in enumerate(zip(scores, scores if raw is None else raw, strict=True))
    ]
    truth = pl.DataFrame({"id": ids, "task": "valence", "score": gold, "gold": "g"})
    if groups is not None:
        truth = truth.with_columns(group=pl.Series(groups, dtype=pl.String))
    both = pl.concat(rows).with_columns(pl.col("score", "raw").cast(pl.Float64).fill_nan(None))
    keys = both.select("system", "task").unique(maintain_order=True)
    by = None if groups is None else "dialect"
    return skill_study(both, truth, keys, bootstrap=how, by=by).table


def one(table, measure, **keys):
    [row] = table.filter(pl.col("measure") == measure, **keys).to_dicts()
    return row


# ---------------------------------------------------------------- resamples


def test_a_resample_draws_as_many_texts_as_there_are_from_each_part():
    chunks = list(resample_counts([5, 3], 1000, seed=0))
    five, three = (np.hstack([chunk[part] for chunk in chunks]) for part in (0, 1))
    assert five.shape == (5, 1000)
    assert three.shape == (3, 1000)
    assert (five.sum(axis=0) == 5).all()
    assert (three.sum(axis=0) == 3).all()
    # each text is drawn Binomial(5, 1/5): mean 1, variance 5 · 0.2 · 0.8 = 0.8
    assert five.mean() == 1
    assert five.var() == pytest.approx(0.8, abs=0.04)


def test_draws_depend_on_the_seed_and_not_on_how_many_are_held_at_a_time(monkeypatch):
    whole = np.hstack([chunk[0] for chunk in resample_counts([7, 4], 50, seed=3)])
    other = np.hstack([chunk[0] for chunk in resample_counts([7, 4], 50, seed=4)])
    monkeypatch.setattr(bootstrap, "CELLS", 40)
    monkeypatch.setattr(bootstrap, "LEAST", 1)
    small = list(resample_counts([7, 4], 50, seed=3))
    assert len(small) > 10
    np.testing.assert_array_equal(np.hstack([chunk[0] for chunk in small]), whole)
    assert (whole != other).any()


def test_numbers_in_a_resample_by_hand():
    # Drawn: texts 1, 2, 3, 3. x = 1 2 4 4, mean 2.75; y = 1 2 3 3, mean 2.25.
    # Σ dx·dy = 1.75·1.25 + 0.75·0.25 + 2·(1.25·0.75) = 4.25; Σ dx² = 3.0625 + 0.5625 + 3.125 =
    # 6.75; Σ dy² = 1.5625 + 0.0625 + 1.125 = 2.75; r = 4.25 / √(6.75 · 2.75).
    counts = np.array([[1.0], [1.0], [2.0], [0.0]])
    x, y = np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0])
    assert pearson_draws(x, y, counts)[0, 0] == pytest.approx(4.25 / np.sqrt(6.75 * 2.75), **EXACT)
    # Ranks 1 2 3.5 3.5 on both sides: ρ = 1. With y = 1 3 2: ranks 1 4 2.5 2.5, mean 2.5, so
    # Σ = (−1.5)(−1.5) + (−0.5)(1.5) + 0 = 1.5; Σ dx² = 2.25 + 0.25 + 2 = 4.5, Σ dy² = 4.5; ρ = 1/3.
    assert spearman_draws(x, y, counts)[0, 0] == pytest.approx(1, **EXACT)
    y = np.array([1.0, 3.0, 2.0, 9.0])
    assert spearman_draws(x, y, counts)[0, 0] == pytest.approx(1 / 3, **EXACT)
    # mean of 1, 2, 4, 4
    assert mean_draws(x, counts)[0, 0] == pytest.approx(2.75, **EXACT)


def test_every_draw_is_scipy_s_on_the_same_texts(noisy):
    values, gold = noisy
    [[counts]] = resample_counts([60], 40, seed=1)
    found = pearson_draws(values, gold, counts), spearman_draws(values, gold, counts)
    means = mean_draws(values, counts)
    for row, one_system in enumerate(values):
        for draw in range(40):
            x, y = (np.repeat(side, counts[:, draw].astype(int)) for side in (one_system, gold))
            x, y = x[~np.isnan(x)], y[~np.isnan(x)]
            assert means[row, draw] == pytest.approx(x.mean(), rel=1e-12)
            if np.ptp(x) == 0:
                assert np.isnan([one[row, draw] for one in found]).all()
                continue
            r, rho = stats.pearsonr(x, y).statistic, stats.spearmanr(x, y).statistic
            assert found[0][row, draw] == pytest.approx(r, rel=0, abs=1e-9)
            assert found[1][row, draw] == pytest.approx(rho, **EXACT)


def test_the_interval_is_scipy_s_percentile_bootstrap(noisy):
    values, gold = noisy
    x, how = values[5], Bootstrap(resamples=9_999)
    found = table_of([x], gold, how=how)
    for name, measure in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        expected = stats.bootstrap(
            (x, gold), lambda a, b, of=measure: of(a, b).statistic, paired=True, vectorized=False,
            method="percentile", n_resamples=999, rng=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip
        row = one(found, name)
        # quantiles of 999 draws vary by about a tenth of the interval
        width = expected.high - expected.low
        assert row["low"] == pytest.approx(expected.low, abs=width / 8)
        assert row["high"] == pytest.approx(expected.high, abs=width / 8)


def test_quantiles_leave_out_draws_without_a_number_and_too_many_void_the_interval():
    draws = np.tile(np.arange(100.0), (3, 1))
    draws[1, :4] = np.nan  # 96 left, from 4 to 99: 4 + 0.025 · 95 and 99 − 0.025 · 95
    draws[2, :6] = np.nan
    low, high = percentile_interval(draws, 0.05)
    assert low[:2] == pytest.approx([2.475, 6.375])
    assert high[:2] == pytest.approx([96.525, 96.625])
    assert np.isnan([low[2], high[2]]).all()


# ---------------------------------------------------------------- the study


def test_the_numbers_by_hand():
    # off: 0.1, −0.1, 0; |off| mean 0.0667, mean 0. x: −0.3, −0.1, 0.4 from the mean 0.5; gold
    # −0.4, 0, 0.4: r = (0.12 + 0.16) / √(0.26 · 0.32)
    sample = Sample(*2 * (np.array([[0.2, 0.4, 0.9]]),), np.array([0.1, 0.5, 0.9]))
    found = {name: value[0] for name, value in sample.numbers().items()}
    assert found == pytest.approx(
        {"pearson": 0.28 / np.sqrt(0.26 * 0.32), "spearman": 1, "mae": 0.2 / 3, "mean_error": 0},
        rel=0, abs=1e-12,
    )  # fmt: skip
    # gold 0.1, 0.5, 0.9: variance (0.16 + 0 + 0.16) / 2
    assert sample.gold_sd[0] == pytest.approx(0.4, **EXACT)


def test_the_table_keeps_to_its_columns_and_says_the_units(noisy):
    values, gold = noisy
    table = table_of(values, gold, ["a", "b", "b"] * 20)
    assert table.schema == AGREEMENT
    assert dict(table.select("measure", "unit").unique().rows()) == UNITS
    # 6 systems × 4 measures × (all, a, b, a − b)
    assert table.height == 96
    known = table.drop_nulls(["value", "low"])
    assert (known["low"] <= known["high"]).all()


def test_a_group_s_numbers_and_differences_are_those_of_its_texts(noisy):
    values, gold = noisy
    x = np.clip(np.abs(values[5]), 0, 1)
    groups = np.array(["b", "a", "a"] * 20)
    table = table_of([x], gold, groups)
    r = {name: stats.pearsonr(x[groups == name], gold[groups == name])[0] for name in "ab"}
    for name in "ab":
        row = one(table.filter(pl.col("against").is_null()), "pearson", group=name)
        assert row["value"] == pytest.approx(r[name], **EXACT)
        assert row["gold_sd"] == pytest.approx(gold[groups == name].std(ddof=1), **EXACT)
    row = one(table.drop_nulls("against"), "pearson")
    assert (row["group"], row["against"], row["n"], row["n_against"]) == ("b", "a", 20, 40)
    assert row["value"] == pytest.approx(r["b"] - r["a"], **EXACT)
    off = x - gold
    row = one(table.drop_nulls("against"), "mean_error")
    expected = off[groups == "b"].mean() - off[groups == "a"].mean()
    assert row["value"] == pytest.approx(expected, **EXACT)


def test_with_more_groups_each_stands_against_all_others(noisy):
    values, gold = noisy
    x = np.clip(np.abs(values[5]), 0, 1)
    groups = np.array(["c", "a", "b"] * 20)
    table = table_of([x], gold, groups)
    differences = table.drop_nulls("against").filter(measure="spearman")
    assert differences.select("group", "against", "n", "n_against").rows() == [
        ("c", "others", 20, 40), ("a", "others", 20, 40), ("b", "others", 20, 40),
    ]  # fmt: skip
    mine = groups == "a"
    expected = stats.spearmanr(x[mine], gold[mine])[0] - stats.spearmanr(x[~mine], gold[~mine])[0]
    assert differences["value"][1] == pytest.approx(expected, **EXACT)


def test_groups_are_drawn_each_by_itself():
    # Off by 0.1 throughout in one group and by −0.2 in the other: whatever is drawn within the
    # groups, the difference is 0.3. Drawn over both together, the means would vary.
    gold = np.tile([0.3, 0.5, 0.7, 0.4], 5)
    groups = np.repeat(["a", "b"], 10)
    table = table_of([gold + np.where(groups == "a", 0.1, -0.2)], gold, groups)
    row = one(table.drop_nulls("against"), "mean_error")
    assert [row[name] for name in ("value", "low", "high")] == pytest.approx([0.3] * 3, **EXACT)
    overall = one(table.filter(pl.col("group").is_null()), "mean_error")
    assert overall["high"] - overall["low"] > 0.05


def test_neither_company_nor_groups_change_a_system_s_numbers(noisy):
    values, gold = noisy
    together = table_of(values, gold, ["a", "b"] * 30).filter(pl.col("group").is_null())
    for nth in (0, 2, 5):
        alone = table_of(values[nth : nth + 1], gold)
        same = together.filter(system=f"s{nth}")
        for name in ("value", "low", "high"):
            assert same[name].to_list() == pytest.approx(alone[name].to_list(), rel=1e-12)


def test_the_same_seed_gives_the_same_and_another_one_another(noisy):
    values, gold = noisy
    first, again = (table_of(values, gold) for _ in range(2))
    assert first.equals(again)
    other = table_of(values, gold, how=Bootstrap(resamples=200, seed=1))
    assert other["value"].equals(first["value"])
    assert not other["low"].equals(first["low"])


def test_a_constant_system_has_no_correlation_and_says_so_but_has_an_error():
    gold = np.linspace(0, 1, 30)
    table = table_of([np.full(30, 0.5)], gold)
    for name in ("pearson", "spearman"):
        row = one(table, name)
        assert row["value"] is row["low"] is None
        assert row["reason"] == "its scores are all the same, so no correlation can be given"
    assert one(table, "mae")["value"] == pytest.approx(np.abs(gold - 0.5).mean())


def test_without_a_scale_or_with_gold_on_another_there_is_no_error_to_give():
    gold = np.linspace(0, 1, 30)
    none = np.full((1, 30), np.nan)
    table = table_of(none, gold, raw=np.linspace(3, 40, 30)[None, :] ** 2)
    assert one(table, "pearson")["value"] > 0.9
    assert one(table, "mae")["value"] is None
    assert one(table, "mae")["reason"].startswith("its scale is not known")
    table = table_of([gold], 6 * gold - 3)
    assert one(table, "pearson")["value"] == pytest.approx(1)
    reason = one(table, "mean_error")["reason"]
    assert reason == "the gold scores lie from −3 to 3, not within 0 to 1"


def test_too_few_texts_give_null_with_the_reason_and_so_does_their_difference():
    gold = np.linspace(0, 1, 30)
    groups = ["a"] * 28 + ["b"] * 2
    table = table_of([gold**2], gold, groups)
    small = table.filter(group="b")
    assert small["value"].null_count() == 4
    assert set(small["reason"]) == {"2 texts; at least 3 are needed"}
    differences = table.drop_nulls("against")
    assert set(differences["reason"]) == {"b: 2 texts; at least 3 are needed"}


def test_an_interval_that_many_resamples_cannot_give_is_left_out():
    # Of four texts three have the same gold: drawn again, (3/4)^4 = 32 % are without the fourth.
    table = table_of([[0.1, 0.5, 0.3, 0.9]], np.array([0.2, 0.2, 0.2, 0.8]))
    row = one(table, "pearson")
    assert row["value"] is not None
    assert row["low"] is None
    assert row["reason"] == "no interval: more than 5 % of the resamples give no number"


def test_missing_scores_are_counted_and_left_out():
    gold = np.linspace(0, 1, 20)
    x = np.where(np.arange(20) % 4 == 0, np.nan, gold**2)
    row = one(table_of([x], gold), "mae")
    known = ~np.isnan(x)
    assert (row["n"], row["n_missing"]) == (15, 5)
    assert row["value"] == pytest.approx(np.abs(x - gold)[known].mean(), **EXACT)


def test_adjusted_intervals_are_wider_and_need_enough_resamples(noisy):
    values, gold = noisy
    three = values[[0, 1, 5]]
    how = Bootstrap(resamples=600)  # 2 · 5 · 3 / 0.05
    table = table_of(three, gold, ["a", "b"] * 30, how=how).drop_nulls("against")
    assert (table["low_adjusted"] <= table["low"]).all()
    assert (table["high_adjusted"] >= table["high"]).all()
    assert (table["high_adjusted"] > table["high"]).any()
    few = table_of(three, gold, ["a", "b"] * 30, how=Bootstrap(resamples=599))
    assert few["low_adjusted"].null_count() == few.height
    said = table_of(three, gold, ["a", "b"] * 30, how=Bootstrap(resamples=599, family=1))
    differences = said.drop_nulls("against")
    assert differences["low_adjusted"].equals(differences["low"], check_names=False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"level": 0.95}, "level is 0.95; expected a number above 0 and below 0.5"),
        ({"level": 0}, "level is 0"),
        ({"resamples": 10}, "resamples is 10; expected a whole number of at least 200"),
        ({"resamples": 10**9}, "resamples is 1,000,000,000; expected at most 1,000,000"),
        ({"resamples": 1000.5}, "resamples is 1000.5"),
        ({"seed": -1}, "seed is -1; expected a whole number of at least 0"),
        ({"family": 0}, "family is 0; expected a whole number of at least 1"),
    ],
)
def test_settings_that_make_no_interval_are_refused(wrong, message):
    with pytest.raises(TiltmeterError, match=message):
        Bootstrap(**wrong)


# ---------------------------------------------------------------- simulation


def alarms(rng, runs, noise_of_b, shift_of_b=0.0):
    """How often, by measure, the interval of a − b does not hold 0: 80 texts in each group."""
    groups, found = np.repeat(["a", "b"], 80), list[pl.DataFrame]()
    for run in range(runs):
        gold = rng.beta(2, 2, 160)
        noise = rng.normal(0, 0.15, 160) * np.where(groups == "a", 1.0, noise_of_b)
        x = gold + noise + np.where(groups == "a", 0.0, shift_of_b)
        how = Bootstrap(resamples=200, seed=run)
        found.append(table_of([x], gold, groups, how=how).drop_nulls("against"))
    table = pl.concat(found)
    outside = (pl.col("low") > 0) | (pl.col("high") < 0)
    return dict(table.group_by("measure").agg(outside.mean()).rows())


@pytest.mark.slow
def test_where_no_group_is_treated_worse_about_one_interval_in_twenty_raises_an_alarm():
    # 200 runs: a share of 5 % has a standard error of 1.5 %; percentile intervals from 200
    # resamples of 80 texts are a little too narrow.
    found = alarms(np.random.default_rng(8), 200, 1.0)
    for share in found.values():
        assert 0.01 < share < 0.10, found


def test_a_system_that_is_worse_for_one_group_is_found():
    found = alarms(np.random.default_rng(9), 25, 2.5)
    assert found["pearson"] > 0.9
    assert found["spearman"] > 0.9
    assert found["mae"] > 0.9
    found = alarms(np.random.default_rng(10), 25, 1.0, shift_of_b=0.1)
    assert found["mean_error"] > 0.9
    assert found["pearson"] < 0.3
