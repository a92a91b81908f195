"""Whom a difference rests on, by hand and by leaving each person out for real."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.influence import pivots
from tiltmeter.studies.paired.pairs import pair_study, people_study

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
CONTRASTS = [c for axis in EEC.axes for c in contrasts_of(axis.name, axis.groups)]


def scored(values):
    return SENTENCES.select(
        "corpus", "id", system=pl.lit("s"), task=pl.lit("valence"), repeat=pl.lit(0, pl.Int64),
        raw=pl.Series(values), score=pl.Series(values), reason=pl.lit(None, pl.String),
    )  # fmt: skip


def studied(scores, sentences=SENTENCES):
    study = pair_study(sentences, scores, CONTRASTS, flips=0)
    return study, people_study(sentences, scores, ["gender", "race"])


def test_a_difference_that_is_one_name_s_is_gone_without_it():
    # Tia's sentences stand 0.2 higher. Race: 0.2 / 20 names = 0.01; without her 0.
    # Gender: her pool is one pair of eleven in each frame, 0.2 / 20 / 11; without her 0.
    found = pivots(*studied(scored(0.5 + 0.2 * (SENTENCES["person"] == "Tia").to_numpy())))
    whole, names = found.filter(kind=""), found.filter(kind="names")
    assert whole["person"].to_list() == names["person"].to_list() == ["Tia", "Tia"]
    assert whole["value"].to_list() == pytest.approx([0.2 / 220, 0.01])
    assert names["value"].to_list() == pytest.approx([0.01, 0.01])
    assert found["without"].to_list() == pytest.approx([0] * found.height, abs=1e-12)


def test_a_pair_is_left_out_and_named_as_a_pair():
    # The pair my sister/my brother differs by 0.1, one of eleven; without it nothing is left.
    found = pivots(*studied(scored(0.5 + 0.1 * (SENTENCES["person"] == "my sister").to_numpy())))
    gender = found.filter(axis="gender").row(0, named=True)
    assert gender["person"] == "my sister/my brother"
    assert gender["value"] == pytest.approx(0.1 / 11)
    assert gender["without"] == pytest.approx(0, abs=1e-12)


def test_the_formula_is_what_leaving_someone_out_gives():
    rng = np.random.default_rng(5)
    people = {person: rng.normal(0, 0.05) for person in SENTENCES["person"].unique().sort()}
    values = 0.5 + SENTENCES["person"].replace_strict(people).to_numpy()
    scores = scored(values + rng.normal(0, 0.01, SENTENCES.height))
    found = pivots(*studied(scores))
    for row in found.filter(kind="").iter_rows(named=True):
        rest = SENTENCES.filter(~pl.col("person").is_in(row["person"].split("/")))
        again, _ = studied(scores.join(rest, on="id", how="semi"), rest)
        left = again.estimates.filter(axis=row["axis"], subset="all", measure="mean_difference")
        assert row["without"] == pytest.approx(left["value"][0], abs=1e-12)


def test_a_submission_without_scores_rests_on_nobody():
    scores = scored(np.full(SENTENCES.height, 0.5)).with_columns(
        raw=pl.lit(None, pl.Float64), score=pl.lit(None, pl.Float64), reason=pl.lit("none")
    )
    assert pivots(*studied(scores)).is_empty()
