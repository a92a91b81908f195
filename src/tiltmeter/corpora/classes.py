"""Intensity classes read as scores: SemEval-2018's ordinal files say `-3: very negative …`."""

from __future__ import annotations

import polars as pl

from tiltmeter.corpora.table_file import folded

CLASSES = "intensity class"
"""What SemEval calls its column of classes."""
LOWEST, HIGHEST = -3, 3
"""Valence has seven classes; an emotion has the four from 0."""
VALENCE = "valence"
CLASSES_READ = "classes read as scores from 0 to 1: valence (class + 3)/6, an emotion class/3"


def holds_classes(column: str) -> bool:
    """True for a column that is called as SemEval calls its classes."""
    return folded(column) == folded(CLASSES)


def class_scores(said: pl.Series, tasks: pl.Series) -> pl.Series:
    """Classes as scores from 0 to 1: valence (class + 3)/6, an emotion class/3; else null.

    >>> said = pl.Series(["-3: very negative", "0: neutral or mixed", "2: moderate", "4: no such"])
    >>> class_scores(said, pl.Series(["valence", "valence", "joy", "joy"])).round(3).to_list()
    [0.0, 0.5, 0.667, None]
    """
    rows = pl.DataFrame({"said": said, "task": tasks})
    number = pl.col("said").str.extract(r"^([+-]?\d+)\s*(?::|$)").cast(pl.Int64, strict=False)
    of_valence = pl.col("task") == VALENCE
    lowest = pl.when(of_valence).then(LOWEST).when(pl.col("task").is_not_null()).then(0)
    score = pl.when(number.is_between(lowest, HIGHEST)).then((number - lowest) / (HIGHEST - lowest))
    return rows.select(score.alias("score")).to_series()


def class_expected(_said: str, task: str | None) -> str:
    """What should have stood in a cell of classes."""
    if task is None:
        return "a task beside it, in a column or in the file's name, since classes differ by task"
    if task == VALENCE:
        return f"a class from −3 to {HIGHEST}, as in '-3: very negative …'"
    return f"a class from 0 to {HIGHEST}, as in '2: moderate amount …'"
