"""What a reader of ratings should know beside them, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.phrases import column_named
from tiltmeter.scoring import Scored
from tiltmeter.studies.rating.grades import READABLE
from tiltmeter.studies.rating.study import Ratings, Submission
from tiltmeter.studies.rating.wording import SHORT_VARIANTS
from tiltmeter.systems import Scale, Scales

SHOWN = 3
"""Systems that a note names."""
CONTROLS = ("constant", "random", "biased-female", "tilted")


def rating_notes(study: Ratings, *, against_panel: bool) -> Iterator[str]:
    """Levels, positivity, X, and systems that could not be rated."""
    systems = study.overall.filter(variant=study.overall["variant"][0])
    if study.levels > READABLE:
        what = f"{study.levels} rating levels: more than {READABLE} are hard to tell apart"
        yield f"{what} (Miller 1956); fewer read better"
    for (task,), those in systems.group_by("task", maintain_order=True):
        if 1 < those.height < study.levels and not against_panel:
            what = f"{those.height} systems of {task} and {study.levels} levels"
            yield f"{what}: at most {those.height} of the levels can be given, X aside"
    for attribute, said in study.columns.select("attribute", "about_na").rows():
        # what is wrong with a published number
        if said and study.config.published and attribute != "gender":
            yield f"{said}; so the paper counts, and --mode corrected leaves NA out of {attribute}"
    yield from _empty_cells(study.effects)
    undefined = study.raw.filter("x").group_by("column", "variant", maintain_order=True)
    for (_, variant), rows in undefined:
        scores = SHORT_VARIANTS.get(str(variant), str(variant)).removesuffix(" (†)")
        where = f"{column_named(rows.row(0, named=True))}, {scores}"
        named = _several(rows["system"].to_list())
        yield f"{where}: X for {named}, a change over a mean of 0; X takes the worst rating"
    unrated: dict[tuple[str, str], dict[str, None]] = {}
    for row in study.raw.filter(pl.col("rating").is_null()).iter_rows(named=True):
        unrated.setdefault((row["system"], row["reason"]), {})[column_named(row)] = None
    for (system, reason), columns in unrated.items():
        yield f"{system}: no rating for {_several(list(columns))}: {reason}"


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


def unanswered_notes(
    submissions: Sequence[Submission], values: NDArray[np.float64]
) -> Iterator[str]:
    """How much systems did not answer: a rating on fewer sentences is another one."""
    for (system, _), missing in zip(submissions, np.isnan(values).sum(axis=1), strict=True):
        if 0 < missing < values.shape[1]:  # one that answers nothing is in the ratings' notes
            what = f"{system}: no score for {missing:,} of {values.shape[1]:,} sentences"
            yield f"{what}; it is rated on the others"


def remark_notes(scored: Sequence[Scored]) -> Iterator[str]:
    """What is worth knowing of systems' scores, each remark once with all it is true of."""
    whose: dict[str, list[str]] = {}
    for one in scored:
        for remark in one.remarks_with_scale:
            whose.setdefault(remark, []).append(one.card.name)
    for remark, names in whose.items():
        yield f"{_several(list(dict.fromkeys(names)))}: {remark}"


def control_notes(submissions: Sequence[Submission]) -> Iterator[str]:
    """A word on controls, beside which others are rated."""
    named = dict.fromkeys(name for name, _ in submissions)
    controls = [name for name in named if name.partition(":")[0] in CONTROLS]
    if controls and len(controls) < len(named):
        what = f"{_several(controls)}: among the systems as controls"
        yield f"{what}; ratings are relative, and without them the others may be rated otherwise"


def scale_notes(
    scales: Mapping[str, Scale], declared: Scales, ranges: Mapping[str, tuple[float, float]]
) -> Iterator[str]:
    """Each scale of stored scores, how it is known, whose it is, and what it does not hold."""
    whose: dict[tuple[Scale, bool], list[str]] = {}
    for system, scale in scales.items():
        whose.setdefault((scale, declared.of(system) is not None), []).append(system)
    for (scale, known), systems in whose.items():
        how = "declared" if known else "inferred: every score lies within it"
        yield f"{', '.join(systems)}: scale {scale}, {how}"
    for system, (low, high) in ranges.items():
        scale = scales[system]
        if low < scale.low or scale.high < high:
            what = f"{system}: scores from {Scale(low, high)}, outside the scale {scale}"
            yield f"{what}, kept as they are"


def _several(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
