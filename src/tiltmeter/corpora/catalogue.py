"""Every corpus by name, and a user's own by path: the room's front door."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from pathlib import Path

from tiltmeter.corpora.build import DEFAULT_EDITION, build, editions
from tiltmeter.corpora.corpus import Corpus, from_design
from tiltmeter.corpora.toml_file import read_raw
from tiltmeter.errors import UnknownNameError
from tiltmeter.registry import Registry

CORPORA = Registry("corpus", "tiltmeter.corpora")
"""Corpora by name; a target is called without arguments and returns the path of a TOML file."""

BUILT_IN = ("eec", "eec-latino", "eec-arab", "eec-es", "eec-ar")
TEMPLATE_FILES = (".toml",)


def _built_in(name: str) -> Path:
    return Path(str(files("tiltmeter.corpora") / "data" / f"{name}.toml"))


for _name in BUILT_IN:
    CORPORA.register(_name, partial(_built_in, _name))


def corpus_names() -> list[str]:
    """The names `load_corpus` knows, in the order they are listed."""
    return list(CORPORA)


def corpus_editions(name: str | Path) -> tuple[str, ...]:
    """The editions of a corpus: `corrected`, `published`, or both."""
    return editions(read_raw(_find(str(name)), _find))


def _find(name: str) -> Path:
    path = Path(name)
    if path.suffix in TEMPLATE_FILES and path.is_file():
        return path
    return Path(CORPORA.get(name)())


def load_corpus(name: str | Path, edition: str = DEFAULT_EDITION) -> Corpus:
    """A corpus by name or path."""
    path = _find(str(name))
    raw = read_raw(path, _find)
    known = editions(raw)
    if edition not in known:
        raise UnknownNameError(f"edition of {path.stem!r}", edition, known)
    return from_design(build(raw, edition))
