"""In which words, emotions and templates a tilt shows: the interaction of group with word.

With e_if what is left of person i's score in frame f beyond the person's own effect and the
frame's, a category g of frames (those with *angry*, say) has the interaction

    δ_g = Σ_s s · mean over the side's people of d_ig,    d_ig = mean of e_if over i's frames in g,

and the tilt within g is the tilt + δ_g. Where everybody met every frame, d_ig is the mean of i's
scores in g less the mean of all of i's scores. Who met a part of the frames has d_ig scaled up by
(1 − n_g/F) / (1 − n_ig/K_i), since their effect was fitted on the same sentences. The interval is
over people, from the spread of d_ig between them as they were drawn and from their own sentences'
noise, at a level divided by the number of categories. Nobody drew the words: it is of exactly
these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.ranking import coarsen
from tiltmeter.stats.moments import members
from tiltmeter.stats.paired_tests import DUST
from tiltmeter.stats.survey import hajek, over
from tiltmeter.studies.explain.material import ExplainedClaim, TiltMaterial
from tiltmeter.studies.paired.claims import COUPLES, compared_sides
from tiltmeter.studies.paired.contrasts import comparisons
from tiltmeter.studies.paired.pairs import sides_of as averages

Array = NDArray[np.float64]
Places = NDArray[np.int64]

LEVEL = 0.05
WORD, EMOTION, TEMPLATE = "word", "emotion", "template"
OF = {WORD: "emotion_word", EMOTION: "emotion", TEMPLATE: "template"}
"""What sentences are divided by, and the column that says it."""
FEWEST_FREE = 2.0
"""Degrees of freedom below which one person makes up the spread, and an interval says nothing."""
MOST_LOST = 0.5
"""Of a group's difference, that a frame with few people may hide."""
NONE = "none"
"""Stands for sentences without an emotion word."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """How far a claim's tilt within some sentences lies from the whole."""

    of: str
    category: str
    emotion: str
    tilt: float
    """Within these sentences."""
    interaction: float
    """That less the whole tilt."""
    low: float | None
    high: float | None
    """Over people, corrected for the number of categories; None where nothing tells it."""
    frames: int
    example: str
    alike: bool = False
    """Whether it is the same for everybody here, so that nothing tells what others would show."""

    @property
    def apart(self) -> bool:
        """Whether these sentences differ from the others: beyond chance, or for everybody alike."""
        if self.low is None or self.high is None:
            return self.alike and self.interaction != 0
        return not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True)
class Interactions:
    """All categories of one kind, for one claim; the largest interaction first."""

    claim: ExplainedClaim
    of: str
    found: tuple[Interaction, ...]

    @property
    def apart(self) -> int:
        """How many differ."""
        return sum(one.apart for one in self.found)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each category."""
        for one in self.found:
            row = {name: getattr(one, name) for name in one.__slots__}
            yield self.claim.keys | row | {"apart": one.apart, "unit": self.claim.unit}


@dataclass(frozen=True, slots=True)
class UnitResiduals:
    """What is left of people's, or families', scores: one number for each of their sentences."""

    unit: Places
    """Whose each is."""
    frame: pl.DataFrame
    """A row for each: frame, template, emotion, emotion_word, example."""
    residual: Array
    sides: tuple[tuple[Places, float], ...]
    """Who stands on a side of the contrast, and the side's share."""
    weight: Array
    """(units,)"""
    chance: Array
    """(units,): of being drawn; 0 where nobody was drawn by lot."""


def interactions_of(material: TiltMaterial, claim: ExplainedClaim) -> tuple[Interactions, ...]:
    """By word, emotion and template; a kind with fewer than two categories is left out."""
    make = couple_residuals if claim.kind == COUPLES else name_residuals
    residuals = make(material, claim)
    found = (_by(material, claim, residuals, of) for of in OF)
    return tuple(one for one in found if one is not None)


def name_residuals(material: TiltMaterial, claim: ExplainedClaim) -> UnitResiduals:
    """e_if = y_if − ȳ_f + t̄_f − t_i, over the people of pools."""
    effects = material.study.effects
    people = effects.people.select("match", "person").with_row_index("*unit")
    frames = effects.frames.select("frame", "match").with_row_index("*frame")
    placed = (
        material.sentences.with_columns(y=pl.Series(material.values[claim.place]))
        .join(people, on=["match", "person"], how="inner", maintain_order="left")
        .join(frames, on=["frame", "match"], how="inner", maintain_order="left")
        .filter(pl.col("y").is_not_nan())
    )
    unit = placed["*unit"].to_numpy().astype(np.int64)
    frame = placed["*frame"].to_numpy().astype(np.int64)
    y, t = placed["y"].to_numpy(), effects.value[claim.place][unit]
    of_frame = members(frame, frames.height)
    n = np.maximum(np.asarray(np.ones(y.size) @ of_frame), 1.0)
    rest = y - (np.asarray(y @ of_frame) / n)[frame] + (np.asarray(t @ of_frame) / n)[frame] - t
    # Frames whose people are by lot mostly of one group show less of a group's own difference: by
    # (1 − K/F)/n_f, the variance of their composition.
    rest = rest / (1.0 - np.minimum(effects.left[unit].mean() / n[frame], MOST_LOST))
    weight, chance = (effects.people[name].to_numpy() for name in ("weight", "probability"))
    sides = compared_sides(effects, claim.contrast, material.axes)
    return UnitResiduals(
        unit, _labels(placed), rest, tuple((side.people, side.share) for side in sides),
        weight, chance,
    )  # fmt: skip


def couple_residuals(material: TiltMaterial, claim: ExplainedClaim) -> UnitResiduals:
    """Each couple's difference in a frame less its mean difference; couples of a family are one."""
    couples = material.study.couples[claim.contrast].people
    mine = material.sentences["match"].is_in(couples["match"].to_list())
    mine &= material.sentences[claim.contrast.axis].is_not_null()
    sentences = material.sentences.filter(mine)
    values = material.values[[claim.place]][:, mine.to_numpy()]
    found = comparisons(sentences, [claim.contrast])
    first, second = (averages(values, side) for side in (found.first, found.second))
    examples = sentences["text"].gather(found.pairs["example_first"])
    placed = found.pairs.with_columns(y=pl.Series((first - second)[0]), text=examples)
    placed = placed.join(
        couples.select("match", unit=pl.col("family").rank("dense").cast(pl.Int64) - 1),
        on="match", how="left", maintain_order="left",
    ).filter(pl.col("y").is_not_nan())  # fmt: skip
    unit = placed["unit"].to_numpy().astype(np.int64)
    families = int(couples["family"].n_unique())
    add = members(unit, families)
    n = np.asarray(np.ones(unit.size) @ add)
    mean = over(np.asarray(placed["y"].to_numpy() @ add), n)
    every = np.flatnonzero(n > 0)
    return UnitResiduals(
        unit, _labels(placed), placed["y"].to_numpy() - mean[unit], ((every, 1.0),), n,
        np.zeros(n.size),
    )  # fmt: skip


def _labels(placed: pl.DataFrame) -> pl.DataFrame:
    return placed.select("frame", "template", "emotion", "emotion_word", example="text")


def _by(
    material: TiltMaterial, claim: ExplainedClaim, of_units: UnitResiduals, of: str
) -> Interactions | None:
    """The interactions of one kind of category."""
    keys = ["emotion", "emotion_word"] if of == WORD else [OF[of]]
    labels = of_units.frame.with_columns(pl.col(keys).fill_null(NONE))
    categories = labels.group_by(keys, maintain_order=True).agg(
        pl.col("frame").n_unique().alias("frames"), pl.col("example").first(),
        pl.col("emotion").first().alias("*emotion"),
    )  # fmt: skip
    if categories.height < 2:
        return None
    code = labels.select(keys).join(
        categories.select(keys).with_row_index("*code"), on=keys, maintain_order="left"
    )["*code"].to_numpy().astype(np.int64)  # fmt: skip
    value, se, df = _contrast(*_by_unit(of_units, code, categories["frames"].to_numpy()), of_units)
    width = float(material.width[claim.place])
    dust = DUST * width
    value, se = (np.where(np.abs(one) < dust, 0.0, one) for one in (value, se))
    rows = [*enumerate(categories.iter_rows(named=True))]
    if of == WORD:  # those without a word are set beside the words as an emotion of their own
        rows = [(nth, row) for nth, row in rows if row[OF[WORD]] != NONE]
    level = LEVEL / max(len(rows), 1)
    known = (se > 0) & (df >= FEWEST_FREE)
    reach = np.where(known, se * stdtrit(np.where(known, df, 1.0), 1.0 - level / 2.0), np.nan)
    found = [
        Interaction(
            of, str(row[OF[of]]), "" if of == TEMPLATE else str(row["*emotion"]),
            claim.value + float(value[nth]), float(value[nth]),
            low=None if np.isnan(reach[nth]) else float(value[nth] - reach[nth]),
            high=None if np.isnan(reach[nth]) else float(value[nth] + reach[nth]),
            frames=int(row["frames"]), example=str(row["example"]), alike=bool(se[nth] == 0),
        )
        for nth, row in rows
        if not np.isnan(value[nth])
    ]  # fmt: skip
    found.sort(key=lambda one: -coarsen(abs(one.interaction), width))
    return Interactions(claim, of, tuple(found))


def _by_unit(
    of_units: UnitResiduals, code: Places, frames: NDArray[np.int64]
) -> tuple[Array, Array, Array]:
    """d_ig, its noise and the share of its frames not met, each (categories, units).

    NaN where a unit has no sentence in a category, or none in another.
    """
    units, many = of_units.weight.size, frames.size
    add = members(of_units.unit * many + code, units * many)
    total = np.asarray(of_units.residual @ add).reshape(units, many).T
    n = np.asarray(np.ones(code.size) @ add).reshape(units, many).T
    own = np.broadcast_to(n.sum(axis=0), n.shape)
    mean = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    left = 1.0 - over(n, own)
    scale = np.divide(
        (1.0 - frames / frames.sum())[:, None], left, out=np.full(n.shape, np.nan), where=left > 0
    )
    squares = np.asarray(of_units.residual**2 @ members(of_units.unit, units))
    noise = over(np.broadcast_to(squares, n.shape), np.maximum(own - 1.0, 1.0) * np.maximum(n, 1.0))
    return mean * scale, noise * scale**2, np.clip(1.0 - n / frames[:, None], 0.0, 1.0)


def _contrast(
    d: Array, noise: Array, left: Array, of_units: UnitResiduals
) -> tuple[Array, Array, Array]:
    """δ, its standard error over units, and the degrees of freedom, by category."""
    value, variance, spent = (np.zeros(len(d)) for _ in range(3))
    for whom, share in of_units.sides:
        mean = hajek(
            d[:, whom], of_units.weight[whom], of_units.chance[whom], noise[:, whom],
            left[:, whom], np.zeros(len(d)),
        )  # fmt: skip
        value += share * mean.value
        variance += share**2 * mean.people
        spent += over(share**4 * mean.people**2, mean.df)
    return value, np.sqrt(variance), over(variance**2, spent)


def interactions_frame(found: Sequence[Interactions]) -> pl.DataFrame:
    """A row for each category of each claim."""
    return pl.DataFrame([row for one in found for row in one.rows()], infer_schema_length=None)
