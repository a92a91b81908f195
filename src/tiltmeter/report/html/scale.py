"""Where a number stands on a picture: a symmetric scale around zero, in per cent of the width."""

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
class Scale:
    """A scale from −limit to limit, zero in the middle."""

    limit: float

    def at(self, value: float) -> float:
        """Where a value stands, in per cent; what lies beyond stands at the edge.

        >>> Scale(2.0).at(0.0), Scale(2.0).at(1.0), Scale(2.0).at(99.0)
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


def scale_for(values: Iterable[float], ends: Iterable[float]) -> Scale:
    """A scale that holds every value and nine in ten of the intervals' ends.

    >>> scale_for([0.5, -2.1], [2.4, -0.1]).limit
    2.5
    """
    far = sorted(abs(end) for end in ends)
    reach = far[min(len(far) - 1, int(0.9 * len(far)))] if far else 0.0
    widest = max((abs(value) for value in values), default=0.0)
    return Scale(_rounded_up(max(widest, reach), LIMITS) or 1.0)


def _rounded_up(value: float, steps: tuple[float, ...]) -> float:
    """The next round number at or above a value; 0 for 0."""
    if value <= 0 or not math.isfinite(value):
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(round(step * power, 12) for step in steps if step * power >= value * (1 - 1e-9))
