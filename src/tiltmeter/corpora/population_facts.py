"""What a reader should know of a population: its cells, how it was drawn, what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tiltmeter.corpora.people import ALL, BEARERS, CELL, NAME

if TYPE_CHECKING:
    from tiltmeter.corpora.people_sample import Deal

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class PopulationCell:
    """One combination of groups: who is in the population, and who of them was drawn."""

    groups: Mapping[str, str]
    names: int
    bearers: int | None
    effective: float
    """How many names of equal weight would be as uneven: (Σw)²/Σw², w what a name counts."""
    drawn: int
    certain: int
    """How many were certain to be drawn, whatever the seed."""
    words: int | None
    """How many of the names are also words; None: the table does not say."""
    word_examples: tuple[str, ...]
    """The most common of those."""

    @property
    def label(self) -> str:
        """The groups in one phrase, as in `female, Black`."""
        return ", ".join(self.groups.values())


@dataclass(frozen=True, slots=True)
class PopulationSummary:
    """The population a corpus draws from, how it was drawn, and what it cannot tell."""

    title: str
    source: str
    licence: str
    note: str
    rule: str
    weights: str
    people: int | str
    frames: int | str
    all_frames: int
    frames_met: tuple[float, float, float]
    """How many frames a drawn name meets: the least, the mean and the most."""
    seed: int
    listed: int
    """Names in the table, in the population or not."""
    listed_bearers: int | None
    cells: tuple[PopulationCell, ...]

    @property
    def names(self) -> int:
        """Names in the population."""
        return sum(cell.names for cell in self.cells)

    @property
    def bearers(self) -> int | None:
        """Who bears them; None: the table does not say."""
        each = [cell.bearers for cell in self.cells if cell.bearers is not None]
        return sum(each) if len(each) == len(self.cells) else None

    @property
    def drawn(self) -> int:
        """Names drawn."""
        return sum(cell.drawn for cell in self.cells)

    @property
    def census(self) -> bool:
        """Whether every name of the population is in the corpus."""
        return self.drawn == self.names

    def facts(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        cells = [
            {**asdict(cell), "groups": dict(cell.groups), "word_examples": [*cell.word_examples]}
            for cell in self.cells
        ]
        return {**asdict(self), "frames_met": [*self.frames_met], "cells": cells}

    @classmethod
    def from_facts(cls, said: Mapping[str, Any]) -> PopulationSummary:
        """The summary that `facts` was made from; what it does not know is left out."""
        known, of_cell = ([one.name for one in fields(kind)] for kind in (cls, PopulationCell))
        cells = tuple(
            PopulationCell(
                **{name: cell[name] for name in of_cell}
                | {"word_examples": tuple(cell["word_examples"])}
            )
            for cell in said["cells"]
        )
        own = {name: said[name] for name in known}
        return cls(**{**own, "frames_met": tuple(said["frames_met"]), "cells": cells})

    @property
    def described(self) -> tuple[str, ...]:
        """What a reader should know, a sentence or two each."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        borne = f", borne by {self.bearers:,} people" if self.bearers else ""
        yield f"The population: {self.names:,} names{borne}. Who is in it: {self.rule}."
        yield self._draw()
        yield (
            "A name is not a person: that most of its bearers are of a group does not say what any "
            "one of them is. Age, class and how common a name is go along with the group, and a "
            "difference may come from any of them."
        )
        if self.names < self.listed:
            share = (
                f" ({100 * self.bearers / self.listed_bearers:.0f} % of the bearers)"
                if self.bearers and self.listed_bearers
                else ""
            )
            yield (
                f"It is not everyone: of {self.listed:,} names in the table {self.names:,}{share} "
                "keep to the bounds. Other bounds make another population."
            )
        yield from self._words()

    def _draw(self) -> str:
        by = "in proportion to their bearers" if self.weights == BEARERS else "every name alike"
        counts = "each bearer counts alike" if self.weights == BEARERS else "each name counts alike"
        if self.census:
            who = (
                "Every name of the population is here: a census, with no sampling error over "
                f"people; {counts}."
            )
        else:
            certain = sum(cell.certain for cell in self.cells)
            sure = f"; {certain:,} were certain to come" if certain else ""
            who = (
                f"Drawn by lot: {self.drawn:,} names, at most {self.people:,} a cell, {by} "
                f"(priority sampling, seed {self.seed}){sure}."
            )
        if self.frames == ALL or int(self.frames) >= self.all_frames:
            return f"{who} Everyone meets all {self.all_frames:,} frames."
        if self.frames_met[0] == self.frames_met[-1]:
            return f"{who} Each name meets {self.frames} of {self.all_frames:,} frames."
        least, mean, most = self.frames_met
        return (
            f"{who} A name meets {least:,.0f} to {most:,.0f} of {self.all_frames:,} frames, "
            f"{mean:.1f} on average; names with more bearers meet more."
        )

    def _words(self) -> Iterator[str]:
        known = [cell for cell in self.cells if cell.words is not None]
        many = sum(cell.words or 0 for cell in known)
        if not known:
            return
        if not many:
            yield "None of the names is also a word of a sentiment lexicon."
            return
        by_cell = "; ".join(
            f"{cell.label} {cell.words:,}"
            + (f" ({cell.word_examples[0]})" if cell.word_examples else "")
            for cell in known
        )
        yield f"{many:,} names are also words of a sentiment lexicon: {by_cell}."


def summarise_population(deal: Deal) -> PopulationSummary:
    """The population that a corpus was drawn from."""
    sample, population = deal.sample, deal.sample.population
    options, table = sample.options, population.table
    drawn = table[sample.rows].with_columns(certain=pl.Series(sample.probability >= 1.0))
    weight = BEARERS if options.weights == BEARERS else "one"
    met = deal.many[len(deal.many) - len(sample.rows) :]
    cells = []
    for number in range(len(population.cells)):
        here = table.filter(pl.col(CELL) == number)
        came = drawn.filter(pl.col(CELL) == number)
        counts = here[weight].to_numpy().astype(np.float64)
        said = here["word"].null_count() < here.height
        words = here.filter(pl.col("word")).sort(BEARERS, descending=True, nulls_last=True)
        cells.append(
            PopulationCell(
                groups=population.groups(number),
                names=here.height,
                bearers=None if here[BEARERS].null_count() else int(here[BEARERS].sum()),
                effective=float(counts.sum() ** 2 / (counts**2).sum()),
                drawn=came.height,
                certain=int(came["certain"].sum()),
                words=words.height if said else None,
                word_examples=tuple(words[NAME].head(EXAMPLES)),
            )
        )
    return PopulationSummary(
        title=population.title,
        source=population.provenance.source,
        licence=population.provenance.licence,
        note=population.provenance.note,
        rule=population.rule_in_words,
        weights=str(options.weights),
        people=options.people or ALL,
        frames=options.frames or ALL,
        all_frames=deal.all_frames,
        frames_met=(float(met.min()), float(met.mean()), float(met.max())),
        seed=options.seed,
        listed=population.listed,
        listed_bearers=population.listed_bearers,
        cells=tuple(cells),
    )
