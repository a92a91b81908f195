"""Tiltmeter measures whether a sentiment system scores the same sentence alike, whoever it names.

>>> import tiltmeter
>>> tiltmeter.load_corpus("eec").size
8640
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from tiltmeter.corpora import Corpus, check_corpus, corpus_names, load_corpus
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.flow import (
        Audit,
        Embeddings,
        Ratings,
        Skill,
        assess_embeddings,
        audit,
        rate,
        score,
        skill,
    )

__all__ = [
    "Audit",
    "Corpus",
    "Embeddings",
    "Ratings",
    "Skill",
    "TiltmeterError",
    "assess_embeddings",
    "audit",
    "check_corpus",
    "corpus_names",
    "load_corpus",
    "rate",
    "score",
    "skill",
]

_HOMES = {
    "Audit": "tiltmeter.flow",
    "audit": "tiltmeter.flow",
    "Embeddings": "tiltmeter.flow",
    "assess_embeddings": "tiltmeter.flow",
    "Corpus": "tiltmeter.corpora",
    "check_corpus": "tiltmeter.corpora",
    "corpus_names": "tiltmeter.corpora",
    "load_corpus": "tiltmeter.corpora",
    "Ratings": "tiltmeter.flow",
    "rate": "tiltmeter.flow",
    "score": "tiltmeter.flow",
    "Skill": "tiltmeter.flow",
    "skill": "tiltmeter.flow",
    "TiltmeterError": "tiltmeter.errors",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a public name when it is first used, so that `import tiltmeter` stays quick."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tiltmeter")
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltmeter' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
