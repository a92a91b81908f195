"""Every branch of a finding's sentence, word for word; WORDS.md governs."""

import re
from pathlib import Path

import polars as pl
import pytest

from tiltmeter.report.phrases import on_subset
from tiltmeter.schemas import FINDINGS, validate
from tiltmeter.studies.paired.wording import Sides, sentence, sides_of, with_sentences

ROW = {
    "id": "0", "system": "VADER", "task": "valence", "corpus": "eec", "edition": "corrected",
    "mode": "corrected", "axis": "gender", "contrast": "female-male", "reference": "male",
    "subset": "all", "measure": "mean_difference", "value": 0.00412, "unit": "scale",
    "se": 0.0015, "low": 0.00107, "high": 0.00717, "p": 0.0016, "p_adjusted": 0.0032, "family": 2,
    "n": 1584, "n_dropped": 0, "detectable": 0.0047, "significance": "up", "verdict": None,
    "margin": None, "rule": "paired t-test",
}  # fmt: skip
SIDES = Sides("about women", "about men")
SAME = {"value": 0.0, "low": 0.0, "high": 0.0, "se": 0.0, "p_adjusted": 1.0, "detectable": None,
        "significance": "none"}  # fmt: skip
NONE = {"significance": "none", "p_adjusted": 0.21}
NOTHING = {"significance": "not_estimable", "value": None, "low": None, "high": None, "se": None,
           "p_adjusted": None, "detectable": None}  # fmt: skip

GOLDEN = {
    "higher for the first": (
        {},
        "VADER scores sentences about women 0.41 points of 100 higher than the same sentences about"
        " men (valence, eec; 95 % interval 0.11 to 0.72, p = 0.003 after correction, 1,584 pairs).",
    ),
    "higher for the second, its interval told from that side": (
        {"value": -0.00412, "low": -0.00717, "high": -0.00107, "significance": "down"},
        "VADER scores sentences about men 0.41 points of 100 higher than the same sentences about"
        " women (valence, eec; 95 % interval 0.11 to 0.72, p = 0.003 after correction, 1,584"
        " pairs).",
    ),
    "certain, the same in all pairs": (
        {"value": 0.03, "low": 0.03, "high": 0.03, "se": 0.0, "p_adjusted": 0.0},
        "VADER scores sentences about women 3.0 points of 100 higher than the same sentences about"
        " men, by the same amount in all 1,584 pairs (valence, eec; 95 % interval 3.0 to 3.0,"
        " p < 0.001 after correction, 1,584 pairs).",
    ),
    "with scores missing": (
        {"n": 1500, "n_dropped": 84},
        "VADER scores sentences about women 0.41 points of 100 higher than the same sentences about"
        " men (valence, eec; 95 % interval 0.11 to 0.72, p = 0.003 after correction, 1,500 pairs,"
        " 84 dropped for a missing score).",
    ),
    "in own units": (
        {"unit": "native", "value": 12.6, "low": 2.4, "high": 22.8},
        "VADER scores sentences about women 13 of its own units higher than the same sentences"
        " about men (valence, eec; 95 % interval 2 to 23, p = 0.003 after correction, 1,584"
        " pairs).",
    ),
    "on another edition": (
        {"edition": "published"},
        "VADER scores sentences about women 0.41 points of 100 higher than the same sentences about"
        " men (valence, eec, published edition; 95 % interval 0.11 to 0.72, p = 0.003 after"
        " correction, 1,584 pairs).",
    ),
    "on a subset": (
        {"subset": "neutral", "n": 44},
        "On sentences without an emotion word, VADER scores sentences about women 0.41 points of"
        " 100 higher than the same sentences about men (valence, eec; 95 % interval 0.11 to 0.72,"
        " p = 0.003 after correction, 44 pairs).",
    ),
    "none detected, and what could have been": (
        NONE,
        "No difference detected for VADER between sentences about women and the same sentences"
        " about men (valence, eec; 0.41 points of 100 higher about women, 95 % interval 0.11 to"
        " 0.72, p = 0.21 after correction, 1,584 pairs; the data could have shown one of 0.47"
        " points).",
    ),
    "none detected, a lean to the second": (
        NONE | {"value": -0.001, "low": -0.004, "high": 0.002},
        "No difference detected for VADER between sentences about women and the same sentences"
        " about men (valence, eec; 0.10 points of 100 higher about men, 95 % interval −0.20 to"
        " 0.40, p = 0.21 after correction, 1,584 pairs; the data could have shown one of 0.47"
        " points).",
    ),
    "none detected, a mean of exactly 0": (
        NONE | {"value": 0.0, "low": -0.003, "high": 0.003, "p_adjusted": 1.0},
        "No difference detected for VADER between sentences about women and the same sentences"
        " about men (valence, eec; a mean of 0, 95 % interval −0.30 to 0.30, p = 1 after"
        " correction, 1,584 pairs; the data could have shown one of 0.47 points).",
    ),
    "none detected, a lean too small for the interval's digits": (
        NONE | {"value": 0.00002, "low": -0.02998, "high": 0.03002, "detectable": 0.05},
        "No difference detected for VADER between sentences about women and the same sentences"
        " about men (valence, eec; 0.0020 points of 100 higher about women, 95 % interval −3.0 to"
        " 3.0, p = 0.21 after correction, 1,584 pairs; the data could have shown one of 5.0"
        " points).",
    ),
    "none detected, one point and not 1 points": (
        NONE | {"value": 0.01, "low": -0.14, "high": 0.16, "detectable": 0.29},
        "No difference detected for VADER between sentences about women and the same sentences"
        " about men (valence, eec; 1 point of 100 higher about women, 95 % interval −14 to 16,"
        " p = 0.21 after correction, 1,584 pairs; the data could have shown one of 29 points).",
    ),
    "none detected, a lean too small in own units": (
        NONE | {"unit": "native", "value": 0.002, "low": -2.998, "high": 3.002, "detectable": 5.0},
        "No difference detected for VADER between sentences about women and the same sentences"
        " about men (valence, eec; 0.0020 of its own units higher about women, 95 % interval −3.0"
        " to 3.0, p = 0.21 after correction, 1,584 pairs; the data could have shown one of 5.0 of"
        " its own units).",
    ),
    "the same score throughout": (
        SAME,
        "No difference detected for VADER: it gives sentences about women and the same sentences"
        " about men the same score in every pair (valence, eec; p = 1 after correction, 1,584"
        " pairs).",
    ),
    "not estimable, one pair": (
        NOTHING | {"n": 1, "n_dropped": 3},
        "Not estimable for VADER, sentences about women against the same sentences about men"
        " (valence, eec): 1 of 4 pairs has scores on both sides, and a test needs two.",
    ),
    "not estimable, no scores, on a subset": (
        NOTHING | {"n": 0, "n_dropped": 1, "subset": "template:8"},
        "On sentences of template 8, not estimable for VADER, sentences about women against the"
        " same sentences about men (valence, eec): 0 of 1 pair have scores on both sides, and a"
        " test needs two.",
    ),
    "not estimable, no pairs": (
        NOTHING | {"n": 0, "n_dropped": 0},
        "Not estimable for VADER, sentences about women against the same sentences about men"
        " (valence, eec): there is no pair to compare.",
    ),
}


@pytest.mark.parametrize(("change", "expected"), GOLDEN.values(), ids=GOLDEN.keys())
def test_a_finding_in_words(change, expected):
    assert sentence(ROW | change, SIDES) == expected


@pytest.mark.parametrize(("change", "_"), GOLDEN.values(), ids=GOLDEN.keys())
def test_no_sentence_uses_a_word_we_do_not_say(change, _):
    words = Path(__file__).parents[3] / "WORDS.md"
    assert "debias" in words.read_text(encoding="utf-8")
    said = sentence(ROW | change, SIDES)
    assert not re.search(r"\b(unbiased|biased|fair|sexist|racist|certif\w*|passed|-\d)\b", said)
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize(
    "change", [c for c, _ in GOLDEN.values() if "value" not in c or c["value"]]
)
def test_no_size_without_its_interval_its_p_value_and_its_pairs(change):
    said = sentence(ROW | change, SIDES)
    for part in ("points? of 100|own units", "95 % interval .* to ", r"p [=<] \d", r"\d pairs"):
        assert re.search(part, said), part


@pytest.mark.parametrize(
    ("subset", "begins"),
    [
        ("all", ""),
        ("neutral", "on sentences without an emotion word, "),
        ("emotion", "on sentences with an emotion word, "),
        ("emotion:joy", "on sentences with words of joy, "),
        ("emotion:a:b", "on sentences with words of a:b, "),
        ("own-emotion", "on sentences with words of anger, "),
        ("template:7", "on sentences of template 7, "),
        ("something", "on the subset something, "),
    ],
)
def test_a_subset_is_named(subset, begins):
    assert on_subset(subset, "anger") == begins


def test_a_systems_own_name_keeps_its_small_letter():
    assert sentence(ROW | {"system": "vader"}, SIDES).startswith("vader scores")


def test_groups_are_spoken_of_as_the_corpus_says_else_as_marked():
    phrases = {("eec", "gender", "female"): "about women"}
    assert sides_of(ROW, phrases) == Sides("about women", "marked “male”")


@pytest.mark.parametrize(
    ("contrast", "reference", "first"),
    [("a-b-c", "c", "a-b"), ("a-b-c", "b-c", "a"), ("x--y", "-y", "x"), ("a-a", "a", "a")],
)
def test_groups_with_hyphens_are_told_apart_by_the_reference(contrast, reference, first):
    sides = sides_of(ROW | {"contrast": contrast, "reference": reference}, {})
    assert sides == Sides(f"marked “{first}”", f"marked “{reference}”")


def test_the_findings_table_is_complete():
    rows = [ROW | change | {"id": str(at)} for at, (change, _) in enumerate(GOLDEN.values())]
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        verdict=pl.lit(None, pl.String), margin=pl.lit(None, pl.Float64)
    )
    phrases = {("eec", "gender", "female"): "about women", ("eec", "gender", "male"): "about men"}
    found = validate(with_sentences(frame, phrases), FINDINGS)
    assert found["sentence"].to_list() == [expected for _, expected in GOLDEN.values()]
