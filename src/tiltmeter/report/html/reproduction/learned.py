"""Where svm-unigrams learned its tilt, beside Kiritchenko & Mohammad 2018, §6."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tiltmeter.report.html.reproduction.rows import MARKS, TASKS, tasks_of
from tiltmeter.report.numbers import DASH, fixed, points
from tiltmeter.report.results import Results

SHOWN_WORDS = 5
SECTION_6 = {
    ("gender", "anger"): "down", ("gender", "fear"): "down", ("gender", "sadness"): "down",
    ("gender", "valence"): "up", ("race", "anger"): "down", ("race", "fear"): "down",
    ("race", "joy"): "down", ("race", "sadness"): "down", ("race", "valence"): "up",
}  # fmt: skip
"""K&M 2018, §6, of their SVM-Unigrams: up where sentences about women, or with African American
names, are scored higher. The paper does not say what it saw for gender and joy."""


def section_6(results: Results) -> list[tuple[str, str, str, str, str, str]]:
    """task, axis, mean difference, spread, what the paper saw, and whether we see it too."""
    rows = results.tilts.filter(system="svm-unigrams-en", corpus="eec")
    told = []
    for row in rows.iter_rows(named=True):
        paper = SECTION_6.get((row["axis"], row["task"]))
        ours = "up" if row["value"] > 0 else "down" if row["value"] < 0 else "none"
        seen = "not said" if paper is None else "the same" if paper == ours else "the other way"
        if paper is not None and row["significance"] not in MARKS:
            seen = "no difference detected"
        higher = {"up": row["about_first"], "down": row["about_second"]}
        told.append((
            row["task"], row["axis"], points(row["value"]), points(row["spread"]),
            f"higher {higher[paper]}" if paper else "not said", seen,
        ))  # fmt: skip
    return sorted(told, key=lambda one: (one[1], TASKS.index(one[0])))


def directions(rows: list[tuple[str, str, str, str, str, str]]) -> str:
    """How many of the paper's directions are seen here, in words."""
    seen = [row[-1] for row in rows if row[-1] != "not said"]
    same, other = seen.count("the same"), seen.count("the other way")
    return (
        f"Of the {len(seen)} directions that they report for these tasks, {same} are the same here "
        f"and {other} the other way; for {len(seen) - same - other} no difference is detected."
    )


def word_blocks(results: Results) -> Iterator[tuple[str, list[tuple[str, str, int, str]]]]:
    """For each task the person words that weigh most: word, weight, texts, their mean score."""
    if results.words is None:
        return
    for task in tasks_of(results.words):
        known = results.words.filter(task=task).drop_nulls("weight")
        heavy = known.sort(pl.col("weight").abs(), descending=True).head(SHOWN_WORDS)
        yield task, [
            (word, fixed(weight, 3), texts, DASH if mean is None else fixed(mean, 2))
            for word, weight, texts, mean in heavy.select(
                "word", "weight", "texts", "mean_score").iter_rows()
        ]  # fmt: skip
