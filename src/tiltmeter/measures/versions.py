"""Two versions of a system on the same sentences: how the tilt changed, and which pairs moved.

Both versions saw the same people, templates and words, so what they make of them alike cancels:
the change is the crossed tilt of new − old, sentence by sentence. Beside it stands the tilt of
new + old, since |new| < |old| exactly where change and total have opposite signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast, comparisons
from tiltmeter.measures.matrix import NATIVE, SCALE, ScoreMatrix, score_matrix
from tiltmeter.measures.pairs import sides_of
from tiltmeter.measures.stats.paired import without_dust
from tiltmeter.measures.tilt import Crossed, crossed_tilt
from tiltmeter.tables import SENTENCES

Array = NDArray[np.float64]

KINDS = ("old", "new", "change", "total")
"""What a tilt is taken of: either version, new − old, new + old."""
TOLD = ("value", "se", "df", "low", "high")
SOURCES = ("people", "templates", "words")
PARTS = (*(f"{part}_{one}" for one in SOURCES for part in ("se", "df")), "se_noise")
"""What the error of a change is made of."""
MOVED, FEWEST, MOST = 25, 5, 2000
"""Pairs kept of each comparison that moved most, in either direction: fewer, but at least so many,
where there are many versions, so that there are about so many in all."""


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two versions of a system, for one task."""

    old: str
    new: str
    task: str


@dataclass(frozen=True, slots=True)
class VersionStudy:
    """What changed between versions on one corpus."""

    changes: pl.DataFrame
    """A row for each pair of versions and contrast: old_system, new_system, task, axis, contrast,
    reference, unit, n, n_dropped; value, se, df, low and high of old, new, change and total, as in
    change_se; people, templates, words, and what each adds to the error of change and total."""
    moved: pl.DataFrame
    """The pairs whose two scores stand further apart than before, or closer."""


def version_study(
    sentences: pl.DataFrame,
    old: pl.DataFrame,
    new: pl.DataFrame,
    pairs: Sequence[VersionPair],
    contrasts: Sequence[Contrast],
) -> VersionStudy:
    """Hold two versions' scores of one corpus' sentences against each other.

    `old` and `new` are `scores` tables. A sentence that either version has no score for is left
    out for both.
    """
    before, unit_before = _taken(score_matrix(old, sentences), [(p.old, p.task) for p in pairs])
    after, unit_after = _taken(score_matrix(new, sentences), [(p.new, p.task) for p in pairs])
    both = np.isnan(before) | np.isnan(after)
    before, after = np.where(both, np.nan, before), np.where(both, np.nan, after)
    units = [
        SCALE if a == b == SCALE else NATIVE for a, b in zip(unit_before, unit_after, strict=True)
    ]
    axes = axes_of(sentences)
    width = _width(before, after, units)
    changes = [
        _changes(pairs, units, contrast, _crossed(sentences, before, after, contrast, axes, width))
        for contrast in contrasts
    ]
    moved = [
        _moved(sentences, before, after, pairs, contrast, width) for contrast in contrasts
    ]  # fmt: skip
    return VersionStudy(pl.concat(changes), pl.concat(moved))


def contrasts_with_pairs(sentences: pl.DataFrame, contrasts: Sequence[Contrast]) -> list[Contrast]:
    """The contrasts that some two sentences differ in."""
    known = [one for one in contrasts if one.axis in sentences.columns]
    return [one for one in known if comparisons(sentences, [one]).pairs.height]


def axes_of(sentences: pl.DataFrame) -> list[str]:
    """The axes on which some sentence has a group."""
    further = [name for name in sentences.columns if name not in SENTENCES.columns]
    return [name for name in further if sentences[name].null_count() < sentences.height]


def _taken(matrix: ScoreMatrix, wanted: Sequence[tuple[str, str]]) -> tuple[Array, list[str]]:
    """The rows of some submissions, in the order wanted, and their units."""
    keys = matrix.submissions.select("system", "task").rows()
    places = [keys.index(one) for one in wanted]
    return matrix.values[places], matrix.submissions["unit"].gather(places).to_list()


def _width(before: Array, after: Array, units: Sequence[str]) -> Array:
    """How wide each pair's scale is: 1, or the range of all answers where none is known."""
    both = np.concatenate([before, after], axis=1)
    known = np.where(np.isnan(both), 0.0, both)
    span = known.max(axis=1, initial=0.0) - known.min(axis=1, initial=0.0)
    return np.where(np.array(units, dtype=object) == SCALE, 1.0, np.maximum(span, 1e-12))


def _crossed(
    sentences: pl.DataFrame,
    before: Array,
    after: Array,
    contrast: Contrast,
    axes: Sequence[str],
    width: Array,
) -> Crossed:
    """The crossed tilt of each kind, one after the other."""
    values = np.concatenate([before, after, after - before, after + before])
    return crossed_tilt(sentences, values, contrast, axes, np.tile(width, len(KINDS)))


def _changes(
    pairs: Sequence[VersionPair], units: Sequence[str], contrast: Contrast, found: Crossed
) -> pl.DataFrame:
    def of(kind: str, name: str) -> NDArray[np.generic]:
        start = KINDS.index(kind) * len(pairs)
        part: NDArray[np.generic] = getattr(found, name)[start : start + len(pairs)]
        return part

    numbers = {
        kind if name == "value" else f"{kind}_{name}": of(kind, name)
        for kind in KINDS
        for name in (*TOLD, *(PARTS if kind in ("change", "total") else ()))
    }
    return pl.DataFrame(
        {
            "old_system": [pair.old for pair in pairs],
            "new_system": [pair.new for pair in pairs],
            "task": [pair.task for pair in pairs],
            "axis": contrast.axis,
            "contrast": contrast.name,
            "reference": contrast.second,
            "unit": list(units),
            "n": of("change", "n"),
            "n_dropped": of("change", "n_dropped"),
            **{name: _numbers(values) for name, values in numbers.items()},
            **{name: getattr(found, name) for name in SOURCES},
        },
        schema_overrides=dict.fromkeys(("n", "n_dropped", *SOURCES), pl.Int64),
    )


def _numbers(values: NDArray[np.generic]) -> pl.Series:
    return pl.Series(values, dtype=pl.Float64).fill_nan(None)


def _moved(
    sentences: pl.DataFrame,
    before: Array,
    after: Array,
    pairs: Sequence[VersionPair],
    contrast: Contrast,
    width: Array,
) -> pl.DataFrame:
    """Each version pair's pairs of sentences by how much further apart they stand than before."""
    compared = comparisons(sentences, [contrast])
    sides = {
        f"{name}_{side}": sides_of(values, averages)
        for name, values in (("old", before), ("new", after))
        for side, averages in (("first", compared.first), ("second", compared.second))
    }
    deltas = {
        name: without_dust(sides[f"{name}_first"] - sides[f"{name}_second"], width)
        for name in ("old", "new")
    }
    further = np.abs(deltas["new"]) - np.abs(deltas["old"])
    told = compared.pairs.select(
        "axis", "contrast", "frame", "match", "n_first", "n_second",
        text_first=sentences["text"].gather(compared.pairs["example_first"]),
        text_second=sentences["text"].gather(compared.pairs["example_second"]),
    )  # fmt: skip
    parts = []
    for nth, pair in enumerate(pairs):
        numbers = {name: values[nth] for name, values in sides.items()}
        numbers |= {f"{name}_delta": values[nth] for name, values in deltas.items()}
        own = told.with_columns(
            **{name: _numbers(values) for name, values in numbers.items()},
            further=_numbers(further[nth]),
        )
        parts += list(_furthest(own, pair, max(FEWEST, min(MOVED, MOST // len(pairs)))))
    return pl.concat(parts)


def _furthest(own: pl.DataFrame, pair: VersionPair, many: int) -> Iterator[pl.DataFrame]:
    """The pairs that moved most apart, then those that moved most together."""
    names = {"old_system": pair.old, "new_system": pair.new, "task": pair.task}
    told = [pl.lit(value).alias(name) for name, value in names.items()]
    known = own.drop_nulls("further").select(*told, pl.all())
    for moved, first in ((pl.col("further") > 0, True), (pl.col("further") < 0, False)):
        order = known.filter(moved).sort(
            "further", "frame", "match", descending=[first, False, False], maintain_order=True
        )
        yield order.head(many)
