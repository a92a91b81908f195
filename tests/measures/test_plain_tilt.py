"""The tilt, its standard error, its resamples and its deals beside plain loops over sentences.

The loops stand in benchmarks/ and use nothing of Tiltmeter's own arithmetic.
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.measures import Contrast, TiltSums, crossed_bootstrap, crossed_tilt, relabelled_p

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from plain_formula import plain_tilt
from plain_tilt import dealt_p, plain_cells, resampled, resampled_with_numpy

AXES = ["gender", "race"]
CONTRASTS = [
    Contrast("gender", "female", "male"),
    Contrast("race", "African American", "European American"),
]


@pytest.fixture(scope="module")
def sentences():
    """Every template, with three words of each emotion."""
    every = load_corpus("eec").sentences()
    words = every.drop_nulls("emotion_word").select("emotion", "emotion_word").unique()
    few = words.sort("emotion_word").group_by("emotion").head(3)["emotion_word"]
    return every.filter(
        pl.col("emotion_word").is_null() | pl.col("emotion_word").is_in(few.implode())
    )


@pytest.fixture(scope="module")
def scores(sentences):
    """One system of noise, one that knows people and templates, one of few levels."""
    rng, size = np.random.default_rng(3), sentences.height
    person, template = (
        rng.normal(0, 0.02, 80)[sentences[name].rank("dense").to_numpy().astype(int) - 1]
        for name in ("person", "template")
    )
    women = (sentences["gender"] == "female").to_numpy()
    noise = rng.normal(0.5, 0.05, (2, size))
    return np.array([noise[0], noise[1] + person + women * template,
                     np.where(rng.random(size) < 0.05, 0.6, 0.5)])  # fmt: skip


@pytest.mark.parametrize("contrast", CONTRASTS, ids=lambda one: one.axis)
class TestBesidePlainLoops:
    def test_value_standard_error_and_degrees_of_freedom(self, sentences, scores, contrast):
        found = crossed_tilt(sentences, scores, contrast, AXES)
        loops = [plain_tilt(sentences, one, contrast, AXES) for one in scores]
        ours = np.array([found.value, found.se, found.df]).T
        assert ours == pytest.approx(np.array(loops))

    def test_resamples_from_the_same_draws(self, sentences, scores, contrast):
        rng = np.random.default_rng(5)
        found = crossed_bootstrap(sentences, scores, contrast, AXES, resamples=15, rng=rng)
        ours = np.array([found.value, found.se, found.low, found.high]).T
        cells = plain_cells(sentences, scores, contrast, AXES)
        for loop in (resampled, resampled_with_numpy):
            theirs = [loop(cells, one, 15, np.random.default_rng(5)) for one in range(3)]
            assert ours == pytest.approx(np.array(theirs), abs=1e-12)

    def test_deals_within_what_their_draws_leave_open(self, sentences, scores, contrast):
        sums = TiltSums(3, contrast, AXES, np.ones(3))
        sums.add(sentences, scores)
        ours = relabelled_p(sums, np.random.default_rng(0))
        cells = plain_cells(sentences, scores, contrast, AXES)
        theirs = [dealt_p(cells, one, 400, np.random.default_rng(one)) for one in range(3)]
        assert ours == pytest.approx(theirs, abs=0.1)  # 400 deals: their error is at most 0.025
