"""What the page says of regressions: how many effects, how large, and how sure one may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.report.html.effects import Effect, Fit, Numbers, Regression
from tiltmeter.report.html.submissions import Submission
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import count, points
from tiltmeter.report.regression_names import LEAST_SQUARES, MARGINAL_NAIVE
from tiltmeter.report.wording import amount


@dataclass(frozen=True, slots=True)
class Said:
    """What was found of one effect on one corpus."""

    title: str
    text: str
    system: str = ""
    anchor: str = ""
    after: str = ""


def title_of(found: Sequence[Regression]) -> str:
    """What the section is called: `Gender, race and both together`."""
    axes = list(dict.fromkeys(axis for one in found for axis in one.axes))
    if not any(effect.product for one in found for effect in one.effects):
        text = " and ".join(axes)
    else:
        text = f"{', '.join(axes)} and {'both' if len(axes) == 2 else 'all'} together"
    return text[:1].upper() + text[1:]


def said_of(one: Regression, titles: Sequence[str], of: Sequence[Submission]) -> Iterator[Said]:
    """One sentence for each effect: how many submissions show it, and the largest."""
    anchors = {(sub.corpus, sub.system, sub.task): sub.anchor for sub in of}
    for effect, title in zip(one.effects, titles, strict=True):
        yield _said(one, effect, title, anchors)


def _said(
    one: Regression, effect: Effect, title: str, anchors: Mapping[tuple[int, str, str], str]
) -> Said:
    told, detected = _told(one, [effect]), _detected(one, effect)
    if not told:
        return Said(title, "cannot be estimated for any submission.")
    if len(one.fits) == 1:
        return Said(title, str(told[0][2]["sentence"]))
    many = f"detected for {_many(len(detected))} of {len(one.fits):,} {_called(one)}"
    many += _where_planted(one, detected)
    fit, _, largest = max(detected or told, key=lambda some: _order(one, some))
    if not largest["value"]:
        return Said(title, f"{many}.")
    size = amount(points(abs(largest["value"])), "scale")
    task = f" for {fit.task}" if len({other.task for other in one.fits}) > 1 else ""
    kind = "largest" if detected else "largest, not detected,"
    return Said(
        title,
        f"{many}; the {kind} is that of",
        fit.system,
        anchors.get((one.corpus, fit.system, fit.task), ""),
        f"{task}, {size}, {effect.side(largest['value'])}.",
    )


def _order(one: Regression, some: tuple[Fit, Effect, Numbers]) -> tuple[bool, float]:
    """Orders by size; what was planted comes last."""
    return some[0].system not in one.planted, abs(some[2]["value"])


def _where_planted(one: Regression, detected: Sequence[tuple[Fit, Effect, Numbers]]) -> str:
    """What must be said of controls among the submissions with an effect."""
    many = sum(fit.system in one.planted for fit, *_ in detected)
    if not many:
        return ""
    which = "planted" if many == len(detected) else f"{many:,} of them planted"
    return f" ({which}, in {'a control' if many == 1 else 'controls'})"


def _many(number: int) -> str:
    return f"{number:,}" if number else "none"


def _called(one: Regression) -> str:
    """What is counted: systems, the tasks of one system, or submissions."""
    systems, tasks = ({getattr(fit, name) for fit in one.fits} for name in ("system", "task"))
    return "systems" if len(tasks) == 1 else "tasks" if len(systems) == 1 else "submissions"


def opening(one: Regression, titles: Sequence[str]) -> str:
    """How many submissions show each effect after correction, and the largest effect."""
    if len(one.fits) == 1:
        return _largest(one)
    if len(one.effects) > LISTED:
        many, every = len(_all_detected(one)), len(_told(one, one.effects))
        is_or_are = "is" if many < 2 else "are"
        return (
            f"After correction, {_many(many)} of {count(every, 'effect')} {is_or_are} detected. "
            f"{_largest(one)}"
        )
    counts = [
        f"{title} for {_many(len(_detected(one, effect)))}"
        for effect, title in zip(one.effects, titles, strict=True)
    ]
    first = f"{counts[0]} of {len(one.fits):,} {_called(one)}"
    listed = ", of ".join([first, *counts[1:]])
    return f"After correction, an effect is detected of {listed}. {_largest(one)}"


LISTED = 4
"""Effects that one sentence can count."""


def _all_detected(one: Regression) -> list[tuple[Fit, Effect, Numbers]]:
    return [some for effect in one.effects for some in _detected(one, effect)]


def _detected(one: Regression, effect: Effect) -> list[tuple[Fit, Effect, Numbers]]:
    return [some for some in _told(one, [effect]) if some[2]["significance"] in ("up", "down")]


def _told(one: Regression, effects: Sequence[Effect]) -> list[tuple[Fit, Effect, Numbers]]:
    """Every finding with a number."""
    return [
        (fit, effect, row)
        for fit in one.fits
        for effect in effects
        if (row := fit.told.get(effect.key)) and row["value"] is not None
    ]


def _largest(one: Regression) -> str:
    told = _told(one, one.effects)
    found = _all_detected(one)
    if not told:
        return "No effect can be estimated."
    fit, effect, row = max(found or told, key=lambda some: _order(one, some))
    if not row["value"]:
        return "Every effect is 0."
    kind = "" if found else ", not detected,"
    size = amount(points(abs(row["value"])), "scale")
    means = f"{effect.title}, {effect.side(row['value'])}"
    return f"The largest effect{kind} is {size} ({means}; {fit.system}, {fit.task})."


def too_sure(one: Regression, material: Material) -> str:
    """What errors that take all sentences as independent would have claimed."""
    level = float(material.run.get("statistics", {}).get("level", 0.05))
    fits = [fit for fit in one.fits if not fit.reason]
    if one.main == LEAST_SQUARES or not fits:
        return ""
    wary = one.behind if one.main == MARGINAL_NAIVE else one.main
    near, naive = (_at_level(one, measure, level) for measure in (wary, MARGINAL_NAIVE))
    many = sum(row["value"] is not None for fit in fits for row in fit.told.values())
    detected = sum(
        row["significance"] in ("up", "down") for fit in fits for row in fit.told.values()
    )
    people, templates = (_range(fits, name) for name in ("people", "templates"))
    as_if = ", with errors as if they were independent" if one.main == MARGINAL_NAIVE else ""
    shared = f"{people} {'name' if people == '1' else 'names'} and {templates} templates"
    return (
        f"Treating all {_range(fits, 'n')} sentences as independent would have given "
        f"{_many(naive)} of {count(many, 'effect')} a p-value of at most {level:g}; allowing "
        f"for the {shared} that sentences share, {_many(near)} {'have' if near > 1 else 'has'} "
        f"one. After correction, {_many(detected)} {'are' if detected > 1 else 'is'} "
        f"detected{as_if}."
    )


def _at_level(one: Regression, measure: str, level: float) -> int:
    numbers = (
        fit.number(effect, measure) for fit in one.fits if not fit.reason for effect in one.effects
    )
    return sum(row is not None and row["p"] is not None and row["p"] <= level for row in numbers)


def _range(fits: Sequence[Fit], name: str) -> str:
    """A number of the fits, or from which to which it goes."""
    low, high = (end(int(fit.facts[name]) for fit in fits) for end in (min, max))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
