"""Test–retest: noise between repeats, what it adds to a tilt, and that intervals hold it."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.studies.paired.claims import NAMES
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.labels import label_estimates
from tiltmeter.studies.paired.pairs import pair_study
from tiltmeter.studies.paired.tilt import tilt_study
from tiny import CONTRASTS, one, scores_of, tiny

TINY = tiny()
AXES = {"gender": ["female", "male"], "race": ["A", "B"]}
SENTENCES = load_corpus("eec").sentences()
GENDER = contrasts_of("gender", ["female", "male"])[0]


def repeated(sentences, values):
    """The scores table of (repeats, systems, sentences)."""
    return pl.concat([scores_of(sentences, one, repeat=nth) for nth, one in enumerate(values)])


def labelled(sentences, scores):
    study = pair_study(sentences, scores, CONTRASTS, flips=0)
    return label_estimates(sentences, scores, study, CONTRASTS, AXES, (0.5,))


def test_what_noise_adds_is_by_hand():
    # Only "my mother" in the first frame wavers, 0.4 and 0.6: σ² = 0.02. Its weight in the mean of
    # six pairs is 1/6, two answers: se = √(0.02 / 36 / 2) = 0.016667. Pooled over 18 sentences:
    # sd = √(0.02 / 18) = 0.033333.
    values = np.full((2, 1, 18), 0.6)
    values[0, 0, 0] = 0.4
    found = labelled(TINY, repeated(TINY, values))
    noise = one(found, axis="gender", measure="retest")
    assert noise["value"] == pytest.approx(np.sqrt(0.02 / 36 / 2))
    assert (noise["n"], noise["unit"], noise["df"]) == (2, "scale", pytest.approx(1.0))
    assert one(found, axis="gender", measure="retest_sd")["value"] == pytest.approx(1 / 30)
    # Between two repeats 1 of 12 sides changes its label; within one, 1 pair of 6 in one of two.
    assert one(found, axis="gender", measure="retest_flips")["value"] == pytest.approx(1 / 12)
    assert one(found, axis="gender", measure="flips_once")["value"] == pytest.approx(1 / 12)
    # Race pairs do not hold her: no noise there.
    assert one(found, axis="race", measure="retest")["value"] == 0.0


def test_a_system_that_answers_the_same_each_time_has_no_noise_at_all():
    values = np.repeat(np.random.default_rng(5).random((1, 1, 18)), 3, axis=0)
    found = labelled(TINY, repeated(TINY, values))
    for name in ("retest", "retest_sd", "retest_flips"):
        assert one(found, axis="gender", measure=name)["value"] == 0.0


def test_asked_once_there_is_nothing_to_tell():
    found = labelled(TINY, scores_of(TINY, np.full((1, 18), 0.6)))
    assert not found["measure"].is_in(["retest", "retest_sd", "retest_flips", "flips_once"]).any()


def test_systems_asked_once_beside_others_asked_twice_have_no_rows():
    twice = repeated(TINY, np.full((2, 1, 18), 0.6))
    once = scores_of(TINY, np.full((1, 18), 0.6), systems=["file"])
    found = labelled(TINY, pl.concat([twice, once]))
    assert found.filter(measure="retest")["system"].unique().to_list() == ["s0"]


def test_noise_is_recovered():
    rng = np.random.default_rng(0)
    values = 0.5 + rng.normal(0, 0.1, (4, 1, SENTENCES.height))
    study = pair_study(SENTENCES, repeated(SENTENCES, values), [GENDER], flips=0)
    found = label_estimates(
        SENTENCES, repeated(SENTENCES, values), study, [GENDER], {"gender": ["female", "male"]},
        (0.5,),
    )  # fmt: skip
    assert one(found, measure="retest_sd")["value"] == pytest.approx(0.1, rel=0.02)
    # Per frame 10 pairs of two sentences and one of two means of 20: var = 0.01/4·(10·2 + 2/20)
    # summed over 144 frames, over 1584²
    expected = np.sqrt(0.01 / 4 * (10 * 2 + 2 / 20) * 144) / 1584
    assert one(found, measure="retest")["value"] == pytest.approx(expected, rel=0.02)


def test_without_a_tilt_sides_differ_as_often_as_a_side_does_from_itself():
    rng = np.random.default_rng(1)
    values = np.clip(0.5 + rng.normal(0, 0.1, (3, 1, SENTENCES.height)), 0, 1)
    scores = repeated(SENTENCES, values)
    study = pair_study(SENTENCES, scores, [GENDER], flips=0)
    axes = {"gender": ["female", "male"]}
    found = label_estimates(SENTENCES, scores, study, [GENDER], axes, (0.5,))
    once, again = (one(found, measure=name)["value"] for name in ("flips_once", "retest_flips"))
    assert once == pytest.approx(again, abs=0.03)
    assert once > 0.4  # all of it noise


def test_the_interval_holds_the_tilt_of_a_noisy_system():
    # A true tilt of 0.02, tastes about people, and noise in every answer: each of 150 systems is
    # asked once, and its interval should hold 0.02 in 95 of 100.
    rng = np.random.default_rng(2)
    some = SENTENCES.filter(pl.col("template").is_in(["1", "3", "6", "9"]))
    person = some["person"].rank("dense").to_numpy().astype(int) - 1
    female = (some["gender"] == "female").to_numpy()
    tastes = rng.normal(0, 0.01, (150, person.max() + 1))[:, person]
    noise = rng.normal(0, 0.15, tastes.shape)
    studies = [
        tilt_study(some, 0.02 * female + tastes + part, [GENDER], ["gender", "race"])
        for part in (noise, 0.0 * noise)
    ]
    noisy, quiet = (
        next(one for one in study.claims(GENDER) if one.kind == NAMES) for study in studies
    )
    held = (np.abs(noisy.value - 0.02) <= noisy.reach()).mean()
    assert held >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 150)
    assert np.median(noisy.se) > 1.2 * np.median(quiet.se)
