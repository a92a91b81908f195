"""What a reader of ratings should know beside them, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.measures import READABLE_LEVELS, RatingStudy
from tiltmeter.report import column_named
from tiltmeter.scoring import Scored

SHOWN = 3
GIVEN = {"continuous": "scores as given", "discretised": "scores split at 0"}
CONTROLS = ("constant", "random", "biased-female", "tilted")


def notes_of_rating(study: RatingStudy, *, against_panel: bool) -> Iterator[str]:
    """Levels, positivity, X, and systems that could not be rated."""
    systems = study.overall.filter(variant=study.overall["variant"][0])
    if study.levels > READABLE_LEVELS:
        what = f"{study.levels} rating levels: more than {READABLE_LEVELS} are hard to tell apart"
        yield f"{what} (Miller 1956); fewer read better"
    for (task,), those in systems.group_by("task", maintain_order=True):
        if 1 < those.height < study.levels and not against_panel:
            what = f"{those.height} systems of {task} and {study.levels} levels"
            yield f"{what}: at most {those.height} of the levels can be given, X aside"
    yield from _with_na(study)
    yield from _empty_cells(study.effects)
    yield from _undefined(study.raw)
    yield from _unrated(study.raw)


def _with_na(study: RatingStudy) -> Iterator[str]:
    """What is wrong with a published number: of attributes that the corrected mode tells apart."""
    for attribute, said in study.columns.select("attribute", "about_na").rows():
        if said and study.manner.published and attribute != "gender":
            yield f"{said}; so the paper counts, and --mode corrected leaves NA out of {attribute}"


def _empty_cells(effects: pl.DataFrame) -> Iterator[str]:
    """Where positivity fails: nobody of a class has a word of a polarity, or no answer to one."""
    whose = effects.select("system", "task", "dataset").unique()
    many = dict(whose.group_by("dataset").len().rows())
    found = effects.filter(pl.col("empty") != "", pl.col("n") > 0)
    nobody = []
    for (dataset, polarity, empty), rows in found.group_by(
        "dataset", "polarity", "empty", maintain_order=True
    ):
        systems = rows.select("system", "task").unique(maintain_order=True)["system"]
        if len(systems) == many[dataset]:
            nobody.append(f"{polarity} in {dataset} ({empty})")
            continue
        named = _several(list(dict.fromkeys(systems)))
        what = f"{dataset}: no answer of {named} to a {polarity} word of the class {empty}"
        yield f"{what}; means of {polarity} words are of the other classes, before and after"
    if nobody:
        what = "means before and after adjustment are of the other classes where nobody of a class"
        yield f"{what} is given a word: {'; '.join(nobody)}"


def _undefined(raw: pl.DataFrame) -> Iterator[str]:
    for (_, variant), rows in raw.filter("x").group_by("column", "variant", maintain_order=True):
        named = _several(rows["system"].to_list())
        where = f"{column_named(rows.row(0, named=True))}, {GIVEN.get(str(variant), variant)}"
        yield f"{where}: X for {named}, a change over a mean of 0; X takes the worst rating"


def _unrated(raw: pl.DataFrame) -> Iterator[str]:
    told: dict[tuple[str, str], dict[str, None]] = {}
    for row in raw.filter(pl.col("rating").is_null()).iter_rows(named=True):
        told.setdefault((row["system"], row["reason"]), {})[column_named(row)] = None
    for (system, reason), columns in told.items():
        yield f"{system}: no rating for {_several(list(columns))}: {reason}"


def remarks_of(scored: Sequence[Scored]) -> Iterator[str]:
    """What is worth knowing of systems' scores, each remark once with all it is true of."""
    whose: dict[str, list[str]] = {}
    for one in scored:
        for said in one.remarks_with_scale:
            whose.setdefault(said, []).append(one.card.name)
    for said, names in whose.items():
        yield f"{_several(list(dict.fromkeys(names)))}: {said}"


def controls_among(submissions: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A word on controls, beside which others are rated."""
    named = dict.fromkeys(name for name, _ in submissions)
    controls = [name for name in named if name.partition(":")[0] in CONTROLS]
    if controls and len(controls) < len(named):
        what = f"{_several(controls)}: among the systems as controls"
        yield f"{what}; ratings are relative, and without them the others may be rated otherwise"


def _several(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
