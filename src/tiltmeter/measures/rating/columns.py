"""The columns of a rating table: which attribute of which group, and by what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from tiltmeter.measures.rating.diagram import SENTIMENT, Adjustment
from tiltmeter.measures.rating.group import RatingGroup
from tiltmeter.measures.stats.class_sums import Index

WRS, DIE, ATE = "wrs", "die", "ate"
TIMES = " × "


@dataclass(frozen=True, eq=False)
class Column:
    """A column: G1, or G3-R where a group has several attributes."""

    name: str
    group: RatingGroup
    axes: tuple[str, ...]
    """The attribute whose classes are compared; several: their combinations."""
    measure: str
    adjustment: Adjustment

    @property
    def attribute(self) -> str:
        """The attribute in words: gender, race × gender."""
        return TIMES.join(self.axes)

    @property
    def summed_over(self) -> tuple[str, ...]:
        """The attributes whose classes are compared, or held fixed where words are assigned."""
        return self.axes if self.measure == WRS else self.adjustment.strata

    @cached_property
    def classes(self) -> tuple[list[str], Index]:
        """The classes that scores are summed over, and which of them each sentence is in."""
        return self.group.classes(self.summed_over)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two classes that can be compared: some stratum held fixed has people of both."""
        names, place = self.classes
        many, stratum = self.kinds
        there = np.zeros((len(names), many), dtype=bool)
        there[place, stratum] = True
        both = combinations(range(len(names)), 2)
        return [(one, two) for one, two in both if (there[one] & there[two]).any()]

    @cached_property
    def kinds(self) -> tuple[int, Index]:
        """What else: strata held fixed, or the two polarities; how many, and which each is of."""
        if self.measure != WRS:
            return 2, self.group.polarity
        strata, stratum = self.group.classes(self.adjustment.strata)
        return len(strata), stratum

    @property
    def edges(self) -> list[str]:
        """The diagram's arrows as text."""
        return [f"{cause} -> {effect}" for cause, effect in self.group.diagram.edges]

    @property
    def sentence(self) -> str:
        """What is adjusted for, in plain words."""
        if not self.adjustment.identifiable:
            return self.adjustment.reason
        held = " and ".join(self.adjustment.strata)
        cause = " and ".join(self.axes) if self.measure == WRS else f"the {self.adjustment.of}"
        if held:
            return f"the effect of {cause} on sentiment is told with {held} held fixed{self._shut}"
        return f"nothing confounds the effect of {cause} on sentiment: no adjustment is needed"

    @property
    def _shut(self) -> str:
        """The backdoor that holding attributes fixed shuts, where it is a plain one."""
        of, diagram = self.adjustment.of, self.group.diagram
        behind = [
            one
            for one in self.adjustment.strata
            if diagram.causes(one, of) and diagram.causes(one, SENTIMENT)
        ]
        return f": {of} ← {', '.join(behind)} → {SENTIMENT}" if behind else ""


def columns_of(group: RatingGroup, raw: str) -> list[Column]:
    """The columns a group gives: one where words are assigned, else one an attribute and all.

    >>> from tiltmeter.measures.rating.columns import short_name
    >>> short_name("3", ("race",), ("race", "gender")), short_name("mine", ("age",), ("age", "sex"))
    ('G3-R', 'mine-A')
    """
    if group.confounded:
        name = short_name(group.name, (), group.axes)
        return [Column(name, group, group.axes, raw, group.adjustment)]
    several: list[tuple[str, ...]] = [(axis,) for axis in group.axes]
    if len(group.axes) > 1:
        several.append(group.axes)
    return [
        Column(short_name(group.name, axes, group.axes), group, axes, WRS, _effect_of(group, axes))
        for axes in several
    ]


def _effect_of(group: RatingGroup, axes: tuple[str, ...]) -> Adjustment:
    """What to adjust for to tell the effect of attributes; of several together, of each."""
    found = [group.diagram.adjustment(axis, group.axes) for axis in axes]
    for one in found:
        if not one.identifiable:
            return one
    strata = (axis for one in found for axis in one.strata if axis not in axes)
    return Adjustment(" and ".join(axes), tuple(dict.fromkeys(strata)))


def short_name(group: str, axes: tuple[str, ...], every: tuple[str, ...]) -> str:
    """G1; G3-R, G3-G and G3-RG where there are several attributes; a user's group by its name."""
    called = f"G{group}" if group.isdigit() else group
    if not axes or len(every) == 1:
        return called
    initials = {axis: axis[:1].upper() for axis in every}
    if len(set(initials.values())) < len(every):
        return f"{called}-{'+'.join(axes)}"
    return f"{called}-{''.join(initials[axis] for axis in axes)}"
