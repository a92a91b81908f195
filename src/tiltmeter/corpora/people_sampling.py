"""People drawn by lot from a population, and the frames that each of them meets.

*Draw.* Within each cell, priority sampling (Duffield, Lund & Thorup 2007): a name has a number
u in (0, 1] that depends on the seed and the name alone, and the priority w/u, where w is what it
counts. The n largest priorities are drawn. With τ the next largest, a name is in the sample with
probability min(1, w/τ); names with w ≥ τ are certain to come. Where every name counts one this is
simple random sampling, and the probability is n/N. A larger draw contains the smaller one.

*Deal.* The frames of the corpus lie on a circle, neighbours far apart in the corpus. Each person
takes so many neighbouring places of it, from a start that the golden ratio spreads over the people
of a cell. A name that counts much takes more places. Asked for more frames, everyone takes further
places of the circle, so more frames only add sentences.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.corpora.expand import Cells, Rows, cells
from tiltmeter.corpora.people import (
    ALL,
    BEARERS,
    CELL,
    FEWEST_FRAMES,
    FEWEST_PEOPLE,
    NAME,
    ONE,
    WEIGHTS,
    Population,
    counted,
    is_count,
)
from tiltmeter.errors import ArgumentError, did_you_mean
from tiltmeter.schemas import PEOPLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tiltmeter.corpora.design import Design, Template

    Floats = NDArray[np.float64]
    Index = NDArray[np.int64]


GOLDEN = (math.sqrt(5) - 1) / 2
COUPLES = 4
"""A couple meets so many times the frames of a name: couples are few, and all of them come."""
TOGETHER = 1_000_000
"""Combinations of a frame and a person looked at together."""


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """How people are drawn and frames dealt; what is None is as the corpus file says."""

    people: int | str | None = None
    frames: int | str | None = None
    weights: str | None = None
    seed: int = 0

    def of(self, population: Population) -> DrawOptions:
        """The options with what the population's file says filled in, all checked."""
        counts = {"people": (self.people, FEWEST_PEOPLE), "frames": (self.frames, FEWEST_FRAMES)}
        for option, (count, least) in counts.items():
            if count is not None and count != ALL and not is_count(count, least):
                raise ArgumentError(option, f"is {count!r}; expected {counted(least)}")
        if self.weights not in (None, *WEIGHTS):
            near = did_you_mean(str(self.weights), WEIGHTS) or f"expected {' or '.join(WEIGHTS)}"
            raise ArgumentError("weights", f"is {self.weights!r}: {near}")
        if self.weights == BEARERS and population.table[BEARERS].null_count():
            what = f"bearers: {population.title!r} does not say how many bear a name"
            raise ArgumentError("weights", f"{what}; leave it out, or add the column to its table")
        if not is_count(self.seed, 0):
            raise ArgumentError("seed", f"is a whole number from 0 up; found {self.seed!r}")
        return DrawOptions(
            _plain(population.people if self.people is None else self.people),
            _plain(population.frames if self.frames is None else self.frames),
            self.weights or population.weights,
            int(self.seed),
        )


def _plain(count: int | str) -> int | str:
    """A count as Python's own number, whatever kind of whole number it came as."""
    return count if isinstance(count, str) else int(count)


@dataclass(frozen=True, eq=False, slots=True)
class PeopleSample:
    """Those drawn from a population, as arrays of shape (drawn,) in the order of its table."""

    population: Population
    options: DrawOptions
    rows: Index
    """Where in the population's table each stands."""
    rank: Index
    """Their place in their cell by priority, from 0."""
    weight: Floats
    """What each counts in the population: their bearers, or one."""
    probability: Floats
    """Of being drawn, given τ."""
    load: Floats
    """How many times the usual number of frames each meets, 1 or more."""


def draw_people(population: Population, options: DrawOptions) -> PeopleSample:
    """Draw from every cell of a population."""
    options = options.of(population)
    table = population.table
    names, cell = table[NAME].to_list(), table[CELL].to_numpy()
    weight = table[BEARERS if options.weights == BEARERS else ONE].to_numpy().astype(np.float64)
    luck = np.array([lot(options.seed, name) for name in names])
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    parts = []
    for number in range(len(population.cells)):
        members = by_name[cell[by_name] == number]
        drawn, tau = priority_sample(weight[members], luck[members], options.people)
        if options.weights == BEARERS:
            probability = inclusion_probability(weight[members][drawn], tau)
        else:
            probability = np.full(len(drawn), len(drawn) / len(members))
        load = np.maximum(1.0, weight[members] / max(tau, float(weight[members].mean())))[drawn]
        parts.append((members[drawn], np.arange(len(drawn)), probability, load))
    rows, rank, probability, load = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(rows)
    return PeopleSample(
        population, options, rows[order], rank[order], weight[rows[order]], probability[order],
        load[order],
    )  # fmt: skip


def priority_sample(weight: Floats, luck: Floats, people: int | str | None) -> tuple[Index, float]:
    """The n of largest priority w/u, the largest first, and τ, the next largest; 0: all came.

    >>> priority_sample(np.array([30.0, 5.0, 5.0]), np.array([0.5, 0.25, 1.0]), 2)
    (array([0, 1]), 5.0)
    """
    priority = weight / luck
    order = np.argsort(-priority, kind="stable")
    if people == ALL or int(people or 0) >= len(order):
        return order, 0.0
    wanted = int(people or 0)
    return order[:wanted], float(priority[order[wanted]])


def inclusion_probability(weight: Floats, tau: float) -> Floats:
    """min(1, w/τ): how likely a name was to be drawn, given τ; all certain where τ is 0.

    >>> inclusion_probability(np.array([30.0, 5.0]), 20.0).tolist()
    [1.0, 0.25]
    """
    return np.minimum(1.0, weight / tau) if tau > 0 else np.ones_like(weight)


def lot(seed: int, *words: str) -> float:
    """A number in (0, 1] that depends on the seed and the words alone, alike on every machine."""
    text = "\0".join((str(seed), *words))
    drawn = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    return ((drawn >> 11) + 1) / 2**53


@dataclass(frozen=True, eq=False, slots=True)
class Deal:
    """Which frames everyone meets: arrays of shape (people,) in the order of the design's.

    A person meets the frames on the places `start` to `start + many − 1` of their circle.
    """

    sample: PeopleSample
    start: Index
    many: Index
    circles: Mapping[str, Index]
    """By list of people: the place of every frame of the corpus on the circle, −1 where none."""

    @property
    def size(self) -> int:
        """How many sentences are dealt."""
        return int(self.many.sum())

    @property
    def all_frames(self) -> int:
        """How many frames a name could meet."""
        return _size(self.circles[self.sample.population.people_list])

    def size_with(self, people: int | str) -> int:
        """How many sentences would be dealt, if so many of each cell were drawn instead."""
        options = self.sample.options
        other = draw_people(self.sample.population, replace(options, people=people))
        now, then = (
            int(_how_many(self.all_frames, options.frames, one.load).sum())
            for one in (self.sample, other)
        )
        return self.size - now + then

    def stretches(
        self, design: Design, template: Template, layout: Cells, rows: int
    ) -> Iterator[Rows]:
        """The sentences of a template that are dealt, at most so many at a time, in order."""
        place = {id(person): at for at, person in enumerate(design.people)}
        people = np.array([place[id(person)] for person in layout.people], dtype=np.int64)
        first = frames_before(design)[template.id]
        frames = len(layout.words) * len(layout.others)
        step = max(1, TOGETHER // max(1, len(people)))
        # Each list of people has a circle of its own.
        lists = np.array([person.people_list for person in layout.people])
        for begin in range(0, frames, step):
            some = np.arange(begin, min(begin + step, frames))
            meets = np.zeros((len(some), len(people)), dtype=np.bool_)
            for name in np.unique(lists):
                circle, here = self.circles[name], lists == name
                ahead = circle[first + some][:, None] - self.start[people[here]][None, :]
                meets[:, here] = ahead % _size(circle) < self.many[people[here]][None, :]
            frame, person = np.nonzero(meets)
            words, others = np.divmod(some[frame], len(layout.others))
            for cut in range(0, len(frame), rows):
                part = slice(cut, cut + rows)
                yield Rows(words[part], others[part], person[part])

    def template_size(self, design: Design, template: Template) -> int:
        """How many sentences of a template are dealt."""
        layout = cells(template)
        return sum(len(at.person) for at in self.stretches(design, template, layout, TOGETHER))


def deal_frames(design: Design, sample: PeopleSample) -> Deal:
    """Deal the frames of a design to those drawn and to the people of its own lists."""
    lists = list(dict.fromkeys(person.people_list for person in design.people))
    circles = {name: circle_of(design, name) for name in lists}
    start = np.zeros(len(design.people), dtype=np.int64)
    many = np.zeros(len(design.people), dtype=np.int64)
    population, options = sample.population, sample.options
    drawn = np.array([p.people_list == population.people_list for p in design.people])
    size = _size(circles[population.people_list])
    cell = population.table[CELL].to_numpy()[sample.rows]
    spread = np.array([lot(options.seed, "cell", *groups) for groups in population.cells])
    start[drawn] = _start(size, spread[cell], sample.rank)
    many[drawn] = _how_many(size, usual_frames(options, size), sample.load)
    units: dict[str, int] = {}
    first = lot(options.seed, "couples")
    for at in np.flatnonzero(~drawn):
        person = design.people[at]
        size = _size(circles[person.people_list])
        start[at] = _start(size, first, np.array(units.setdefault(person.match, len(units))))
        many[at] = _how_many(size, options.frames, np.array(float(COUPLES)))
    return Deal(sample, start, many, circles)


def _size(circle: Index) -> int:
    return int(circle.max(initial=-1)) + 1


def _start(size: int, luck: Floats | float, rank: Index) -> Index:
    """The golden ratio spreads the starts evenly over the circle, however many there are."""
    return np.floor(size * ((luck + rank * GOLDEN) % 1.0)).astype(np.int64) % max(size, 1)


def usual_frames(options: DrawOptions, size: int) -> int | str | None:
    """How many frames a name meets that carries no more weight than others.

    By bearers, names that carry more meet more, about as many again in all: half of the number
    asked for keeps the whole near it. As many as there are is everything, for everyone.
    """
    if options.weights != BEARERS or options.frames == ALL:
        return options.frames
    asked = int(options.frames or 0)
    return asked if asked >= size else -(-asked // 2)


def _how_many(size: int, frames: int | str | None, load: Floats) -> Index:
    if frames == ALL:
        return np.full(load.shape, size, dtype=np.int64)
    return np.minimum(size, np.ceil(int(frames or 0) * load)).astype(np.int64)


def circle_of(design: Design, people_list: str) -> Index:
    """The place of each frame on the circle of a list of people; −1 where the list is not in it."""
    takes = [
        any(person.people_list == people_list for person in template.person_slots[0].people)
        for template in design.templates
    ]
    inside = np.repeat(takes, [_frames(template) for template in design.templates])
    circle = np.full(len(inside), -1, dtype=np.int64)
    circle[inside] = places(int(inside.sum()))
    return circle


def places(size: int) -> Index:
    """The place of frames 0 to size − 1 on a circle walked with a stride of about size/φ.

    >>> places(5).tolist()
    [0, 2, 4, 1, 3]
    """
    walk = np.arange(size, dtype=np.int64) * stride(size) % max(size, 1)
    found = np.empty(size, dtype=np.int64)
    found[walk] = np.arange(size)
    return found


def stride(size: int) -> int:
    """The number nearest to size/φ that has no divisor in common with size.

    >>> stride(144), stride(5), stride(1)
    (89, 3, 1)
    """
    wanted = size * GOLDEN
    fit = (step for step in range(1, max(size, 2)) if math.gcd(step, size) == 1)
    return min(fit, key=lambda step: abs(step - wanted))


def frames_before(design: Design) -> dict[str, int]:
    """The number of each template's first frame in the corpus, by the template's ID."""
    found, first = {}, 0
    for template in design.templates:
        found[template.id] = first
        first += _frames(template)
    return found


def _frames(template: Template) -> int:
    layout = cells(template)
    return len(layout.words) * len(layout.others)


def design_people(design: Design, frames: Mapping[str, int] | None = None) -> pl.DataFrame:
    """Whom a design speaks of, as the `people` table.

    `frames` says how many each meets where that is not all of them, as for part of a design.
    """
    if design.deal is None:
        met: dict[str, int] = {}  # frames by list of people
        for template in design.templates if frames is None else ():
            for name in {person.people_list for person in template.person_slots[0].people}:
                met[name] = met.get(name, 0) + _frames(template)
        many = frames or {p.name: met.get(p.people_list, 0) for p in design.people}
        rows = [
            (design.name, p.name, p.match, p.family, None, 1.0, None, many.get(p.name, 0), None)
            for p in design.people
        ]
        return people_of(rows).filter(pl.col("frames") > 0)
    deal, sample = design.deal, design.deal.sample
    listed = len(design.people) - len(sample.rows)
    some = sample.population.table[sample.rows]
    persons = design.people
    every = people_of(
        (design.name, p.name, p.match, p.family, None, 1.0, 1.0, 0, None) for p in persons
    ).with_columns(
        frames=pl.Series(deal.many),
        weight=pl.Series(np.concatenate([np.ones(listed), sample.weight])),
        probability=pl.Series(np.concatenate([np.ones(listed), sample.probability])),
        bearers=pl.concat([pl.repeat(None, listed, dtype=pl.Int64, eager=True), some[BEARERS]]),
        word=pl.concat([pl.repeat(None, listed, dtype=pl.Boolean, eager=True), some["word"]]),
    )
    return every.filter(pl.col("frames") > 0)


def people_of(rows: Iterable[tuple[object, ...]]) -> pl.DataFrame:
    """Rows of the `people` table."""
    schema = {name: getattr(pl, column.dtype) for name, column in PEOPLE.columns.items()}
    return pl.DataFrame(list(rows), schema=schema, orient="row")
