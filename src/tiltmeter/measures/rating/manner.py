"""How a rating is made: levels, confidence, weights, and which of two practices."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.rating.columns import ATE, DIE
from tiltmeter.measures.stats.class_sums import Array
from tiltmeter.measures.stats.rejections import tails
from tiltmeter.measures.stats.several_tests import CORRECTIONS

CONTINUOUS, DISCRETISED = "continuous", "discretised"
VARIANTS = {"both": (CONTINUOUS, DISCRETISED), "no": (CONTINUOUS,), "yes": (DISCRETISED,)}
CONFIDENCE = (0.95, 0.70, 0.60)
WEIGHTS = {"published": (1.0, 0.7, 0.6), "corrected": (1.0, 0.8, 0.6)}
"""The paper's text says 1, 0.8, 0.6; every number in its tables comes from 1, 0.7, 0.6."""
MOST_REPEATS, MOST_LEVELS = 10_000, 100
HEAVIEST = 1_000
READABLE = 7
"""More levels than people can tell apart at a glance (Miller 1956, as the paper says)."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How raw scores are computed and rated."""

    mode: str = "corrected"
    raw: str = DIE
    """What confounded groups are rated on: die or ate."""
    variants: tuple[str, ...] = VARIANTS["both"]
    weights: tuple[float, ...] = WEIGHTS["corrected"]
    multiplicity: str = "none"
    repeats: int = 0
    seed: int = 0

    @property
    def published(self) -> bool:
        """Whether everything is as in the paper."""
        return self.mode == "published"

    @property
    def tail(self) -> Array:
        """The two-sided p-value below which each level rejects."""
        return tails(CONFIDENCE, halved_twice=self.published)


def rating_manner(
    *,
    mode: str = "corrected",
    raw: str = DIE,
    discretise: str = "both",
    weights: tuple[float, ...] | None = None,
    multiplicity: str = "none",
    repeats: int = 0,
    seed: int = 0,
    levels: int | None = None,
) -> Manner:
    """What a user asks for, checked; `levels` too, before anybody is asked."""
    if levels is not None:
        check_levels(levels)
    _one_of("--mode", mode, tuple(WEIGHTS))
    _one_of("--raw", raw, (DIE, ATE))
    _one_of("--discretise", discretise, tuple(VARIANTS))
    _one_of("--multiplicity", multiplicity, CORRECTIONS)
    if not 0 <= repeats <= MOST_REPEATS:
        raise TiltmeterError(f"--draws is {repeats:,}; expected from 0 to {MOST_REPEATS:,}")
    if seed < 0:
        raise TiltmeterError(f"--seed is a whole number from 0 up; found {seed}")
    given = WEIGHTS[mode] if weights is None else weights
    _check_weights(given)
    return Manner(mode, raw, VARIANTS[discretise], given, multiplicity, repeats, seed)


def check_levels(levels: int) -> None:
    """Refuse numbers of rating levels that no panel can be split into."""
    if levels < 2:
        raise TiltmeterError(f"--levels is {levels}; expected 2 or more")
    if levels > MOST_LEVELS:
        what = f"--levels is {levels:,}; expected at most {MOST_LEVELS}"
        raise TiltmeterError(f"{what}, and up to {READABLE} read well")


def _check_weights(given: tuple[float, ...]) -> None:
    """Three of a size that can be added up, and not all 0: nothing would ever be rejected."""
    found, levels = ", ".join(map(str, given)), ", ".join(f"{one:.0%}" for one in CONFIDENCE)
    if len(given) != len(CONFIDENCE) or not all(0 <= one < float("inf") for one in given):
        raise TiltmeterError(f"--weights is {found}; expected three, 0 or more, for {levels}")
    if not 0 < max(given) <= HEAVIEST:
        what = f"--weights is {found}; expected one above 0 and none above {HEAVIEST:,}"
        raise TiltmeterError(f"{what}, as in 1,0.8,0.6")


def _one_of(option: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise TiltmeterError(f"{option} is {given!r}; expected one of {', '.join(known)}")
