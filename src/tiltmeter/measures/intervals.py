"""How the intervals of a bootstrap are made: how sure, from how many resamples, for how many."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.stats.bootstrap import Array, percentile_interval

BEYOND = 5
"""Resamples that must lie beyond either end of an interval for it to be more than chance."""
MOST = 1_000_000
"""Resamples that do for five thousand differences at once; more would never come back."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made."""

    level: float = 0.05
    """0.05 gives 95 % intervals."""
    resamples: int = 2_000
    seed: int = 0
    family: int | None = None
    """How many differences to correct for; None: as many as there are in each measure."""

    def __post_init__(self) -> None:
        if not isinstance(self.level, Real) or not 0 < self.level < 0.5:
            what = f"--level is {self.level!r}; expected a number above 0 and below 0.5"
            raise TiltmeterError(f"{what}: 0.05 gives 95 % intervals")
        for name, least in (("resamples", self.resamples_for(1)), ("seed", 0), ("family", 1)):
            given = getattr(self, name)
            if (name, given) != ("family", None) and not _whole(given, least):
                what = f"--{name} is {given!r}"
                raise TiltmeterError(f"{what}; expected a whole number of at least {least}")
        if self.resamples > MOST:
            what = f"--resamples is {self.resamples:,}; expected at most {MOST:,}"
            raise TiltmeterError(f"{what}, which do for five thousand differences")

    @property
    def sure(self) -> str:
        """How sure the intervals are, in words.

        >>> Bootstrap().sure
        '95 %'
        """
        return f"{100 * (1 - self.level):.4g} %"

    def resamples_for(self, family: int) -> int:
        """How many resamples an interval needs that is corrected for so many differences."""
        return int(np.ceil(2 * BEYOND * family / self.level))

    def interval(self, draws: Array) -> tuple[Array, Array]:
        """The interval of each row's draws."""
        return percentile_interval(draws, self.level)

    def adjusted(self, draws: Array, family: int) -> tuple[Array, Array]:
        """Bonferroni's interval, at level / family; NaN where the resamples are too few for it."""
        if family > 1 and self.resamples < self.resamples_for(family):
            nothing = np.full(len(draws), np.nan)
            return nothing, nothing
        return percentile_interval(draws, self.level / family)


def _whole(given: object, least: int) -> bool:
    return isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= least
