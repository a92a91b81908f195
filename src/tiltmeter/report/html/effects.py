"""What the page shows of regressions, read out of their tables: effects in words, and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.report.html.submissions import planted
from tiltmeter.report.material import Compared, Material, Regressed
from tiltmeter.report.regression_names import (
    MARGINAL,
    MARGINAL_MIXED,
    MARGINAL_NAIVE,
    drawn_measure,
)
from tiltmeter.report.regression_sides import asked, ends, together
from tiltmeter.report.regression_wording import held_at, is_held, parts_of

PRECISION = "precision"
"""γ: what log φ differs by between groups."""

BEHIND = {
    MARGINAL: MARGINAL_NAIVE, MARGINAL_MIXED: MARGINAL_NAIVE, MARGINAL_NAIVE: MARGINAL
}  # fmt: skip
"""Whose interval is drawn behind whose: the same effect with other errors."""

Numbers = Mapping[str, Any]
"""A row of the estimates or of the findings."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A coefficient: a group beside another, or what two of them add together."""

    axis: str
    contrast: str
    title: str
    """As in `gender` or `gender × race`."""
    more: str
    """What it means above zero, as in `higher about women`."""
    less: str
    asks: str
    """What it asks, after "whether"."""
    product: bool
    groups: str
    """As differences: `female − male`; of a product, `(female − male) × (Arab − Anglo)`."""
    whole: str
    """Of a product: all its groups beside all their references."""
    held: str = ""
    """The other axes' groups that it is about, where it is not an average over them."""

    @property
    def full(self) -> str:
        """Its title, with the groups that it is about: `gender (with Anglo names)`."""
        return f"{self.title} ({self.held})" if self.held else self.title

    @property
    def key(self) -> tuple[str, str]:
        """What tables know it by."""
        return self.axis, self.contrast

    def side(self, value: float) -> str:
        """What a value means: the end that it lies towards."""
        return self.more if value > 0 else self.less if value < 0 else ""


@dataclass(frozen=True, slots=True)
class Fit:
    """One submission's regression."""

    system: str
    task: str
    facts: Numbers
    """Its row of `fits`."""
    told: Mapping[tuple[str, str], Numbers]
    """Its findings, by axis and contrast."""
    numbers: Mapping[tuple[str, str, str], Numbers]
    """Its estimates, by axis, contrast and measure."""

    @property
    def reason(self) -> str:
        """Why there is no fit; else nothing."""
        return str(self.facts["reason"] or "")

    def number(self, effect: Effect, measure: str) -> Numbers | None:
        """One estimate; None where there is no number."""
        found = self.numbers.get((*effect.key, measure))
        return None if found is None or found["value"] is None else found


@dataclass(frozen=True, slots=True)
class Regression:
    """One corpus' regressions as the page shows them."""

    corpus: int
    """Its place among the corpora."""
    compared: Compared
    regressed: Regressed
    effects: tuple[Effect, ...]
    fits: tuple[Fit, ...]
    main: str
    """The measure that findings are made of."""
    planted: frozenset[str] = frozenset()
    """Controls whose differences were put in on purpose."""

    @property
    def behind(self) -> str:
        """The measure whose interval is drawn behind; nothing in the published mode."""
        return BEHIND.get(self.main, "")

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes of its formula."""
        named = (axis for effect in self.effects for axis in effect.axis.split(":"))
        return tuple(dict.fromkeys(named))


def regressions(material: Material) -> tuple[Regression, ...]:
    """The regressions of every corpus that has any."""
    main, controls = drawn_measure(material.run), frozenset(planted(material))
    places = {one.name: (nth, one) for nth, one in enumerate(material.compared)}
    return tuple(
        _regression(*places[one.corpus], one, main, controls)
        for one in material.regressed
        if one.corpus in places and one.fits.height
    )


def _regression(
    corpus: int, compared: Compared, one: Regressed, main: str, controls: frozenset[str]
) -> Regression:
    effects = tuple(effect_of(key, compared) for key in one.effects)
    if is_held(main):
        effects = tuple(_held(effect, one.effects, compared) for effect in effects)
    return Regression(corpus, compared, one, effects, _fits(one), main, controls)


def _held(effect: Effect, every: Sequence[tuple[str, str, str]], compared: Compared) -> Effect:
    """An effect with the groups at which it holds the other axes."""
    held = (compared.phrase(*one) for one in held_at(effect.axis, every).items())
    return replace(effect, held=", ".join(held))


OF_A_NUMBER = (
    "system", "task", "axis", "contrast", "measure", "value", "se", "low", "high", "df", "p"
)  # fmt: skip


def _fits(one: Regressed) -> tuple[Fit, ...]:
    told: dict[tuple[str, str], dict[tuple[str, str], Numbers]] = {}
    for row in one.findings.iter_rows(named=True):
        told.setdefault((row["system"], row["task"]), {})[row["axis"], row["contrast"]] = row
    numbers: dict[tuple[str, str], dict[tuple[str, str, str], Numbers]] = {}
    for row in one.estimates.select(OF_A_NUMBER).iter_rows(named=True):
        mine = numbers.setdefault((row["system"], row["task"]), {})
        mine[row["axis"], row["contrast"], row["measure"]] = row
    return tuple(
        Fit(row["system"], row["task"], row, told.get(key, {}), numbers.get(key, {}))
        for row in one.fits.iter_rows(named=True)
        if (key := (row["system"], row["task"]))
    )


def effect_of(key: tuple[str, str, str], compared: Compared) -> Effect:
    """An effect and its two ends in words."""
    axis, contrast, reference = key
    parts = parts_of({"axis": axis, "contrast": contrast, "reference": reference})
    sides = [_sides(part, compared) for part in parts]
    more, less = ends(sides)
    return Effect(
        axis, contrast, axis.replace(":", " × "), more, less, asked(sides), len(parts) > 1,
        _groups(parts), together(sides),
    )  # fmt: skip


def _groups(parts: Sequence[tuple[str, str, str]]) -> str:
    told = [f"{group} − {second}" for _, group, second in parts]
    return told[0] if len(told) == 1 else " × ".join(f"({one})" for one in told)


def _sides(part: tuple[str, str, str], compared: Compared) -> tuple[str, str]:
    """How a group and what it is held against are spoken of; nothing for the average of all."""
    axis, group, second = part
    average = compared.is_average(axis, second)
    return compared.phrase(axis, group), "" if average else compared.phrase(axis, second)
