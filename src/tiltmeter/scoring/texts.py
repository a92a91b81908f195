"""A corpus' texts, each once, and where each sentence finds its own; the same for all systems."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Texts:
    """The distinct texts of some sentences, in order of first appearance."""

    sentences: pl.DataFrame
    """At least corpus, id and text."""
    distinct: pl.Series
    index: pl.Series
    """For each sentence, which of the distinct texts it has."""

    @property
    def keys(self) -> pl.DataFrame:
        """The sentences' corpus, id and text."""
        return pl.DataFrame([self.sentences[name] for name in ("corpus", "id", "text")])

    def are(self, answers: pl.DataFrame) -> bool:
        """True where the answers are to exactly these texts, once each, in this order."""
        same = answers.height == self.distinct.len() and answers["repeat"].max() in (0, None)
        return same and answers["text"].equals(self.distinct)


def texts_of(sentences: pl.DataFrame) -> Texts:
    """Gather the distinct texts of sentences."""
    distinct = sentences["text"].unique(maintain_order=True)
    numbered = pl.DataFrame({"text": distinct, "index": range(distinct.len())})
    joined = sentences.select("text").join(numbered, on="text", how="left", maintain_order="left")
    return Texts(sentences, distinct, joined["index"])
