"""What every registered corpus must hold, in every edition it has."""

import polars as pl
import pytest

from tiltmeter.corpora import check_corpus, corpus_editions, corpus_names, load_corpus, pair_counts
from tiltmeter.tables import SENTENCES, validate

ALL = [(name, edition) for name in corpus_names() for edition in corpus_editions(name)]
SIZES = {"eec": 8640, "eec-latino": 8640, "eec-arab": 8640, "eec-es": 8460, "eec-ar": 8040}
STATE_AND_SITUATION = {
    "eec": (20, 20), "eec-latino": (20, 20), "eec-arab": (20, 20), "eec-es": (20, 19),
    "eec-ar": (19, 18),
}  # fmt: skip


@pytest.fixture(params=ALL, ids=lambda pair: "-".join(pair))
def corpus(request):
    return load_corpus(*request.param)


def test_there_are_ten_corpus_editions():
    assert len(ALL) == 10
    assert set(SIZES) == set(corpus_names())


def test_it_has_the_size_the_papers_state(corpus):
    assert corpus.size == SIZES[corpus.name] == corpus.sentences().height


def test_its_templates_have_the_counts_the_papers_state(corpus):
    state, situation = STATE_AND_SITUATION[corpus.name]
    expected = [60 * state] * 4 + [60 * situation] * 3 + [60] * 4
    found = corpus.sentences().group_by("template", maintain_order=True).len()
    assert found["template"].to_list() == [str(number) for number in range(1, 12)]
    assert found["len"].to_list() == expected


def test_its_sentences_keep_to_the_table(corpus):
    sentences = validate(corpus.sentences(), SENTENCES)
    assert tuple(sentences.columns) == corpus.columns
    assert sentences["edition"].unique().to_list() == [corpus.edition]


def test_its_pairs_are_those_of_frames_and_matches(corpus):
    frames = 4 * (STATE_AND_SITUATION[corpus.name][0] + 1) + 3 * STATE_AND_SITUATION[corpus.name][1]
    gender, race = (pair_counts(corpus.sentences(), axis) for axis in corpus.axes)
    assert corpus.sentences()["frame"].n_unique() == frames
    assert list(gender.values()) == [11 * frames]
    assert list(race.values()) == [frames]


def test_every_cell_of_the_design_has_ten_names(corpus):
    names = corpus.sentences().filter(pl.col("match") == "names")
    cells = names.group_by("gender", "race").agg(pl.col("person").n_unique())
    assert sorted(cells["person"].to_list()) == [10, 10, 10, 10]


def test_its_noun_phrases_are_ten_pairs(corpus):
    pairs = corpus.sentences().filter(pl.col("match") != "names")
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


def test_both_editions_share_their_ids(corpus):
    ids = [load_corpus(corpus.name, edition).sentences()["id"] for edition in
           corpus_editions(corpus.name)]  # fmt: skip
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
