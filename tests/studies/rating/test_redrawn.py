"""Datasets drawn anew: as many of each class as there are, the same luck for the same sentences."""

from dataclasses import replace

import numpy as np
import pytest
from small_groups import assigned, crossed, effect, study, universe

from tiltmeter.studies.rating.psi import draws_of

REPEATS = 50
MANY, FEW = universe(people=6, templates=4), universe(people=2, templates=4)
BARE = universe(people=6).drop("person", "template", "frame")


def drawn(group, dataset=-1, seed=0, repeats=REPEATS):
    return draws_of(group, group.datasets[dataset], repeats, seed)[:]


def sizes(weights, sentences, *columns):
    """(cells, draws): how many sentences each draw has of each combination of some columns."""
    cells = sentences.with_row_index("row").group_by(*columns).agg("row")["row"]
    return np.array([weights[:, rows.to_numpy()].sum(axis=1) for rows in cells])


def group_of(sentences, **changes):
    return replace(crossed(np.zeros(sentences.height), sentences), **changes)


@pytest.mark.parametrize("sentences", [MANY, FEW, BARE], ids=["many", "few", "bare"])
def test_the_first_draw_is_the_dataset_at_hand(sentences):
    group = group_of(sentences)
    for place, dataset in enumerate(group.datasets):
        first = drawn(group, place)[0]
        assert np.flatnonzero(first).tolist() == dataset.rows[0].tolist()
        assert set(first) <= {0, 1}
    assert drawn(group, repeats=0).shape == (1, sentences.height)


@pytest.mark.parametrize("sentences", [MANY, FEW, BARE], ids=["many", "few", "bare"])
def test_every_draw_keeps_the_size_of_each_class_and_word(sentences):
    found = sizes(drawn(group_of(sentences)), sentences, "gender", "emotion_word")
    assert (found == found[:, :1]).all()
    # … and is not the same over and over.
    weights = drawn(group_of(sentences))
    assert len({tuple(row) for row in weights}) > 10  # four templates can be drawn in 35 ways


def test_people_are_taken_with_all_their_sentences():
    weights = drawn(group_of(MANY))
    by_person = MANY.with_row_index("row").group_by("person").agg("row")["row"]
    for rows in by_person:
        mine = weights[:, rows.to_numpy()]
        assert (mine == mine[:, :1]).all()


def test_where_people_are_few_templates_are_taken_the_same_for_all():
    weights = drawn(group_of(FEW))
    for rows in FEW.with_row_index("row").group_by("template").agg("row")["row"]:
        same = weights[:, rows.to_numpy()]
        assert (same == same[:, :1]).all()


@pytest.mark.parametrize("sentences", [MANY, FEW], ids=["many", "few"])
def test_datasets_that_share_sentences_share_their_luck(sentences):
    group = group_of(sentences)
    grim = (sentences["emotion_word"] == "grim").arg_true().to_numpy()
    assert (drawn(group, 0)[:, grim] == drawn(group, 2)[:, grim]).all()


def test_draws_depend_on_the_seed_and_on_nothing_but_the_design():
    one = group_of(MANY)
    other = replace(one, scores=np.ones((3, MANY.height)))
    assert (drawn(one, seed=4) == drawn(other, seed=4)).all()
    assert (drawn(one, seed=4) != drawn(one, seed=5)).any()


def test_assigned_words_are_drawn_anew_for_the_same_people_and_templates():
    shares = {"female": 0.1, "male": 0.9, None: 0.5}
    group = assigned(np.zeros(MANY.height), MANY, shares, draws=REPEATS + 1)
    weights = drawn(group)
    found = sizes(weights, MANY, "gender")
    assert (found == 24).all()  # 6 people in 4 templates
    positive = sizes(weights, MANY, "gender", "polarity")
    assert (positive.std(axis=1) > 0).all()


@pytest.mark.parametrize("sentences", [MANY, FEW], ids=["many", "few"])
def test_a_system_that_is_even_never_flips(sentences):
    # It answers by template and word alone, and differs much between them; beside it noise.
    rng = np.random.default_rng(3)
    frames = sentences["frame"].unique(maintain_order=True)
    even = effect(sentences, frame=dict(zip(frames, rng.normal(size=8), strict=True)))
    noise = rng.normal(0, 0.4, (2, sentences.height))
    found = study(crossed(np.vstack([even, noise]), sentences), repeats=REPEATS)
    first = found.raw.row(0, named=True)
    assert (first["psi"], first["rating"], first["low"], first["high"]) == (0, 1, 1, 1)
    assert first["steady"] == 1.0
    shares = found.frequencies.filter(system="s0", column="G1", rating=1)["share"]
    assert shares.to_list() == [1.0]


def test_a_raw_score_that_rests_on_one_person_is_said_to():
    # One woman of six is scored far lower, and nobody else differs from anybody. Each test of
    # women is rejected; but in whose class she stands makes no difference to how far classes
    # stand apart, so every chance is as large: p = 1.
    sentences = universe(people=6, templates=8)
    one = effect(sentences, person={"female 3": -0.9})
    found = study(crossed(np.vstack([one, np.zeros_like(one)]), sentences), repeats=50, levels=2)
    row = found.raw.row(0, named=True)
    assert row["psi"] > 10
    assert (row["rests_on"], row["without"]) == ("female 3", 0)
    assert row["p"] == 1
