"""The pairs behind a tilted comparison: those that differ most in its direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.findings import COUPLES, TILT, Decision, Gated, Pair
from tiltmeter.flow.runs import Run
from tiltmeter.measures import PairStudy, contrast_between, pair_study

SHOWN = 3
"""Pairs of a comparison."""
DECIMALS = 9
"""Of a difference that is as large as another."""

Find = Callable[[Gated], tuple[Pair, ...]]


def with_worst(decision: Decision, find: Find) -> Decision:
    """The decision, each tilted comparison with its worst pairs."""
    shown = (
        replace(one, worst=find(one)) if one.verdict == "tilted" and one.measure == TILT else one
        for one in decision.comparisons
    )
    return replace(decision, comparisons=tuple(shown))


def among_runs(runs: Sequence[Run], studies: Sequence[PairStudy]) -> Find:
    """Looks for pairs in what an audit holds."""
    held = {run.corpus.name: (run, study) for run, study in zip(runs, studies, strict=True)}

    def find(one: Gated) -> tuple[Pair, ...]:
        run, study = held[one.corpus]
        return _pairs(one, study, None if study.whole else run.sentences["text"])

    return find


def among_tables(sentences: pl.DataFrame, scores: pl.DataFrame) -> Find:
    """Looks for pairs in the sentences and scores of a folder."""

    def find(one: Gated) -> tuple[Pair, ...]:
        here = sentences.filter(corpus=one.corpus, edition=one.edition)
        asked = scores.filter(system=one.system, task=one.task, corpus=one.corpus)
        contrast = contrast_between(here, one.axis, one.first, one.second)
        return _pairs(one, pair_study(here, asked, [contrast], flips=0), here["text"])

    return find


def _pairs(one: Gated, study: PairStudy, texts: pl.Series | None) -> tuple[Pair, ...]:
    """A comparison's largest differences; pairs of a large study bring their own texts."""
    row = _row(study.submissions, one)
    pairs = study.pairs
    compared = (pairs["axis"] == one.axis) & (pairs["contrast"] == one.contrast)
    mine = (compared & _of_kind(pairs, one.people)).arg_true().to_numpy()
    signed = np.nan_to_num(study.deltas[row, mine] * np.sign(one.value or 0.0), nan=-np.inf)
    pooled = pairs["n_first"].gather(mine).to_numpy()  # of equal ones, those of single sentences
    order = np.lexsort((pooled, -signed.round(DECIMALS)))
    worst = mine[order[: min(SHOWN, int((signed > 0).sum()))]]
    return tuple(_pair(study, row, int(column), texts) for column in worst)


def _of_kind(pairs: pl.DataFrame, people: str) -> pl.Series:
    """Pairs of couples, or of names: where a match has several people a side."""
    several = pl.max_horizontal("n_first", "n_second").max().over("match") > 1
    names = pairs.select(several.alias("names"))["names"]
    return ~names if people == COUPLES else names


def _row(submissions: pl.DataFrame, one: Gated) -> int:
    return submissions.select("system", "task").rows().index((one.system, one.task))


def _pair(study: PairStudy, row: int, column: int, texts: pl.Series | None) -> Pair:
    told = study.pairs.row(column, named=True)
    first, second = (_text(told, side, texts) for side in ("first", "second"))
    scores = float(study.first[row, column]), float(study.second[row, column])
    return Pair(first, second, *scores, told["n_first"], told["n_second"])


def _text(told: Mapping[str, Any], side: str, texts: pl.Series | None) -> str:
    return str(told[f"text_{side}"] if texts is None else texts[told[f"example_{side}"]])
