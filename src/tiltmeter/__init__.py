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
        Drift,
        Embeddings,
        Plan,
        Ratings,
        Skill,
        Versions,
        assess_embeddings,
        audit,
        compare,
        drift,
        pack,
        plan,
        rate,
        score,
        skill,
        verify,
    )

__all__ = [
    "Audit",
    "Corpus",
    "Drift",
    "Embeddings",
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
    "load_corpus",
    "pack",
    "plan",
    "rate",
    "score",
    "skill",
    "verify",
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
    "Drift": "tiltmeter.flow",
    "Plan": "tiltmeter.flow",
    "Versions": "tiltmeter.flow",
    "compare": "tiltmeter.flow",
    "drift": "tiltmeter.flow",
    "pack": "tiltmeter.flow",
    "plan": "tiltmeter.flow",
    "verify": "tiltmeter.flow",
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
