"""Two versions of a system on the same sentences: how the tilt changed, and which pairs moved.

Both versions met the same people in the same sentences, so what they make of them alike cancels:
the change is the claim on new − old, sentence by sentence, by names and by couples. Beside it
stands the claim on new + old, since |new| < |old| exactly where change and total have opposite
signs. How far an unseen name may move a change, for the floor, is what the change itself shows: the
spread of new − old over sentences. Where that is none, as of two identical versions, no name moved
anything: the change is 0, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast, comparisons
from tiltmeter.measures.matrix import NATIVE, SCALE, ScoreMatrix, score_matrix
from tiltmeter.measures.pairs import sides_of
from tiltmeter.measures.stats.paired import DUST, without_dust
from tiltmeter.measures.stats.survey import PLENTY
from tiltmeter.measures.tilt import COUPLES, NAMES, Claim, TiltStudy, tilt_study
from tiltmeter.schemas import SENTENCES

Array = NDArray[np.float64]

KINDS = ("old", "new", "change", "total")
"""What a tilt is taken of: either version, new − old, new + old."""
SOURCES = ("people", "floor", "words", "noise")
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
    """A row for each pair of versions, contrast and kind of people: old_system, new_system, task,
    axis, contrast, reference, subset (names or couples), unit, n (of them), n_dropped; value, se,
    df, low and high of old, new, change and total, as in change_se; templates, words, and what
    each adds to the error of change and total, as in change_se_people."""
    moved: pl.DataFrame
    """The pairs whose two scores stand further apart than before, or closer."""


def version_study(
    sentences: pl.DataFrame,
    old: pl.DataFrame,
    new: pl.DataFrame,
    pairs: Sequence[VersionPair],
    contrasts: Sequence[Contrast],
    people: pl.DataFrame | None = None,
) -> VersionStudy:
    """Hold two versions' scores of one corpus' sentences against each other.

    `old` and `new` are `scores` tables, `people` the corpus' table of people. A sentence that
    either version has no score for is left out for both.
    """
    before, unit_before = _taken(score_matrix(old, sentences), [(p.old, p.task) for p in pairs])
    after, unit_after = _taken(score_matrix(new, sentences), [(p.new, p.task) for p in pairs])
    both = np.isnan(before) | np.isnan(after)
    before, after = np.where(both, np.nan, before), np.where(both, np.nan, after)
    units = [
        SCALE if a == b == SCALE else NATIVE for a, b in zip(unit_before, unit_after, strict=True)
    ]
    width = _width(before, after, units)
    study, still = _claims(sentences, before, after, contrasts, width, people)
    still &= np.tile(np.array(unit_before) == np.array(unit_after), len(KINDS))
    changes = [
        _changes(pairs, units, claim, _dropped(study, claim), still)
        for contrast in contrasts
        for claim in study.claims(contrast)
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


def _claims(
    sentences: pl.DataFrame,
    before: Array,
    after: Array,
    contrasts: Sequence[Contrast],
    width: Array,
    people: pl.DataFrame | None,
) -> tuple[TiltStudy, NDArray[np.bool_]]:
    """The study of every kind, one after the other, and which rows differ nowhere."""
    values = np.concatenate([before, after, after - before, after + before])
    wide = np.tile(width, len(KINDS))
    spread = _spread(values)
    of_both = np.repeat([kind in ("change", "total") for kind in KINDS], len(before))
    still = of_both & (spread < DUST * wide)
    study = tilt_study(sentences, values, contrasts, axes_of(sentences), wide, people)
    moves = np.where(of_both, spread, 0.0)
    effects = replace(study.effects, moves=np.maximum(study.effects.moves, moves))
    couples = {
        contrast: replace(one, moves=np.maximum(one.moves, moves))
        for contrast, one in study.couples.items()
    }
    return replace(study, effects=effects, couples=couples), still


def _spread(values: Array) -> Array:
    """(rows,): the standard deviation over all sentences; 0 of none."""
    known = ~np.isnan(values)
    n = np.maximum(known.sum(axis=1), 1)
    mean = np.where(known, values, 0.0).sum(axis=1) / n
    apart = np.where(known, values - mean[:, None], 0.0)
    found: Array = np.sqrt((apart**2).sum(axis=1) / n)
    return found


def _dropped(study: TiltStudy, claim: Claim) -> NDArray[np.int64]:
    """(rows,): sentences, or pairs of couples, without a score."""
    if claim.kind == NAMES:
        return study.dropped[NAMES]
    pairs = study.couples[claim.contrast]
    return np.asarray(pairs.met.sum() - pairs.n.sum(axis=1), np.int64)


def _changes(
    pairs: Sequence[VersionPair],
    units: Sequence[str],
    claim: Claim,
    dropped: NDArray[np.int64],
    still: NDArray[np.bool_],
) -> pl.DataFrame:
    there = claim.n > 0
    known = {
        "": np.where(still & there, 0.0, claim.value),
        "_se": np.where(still & there, 0.0, claim.se),
        "_df": np.where(still & there, PLENTY, claim.df),
    }
    reach = np.where(still & there, 0.0, claim.reach())
    known |= {"_low": known[""] - reach, "_high": known[""] + reach}
    sources = {f"_se_{name}": getattr(claim, f"se_{name}") for name in SOURCES}

    def of(kind: str, values: NDArray[np.generic]) -> NDArray[np.generic]:
        start = KINDS.index(kind) * len(pairs)
        return values[start : start + len(pairs)]

    numbers = {
        f"{kind}{name}": of(kind, values)
        for kind in KINDS
        for name, values in (known | (sources if kind in ("change", "total") else {})).items()
    }
    return pl.DataFrame(
        {
            "old_system": [pair.old for pair in pairs],
            "new_system": [pair.new for pair in pairs],
            "task": [pair.task for pair in pairs],
            "axis": claim.contrast.axis,
            "contrast": claim.contrast.name,
            "reference": claim.contrast.second,
            "subset": claim.kind,
            "unit": list(units),
            "n": of("change", claim.n),
            "n_dropped": of("change", dropped),
            **{name: _numbers(values) for name, values in numbers.items()},
            "templates": claim.templates,
            "words": claim.words,
        },
        schema_overrides=dict.fromkeys(("n", "n_dropped", "templates", "words"), pl.Int64),
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
    several = pl.max_horizontal("n_first", "n_second").max().over("match") > 1
    told = compared.pairs.select(
        "axis", "contrast", "frame", "match", "n_first", "n_second",
        subset=pl.when(several).then(pl.lit(NAMES)).otherwise(pl.lit(COUPLES)),
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
        for mine in own.partition_by("subset", maintain_order=True):
            parts += list(_furthest(mine, pair, max(FEWEST, min(MOVED, MOST // len(pairs)))))
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
