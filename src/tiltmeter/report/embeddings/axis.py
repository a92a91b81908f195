"""A straight scale: where a number stands, and the round numbers along it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tiltmeter.report.numbers import fixed

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Numbers from low to high laid out from start to end: pixels, or per cent of a width."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value stands; what lies beyond stands at the edge.

        >>> Axis(0, 2, 0, 100).at(0.5), Axis(-1, 1, 100, 0).at(1), Axis(0, 1, 0, 100).at(9)
        (25.0, 0.0, 100.0)
        """
        part = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return round(self.start + part * (self.end - self.start), 2)

    def beyond(self, value: float) -> bool:
        """Whether a value lies outside."""
        return not self.low <= value <= self.high

    def ticks(self, many: int = 4, times: float = 1.0) -> list[tuple[float, str]]:
        """At most so many steps: where each round number stands, and its text.

        >>> Axis(0, 0.5, 0, 100).ticks(2), Axis(-2, 2, 0, 100).ticks(2)
        ([(0.0, '0'), (50.0, '0.25'), (100.0, '0.5')], [(0.0, '−2'), (50.0, '0'), (100.0, '2')])
        """
        step = step_for((self.high - self.low) * times, many)
        first = math.ceil(self.low * times / step - 1e-9)
        last = math.floor(self.high * times / step + 1e-9)
        return [(self.at(n * step / times), _plain(n * step, step)) for n in range(first, last + 1)]


def axis_for(
    values: Iterable[float | None], start: float, end: float, *, least: float = 1e-6, many: int = 4
) -> Axis:
    """An axis from zero that holds every value and ends on a round number.

    >>> axis_for([0.107, 0.145, None], 0, 100).high
    0.15
    """
    most = max((value for value in values if value is not None), default=0.0)
    step = step_for(max(most, least), many)
    return Axis(0.0, round(step * math.ceil(max(most, least) / step - 1e-9), 12), start, end)


def axis_around(
    values: Iterable[float | None], start: float, end: float, *, air: float = 0.06
) -> Axis:
    """An axis that holds every value with some air around them; zero is not sought."""
    known = [value for value in values if value is not None] or [0.0]
    low, high = min(known), max(known)
    edge = air * (high - low) or max(abs(high), 1.0) * air
    return Axis(low - edge, high + edge, start, end)


def step_for(span: float, many: int) -> float:
    """The smallest round step that cuts a span into at most so many parts.

    >>> step_for(1.0, 4), step_for(0.145, 4), step_for(30, 5)
    (0.25, 0.05, 10.0)
    """
    rough = span / many
    power = 10.0 ** math.floor(math.log10(rough))
    return next(round(one * power, 14) for one in STEPS if one * power >= rough * (1 - 1e-9))


def _plain(value: float, step: float) -> str:
    places = max(0, 2 - math.floor(math.log10(step)))
    text = fixed(value, places)
    return text.rstrip("0").rstrip(".") if "." in text else text
