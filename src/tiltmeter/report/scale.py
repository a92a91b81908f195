"""Where a number stands on a picture: scales, and round numbers along them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tiltmeter.report.numbers import fixed

LIMITS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
HALF = 46.0
"""Per cent of the width between zero and the end of the scale; the rest keeps dots whole."""
TICKS = 2
"""At most so many ticks on either side of zero."""


@dataclass(frozen=True, slots=True)
class SymmetricScale:
    """A scale from −limit to limit, zero in the middle."""

    limit: float

    def at(self, value: float) -> float:
        """Where a value stands, in per cent; what lies beyond stands at the edge.

        >>> SymmetricScale(2.0).at(0.0), SymmetricScale(2.0).at(1.0), SymmetricScale(2.0).at(99.0)
        (50.0, 73.0, 100.0)
        """
        return round(min(100.0, max(0.0, 50.0 + HALF * value / self.limit)), 2)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Where the ticks stand and what they say: a size on either side, without a sign."""
        step = _rounded_up(self.limit / TICKS, STEPS)
        step = step if step <= self.limit else self.limit
        places = 0 if float(step).is_integer() else max(0, 1 - math.floor(math.log10(step)))
        text = fixed(step, places)
        text = text.rstrip("0").rstrip(".") if "." in text else text
        sizes = [(step, text)]
        if 2 * step <= self.limit:
            double = fixed(2 * step, places)
            sizes.append((2 * step, double.rstrip("0").rstrip(".") if "." in double else double))
        left = [(self.at(-size), text) for size, text in reversed(sizes)]
        right = [(self.at(size), text) for size, text in sizes]
        return (*left, (50.0, "0"), *right)


def scale_for(values: Iterable[float], ends: Iterable[float]) -> SymmetricScale:
    """A scale that holds every value and nine in ten of the intervals' ends.

    >>> scale_for([0.5, -2.1], [2.4, -0.1]).limit
    2.5
    """
    far = sorted(abs(end) for end in ends)
    reach = far[min(len(far) - 1, int(0.9 * len(far)))] if far else 0.0
    widest = max((abs(value) for value in values), default=0.0)
    return SymmetricScale(_rounded_up(max(widest, reach), LIMITS) or 1.0)


def _rounded_up(value: float, steps: tuple[float, ...]) -> float:
    """The next round number at or above a value; 0 for 0."""
    if value <= 0 or not math.isfinite(value):
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(round(step * power, 12) for step in steps if step * power >= value * (1 - 1e-9))


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """Numbers from low to high laid out from start to end: pixels, or per cent of a width."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value stands; what lies beyond stands at the edge.

        >>> NumberAxis(0, 2, 0, 100).at(0.5), NumberAxis(-1, 1, 100, 0).at(1)
        (25.0, 0.0)
        >>> NumberAxis(0, 1, 0, 100).at(9)
        100.0
        """
        part = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return round(self.start + part * (self.end - self.start), 2)

    def beyond(self, value: float) -> bool:
        """Whether a value lies outside."""
        return not self.low <= value <= self.high

    def ticks(self, many: int = 4, times: float = 1.0) -> list[tuple[float, str]]:
        """At most so many steps: where each round number stands, and its text.

        >>> NumberAxis(0, 0.5, 0, 100).ticks(2), NumberAxis(-2, 2, 0, 100).ticks(2)
        ([(0.0, '0'), (50.0, '0.25'), (100.0, '0.5')], [(0.0, '−2'), (50.0, '0'), (100.0, '2')])
        """
        step = step_for((self.high - self.low) * times, many)
        first = math.ceil(self.low * times / step - 1e-9)
        last = math.floor(self.high * times / step + 1e-9)
        return [(self.at(n * step / times), _plain(n * step, step)) for n in range(first, last + 1)]


def axis_for(
    values: Iterable[float | None], start: float, end: float, *, least: float = 1e-6, many: int = 4
) -> NumberAxis:
    """An axis from zero that holds every value and ends on a round number.

    >>> axis_for([0.107, 0.145, None], 0, 100).high
    0.15
    """
    most = max((value for value in values if value is not None), default=0.0)
    step = step_for(max(most, least), many)
    return NumberAxis(0.0, round(step * math.ceil(max(most, least) / step - 1e-9), 12), start, end)


def axis_around(
    values: Iterable[float | None], start: float, end: float, *, air: float = 0.06
) -> NumberAxis:
    """An axis that holds every value with some air around them; zero is not sought."""
    known = [value for value in values if value is not None] or [0.0]
    low, high = min(known), max(known)
    edge = air * (high - low) or max(abs(high), 1.0) * air
    return NumberAxis(low - edge, high + edge, start, end)


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
