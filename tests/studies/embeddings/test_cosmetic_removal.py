"""The cluster test: sides that are written elsewhere too are found again after projection."""

import numpy as np
import pytest
from planted_words import GENDER, NEUTRAL, planted

from tiltmeter.studies.embeddings.mitigation import mitigation_study
from tiltmeter.studies.embeddings.mitigation_metrics import (
    LEANING,
    aligned_by_chance,
    cluster_alignment,
    leaners,
    two_means,
)
from tiltmeter.studies.embeddings.space import Space


def after(space, measure, method="hard"):
    found = mitigation_study(space, GENDER, methods=("hard",), others=NEUTRAL, seed=1).frame
    kept = found.filter(measure=measure, method=method, what=LEANING)
    assert kept.height == 1
    return kept["value"][0]


def test_a_side_in_one_dimension_only_is_gone():
    space = planted(echoed=0.0)
    assert after(space, "probe", "none") > 0.95
    assert after(space, "probe") < 0.65
    assert after(space, "cluster") < 0.65


def test_a_side_in_other_dimensions_too_is_still_there():
    # What leans 0.5 along the direction leans 1 along three others that the projection leaves
    space = planted(echoed=1.0)
    assert after(space, "cluster") > 0.95
    assert after(space, "probe") > 0.95


def test_leaners_are_the_extremes_of_both_sides_in_order():
    angles = np.linspace(0, np.pi, 48)
    words = tuple(f"w{i}" for i in range(48))
    space = Space("s", words, np.column_stack([np.cos(angles), np.sin(angles)]) * 3)
    found = leaners(space, [*words, "w3", "absent"], np.array([1.0, 0.0]))
    assert found.words == words[:12] + words[36:]  # a quarter of 48 to each side
    assert found.side.tolist() == [True] * 12 + [False] * 12


def test_too_few_words_are_refused():
    found = leaners(planted(), NEUTRAL[:39], np.eye(12)[0])
    assert found.words == ()
    assert found.reason == (
        "39 words that should not lean are in the embedding; expected at least 40"
    )


def test_chance_is_the_coins():
    # n = 4: heads 0 … 4 with 1, 4, 6, 4, 1 of 16; max(a, 1 − a) = 1, ¾, ½, ¾, 1
    # mean = (2 · 1 + 8 · 0.75 + 6 · 0.5) / 16 = 11 / 16
    assert aligned_by_chance(4).value == pytest.approx(11 / 16)
    tossed = np.random.default_rng(0).integers(0, 2, (4_000, 100)).mean(axis=1)
    larger = np.maximum(tossed, 1 - tossed)
    found = aligned_by_chance(100)
    assert found.value == pytest.approx(larger.mean(), abs=0.002)
    assert found.high == pytest.approx(np.quantile(larger, 0.975), abs=0.011)


def test_which_cluster_is_called_first_does_not_matter():
    rows = np.vstack([np.eye(2)[[0] * 10], np.eye(2)[[1] * 10]])
    side = np.arange(20) < 10
    for told in (side, ~side):
        assert cluster_alignment(rows, told, np.random.default_rng(0)).value == 1.0


def test_rows_that_are_all_alike_make_one_cluster():
    assert not two_means(np.ones((6, 3)), np.random.default_rng(0)).any()
