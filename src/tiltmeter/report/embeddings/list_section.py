"""One list of terms: its figures, its terms in numbers, its groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.embeddings.heat_map import heat_pictures
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import Picture, inline
from tiltmeter.report.embeddings.rows import Row, lists_of, measured_terms, rows_of
from tiltmeter.report.embeddings.term_bars import bar_pictures, term_order
from tiltmeter.report.embeddings.units import per_cent, per_cents
from tiltmeter.report.embeddings.word_map import map_pictures
from tiltmeter.report.html.page_parts import trusted
from tiltmeter.report.ratings.phrases import called

FEW = 6
"""So many embeddings have their pictures on the page; those of others stand in files."""
BROAD = 340.0
"""Pixels above which a picture is wider than a column."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture and what stands above it."""

    caption: str
    svg: Any
    broad: bool
    """Wider than a column."""


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term and its number in each embedding."""

    term: str
    group: str
    cells: tuple[tuple[str, str, str], ...]
    """Probability, its interval, and its share or why there is none."""


@dataclass(frozen=True, slots=True)
class ListSection:
    """All of one list."""

    name: str
    title: str
    facts: tuple[str, ...]
    bars: tuple[Figure, ...]
    more_bars: tuple[Figure, ...]
    heats: tuple[Figure, ...]
    maps: tuple[Figure, ...]
    embeddings: tuple[str, ...]
    terms: tuple[TermRow, ...]
    unseen: int
    """Embeddings whose heat maps and maps stand in files only."""


def list_sections(material: EmbeddingMaterial) -> list[ListSection]:
    """A section for each list with a number at all."""
    return [_section(material, of, title) for of, title in lists_of(material).items()]


def _section(material: EmbeddingMaterial, of: str, title: str) -> ListSection:
    rows = measured_terms(material, of)
    bars = drawn(bar_pictures(material, of))
    heats = heat_pictures(material, of)
    named = tuple(dict.fromkeys(str(row["embedding"]) for row in rows if row["share"] is not None))
    return ListSection(
        of, title, tuple(_facts(rows_of(material.terms, list=of))), bars[:FEW], bars[FEW:],
        drawn(heats[:FEW]),
        drawn(map_pictures(material, of)[:FEW]), named, tuple(_terms(rows, named)),
        max(0, len(heats) - FEW),
    )  # fmt: skip


def drawn(pictures: Sequence[Picture]) -> tuple[Figure, ...]:
    """Pictures for the page."""
    return tuple(Figure(one.caption, trusted(inline(one)), one.wide > BROAD) for one in pictures)


def _facts(rows: Sequence[Row]) -> Iterator[str]:
    """How many terms there are and which are missing where."""
    terms = dict.fromkeys(str(row["term"]) for row in rows)
    groups = dict.fromkeys(str(row["group"]) for row in rows if row["group"] is not None)
    within = f" in {len(groups)} groups ({', '.join(groups)})" if groups else ""
    yield f"{len(terms)} terms{within}."
    gone: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(str(row["embedding"]) for row in rows):
        missing = tuple(
            called(str(row["term"]), 30)
            for row in rows
            if row["embedding"] == name and row["found_as"] is None
        )
        if missing:
            gone.setdefault(missing, []).append(called(name, 40))
    for missing, names in gone.items():
        who = names[0] if len(names) == 1 else f"{len(names)} embeddings"
        yield f"Not in {who}: {', '.join(missing)}."


def _terms(rows: Sequence[Row], named: Sequence[str]) -> Iterator[TermRow]:
    own = {(row["term"], row["embedding"]): row for row in rows}
    for term, group in term_order(rows).items():
        cells = tuple(_cell(own.get((term, name))) for name in named)
        yield TermRow(term, group, cells)


def _cell(row: Row | None) -> tuple[str, str, str]:
    if row is None or row["probability"] is None:
        return ("–", "", "not in the embedding" if row and row["found_as"] is None else "")
    found = row["found_as"]
    spelled = f", as “{called(found, 30)}”" if found not in (None, row["term"]) else ""
    spread = per_cents(row["low"], row["high"])
    return per_cent(row["probability"]), spread, f"share {per_cent(row['share'])}{spelled}"
