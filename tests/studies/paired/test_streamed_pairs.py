"""A study of blocks is the study of the whole, however the corpus is cut."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from large_corpora import write_corpus_of
from tiltmeter import load_corpus
from tiltmeter.scoring.corpus_scores import ScoreSummary
from tiltmeter.scoring.matrix import score_matrix
from tiltmeter.studies.paired import pairs
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.influence import pivots
from tiltmeter.studies.paired.pairs import PairSums, pair_study, people_study

AXES = ["gender", "race"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(write_corpus_of(tmp_path_factory.mktemp("corpus") / "grown.toml", 5))


def scores_of(sentences, seed, systems=3, tasks=("valence", "joy", "valence")):
    """Scores with a tilt, some missing; the last system has no scale."""
    rng = np.random.default_rng(seed)
    frames = []
    for system in range(systems):
        raw = rng.normal(0.5, 0.1, sentences.height)
        raw += 0.05 * system * (sentences["gender"] == "female").fill_null(False).to_numpy()
        missing = rng.random(sentences.height) < 0.05
        column = pl.Series(raw).set(pl.Series(missing), None)
        frames.append(
            sentences.select("corpus", "id").with_columns(
                system=pl.lit(f"s{system}"), task=pl.lit(tasks[system]),
                repeat=pl.lit(0, pl.Int64), raw=column,
                score=column if system < systems - 1 else pl.lit(None, pl.Float64),
                reason=pl.lit(None, pl.String),
            )
        )  # fmt: skip
    order = ["system", "task", "corpus", "id", "repeat", "raw", "score", "reason"]
    return pl.concat(frames).select(order)


def contrasts(corpus):
    return [one for axis in corpus.axes for one in contrasts_of(axis.name, axis.groups)]


def in_blocks(corpus, scores, rows):
    sentences = corpus.sentences()
    matrix = score_matrix(scores, sentences)
    cuts = np.cumsum([0, *(block.height for block in corpus.blocks(rows))])
    parts = [slice(a, b) for a, b in itertools.pairwise(cuts)]
    summary = ScoreSummary(len(matrix.values))
    for part in parts:
        summary.add(matrix.values[:, part])
    widths = [1.0 if unit == "scale" else None for unit in matrix.submissions["unit"]]
    submissions = summary.submissions(matrix.submissions.select("system", "task"), widths)
    assert_frame_equal(submissions, matrix.submissions)
    sums = PairSums(submissions, contrasts(corpus), AXES)
    for part in parts:
        sums.add(sentences[part], matrix.values[:, part])
    return sums.study("corrected"), sums.people()


@given(rows=st.integers(1, 400), seed=st.integers(0, 5))
def test_any_cut_gives_the_study_in_memory(corpus, rows, seed):
    sentences = corpus.sentences()
    scores = scores_of(sentences, seed)
    held = pair_study(sentences, scores, contrasts(corpus), flips=0)
    study, found = in_blocks(corpus, scores, rows)
    assert_frame_equal(study.estimates, held.estimates, rel_tol=1e-10, abs_tol=1e-13)
    assert_frame_equal(study.counts, held.counts)
    people = people_study(sentences, scores, AXES)
    assert_frame_equal(found.people, people.people)
    np.testing.assert_allclose(found.deviations, people.deviations, atol=1e-14)
    assert_frame_equal(pivots(study, people), pivots(held, people), abs_tol=1e-12)


def test_the_largest_pairs_are_kept_with_their_sentences(corpus):
    sentences = corpus.sentences()
    scores = scores_of(sentences, 1)
    held = pair_study(sentences, scores, contrasts(corpus), flips=0)
    study, _ = in_blocks(corpus, scores, 50)
    for row in range(3):
        for contrast in ("female-male", "A-B"):
            every, kept = (
                np.sort(np.abs(one.deltas[row, (one.pairs["contrast"] == contrast).to_numpy()]))
                for one in (held, study)
            )
            every = every[~np.isnan(every)][::-1][:20]
            np.testing.assert_allclose(kept[~np.isnan(kept)][::-1][: every.size], every)
    first = study.pairs.row(0, named=True)
    assert first["text_first"].startswith("My aunt") or "Ada" in first["text_first"]


def test_equal_differences_keep_the_first_of_the_corpus(corpus):
    sentences = corpus.sentences()
    scores = scores_of(sentences, 0).with_columns(score=pl.lit(0.5), raw=pl.lit(0.5))
    study, _ = in_blocks(corpus, scores, 40)
    assert study.deltas.max() == 0.0
    assert study.estimates.filter(measure="mean_difference")["p"].drop_nulls().unique()[0] == 1.0


def test_too_many_words_are_left_out_and_said(corpus, monkeypatch):
    monkeypatch.setattr(pairs, "MOST_WORDS", 3)
    study, _ = in_blocks(corpus, scores_of(corpus.sentences(), 0), 100)
    assert study.totals.words.height == 0
    assert "too many words" in study.totals.left_out[0]
