"""What a figure of effects draws: one corpus' effects, or one system's in two languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.material import Compared, Material, Regressed
from tiltmeter.report.numbers import POINTS, p_value
from tiltmeter.report.regression_names import (
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_NAIVE,
    drawn_measure,
    language_name,
)
from tiltmeter.report.regression_sides import ends as both_ends
from tiltmeter.report.regression_wording import parts_of
from tiltmeter.report.tables.margins import task_order
from tiltmeter.report.tables.margins_words import Effect, effect_order
from tiltmeter.schemas import AVERAGE

Phrases = Mapping[tuple[str, str], str]
"""By axis and group: `about women`."""

MOST = 40
"""Systems of a task that are drawn: those with the largest effects."""
SAID = {"up": "above 0", "down": "below 0", "none": "no difference detected"}
KEYS = ["system", "task", "axis", "contrast"]


@dataclass(frozen=True, slots=True)
class Effects:
    """One corpus' effects on scores, as a figure shows them."""

    compared: Compared
    measure: str
    effects: tuple[Effect, ...]
    rows: pl.DataFrame
    """system, task, axis, contrast, value, low, high, naive_low, naive_high (points of 100),
    significance, group: as the legend has it."""
    left_out: int
    """Submissions that have no effects."""
    smaller: int
    """Submissions with smaller effects than those drawn."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """In the paper's order."""
        return task_order(self.rows["task"].to_list())

    @property
    def phrases(self) -> Phrases:
        """How the sentences of each group are spoken of."""
        return phrases_of(self.compared)


@dataclass(frozen=True, slots=True)
class TwoLanguages:
    """Systems that answer two languages, as a figure shows them."""

    corpora: tuple[str, str]
    languages: tuple[str, str]
    effects: tuple[Effect, ...]
    rows: pl.DataFrame
    """A row a system, task, effect and language: label, axis, contrast, language, value, low, high
    (points of 100), test: `p = 0.03`, the same for both languages."""
    smaller: int


def phrases_of(compared: Compared) -> dict[tuple[str, str], str]:
    """How the sentences of each group are spoken of."""
    return {
        (axis.name, group): said for axis in compared.axes for group, said in axis.phrases.items()
    }


def drawn_effects(material: Material) -> Iterator[Effects]:
    """Every corpus with a regression that has something to draw."""
    measure = drawn_measure(material.run)
    for one in material.regressed:
        edition = one.estimates["edition"].head(1).to_list()
        found = [c for c in material.compared if [c.name, c.edition] == [one.corpus, *edition]]
        shown = [_effects(one, compared, measure) for compared in found[:1]]
        yield from (each for each in shown if each.rows.height)


def _effects(one: Regressed, compared: Compared, measure: str) -> Effects:
    rows = _numbers(one, measure).drop_nulls("value")
    kept = _largest(rows, MOST)
    drawn, every = (frame.select("system", "task").n_unique() for frame in (kept, rows))
    left_out = one.fits.height - every
    return Effects(
        compared, measure, effect_order(one.effects), by_task(kept), left_out, every - drawn
    )


def by_task(rows: pl.DataFrame) -> pl.DataFrame:
    """The tasks in the paper's order, systems by name within each."""
    order = {task: at for at, task in enumerate(task_order(rows["task"].to_list()))}
    place = pl.col("task").replace_strict(order, return_dtype=pl.Int64)
    return rows.sort(place, "system", maintain_order=True)


def _numbers(one: Regressed, measure: str) -> pl.DataFrame:
    """Effects in points of 100, the naive intervals beside them, and what was found."""
    main = one.estimates.filter(pl.col("measure") == measure, pl.col("unit") == "scale")
    naive = one.estimates.filter(measure=MARGINAL_NAIVE).select(
        *KEYS, naive_low="low", naive_high="high"
    )
    found = one.findings.select(*KEYS, "significance").unique(KEYS, keep="first")
    joined = main.join(naive, on=KEYS, how="left").join(found, on=KEYS, how="left")
    beside = measure not in (LEAST_SQUARES, MARGINAL_NAIVE)  # whose own intervals are naive
    unknown = pl.lit(None, pl.Float64)
    return joined.select(
        *KEYS, *(pl.col(name) * POINTS for name in ("value", "low", "high")),
        *(pl.col(name) * POINTS if beside else unknown.alias(name)
          for name in ("naive_low", "naive_high")),
        "significance", group=pl.col("significance").replace_strict(SAID, default=SAID["none"]),
    )  # fmt: skip


def _largest(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """The rows of the systems of each task whose largest effect is among so many largest."""
    keys = ["system", "task"]
    sizes = rows.group_by(keys, maintain_order=True).agg(pl.col("value").abs().max())
    rank = pl.col("value").rank("ordinal", descending=True).over("task")
    return rows.join(sizes.filter(rank <= most), on=keys, how="semi", maintain_order="left")


def two_languages(frame: pl.DataFrame | None) -> Iterator[TwoLanguages]:
    """Every two corpora that a system answers in two languages."""
    if frame is None:
        return
    effects = frame.filter(measure=MARGINAL, unit="scale")
    for (first, second), mine in effects.group_by(
        "corpus_first", "corpus_second", maintain_order=True
    ):
        sized = mine.with_columns(value=pl.col("difference"))
        kept = by_task(_largest(sized, MOST).drop("value"))
        languages = mine.row(0, named=True)
        shown = pl.concat([_side(kept, side) for side in ("first", "second")])
        every, drawn = (each.select("system", "task").n_unique() for each in (mine, kept))
        order = effect_order(_named(kept))
        said = tuple(language_name(languages[f"language_{side}"]) for side in ("first", "second"))
        yield TwoLanguages((first, second), (said[0], said[1]), order, shown, every - drawn)


def _side(rows: pl.DataFrame, side: str) -> pl.DataFrame:
    return rows.select(
        *KEYS,
        label=pl.format("{}, {}", "system", "task"),
        language=pl.col(f"language_{side}").map_elements(language_name, pl.String),
        **{name: pl.col(f"{name}_{side}") * POINTS for name in ("value", "low", "high")},
        test=pl.col("p").map_elements(p_value, pl.String),
    )


def _named(rows: pl.DataFrame) -> list[Effect]:
    """Axis, contrast and reference of every effect."""
    return rows.select("axis", "contrast", "reference").unique(maintain_order=True).rows()


def ends(effect: Effect, phrases: Phrases) -> tuple[str, str]:
    """What lies below 0 and above it, in words.

    >>> said = {("gender", "f"): "about women", ("gender", "m"): "about men"}
    >>> ends(("gender", "f-m", "m"), said)
    ('higher for sentences about men', 'higher for sentences about women')
    """
    parts = parts_of(dict(zip(("axis", "contrast", "reference"), effect, strict=True)))
    sides = [
        (_said(axis, first, phrases), _said(axis, second, phrases)) for axis, first, second in parts
    ]
    above, below = both_ends(sides)
    if len(parts) > 1:
        return below, above
    return _of_sentences(below), _of_sentences(above)


def _of_sentences(end: str) -> str:
    """An end by itself, without the words around a page's figure."""
    return end.replace(" ", " for sentences ", 1)


def _said(axis: str, group: str, phrases: Phrases) -> str:
    """How a group's sentences are spoken of; nothing for the average of all."""
    if group == AVERAGE and (axis, group) not in phrases:
        return ""
    return phrases.get((axis, group), f"marked “{group}”")
