"""Names made safe for files: plain letters, short, no two the same."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count

LONGEST = 60
"""Characters of a slug."""
DEVICES = (
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
)
"""Names that Windows keeps for itself."""
RESERVED = {*DEVICES, "index"}


def slug(name: str) -> str:
    """A name in lower-case letters, digits and hyphens.

    >>> slug("African American"), slug("../../etc/passwd"), slug("<script>"), slug("محبط")
    ('african-american', 'etc-passwd', 'script', 'x')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    short = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].strip("-")
    return short if short and short not in RESERVED else f"{short}x"


def unique_slugs(names: Iterable[str]) -> dict[str, str]:
    """A slug for each name; those that would share one also carry a digest of the name.

    >>> unique_slugs(["A b", "c", "a-b"])
    {'A b': 'a-b-a760b0e1', 'c': 'c', 'a-b': 'a-b-d44362d6'}
    """
    plain = {name: slug(name) for name in names}
    shared = Counter(plain.values())
    told = [one if shared[one] == 1 else f"{one}-{_digest(name)}" for name, one in plain.items()]
    return dict(zip(plain, numbered(told), strict=True))


def numbered(names: Sequence[str]) -> list[str]:
    """The names, with a number after each that has stood before.

    >>> numbered(["a", "b", "a", "a-2"])
    ['a', 'b', 'a-2', 'a-2-2']
    """
    seen: dict[str, None] = {}
    for name in names:
        tried = (name if n == 1 else f"{name}-{n}" for n in count(1))
        seen[next(one for one in tried if one not in seen)] = None
    return list(seen)


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
