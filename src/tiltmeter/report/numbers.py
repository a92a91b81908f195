"""Numbers as people read them: points of 100, two significant digits, a real minus sign."""

from __future__ import annotations

import math

SCALE = "scale"
"""The unit of differences where a scale is known."""
POINTS = 100.0
"""Points in a whole scale."""
SMALLEST = 0.001
"""Points below which a size is only said to be smaller."""
DASH = "–"
"""Stands where there is no number."""


def without_dust(value: float) -> float:
    """The number to twelve digits: one result computed in two ways must not round in two ways.

    >>> fixed(42.5, 0), fixed(42.500000000000004, 0)
    ('42', '42')
    """
    return float(f"{value:.12g}")


def decimals(value: float, digits: int = 2) -> int:
    """How many decimals show so many significant digits.

    >>> decimals(0.1045), decimals(12.3), decimals(0.0), decimals(0.99999)
    (2, 0, 0, 1)
    """
    if not value or not math.isfinite(value):
        return 0
    exponent = int(
        f"{without_dust(value):.{digits - 1}e}".partition("e")[2]
    )  # after rounding: 0.99999 is 1.0
    return max(0, digits - 1 - exponent)


def fixed(value: float, places: int) -> str:
    """With a real minus sign, and none before a zero.

    >>> fixed(-0.5, 1), fixed(-0.001, 2), fixed(1234.0, 0)
    ('−0.5', '0.00', '1,234')
    """
    text = f"{without_dust(abs(value)):,.{places}f}"
    negative = value < 0 and text.strip("0.,")
    return f"−{text}" if negative else text


def short(value: float | None, digits: int = 2) -> str:
    """A number with so many significant digits.

    >>> short(0.1045), short(-2.26), short(None), short(0.00001)
    ('0.10', '−2.3', '–', '0.000010')
    """
    return DASH if value is None else fixed(value, decimals(value, digits))


def points(value: float | None) -> str:
    """A part of the scale in points of 100.

    >>> points(0.001045), points(-0.0223), points(0.000001)
    ('0.10', '−2.2', 'less than 0.001')
    """
    if value is None:
        return DASH
    if 0 < abs(value) * POINTS < SMALLEST:
        return f"less than {SMALLEST}"
    return short(value * POINTS)


def interval(value: float, low: float, high: float, times: float = 1.0) -> tuple[str, str, str]:
    """A value and its interval with the same decimals, enough for two digits of the larger part.

    >>> interval(0.001045, 0.000877, 0.001214, POINTS)
    ('0.10', '0.09', '0.12')
    """
    places = decimals(times * max(abs(value), (high - low) / 2))
    return fixed(times * value, places), fixed(times * low, places), fixed(times * high, places)


def p_value(p: float | None) -> str:
    """As in p = 0.003 or p < 0.001.

    Close to 0.05 there are more digits, so that what was detected and what was not do not look
    alike.

    >>> p_value(0.0032), p_value(0.21), p_value(1e-9), p_value(1.0), p_value(None)
    ('p = 0.003', 'p = 0.21', 'p < 0.001', 'p = 1', 'p –')
    >>> p_value(0.0499), p_value(0.0501)
    ('p = 0.0499', 'p = 0.0501')
    """
    if p is None:
        return f"p {DASH}"
    p = without_dust(p)
    if p < 0.001:
        return "p < 0.001"
    if p < 0.01:
        return f"p = {p:.3f}"
    near = f"{p:.2g}" == "0.05" and p != 0.05
    return f"p = {p:.4f}" if near else f"p = {p:.2g}"


def bare_p(p: float | None) -> str:
    """The same without its letter, for a column of p-values.

    >>> bare_p(0.0498), bare_p(1e-9), bare_p(None)
    ('0.0498', '< 0.001', '–')
    """
    return p_value(p).removeprefix("p ").removeprefix("= ")


def size(value: float | None, unit: str) -> str:
    """A difference in points of 100 where the scale is known, else in the system's own units.

    >>> size(0.425, "scale"), size(-1.5, "native")
    ('42', '−1.5')
    """
    return points(value) if unit == SCALE else short(value)


def unbroken(text: str) -> str:
    """A sentence whose "95 %" and "p < 0.001" stay on one line.

    >>> unbroken("95 % interval, p = 0.003").count(chr(160))
    3
    """
    for kept in ("95 %", "p = ", "p < ", "p ≤ "):
        text = text.replace(kept, kept.replace(" ", "\u00a0"))
    return text


def count(number: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> count(1, "pair"), count(1584, "pair")
    ('1 pair', '1,584 pairs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
