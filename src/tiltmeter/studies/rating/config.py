"""How ratings are made: their terms, levels, confidence, weights, and which of two practices."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from tiltmeter.corpora import Share
from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.causal import Array, tails
from tiltmeter.stats.multiplicity import CORRECTIONS
from tiltmeter.studies.rating.groups import Measure


class ScoreVariant(StrEnum):
    """Which scores are rated: as systems give them, or split at 0."""

    CONTINUOUS = "continuous"
    DISCRETISED = "discretised"


CONTINUOUS, DISCRETISED = ScoreVariant
VARIANTS = {"both": (CONTINUOUS, DISCRETISED), "no": (CONTINUOUS,), "yes": (DISCRETISED,)}
CONFIDENCE = (0.95, 0.70, 0.60)
WEIGHTS = {"published": (1.0, 0.7, 0.6), "corrected": (1.0, 0.8, 0.6)}
"""The paper's text says 1, 0.8, 0.6; every number in its tables comes from 1, 0.7, 0.6."""
MOST_REPEATS, MOST_LEVELS, HEAVIEST = 10_000, 100, 1_000
READABLE = 7
"""More levels than people can tell apart at a glance (Miller 1956, as the paper says)."""


@dataclass(frozen=True, slots=True)
class RatingTerms:
    """What determines ratings, besides the systems."""

    mode: str = "corrected"
    edition: str = "corrected"
    raw: str = "die"
    k: int = 1
    strength: float | None = None
    shares: tuple[Share, ...] | None = None
    seed: int = 0
    weights: tuple[float, ...] | None = None
    """None: those of the mode."""
    multiplicity: str = "none"
    levels: int | None = None
    """None: as many as are usual for so many systems."""
    groups: tuple[str, ...] = ("1", "2", "3", "4")

    @property
    def facts(self) -> dict[str, Any]:
        """The same as plain values, to be written beside the ratings."""
        return asdict(self) | {"shares": list(map(asdict, self.shares)) if self.shares else None}


@dataclass(frozen=True, slots=True)
class RatingConfig:
    """How raw scores are computed and rated."""

    mode: str = "corrected"
    raw: str = Measure.DIE
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


def rating_config(
    *,
    mode: str = "corrected",
    raw: str = Measure.DIE,
    discretise: str = "both",
    weights: tuple[float, ...] | None = None,
    multiplicity: str = "none",
    repeats: int = 0,
    seed: int = 0,
    levels: int | None = None,
) -> RatingConfig:
    """What a user asks for, checked; `levels` too, before any system is asked."""
    if levels is not None:
        check_levels(levels)
    for option, given, known in (
        ("--mode", mode, WEIGHTS),
        ("--raw", raw, (Measure.DIE, Measure.ATE)),
        ("--discretise", discretise, VARIANTS),
        ("--multiplicity", multiplicity, CORRECTIONS),
    ):
        if given not in known:
            raise TiltmeterError(f"{option} is {given!r}; expected one of {', '.join(known)}")
    if not 0 <= repeats <= MOST_REPEATS:
        raise TiltmeterError(f"--draws is {repeats:,}; expected from 0 to {MOST_REPEATS:,}")
    if seed < 0:
        raise TiltmeterError(f"--seed is a whole number from 0 up; found {seed}")
    if weights is None:
        weights = WEIGHTS[mode]
    found, three = ", ".join(map(str, weights)), ", ".join(f"{one:.0%}" for one in CONFIDENCE)
    if len(weights) != len(CONFIDENCE) or not all(0 <= one < float("inf") for one in weights):
        raise TiltmeterError(f"--weights is {found}; expected three, 0 or more, for {three}")
    if not 0 < max(weights) <= HEAVIEST:  # all 0: nothing would ever be rejected
        what = f"--weights is {found}; expected one above 0 and none above {HEAVIEST:,}"
        raise TiltmeterError(f"{what}, as in 1,0.8,0.6")
    return RatingConfig(mode, raw, VARIANTS[discretise], weights, multiplicity, repeats, seed)


def check_levels(levels: int) -> None:
    """Refuse numbers of rating levels that no panel can be split into."""
    if levels < 2:
        raise TiltmeterError(f"--levels is {levels}; expected 2 or more")
    if levels > MOST_LEVELS:
        what = f"--levels is {levels:,}; expected at most {MOST_LEVELS}"
        raise TiltmeterError(f"{what}, and up to {READABLE} read well")
