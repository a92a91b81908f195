"""What every measure of labels and repeats must keep: a page that tells of it, a test behind it."""

import ast
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.labels import LABEL_MEASURES, label_estimates
from tiltmeter.studies.paired.pairs import pair_study

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pairs.md").read_text(encoding="utf-8").partition("\n## Labels")[2]
COUNTED, LABELS = "tests/stats/test_mcnemar.py", "tests/studies/paired/test_flips.py"
REPEATS = "tests/studies/paired/test_retest.py"
REFERENCES = {
    "flips": (COUNTED, "test_the_share_s_interval_is_that_of_statsmodels"),
    "flip_balance": (COUNTED, "test_p_is_that_of_statsmodels_and_scipy"),
    "label_tilt": (LABELS, "test_the_label_tilt_is_of_sentences_not_of_averages"),
    "label_gap": (LABELS, "test_the_worst_gap_names_the_cell_that_was_planted"),
    "label_share": (LABELS, "test_the_worst_gap_names_the_cell_that_was_planted"),
    "flips_once": (REPEATS, "test_what_noise_adds_is_by_hand"),
    "retest_flips": (REPEATS, "test_what_noise_adds_is_by_hand"),
    "retest": (REPEATS, "test_noise_is_recovered"),
    "retest_sd": (REPEATS, "test_noise_is_recovered"),
}
"""The test that holds each measure against an outside reference, or against what was planted."""


@pytest.fixture(scope="module")
def estimates():
    """Every kind of submission, asked twice: on a scale, without one, with gaps, silent."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    values = np.random.default_rng(0).random((2, 4, sentences.height)).round(3)
    values[:, 2, ::50], values[:, 3] = np.nan, np.nan
    rounds = [_scores(sentences, one, nth) for nth, one in enumerate(values)]
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    scores = pl.concat(rounds)
    study = pair_study(sentences, scores, contrasts, flips=0)
    axes = {axis.name: axis.groups for axis in corpus.axes}
    return label_estimates(sentences, scores, study, contrasts, axes, (0.5,), people=corpus.people)


def _scores(sentences, values, repeat):
    size = sentences.height
    numbers = pl.Series(values.ravel()).fill_nan(None)
    native = pl.Series(np.repeat([False, True, False, False], size))
    return pl.DataFrame(
        {
            "system": np.repeat(["plain", "native", "gaps", "silent"], size),
            "task": np.repeat(["valence", "anger", "joy", "fear"], size),
            "corpus": ["eec"] * numbers.len(),
            "id": sentences["id"].to_list() * 4,
            "repeat": np.full(numbers.len(), repeat, np.int64),
            "raw": numbers,
            "score": pl.select(pl.when(~native).then(numbers)).to_series(),
            "reason": pl.Series([None] * numbers.len(), dtype=pl.String),
        }
    )


def test_the_estimates_keep_to_their_table(estimates):
    validate(estimates, ESTIMATES)


def test_every_measure_is_told_of_in_the_documents(estimates):
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert set(estimates["measure"]) == told - {"measure"} == REFERENCES.keys()
    assert set(LABEL_MEASURES) == REFERENCES.keys()
    assert set(estimates["unit"]) == {"share", "scale", "native"}


def test_every_measure_has_a_test_behind_it():
    for measure, (file, name) in REFERENCES.items():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        found = next((node for node in tree.body if getattr(node, "name", "") == name), None)
        assert found is not None, (measure, name)


def test_intervals_hold_their_value_and_p_is_a_probability(estimates):
    known = estimates.filter(pl.col("low").is_not_null())
    assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()
    assert estimates["p"].drop_nulls().is_between(0, 1).all()


def test_without_a_scale_only_repeats_are_told_of_and_without_a_score_nothing(estimates):
    native = estimates.filter(system="native")["measure"].unique().sort().to_list()
    assert native == ["retest", "retest_sd"]
    assert estimates.filter(system="silent").is_empty()


def test_gaps_drop_pairs_and_say_so(estimates):
    gaps = estimates.filter(system="gaps", subset="couples", measure="flips", axis="gender")
    assert gaps["n"][0] + gaps["n_dropped"][0] == 1440
    assert gaps["n_dropped"][0] > 0
