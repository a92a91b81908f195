"""The English indefinite article, chosen by sound and not by letter."""

from __future__ import annotations

import re

_SILENT_H = r"hour|honest|honou?r|heir"
_VOWEL_NUMBER = r"8|1[18](?!\d)"
_VOWEL_LETTER = r"(?-i:[AEFHILMNORSX](?=[A-Z0-9.\-]|\b))"
_CONSONANT_LETTER = r"(?-i:[BCDGJKPQTUVWYZ](?=[A-Z0-9.\-]|\b))"
_YOU = (
    r"uni(?=que|form|on|t|ver|corn|lat|sex|son|fi|x|cy|ce|cod|pol)|ubiq|ukr|us[aeiu]|util|ut[eo]p|"
    r"ur[aeio]|eu|ewe"
)
_WON = r"one\b|once\b|oui"
_AN = re.compile(rf"{_SILENT_H}|{_VOWEL_NUMBER}|{_VOWEL_LETTER}", re.IGNORECASE)
_A = re.compile(rf"{_YOU}|{_WON}|{_CONSONANT_LETTER}", re.IGNORECASE)


def article_before(text: str) -> str:
    """Return 'a' or 'an', as the first sound of the text asks.

    >>> [article_before(word) for word in ("amazing", "dreadful", "hour", "unique", "MRI scan")]
    ['an', 'a', 'an', 'a', 'an']
    """
    word = text.lstrip(" \t\"'“‘(«")
    if _AN.match(word):
        return "an"
    if _A.match(word):
        return "a"
    return "an" if word[:1].lower() in set("aeiou") else "a"
