"""Rows with marks on scales as one picture for a file."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.embeddings.picture import Picture, text, wrapped
from tiltmeter.report.embeddings.tracks import Panel, Track, placed_at
from tiltmeter.report.ratings.label import fitting

NAME, TRACK, SAID, ROW, HEAD = 230.0, 360.0, 330.0, 36.0, 52.0
"""Widths of names, scales and words; heights of a row and of a panel's head."""
MOST = 3
"""Lines of a name."""


def tracks_picture(panels: Sequence[Panel], title: str) -> Picture:
    """The panels under each other as one picture for a file."""
    y, parts = 0.0, []
    wide = NAME + TRACK + SAID + 20
    for panel in panels:
        parts += [text(0, y + 14, fitting(panel.title, wide, 12), "name"), _scale(panel, y)]
        y += HEAD if panel.axis else 24
        for row in panel.rows:
            parts.append(_row(row, y))
            y += _height(row)
        y += 22
    return Picture("", title, summary_of(panels), wide, max(y - 22, HEAD), "".join(parts))


def summary_of(panels: Sequence[Panel]) -> str:
    """Everything the picture shows, in words."""
    return " ".join(
        f"{panel.title}: "
        + "; ".join(
            f"{row.name}{f' {row.about}' if row.about else ''}: "
            + ", ".join(filter(None, (row.number, row.spread, row.said)))
            for row in panel.rows
        )
        + "."
        for panel in panels
    )


def _scale(panel: Panel, y: float) -> str:
    if panel.axis is None:
        return ""
    ends = text(NAME, y + 32, panel.ends[0], "soft") + text(
        NAME + TRACK, y + 32, panel.ends[1], "soft end"
    )
    ticks = "".join(text(placed_at(x), 11, words, "soft mid") for x, words in panel.ticks)
    place = f'x="{NAME:g}" y="{y + 36:g}" width="{TRACK:g}" height="16"'
    return f'{ends}<svg {place} overflow="visible">{ticks}</svg>'


def _said(row: Track) -> list[tuple[str, str]]:
    """The lines beside a row, and their kinds."""
    number = f"{row.number}{f' ({row.spread})' if row.spread else ''}"
    said = [(words, "soft") for words in wrapped(row.said, SAID, 11)]
    return [(number, "num"), *said] if number else said


def _named(row: Track) -> list[tuple[str, str]]:
    """The lines of a row's name and of what stands under it, and their kinds."""
    name = [(words, "") for words in wrapped(row.name, NAME - 12, 12)[:MOST]]
    return name + [(words, "soft") for words in wrapped(row.about, NAME - 12, 11)[:MOST]]


def _height(row: Track) -> float:
    lines = max(len(_said(row)), len(_named(row)))
    return max(ROW, 14.0 * lines + 10) + (14 if row.ends[0] else 0)


def _row(row: Track, y: float) -> str:
    down = 14 if row.ends[0] else 0
    named = "".join(
        text(0, y + 15 + down + 14 * nth, words, kind)
        for nth, (words, kind) in enumerate(_named(row))
    )
    ends = text(NAME, y + 10, fitting(row.ends[0], TRACK / 2 - 6, 11), "soft") + text(
        NAME + TRACK, y + 10, fitting(row.ends[1], TRACK / 2 - 6, 11), "soft end"
    )
    x = NAME + TRACK + 14
    told = "".join(
        text(x, y + 15 + down + 13 * nth, words, kind)
        for nth, (words, kind) in enumerate(_said(row))
    )
    place = f'x="{NAME:g}" y="{y + down:g}" width="{TRACK:g}" height="{ROW:g}"'
    track = f'<svg {place} overflow="visible">{row.cell}</svg>'
    return f"{named}{ends if row.ends[0] else ''}{track}{told}"
