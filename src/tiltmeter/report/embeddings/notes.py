"""Notes of a study: what a reader should know at once, and how things were read and made."""

from __future__ import annotations

from tiltmeter.report.embeddings.material import EmbeddingMaterial

LEXICON = "lexicon: "
FALLEN_BACK = "lexicon: Hu & Liu's lists were not found"
"""How the note starts that says another lexicon was used than the paper's."""


def weighty_notes(material: EmbeddingMaterial) -> list[str]:
    """Notes that may change what a reader makes of the numbers."""
    return [note for note in material.notes if not _is_small(note, material)]


def small_notes(material: EmbeddingMaterial) -> list[str]:
    """The others: how the lexicon was read, what mitigation took out."""
    return [note for note in material.notes if _is_small(note, material)]


def _is_small(note: str, material: EmbeddingMaterial) -> bool:
    if note.startswith(LEXICON):
        return not note.startswith(FALLEN_BACK)
    mended = material.mitigation.select("embedding", "direction").unique().iter_rows()
    return note.startswith(tuple(f"{name}, {direction}" for name, direction in mended))
