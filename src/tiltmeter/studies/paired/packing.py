"""Arrays as short text: 16 bits, little-endian, base64; and each number as people read it."""

from __future__ import annotations

import base64
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.numbers import (
    DASH,
    POINTS,
    SCALE,
    decimals,
    fixed,
    points,
    short,
    without_dust,
)

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


def indices(values: NDArray[np.int64]) -> str:
    """Whole numbers from 0 up: 16 bits each, or 32 after a colon where one needs them."""
    if values.max(initial=0) > LEVELS:
        return f":{_text(values.astype('<u4'))}"
    return _text(values.astype("<u2"))


def indexed(series: pl.Series) -> dict[str, Any]:
    """A column with few values: the values, and the place of each row's."""
    values = series.unique(maintain_order=True).to_list()
    place = {value: nth for nth, value in enumerate(values)}
    return {"values": values, "at": [place[value] for value in series]}


def split_texts(texts: Sequence[str], frames: Sequence[Hashable]) -> dict[str, Any]:
    """Texts of one frame begin and end alike: that once, and what stands between for each.

    >>> found = split_texts(["Adam feels sad.", "Ebony feels sad."], ["1/sad", "1/sad"])
    >>> found["ends"], found["middles"]
    ([['', ' feels sad.']], ['Adam', 'Ebony'])
    """
    of_frame: dict[Hashable, list[int]] = {}
    for nth, frame in enumerate(frames):
        of_frame.setdefault(frame, []).append(nth)
    ends, frame_of = list[tuple[str, str]](), np.zeros(len(texts), np.int64)
    middles, middle_of = dict[str, int](), np.zeros(len(texts), np.int64)
    for nth, places in enumerate(of_frame.values()):
        own = [texts[at] for at in places]
        start = _start(own)
        rest = [text[start:] for text in own]
        end = _start([text[::-1] for text in rest])
        ends.append((own[0][:start], rest[0][len(rest[0]) - end :]))
        for at, text in zip(places, rest, strict=True):
            frame_of[at] = nth
            middle_of[at] = middles.setdefault(text[: len(text) - end], len(middles))
    return {
        "ends": [list(one) for one in ends], "frame": indices(frame_of),
        "middles": list(middles), "middle": indices(middle_of),
    }  # fmt: skip


def _start(texts: Sequence[str]) -> int:
    """How many letters all texts begin with."""
    first, last = min(texts), max(texts)
    pairs = zip(first, last, strict=False)
    return next((nth for nth, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))


@dataclass(frozen=True, slots=True)
class Rounding:
    """How numbers are said: `times` as large, with so many digits, or else so many decimals."""

    times: float = 1.0
    digits: int | None = 2
    decimals: int = 0

    def say(self, value: float) -> str:
        """The number as people read it."""
        if self.digits is None:
            return fixed(self.times * value, self.decimals)
        return points(value) if self.times == POINTS else short(self.times * value, self.digits)

    def number(self, value: float) -> float:
        """The number that its text stands for."""
        told = without_dust(self.times * value)
        return (
            round(told, self.decimals) if self.digits is None else float(f"{told:.{self.digits}g}")
        )

    def keys(self, values: Array) -> Array:
        """A key of what each number shows: numbers with the same key are said alike.

        NaN, which is like nothing else, where a number lies so near to the middle between two texts
        that only its own text tells.

        >>> Rounding().keys(np.array([0.0, 0.1041, 0.1042, 0.105])).tolist()
        [0.0, 20000010.0, 20000010.0, nan]
        """
        size = self.times * np.abs(values)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            last = np.full(size.shape, -float(self.decimals))  # the last digit's power of ten
            if self.digits is not None:
                last = np.minimum(np.floor(np.log10(size)) - self.digits + 1, 0.0)
            steps = size / 10.0**last
            near = np.abs(steps - np.floor(steps) - 0.5) < 1e-6
            keys = np.where(values < 0, -1.0, 1.0) * (np.rint(steps) - 1e7 * last)
        unsure = near | ~np.isfinite(keys) | (steps > 1e6) | (last < -9)
        return np.where(size == 0, 0.0, np.where(unsure, np.nan, keys))


def score_rounding(unit: str, width: float) -> Rounding:
    """How scores are said: points of 100 with one decimal, or three digits of their own range.

    >>> score_rounding("scale", 1.0).say(0.7234), score_rounding("native", 2.0).say(0.7234)
    ('72.3', '0.72')
    """
    if unit == SCALE:
        return Rounding(POINTS, None, 1)
    return Rounding(1.0, None, decimals(width or 1.0, 3))


class Phrasebook:
    """Numbers as people read them: each text once for a whole page, and where each number's stands.

    >>> book = Phrasebook()
    >>> book.places(np.array([0.5, np.nan, 0.5]), Rounding()), book.texts
    ('AAABAAAA', ['0.50', '–'])
    """

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._numbers: list[float | None] = []
        self._known: dict[Rounding, dict[float, int]] = {}

    @property
    def texts(self) -> list[str]:
        """Every text, by its place."""
        return list(self._place)

    @property
    def numbers(self) -> list[float | None]:
        """The number that each text stands for, in the unit that it is said in."""
        return self._numbers

    def places(self, values: Array, rounding: Rounding) -> str:
        """The place of each number's text: 16 bits each, or 32 after a colon for many texts."""
        return indices(self.codes(values, rounding))

    def codes(self, values: Array, rounding: Rounding) -> NDArray[np.int64]:
        """The same as whole numbers."""
        distinct, at = np.unique(values, return_inverse=True)
        keys = rounding.keys(distinct)
        news = np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]
        known, found = self._known.setdefault(rounding, {}), list[int]()
        for key, value in zip(keys[news].tolist(), distinct[news].tolist(), strict=True):
            place = known.get(key)
            if place is None:
                place = self._place_of(rounding, value)
                if not math.isnan(key):
                    known[key] = place
            found.append(place)
        codes: NDArray[np.int64] = np.array(found, np.int64)[np.cumsum(news) - 1][at.ravel()]
        return codes

    def _place_of(self, rounding: Rounding, value: float) -> int:
        known = not math.isnan(value)
        text = rounding.say(value) if known else DASH
        if text not in self._place:
            self._place[text] = len(self._place)
            self._numbers.append(rounding.number(value) if known else None)
        return self._place[text]


def _text(values: NDArray[np.generic]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
