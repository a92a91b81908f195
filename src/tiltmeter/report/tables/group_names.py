"""Groups in short, as the paper prints them: F and M, AA and EA."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 4
"""Letters of each word that an abbreviation takes at most."""


def abbreviated(groups: Sequence[str]) -> dict[str, str]:
    """Each group's initials, with as many letters of each word as tell all groups apart.

    >>> abbreviated(["female", "male"]), abbreviated(["African American", "European American"])
    ({'female': 'F', 'male': 'M'}, {'African American': 'AA', 'European American': 'EA'})
    >>> abbreviated(["Arab", "Anglo"]), abbreviated(["a", "A"])
    ({'Arab': 'Ar', 'Anglo': 'An'}, {'a': 'a', 'A': 'A'})
    """
    for letters in range(1, LONGEST + 1):
        short = {group: _initials(group, letters) for group in groups}
        if all(short.values()) and len(set(short.values())) == len(short):
            return short
    return {group: group for group in groups}


def _initials(group: str, letters: int) -> str:
    words = re.findall(r"\w+", group.replace("_", " "))
    return "".join(word[:1].upper() + word[1:letters] for word in words)


def labels(first: str, second: str) -> tuple[str, str]:
    """Heads of the columns of differences above and below 0.

    >>> labels("F", "M")
    ('F↑–M↓', 'F↓–M↑')
    """
    return f"{first}↑–{second}↓", f"{first}↓–{second}↑"


BESIDE_AVERAGE = {
    "none": "No difference from the average detected",
    "up": "Higher than the average, significant",
    "down": "Lower than the average, significant",
    "not_estimable": "Not estimable",
}
"""What each significance is called in print where groups are compared with the average of all."""


def printed(first: str, second: str) -> dict[str, str]:
    """What each significance is called in print.

    >>> printed("F", "M")["none"]
    'F=M not significant'
    """
    up, down = labels(first, second)
    return {
        "none": f"{first}={second} not significant",
        "up": f"{up} significant",
        "down": f"{down} significant",
        "not_estimable": "Not estimable",
        "all": "All",
    }
