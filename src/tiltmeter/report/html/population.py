"""Who the names of a corpus are: its population and its cells, or how a list's names stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.audit_run import PopulationFacts
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import DASH

WORDS = 3
"""Names that are also words, named of each cell."""


@dataclass(frozen=True, slots=True)
class CellRow:
    """One combination of groups."""

    label: str
    names: str
    bearers: str
    effective: str
    drawn: str
    words: str
    """How many of the names are also words, and the most common of those."""


@dataclass(frozen=True, slots=True)
class PopulationPart:
    """What the page says of one corpus' names."""

    corpus: str
    title: str
    sentences: tuple[str, ...]
    cells: tuple[CellRow, ...] = ()
    weighted: bool = False
    source: str = ""


def populations_told(material: Material) -> list[PopulationPart]:
    """A part for each corpus that there is something to say of."""
    found = []
    for one in material.compared:
        population = material.run.populations.get(one.name)
        if population:
            found.append(
                PopulationPart(
                    one.title, population.title, one.people_notes,
                    tuple(_cells(population)), population.weights == "bearers",
                    f"{population.source}; licence: {population.licence}",
                )
            )  # fmt: skip
        elif one.people_notes:
            found.append(PopulationPart(one.title, "", one.people_notes))
    return found


def _cells(population: PopulationFacts) -> Iterator[CellRow]:
    for cell in population.cells:
        certain = f" ({cell.certain:,} certain)" if cell.certain else ""
        whole = cell.drawn == cell.names
        named = ", ".join(cell.word_examples[:WORDS])
        words = DASH if cell.words is None else f"{cell.words:,}"
        yield CellRow(
            cell.label,
            f"{cell.names:,}",
            DASH if cell.bearers is None else f"{cell.bearers:,}",
            f"{cell.effective:,.0f}",
            "all" if whole else f"{cell.drawn:,}{certain}",
            f"{words} ({named})" if named else words,
        )
