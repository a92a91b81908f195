"""Numbers of a study of embeddings as people read them.

RNSB has three decimals, or four where it is small; probabilities and shares are per cent, their
differences points. Texts come with that of their interval, which is empty where there is none.
"""

from __future__ import annotations

from tiltmeter.report.numbers import DASH, decimals, fixed, interval, p_value, short

Number = float | None
SMALLEST = 0.0001
"""An RNSB below which is only said to be smaller; the paper prints four decimals."""


def rnsb_text(value: Number) -> str:
    """An RNSB by itself.

    >>> rnsb_text(0.10720), rnsb_text(0.0), rnsb_text(None)
    ('0.107', '0', '–')
    """
    return rnsb_texts(value, None, None)[0]


def rnsb_texts(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """An RNSB and its interval, with the same decimals; no interval where there is none.

    >>> rnsb_texts(0.1072, 0.0772, 0.1447), rnsb_texts(0.6224, None, None)
    (('0.107', '0.077 to 0.145'), ('0.622', ''))
    """
    if value is not None and 0 < value < SMALLEST / 2:
        return f"less than {SMALLEST}", "" if high is None else f"up to {fixed(high, 4)}"
    return _texts(value, low, high, min(4, max(3, decimals(value))) if value else 0)


def effect_texts(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """An effect size, a correlation or the like, with two decimals.

    >>> effect_texts(-1.234, -1.5, -0.7), effect_texts(0.0042, None, None)
    (('−1.23', '−1.50 to −0.70'), ('0.00', ''))
    """
    return _texts(value, low, high, 2)


def points_texts(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """A difference of probabilities or of scores in points of 100.

    >>> points_texts(-0.1356, -0.2557, -0.0157)
    ('−14', '−26 to −2')
    """
    if value is None:
        return DASH, ""
    wide = (high - low) / 2 if low is not None and high is not None else 0.0
    places = decimals(100 * max(abs(value), wide))
    start, end = (None if part is None else 100 * part for part in (low, high))
    return _texts(100 * value, start, end, places)


def gap_texts(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """A difference of two RNSB, with no more decimals than its interval bears.

    >>> gap_texts(0.0316, 0.0016, 0.0616)
    ('0.032', '0.002 to 0.062')
    """
    if value is None or low is None or high is None:
        return rnsb_texts(value, low, high)
    number, start, end = interval(value, low, high)
    return number, f"{start} to {end}"


def _texts(value: Number, low: Number, high: Number, places: int) -> tuple[str, str]:
    if value is None:
        return DASH, ""
    spread = "" if low is None or high is None else f"{fixed(low, places)} to {fixed(high, places)}"
    return fixed(value, places), spread


def per_cent(share: Number) -> str:
    """A probability or share; neither 0 nor 100 unless it is.

    >>> per_cent(0.1214), per_cent(0.0114), per_cent(0.9981), per_cent(0.00001), per_cent(1.0)
    ('12 %', '1.1 %', 'more than 99 %', 'less than 0.1 %', '100 %')
    """
    if share is None:
        return DASH
    if 0 < share < 0.001:
        return "less than 0.1 %"
    if 0.995 <= share < 1:
        return "more than 99 %"
    return f"{short(100 * share)} %"


def per_cents(low: Number, high: Number) -> str:
    """From one share to another.

    >>> per_cents(0.052, 0.214), per_cents(None, 0.2)
    ('5.2 to 21 %', '')
    """
    if low is None or high is None:
        return ""
    if per_cent(low).startswith(("less", "more")) or per_cent(high).startswith(("less", "more")):
        return f"{fixed(100 * low, 1)} to {fixed(100 * high, 1)} %"
    return f"{per_cent(low).removesuffix(' %')} to {per_cent(high)}"


def p_text(p: Number) -> str:
    """A p-value, or nothing."""
    return "" if p is None else p_value(p)
