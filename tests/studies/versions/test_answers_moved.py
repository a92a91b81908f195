"""Answers then and now: how far apart, and how much of that is noise."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.studies.versions.measure import moved_answers


def told(**answers):
    rows = [
        (text, repeat, score)
        for text, scores in answers.items()
        for repeat, score in enumerate(scores)
    ]
    return pl.DataFrame(
        rows, {"text": pl.String, "repeat": pl.Int64, "score": pl.Float64}, orient="row"
    )


def test_by_hand():
    """a: |0.1−0.2|, |0.1−0.4| → 0.2 apart, 0.2 noise; b: 0.5 and 0.5 → 0 and 0.

    Mean changes are 0.3 − 0.1 = 0.2 and 0: shift 0.1; beyond noise 0.2 − 0.2 = 0 and 0.
    """
    found = moved_answers(told(a=[0.1], b=[0.5]), told(a=[0.2, 0.4], b=[0.5, 0.5]))
    assert (found.texts, found.changed, found.missing) == (2, 1, 0)
    assert found.largest == pytest.approx(0.2)
    assert found.shift.value == pytest.approx(0.1)
    assert found.apart == pytest.approx(0.1)
    assert found.noise == pytest.approx(0.1)
    assert found.beyond.value == pytest.approx(0.0)


def test_the_baselines_repeats_count_too():
    """Then 0.1 and 0.3 (0.2 apart), now 0.5 alone: noise 0.2, then and now 0.3 apart."""
    found = moved_answers(told(a=[0.1, 0.3], b=[0.1, 0.3]), told(a=[0.5], b=[0.5]))
    assert found.noise == pytest.approx(0.2)
    assert found.beyond.value == pytest.approx(0.1)
    assert found.beyond.se == pytest.approx(0.0)


def test_asked_once_the_noise_is_not_known():
    found = moved_answers(told(a=[0.1]), told(a=[0.4]))
    assert found.noise is None
    assert found.beyond is None
    assert np.isnan(found.shift.se)


def test_what_is_missing_is_counted():
    found = moved_answers(told(a=[0.1], b=[None], c=[0.2]), told(a=[0.1], b=[0.3], d=[0.1]))
    assert (found.texts, found.missing) == (1, 3)


def test_dust_is_no_change():
    assert moved_answers(told(a=[0.1]), told(a=[0.1 + 1e-9])).changed == 0


def test_nothing_in_common_is_nothing_measured():
    found = moved_answers(told(a=[0.1]), told(b=[0.1, 0.1]))
    assert found.texts == 0
    assert np.isnan(found.shift.value)
