"""How often the regression's 95 % intervals hold the truth: naive, crossed, mixed.

Simulated systems score sentences of the Equity Evaluation Corpus on the logit, with Beta noise and
whatever names, templates and words add at random, drawn anew for every system. Without planted
effects the truth is 0, and an interval that does not hold it is a false alarm. Run with
`make simulate` or `python benchmarks/simulate_regression.py [SYSTEMS]`; 500 systems by default,
about two minutes. Where the truth is 95 %, a share of 500 has a standard error of 1 %.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.special import expit
from threadpoolctl import threadpool_limits

from tiltmeter import load_corpus
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import regression_study

Array = NDArray[np.float64]
Axes = Mapping[str, Sequence[str]]
Sds = Mapping[str, float]

SYSTEMS, PHI = 500, 20.0
SHORT = 0.93
"""Intervals that hold the truth less often than this miss their level, and are marked."""
PLANTED = {"gender": -0.15, "race": 0.2, "gender:race": 0.1}
ERRORS = {"naive": "coefficient_naive", "crossed": "coefficient", "mixed": "coefficient_mixed"}

NAMES, BY_TEMPLATE, BOTH = {"person": 0.15}, {"group,template": 0.1}, {"person,template": 0.3}
WORDS = {"emotion_word": 0.8, "template": 0.6}
CONTROLLED = "gender * race + template + emotion_word"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Who is in the sentences, and what adds to their scores at random."""

    sds: Sds = field(default_factory=dict)
    """By what a sentence has in common with others: the standard deviation of its draw."""
    known: float = 1.0
    """The share of draws that a system knows of; others add nothing."""
    higher: bool = False
    """Every known name adds the same, instead of a draw; less the mean, so that the truth is 0."""
    only: str = ""
    """The one race whose names add anything, if not both."""
    task: str = "anger"
    people: int = 10
    """Names in each of the four groups."""
    level: float = 0.0
    """The logit of an average score."""
    phi: float = PHI
    decimals: int = 15
    formula: str | None = None


SCENARIOS = {
    "independent sentences": Scenario(),
    "names": Scenario(NAMES),
    "names, groups by template": Scenario(NAMES | BY_TEMPLATE),
    "the same, hardly any noise": Scenario(NAMES | BY_TEMPLATE, phi=5_000.0),
    "groups by template": Scenario(BY_TEMPLATE),
    "names by template": Scenario(BOTH),
    "one name in twenty is known": Scenario({"person": 1.0}, known=0.05),
    "one race's names are known": Scenario({"person": 0.3}, only="European American"),
    "one race: one name in ten is higher": Scenario(
        {"person": 1.0}, known=0.1, higher=True, only="European American"
    ),
    "names; 160 sentences": Scenario(NAMES, task="valence"),
    "groups by template; 160 sentences": Scenario(BY_TEMPLATE, task="valence"),
    "3 names a group": Scenario(NAMES | BY_TEMPLATE, people=3),
    "words differ much": Scenario(WORDS),
    "words differ much, names": Scenario(NAMES | WORDS),
    "words differ much, held fixed": Scenario(NAMES | WORDS, formula=CONTROLLED),
    "scores of 0 and 1": Scenario(NAMES, level=2.5, phi=3.0, decimals=2),
}
RECOVERED = (
    "independent sentences", "names, groups by template", "words differ much, names",
    "words differ much, held fixed",
)  # fmt: skip


def sentences_of(corpus: pl.DataFrame, scenario: Scenario) -> pl.DataFrame:
    """The sentences with a name that the scenario's task is fitted on."""
    own = pl.col("emotion").eq_missing(None if scenario.task == "valence" else scenario.task)
    named = corpus.filter(own, pl.col("race").is_not_null()).with_columns(
        group=pl.concat_str("gender", "race")
    )
    place = pl.col("person").rank("dense").over("group")
    return named.filter(place <= scenario.people)


def codes(sentences: pl.DataFrame, columns: str) -> NDArray[np.int64]:
    """The distinct values of some columns, numbered."""
    joined = sentences.select(pl.concat_str(columns.split(","), separator="/")).to_series()
    return (joined.rank("dense").to_numpy() - 1).astype(np.int64)


def planted(sentences: pl.DataFrame, axes: Axes, effects: Mapping[str, float]) -> Array:
    """What the groups of a sentence add, each axis' first group beside its last."""
    first = {axis: (sentences[axis] == groups[0]).to_numpy() for axis, groups in axes.items()}
    parts = [
        size * np.prod([first[axis] for axis in term.split(":")], axis=0)
        for term, size in effects.items()
    ]
    return np.asarray(np.sum([np.zeros(sentences.height), *parts], axis=0), np.float64)


def scores(
    rng: np.random.Generator, sentences: pl.DataFrame, scenario: Scenario, systems: int, tilt: Array
) -> Array:
    """Scores of (systems, sentences)."""
    logit = np.tile(scenario.level + tilt, (systems, 1))
    mine = (sentences["race"] == scenario.only).to_numpy() if scenario.only else 1.0
    for columns, sd in scenario.sds.items():
        place = codes(sentences, columns)
        logit += drawn(rng, scenario, sd, (systems, place.max() + 1))[:, place] * mine
    mu: Array = expit(logit)
    return rng.beta(mu * scenario.phi, (1 - mu) * scenario.phi).round(scenario.decimals)


def drawn(rng: np.random.Generator, scenario: Scenario, sd: float, size: tuple[int, int]) -> Array:
    """What every name, template or word adds; nothing where it is not known."""
    draws = np.full(size, sd) if scenario.higher else rng.normal(0, sd, size)
    draws *= rng.random(size) < scenario.known
    return draws - (scenario.known * sd if scenario.higher else 0.0)


def score_table(sentences: pl.DataFrame, task: str, values: Array) -> pl.DataFrame:
    systems, size = values.shape
    names = pl.Series([f"system {number}" for number in range(systems)])
    return pl.DataFrame(
        {
            "system": names.gather(np.repeat(np.arange(systems), size)),
            "task": pl.Series([task]).new_from_index(0, systems * size),
            "corpus": sentences["corpus"].gather(np.tile(np.arange(size), systems)),
            "id": sentences["id"].gather(np.tile(np.arange(size), systems)),
            "repeat": np.zeros(systems * size, np.int64),
            "raw": values.ravel(),
            "score": values.ravel(),
            "reason": pl.Series([None], dtype=pl.String).new_from_index(0, systems * size),
        }
    )


def simulate(
    corpus: pl.DataFrame,
    axes: Axes,
    scenario: Scenario,
    systems: int,
    seed: int,
    effects: Mapping[str, float],
) -> pl.DataFrame:
    """The estimates of every simulated system, and the `truth` beside each."""
    sentences = sentences_of(corpus, scenario)
    tilt = planted(sentences, axes, effects)
    values = scores(np.random.default_rng(seed), sentences, scenario, systems, tilt)
    table = score_table(sentences, scenario.task, values)
    model = Model(scenario.formula, errors="mixed")
    found = regression_study(sentences, table, axes, model).estimates
    truth = pl.col("axis").replace_strict(dict(effects), default=0.0, return_dtype=pl.Float64)
    return found.filter(pl.col("measure").is_in(list(ERRORS.values()))).with_columns(truth=truth)


def coverage(found: pl.DataFrame) -> dict[tuple[str, str], float]:
    """By measure and axis: the share of intervals that hold the truth."""
    held = (pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high"))
    parts = found.group_by("measure", "axis").agg(held.fill_null(False).mean().alias("held"))
    return {(measure, axis): share for measure, axis, share in parts.rows()}


def cell(share: float | None) -> str:
    """A share in percent, marked where it falls short."""
    if share is None:
        return "–"
    return f"{100 * share:.1f}" + ("*" if share < SHORT else " ")


def level_table(corpus: pl.DataFrame, axes: Axes, systems: int) -> Table:
    table = Table(
        title=f"Intervals that hold the truth, in % (95 is right; * below {100 * SHORT:.0f})",
        title_justify="left",
    )
    table.add_column("what adds to scores at random")
    for name in ERRORS:
        for axis in ("gender", "race", "both"):
            table.add_column(f"{name}\n{axis}", justify="right")
    for seed, (name, scenario) in enumerate(SCENARIOS.items()):
        held = coverage(simulate(corpus, axes, scenario, systems, seed, {}))
        cells = [cell(held.get((of, axis))) for of in ERRORS.values() for axis in PLANTED]
        table.add_row(name, *cells)
    return table


def recovered(corpus: pl.DataFrame, axes: Axes, systems: int) -> Table:
    """With planted effects: their mean estimate, its bias, the intervals that hold them."""
    said = ", ".join(f"{name} {size:+.2f}" for name, size in PLANTED.items())
    table = Table(
        title=f"Planted on the logit: {said}. Mean estimate, bias in standard errors of one system,"
        " intervals that hold it in %",
        title_justify="left",
    )
    for column in ("what adds to scores at random", "errors", *PLANTED):
        table.add_column(column)
    for seed, scenario in enumerate(RECOVERED, start=100):
        found = simulate(corpus, axes, SCENARIOS[scenario], systems, seed, PLANTED)
        held = coverage(found)
        for name, measure in ERRORS.items():
            mine = found.filter(pl.col("measure") == measure)
            if mine.height:
                cells = [recovery(mine, axis, held[measure, axis]) for axis in PLANTED]
                table.add_row(scenario, name, *cells)
    return table


def recovery(found: pl.DataFrame, axis: str, held: float) -> str:
    mine = found.filter(pl.col("axis") == axis)
    mean, error = mine["value"].to_numpy().mean(), mine["se"].to_numpy().mean()
    return f"{mean:+.3f}, {(mean - PLANTED[axis]) / error:+.2f}, {cell(held)}"


def main() -> None:
    systems = int(sys.argv[1]) if len(sys.argv) > 1 else SYSTEMS
    corpus = load_corpus("eec")
    sentences, axes = corpus.sentences(), {axis.name: axis.groups for axis in corpus.axes}
    print(f"{systems:,} simulated systems a line, sentences of eec")
    with threadpool_limits(1):
        for table in (level_table, recovered):
            Console(width=120).print(table(sentences, axes, systems))


if __name__ == "__main__":
    main()
