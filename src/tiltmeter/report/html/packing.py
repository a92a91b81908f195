"""Arrays as short text: scaled to 16 bits, little-endian, base64."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.report.numbers import DASH

Array = NDArray[np.float64]

MISSING = -32768
"""Stands for NaN among signed 16-bit numbers."""
LARGEST = 32767
LEVELS = 65535


@dataclass(frozen=True, slots=True)
class Packed:
    """Numbers as text, and what one step is worth."""

    text: str
    step: float


def signed(values: Array) -> Packed:
    """Values around zero, to a 32,767th of the largest.

    >>> signed(np.array([0.5, -0.5, np.nan])).text
    '/38BgACA'
    """
    known = np.nan_to_num(values)
    step = float(np.max(np.abs(known), initial=0.0)) / LARGEST
    steps = np.rint(known / step) if step else np.zeros(values.shape)
    steps = np.where(steps == 0, np.sign(known), steps)  # only what is nothing is drawn as nothing
    return Packed(_text(np.where(np.isnan(values), MISSING, steps).astype("<i2")), step)


def places(values: NDArray[np.int64]) -> str:
    """Whole numbers from 0 up."""
    return _text(values.astype("<u4"))


class Phrasebook:
    """Numbers as people read them: each text once for a whole page, and where each number's stands.

    >>> book = Phrasebook()
    >>> book.places(np.array([0.5, np.nan, 0.5]), str), book.texts
    ('AAABAAAA', ['0.5', '–'])
    """

    def __init__(self) -> None:
        self._place: dict[str, int] = {}

    @property
    def texts(self) -> list[str]:
        """Every text, by its place."""
        return list(self._place)

    def places(self, values: Array, say: Callable[[float], str]) -> str:
        """The place of each number's text: 16 bits each, or 32 after a colon for many texts."""
        distinct, at = np.unique(values, return_inverse=True)
        said = [DASH if math.isnan(value) else say(value) for value in distinct.tolist()]
        known = [self._place.setdefault(text, len(self._place)) for text in said]
        codes = np.array(known, np.int64)[at.ravel()]
        if codes.max(initial=0) > LEVELS:
            return f":{_text(codes.astype('<u4'))}"
        return _text(codes.astype("<u2"))


def _text(values: NDArray[np.generic]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
