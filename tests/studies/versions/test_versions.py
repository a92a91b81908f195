"""Two versions on the same sentences: by hand, against statsmodels, and what cancels."""

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.weightstats import ttost_paired

from tiltmeter.claims.verdict import p_within
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.versions.measure import VersionPair, version_study
from tiny import CONTRASTS, scores_of, tiny

GENDER = contrasts_of("gender", ["female", "male"])


def one_frame(pairs=12):
    """One template without an emotion word, and so many noun-phrase pairs in it."""
    rows = [
        {
            "id": f"{group}-{n}", "text": f"{group} {n}", "corpus": "one", "edition": "corrected",
            "language": "en", "template": "1", "person": f"{group} {n}", "gender": group,
            "emotion": None, "emotion_word": None, "frame": "1", "match": f"m{n:02}",
        }
        for n in range(pairs)
        for group in ("female", "male")
    ]  # fmt: skip
    kinds = dict.fromkeys(("emotion", "emotion_word"), pl.String)
    return pl.DataFrame(rows, schema_overrides=kinds)


def studied(sentences, old, new, contrasts=GENDER):
    tables = [
        scores_of(sentences, values, systems=[name]) for values, name in ((old, "a"), (new, "b"))
    ]
    return version_study(sentences, *tables, [VersionPair("a", "b", "valence")], contrasts)


def test_where_people_alone_are_drawn_the_change_is_a_paired_t_test_and_same_is_tost():
    sentences = one_frame()
    rng = np.random.default_rng(0)
    old, new = 0.5 + 0.02 * rng.standard_normal((2, sentences.height))
    row = studied(sentences, old, new).changes.row(0, named=True)
    deltas = [one[0::2] - one[1::2] for one in (old, new)]
    change = deltas[1] - deltas[0]
    assert (row["subset"], row["n"]) == ("couples", 12)
    assert row["change"] == pytest.approx(change.mean())
    without = np.sqrt(row["change_se"] ** 2 - row["change_se_floor"] ** 2)
    assert without == pytest.approx(change.std(ddof=1) / np.sqrt(12))
    # p₀ = 0.5/13, w = how far the change itself differs between sentences: p₀ (1 − p₀) w² / 12
    p, w = 0.5 / 13, (new - old).std()
    assert row["change_se_floor"] == pytest.approx(np.sqrt(p * (1 - p) * w**2 / 12))
    theirs, _, _ = ttost_paired(deltas[1], deltas[0], -0.02, 0.02)
    ours = p_within(row["change"], without, 11, 0.02)
    assert float(ours) == pytest.approx(theirs)


def test_the_change_is_new_minus_old_by_hand():
    """Six gender pairs; the old version gives every woman's sentence 0.01 more, the new 0.04."""
    sentences = tiny()
    female = (sentences["gender"] == "female").to_numpy()
    study = studied(sentences, 0.5 + 0.01 * female, 0.5 + 0.04 * female, CONTRASTS)
    names, couples, race = study.changes.to_dicts()
    assert [(one["axis"], one["subset"], one["n"]) for one in (names, couples, race)] == [
        ("gender", "names", 4), ("gender", "couples", 1), ("race", "names", 4)
    ]  # fmt: skip
    for row in (names, couples):
        assert (row["old"], row["new"]) == pytest.approx((0.01, 0.04))
        assert row["change"] == pytest.approx(0.03)
        assert row["total"] == pytest.approx(0.05)
    assert couples["change_se"] is None  # one couple is no sample
    # Two names a side, nobody apart from their group, so all of it is the floor: 2 · p₀ (1 − p₀)
    # w²/2, p₀ = 0.5/3, w = 0.015, as women's sentences are 0.03 further, and half are women's
    p = 0.5 / 3
    assert names["change_se"] == pytest.approx(np.sqrt(p * (1 - p)) * 0.015)


@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_what_changed_for_nobody_is_exactly_the_same(shift):
    """Identical answers, or all of them further by the same: no name moved the change at all."""
    sentences = tiny()
    values = 0.3 + 0.05 * np.random.default_rng(2).standard_normal(sentences.height)
    for row in studied(sentences, values, values + shift, CONTRASTS).changes.to_dicts():
        assert (row["change"], row["change_se"]) == (0.0, 0.0)
        assert (row["change_low"], row["change_high"]) == (0.0, 0.0)


def test_what_changed_for_couples_alone_leaves_names_in_doubt():
    """No name moved, but a version that moved my mother may move a name that is not here."""
    sentences = tiny()
    new = 0.5 + 0.2 * (sentences["person"] == "my mother").to_numpy()
    names = studied(sentences, np.full(18, 0.5), new).changes.row(0, named=True)
    assert (names["subset"], names["change"]) == ("names", 0.0)
    assert names["change_se"] > 0


def test_what_both_versions_make_of_a_name_alike_cancels():
    """Names weigh ten times as much as the change; the error of the change does not see them."""
    sentences = tiny()
    weights = dict(zip(sorted(sentences["person"].unique()), range(6), strict=True))
    names = 0.05 * sentences["person"].replace_strict(weights, return_dtype=pl.Float64).to_numpy()
    noise = 0.001 * np.random.default_rng(1).standard_normal((2, sentences.height))
    row = studied(sentences, 0.3 + names + noise[0], 0.3 + names + noise[1]).changes.row(
        0, named=True
    )
    assert row["change_se"] < row["old_se"] / 10


def test_a_sentence_without_a_score_is_left_out_for_both():
    sentences = tiny()
    old, new = np.full((2, sentences.height), 0.5)
    old[0] = np.nan  # my mother, in the first frame
    names, couples = studied(sentences, old, new).changes.to_dicts()
    assert (names["n"], names["n_dropped"]) == (4, 0)
    assert (couples["n"], couples["n_dropped"]) == (1, 1)


def test_a_version_without_a_scale_makes_the_pair_native():
    sentences = tiny()
    old = scores_of(sentences, np.full(18, 3.0), systems=["a"], raw=True)
    new = scores_of(sentences, np.full(18, 0.5), systems=["b"])
    study = version_study(sentences, old, new, [VersionPair("a", "b", "valence")], GENDER)
    assert study.changes["unit"].to_list() == ["native", "native"]
    assert study.changes["change_se"].to_list() == [None, None]  # not the same: two scales


def test_the_pairs_that_moved_are_those_that_moved():
    sentences = tiny()
    old = np.full(sentences.height, 0.5)
    new = old.copy()
    new[0] = 0.7  # my mother in the first frame: 0.2 apart, before 0
    old[7] = 0.1  # my father in the second frame: 0.4 apart before, now 0
    moved = studied(sentences, old, new).moved.to_dicts()
    apart, together = moved
    assert apart["further"] == pytest.approx(0.2)
    assert (apart["text_first"], apart["old_first"], apart["new_first"]) == (
        "my mother 1/joy/glad", 0.5, 0.7,
    )  # fmt: skip
    assert together["further"] == pytest.approx(-0.4)
    assert together["match"] == "my mother/my father"
    assert together["subset"] == "couples"
