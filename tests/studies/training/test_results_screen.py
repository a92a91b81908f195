"""The first screen of a reproduction: what counts as reproduced, what lies outside, and why."""

import polars as pl
import pytest

from tiltmeter.studies.training.reproduce import Results
from tiltmeter.studies.training.results_screen import beside_paper, mean_tilts, results_screen

NUMBERS = ("value", "low", "high", "spread")


def results(ours, printed=(0.5, 0.5), recipe="svm-tfidf", counterpart="a-en"):
    """A system with these correlations, ±0.04, beside these published ones."""
    skill = pl.DataFrame(
        {"language": "en", "task": ["anger", "joy"], "system": "a-en", "recipe": recipe,
         "test_n": 100, "test_pearson": ours, "test_pearson_low": [r - 0.04 for r in ours],
         "test_pearson_high": [r + 0.04 for r in ours]}
    )  # fmt: skip
    published = pl.DataFrame(
        {"language": "en", "task": ["anger", "joy"], "name": "A", "pearson": printed,
         "ours": counterpart},
        schema_overrides={"ours": pl.String},
    )  # fmt: skip
    tilts = pl.DataFrame(
        {"language": "en", "corpus": "eec", "title": "EEC", "system": "a-en", "task": "anger",
         "axis": ["gender", "race"], "about_first": "about women", "about_second": "about men",
         "value": [0.02, -0.01], "low": 0.0, "high": 0.03, "significance": "none",
         "spread": 0.1, "n": 9}
    )  # fmt: skip
    return Results(skill, published, tilts, environment={})


def test_what_is_within_0_05_or_above_is_reproduced():
    screen = results_screen(results((0.46, 0.9)))
    assert screen.lead == (
        "A comes within 0.05 of its published skill, or above, in 2 of 2 models; they tilt by 1.5 "
        "points on average."
    )
    assert [chip.word for chip in screen.chips] == ["reproduced"]


@pytest.mark.parametrize(
    ("ours", "word"), [((0.44, 0.5), "partly"), ((0.44, 0.3), "not reproduced")]
)
def test_what_is_further_below_is_said(ours, word):
    assert [chip.word for chip in results_screen(results(ours)).chips] == [word]


def test_what_lies_outside_the_interval_is_counted_with_a_reason():
    screen = results_screen(results((0.44, 0.47), recipe="embedding-mlp"))
    assert screen.moved == (
        "1 of 2 published values lies outside our interval, by 0.06 at most: ours reads other word "
        "vectors."
    )
    assert results_screen(results((0.47, 0.53))).moved.startswith("None of 2 published values")


def test_without_a_counterpart_nothing_is_claimed():
    screen = results_screen(results((0.5, 0.5), counterpart=None))
    assert screen.lead == "None of the 2 models trained here is built like a published system."
    assert [chip.word for chip in screen.chips] == ["not built here"]
    assert not screen.figure


def test_a_system_is_beside_its_own_language_only():
    given = results((0.5, 0.5))
    other = given.published.with_columns(language=pl.lit("es"))
    assert beside_paper(given.skill, other).is_empty()


def test_a_mean_tilt_is_of_sizes():
    assert mean_tilts(results((0.5, 0.5)).tilts) == {"a-en": pytest.approx(0.015)}
