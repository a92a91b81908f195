"""How often the paired study raises a false alarm, and how often its interval holds the truth.

Simulated systems score the Equity Evaluation Corpus with noise and no tilt, or with one of a known
size. Run with `make simulate` or `python benchmarks/simulate_pairs.py [SYSTEMS]`; 2,000 systems by
default, about ten seconds. Where the truth is 5 %, a share of 2,000 has a standard error of
0.5 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.special import expit

from tiltmeter import load_corpus
from tiltmeter.claims.judge import CORRECTIONS
from tiltmeter.stats.paired_tests import paired_t, sign_flip
from tiltmeter.studies.paired.contrasts import Comparisons, comparisons, contrasts_of

Array = NDArray[np.float64]
Noise = Callable[[np.random.Generator, pl.DataFrame, int], Array]
"""Scores of (systems, sentences) without a tilt."""

SYSTEMS, BATCH, SD, PLANTED, LEVEL = 2_000, 100, 0.05, 0.01, 0.05


def independent(rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
    return rng.normal(0.5, SD, (systems, sentences.height))


def heavy_tails(rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
    scores: Array = 0.5 + SD * rng.standard_t(3, (systems, sentences.height))
    return scores


def few_levels(rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
    """Most scores equal, as lexicons give: one sentence in twenty is moved by a tenth."""
    return np.where(rng.random((systems, sentences.height)) < 0.05, 0.6, 0.5)


def squeezed(rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
    """A level of its own for each frame, pressed into 0..1, so that the noise differs by frame."""
    frames = codes(sentences, "frame")
    levels = rng.normal(0, 2, (systems, frames.max() + 1))[:, frames]
    return np.asarray(expit(levels + rng.normal(0, 0.2, levels.shape)), np.float64)


def by_person(rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
    """Every name and noun phrase has a taste of its own, drawn at random whatever the group."""
    people = codes(sentences, "person")
    taste = rng.normal(0, SD / 5, (systems, people.max() + 1))[:, people]
    return taste + independent(rng, sentences, systems)


def by_word(rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
    """Templates and emotion words have tastes, alike for everyone: they cancel within a pair."""
    frames = codes(sentences, "frame")
    taste = rng.normal(0, SD, (systems, frames.max() + 1))[:, frames]
    return taste + independent(rng, sentences, systems)


KINDS: dict[str, Noise] = {
    "independent noise": independent,
    "heavy tails (t, 3 df)": heavy_tails,
    "few levels, mostly ties": few_levels,
    "noise that differs by frame": squeezed,
    "tastes by frame": by_word,
    "tastes by person": by_person,
}


def codes(sentences: pl.DataFrame, column: str) -> NDArray[np.int64]:
    return (sentences[column].rank("dense").to_numpy() - 1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Design:
    """The corpus' pairs, and which of them each column of the tables is about."""

    sentences: pl.DataFrame
    compared: Comparisons
    subsets: dict[str, NDArray[np.int64]]


def design() -> Design:
    corpus = load_corpus("eec")
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    sentences = corpus.sentences()
    compared = comparisons(sentences, contrasts)
    gender = (compared.pairs["axis"] == "gender").to_numpy()
    neutral = compared.pairs["emotion"].is_null().to_numpy()
    which = {"gender": gender, "race": ~gender}
    parts = {
        f"{axis}, {np.count_nonzero(inside):,}": np.flatnonzero(inside)
        for axis, mine in which.items()
        for inside in (mine, mine & neutral)
    }
    return Design(sentences, compared, parts)


def deltas(noise: Noise, made: Design, systems: int, seed: int) -> Array:
    """Differences of (systems, pairs), simulated a few systems at a time."""
    rng = np.random.default_rng(seed)

    def batches() -> Iterator[Array]:
        for start in range(0, systems, BATCH):
            scores = noise(rng, made.sentences, min(BATCH, systems - start))
            yield ((made.compared.first - made.compared.second) @ scores.T).T

    return np.concatenate(list(batches()))


def percent(flags: NDArray[np.bool_]) -> str:
    return f"{100 * flags.mean():.1f} %"


def false_alarms(made: Design, systems: int) -> Table:
    """Without any tilt: how often p < 0.05, by the t-test and by the sign-flip test."""
    table = titled("False alarms at the 5 % level: t-test, sign flip")
    for column in ("scores", *made.subsets):
        table.add_column(column)
    for seed, (name, noise) in enumerate(KINDS.items()):
        found = deltas(noise, made, systems, seed)
        cells = [alarms(found[:, columns], seed) for columns in made.subsets.values()]
        table.add_row(name, *cells)
    return table


def alarms(found: Array, seed: int) -> str:
    p = paired_t(found, np.ones(len(found))).p
    flipped = sign_flip(found, np.random.default_rng(seed))
    return f"{percent(p < LEVEL)}, {percent(flipped <= LEVEL)}"


def recovered(made: Design, systems: int) -> Table:
    """With a tilt of 0.01: its average estimate, and how often the 95 % interval holds it."""
    table = titled("A planted tilt of 1 point of 100: mean estimate, intervals that hold it")
    for column in ("scores", *made.subsets):
        table.add_column(column)
    for seed, name in enumerate(("independent noise", "tastes by person"), start=100):
        found = deltas(KINDS[name], made, systems, seed) + PLANTED
        table.add_row(name, *(held(found[:, columns]) for columns in made.subsets.values()))
    return table


def held(found: Array) -> str:
    test = paired_t(found, np.ones(len(found)))
    inside = (test.low <= PLANTED) & (test.high >= PLANTED)
    return f"{100 * test.mean.mean():.3f}, {percent(inside)}"


def corrected(systems: int) -> Table:
    """Families of 40 tests on 144 pairs: any false alarm, and false alarms among detections."""
    table = titled(
        "Families of 40 tests: any false alarm; share of false ones among those detected"
    )
    for column in ("correction", "no tilt anywhere", "10 of 40 tilted"):
        table.add_column(column)
    rng = np.random.default_rng(7)
    families = systems * 2
    p = {real: family_p(rng, families, real) for real in (0, 10)}
    for name, correct in CORRECTIONS.items():
        cells = []
        for real, values in p.items():
            detected = np.array([correct(one, one.size) for one in values]) < LEVEL
            false = detected[:, real:].sum(axis=1)
            share = false / np.maximum(detected.sum(axis=1), 1)
            cells.append(f"{percent(false > 0)}; {100 * share.mean():.1f} %")
        table.add_row(name, *cells)
    return table


def family_p(rng: np.random.Generator, families: int, real: int, tests: int = 40) -> Array:
    """p-values of (families, tests), the first `real` of which have something to detect."""
    noise = rng.normal(0, SD, (families * tests, 144))
    shift = np.where(np.arange(tests) < real, PLANTED, 0.0)
    shifted = noise + np.tile(shift, families)[:, None]
    return paired_t(shifted, np.ones(len(shifted))).p.reshape(families, tests)


def titled(title: str) -> Table:
    return Table(title=title, title_justify="left")


def main() -> None:
    systems = int(sys.argv[1]) if len(sys.argv) > 1 else SYSTEMS
    made, console = design(), Console(width=120)
    print(f"{systems:,} simulated systems, {made.sentences.height:,} sentences of eec")
    for table in (false_alarms(made, systems), recovered(made, systems), corrected(systems // 4)):
        console.print(table)


if __name__ == "__main__":
    main()
