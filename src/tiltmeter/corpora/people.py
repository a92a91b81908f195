"""A population of people by name: who belongs to it, the cells they fall into, and its summary.

A population is a table of names. A *cell* is a combination of groups, one of each axis, and a name
belongs when it falls into one. `population_schema.py` reads one from a corpus file,
`people_sampling.py` draws from it. Where a corpus has only a list of names, the US Census says how
they stand among the people who bear them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.audit_run import PopulationCell, PopulationFacts
from tiltmeter.corpora.design import SUBJECT, Axis, Person, Provenance
from tiltmeter.corpora.schema import PEOPLE
from tiltmeter.files import parquet_frame

if TYPE_CHECKING:
    from tiltmeter.corpora.design import Design
    from tiltmeter.corpora.people_sampling import Deal


ALL = "all"
"""Everyone, or every frame, in place of a number."""
BEARERS, NAMES = "bearers", "names"
"""What a name counts: as many as bear it, or one."""
WEIGHTS = (BEARERS, NAMES)
SHARES = {"fraction": 1, "percent": 100, "hundredths of a percent": 10_000}
"""The units a table may give shares in, and what a whole is in each."""
FEWEST_PEOPLE, FEWEST_FRAMES = 2, 1
ROW, NAME, CELL, ONE, FOLDED = "row", "name", "cell", "one", "folded"


CENSUS = "us-first-names"
"""Our table of the first names of the US Census 2020."""
CENSUS_GROUPS = {
    "African American": "black",
    "European American": "white",
    "Anglo": "white",
    "Latino": "hispanic",
}
"""The groups of corpora that the Census knows, and its column of shares for each."""
SPOKEN = {"black": "Black", "white": "White", "hispanic": "Hispanic"}
WHOLE = SHARES["hundredths of a percent"]
"""What stands for all of a name's bearers in our table of the Census."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Who belongs to a group: a share within bounds, or a label that is one of these."""

    group: str
    column: str
    least: float = 0.0
    most: float = 1.0
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The rule in words.

        >>> str(Bound("Black", "black", least=0.8)), str(Bound("both sexes", "female", 0.4, 0.6))
        ('Black: share at least 80 %', 'both sexes: female share 40 to 60 %')
        """
        if self.labels:
            return f"{self.group}: {self.column} is {' or '.join(self.labels)}"
        own = self.column.casefold() in self.group.casefold().split()
        whose = "share" if own else f"{self.column} share"
        least, most = f"{100 * self.least:.4g}", f"{100 * self.most:.4g}"
        bounds = f"{least} to {most}"
        if self.most >= 1:
            bounds = f"at least {least}"
        elif self.least <= 0:
            bounds = f"at most {most}"
        return f"{self.group}: {whose} {bounds} %"


@dataclass(frozen=True, eq=False, slots=True)
class Population:
    """The people a corpus may draw from, and what its file says of drawing."""

    people_list: str
    """What templates call them, as they call a list of people."""
    match: str
    title: str
    provenance: Provenance
    weights: str
    people: int | str
    """How many are drawn from each cell unless the caller says."""
    frames: int | str
    """How many frames a person meets unless the caller says."""
    rule: Mapping[str, tuple[Bound, ...]]
    """Who belongs to which group, by axis."""
    fewest_bearers: int
    listed: int
    """Names in the table, whether they belong or not."""
    listed_bearers: int | None
    cells: tuple[tuple[str, ...], ...]
    """The groups of each cell, in the order of the rule's axes."""
    table: pl.DataFrame
    """Those who belong: `row` in the file from 1, `name`, `bearers`, `one`, `word`, `cell`."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that the rule speaks of."""
        return tuple(self.rule)

    @property
    def rule_in_words(self) -> str:
        """Who belongs to which group."""
        parts = [
            f"{axis} ({'; '.join(str(bound) for bound in bounds)})"
            for axis, bounds in self.rule.items()
        ]
        if self.fewest_bearers > 1:
            parts.append(f"at least {self.fewest_bearers:,} bearers")
        return "; ".join(parts)

    def groups(self, cell: int) -> dict[str, str]:
        """The groups of a cell by axis."""
        return dict(zip(self.axes, self.cells[cell], strict=True))

    def persons(
        self, rows: Sequence[int], axes: Sequence[Axis], before: int = 0
    ) -> tuple[Person, ...]:
        """Those in some rows of the table, numbered by their place in the file after `before`."""
        none = dict.fromkeys(axis.name for axis in axes)
        groups = [{**none, **self.groups(cell)} for cell in range(len(self.cells))]
        genders = [their.get("gender") for their in groups]
        some = self.table[list(rows)].select(ROW, NAME, CELL)
        return tuple(
            Person(
                {SUBJECT: name}, groups[cell], self.match, True, genders[cell], self.people_list,
                number=before + row,
            )
            for row, name, cell in some.iter_rows()
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupStanding:
    """How the names that a corpus gives a group stand in the US Census 2020."""

    group: str
    census_group: str
    """What the Census calls the people that the group is about."""
    names: int
    counted: int
    """How many of the names the Census lists."""
    minority: tuple[tuple[str, float], ...]
    """Names borne mostly by others, and the share of their bearers of the group, least first."""

    def __str__(self) -> str:
        """One sentence, with the shares in percent."""
        lists = f"the Census lists {self.counted}" if self.counted < self.names else "all listed"
        all_names = f"{self.names} “{self.group}” names ({lists})"
        if not self.minority:
            return f"{all_names}: most bearers of each are {self.census_group}."
        named = ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.minority)
        verb = "is" if len(self.minority) == 1 else "are"
        return (
            f"{all_names}: {len(self.minority)} {verb} borne mostly by people who are not "
            f"{self.census_group}. Shares of {self.census_group} bearers: {named}."
        )


def census_standing(names: Iterable[str]) -> pl.DataFrame:
    """How names stand in the US Census 2020: `name`, `bearers` and shares from 0 to 1, in order.

    The shares are of `black`, `white`, `asian` (or Pacific), `hispanic` and `female` bearers; all
    null where the Census does not list a name.

    >>> census_standing(["Jasmine", "Zqx"]).select("name", "bearers", "black").rows()
    [('Jasmine', 218318, 0.3535), ('Zqx', None, None)]
    """
    asked = pl.DataFrame({NAME: list(names)}, schema={NAME: pl.String})
    folded = pl.col(NAME).str.to_titlecase().alias(FOLDED)
    return asked.with_columns(folded).join(
        _census(), left_on=FOLDED, right_on=NAME, how="left", maintain_order="left"
    ).drop(FOLDED)  # fmt: skip


@cache
def _census() -> pl.DataFrame:
    table = parquet_frame(PEOPLE / f"{CENSUS}.parquet")
    shares = (pl.col("black", "white", "asian", "hispanic", "female") / WHOLE).round(4)
    return table.select(NAME, pl.col(BEARERS).cast(pl.Int64), shares)


def group_standings(design: Design) -> tuple[GroupStanding, ...]:
    """How the listed names of an English design stand in the Census, by group that it knows."""
    if not design.language.startswith("en") or design.deal:
        return ()
    found = []
    for axis in design.axes:
        for group in axis.groups:
            column = CENSUS_GROUPS.get(group)
            names = [p.name for p in design.people if p.pooled and p.groups[axis.name] == group]
            if column and names:
                standing = census_standing(names).drop_nulls(column)
                minority = standing.filter(pl.col(column) < 0.5).sort(column, NAME)
                found.append(
                    GroupStanding(
                        group, SPOKEN[column], len(names), standing.height,
                        tuple(minority.select(NAME, column).iter_rows()),
                    )
                )  # fmt: skip
    return tuple(found)


def is_count(value: object, least: int) -> bool:
    """Whether a value is a whole number from `least` up."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def counted(least: int) -> str:
    """What is expected of a number of people or frames.

    >>> counted(2)
    "a whole number from 2 up, or 'all'"
    """
    return f"a whole number from {least} up, or {ALL!r}"


# -------------------------------- the population of a corpus, in numbers and words


EXAMPLES = 3


class PopulationSummary(PopulationFacts):
    """The population a corpus draws from, how it was drawn, and what it cannot tell."""

    @property
    def bearers(self) -> int | None:
        """Who bears them; None: the table does not say."""
        each = [cell.bearers for cell in self.cells if cell.bearers is not None]
        return sum(each) if len(each) == len(self.cells) else None

    @property
    def described(self) -> tuple[str, ...]:
        """What a reader should know, a sentence or two each."""
        borne = f", borne by {self.bearers:,} people" if self.bearers else ""
        sentences = [
            f"The population: {self.names:,} names{borne}. Who is in it: {self.rule}.",
            self._draw(),
            "A name is not a person: that most of its bearers are of a group does not say what any "
            "one of them is. Age, class and how common a name is go along with the group, and a "
            "difference may come from any of them.",
        ]
        if self.names < self.listed:
            share = (
                f" ({100 * self.bearers / self.listed_bearers:.0f} % of the bearers)"
                if self.bearers and self.listed_bearers
                else ""
            )
            sentences.append(
                f"It is not everyone: of {self.listed:,} names in the table {self.names:,}{share} "
                "keep to the bounds. Other bounds make another population."
            )
        known = [cell for cell in self.cells if cell.words is not None]
        many = sum(cell.words or 0 for cell in known)
        by_cell = "; ".join(
            f"{cell.label} {cell.words:,}"
            + (f" ({cell.word_examples[0]})" if cell.word_examples else "")
            for cell in known
        )
        if many:
            sentences.append(f"{many:,} names are also words of a sentiment lexicon: {by_cell}.")
        elif known:
            sentences.append("None of the names is also a word of a sentiment lexicon.")
        return tuple(sentences)

    def _draw(self) -> str:
        """Who was drawn, and how many frames they meet."""
        by = "in proportion to their bearers" if self.weights == BEARERS else "every name alike"
        counts = "each bearer counts alike" if self.weights == BEARERS else "each name counts alike"
        certain = sum(cell.certain for cell in self.cells)
        sure = f"; {certain:,} were certain to come" if certain else ""
        who = (
            "Every name of the population is here: a census, with no sampling error over "
            f"people; {counts}."
            if self.census
            else f"Drawn by lot: {self.drawn:,} names, at most {self.people:,} a cell, {by} "
            f"(priority sampling, seed {self.seed}){sure}."
        )
        least, mean, most = self.frames_met
        if self.frames == ALL or int(self.frames) >= self.all_frames:
            return f"{who} Everyone meets all {self.all_frames:,} frames."
        if least == most:
            return f"{who} Each name meets {self.frames} of {self.all_frames:,} frames."
        return (
            f"{who} A name meets {least:,.0f} to {most:,.0f} of {self.all_frames:,} frames, "
            f"{mean:.1f} on average; names with more bearers meet more."
        )


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
