r"""What the captions of the tables for papers say."""

from __future__ import annotations

from collections.abc import Mapping

from tiltmeter.report.embeddings.material import POSITIVE, EmbeddingMaterial
from tiltmeter.report.ratings.latex_layout import printed


def polarity(material: EmbeddingMaterial) -> str:
    """Which sentiment is assessed."""
    return str(material.run.get("polarity", "negative"))


def is_published(material: EmbeddingMaterial) -> bool:
    """Whether the numbers are as the authors computed them."""
    return material.run.get("mode") == "published"


def what_is_measured(material: EmbeddingMaterial) -> str:
    """RNSB in a sentence, and the lexicon behind it."""
    named = "Relative Negative Sentiment Bias (RNSB)"
    if polarity(material) == POSITIVE:
        named = "RNSB of positive in place of negative sentiment"
    return (
        f"{named} of identity terms: the Kullback--Leibler divergence of their shares of "
        f"{polarity(material)} sentiment from equal shares; 0 is even.{_lexicon(material)}"
    )


def _lexicon(material: EmbeddingMaterial) -> str:
    told = material.run.get("lexicon")
    titles = [told["title"]] if isinstance(told, Mapping) and told.get("title") else []
    rows = material.classifiers.to_dicts()
    named = titles or list(dict.fromkeys(row["lexicon"] for row in rows if row["lexicon"]))
    classes = "" if is_published(material) else ", its positive and negative words balanced"
    return f" Lexicon: {'; '.join(printed(str(name)) for name in named)}{classes}." if named else ""


def spread(material: EmbeddingMaterial) -> str:
    """What stands in brackets."""
    if is_published(material):
        return "One fit with $C = 1$, as published."
    many = material.run.get("resamples")
    over = f"{many:,} resamples" if isinstance(many, int) else "resamples"
    return rf"In brackets: 95\,\% interval over {over} of the lexicon."
