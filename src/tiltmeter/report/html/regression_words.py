"""What the section on regressions opens with: how many effects, how large, how sure one may be."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.html.effects import Fit, Regression
from tiltmeter.report.html.regression_counts import (
    all_detected,
    by_size,
    detected_of,
    number_of,
    told_of,
)
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import count, points
from tiltmeter.report.regression_names import LEAST_SQUARES, MARGINAL_NAIVE
from tiltmeter.report.wording import amount

LISTED = 4
"""Effects that one sentence can count."""


def title_of(found: Sequence[Regression]) -> str:
    """What the section is called: `Gender, race and both together`."""
    axes = list(dict.fromkeys(axis for one in found for axis in one.axes))
    if not any(effect.product for one in found for effect in one.effects):
        text = " and ".join(axes)
    else:
        text = f"{', '.join(axes)} and {'both' if len(axes) == 2 else 'all'} together"
    return text[:1].upper() + text[1:]


def opening(one: Regression, titles: Sequence[str]) -> str:
    """How many submissions show each effect after correction, and the largest effect."""
    told, found = told_of(one, one.effects), all_detected(one)
    if not told:
        return _largest(one)
    many = len({(fit.system, fit.task) for fit, *_ in told})
    who = _counted(one, many)
    if len(one.fits) == 1 or len(one.effects) > LISTED:
        every = count(len(told), "effect")
        many_of = f"a difference is detected in {len(found):,} of {every}"
        first = many_of if found else f"no difference is detected in any of {every}"
    elif not found:
        any_of = "any of " if many > 1 else ""
        first = f"no difference is detected for {_or(titles)} in {any_of}{who}"
    else:
        counts = [len(detected_of(one, effect)) for effect in one.effects]
        parts = [f"for {title} in {_many(n)}" for title, n in zip(titles, counts, strict=True)]
        parts[0] += f" of {who}"
        first = f"a difference is detected {_and(parts)}"
    return f"After correction, {first}. {_largest(one)}"


def _counted(one: Regression, many: int) -> str:
    """How many submissions could be estimated, and how many not."""
    left = len(one.fits) - many
    return number_of(one, many) + (f" ({left:,} more cannot be estimated)" if left else "")


def _many(number: int) -> str:
    return f"{number:,}" if number else "none"


def _and(parts: Sequence[str], word: str = "and") -> str:
    """Several things in one sentence: `a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _or(parts: Sequence[str]) -> str:
    return _and(parts, "or")


def _largest(one: Regression) -> str:
    told = told_of(one, one.effects)
    found = all_detected(one)
    if not told:
        return "No effect can be estimated."
    fit, effect, row = max(found or told, key=lambda some: by_size(one, some))
    if not row["value"]:
        return "Every effect is 0."
    size = amount(points(abs(row["value"])), "scale")
    means = f"{effect.full}, {effect.side(row['value'])}"
    planted = ", a control with a planted tilt" if fit.system in one.planted else ""
    called = "effect" if found else "estimate"
    return f"The largest {called} is {size} ({means}; {fit.system}, {fit.task}{planted})."


def too_sure(one: Regression, material: Material) -> str:
    """What errors that take all sentences as independent claim, beside those that do not."""
    level = material.run.statistics.level
    fits = [fit for fit in one.fits if not fit.reason]
    many = len(told_of(one, one.effects))
    if one.main == LEAST_SQUARES or not many:
        return ""
    wary = one.behind if one.main == MARGINAL_NAIVE else one.main
    near, naive = (_at_level(one, measure, level) for measure in (wary, MARGINAL_NAIVE))
    people, templates = (_range(fits, name) for name in ("people", "templates"))
    shared = " and ".join(
        f"{number} {name}{'' if number == '1' else 's'}"
        for number, name in ((people, "name"), (templates, "template"))
    )
    return (
        f"Before correction, {_many(near)} of {count(many, 'effect')} "
        f"{'have' if near > 1 else 'has'} p ≤ {level:g}, allowing for the {shared} that sentences "
        f"share; if all {_range(fits, 'n')} sentences counted as independent, {_many(naive)} would."
    )


def _at_level(one: Regression, measure: str, level: float) -> int:
    numbers = (fit.number(effect, measure) for fit, effect, _ in told_of(one, one.effects))
    return sum(row is not None and row["p"] is not None and row["p"] <= level for row in numbers)


def _range(fits: Sequence[Fit], name: str) -> str:
    """A number of the fits, or from which to which it goes."""
    low, high = (end(int(fit.facts[name]) for fit in fits) for end in (min, max))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
