"""Tiltmeter measures whether a sentiment system scores the same sentence alike, whoever it names.

>>> import tiltmeter
>>> tiltmeter.load_corpus("eec").size
8640
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from tiltmeter.api import (
        Audit,
        Drift,
        Embeddings,
        Explanation,
        Plan,
        Ratings,
        Skill,
        Versions,
        assess_embeddings,
        audit,
        compare,
        drift,
        explain,
        pack,
        plan,
        rate,
        score,
        skill,
        try_sentence,
        verify,
    )
    from tiltmeter.corpora import Corpus, check_corpus, corpus_names, load_corpus
    from tiltmeter.errors import TiltmeterError
else:
    from tiltmeter.lazy import lazy_names

    _lazily, _ = lazy_names(__name__)

    def __getattr__(name):  # noqa: ANN001, ANN202
        if name != "__version__":
            return _lazily(name)
        from importlib.metadata import version

        return version("tiltmeter")


__all__ = [
    "Audit",
    "Corpus",
    "Drift",
    "Embeddings",
    "Explanation",
    "Plan",
    "Ratings",
    "Skill",
    "TiltmeterError",
    "Versions",
    "assess_embeddings",
    "audit",
    "check_corpus",
    "compare",
    "corpus_names",
    "drift",
    "explain",
    "load_corpus",
    "pack",
    "plan",
    "rate",
    "score",
    "skill",
    "try_sentence",
    "verify",
]


def __dir__() -> list[str]:
    return sorted(__all__)
