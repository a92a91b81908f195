"""How a rating is made: levels, confidence, weights, practice; the columns of its table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.causal import Array, Index, tails
from tiltmeter.stats.multiplicity import CORRECTIONS
from tiltmeter.studies.rating.groups import (
    NOT_SAID,
    SENTIMENT,
    Adjustment,
    RatingDataset,
    RatingGroup,
)

# ---- the columns of a rating table: which attribute of which group, and by what it is told


WRS, DIE, ATE = "wrs", "die", "ate"
TIMES = " × "
GENDER = "gender"
"""The attribute of which NA, people of whom it is not said, is a class like others."""


@dataclass(frozen=True, eq=False)
class RatingColumn:
    """A column: G1, or G3-R where a group has several attributes."""

    name: str
    group: RatingGroup
    axes: tuple[str, ...]
    """The attribute whose classes are compared; several: their combinations."""
    measure: str
    adjustment: Adjustment
    without_na: bool = False
    """Whether people of whom the attribute is not said are left out of the comparison."""

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
        """The classes that scores are summed over, and which of them each sentence is in.

        −1 for a sentence that the column leaves out.
        """
        names, place = self.group.classes(self.summed_over)
        if not self.without_na or NOT_SAID not in names:
            return names, place
        return names[:-1], np.where(place == len(names) - 1, -1, place)  # NA is the last

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Which sentences the column is about."""
        return self.classes[1] >= 0

    @property
    def leaves_out(self) -> bool:
        """Whether some sentences of the group are left out."""
        return not self.compared.all()

    def size_of(self, dataset: RatingDataset) -> int:
        """How many sentences of a dataset the column is about."""
        return self.group.size_of(dataset, self.compared)

    @property
    def beside(self) -> tuple[str, ...]:
        """The group's other attributes, held fixed when people change places; none of words."""
        if self.measure != WRS:
            return ()
        return tuple(axis for axis in self.group.axes if axis not in self.axes)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two classes that can be compared: some stratum held fixed has people of both."""
        names, place = self.classes
        many, stratum = self.kinds
        there = np.zeros((len(names), many), dtype=bool)
        there[place[self.compared], stratum[self.compared]] = True
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
    def about_na(self) -> str:
        """What is compared with people of whom the attribute is not said, in plain words.

        Empty where the column is about all attributes or nobody's is unsaid.
        """
        names, place = self.group.classes(self.axes)
        others = tuple(axis for axis in self.group.axes if axis not in self.axes)
        if self.measure != WRS or not others or NOT_SAID not in names:
            return ""
        own, other = self.attribute, " and ".join(others)
        unsaid = self.group.sentences.filter(pl.Series(place == len(names) - 1))
        neither = all(unsaid[axis].null_count() == unsaid.height for axis in others)
        called = f"{own} ({self.name})"
        if self.without_na:
            why = f": of NA, people of whom no {own} is said, no {other} is said either"
            left = self._beside_it(self.group.axes)
            said = f"{called} compares {' and '.join(self.classes[0])} only{why if neither else ''}"
            also = f" and {self._beside_it((GENDER,))}" if GENDER in others else ""
            return f"{said}; they are left to {left}{also}"
        if not neither:
            return ""
        said = f"{called} also compares with NA, people of whom no {own} and no {other} is said"
        return f"{said}: a system that goes by {other} alone gets a raw score there too"

    def _beside_it(self, axes: tuple[str, ...]) -> str:
        """Another column of the group, in words and by its code."""
        return f"{' and '.join(axes)} ({short_name(self.group.name, axes, self.group.axes)})"

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


def columns_of(group: RatingGroup, raw: str, *, published: bool = False) -> list[RatingColumn]:
    """The columns a group gives: one where words are assigned, else one an attribute and all.

    Beside gender, people of whom nothing is said are no class of another attribute: a race held
    against them is women and men held against people without a gender, and a system that goes by
    gender alone would be found to go by race. As published they are one.

    >>> from tiltmeter.studies.rating.config import short_name
    >>> short_name("3", ("race",), ("race", "gender")), short_name("mine", ("age",), ("age", "sex"))
    ('G3-R', 'mine-A')
    """
    if group.confounded:
        name = short_name(group.name, (), group.axes)
        return [RatingColumn(name, group, group.axes, raw, group.adjustment)]
    several: list[tuple[str, ...]] = [(axis,) for axis in group.axes]
    if len(group.axes) > 1:
        several.append(group.axes)
    return [
        RatingColumn(
            short_name(group.name, axes, group.axes), group, axes, WRS, _effect_of(group, axes),
            without_na=len(several) > 1 and len(axes) == 1 and axes != (GENDER,) and not published,
        )
        for axes in several
    ]  # fmt: skip


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


# ---- how a rating is made: levels, confidence, weights, and which of two practices


CONTINUOUS, DISCRETISED = "continuous", "discretised"
VARIANTS = {"both": (CONTINUOUS, DISCRETISED), "no": (CONTINUOUS,), "yes": (DISCRETISED,)}
CONFIDENCE = (0.95, 0.70, 0.60)
WEIGHTS = {"published": (1.0, 0.7, 0.6), "corrected": (1.0, 0.8, 0.6)}
"""The paper's text says 1, 0.8, 0.6; every number in its tables comes from 1, 0.7, 0.6."""
MOST_REPEATS, MOST_LEVELS = 10_000, 100
HEAVIEST = 1_000
READABLE = 7
"""More levels than people can tell apart at a glance (Miller 1956, as the paper says)."""


@dataclass(frozen=True, slots=True)
class RatingConfig:
    """How raw scores are computed and rated."""

    mode: str = "corrected"
    raw: str = DIE
    """What confounded groups are rated on: die or ate."""
    variants: tuple[str, ...] = VARIANTS["both"]
    weights: tuple[float, ...] = WEIGHTS["corrected"]
    multiplicity: str = "none"
    repeats: int = 0
    seed: int = 0

    @property
    def published(self) -> bool:
        """Whether everything is as in the paper."""
        return self.mode == "published"

    @property
    def tail(self) -> Array:
        """The two-sided p-value below which each level rejects."""
        return tails(CONFIDENCE, halved_twice=self.published)


def rating_manner(
    *,
    mode: str = "corrected",
    raw: str = DIE,
    discretise: str = "both",
    weights: tuple[float, ...] | None = None,
    multiplicity: str = "none",
    repeats: int = 0,
    seed: int = 0,
    levels: int | None = None,
) -> RatingConfig:
    """What a user asks for, checked; `levels` too, before anybody is asked."""
    if levels is not None:
        check_levels(levels)
    _one_of("--mode", mode, tuple(WEIGHTS))
    _one_of("--raw", raw, (DIE, ATE))
    _one_of("--discretise", discretise, tuple(VARIANTS))
    _one_of("--multiplicity", multiplicity, CORRECTIONS)
    if not 0 <= repeats <= MOST_REPEATS:
        raise TiltmeterError(f"--draws is {repeats:,}; expected from 0 to {MOST_REPEATS:,}")
    if seed < 0:
        raise TiltmeterError(f"--seed is a whole number from 0 up; found {seed}")
    given = WEIGHTS[mode] if weights is None else weights
    _check_weights(given)
    return RatingConfig(mode, raw, VARIANTS[discretise], given, multiplicity, repeats, seed)


def check_levels(levels: int) -> None:
    """Refuse numbers of rating levels that no panel can be split into."""
    if levels < 2:
        raise TiltmeterError(f"--levels is {levels}; expected 2 or more")
    if levels > MOST_LEVELS:
        what = f"--levels is {levels:,}; expected at most {MOST_LEVELS}"
        raise TiltmeterError(f"{what}, and up to {READABLE} read well")


def _check_weights(given: tuple[float, ...]) -> None:
    """Three of a size that can be added up, and not all 0: nothing would ever be rejected."""
    found, levels = ", ".join(map(str, given)), ", ".join(f"{one:.0%}" for one in CONFIDENCE)
    if len(given) != len(CONFIDENCE) or not all(0 <= one < float("inf") for one in given):
        raise TiltmeterError(f"--weights is {found}; expected three, 0 or more, for {levels}")
    if not 0 < max(given) <= HEAVIEST:
        what = f"--weights is {found}; expected one above 0 and none above {HEAVIEST:,}"
        raise TiltmeterError(f"{what}, as in 1,0.8,0.6")


def _one_of(option: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise TiltmeterError(f"{option} is {given!r}; expected one of {', '.join(known)}")
