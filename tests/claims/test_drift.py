"""Drifted, steady, undecided: what answers and tilts come to."""

import numpy as np
import pytest
from scipy import stats

from tiltmeter.claims.changes import TextMean, drift_test, drift_verdict

HOW = {"changed": 10, "level": 0.05, "family": 1}
STILL = TextMean(0.0, 0.001, 50)


def test_p_values_are_one_sided_t_tests_against_the_margin():
    """(0.02 − 0.01) / 0.004 = 2.5 on 30 degrees; the far side adds next to nothing."""
    found = drift_test(TextMean(0.02, 0.004, 30), STILL, 0.01, **HOW)
    assert found.verdict == "drifted"
    assert found.p_drifted == pytest.approx(stats.t.sf(2.5, 30) + stats.t.sf(7.5, 30))
    assert found.p_noise == pytest.approx(stats.t.sf(5.0, 30))


def test_a_mean_shift_alone_is_drift():
    """Half the texts up would hide in noise; all of them up does not."""
    assert drift_test(STILL, TextMean(-0.05, 0.004, 30), 0.01, **HOW).verdict == "drifted"


def test_correction_multiplies():
    one, ten = (
        drift_test(TextMean(0.02, 0.004, 30), STILL, 0.01, **HOW | {"family": n}) for n in (1, 10)
    )
    assert ten.p_drifted == pytest.approx(10 * one.p_drifted)


def test_asked_once_nothing_is_decided_unless_nothing_changed():
    assert "--repeat 2" in drift_test(None, STILL, 0.01, **HOW).reason
    assert (
        drift_test(None, TextMean(0.0, 0.0, 30), 0.01, **HOW | {"changed": 0}).verdict == "steady"
    )


def test_without_a_scale_or_with_one_text_there_is_no_verdict():
    assert drift_test(STILL, STILL, 0.01, **HOW, on_scale=False).verdict == "not_estimable"
    nan = float("nan")
    assert drift_test(None, TextMean(0.1, nan, nan), 0.01, **HOW).verdict == "undecided"


def test_noise_alone_is_called_drifted_at_most_as_often_as_the_level():
    """2,000 checks of 60 texts whose noise has heavy tails; margin 0 would be 5 %."""
    rng = np.random.default_rng(0)
    x = rng.standard_t(3, (2000, 60, 3)) * 0.02
    beyond = np.abs(x[..., :1] - x[..., 1:]).mean(axis=-1) - np.abs(x[..., 1] - x[..., 2])
    means, errors = beyond.mean(axis=1), beyond.std(axis=1, ddof=1) / np.sqrt(60)
    assert abs(means.mean()) < 4 * means.std() / np.sqrt(2000)  # unbiased, whatever the noise
    said = [
        drift_test(TextMean(m, s, 59), STILL, 1e-9, **HOW).p_noise
        for m, s in zip(means, errors, strict=True)
    ]
    assert np.mean(np.array(said) < 0.05) < 0.07


@pytest.mark.parametrize(
    ("answers", "changes", "turned", "verdict"),
    [
        (["steady"], ["same"], False, "steady"), (["drifted"], ["same"], False, "drifted"),
        (["steady"], ["better"], False, "drifted"), (["steady"], ["undecided"], True, "drifted"),
        (["steady"], ["undecided"], False, "undecided"),
        (["not_estimable"], ["same"], False, "undecided"),
    ],
)  # fmt: skip
def test_what_they_come_to_together(answers, changes, turned, verdict):
    assert drift_verdict(answers, changes, turned) == verdict
