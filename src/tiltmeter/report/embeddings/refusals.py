"""What was refused: what was found, the floor, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rows import lists_of, rows_of
from tiltmeter.report.ratings.phrases import called, whole_sentence

BY_CLASSIFIER = (
    "An RNSB from a classifier that cannot tell good from bad words would measure noise. Give a "
    "lexicon in the language of the embedding, or a larger one, with --lexicon."
)
BY_TERMS = (
    "Leaving out so many terms would change the question. Give a list of terms that the embedding "
    "holds with --terms FILE.toml, or an embedding that holds these."
)


def refusals(material: EmbeddingMaterial) -> Iterator[str]:
    """A sentence for each embedding or list without a number, and what to do about it."""
    broken = {row["embedding"]: row["reason"] for row in rows_of(material.classifiers)
              if row["reason"]}  # fmt: skip
    for name, reason in broken.items():
        yield f"{called(name, 40)} is refused: {whole_sentence(reason)} {BY_CLASSIFIER}"
    titles = lists_of(material)
    for row in rows_of(material.rnsb):
        if row["rnsb"] is None and row["embedding"] not in broken:
            why = whole_sentence(str(row["reason"] or "no number could be had"))
            few = row["coverage"] is not None and row["coverage"] < 1
            where = f"{titles[row['list']]} in {called(row['embedding'], 40)}"
            yield f"{where} is refused: {why}{f' {BY_TERMS}' if few else ''}"
