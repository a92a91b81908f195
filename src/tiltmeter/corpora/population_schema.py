"""The `[population]` of a corpus file read: its table, who of it is meant, and how many are drawn.

    [population]
    people = "names.csv"                      # a table beside the corpus file, or us-first-names
    bearers = { column = "count", least = 100 }
    shares = "percent"

    [population.axes]
    gender = { column = "sex", female = "F", male = "M" }
    race = { A = { column = "pct_a", least = 0.8 }, B = { column = "pct_b", least = 0.8 } }

Only `people` and `axes` are needed. Every mistake in the section and in its table is collected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
from msgspec import Meta, field

from tiltmeter.corpora.design import Axis, Person, Provenance
from tiltmeter.corpora.people import (
    BEARERS,
    CELL,
    FEWEST_FRAMES,
    FEWEST_PEOPLE,
    NAME,
    NAMES,
    ONE,
    ROW,
    SHARES,
    Bound,
    Population,
    counted,
)
from tiltmeter.corpora.schema import POPULATION, CorpusFile, ProvenanceKeys
from tiltmeter.errors import CorpusError, Problem, cap_problems, did_you_mean
from tiltmeter.records import Record, RuleError, Text
from tiltmeter.table_files import TableFile, read_table

CLOSE = 1e-9
"""How far a share may miss its bound by rounding, of a whole."""


Fraction = Annotated[float, Meta(ge=0, le=1, description="a fraction of a whole, such as 0.8")]


class BearersColumn(Record, kw_only=True):
    """`bearers`: the column that counts them, and how many a name needs."""

    column: Annotated[Text, Meta(examples=["bearers"])]
    least: Annotated[int, Meta(ge=1, description="a whole number from 1 up")] = 1


class GroupShare(Record, kw_only=True):
    """Who is in a group: those whose share of bearers in a column lies within bounds."""

    column: Annotated[Text, Meta(examples=["share"])]
    least: Fraction = 0.0
    most: Fraction = 1.0

    def __post_init__(self) -> None:
        if self.least > self.most:
            what = f"least is {self.least} and most {self.most}; expected least below most"
            raise RuleError({"least": what})


class AxisRule(Record, kw_only=True):
    """`[population.axes]`: the groups of an axis, by labels in one column or each by a share."""

    REST = "groups"
    column: Text | None = None
    groups: dict[
        str,
        Annotated[
            str | tuple[str, ...] | GroupShare,
            Meta(description='labels of the column, or { column = "share", least = 0.8 }'),
        ],
    ] = field(name="*", default_factory=dict)


class PopulationSection(ProvenanceKeys, kw_only=True):
    """`[population]`."""

    people: Annotated[Text, Meta(examples=["names.csv"])]
    axes: Annotated[
        dict[
            str, Annotated[Text | AxisRule, Meta(description="a column, or a rule for each group")]
        ],
        Meta(min_length=1, description='who is in which group, as in gender = "sex", a column'),
    ]
    list: Text = NAMES
    match: Text = NAMES
    name: Text = NAME
    word: Text | None = None
    title: Text | None = None
    bearers: Annotated[
        Text | BearersColumn | None,
        Meta(description='the name of a column, or { column = "bearers", least = 100 }'),
    ] = None
    shares: Literal["fraction", "percent", "hundredths of a percent"] = "fraction"
    weights: Literal["bearers", "names"] | None = None
    draw: Annotated[
        Annotated[int, Meta(ge=FEWEST_PEOPLE)] | Literal["all"],
        Meta(description=counted(FEWEST_PEOPLE)),
    ] = "all"
    frames: Annotated[
        Annotated[int, Meta(ge=FEWEST_FRAMES)] | Literal["all"],
        Meta(description=counted(FEWEST_FRAMES)),
    ] = "all"

    def __post_init__(self) -> None:
        if self.weights == BEARERS and self.bearers is None:
            what = "weights is 'bearers', and no column says how many bear a name"
            raise RuleError({"weights": f'{what}; add bearers = "COLUMN", or weights = "names"'})


def build_population(
    raw: CorpusFile, axes: tuple[Axis, ...], listed: Sequence[Person], problems: list[Problem]
) -> Population | None:
    """Read `[population]`; whatever is wrong is added to the problems, and None says so.

    `listed` are the people of the file's own lists.
    """
    if POPULATION not in raw.single:
        return None
    before = len(problems)
    section, wrong = raw.check(PopulationSection, POPULATION)
    problems += wrong
    if section is None:
        return None
    reader = _PopulationReader(section, raw, axes, problems)
    table = reader.table()
    if table is None or len(problems) > before:
        return None
    population = reader.population(table)
    # Lists, matches and people that the file names beside the population
    where = raw.locator.at("[population]", "list")
    if population.people_list in {person.people_list for person in listed}:
        what = f"the population is called {population.people_list!r}, as a list of [[people]] is"
        problems.append(Problem(where, f'{what}; give it another name: list = "first names"'))
    if population.match in {person.match for person in listed}:
        what = f"the population's match {population.match!r} is that of a list of [[people]] too"
        problems.append(Problem(where, f"{what}; give one of them another match, or omit the list"))
    names = {person.name.casefold(): person.people_list for person in listed}
    folded = population.table[NAME].str.to_lowercase()
    for name in population.table[NAME].filter(folded.is_in(list(names))):
        what = f"{name!r} stands in the population and in {names[name.casefold()]!r}"
        problems.append(Problem(where, f"{what}; keep one"))
    return None if len(problems) > before else population


class _PopulationReader:
    """Reads the table of a section, and collects what is wrong with both."""

    def __init__(
        self,
        section: PopulationSection,
        raw: CorpusFile,
        axes: tuple[Axis, ...],
        problems: list[Problem],
    ) -> None:
        self.section, self.source, self.problems = section, raw.locator, problems
        own = section.bearers
        own = BearersColumn(column=own) if isinstance(own, str) else own
        self.bearers, self.fewest_bearers = (own.column, own.least) if own else ("", 1)
        self.rule: dict[str, tuple[Bound, ...]] = {}
        """Which groups a name falls into, by axis."""
        known = {axis.name: axis for axis in axes}
        for name, rule in section.axes.items():
            if name not in known:
                near = did_you_mean(name, known) or f"expected {_either(known)}"
                self.complain(f"[population.axes] has {name!r}, which is no axis: {near}", name)
            elif bounds := tuple(self._bounds(known[name], rule)):
                self.rule[name] = bounds

    def complain(self, what: str, *words: str) -> None:
        self.problems.append(Problem(self.source.at("[population", *words), what))

    def _bounds(self, axis: Axis, said: str | AxisRule) -> Iterator[Bound]:
        """The groups of one axis: by a column of labels, or each by a share."""
        if isinstance(said, str):
            yield from (Bound(group, said, labels=(group,)) for group in axis.groups)
            return
        for group in said.groups:
            if group not in axis.groups:
                near = did_you_mean(group, axis.groups) or f"expected {_either(axis.groups)}"
                self.complain(f"{group!r} is no group of {axis.name!r}: {near}", axis.name, group)
        if lacking := [group for group in axis.groups if group not in said.groups]:
            what = f"the rule of {axis.name!r} says nothing of {lacking[0]!r}"
            self.complain(f"{what}; every group needs a line", axis.name)
            return
        for group in axis.groups:
            own = said.groups[group]
            if isinstance(own, GroupShare) and said.column is None:
                yield Bound(group, own.column, own.least, own.most)
            elif said.column is not None and not isinstance(own, GroupShare):
                labels = [own.strip()] if isinstance(own, str) else [one.strip() for one in own]
                if all(labels):
                    yield Bound(group, said.column, labels=tuple(labels))
                else:
                    self.complain(f"a label of {group!r} is empty; expected text", axis.name, group)
            else:
                example = (
                    f'{axis.name} = {{ column = "{axis.name}", {group} = "label" }}'
                    if said.column
                    else '{ column = "share", least = 0.8 }'
                )
                what = f"the rule of {group!r} does not fit those beside it"
                self.complain(f"{what}; expected as in {example}", axis.name, group)

    def table(self) -> TableFile | None:
        """The table, where it can be read and has every column that the section names."""
        path = Path(self.section.people)
        try:
            table = read_table(path)
        except CorpusError as error:
            where = self.source.at("[population]", "people")
            self.problems.append(Problem(where, f"the table of people: {error.subject}"))
            self.problems += error.problems
            return None
        wanted = {
            "name": self.section.name, "bearers": self.bearers, "word": self.section.word or "",
        }  # fmt: skip
        wanted |= {f"{b.group} ({a})": b.column for a, bs in self.rule.items() for b in bs}
        there, short = table.frame.columns, False
        for what, column in wanted.items():
            if column and column not in there:
                near = did_you_mean(column, there) or f"there are {', '.join(there)}"
                key = what.partition(" (")[0]
                self.complain(f"no column {column!r} in {path.name} for {what}: {near}", key)
                short = True
            elif column and table.frame[column].dtype != pl.String:
                found = f"column {column!r} holds {table.frame[column].dtype}"
                self.problems.append(Problem(table.at(), f"{found}; expected text or numbers"))
                short = True
        return None if short else table

    def population(self, table: TableFile) -> Population:
        """Everyone in the table who belongs; bad cells of the table are problems."""
        section, frame = self.section, table.frame
        bearers = pl.repeat(None, frame.height, dtype=pl.Int64, eager=True)
        if self.bearers:
            bearers = frame[self.bearers].str.strip_chars().cast(pl.Int64, strict=False)
            expected = "a whole number of bearers, 1 or more"
            self._refuse(table, frame[self.bearers], bearers.is_null() | (bearers < 1), expected)
        name = frame[section.name].str.strip_chars().str.normalize("NFC")
        blank = name.is_null() | (name == "") | name.str.contains(r"[\x00-\x1f\x7f]")
        if blank.fill_null(True).any():
            where = table.among(table.lines.filter(blank.fill_null(True)))
            what = f"no name, or one with a control character, in {where}"
            self.problems.append(Problem(table.at(), f"{what}; expected a name in every row"))
        word = pl.repeat(None, frame.height, dtype=pl.Boolean, eager=True)
        if section.word:  # whether each name is also a word
            answers = {
                "true": True,
                "1": True,
                "yes": True,
                "false": False,
                "0": False,
                "no": False,
            }
            text = frame[section.word].str.to_lowercase()
            word = text.replace_strict(answers, default=None, return_dtype=pl.Boolean)
            unknown = text.is_not_null() & word.is_null()
            self._refuse(table, frame[section.word], unknown, "true, false")
        inside = name.is_not_null()
        if self.bearers:
            inside &= (bearers >= self.fewest_bearers).fill_null(False)
        inside, cell = self._cells(table, inside)
        members = pl.DataFrame(
            {
                ROW: pl.int_range(1, frame.height + 1, eager=True),
                NAME: name,
                BEARERS: bearers,
                ONE: pl.repeat(1, frame.height, dtype=pl.Int64, eager=True),
                "word": word,
                CELL: cell,
                "line": table.lines,
            }
        ).filter(inside)
        self._repeated_names(table, members)
        cells = tuple(product(*([bound.group for bound in rule] for rule in self.rule.values())))
        there = set(members[CELL])
        for number, groups in enumerate(cells):
            if number not in there:
                what = f"nobody in the table is {', '.join(groups)}"
                self.complain(f"{what}; widen the rule, or leave the group out of the axis", "axes")
        return Population(
            people_list=section.list,
            match=section.match,
            title=section.title or Path(section.people).stem,
            provenance=section.provenance(Provenance()),
            rule=self.rule,
            fewest_bearers=self.fewest_bearers,
            listed=frame.height,
            listed_bearers=int(bearers.sum()) if self.bearers else None,
            cells=cells,
            table=members.drop("line"),
            weights=section.weights or (BEARERS if self.bearers else NAMES),
            people=section.draw,
            frames=section.frames,
        )

    def _cells(self, table: TableFile, inside: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Who falls into one group of every axis, and the number of their cell."""
        cell = pl.repeat(0, table.frame.height, dtype=pl.Int64, eager=True)
        for axis, bounds in self.rule.items():
            within = pl.DataFrame(
                [self._within(table, bound).alias(str(at)) for at, bound in enumerate(bounds)]
            )
            many = within.sum_horizontal()
            both = inside & (many > 1)
            if both.any():
                first = both.arg_max() or 0
                pairs = zip(bounds, within.row(first), strict=True)
                groups = " and ".join(bound.group for bound, member in pairs if member)
                name = table.frame[self.section.name][first]
                where = table.among(table.lines.filter(both))
                what = f"{name!r} falls into two groups of {axis} ({groups}), in {where}"
                hint = "raise the least share of one, or lower the most of the other"
                self.problems.append(Problem(table.at(), f"{what}; expected one: {hint}"))
            place = within.select(
                pl.sum_horizontal(pl.col(str(at)) * at for at in range(len(bounds)))
            )
            inside, cell = inside & (many == 1), cell * len(bounds) + place.to_series()
        return inside, cell

    def _within(self, table: TableFile, bound: Bound) -> pl.Series:
        """Who is within a group's bounds; an empty cell of the table is in no group."""
        text = table.frame[bound.column].str.strip_chars()
        if bound.labels:
            return text.is_in(list(bound.labels)).fill_null(False)
        unit, whole = self.section.shares, SHARES[self.section.shares]
        number = text.cast(pl.Float64, strict=False) / whole
        outside = (number < 0) | (number > 1) | number.is_nan()
        wrong = text.is_not_null() & (number.is_null() | outside.fill_null(False))
        self._refuse(table, text, wrong, f"a share from 0 to {whole} ({unit})")
        return number.is_between(bound.least - CLOSE, bound.most + CLOSE).fill_null(False)

    def _refuse(self, table: TableFile, cells: pl.Series, wrong: pl.Series, expected: str) -> None:
        """A problem for each cell that holds something else than is expected there."""
        wrong = wrong.fill_null(True)
        found = (
            Problem(table.at(line), f"{cells.name} is {value!r}; expected {expected}")
            for line, value in zip(table.lines.filter(wrong), cells.filter(wrong), strict=True)
        )
        self.problems += [
            one for one in cap_problems(found, "like these") if one not in self.problems
        ]

    def _repeated_names(self, table: TableFile, members: pl.DataFrame) -> None:
        """Names that stand in two rows of the population."""
        folded = members.with_columns(pl.col(NAME).str.to_lowercase().alias("folded"))
        twice = folded.filter(pl.col("folded").is_duplicated()).sort("folded", ROW)
        if twice.is_empty():
            return
        first = twice.filter(pl.col("folded") == twice["folded"][0])
        what = f"{first[NAME][0]!r} stands {first.height} times, in {table.among(first['line'])}"
        apart = ", and falls into two cells" if first[CELL].n_unique() > 1 else ""
        more = twice["folded"].n_unique() - 1
        rest = f" (and {more:,} more names)" if more else ""
        keep = "keep one row of a name, with all its bearers"
        self.problems.append(Problem(table.at(), f"{what}{apart}{rest}; {keep}"))


def _either(words: Iterable[str]) -> str:
    return " or ".join(repr(word) for word in words)
