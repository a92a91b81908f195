"""The coefficient plot: a row per system, a dot and its interval in a panel per effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.report.html.effects import Effect, Fit, Numbers, Regression
from tiltmeter.report.html.scale import HALF, Scale, scale_for
from tiltmeter.report.html.submissions import Submission
from tiltmeter.report.numbers import DASH, POINTS
from tiltmeter.report.wording import SAID, told_from_above

ROWS = 150
"""Rows drawn on the page as it opens; the script draws the others when asked to."""
FEWEST = 8
"""Rows drawn of each task in any case."""
EDGE = 50.0 / HALF
"""How far past its limit a scale still has room to draw."""


@dataclass(frozen=True, slots=True)
class Line:
    """A value's interval on the scale, in per cent of the width."""

    low: float
    high: float
    beyond: str = ""
    """left, right or both where it goes on past the edge."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One effect of one submission as a picture and in words."""

    kind: str
    """up, down, none or not_estimable."""
    side: str
    """Which side of zero: up, down or nothing."""
    x: float | None
    line: Line | None
    behind: Line | None
    """The same effect's interval with other errors."""
    number: str
    spread: str
    means: str
    """The end that it lies towards, in words."""
    said: str


@dataclass(frozen=True, slots=True)
class Row:
    """One submission in the plot."""

    submission: Submission
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """The submissions of one corpus and task."""

    nth: int
    corpus: int
    task: str
    effects: tuple[Effect, ...]
    titles: tuple[str, ...]
    rows: tuple[Row, ...]
    """As many as the page draws as it opens, the largest first."""
    order: tuple[int, ...]
    """Every submission's place on the page, the largest first."""


def plots(found: Sequence[Regression], of: Sequence[Submission], scale: Scale) -> tuple[Plot, ...]:
    """The coefficient plots, a plot a corpus and task."""
    parts = [
        (one, task, fits)
        for one in found
        for task in dict.fromkeys(fit.task for fit in one.fits)
        if (fits := [fit for fit in one.fits if fit.task == task and not fit.reason])
    ]
    most = max(FEWEST, ROWS // max(len(parts), 1))
    placed = {(one.corpus, one.system, one.task): one for one in of}
    return tuple(
        _plot(nth, one, task, fits, placed, scale, most)
        for nth, (one, task, fits) in enumerate(parts)
    )


def plot_scale(found: Sequence[Regression]) -> Scale:
    """One scale for every effect, in points."""
    numbers = [
        number
        for one in found
        for fit in one.fits
        for effect in one.effects
        if (number := fit.number(effect, one.main)) is not None
    ]
    return scale_for(
        (POINTS * number["value"] for number in numbers),
        (POINTS * number[end] for number in numbers for end in ("low", "high")),
    )


def titles(effects: Sequence[Effect], *, full: bool = True) -> tuple[str, ...]:
    """What each effect is called: its axis, its groups where an axis has several effects.

    In full, with the groups at which it holds the other axes, where it does.
    """
    many = Counter(effect.axis for effect in effects)
    called = [(effect, effect.full if full else effect.title) for effect in effects]
    return tuple(
        title if many[effect.axis] == 1 else f"{title}: {effect.groups}" for effect, title in called
    )


def _plot(
    nth: int, one: Regression, task: str, fits: Sequence[Fit],
    placed: dict[tuple[int, str, str], Submission], scale: Scale, most: int,
) -> Plot:  # fmt: skip
    ordered = sorted(fits, key=lambda fit: (-_largest(fit, one), fit.system))
    mine = [placed[one.corpus, fit.system, task] for fit in ordered]
    rows = (
        Row(submission, tuple(_marks(fit, one, scale)))
        for fit, submission in zip(ordered[:most], mine, strict=False)
    )
    order = tuple(submission.nth for submission in mine)
    return Plot(nth, one.corpus, task, one.effects, titles(one.effects), tuple(rows), order)


def _largest(fit: Fit, one: Regression) -> float:
    found = (fit.number(effect, one.main) for effect in one.effects)
    return max((abs(number["value"]) for number in found if number is not None), default=-1.0)


def _marks(fit: Fit, one: Regression, scale: Scale) -> Iterator[Mark]:
    for effect in one.effects:
        told, number = fit.told.get(effect.key), fit.number(effect, one.main)
        if told is None or number is None or number["low"] is None:
            kind = "not_estimable"
            yield Mark(kind, "", None, None, None, DASH, "", "", SAID[kind])
            continue
        value = number["value"]
        size, start, end = told_from_above(value, number["low"], number["high"], "scale")
        behind = fit.number(effect, one.behind)
        yield Mark(
            kind=told["significance"],
            side="up" if value > 0 else "down" if value < 0 else "",
            x=scale.at(POINTS * value),
            line=_line(number, scale),
            behind=None if behind is None else _line(behind, scale),
            number=size,
            spread=f"{start} to {end}",
            means=effect.side(value),
            said=SAID[told["significance"]],
        )


def _line(number: Numbers, scale: Scale) -> Line | None:
    if number["low"] is None or number["high"] is None:
        return None
    return line_of(number["low"], number["high"], scale)


def line_of(low: float, high: float, scale: Scale) -> Line:
    """An interval, in parts of the scale of scores, on a scale of points."""
    left, right, edge = POINTS * low, POINTS * high, scale.limit * EDGE
    beyond = {(True, True): "both", (True, False): "left", (False, True): "right"}
    ends = (left < -edge, right > edge)
    return Line(scale.at(left), scale.at(right), beyond.get(ends, ""))
