"""What every registered corpus must hold, in every edition it has."""

from functools import cache

import polars as pl
import pytest

from tiltmeter.corpora import (
    RATING_DATASETS,
    check_corpus,
    corpus_editions,
    corpus_names,
    load_corpus,
    load_rating_group,
    pair_counts,
)
from tiltmeter.schemas import PEOPLE, SENTENCES, validate

ALL = [(name, edition) for name in corpus_names() for edition in corpus_editions(name)]
SIZES = {"eec": 8640, "eec-latino": 8640, "eec-arab": 8640, "eec-es": 8460, "eec-ar": 8040}
POPULATIONS = ("names-us", "names-us-both")
EEC = [(name, edition) for name, edition in ALL if name in SIZES]
RATING = [(name, edition) for name, edition in ALL if name in RATING_DATASETS]
STATE_AND_SITUATION = {
    "eec": (20, 20), "eec-latino": (20, 20), "eec-arab": (20, 20), "eec-es": (20, 19),
    "eec-ar": (19, 18),
}  # fmt: skip
opened = cache(load_corpus)
"""Read and filled in once for all tests of a corpus."""


@pytest.fixture(params=ALL, ids=lambda pair: "-".join(pair))
def corpus(request):
    return opened(*request.param)


@pytest.fixture(params=EEC, ids=lambda pair: "-".join(pair))
def eec(request):
    """An Equity Evaluation Corpus: templates × people × words, nobody without a gender."""
    return opened(*request.param)


@pytest.fixture(params=RATING, ids=lambda pair: "-".join(pair))
def rating(request):
    """A rating dataset: part of its group's sentences, some people without a group."""
    return opened(*request.param)


def test_there_are_five_equity_corpora_two_populations_and_sixteen_rating_datasets():
    assert (len(EEC), len(RATING)) == (2 * 5, 2 * 16)
    assert {*SIZES, *POPULATIONS, *RATING_DATASETS} == set(corpus_names())


def test_its_people_keep_to_their_table_and_meet_as_many_frames_as_it_says(corpus):
    people = validate(corpus.people, PEOPLE)
    met = corpus.sentences().group_by("person").agg(pl.col("frame").n_unique())
    assert dict(people.select("person", "frames").iter_rows()) == dict(met.iter_rows())
    assert (corpus.population is not None) == (corpus.name in POPULATIONS)
    assert people["probability"].is_not_null().all() == (corpus.name in POPULATIONS)


def test_it_has_the_size_the_papers_state(eec):
    assert eec.size == SIZES[eec.name] == eec.sentences().height


def test_its_templates_have_the_counts_the_papers_state(eec):
    state, situation = STATE_AND_SITUATION[eec.name]
    expected = [60 * state] * 4 + [60 * situation] * 3 + [60] * 4
    found = eec.sentences().group_by("template", maintain_order=True).len()
    assert found["template"].to_list() == [str(number) for number in range(1, 12)]
    assert found["len"].to_list() == expected


def test_its_sentences_keep_to_the_table(corpus):
    sentences = validate(corpus.sentences(), SENTENCES)
    assert tuple(sentences.columns) == corpus.columns
    assert sentences["edition"].unique().to_list() == [corpus.edition]


def test_its_pairs_are_those_of_frames_and_matches(eec):
    frames = 4 * (STATE_AND_SITUATION[eec.name][0] + 1) + 3 * STATE_AND_SITUATION[eec.name][1]
    gender, race = (pair_counts(eec.sentences(), axis) for axis in eec.axes)
    assert eec.sentences()["frame"].n_unique() == frames
    assert list(gender.values()) == [11 * frames]
    assert list(race.values()) == [frames]


def test_every_cell_of_the_design_has_ten_names(eec):
    names = eec.sentences().filter(pl.col("match") == "names")
    cells = names.group_by("gender", "race").agg(pl.col("person").n_unique())
    assert sorted(cells["person"].to_list()) == [10, 10, 10, 10]


def test_its_noun_phrases_are_ten_pairs(eec):
    pairs = eec.sentences().filter(pl.col("match") != "names")
    people = pairs.group_by("match").agg(pl.col("person").n_unique(), pl.col("gender").n_unique())
    assert people.height == 10
    assert people["person"].to_list() == people["gender"].to_list() == [2] * 10
    assert pairs["race"].null_count() == pairs.height


def test_no_slot_is_left_open_and_no_space_is_doubled(corpus):
    text = corpus.sentences()["text"]
    assert not text.str.contains(r"[{}]|\s\s|^\s|\s$|None|null").any()


def test_check_finds_it_sound(corpus):
    report = check_corpus(corpus)
    sound = {"structure", "pairs", "balance", "names", "text"}
    assert all(remark.fine for remark in report.remarks if remark.subject in sound)


def test_both_editions_share_their_ids(eec):
    ids = [load_corpus(eec.name, edition).sentences()["id"] for edition in
           corpus_editions(eec.name)]  # fmt: skip
    assert ids[0].to_list() == ids[1].to_list()


def test_every_list_and_template_says_where_it_comes_from(corpus):
    sources = [provenance.source for provenance in corpus.design.lists.values()]
    sources += [template.provenance.source for template in corpus.design.templates]
    licences = [provenance.licence for provenance in corpus.design.lists.values()]
    assert all(sources)
    assert all(licences)


def test_corrected_editions_begin_with_a_capital_and_end_with_a_full_stop():
    for name in corpus_names():
        text = load_corpus(name).sentences()["text"]
        assert text.str.ends_with(".").all(), name
        assert text.str.contains(r"^[\p{Lu}\p{Lo}]").all(), name


def test_a_rating_dataset_is_part_of_its_group_under_the_same_ids(rating):
    universe = load_rating_group(RATING_DATASETS[rating.name][0], rating.edition).sentences()
    found = rating.sentences()
    assert found["corpus"].unique().to_list() == [rating.name]
    there = found.join(universe, on=["id", "text", "person", "emotion_word", "frame"], how="semi")
    assert there.height == found.height == rating.size


def test_a_rating_dataset_speaks_of_every_class_equally_often(rating):
    # Published groups 3 and 4 have one name for each cell and two people without groups.
    twice = 2 if rating.edition == "published" and "race" in rating.columns else 1
    axes = [axis.name for axis in rating.axes]
    people = rating.sentences().group_by(axes).agg(pl.col("person").n_unique(), pl.len())
    nobody = pl.all_horizontal(pl.col(axes).is_null())
    (na,) = people.filter(nobody).rows()
    others = people.filter(~nobody)
    assert others.height == 2 ** len(axes)
    assert set(others["len"]) == {na[-1] // twice}
    assert set(others["person"]) == {na[-2] // twice}
