"""What every measure of the studies must keep: a page that tells of it, a test behind it."""

import ast
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.claims.judge import judge_differences
from tiltmeter.corpora import RATING_GROUPS, load_rating_group
from tiltmeter.schemas import ESTIMATES, FINDINGS, validate
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.pairs import pair_study
from tiltmeter.studies.paired.wording import with_sentences
from tiltmeter.studies.rating.grades import rating_config
from tiltmeter.studies.rating.measure import rating_study
from tiltmeter.studies.rating.scored_groups import Drawing, build_groups
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import regression_study

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pairs.md").read_text(encoding="utf-8")
REGRESSION_PAGE = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
STATISTICS = "tests/studies/audit/test_audit_statistics.py"

REFERENCES = {
    "mean_difference": (STATISTICS, "test_scipys_paired_t_test_agrees_wherever_there_is_a_spread"),
    "standardised": (STATISTICS, "test_descriptions_agree_with_plain_numpy"),
    "mean_up": (STATISTICS, "test_descriptions_agree_with_plain_numpy"),
    "mean_down": (STATISTICS, "test_descriptions_agree_with_plain_numpy"),
    "spread": (STATISTICS, "test_descriptions_agree_with_plain_numpy"),
    "max_abs": (STATISTICS, "test_descriptions_agree_with_plain_numpy"),
    "mean_abs": (STATISTICS, "test_descriptions_agree_with_plain_numpy"),
    "sign_flip": (STATISTICS, "test_scipys_permutation_test_agrees_exactly_on_few_pairs"),
    "in_sd": (STATISTICS, "test_a_system_without_a_scale_is_told_in_its_own_units_too"),
}
"""The test that holds each measure against an outside reference."""

BETA = "tests/stats/test_beta_regression.py"
STUDY = "tests/studies/regression/test_regression_study.py"
IN_R = "tests/references/test_regression_in_r.py"
DELTA = "test_marginal_effects_are_differences_of_fitted_means"

REGRESSION_REFERENCES = {
    "coefficient": (IN_R, "test_cr2_and_its_degrees_of_freedom_are_those_of_clubsandwich"),
    "coefficient_naive": (BETA, "test_hundreds_of_designs_agree_with_statsmodels"),
    "coefficient_mixed": (IN_R, "test_the_mixed_model_is_that_of_lme4"),
    "marginal_effect": (STUDY, DELTA),
    "marginal_effect_naive": (STUDY, DELTA),
    "marginal_effect_mixed": (
        STUDY,
        "test_the_mixed_model_of_a_balanced_corpus_has_the_means_of_logits",
    ),
    "total": (STUDY, "test_the_total_is_the_sum_of_the_three"),
    "total_effect": (STUDY, DELTA),
    "least_squares": (
        "tests/stats/test_least_squares.py",
        "test_a_studys_rows_agree_with_statsmodels",
    ),
    "precision": (BETA, "test_hundreds_of_designs_agree_with_statsmodels"),
}
"""The same for the regression's."""

BACKDOOR = "tests/stats/test_backdoor.py"
RATING_REFERENCES = {
    "wrs": ("tests/stats/test_rejections.py", "test_scipys_t_test_agrees_but_for_epsilon"),
    "die": (BACKDOOR, "test_least_squares_on_every_class_and_word_gives_the_adjusted_effect"),
    "ate": (BACKDOOR, "test_nearest_neighbours_on_fitted_propensities_give_the_matched_effect"),
}
"""The same for the raw scores of a rating."""
RNSB_FILE = "tests/references/test_rnsb_reference.py"
WEAT_FILE = "tests/references/test_weat_reference.py"
EMBEDDING_REFERENCES = {
    "rnsb": (RNSB_FILE, "test_the_published_rnsb_is_scikit_learns_split_and_fit"),
    "weat": (WEAT_FILE, "test_scipys_permutation_test_of_the_associations_gives_the_same_p"),
}
"""The same for embeddings; ECT, RND, RIPA and MAC have plain computations of their own."""
LEVELS = 4


@pytest.fixture(scope="module")
def estimates():
    """Every kind of submission: on a scale, without one, with gaps, without any score."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    rng = np.random.default_rng(0)
    values = rng.random((4, sentences.height)).round(3)
    values[2, ::50], values[3] = np.nan, np.nan
    numbers = pl.Series(values.ravel()).fill_nan(None)
    native = pl.Series(np.repeat([False, True, False, False], sentences.height))
    scores = pl.DataFrame(
        {
            "system": np.repeat(["plain", "native", "gaps", "silent"], sentences.height),
            "task": np.repeat(["valence", "anger", "joy", "fear"], sentences.height),
            "corpus": ["eec"] * numbers.len(),
            "id": sentences["id"].to_list() * 4,
            "repeat": np.zeros(numbers.len(), np.int64),
            "raw": numbers,
            "score": pl.select(pl.when(~native).then(numbers)).to_series(),
            "reason": pl.Series([None] * numbers.len(), dtype=pl.String),
        }
    )
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    return pair_study(sentences, scores, contrasts).estimates


def test_the_estimates_keep_to_their_table(estimates):
    validate(estimates, ESTIMATES)


def test_the_findings_keep_to_theirs(estimates):
    found = validate(with_sentences(judge_differences(estimates), {}), FINDINGS)
    assert found.height == estimates.filter(pl.col("measure") == "mean_difference").height


def test_every_measure_is_told_of_in_the_documents(estimates):
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert set(estimates["measure"]) <= told


def test_every_subset_is_told_of_in_the_documents(estimates):
    kinds = {name.partition(":")[0] for name in estimates["subset"].unique()}
    assert kinds == {"all", "neutral", "emotion", "own-emotion", "template"}
    for kind in kinds:
        assert re.search(rf"^\| `{kind}[`:]", PAGE, re.MULTILINE), kind


def test_every_unit_is_told_of_in_the_documents(estimates):
    assert set(estimates["unit"]) == {"scale", "native", "sd of differences", "sd of scores"}
    for unit in (
        "`scale`",
        "`native`",
        "sd of Δ",
        "standard deviations of the system's own scores",
    ):
        assert unit in PAGE


def test_every_measure_has_a_test_against_an_outside_reference(estimates):
    assert set(estimates["measure"]) == REFERENCES.keys()
    assert_tested(REFERENCES)


def assert_tested(references):
    """Every reference test is there, and asserts something."""
    for measure, (file, name) in references.items():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        function = next((node for node in tree.body if getattr(node, "name", "") == name), None)
        assert function is not None, (measure, name)
        asserts = any(isinstance(node, ast.Assert) for node in ast.walk(function))
        assert asserts or "assert_allclose(" in ast.unparse(function), name


def test_only_what_is_tested_has_a_p_value(estimates):
    with_p = estimates.filter(pl.col("p").is_not_null())["measure"].unique().sort().to_list()
    assert with_p == ["mean_difference", "sign_flip"]
    p = estimates["p"].drop_nulls()
    assert ((p >= 0) & (p <= 1)).all()


def test_intervals_hold_their_value(estimates):
    known = estimates.filter(pl.col("low").is_not_null())
    assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()


def test_a_silent_system_has_rows_and_no_numbers(estimates):
    silent = estimates.filter(pl.col("system") == "silent")
    assert silent["value"].null_count() == silent.height > 0
    assert (silent["n"] == 0).all()


def test_every_field_of_a_finding_is_told_of_in_the_documents():
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    table = page.partition("## The fields")[2].partition("## findings.json")[0]
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.+?) \|", table, re.MULTILINE))))
    assert told == set(FINDINGS.columns)


@pytest.fixture(scope="module")
def regression():
    """Everything that a regression may tell: mixed errors, a precision model, a silent system."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    values = np.random.default_rng(1).uniform(0.1, 0.9, (2, sentences.height)).round(3)
    values[1] = np.nan
    numbers = pl.Series(values.ravel()).fill_nan(None)
    scores = pl.DataFrame(
        {
            "system": np.repeat(["plain", "silent"], sentences.height),
            "task": ["valence"] * numbers.len(),
            "corpus": ["eec"] * numbers.len(),
            "id": sentences["id"].to_list() * 2,
            "repeat": np.zeros(numbers.len(), np.int64),
            "raw": numbers,
            "score": numbers,
            "reason": pl.Series([None] * numbers.len(), dtype=pl.String),
        }
    )
    axes = {axis.name: axis.groups for axis in corpus.axes}
    return regression_study(sentences, scores, axes, Model(errors="mixed", precision="gender"))


def test_the_regressions_estimates_keep_to_their_table(regression):
    validate(regression.estimates, ESTIMATES)


def test_every_measure_of_the_regression_is_told_of_in_the_documents(regression):
    told = set(re.findall(r"^\| `(\w+)` \|", REGRESSION_PAGE, re.MULTILINE))
    assert set(regression.estimates["measure"]) <= told
    for unit in set(regression.estimates["unit"]) - {"native"}:
        assert re.search(rf"\| {unit} \|$", REGRESSION_PAGE, re.MULTILINE), unit


def test_every_measure_of_the_regression_has_a_test_against_an_outside_reference(regression):
    assert set(regression.estimates["measure"]) == REGRESSION_REFERENCES.keys()
    assert_tested(REGRESSION_REFERENCES)


def test_intervals_of_the_regression_hold_their_value(regression):
    known = regression.estimates.filter(pl.col("low").is_not_null())
    assert known["system"].unique().to_list() == ["plain"]
    assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()
    assert known["p"].is_between(0, 1).all()


def test_a_silent_system_has_rows_a_reason_and_no_numbers(regression):
    silent = regression.estimates.filter(pl.col("system") == "silent")
    assert silent["value"].null_count() == silent.height > 0
    assert (silent["n"] == 0).all()
    fit = regression.fits.filter(pl.col("system") == "silent").row(0, named=True)
    assert fit["reason"] == "no sentence has a score"


@pytest.fixture(scope="module", params=["die", "ate"])
def rating(request):
    """Everything a rating may meet: noise, a tie, a tilt, X, gaps, a system without any score."""
    groups = [load_rating_group(name, "published") for name in RATING_GROUPS]
    women = pl.concat([group.sentences().select("gender") for group in groups], how="vertical")
    tilted = np.where(women["gender"].fill_null("") == "female", 1.0, -1.0)
    values = np.random.default_rng(2).uniform(-1, 1, (6, len(tilted)))
    values[1], values[2], values[3, ::11], values[4] = tilted, 0.0, np.nan, np.nan
    submissions = [(f"system {one}", "valence") for one in range(5)] + [("system 5", "joy")]
    config = rating_config(raw=request.param, repeats=20)
    drawn = build_groups(groups, values, Drawing(draws=21))
    return rating_study(drawn, submissions, LEVELS, config)


def test_every_measure_of_the_rating_is_told_of_in_the_documents(rating):
    page = (ROOT / "docs" / "rating.md").read_text(encoding="utf-8")
    told = {name.lower() for name in re.findall(r"^\*\*([A-Z]+)\*\*,", page, re.MULTILINE)}
    assert set(rating.raw["measure"]) <= told


def test_every_measure_of_the_rating_has_a_test_against_an_outside_reference(rating):
    assert set(rating.raw["measure"]) <= RATING_REFERENCES.keys()
    assert_tested(RATING_REFERENCES)


def test_a_rating_is_from_1_to_l_or_lacks_and_says_why(rating):
    raw = rating.raw
    assert raw.height == 6 * 6 * 2
    assert raw["rating"].drop_nulls().is_between(1, LEVELS).all()
    assert (raw["rating"].is_null() == raw["reason"].is_not_null()).all()
    known = raw.filter(pl.col("rating").is_not_null())
    assert (known["x"] == known["psi"].is_null()).all()
    assert (known.filter("x")["rating"] == LEVELS).all()
    assert (raw["psi"].drop_nulls() >= 0).all()
    assert raw["p"].drop_nulls().is_between(0, 1, closed="right").all()


def test_a_spread_holds_its_rating_and_shares_sum_to_one(rating):
    for table, what in ((rating.raw, "rating"), (rating.overall, "overall")):
        known = table.filter(pl.col(what).is_not_null())
        assert ((known["low"] <= known[what]) & (known[what] <= known["high"])).all()
        assert known["steady"].is_between(0, 1).all()
    whose = ("system", "task", "variant", "column")
    sums = rating.frequencies.group_by(*whose).agg(pl.col("share").sum())["share"]
    np.testing.assert_allclose(sums, 1)
    orders = rating.order.select(pl.sum_horizontal("lower", "equal", "higher")).to_series()
    np.testing.assert_allclose(orders, 1)


def test_a_silent_system_has_rows_reasons_and_no_rating(rating):
    silent = rating.raw.filter(system="system 4")
    assert silent.height == 12
    assert set(silent["reason"]) == {"it answered none of the sentences"}
    numbers = ("psi", "rating", "low", "high", "steady", "by_chance", "p", "rests_on", "without")
    assert silent.select(numbers).null_count().row(0) == (12,) * len(numbers)
    assert rating.overall.filter(system="system 4")["overall"].null_count() == 2


def test_every_measure_of_embeddings_is_told_of_in_the_documents_and_tested():
    page = (ROOT / "docs" / "embeddings.md").read_text(encoding="utf-8")
    for name in ("RNSB", "WEAT", "SEAT", "ECT", "RND", "RIPA", "MAC"):
        assert re.search(rf"\b{name}\b", page), name
    assert_tested(EMBEDDING_REFERENCES)
