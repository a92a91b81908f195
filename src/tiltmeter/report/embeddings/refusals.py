"""What was refused: what was found, the floor, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rows import Row, lists_of, rows_of
from tiltmeter.report.ratings.phrases import called, listed

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
    for reason, names in _alike((reason, name) for name, reason in broken.items()):
        yield f"{_who(names)} refused: {_ended(reason)} {BY_CLASSIFIER}"
    titles = lists_of(material)
    rest = [row for row in rows_of(material.rnsb)
            if row["rnsb"] is None and row["embedding"] not in broken]  # fmt: skip
    whys = (((row["list"], row["reason"], _few(row)), row["embedding"]) for row in rest)
    for (of, reason, few), names in _alike(whys):
        where = f"{called(titles[of], 40)} in {listed(names)} is refused"
        why = _ended(str(reason or "no number could be had"))
        yield f"{where}: {why}{f' {BY_TERMS}' if few else ''}"


def _alike(found: Iterable[tuple[Any, str]]) -> Iterable[tuple[Any, list[str]]]:
    """The embeddings of each reason, so that it is told once."""
    names: dict[Any, list[str]] = {}
    for why, name in found:
        names.setdefault(why, []).append(name)
    return names.items()


def _few(row: Row) -> bool:
    return row["coverage"] is not None and row["coverage"] < 1


def _who(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


def _ended(reason: str) -> str:
    return reason if reason.endswith((".", "…")) else f"{reason}."
