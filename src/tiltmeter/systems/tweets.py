"""The words and signs of a tweet, in any script: for models that learn what an emoji is worth."""

from __future__ import annotations

import html
import re
import unicodedata

ADDRESS, MENTION = "<url>", "<user>"
"""What stands for any address, and for anybody mentioned."""

# Words with the accents and Arabic vowel signs that stand on them; else a sign, however often it is
# repeated. Joiners and variation selectors only say how an emoji is drawn.
_PARTS = re.compile(
    r"(?P<address>https?://\S+|www\.\S+)|(?P<mention>@\w+)"
    r"|(?P<word>\w[\w\u0300-\u036f\u064b-\u065f\u0670]*(?:'\w+)*)"
    r"|(?P<sign>[^\w\s\u200b-\u200f\ufe00-\ufe0f\ufeff])(?P=sign)*"
)


def tweet_parts(text: str) -> list[str]:
    r"""A text's words in lower case and its signs, each in order.

    SemEval's tweets have line breaks written as backslash and n, and `&amp;` for an ampersand.

    >>> tweet_parts("@Ana I'm SO happy!!! 😂😂\\nsee https://t.co/x #joy")
    ['<user>', "i'm", 'so', 'happy', '!', '😂', 'see', '<url>', '#', 'joy']
    >>> tweet_parts("¡Qué día! أنا حزينٌ جدًا")
    ['¡', 'qué', 'día', '!', 'أنا', 'حزينٌ', 'جدًا']
    """
    plain = html.unescape(text.replace("\\n", " ")).replace("’", "'")
    lower = unicodedata.normalize("NFC", plain).lower()
    return [_part(found) for found in _PARTS.finditer(lower)]


def _part(found: re.Match[str]) -> str:
    stands_for = {"address": ADDRESS, "mention": MENTION}
    return stands_for.get(found.lastgroup or "") or found[found.lastgroup or 0]
