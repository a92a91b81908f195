"""Correlations against SciPy and by hand, and what becomes of them: skill and ranks."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tiltmeter.claims.judge import judge_differences
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.stats.correlation import average_ranks, is_constant, pearson, spearman
from tiltmeter.studies.skill.measure import skill_study

EXACT = {"rel": 0, "abs": 1e-12}


@pytest.fixture(scope="module")
def noisy():
    """Thirty systems from hopeless to good on 200 texts, with ties and gaps."""
    rng = np.random.default_rng(4)
    gold = np.round(rng.random(200), 2)
    weight = np.linspace(-0.5, 1, 30)[:, None]
    values = weight * gold + rng.normal(0, 0.3, (30, 200))
    values[:, ::3] = np.round(values[:, ::3], 1)
    values[3, :50] = np.nan
    values[7, rng.integers(0, 200, 60)] = np.nan
    return values * np.geomspace(1e-3, 1e3, 30)[:, None] + 7, gold


def test_pearson_and_its_interval_are_scipy_s(noisy):
    values, gold = noisy
    found = pearson(values, gold)
    for nth, row in enumerate(values):
        both = ~np.isnan(row)
        expected = stats.pearsonr(row[both], gold[both])
        interval = expected.confidence_interval(0.95)
        assert found.n[nth] == both.sum()
        assert found.value[nth] == pytest.approx(expected.statistic, **EXACT)
        assert found.low[nth] == pytest.approx(interval.low, **EXACT)
        assert found.high[nth] == pytest.approx(interval.high, **EXACT)


def test_spearman_is_scipy_s_with_ties_and_gaps(noisy):
    values, gold = noisy
    found = spearman(values, gold)
    for nth, row in enumerate(values):
        both = ~np.isnan(row)
        rho = stats.spearmanr(row[both], gold[both]).statistic
        assert found.value[nth] == pytest.approx(rho, **EXACT)
        # Bonett & Wright (2000): atanh ρ ± 1.96 √((1 + ρ²/2) / (n − 3))
        reach = stats.norm.ppf(0.975) * np.sqrt((1 + rho**2 / 2) / (both.sum() - 3))
        assert found.low[nth] == pytest.approx(np.tanh(np.arctanh(rho) - reach), **EXACT)
        assert found.high[nth] == pytest.approx(np.tanh(np.arctanh(rho) + reach), **EXACT)


def test_ranks_are_scipy_s(noisy):
    values, _ = noisy
    expected = stats.rankdata(values, axis=1, nan_policy="omit")
    np.testing.assert_array_equal(average_ranks(values), expected)


def test_values_by_hand():
    # gold 1 2 3 4; predictions 1 2 4 3. Means 2.5; Σ dx·dy = (-1.5)(-1.5) + (-.5)(-.5) + 1.5·.5
    # + .5·1.5 = 4; Σ dx² = Σ dy² = 5; r = 4/5. The ranks are the values: ρ = r.
    predictions, gold = np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0])
    assert pearson(predictions, gold).value[0] == pytest.approx(0.8, **EXACT)
    assert spearman(predictions, gold).value[0] == pytest.approx(0.8, **EXACT)
    # n − 3 = 1: tanh(atanh 0.8 ± 1.959964) = tanh(1.098612 ± 1.959964); tanh(−0.861352) =
    # (e^−1.722704 − 1) / (e^−1.722704 + 1) = (0.178583 − 1) / 1.178583 = −0.69695
    assert pearson(predictions, gold).low[0] == pytest.approx(-0.69695, abs=1e-5)
    assert pearson(predictions, gold).high[0] == pytest.approx(0.99561, abs=1e-5)


def test_neither_scale_nor_order_nor_company_matters(noisy):
    values, gold = noisy
    order = np.random.default_rng(1).permutation(gold.size)
    for measure in (pearson, spearman):
        alone = measure(values[5:6], gold)
        turned = measure(-1000 - 250 * values[:, order], 3 * gold[order] - 9)
        assert turned.value[5] == pytest.approx(-alone.value[0], **EXACT)
        assert turned.low[5] == pytest.approx(-alone.high[0], **EXACT)


def test_an_exact_line_is_certain_and_never_beyond_one():
    gold = np.random.default_rng(2).random(50)
    found = pearson(np.stack([gold * 0.1 + 0.3, -gold]), gold)
    assert found.value == pytest.approx([1, -1], **EXACT)
    assert (np.abs(found.value) <= 1).all()
    assert (found.low[0], found.high[1]) == (pytest.approx(1), pytest.approx(-1))


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_what_does_not_vary_has_no_correlation(measure):
    gold = np.array([0.1, 0.4, 0.2, 0.9])
    still = [0.5] * 4
    dust = [0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5]  # below 1e-6 of the scale
    far = [1e6 + 1e-9, 1e6, 1e6, 1e6]
    none = [np.nan] * 4
    two = [0.1, 0.2, np.nan, np.nan]
    found = measure(np.array([still, dust, far, none, two]), gold)
    assert np.isnan(found.value).all()
    assert np.isnan(found.low).all()
    assert found.n.tolist() == [4, 4, 4, 0, 2]


def test_three_texts_give_a_value_but_no_interval():
    found = pearson(np.array([[0.1, 0.2, 0.4]]), np.array([1.0, 2.0, 3.0]))
    assert found.value[0] == pytest.approx(stats.pearsonr([0.1, 0.2, 0.4], [1, 2, 3]).statistic)
    assert np.isnan(found.low[0])
    assert np.isnan(found.high[0])


def test_the_gold_may_be_constant_on_what_a_system_has():
    found = pearson(np.array([[0.1, 0.2, 0.4, np.nan]]), np.array([0.5, 0.5, 0.5, 0.9]))
    assert np.isnan(found.value[0])


def test_numbers_at_the_edge_of_a_double_overflow_nowhere():
    gold = np.array([0.1, 0.4, 0.2, 0.9])
    huge = pearson(np.array([[1.0, 4.0, 2.0, 8.0]]) * 1e300, gold * 1e-3)
    assert huge.value[0] == pytest.approx(pearson(np.array([[1.0, 4.0, 2.0, 8.0]]), gold).value[0])


def test_small_differences_on_a_large_native_scale_still_count():
    assert is_constant(np.array([[100.0, 100.001, 100.0]])).tolist() == [False]


# ---------------------------------------------------------------- the study


def gold_frame(task="valence", name="tweets", scores=(0.1, 0.4, 0.2, 0.9, 0.6)):
    ids = [f"t{nth}" for nth in range(len(scores))]
    return pl.DataFrame(
        {"id": ids, "task": task, "gold": name, "score": list(scores)},
        {"id": pl.String, "task": pl.String, "gold": pl.String, "score": pl.Float64},
    )


def scores_frame(systems, task="valence"):
    rows = [
        (system, task, "tweets", f"t{nth}", 0, raw, None, None)
        for system, answers in systems.items()
        for nth, raw in enumerate(answers)
    ]
    return pl.DataFrame(
        rows,
        {"system": pl.String, "task": pl.String, "corpus": pl.String, "id": pl.String,
         "repeat": pl.Int64, "raw": pl.Float64, "score": pl.Float64, "reason": pl.String},
        orient="row",
    )  # fmt: skip


def submissions(*names, task="valence"):
    return pl.DataFrame({"system": names, "task": [task] * len(names)})


SYSTEMS = {
    "poor": (0.9, 0.1, 0.5, 0.2, 0.3),
    "good": (0.1, 0.5, 0.2, 0.8, 0.6),
    "twin": (10.0, 50.0, 20.0, 80.0, 60.0),  # the same answers on another scale
    "constant": (0.5,) * 5,
    "partly": (0.1, 0.4, None, None, None),
}


@pytest.fixture
def study():
    names = (*SYSTEMS, "unheard")
    return skill_study(scores_frame(SYSTEMS), gold_frame(), submissions(*names))


def test_ties_share_the_better_rank_and_unknown_skill_comes_last(study):
    ranks = study.skill.select("system", "rank").rows()
    assert ranks == [
        ("good", 1), ("twin", 1), ("poor", 3), ("constant", None), ("partly", None),
        ("unheard", None),
    ]  # fmt: skip
    assert study.skill["n"].to_list() == [5, 5, 5, 5, 2, 0]


def test_null_stands_where_there_is_no_skill_and_a_reason_beside_it(study):
    unknown = study.skill.filter(pl.col("rank").is_null())
    numbers = unknown.select(pl.col("^(pearson|spearman).*$"))
    assert numbers.null_count().sum_horizontal()[0] == numbers.height * numbers.width
    reasons = {system: reason for system, *_, reason in study.reasons.rows()}
    assert "all the same" in reasons["constant"]
    assert reasons["partly"] == "it has scores for 2 of 5 gold texts; at least 3 are needed"


def test_the_numbers_stand_in_the_estimates_too_and_make_no_finding(study):
    table = validate(study.estimates, ESTIMATES)
    good = table.filter((pl.col("system") == "good") & (pl.col("measure") == "pearson")).row(
        0, named=True
    )
    shown = study.skill.row(0, named=True)
    assert (good["value"], good["low"], good["high"]) == (
        shown["pearson"], shown["pearson_low"], shown["pearson_high"],
    )  # fmt: skip
    assert (good["subset"], good["unit"], good["corpus"]) == ("gold", "correlation", "tweets")
    partly = table.filter(pl.col("system") == "partly")
    assert partly.select("n", "n_dropped").rows() == [(2, 3), (2, 3)]
    assert judge_differences(table).is_empty()


def test_rank_by_decides_the_order():
    # "bent" has the right order and the wrong spacing: ρ = 1, r < 1; "near" is the other way.
    systems = {"bent": (0.0, 0.02, 0.01, 9.0, 0.03), "near": (0.2, 0.42, 0.15, 0.9, 0.6)}
    asked = scores_frame(systems), gold_frame(), submissions(*systems)
    assert skill_study(*asked, "spearman").skill["system"].to_list() == ["bent", "near"]
    assert skill_study(*asked, "pearson").skill["system"].to_list() == ["near", "bent"]
    with pytest.raises(TiltmeterError, match="rank_by is 'f1'; expected one of pearson, spearman"):
        skill_study(*asked, "f1")


def test_ranks_are_within_a_task():
    both = [scores_frame({"a": SYSTEMS["good"], "b": SYSTEMS["poor"]}, task) for task in "xy"]
    gold = pl.concat(gold_frame(task) for task in "xy")
    asked = pl.concat(submissions("a", "b", task=task) for task in "xyz")
    found = skill_study(pl.concat(both), gold, asked).skill
    assert found.select("task", "system", "rank").rows() == [
        ("x", "a", 1), ("x", "b", 2), ("y", "a", 1), ("y", "b", 2), ("z", "a", None),
        ("z", "b", None),
    ]  # fmt: skip
    assert found.filter(pl.col("task") == "z")["gold"].to_list() == [None, None]


def test_repeats_are_averaged():
    first, second = (scores_frame({"a": answers}) for answers in ((0, 1, 0, 1, 1), (0, 0, 1, 1, 0)))
    twice = pl.concat([first, second.with_columns(repeat=pl.lit(1, pl.Int64))])
    found = skill_study(twice, gold_frame(), submissions("a")).skill
    expected = stats.pearsonr([0, 0.5, 0.5, 1, 0.5], [0.1, 0.4, 0.2, 0.9, 0.6]).statistic
    assert found["pearson"][0] == pytest.approx(expected, **EXACT)


def test_rows_in_any_order_give_the_same():
    shuffled = scores_frame(SYSTEMS).sample(fraction=1, shuffle=True, seed=3)
    gold, names = gold_frame(), submissions(*SYSTEMS)
    assert skill_study(shuffled, gold, names).skill.equals(
        skill_study(scores_frame(SYSTEMS), gold, names).skill
    )
