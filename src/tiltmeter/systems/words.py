"""The words of a text, for systems whose package leaves cutting it up to the caller."""

from __future__ import annotations

import re
import unicodedata

# Letters, digits and underscores, and the accents and Arabic vowel signs that stand on them.
_WORD = re.compile(r"[\w\u0300-\u036f\u064b-\u065f\u0670]+")


def words(text: str) -> list[str]:
    """A text's words in lower case, without punctuation.

    >>> words("The conversation with Ebony wasn't GREAT!")
    ['the', 'conversation', 'with', 'ebony', 'wasn', 't', 'great']
    """
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())
