"""The English indefinite article, chosen by sound and not by letter."""

from __future__ import annotations

import re

_SILENT_H = re.compile(r"(hour|honest|honou?r|heir)", re.IGNORECASE)
_CONSONANT_VOWEL = re.compile(
    r"(uni([^nm]|m[aeo])|us[aeiu]|util|ut[eo]p|eu|ew|ur[aeiou]|once\b|one\b)", re.IGNORECASE
)
_SPELLED_OUT = re.compile(r"[AEFHILMNORSX](?:[A-Z0-9.]|$|\s)")


def article_before(text: str) -> str:
    """Return 'a' or 'an', as the first sound of the text asks.

    >>> [article_before(word) for word in ("amazing", "dreadful", "hour", "unique", "MRI scan")]
    ['an', 'a', 'an', 'a', 'an']
    """
    word = text.lstrip(" \t\"'“‘(«")
    if _SPELLED_OUT.match(word) or _SILENT_H.match(word):
        return "an"
    if _CONSONANT_VOWEL.match(word):
        return "a"
    return "an" if word[:1].lower() in set("aeiou") else "a"
