"""The words of a text, for whatever leaves cutting it up to the caller."""

from __future__ import annotations

import re
import unicodedata

# Letters, digits and underscores, and the accents and Arabic vowel signs that stand on them.
_WORD = re.compile(r"[\w\u0300-\u036f\u064b-\u065f\u0670]+")


def words_in(text: str, *, lower: bool = True) -> list[str]:
    """A text's words without punctuation, in lower case unless told otherwise.

    >>> words_in("The conversation with Ebony wasn't GREAT!")
    ['the', 'conversation', 'with', 'ebony', 'wasn', 't', 'great']
    """
    whole = unicodedata.normalize("NFC", text)
    return _WORD.findall(whole.lower() if lower else whole)
