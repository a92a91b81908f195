"""Large corpora are cut between frames and surveyed in one pass."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from large_corpora import write_corpus_of
from tiltmeter import load_corpus
from tiltmeter.corpora.corpus import IN_ORDER, whole_frames


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(write_corpus_of(tmp_path_factory.mktemp("corpus") / "grown.toml", 3))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 12), st.integers(1, 12))
def test_no_frame_is_parted_and_no_sentence_lost(frames, rows, batch):
    names = [str(nth) for nth, many in enumerate(frames) for _ in range(many)]
    table = pl.DataFrame({"frame": names})
    parts = list(whole_frames(table.iter_slices(batch), rows))
    assert pl.concat(parts).equals(table)
    assert sum(part["frame"].n_unique() for part in parts) == len(frames)
    for part in parts:
        assert part.height <= rows or part["frame"].n_unique() == 1


@given(st.integers(1, 60), st.integers(1, 60))
def test_the_cuts_do_not_depend_on_the_batches(corpus, one, other):
    every = corpus.sentences()
    cuts = [
        [part.height for part in whole_frames(every.iter_slices(batch), 20)]
        for batch in (one, other)
    ]
    assert cuts[0] == cuts[1]


def test_a_survey_is_what_the_sentences_say(corpus):
    found, every = corpus.survey, corpus.sentences()
    parts = every.select("template", "emotion").unique(maintain_order=True)
    assert found.parts.equals(parts)
    for axis in ("gender", "race"):
        assert set(found.witnesses[axis]) == set(every[axis])
    assert found.together
    assert found.several_axes


def test_a_large_corpus_has_the_checksum_of_its_order(corpus, monkeypatch):
    plain = corpus.checksum
    monkeypatch.setattr("tiltmeter.corpora.corpus.LARGE", 10)
    again = load_corpus_like(corpus)
    assert again.large
    assert again.checksum.startswith(IN_ORDER)
    assert again.checksum != plain


def load_corpus_like(corpus):
    from dataclasses import replace

    return replace(corpus)


def test_a_frame_that_comes_back_is_noticed(corpus):
    every = corpus.sentences()
    twice = load_corpus_like(corpus)
    object.__setattr__(twice, "write", lambda _: iter([every, every.head(1)]))
    assert not twice.survey.together
