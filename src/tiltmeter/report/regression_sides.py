"""Both sides of an effect in words: who is compared, who is scored higher, which end is which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tiltmeter.report.material import EVERYBODY

Pairs = Sequence[tuple[str, str]]
"""For each axis of an effect, how both of its sides are spoken of; nothing for the average."""


def all_with(held: Iterable[str]) -> str:
    """Which sentences an effect is about, where it is not about all.

    >>> all_with(["with Anglo names"]), all_with([])
    (', all with Anglo names', '')
    """
    known = [one for one in held if one]
    return f", all {' and '.join(known)}" if known else ""


def ends(sides: Pairs) -> tuple[str, str]:
    """What an effect means above and below zero; a second side of nothing is the average of all.

    >>> ends([("about women", "about men")])
    ('higher about women', 'higher about men')
    >>> ends([("about women", "about men"), ("with Arab names", "with Anglo names")])[1]
    'about women beside men: higher with Anglo names'
    >>> ends([("about women", "")])
    ('higher about women', 'lower about women')
    """
    lead = lead_of(sides)
    return f"{lead}{towards(sides[-1], True)}", f"{lead}{towards(sides[-1], False)}"


def lead_of(sides: Pairs) -> str:
    """What a product's ends begin with: `about women beside men: `."""
    held = ", ".join(_beside(*one) for one in sides[:-1])
    return f"{held}: " if held else ""


def _beside(first: str, second: str) -> str:
    """Two groups, without the words that both begin with: `about women beside men`."""
    if not second:
        return first
    ours, theirs = first.split(), second.split()
    while len(ours) > 1 and len(theirs) > 1 and ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    return f"{first} beside {' '.join(theirs)}"


def together(sides: Pairs) -> str:
    """All groups of a product beside all that they are held against.

    >>> together([("about women", "about men"), ("with Arab names", "with Anglo names")])
    'about women with Arab names beside men with Anglo names'
    """
    first, second = (" ".join(filter(None, some)) for some in zip(*sides, strict=True))
    return _beside(first, second or EVERYBODY)


def towards(side: tuple[str, str], up: bool) -> str:
    """Who is scored higher; lower, where the other side is the average of all."""
    first, second = side
    if up or not second:
        return f"{'higher' if up else 'lower'} {first}"
    return f"higher {second}"


def compared(sides: Pairs) -> str:
    """What is compared: `sentences about women and about men`."""
    *others, (first, second) = sides
    if not others:
        return f"sentences {first} and {second or f'those {EVERYBODY}'}"
    return f"sentences {_against(others)}, {first} and {second or 'on average'}"


def asked(sides: Pairs) -> str:
    """What an effect asks, after "whether".

    >>> asked([("about women", "about men"), ("with Arab names", "with Anglo names")])
    'sentences about women, compared with those about men, are scored alike with Arab names and \
with Anglo names'
    """
    *others, (first, second) = sides
    if not others:
        return f"{compared(sides)} are scored alike"
    alike = f"are scored alike {first} and {second or 'on average'}"
    return f"sentences {_against(others, ',')}, {alike}"


def told(sides: Pairs, up: bool, size: str) -> str:
    """What happened, with its size; a product moves the difference between its first sides."""
    *others, (first, second) = sides
    if others:
        who, than = f"sentences {_against(others, ',')}, are scored {size}", second or "on average"
        if up or not second:
            return f"{who} {towards(sides[-1], up)} than {than}"
        return f"{who} higher {second} than {first}"
    if not second:
        how = "higher" if up else "lower"
        return f"sentences {first} are scored {size} {how} than those {EVERYBODY}"
    more, less = (first, second) if up else (second, first)
    return f"sentences {more} are scored {size} higher than sentences {less}"


def _against(sides: Pairs, stop: str = "") -> str:
    """`about women compared with those about men`."""
    said = (f"{first}{stop} compared with those {second or EVERYBODY}" for first, second in sides)
    return ", and ".join(said)
