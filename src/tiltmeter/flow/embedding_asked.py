"""What a study of embeddings is asked for: whatever would say nothing or is wrong is refused."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.subjects import Specs
from tiltmeter.measures import METHODS, RnsbManner

PUBLISHED = "published"
MODES, POLARITIES = ("corrected", PUBLISHED), ("negative", "positive")
CASES = ("fallback", "exact")
FEWEST, MOST = 40, 10_000
"""Resamples: the fewest that give an interval, and the most that fit into memory."""


def specs_given(given: str | Path | Sequence[str | Path]) -> list[str]:
    """The embeddings named, each once."""
    several = [given] if isinstance(given, str | Path) else list(given)
    if not several or not all(str(one).strip() for one in several):
        raise TiltmeterError("no embedding is named; name a file or one, as in: glove-6b-50d")
    return list(dict.fromkeys(map(str, several)))


def any_given(systems: Specs) -> bool:
    """Whether systems are given: nothing, or an empty list, are none."""
    return systems is not None and not (isinstance(systems, Sized) and len(systems) == 0)


def check_with(needed: str, given: object, **others: object) -> None:
    """Refuse options that would say nothing, since what they go with is not asked for."""
    for name, value in others.items():
        if value is not None and not given:
            what = f"--{name} goes with --{needed}, which is not given"
            raise TiltmeterError(f"{what}; give it, or leave --{name} out")


def check_words(mode: str, polarity: str, case: str, mitigate: Sequence[str]) -> None:
    """Raise where a word is none of those that an option knows."""
    for name, value, known in (
        ("mode", mode, MODES), ("polarity", polarity, POLARITIES), ("case", case, CASES)
    ):  # fmt: skip
        if value not in known:
            raise TiltmeterError(f"--{name} is {value!r}; expected one of {', '.join(known)}")
    for method in mitigate:
        if method not in METHODS:
            expected = f"expected {', '.join(METHODS)}, several joined by commas"
            raise TiltmeterError(f"--mitigate names {method!r}; {expected}")


def rnsb_manner(
    mode: str, polarity: str, coverage: float, resamples: int, seed: int, ridge: float | None
) -> RnsbManner:
    """How RNSB is to be made; numbers that make no sense are refused."""
    if not 0 < coverage <= 1:
        raise TiltmeterError(f"--coverage is {coverage:g}; expected a share above 0 and up to 1")
    if resamples != 0 and resamples < FEWEST:
        what = f"--resamples is {resamples}; expected at least {FEWEST}, or 0 for no intervals"
        raise TiltmeterError(what)
    if resamples > MOST:
        raise TiltmeterError(f"--resamples is {resamples}; expected at most {MOST}")
    if seed < 0:
        raise TiltmeterError(f"--seed is a whole number from 0 up; found {seed!r}")
    if seed >= 2**32 and mode == PUBLISHED:
        what = f"--seed is {seed}; expected one below {2**32} with --mode {PUBLISHED}"
        raise TiltmeterError(f"{what}, as scikit-learn's split takes no larger one")
    if ridge is not None and not 0 < ridge < float("inf"):
        raise TiltmeterError(f"--ridge is {ridge:g}; expected a number above 0")
    if ridge is not None and mode == PUBLISHED:
        raise TiltmeterError("--ridge goes with --mode corrected; the paper's is 1")
    return RnsbManner(mode, polarity, coverage, resamples, seed, ridge)
