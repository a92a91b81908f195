"""Labels: pairs that change theirs, by hand on a tiny corpus; gaps and chance; thresholds."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.labels import label_estimates, labels_of, thresholds_given
from tiltmeter.studies.paired.pairs import pair_study
from tiny import CONTRASTS, one, scores_of, tiny

TINY = tiny()
AXES = {"gender": ["female", "male"], "race": ["A", "B"]}
EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
EEC_CONTRASTS = [contrast for axis in EEC.axes for contrast in contrasts_of(axis.name, axis.groups)]


def labelled(sentences, scores, axes=None, contrasts=CONTRASTS, thresholds=(0.5,)):
    study = pair_study(sentences, scores, contrasts, flips=0)
    return label_estimates(
        sentences, scores, study, contrasts, axes or AXES, thresholds,
        people=EEC.people if sentences is SENTENCES else None,
    )  # fmt: skip


def scored(**people):
    """Everybody's score is 0.6 but for those given; a list has one for each frame."""
    rows = []
    for frame in range(3):
        for person in TINY["person"][:6]:
            given = people.get(person.removeprefix("my ").lower(), 0.6)
            rows.append(given[frame] if isinstance(given, list) else given)
    return rows


def test_pairs_of_couples_that_change_label_are_counted_by_hand():
    # Three gender pairs, mother and father in three frames: father is below in frame 0, so 1 is
    # positive only for women. Names have no pairs: nobody labels an average.
    values = scored(father=[0.3, 0.6, 0.6], ann=[0.6, 0.2, 0.6])
    found = labelled(TINY, scores_of(TINY, [values]))
    validate(found, ESTIMATES)
    flips = one(found, axis="gender", subset="couples", measure="flips")
    assert (flips["value"], flips["n"], flips["unit"]) == (pytest.approx(1 / 3), 3, "share")
    balance = one(found, axis="gender", subset="couples", measure="flip_balance")
    assert (balance["value"], balance["p"]) == (pytest.approx(1 / 3), 1.0)
    assert one(found, axis="gender", subset="template:1", measure="flips")["value"] == 0.5
    assert one(found, axis="gender", subset="neutral", measure="flips")["value"] == 0.0
    assert found.filter(axis="race", measure="flips").is_empty()


def test_the_label_tilt_is_of_sentences_not_of_averages():
    # Ann is below in frame 1: of six sentences with women's names one is 0, of men's none.
    found = labelled(TINY, scores_of(TINY, [scored(ann=[0.6, 0.2, 0.6])]))
    tilt = one(found, axis="gender", subset="names", measure="label_tilt")
    assert tilt["value"] == pytest.approx(-1 / 6)
    assert (tilt["n"], tilt["unit"]) == (4, "share")
    shares = dict(
        found.filter(axis="gender", subset="names", measure="label_share")
        .select("contrast", "value").rows()
    )  # fmt: skip
    assert shares == {"female": pytest.approx(5 / 6), "male": pytest.approx(1)}
    couples = one(found, axis="gender", subset="couples", measure="label_tilt")
    assert couples["value"] == 0.0


def test_people_count_as_they_were_drawn():
    """Ann stands for nine, the others for one: of women's sentences 9/10 · 1/3 are below."""
    values = scored(ann=[0.6, 0.2, 0.6])
    people = pl.DataFrame(
        {"match": ["names"] * 4, "person": ["Ann", "Bea", "Cal", "Dan"], "family": [None] * 4,
         "bearers": [9, 1, 1, 1], "weight": [9.0, 1, 1, 1], "probability": [1.0] * 4,
         "frames": [3] * 4},
        {"match": pl.String, "person": pl.String, "family": pl.String, "bearers": pl.Int64,
         "weight": pl.Float64, "probability": pl.Float64, "frames": pl.Int64},
    )  # fmt: skip
    some, axes = TINY.filter(match="names"), {"gender": AXES["gender"]}
    kept = [at for at, match in enumerate(TINY["match"]) if match == "names"]
    scores = scores_of(some, [[values[at] for at in kept]])
    study = pair_study(some, scores, CONTRASTS[:1], flips=0)
    found = label_estimates(some, scores, study, CONTRASTS[:1], axes, (0.5,), people=people)
    tilt = one(found, measure="label_tilt")
    assert tilt["value"] == pytest.approx(-0.3)
    assert tilt["se"] == 0  # a census whose words move nothing more
    shares = dict(found.filter(measure="label_share").select("contrast", "value").rows())
    assert shares == {"female": pytest.approx(0.7), "male": pytest.approx(1)}


def test_a_score_at_the_threshold_is_positive_and_rounding_turns_no_label():
    just = 0.1 + 0.2 + 0.2 - 1e-12
    np.testing.assert_array_equal(labels_of(np.array([0.5, just, 0.499]), (0.5,)), [1, 1, 0])
    found = labelled(TINY, scores_of(TINY, [scored(ann=just, father=0.5)]))
    assert found.filter(measure="flips")["value"].max() == 0.0


def test_several_thresholds_make_classes_and_a_change_of_class_is_a_flip():
    # 0.5 is in the middle class of three, 0.6 in the upper
    values = scored(father=[0.5, 0.6, 0.6])
    where = {"axis": "gender", "subset": "couples"}
    found = labelled(TINY, scores_of(TINY, [values]))
    assert one(found, **where, measure="flips")["value"] == 0.0
    found = labelled(TINY, scores_of(TINY, [values]), thresholds=(0.4, 0.55))
    assert one(found, **where, measure="flips")["value"] == pytest.approx(1 / 3)
    assert one(found, **where, measure="label_tilt")["value"] == pytest.approx(0.5 / 3)


def test_missing_scores_drop_their_pairs_and_are_counted():
    found = labelled(TINY, scores_of(TINY, [scored(father=[0.1, np.nan, 0.6])]))
    flips = one(found, axis="gender", subset="couples", measure="flips")
    assert (flips["n"], flips["n_dropped"]) == (2, 1)
    assert flips["value"] == pytest.approx(1 / 2)


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
    with pytest.raises(TiltmeterError, match=r"^threshold is .*; expected numbers"):
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
    gap = one(planted, axis="gender × race", measure="label_gap")
    first, second = gap["contrast"].removesuffix(f"-{gap['reference']}"), gap["reference"]
    assert first == "female × African American"
    assert gap["value"] == pytest.approx(0.5)
    assert gap["p"] < 0.01
    shares = dict(
        planted.filter(axis="gender × race", measure="label_share")
        .select("contrast", "value")
        .rows()
    )
    assert shares == {first: pytest.approx(0.5), second: pytest.approx(0.0, abs=1e-12)}
    # Two groups are compared by their label tilt; only three or more have a largest gap.
    assert planted.filter(measure="label_gap").height == 1


def names_with_tastes(systems, seed):
    """People with tastes of their own, and no groups."""
    rng = np.random.default_rng(seed)
    person = SENTENCES["person"].rank("dense").to_numpy().astype(int) - 1
    frame = SENTENCES["frame"].rank("dense").to_numpy().astype(int) - 1
    tastes = rng.normal(0, 0.1, (systems, person.max() + 1))
    frames = rng.uniform(0.2, 0.8, frame.max() + 1)
    return eec_labelled(np.clip(frames[frame] + tastes[:, person], 0, 1))


def test_a_gap_of_chance_is_within_its_interval():
    gaps = names_with_tastes(40, 3).filter(axis="gender × race", measure="label_gap")
    assert gaps["value"].mean() > 0.05  # the largest of six is not near 0
    assert (gaps["p"] < 0.05).sum() <= 5  # P(X > 5 | 40, 0.05) = 0.014
    assert (gaps["low"] <= 0).sum() >= 36  # all true gaps are 0


@pytest.mark.parametrize("kind", ["names", "couples"])
def test_mcnemar_takes_pairs_for_independent_and_the_label_tilt_does_not(kind):
    found = names_with_tastes(60, 4).filter(axis="gender", subset=kind)
    assert (found.filter(measure="label_tilt")["p"] < 0.05).mean() <= 0.15
    if kind == "couples":
        assert (found.filter(measure="flip_balance")["p"] < 0.05).mean() > 0.3
