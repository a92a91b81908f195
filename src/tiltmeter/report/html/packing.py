"""Arrays as short text: scaled to 16 bits, little-endian, base64."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    return Packed(_text(np.where(np.isnan(values), MISSING, steps).astype("<i2")), step)


def levels(values: Array, low: float, high: float) -> str:
    """Values between two ends, to a 65,535th of the way; NaN becomes the lower end."""
    width = high - low
    part = (np.nan_to_num(values, nan=low) - low) / width if width else np.zeros(values.shape)
    return _text(np.rint(np.clip(part, 0.0, 1.0) * LEVELS).astype("<u2"))


def places(values: NDArray[np.int64]) -> str:
    """Whole numbers from 0 up."""
    return _text(values.astype("<u4"))


def floats(values: Array) -> str:
    """Numbers to seven digits."""
    return _text(values.astype("<f4"))


def _text(values: NDArray[np.generic]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
