"""Tables and texts as a terminal shows them: aligned, broken where a line has no room, harmless."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest

LONGEST = 300
"""Letters of one text that are shown; files hold the whole."""
JOINERS = "\u200c\u200d"
"""Invisible letters that scripts need."""
HIDDEN = ("Cc", "Cf", "Zl", "Zp")
"""Categories of letters that move a cursor, turn a line around or cannot be seen."""
ARABIC_SIGNS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u0890\u0891\u08e2"
"""Of the category Cf, and seen all the same: the signs of a number, a year, a verse."""


def visible_text(text: str, most: int = LONGEST) -> str:
    r"""A text as it may be shown: no control or invisible letters, and not without end.

    >>> visible_text("a\x1b[31m"), visible_text("abcdef", 3)
    ('a\\u001b[31m', 'abc… (6 letters)')
    """
    return escape_hidden(text if len(text) <= most else f"{text[:most]}… ({len(text):,} letters)")


def escape_hidden(text: str) -> str:
    r"""A text whose control and invisible letters are seen, but for line ends.

    Nothing of a stranger's text then moves the cursor or turns a line around. Arabic is as it was.

    >>> escape_hidden("safe\u202eexe.txt"), escape_hidden("شعرت سارة")
    ('safe\\u202eexe.txt', 'شعرت سارة')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{ord(letter):04x}"
        if unicodedata.category(letter) in HIDDEN and letter not in ("\n", *JOINERS, *ARABIC_SIGNS)
        else letter
        for letter in text
    )


def text_width(text: str) -> int:
    """Columns that a text takes on a terminal.

    >>> text_width("né"), text_width("日本")
    (2, 4)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(letter) in ("Mn", "Me", "Cf")
        else 2 if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )  # fmt: skip


def text_table(
    heads: Sequence[str],
    groups: Sequence[tuple[str, Sequence[Sequence[str]]]],
    *,
    right: Sequence[bool],
    whole: Sequence[bool],
    width: int = 80,
) -> str:
    """Rows, under headings where groups have any, beneath a thin header.

    Columns that are `whole` are not broken into lines; where there are any, all stand closer.
    """
    heads = [visible_text(head) for head in heads]
    shown = [
        (heading, [[visible_text(text) for text in row] for row in rows])
        for heading, rows in groups
    ]
    gap, last = 2 if any(whole) else 3, len(heads) - 1
    texts = zip(heads, *(row for _, rows in shown for row in rows), strict=True)
    natural = [
        max(text_width(line) for text in column for line in text.split("\n")) for column in texts
    ]
    # Widths are shared out with the blanks beside each column, of which the outer ones have fewer.
    beside = [(nth < last) + (nth > 0 and gap == 3) for nth in range(len(heads))]
    outer = [max(1, one) + blanks for one, blanks in zip(natural, beside, strict=True)]
    outer = _fitting(outer, [not one for one in whole], width - last)
    widths = [max(1, one - blanks) for one, blanks in zip(outer, beside, strict=True)]
    lines = [*_row_lines(heads, widths, right, whole, gap, bottom=True)]
    lines.append("─" * (sum(widths) + gap * (len(heads) - 1)))
    for heading, rows in shown:
        lines += [visible_text(heading)] if heading else []
        lines += [line for row in rows for line in _row_lines(row, widths, right, whole, gap)]
    return "\n".join(lines)


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns; a word that has no room is cut.

    >>> wrapped("one two three", 7), wrapped("abcdefgh", 3)
    (['one two', 'three'], ['abc', 'def', 'gh'])
    """
    lines = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in re.findall(r"\s*\S+\s*", paragraph):
            wide = text_width(word.rstrip())
            if wide <= width - used:
                line, used = line + word, used + text_width(word)
                continue
            if line:
                lines.append(line.rstrip())
            *cut, line = _pieces(word, width) if wide > width else [word]
            lines += cut
            used = text_width(line)
        lines.append(line.rstrip())
    return lines


def _pieces(word: str, width: int) -> list[str]:
    """A long word in pieces of at most so many columns."""
    pieces, used = [""], 0
    for letter in word:
        wide = text_width(letter)
        if used + wide > width and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += letter
        used += wide
    return pieces


def _fitting(natural: Sequence[int], wrap: Sequence[bool], room: int) -> list[int]:
    """Widths of columns that fit: the widest are narrowed first, then all alike."""
    widths = list(natural)
    while any(wrap) and (excess := sum(widths) - room) > 0:
        widest = max(one for one, may in zip(widths, wrap, strict=True) if may)
        next_widest = max(
            (one for one, may in zip(widths, wrap, strict=True) if may and one != widest), default=0
        )
        if not widest - next_widest:
            break
        share = [1 if may and one == widest else 0 for one, may in zip(widths, wrap, strict=True)]
        most = [min(excess, widest - next_widest)] * len(widths)
        widths = _narrowed(widths, excess, share, most)
    if (excess := sum(widths) - room) > 0:
        widths = _narrowed(widths, excess, [1] * len(widths), widths)
    return widths


def _narrowed(
    widths: Sequence[int], by: int, share: Sequence[int], most: Sequence[int]
) -> list[int]:
    """Widths with so much taken away in all, from each its share and no more than the most."""
    found, left, shares = [], by, sum(share)
    for width, own, limit in zip(widths, share, most, strict=True):
        taken = min(limit, round(own * left / shares)) if own and shares > 0 else 0
        found.append(width - taken)
        left, shares = left - taken, shares - own
    return found


def _row_lines(
    row: Sequence[str],
    widths: Sequence[int],
    right: Sequence[bool],
    whole: Sequence[bool],
    gap: int,
    *,
    bottom: bool = False,
) -> Iterator[str]:
    """One row in as many lines as its longest cell needs; headers stand at the bottom."""
    cells = [
        [_pieces(line, width)[0] for line in text.split("\n")] if keep else wrapped(text, width)
        for text, width, keep in zip(row, widths, whole, strict=True)
    ]
    tall = max(map(len, cells))
    if bottom:
        cells = [[""] * (tall - len(lines)) + lines for lines in cells]
    for parts in zip_longest(*cells, fillvalue=""):
        padded = (
            " " * (width - text_width(text)) + text
            if to_right
            else text + " " * (width - text_width(text))
            for text, width, to_right in zip(parts, widths, right, strict=True)
        )
        yield (" " * gap).join(padded).rstrip()
