"""What is counted of regressions: effects with a number, those detected, and what they are of."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.html.effects import Effect, Fit, Numbers, Regression

Found = tuple[Fit, Effect, Numbers]
"""A finding with a number: whose, of which effect."""


def told_of(one: Regression, effects: Sequence[Effect]) -> list[Found]:
    """Every finding with a number."""
    return [
        (fit, effect, row)
        for fit in one.fits
        for effect in effects
        if (row := fit.told.get(effect.key)) and row["value"] is not None
    ]


def detected_of(one: Regression, effect: Effect) -> list[Found]:
    """The findings of a difference on one effect."""
    return [some for some in told_of(one, [effect]) if some[2]["significance"] in ("up", "down")]


def all_detected(one: Regression) -> list[Found]:
    """Every finding of a difference."""
    return [some for effect in one.effects for some in detected_of(one, effect)]


def by_size(one: Regression, some: Found) -> tuple[bool, float]:
    """Orders by size; what was planted comes last."""
    return some[0].system not in one.planted, abs(some[2]["value"])


def number_of(one: Regression, many: int) -> str:
    """So many of what is counted: `1 system`, `2 tasks`."""
    called = _called(one)
    return f"{many:,} {called if many > 1 else called.removesuffix('s')}"


def _called(one: Regression) -> str:
    """What is counted: systems, the tasks of one system, or submissions."""
    systems, tasks = ({getattr(fit, name) for fit in one.fits} for name in ("system", "task"))
    return "systems" if len(tasks) == 1 else "tasks" if len(systems) == 1 else "submissions"
