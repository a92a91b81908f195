"""What a corpus' design makes of noise: shares by hand, and simulated systems beside them."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.measures import (
    Contrast,
    Spreads,
    crossed_tilt,
    design_of,
    expected_errors,
    spreads_of,
)

GENDER = Contrast("gender", "female", "male")
RACE = Contrast("race", "African American", "European American")
AXES = ["gender", "race"]


@pytest.fixture(scope="module")
def eec():
    return load_corpus("eec").sentences()


def test_gender_in_the_eec(eec):
    found = design_of(eec, GENDER, AXES)
    assert (found.pairs, found.people, found.templates, found.words) == (1584, 30, 11, 40)
    # A match has 144 of 1,584 pairs, 1/11. Ten pairs of noun phrases: 2 · 10 / 11² people's shares;
    # 20 names a side share one match: 2 · 20 · (1 / (11 · 20))².
    assert found.squares[0] == pytest.approx(20 / 121 + 40 / 220**2)
    # Seven templates with 20 words, four without: 11 pairs in each frame.
    assert found.squares[1] == pytest.approx((7 * 220**2 + 4 * 11**2) / 1584**2)
    # Noise: two sentences to a pair of noun phrases, forty to one of names.
    assert found.squares[3] == pytest.approx((1440 * 2 + 144 * 40 / 20**2) / 1584**2)


def test_race_in_the_eec_has_names_only(eec):
    found = design_of(eec, RACE, AXES)
    assert (found.pairs, found.people) == (144, 20)
    assert found.squares[0] == pytest.approx(40 / 20**2)
    assert found.df[0] == pytest.approx(36)  # four cells of ten names


def test_one_template_is_held_fixed(eec):
    one = eec.filter(pl.col("template") == eec["template"][0])
    found = design_of(one, RACE, AXES)
    assert found.templates == 1
    assert found.squares[1] == 0
    assert found.df[1] == 0


def test_without_pairs_there_is_nothing(eec):
    found = design_of(eec.filter(pl.col("race") == RACE.first), RACE, AXES)
    assert (found.pairs, found.people) == (0, 0)


@pytest.mark.parametrize("contrast", [GENDER, RACE], ids=lambda one: one.axis)
def test_simulated_systems_scatter_as_expected(eec, contrast):
    """The spread of 300 systems' tilts, and what each source was measured to add."""
    spreads, rng, many = Spreads(0.01, 0.01, 0.01, 0.03), np.random.default_rng(1), 300
    group = eec[contrast.axis].fill_null("").to_numpy()
    side = 0.5 * (group == contrast.first) - 0.5 * (group == contrast.second)

    def drawn(column):
        at = eec[column].fill_null("").rank("dense").to_numpy().astype(int) - 1
        return rng.standard_normal((many, at.max() + 1))[:, at]

    word = np.where(eec["emotion_word"].is_null(), 0.0, spreads.words * drawn("emotion_word"))
    scores = spreads.people * drawn("person") + side * (
        spreads.templates * drawn("template") + word
    )
    scores += spreads.noise * rng.standard_normal(scores.shape)
    found = crossed_tilt(eec, scores, contrast, AXES)
    design = design_of(eec, contrast, AXES)
    se, errors = expected_errors(design, spreads)
    assert found.value.std() == pytest.approx(se, rel=0.1)  # of 300: its error is 4 %
    measured = [getattr(found, f"se_{name}") for name in ("people", "templates", "words", "noise")]
    means = [np.sqrt(np.mean(one**2)) for one in measured]
    assert means == pytest.approx(errors, rel=0.1)
    back = spreads_of(design, means)
    assert [back.people, back.noise] == pytest.approx([0.01, 0.03], rel=0.1)
