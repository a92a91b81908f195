"""Labels: pairs that change theirs, by hand on a tiny corpus; gaps and chance; thresholds."""

import numpy as np
import polars as pl
import pytest
from tiny import CONTRASTS, one, scores_of, tiny

from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.measures import contrasts_of, label_estimates, pair_study, thresholds_given
from tiltmeter.measures.labels import labels_of
from tiltmeter.tables import ESTIMATES, validate

TINY = tiny()
AXES = {"gender": ["female", "male"], "race": ["A", "B"]}
EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
EEC_CONTRASTS = [contrast for axis in EEC.axes for contrast in contrasts_of(axis.name, axis.groups)]


def labelled(sentences, scores, axes=None, contrasts=CONTRASTS, thresholds=(0.5,)):
    study = pair_study(sentences, scores, contrasts, flips=0)
    return label_estimates(sentences, scores, study, contrasts, axes or AXES, thresholds)


def scored(**people):
    """Everybody's score is 0.6 but for those given; a list has one for each frame."""
    rows = []
    for frame in range(3):
        for person in TINY["person"][:6]:
            given = people.get(person.removeprefix("my ").lower(), 0.6)
            rows.append(given[frame] if isinstance(given, list) else given)
    return rows


def test_pairs_that_change_label_are_counted_by_hand():
    # Six gender pairs, three frames each: mother/father, and the means of Ann, Bea and Cal, Dan.
    # father below in frame 0: 1 positive only for women. Ann at 0.2, Bea at 0.6 in frame 1: their
    # mean 0.4 is below, Cal and Dan's 0.6 is not: 1 positive only for men.
    values = scored(father=[0.3, 0.6, 0.6], ann=[0.6, 0.2, 0.6])
    found = labelled(TINY, scores_of(TINY, [values]))
    validate(found, ESTIMATES)
    flips = one(found, axis="gender", subset="all", measure="flips")
    assert (flips["value"], flips["n"], flips["unit"]) == (pytest.approx(2 / 6), 6, "share")
    balance = one(found, axis="gender", subset="all", measure="flip_balance")
    assert (balance["value"], balance["p"]) == (0.0, 1.0)
    # Race: Ann and Cal against Bea and Dan; in frame 1 (0.2 + 0.6)/2 = 0.4 is below.
    race = one(found, axis="race", subset="all", measure="flip_balance")
    assert race["value"] == pytest.approx(-1 / 3)
    assert one(found, axis="race", subset="template:1", measure="flips")["value"] == 0.5
    assert one(found, axis="race", subset="neutral", measure="flips")["value"] == 0.0


def test_the_label_tilt_is_of_sentences_not_of_averages():
    # Ann is below in frame 1: of women's labels in the pool of names half are 0 there.
    found = labelled(TINY, scores_of(TINY, [scored(ann=[0.6, 0.2, 0.6])]))
    tilt = one(found, axis="gender", measure="label_tilt")
    assert tilt["value"] == pytest.approx(-0.5 / 6)
    assert one(found, axis="gender", subset="all", measure="flip_balance")["value"] == (
        pytest.approx(-1 / 6)
    )


def test_a_score_at_the_threshold_is_positive_and_rounding_turns_no_label():
    just = 0.1 + 0.2 + 0.2 - 1e-12
    np.testing.assert_array_equal(labels_of(np.array([0.5, just, 0.499]), (0.5,)), [1, 1, 0])
    found = labelled(TINY, scores_of(TINY, [scored(ann=just, father=0.5)]))
    assert found.filter(measure="flips")["value"].max() == 0.0


def test_several_thresholds_make_classes_and_a_change_of_class_is_a_flip():
    # 0.5 is in the middle class of three, 0.6 in the upper
    values = scored(father=[0.5, 0.6, 0.6])
    assert one(
        labelled(TINY, scores_of(TINY, [values])), axis="gender", subset="all", measure="flips"
    )["value"] == 0.0  # fmt: skip
    found = labelled(TINY, scores_of(TINY, [values]), thresholds=(0.4, 0.55))
    assert one(found, axis="gender", subset="all", measure="flips")["value"] == pytest.approx(1 / 6)
    assert one(found, axis="gender", measure="label_tilt")["value"] == pytest.approx(0.5 / 6)


def test_missing_scores_drop_their_pairs_and_are_counted():
    found = labelled(TINY, scores_of(TINY, [scored(father=[0.1, np.nan, 0.6])]))
    flips = one(found, axis="gender", subset="all", measure="flips")
    assert (flips["n"], flips["n_dropped"]) == (5, 1)
    assert flips["value"] == pytest.approx(1 / 5)


def test_a_system_without_a_scale_has_no_middle_and_no_rows():
    both = pl.concat(
        [
            scores_of(TINY, [scored()], systems=["known"]),
            scores_of(TINY, [scored()], systems=["native"], raw=True),
        ]
    )
    assert labelled(TINY, both)["system"].unique().to_list() == ["known"]
    assert labelled(TINY, both.filter(system="native")).is_empty()


def test_a_silent_system_has_no_label():
    silent = scores_of(TINY, [[np.nan] * 18, scored()], systems=["silent", "known"])
    found = labelled(TINY, silent)
    assert "silent" not in found["system"]  # without a score its scale is not known either


@pytest.mark.parametrize("wrong", [0, 1, 3, [0.6, 0.4], [], True, [0.5, "x"], float("nan")])
def test_a_threshold_that_is_none_is_refused(wrong):
    with pytest.raises(TiltmeterError, match=r"--threshold is .*; expected numbers"):
        thresholds_given(wrong)


def eec_labelled(values):
    axes = {axis.name: axis.groups for axis in EEC.axes}
    return labelled(SENTENCES, scores_of(SENTENCES, values), axes, EEC_CONTRASTS)


@pytest.fixture(scope="module")
def planted():
    """Women with African American names are positive in half of their sentences, others in none."""
    cell = (SENTENCES["gender"] == "female") & (SENTENCES["race"] == "African American")
    frame = SENTENCES["frame"].rank("dense").to_numpy().astype(int)
    hit = cell.fill_null(False).to_numpy() & (frame % 2 == 0)
    return eec_labelled(np.where(hit, 0.9, 0.1)[None, :])


def test_the_worst_gap_names_the_cell_that_was_planted(planted):
    gap = planted.filter(axis="gender × race", measure="label_gap").row(0, named=True)
    first, second = gap["contrast"].removesuffix(f"-{gap['reference']}"), gap["reference"]
    assert first == "female × African American"
    assert gap["value"] == pytest.approx(0.5)
    shares = dict(
        planted.filter(axis="gender × race", measure="label_share")
        .select("contrast", "value")
        .rows()
    )
    assert shares == {first: pytest.approx(0.5), second: 0.0}
    assert gap["p"] == pytest.approx(1 / 1000)
    chance = one(planted, axis="gender × race", measure="label_gap_chance")
    assert chance["value"] < chance["high"] < 0.5


def test_a_gap_of_chance_is_about_what_chance_gives():
    # Names with tastes of their own, and no groups: the largest gap is not near 0.
    rng = np.random.default_rng(3)
    person = SENTENCES["person"].rank("dense").to_numpy().astype(int) - 1
    frame = SENTENCES["frame"].rank("dense").to_numpy().astype(int) - 1
    names, frames = (
        rng.normal(0, 0.1, (40, person.max() + 1)),
        rng.uniform(0.2, 0.8, frame.max() + 1),
    )
    found = eec_labelled(np.clip(frames[frame] + names[:, person], 0, 1))
    gaps = found.filter(axis="gender × race", measure="label_gap")
    chance = found.filter(axis="gender × race", measure="label_gap_chance")["value"]
    assert gaps["value"].mean() > 0.05
    assert gaps["value"].mean() == pytest.approx(chance.mean(), rel=0.2)
    assert (gaps["p"] < 0.05).sum() <= 5  # P(X > 5 | 40, 0.05) = 0.014
    held = (gaps["low"] <= 0).sum()  # all true gaps are 0
    assert held >= 36


def test_mcnemar_takes_pairs_for_independent_and_the_crossed_interval_does_not():
    # Ten noun-phrase pairs with tastes of their own: no tilt past these people.
    rng = np.random.default_rng(4)
    person = SENTENCES["person"].rank("dense").to_numpy().astype(int) - 1
    frame = SENTENCES["frame"].rank("dense").to_numpy().astype(int) - 1
    values = rng.uniform(0.2, 0.8, (60, 144))[:, frame] + rng.normal(0, 0.05, (60, 60))[:, person]
    found = eec_labelled(np.clip(values, 0, 1)).filter(axis="gender", subset="all")
    plain = (found.filter(measure="flip_balance")["p"] < 0.05).mean()
    crossed = (found.filter(measure="label_tilt")["p"] < 0.05).mean()
    assert plain > 0.3
    assert crossed <= 0.15
