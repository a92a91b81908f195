"""How quick the regressions are: 219 systems, four emotions, against statsmodels.

Run with `make bench` or `python benchmarks/regression.py`; about a minute. The peer is statsmodels'
`BetaModel`, one fit for each system and emotion on the 1,400 sentences with a name and a word of
that emotion, on arrays that are already in hand. It is timed on a sample of the fits, scaled up, by
each of its ways to the maximum that agree with ours to 1e-6, in coefficients and naive standard
errors; the quickest counts. Its default stops earlier, and is timed too. Both sides have one
thread for linear algebra.

The rest is about growth: ten times as many sentences, by ten words where there was one, with the
same people and templates.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from claim import Claim, Growth, Work, attempted, print_claims, timed
from growth import FLAT, grown
from tiltmeter import load_corpus
from tiltmeter.studies.regression.design import Model, RegressionDesign, design_of, terms_of
from tiltmeter.studies.regression.effects import effect_tables
from tiltmeter.studies.regression.fit import AtomReduction, Fitted, fit_submissions, reduce_scores
from tiltmeter.studies.regression.study import regression_study

Array = NDArray[np.float64]
Axes = Mapping[str, Sequence[str]]

SYSTEMS, EMOTIONS = 219, ("anger", "fear", "joy", "sadness")
SAMPLE = 24
"""Fits that the peer is timed on."""
AGREES = 1e-6
EXACT: dict[str, dict[str, Any]] = {
    "BFGS to 1e-10": {"gtol": 1e-10},
    "Newton": {"method": "newton", "tol": 1e-10},
}
"""statsmodels' ways to the maximum itself."""
PHI, OF_NAME, OF_GROUP = 20.0, 0.1, 0.1
GROWN, ROUNDS = 10, 7
SIZES, GROWN_SYSTEMS = (7_000, 70_000, 700_000), 20
AFTER = {
    "the one pass over sentences": 15.0,
    "the fit after it": 1.2,
    "crossed errors and tables after it": 1.2,
}
"""Steps, and how much longer each may take with ten times the sentences."""


@dataclass(frozen=True, slots=True)
class Task:
    """One emotion's sentences and every system's scores of them."""

    design: RegressionDesign
    values: Array
    """(systems, sentences)"""

    def rows(self) -> Array:
        """(sentences, p): the design, a row a sentence."""
        return self.design.mean[self.design.cell[self.design.atom]]


def simulated(sentences: pl.DataFrame, systems: int, seed: int = 0) -> Array:
    """Scores of (systems, sentences): groups and names tilt on the logit, with Beta noise."""
    rng = np.random.default_rng(seed)
    codes = {
        name: sentences[name].fill_null("").rank("dense").to_numpy().astype(np.int64) - 1
        for name in ("gender", "race", "person")
    }
    spread = {"gender": OF_GROUP, "race": OF_GROUP, "person": OF_NAME}
    logit = sum(
        rng.normal(0, spread[name], (systems, code.max() + 1))[:, code]
        for name, code in codes.items()
    )
    mu: Array = expit(logit)
    return rng.beta(mu * PHI, (1 - mu) * PHI)


def score_table(sentences: pl.DataFrame, by_task: Mapping[str, Array]) -> pl.DataFrame:
    """The scores table, a block of rows for each system and task."""
    size, many = sentences.height, len(next(iter(by_task.values())))
    blocks, rows = many * len(by_task), many * len(by_task) * size
    names = pl.Series([f"system {number}" for number in range(many)])
    tasks = pl.Series(list(by_task))
    place, block = np.tile(np.arange(size), blocks), np.repeat(np.arange(blocks), size)
    scores = np.concatenate(list(by_task.values())).ravel()
    return pl.DataFrame(
        {
            "system": names.gather(block % many),
            "task": tasks.gather(block // many),
            "corpus": sentences["corpus"].gather(place),
            "id": sentences["id"].gather(place),
            "repeat": np.zeros(rows, np.int64),
            "raw": scores,
            "score": scores,
            "reason": pl.Series([None], dtype=pl.String).new_from_index(0, rows),
        }
    )


def task_of(sentences: pl.DataFrame, values: Array, axes: Axes, emotion: str) -> Task:
    """What is fitted for an emotion: the sentences with a name and one of its words."""
    mine = (sentences["emotion"] == emotion).fill_null(False) & sentences["race"].is_not_null()
    design = design_of(sentences.filter(mine), terms_of(Model(), axes))
    return Task(design, np.ascontiguousarray(values[:, mine.to_numpy()]))


def reduce_task(task: Task) -> AtomReduction:
    return reduce_scores(task.values, task.design.atom, len(task.design.cell))


def fit_task(task: Task, atoms: AtomReduction) -> Fitted:
    return fit_submissions(atoms, task.design, np.ones(len(task.values), bool))


def with_statsmodels(task: Task, row: int, way: Mapping[str, Any]) -> tuple[Array, Array]:
    """Coefficients with log φ, and their standard errors."""
    from statsmodels.othermod.betareg import BetaModel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = BetaModel(task.values[row], task.rows()).fit(disp=0, **way)
        return np.asarray(fit.params), np.asarray(fit.bse)


def must_agree(tasks: Sequence[Task], sample: Sequence[tuple[int, int]]) -> None:
    """Every timed fit's coefficients and naive errors against both of the peer's exact ways."""
    fits = [fit_task(task, reduce_task(task)).beta for task in tasks]
    for which, row in sample:
        fit = fits[which]
        errors = np.sqrt(np.diagonal(fit.covariance[row]))
        for way in EXACT.values():
            value, bse = with_statsmodels(tasks[which], row, way)
            np.testing.assert_allclose(fit.parameters[row], value, rtol=0, atol=AGREES)
            np.testing.assert_allclose(errors, bse, rtol=0, atol=AGREES)


def peer_seconds(
    tasks: Sequence[Task], sample: Sequence[tuple[int, int]], way: Mapping[str, Any]
) -> float:
    """What all fits would take, from a sample of them."""
    one_round = timed(lambda: [with_statsmodels(tasks[at], row, way) for at, row in sample], 3)
    return one_round / len(sample) * len(tasks) * len(tasks[0].values)


def against_statsmodels(sentences: pl.DataFrame, axes: Axes) -> list[Claim]:
    values = {emotion: simulated(sentences, SYSTEMS, seed) for seed, emotion in enumerate(EMOTIONS)}
    tasks = [task_of(sentences, found, axes, emotion) for emotion, found in values.items()]
    rows = np.random.default_rng(1).choice(SYSTEMS, SAMPLE, replace=False)
    sample = [(at % len(tasks), int(row)) for at, row in enumerate(rows)]
    must_agree(tasks, sample)
    taken = {name: peer_seconds(tasks, sample, way) for name, way in EXACT.items()}
    name = min(taken, key=taken.__getitem__)
    default = peer_seconds(tasks, sample, {})
    table = score_table(sentences, values)
    fit = timed(lambda: [fit_task(task, reduce_task(task)) for task in tasks])
    study = timed(lambda: regression_study(sentences, table, axes), 3)
    fits = f"{SYSTEMS} systems × {len(EMOTIONS)} emotions × {tasks[0].values.shape[1]:,} sentences"
    exact = f"statsmodels BetaModel, {name}: {taken[name]:.1f} s"
    early = f"its default, which stops sooner: {default:.1f} s"
    whole = f"the whole study of {fits}: crossed errors, effects, names, tables"
    return [
        Claim(f"{fits}: sums and fits", f"{fit:.3f} s", exact, taken[name] / fit, 100.0),
        Claim(
            f"{fits}: sums and fits, against its default",
            f"{fit:.3f} s",
            early,
            default / fit,
            50.0,
        ),
        Claim(whole, f"{study:.2f} s", f"{exact} (its fits alone)", taken[name] / study, 5.0),
    ]


def with_more_words(sentences: pl.DataFrame, times: int) -> pl.DataFrame:
    """Every emotion word as several: more sentences, with the same people and templates."""
    new = ("id", "frame", "emotion_word")
    return pl.concat(
        sentences.with_columns((pl.col(name) + f"/{copy}") for name in new) for copy in range(times)
    )


def ten_times(sentences: pl.DataFrame, axes: Axes) -> list[Claim]:
    """Ten times the sentences: the one pass over them, the fit after it, the errors after it."""
    corpora = [with_more_words(sentences, times) for times in (1, GROWN)]
    tasks = [task_of(one, simulated(one, SYSTEMS), axes, EMOTIONS[0]) for one in corpora]
    rounds = [[seconds_of(task) for task in tasks] for _ in range(ROUNDS)]
    many = " and ".join(f"{task.values.shape[1]:,}" for task in tasks)
    claims = []
    for at, (what, target) in enumerate(AFTER.items()):
        few, more = (1000 * min(one[size][at] for one in rounds) for size in (0, 1))
        claims.append(
            Claim(f"{SYSTEMS} systems, {many} sentences: {what}", f"{more:.1f} ms",
                  f"a tenth of the sentences: {few:.1f} ms", more / few, target, at_most=True)
        )  # fmt: skip
    return claims


def seconds_of(task: Task) -> list[float]:
    """Seconds of each step of a regression."""
    atoms = reduce_task(task)
    fit = fit_task(task, atoms)
    works: Sequence[Callable[[], object]] = (
        lambda: reduce_task(task),
        lambda: fit_task(task, atoms),
        lambda: effect_tables(fit),
    )
    return [timed(work, 3) for work in works]


def grown_task(size: int) -> Task:
    """Some systems and so many sentences of one emotion, by more words."""
    corpus = load_corpus("eec")
    axes = {axis.name: axis.groups for axis in corpus.axes}
    sentences = corpus.sentences().filter(pl.col("emotion") == EMOTIONS[0])
    named = sentences.filter(pl.col("race").is_not_null())
    many = with_more_words(named, -(-size // named.height))
    return task_of(many, simulated(many, GROWN_SYSTEMS), axes, EMOTIONS[0])


def one_pass(size: int) -> Callable[[], object]:
    """The work of summing sentences, all in hand."""
    task = grown_task(size)
    return lambda: reduce_task(task)


def after_it(size: int) -> Callable[[], object]:
    """The work after the sums: fits, crossed errors, tables."""
    task = grown_task(size)
    atoms = reduce_task(task)
    return lambda: effect_tables(fit_task(task, atoms))


def growth() -> list[Growth]:
    many = f"of {GROWN_SYSTEMS} systems"
    return [
        grown(f"the one pass of a regression {many}", "sentences", one_pass, SIZES, 1.2),
        grown(f"fits, crossed errors and tables after it {many}", "sentences", after_it, SIZES,
              time_at_most=FLAT),
    ]  # fmt: skip


def main() -> None:
    corpus = load_corpus("eec")
    sentences, axes = corpus.sentences(), {axis.name: axis.groups for axis in corpus.axes}
    works: dict[str, Work] = {
        "against statsmodels": lambda: against_statsmodels(sentences, axes),
        "ten times the sentences": lambda: ten_times(sentences, axes),
        "growth": growth,
    }
    with threadpool_limits(1):
        print_claims("regression", attempted(works))


if __name__ == "__main__":
    main()
