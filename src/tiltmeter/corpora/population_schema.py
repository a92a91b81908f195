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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora.design import Axis, Person, Provenance
from tiltmeter.corpora.people import (
    ALL,
    BEARERS,
    CELL,
    FEWEST_FRAMES,
    FEWEST_PEOPLE,
    NAME,
    NAMES,
    ONE,
    ROW,
    SHARES,
    WEIGHTS,
    Bound,
    Population,
    counted,
    is_count,
)
from tiltmeter.corpora.rating_plan import is_share
from tiltmeter.corpora.schema import POPULATION, PROVENANCE, CorpusFile, is_text, unknown_keys
from tiltmeter.errors import CorpusError, Problem, cap_problems, did_you_mean
from tiltmeter.table_files import TableFile, read_table

KEYS = (
    "people", "list", "match", "name", "bearers", "word", "shares", "axes", "weights", "draw",
    "frames", "title", *PROVENANCE,
)  # fmt: skip
CLOSE = 1e-9
"""How far a share may miss its bound by rounding, of a whole."""


def build_population(
    raw: CorpusFile, axes: tuple[Axis, ...], listed: Sequence[Person], problems: list[Problem]
) -> Population | None:
    """Read `[population]`; whatever is wrong is added to the problems, and None says so.

    `listed` are the people of the file's own lists.
    """
    if POPULATION not in raw.single:
        return None
    before = len(problems)
    reader = _PopulationReader(raw, axes, problems)
    settings = reader.settings()
    table = reader.table()
    if table is None or len(problems) > before:
        return None
    population = reader.population(settings, table)
    problems += _clashes(population, listed, raw)
    return None if len(problems) > before else population


def _clashes(
    population: Population, listed: Sequence[Person], raw: CorpusFile
) -> Iterator[Problem]:
    """Lists, matches and people that the file names beside the population."""
    where = raw.locator.at("[population]", "list")
    if population.people_list in {person.people_list for person in listed}:
        what = f"the population is called {population.people_list!r}, as a list of [[people]] is"
        yield Problem(where, f'{what}; give it another name: list = "first names"')
    if population.match in {person.match for person in listed}:
        what = f"the population's match {population.match!r} is that of a list of [[people]] too"
        yield Problem(where, f"{what}; give one of them another match, or omit the list")
    names = {person.name.casefold(): person for person in listed}
    folded = population.table[NAME].str.to_lowercase()
    for name in population.table[NAME].filter(folded.is_in(list(names))):
        what = f"{name!r} stands in the population and in {names[name.casefold()].people_list!r}"
        yield Problem(where, f"{what}; keep one")


class _PopulationReader:
    """Reads the section and its table, and collects what is wrong with them."""

    def __init__(self, raw: CorpusFile, axes: tuple[Axis, ...], problems: list[Problem]) -> None:
        self.values: Mapping[str, Any] = raw.single[POPULATION]
        self.source, self.axes, self.problems = raw.locator, axes, problems
        self.unit = SHARES["fraction"]
        self.rule: dict[str, tuple[Bound, ...]] = {}
        self.bearers, self.fewest_bearers = "", 1

    def complain(self, what: str, *words: str) -> None:
        self.problems.append(Problem(self.source.at("[population", *words), what))

    def settings(self) -> dict[str, Any]:
        """What the section says besides the table: all checked, defaults filled in."""
        values = self.values
        self.problems += unknown_keys(values, KEYS, lambda key: self.source.at("[population", key))
        texts = ("people", "list", "match", "name", "word", "title", *PROVENANCE)
        for key in texts:
            if key in values and not is_text(values[key]):
                self.complain(f"{key} is {values[key]!r}; expected text", key)
        if "people" not in values:
            self.complain('[population] needs people, for instance people = "names.csv"')
        unit = values.get("shares", "fraction")
        if unit not in SHARES:
            self.complain(f"shares is {unit!r}; expected {_either(SHARES)}", "shares")
        self.unit = SHARES.get(unit, 1) if isinstance(unit, str) else 1
        self._bearers()
        self._rule()
        weights = values.get("weights", BEARERS if self.bearers else NAMES)
        if weights not in WEIGHTS:
            self.complain(f"weights is {weights!r}; expected {_either(WEIGHTS)}", "weights")
        elif weights == BEARERS and not self.bearers:
            what = "weights is 'bearers', and no column says how many bear a name"
            self.complain(f'{what}; add bearers = "COLUMN", or weights = "names"', "weights")
        for key, least in (("draw", FEWEST_PEOPLE), ("frames", FEWEST_FRAMES)):
            if (said := values.get(key, ALL)) != ALL and not is_count(said, least):
                self.complain(f"{key} is {said!r}; expected {counted(least)}", key)
        return {
            "weights": weights, "people": values.get("draw", ALL),
            "frames": values.get("frames", ALL),
        }  # fmt: skip

    def _bearers(self) -> None:
        """The column of bearers, and how many a name needs: a column's name, or a table."""
        said = self.values.get("bearers")
        if said is None:
            return
        own: Mapping[str, Any] = {"column": said} if isinstance(said, str) else said
        if not isinstance(own, Mapping) or not is_text(own.get("column")):
            what = 'expected the name of a column, or { column = "bearers", least = 100 }'
            self.complain(f"bearers is {said!r}; {what}", "bearers")
            return
        self.problems += unknown_keys(
            own, ("column", "least"), lambda key: self.source.at("[population", "bearers", key)
        )
        least = own.get("least", 1)
        if not is_count(least, 1):
            what = f"the least number of bearers is {least!r}; expected a whole number from 1 up"
            self.complain(what, "bearers")
            return
        self.bearers, self.fewest_bearers = own["column"], least

    def _rule(self) -> None:
        """Which groups a name falls into, by axis."""
        declared = self.values.get("axes")
        if not isinstance(declared, Mapping) or not declared:
            what = "[population.axes] says who belongs to which group"
            self.complain(f'{what}; add a line such as gender = "sex", a column', "axes")
            return
        known = {axis.name: axis for axis in self.axes}
        for name, said in declared.items():
            if name not in known:
                near = did_you_mean(name, known) or f"expected {_either(known)}"
                self.complain(f"[population.axes] has {name!r}, which is no axis: {near}", name)
                continue
            bounds = tuple(self._bounds(known[name], said))
            if bounds:
                self.rule[name] = bounds

    def _bounds(self, axis: Axis, said: object) -> Iterator[Bound]:
        """The groups of one axis: by a column of labels, or each by a share."""
        if is_text(said):
            yield from (Bound(group, str(said), labels=(group,)) for group in axis.groups)
            return
        if not isinstance(said, Mapping):
            what = "expected a column, or a rule for each group"
            self.complain(f"the rule of {axis.name!r} is {said!r}; {what}", axis.name)
            return
        groups = {key: value for key, value in said.items() if key != "column"}
        for group in groups:
            if group not in axis.groups:
                near = did_you_mean(group, axis.groups) or f"expected {_either(axis.groups)}"
                self.complain(f"{group!r} is no group of {axis.name!r}: {near}", axis.name, group)
        if lacking := [group for group in axis.groups if group not in groups]:
            what = f"the rule of {axis.name!r} says nothing of {lacking[0]!r}"
            self.complain(f"{what}; every group needs a line", axis.name)
            return
        for group in axis.groups:
            labels = "column" in said
            read = self._labels if labels else self._share
            bound = read(axis.name, group, said.get("column"), groups[group])
            if bound:
                yield bound

    def _labels(self, axis: str, group: str, column: object, said: object) -> Bound | None:
        labels = [said] if isinstance(said, str) else said
        if not is_text(column) or not isinstance(labels, list) or not all(map(is_text, labels)):
            what = f'as in {axis} = {{ column = "{axis}", {group} = "label" }}'
            self.complain(f"the labels of {group!r} are {said!r}; expected text, {what}", axis)
            return None
        return Bound(group, str(column), labels=tuple(label.strip() for label in labels))

    def _share(self, axis: str, group: str, _: object, said: object) -> Bound | None:
        example = '{ column = "share", least = 0.8 }'
        if not isinstance(said, Mapping) or not is_text(said.get("column")):
            self.complain(f"the rule of {group!r} is {said!r}; expected {example}", axis, group)
            return None
        self.problems += unknown_keys(
            said, ("column", "least", "most"), lambda key: self.source.at("[population", axis, key)
        )
        bounds = said.get("least", 0.0), said.get("most", 1.0)
        if not all(is_share(bound) for bound in bounds) or bounds[0] > bounds[1]:
            what = f"the bounds of {group!r} are {bounds[0]!r} and {bounds[1]!r}"
            self.complain(f"{what}; expected fractions of a whole, as in {example}", axis, group)
            return None
        return Bound(group, said["column"], float(bounds[0]), float(bounds[1]))

    def table(self) -> TableFile | None:
        """The table, where it can be read and has every column that the section names."""
        if not is_text(self.values.get("people")):
            return None
        path = Path(self.values["people"])
        try:
            table = read_table(path)
        except CorpusError as error:
            where = self.source.at("[population]", "people")
            self.problems.append(Problem(where, f"the table of people: {error.subject}"))
            self.problems += error.problems
            return None
        wanted = {"name": self.values.get("name", NAME), "bearers": self.bearers}
        wanted["word"] = self.values.get("word", "")
        wanted |= {f"{b.group} ({a})": b.column for a, bs in self.rule.items() for b in bs}
        there, short = table.frame.columns, False
        for what, column in wanted.items():
            if is_text(column) and column not in there:
                near = did_you_mean(column, there) or f"there are {', '.join(there)}"
                key = what.partition(" (")[0]
                self.complain(f"no column {column!r} in {path.name} for {what}: {near}", key)
                short = True
            elif is_text(column) and table.frame[column].dtype != pl.String:
                found = f"column {column!r} holds {table.frame[column].dtype}"
                self.problems.append(Problem(table.at(), f"{found}; expected text or numbers"))
                short = True
        return None if short else table

    def population(self, settings: Mapping[str, Any], table: TableFile) -> Population:
        """Everyone in the table who belongs; bad cells of the table are problems."""
        named = [tuple(bound.group for bound in bounds) for bounds in self.rule.values()]
        cells = tuple(product(*named))
        values = self.values
        bearers = self._whole_numbers(table) if self.bearers else None
        return Population(
            people_list=values.get("list", NAMES),
            match=values.get("match", NAMES),
            title=values.get("title", Path(values["people"]).stem),
            provenance=Provenance(**{key: values[key] for key in PROVENANCE if key in values}),
            rule=self.rule,
            fewest_bearers=self.fewest_bearers,
            listed=table.frame.height,
            listed_bearers=int(bearers.sum()) if bearers is not None else None,
            cells=cells,
            table=self._members(table, cells, bearers),
            **settings,
        )

    def _members(
        self, table: TableFile, cells: tuple[tuple[str, ...], ...], bearers: pl.Series | None
    ) -> pl.DataFrame:
        """Those of the table who fall into a cell."""
        frame = table.frame
        name = frame[self.values.get("name", NAME)].str.strip_chars().str.normalize("NFC")
        self._blank_names(table, name)
        word = self._words(table)
        cell, inside = pl.repeat(0, frame.height, dtype=pl.Int64, eager=True), name.is_not_null()
        if bearers is not None:
            inside &= (bearers >= self.fewest_bearers).fill_null(False)
        for axis, bounds in self.rule.items():
            within = [self._within(table, bound) for bound in bounds]
            many = sum((one.cast(pl.Int64) for one in within[1:]), within[0].cast(pl.Int64))
            self._two_groups(table, axis, bounds, within, inside & (many > 1))
            group = sum(
                (one.cast(pl.Int64) * at for at, one in enumerate(within[1:], start=1)),
                within[0].cast(pl.Int64) * 0,
            )
            inside, cell = inside & (many == 1), cell * len(bounds) + group
        members = pl.DataFrame(
            {
                ROW: pl.int_range(1, frame.height + 1, eager=True),
                NAME: name,
                BEARERS: pl.repeat(None, frame.height, dtype=pl.Int64, eager=True)
                if bearers is None
                else bearers,
                ONE: pl.repeat(1, frame.height, dtype=pl.Int64, eager=True),
                "word": word,
                CELL: cell,
                "line": table.lines,
            }
        ).filter(inside)
        self._twice(table, members)
        self._empty_cells(members, cells)
        return members.drop("line")

    def _blank_names(self, table: TableFile, name: pl.Series) -> None:
        blank = name.is_null() | (name == "") | name.str.contains(r"[\x00-\x1f\x7f]")
        if blank.fill_null(True).any():
            where = table.among(table.lines.filter(blank.fill_null(True)))
            what = f"no name, or one with a control character, in {where}"
            self.problems.append(Problem(table.at(), f"{what}; expected a name in every row"))

    def _whole_numbers(self, table: TableFile) -> pl.Series:
        said = table.frame[self.bearers]
        number = said.str.strip_chars().cast(pl.Int64, strict=False)
        self._refuse(
            table, said, number.is_null() | (number < 1), "a whole number of bearers, 1 or more"
        )
        return number

    def _words(self, table: TableFile) -> pl.Series:
        """Whether each name is also a word; null where the table does not say."""
        if not (column := self.values.get("word")):
            return pl.repeat(None, table.frame.height, dtype=pl.Boolean, eager=True)
        said = table.frame[column].str.to_lowercase()
        answers = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        word: pl.Series = said.replace_strict(answers, default=None, return_dtype=pl.Boolean)
        self._refuse(table, table.frame[column], said.is_not_null() & word.is_null(), "true, false")
        return word

    def _within(self, table: TableFile, bound: Bound) -> pl.Series:
        """Who is within a group's bounds; an empty cell of the table is in no group."""
        said = table.frame[bound.column].str.strip_chars()
        if bound.labels:
            return said.is_in(list(bound.labels)).fill_null(False)
        number = said.cast(pl.Float64, strict=False) / self.unit
        outside = (number < 0) | (number > 1) | number.is_nan()
        wrong = said.is_not_null() & (number.is_null() | outside.fill_null(False))
        unit = next(unit for unit, whole in SHARES.items() if whole == self.unit)
        self._refuse(table, said, wrong, f"a share from 0 to {self.unit} ({unit})")
        return number.is_between(bound.least - CLOSE, bound.most + CLOSE).fill_null(False)

    def _refuse(self, table: TableFile, said: pl.Series, wrong: pl.Series, expected: str) -> None:
        """A problem for each cell that holds something else than is expected there."""
        if not wrong.fill_null(True).any():
            return
        bad = wrong.fill_null(True)
        pairs = zip(table.lines.filter(bad), said.filter(bad), strict=True)
        found = (
            Problem(table.at(line), f"{said.name} is {value!r}; expected {expected}")
            for line, value in pairs
        )
        self.problems += [
            one for one in cap_problems(found, "like these") if one not in self.problems
        ]

    def _two_groups(
        self,
        table: TableFile,
        axis: str,
        bounds: Sequence[Bound],
        within: Sequence[pl.Series],
        both: pl.Series,
    ) -> None:
        """Names within the bounds of two groups of one axis."""
        if not both.any():
            return
        first = both.arg_max() or 0
        groups = " and ".join(b.group for b, one in zip(bounds, within, strict=True) if one[first])
        name = table.frame[self.values.get("name", NAME)][first]
        where = table.among(table.lines.filter(both))
        what = f"{name!r} falls into two groups of {axis} ({groups}), in {where}"
        hint = "raise the least share of one, or lower the most of the other"
        self.problems.append(Problem(table.at(), f"{what}; expected one: {hint}"))

    def _twice(self, table: TableFile, members: pl.DataFrame) -> None:
        """Names that stand in two rows of the population."""
        folded = members.with_columns(pl.col(NAME).str.to_lowercase().alias("folded"))
        twice = folded.filter(pl.col("folded").is_duplicated()).sort("folded", ROW)
        if twice.is_empty():
            return
        first = twice.filter(pl.col("folded") == twice["folded"][0])
        apart = first[CELL].n_unique() > 1
        what = f"{first[NAME][0]!r} stands {first.height} times, in {table.among(first['line'])}"
        more = twice["folded"].n_unique() - 1
        rest = f" (and {more:,} more names)" if more else ""
        told = ", and falls into two cells" if apart else ""
        keep = "keep one row of a name, with all its bearers"
        self.problems.append(Problem(table.at(), f"{what}{told}{rest}; {keep}"))

    def _empty_cells(self, members: pl.DataFrame, cells: tuple[tuple[str, ...], ...]) -> None:
        there = set(members[CELL])
        for number, groups in enumerate(cells):
            if number not in there:
                what = f"nobody in the table is {', '.join(groups)}"
                self.complain(f"{what}; widen the rule, or leave the group out of the axis", "axes")


def _either(words: Iterable[str]) -> str:
    return " or ".join(repr(word) for word in words)
