"""How quick claims about people are: 219 stored systems, and a census end to end.

Run with `make bench` or `python benchmarks/claims.py`; about five minutes. From stored scores to
claims, 219 systems on names-us with 300 names a cell: the peer is plain Python (`plain_claims.py`),
written from the definitions alone, timed on few systems and scaled up; both must give the same
numbers to 1e-8. Then every name of the population in every frame with VADER, scores, claims and
page, from nothing: the peer is the bare loop over the same sentences with VADER itself. Each of
these runs in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from claim import Claim, Work, attempted, print_claims, timed
from growth import in_process
from plain_claims import Person, plain_claim
from tiltmeter import audit
from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.schemas import SCORES
from tiltmeter.studies.paired.claims import NAMES
from tiltmeter.studies.paired.contrasts import Contrast, contrasts_of
from tiltmeter.studies.paired.tilt import tilt_estimates, tilt_study

Array = NDArray[np.float64]

SYSTEMS, FEW = 219, 2
AXES = ["gender", "race"]
BOUND = 10.0
"""Seconds that 219 stored systems may take."""
EVERYBODY, SOME, FEWEST = 10**6, 600, 2
"""Names a cell: more than there are, many, and few to warm up with."""
AGREES = 1e-8


def scores_of(corpus: Corpus, systems: int) -> Array:
    """Systems with tastes about names, sentences and single answers, (systems, sentences)."""
    sentences, rng = corpus.sentences(), np.random.default_rng(0)
    person, frame = (
        sentences[name].rank("dense").cast(pl.Int64).to_numpy() - 1 for name in ("person", "frame")
    )
    tastes = rng.normal(0, 0.02, (systems, int(person.max()) + 1))[:, person]
    level = rng.normal(0.5, 0.15, (systems, int(frame.max()) + 1))[:, frame]
    return np.clip(level + tastes + rng.normal(0, 0.02, tastes.shape), 0.0, 1.0)


def stored(corpus: Corpus, values: Array, place: Path) -> None:
    """The scores as an audit leaves them."""
    sentences = corpus.sentences()
    parts = [
        sentences.select(
            system=pl.lit(f"s{nth}"), task=pl.lit("valence"), corpus="corpus", id="id",
            repeat=pl.lit(0, pl.Int64), raw=pl.Series(row), score=pl.Series(row),
            reason=pl.lit(None, pl.String),
        )
        for nth, row in enumerate(values)
    ]  # fmt: skip
    pl.concat(parts).select(*SCORES.columns).write_parquet(place)


def many_systems() -> list[Claim]:
    """From a file of scores to every claim and share of people moved."""
    corpus = load_corpus("names-us")
    contrasts = [one for axis in corpus.axes for one in contrasts_of(axis.name, axis.groups)]
    values = scores_of(corpus, SYSTEMS)
    loop = must_agree(corpus, values) * SYSTEMS / FEW * len(contrasts)
    folder = Path(tempfile.mkdtemp())
    try:
        stored(corpus, values, folder / "scores.parquet")
        sentences, people = corpus.sentences(), corpus.people

        def work() -> None:
            scores = pl.read_parquet(folder / "scores.parquet")
            tilt_estimates(sentences, scores, contrasts, AXES, people=people)

        taken = timed(work, 3)
    finally:
        shutil.rmtree(folder)
    what = f"{SYSTEMS} stored systems × {sentences.height:,} sentences (names-us, 300 names a cell)"
    peer = f"a plain Python loop {loop:,.0f} s ({FEW} systems, one contrast, scaled)"
    return [
        Claim(f"{what} to claims on {len(contrasts)} contrasts, seconds", f"{taken:.1f} s",
              f"{BOUND:g} s", taken, BOUND, at_most=True),
        Claim(f"{what} to claims", f"{taken:.1f} s", peer, loop / taken, 20.0),
    ]  # fmt: skip


def must_agree(corpus: Corpus, values: Array) -> float:
    """The same claim from plain Python, to 1e-8; seconds that it took for a few systems."""
    named = (corpus.sentences()["match"] == "names").to_numpy()
    sentences = corpus.sentences().filter(pl.Series(named))
    contrast = Contrast("race", "Black", "White")
    study = tilt_study(sentences, values[:FEW, named], [contrast], AXES, people=corpus.people)
    (found,) = [one for one in study.claims(contrast) if one.kind == NAMES]
    rows = [
        (person, frame, gender, race, word is not None)
        for person, frame, gender, race, word in sentences.select(
            "person", "frame", "gender", "race", "emotion_word"
        ).rows()
    ]
    people = {
        person: Person(weight, probability)
        for person, weight, probability in corpus.people.select(
            "person", "weight", "probability"
        ).rows()
    }
    start = time.perf_counter()
    theirs = [
        plain_claim(rows, values[row, named].tolist(), people, ("Black", "White"))
        for row in range(FEW)
    ]
    taken = time.perf_counter() - start
    ours = np.array([found.value, found.se_people]).T
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=AGREES)
    return taken


def audit_people(people: int) -> Callable[[], object]:
    """VADER on so many names a cell: scores, claims, page, from nothing."""
    folder = Path(tempfile.mkdtemp())

    def work() -> None:
        try:
            corpus = load_corpus("names-us", people=people, frames="all")
            audit("vader", corpus, store=folder / "store").report(folder / "out", force=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return work


def bare_loop(people: int) -> Callable[[], object]:
    """The same sentences and VADER, and nothing else."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    corpus = load_corpus("names-us", people=people, frames="all")
    score = SentimentIntensityAnalyzer()

    def work() -> None:
        for block in corpus.batches():
            for text in block["text"]:
                score.polarity_scores(text)

    return work


def census() -> list[Claim]:
    """Everybody of the population, end to end, beside asking alone; and what it holds."""
    seconds, everybody, _ = in_process(audit_people, EVERYBODY, warm=FEWEST)
    _, some, _ = in_process(audit_people, SOME, warm=FEWEST)
    bare, held, _ = in_process(bare_loop, EVERYBODY, warm=FEWEST)
    size = load_corpus("names-us", people="all", frames="all").size
    what = f"names-us, all people in all frames, {size:,} sentences with VADER, page included"
    return [
        Claim(what, f"{seconds:.1f} s", f"the bare scoring loop {bare:.1f} s", seconds / bare, 1.3,
              at_most=True),
        Claim(f"peak memory of {what}", f"{everybody:,.0f} MB (the bare loop {held:,.0f} MB)",
              f"{SOME} names a cell {some:,.0f} MB", everybody / some, 1.3, at_most=True),
    ]  # fmt: skip


def main() -> None:
    works: dict[str, Work] = {"219 stored systems": many_systems, "everybody, end to end": census}
    print_claims("claims about people", attempted(works))


if __name__ == "__main__":
    main()
