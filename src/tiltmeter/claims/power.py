"""How often a verdict would come, before it is asked: the power of *tilted* and of *even*."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

Array = NDArray[np.float64]
Power = Callable[[Array], Array]
"""The power at a size, which grows with it."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(32)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
FEWEST = 0.1
"""Degrees of freedom at least: none at all says nothing of a spread."""
FURTHEST = 1e12
"""Standard errors that a test may ask for at most, so that products stay numbers."""
STEPS = 40
"""Halvings of a search; what is left of the range is below a millionth of it."""


def power_tilted(
    tilt: ArrayLike, se: ArrayLike, df: ArrayLike, margin: ArrayLike, level: ArrayLike
) -> Array:
    """P(estimate > margin + t(1 − level) · estimated se), for a tilt of this size.

    The far side is left out: where the margin is a small part of the standard error, the test asks
    for a little more than this.

    At the margin itself it is the level, whatever the noise:

    >>> print(power_tilted(0.01, 0.004, 12, 0.01, 0.05).round(3))
    0.05

    With very many degrees of freedom, z(0.95) + z(0.8) = 1.645 + 0.842 = 2.487 standard errors
    beyond the margin are called tilted four times in five:

    >>> print(power_tilted(0.01 + 2.487 * 0.004, 0.004, 1e9, 0.01, 0.05).round(3))
    0.8
    """
    apart, t, spread = _in_errors(np.abs(tilt) - np.asarray(margin), se, df, level)
    return _averaged(ndtr(apart - t * spread))


def power_even(
    tilt: ArrayLike, se: ArrayLike, df: ArrayLike, margin: ArrayLike, level: ArrayLike
) -> Array:
    """P(|estimate| < margin − t(1 − level) · estimated se), for a tilt of this size.

    Without a tilt and with very many degrees of freedom it is 2 Φ(margin/se − z(0.95)) − 1; for
    0.8 the margin is z(0.95) + z(0.9) = 1.645 + 1.282 = 2.927 standard errors:

    >>> print(power_even(0.0, 0.01 / 2.927, 1e9, 0.01, 0.05).round(3))
    0.8

    A margin below t standard errors is shown for no estimate, not even for 0:

    >>> print(power_even(0.0, 0.01, 1e9, 0.01, 0.05).round(3))
    0.0
    """
    upper, t, spread = _in_errors(np.asarray(margin) - np.asarray(tilt, np.float64), se, df, level)
    lower, _, _ = _in_errors(np.asarray(margin) + np.asarray(tilt, np.float64), se, df, level)
    inside = ndtr(upper - t * spread) - ndtr(t * spread - lower)
    return _averaged(np.maximum(inside, 0.0))


def smallest_tilted(
    se: ArrayLike, df: ArrayLike, margin: ArrayLike, level: float, power: float
) -> Array:
    """The smallest tilt that is called tilted beyond a margin with this power.

    >>> print(smallest_tilted(0.004, 1e9, 0.01, 0.05, 0.8).round(5))  # 0.01 + 2.4865 · 0.004
    0.01995
    """
    margin, se = np.asarray(margin, np.float64), np.asarray(se, np.float64)
    reach = _reach(lambda size: power_tilted(size, 1.0, df, 0.0, level), df, level, power)
    return np.asarray(margin + reach * se, np.float64)


def smallest_even(se: ArrayLike, df: ArrayLike, level: float, power: float) -> Array:
    """The smallest margin within which a system without a tilt is shown even with this power.

    >>> print(smallest_even(0.004, 1e9, 0.05, 0.8).round(5))  # 2.9264 · 0.004
    0.01171
    """
    reach = _reach(lambda size: power_even(0.0, 1.0, df, size, level), df, level, power)
    return np.asarray(reach * np.asarray(se, np.float64), np.float64)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a study could tell with a given power; arrays of one shape."""

    half_width: Array
    """Half the width of the interval that decides, as it is to be expected."""
    tilted_from: Array
    """The smallest tilt that would be called tilted beyond the margin."""
    even_within: Array
    """The smallest margin within which a system without a tilt would be shown even."""
    decides: NDArray[np.bool_]
    """Whether a system without a tilt would be shown even within the margin."""


def reach(se: ArrayLike, df: ArrayLike, margin: ArrayLike, level: float, power: float) -> Reach:
    """What a claim with such an error could tell, with a two-sided interval at this level.

    >>> found = reach([0.004], [1e9], 0.01, 0.1, 0.8)  # 1.6449 · 0.004; the others as above
    >>> found.half_width.round(5), found.tilted_from.round(5), found.even_within.round(5)
    (array([0.00658]), array([0.01995]), array([0.01171]))
    """
    error, free, bound = np.broadcast_arrays(
        *(np.asarray(one, np.float64) for one in (se, df, margin))
    )
    even = smallest_even(error, free, level / 2.0, power)
    return Reach(
        error * -stdtrit(np.maximum(free, FEWEST), level / 2.0),
        smallest_tilted(error, free, bound, level / 2.0, power),
        even,
        even <= bound,
    )


MOST = 2.0**14
"""Times as many people as there are; what needs more than that is out of reach."""


def people_needed(
    value: ArrayLike,
    se: ArrayLike,
    se_people: ArrayLike,
    se_floor: ArrayLike,
    df: ArrayLike,
    people: ArrayLike,
    margin: ArrayLike,
    level: ArrayLike,
    power: float = 0.8,
) -> Array:
    """How many people in all would decide it with this power, if the tilt is as seen; all (rows,).

    With a times as many people V(a) = (V_people − V_floor)/a + V_floor/a² + rest: what was seen
    among people shrinks as a mean does, the floor twice over, what words add stays. A value inside
    the margin asks for *even*, one outside for *tilted*. NaN where no number would do.

    All noise from 10 people, no tilt: the error must fall from 0.01 to 0.01 / 3.2415, and
    3.2415² = 10.5 times as many people are needed.

    >>> people_needed([0.0], [0.01], [0.01], [0.0], [1e9], [10], [0.01], [0.05])
    array([106.])
    """
    size, error, seen, ground, free, many, bound, at = np.broadcast_arrays(
        *(np.asarray(one, np.float64)
          for one in (np.abs(value), se, se_people, se_floor, df, people, margin, level))
    )  # fmt: skip
    rest = np.maximum(error**2 - seen**2, 0.0)

    def decided(log_times: Array) -> NDArray[np.bool_]:
        times = 2.0**log_times
        spread = np.sqrt((seen**2 - ground**2) / times + ground**2 / times**2 + rest)
        asked = size, spread, np.maximum(free, 1.0) * times, bound, at / 2.0
        return np.asarray(np.where(size < bound, power_even(*asked), power_tilted(*asked)) >= power)

    top = np.full(size.shape, np.log2(MOST))
    possible = decided(top) & (size != bound)
    low, high = np.zeros(size.shape), top
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        enough = decided(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(possible, np.ceil(many * 2.0**high - 1e-3), np.nan)


def _in_errors(
    apart: ArrayLike, se: ArrayLike, df: ArrayLike, level: ArrayLike
) -> tuple[Array, Array, Array]:
    """A distance in standard errors, t at the level, and estimated over true error at the nodes."""
    given = (np.asarray(one, np.float64) for one in (apart, se, df))
    distance, error, some = np.broadcast_arrays(*given)
    free = np.maximum(some, FEWEST)
    share = 2.0 / (9.0 * free[..., None])
    spread = np.maximum(1.0 - share + _NODES * np.sqrt(share), 0.0) ** 1.5
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(error > 0, distance / error, np.sign(distance) * np.inf)
    errors = np.where(distance == 0, 0.0, errors)
    return (
        errors[..., None],
        np.asarray(np.minimum(-stdtrit(free, level), FURTHEST))[..., None],
        spread,
    )


def _averaged(given: Array) -> Array:
    return np.asarray(given @ _WEIGHTS, np.float64)


def _reach(power_at: Power, df: ArrayLike, level: float, power: float) -> Array:
    """The size, in standard errors, at which a power that grows with it is reached."""
    _, t, spread = _in_errors(0.0, 1.0, df, level)
    high = (t * spread).max(axis=-1) + 10.0
    low = np.zeros_like(high)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        reached = power_at(middle) >= power
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.asarray(high, np.float64)
