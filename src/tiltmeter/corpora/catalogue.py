"""Every corpus by name, and a user's own by path: the room's front door."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tiltmeter.corpora.build import DEFAULT_EDITION, build, editions
from tiltmeter.corpora.corpus import Corpus, from_design
from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.files import TABLE_FILES
from tiltmeter.corpora.table_corpus import table_corpus
from tiltmeter.corpora.toml_file import read_raw
from tiltmeter.errors import OutputError, TiltmeterError, UnknownNameError
from tiltmeter.registry import Registry
from tiltmeter.writing import write_aside

CORPORA = Registry("corpus", "tiltmeter.corpora")
"""Corpora by name; a target is called without arguments and returns the path of a TOML file."""

DATA = Path(__file__).parent / "data"
BUILT_IN = ("eec", "eec-latino", "eec-arab", "eec-es", "eec-ar")


def _built_in(name: str) -> Path:
    return DATA / f"{name}.toml"


for _name in BUILT_IN:
    CORPORA.register(_name, partial(_built_in, _name))


def corpus_names() -> list[str]:
    """The names `load_corpus` knows, in the order they are listed."""
    return list(CORPORA)


def corpus_editions(name: str | Path) -> tuple[str, ...]:
    """The editions of a corpus that is made of templates: `corrected`, `published`, or both."""
    return editions(read_raw(_template_file(str(name)), _template_file))


def load_corpus(
    name: str | Path,
    edition: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    axes: Mapping[str, tuple[str, ...]] | None = None,
    language: str | None = None,
    encoding: str | None = None,
) -> Corpus:
    """A corpus by name, or a user's own by path: a TOML file of templates, or a table.

    `columns`, `axes`, `language` and `encoding` say how to read a table; see `table_corpus`.

    >>> load_corpus("eec-es").sentences()["text"][0]
    'Ella se siente enojada.'
    """
    table = Path(name)
    if table.suffix.lower() in TABLE_FILES and str(name) not in CORPORA:
        corpus = table_corpus(
            table,
            columns=columns or {},
            axes=axes or {},
            language=language,
            encoding=encoding,
            reference=partial(load_corpus, "eec", "published"),
            axes_of=_axes_of,
        )
        return _in_edition(corpus, edition)
    given = {"--column": columns, "--axis": axes, "--language": language, "--encoding": encoding}
    if unfit := [option for option, value in given.items() if value]:
        what = f"{', '.join(unfit)}: only for a table ({', '.join(TABLE_FILES)})"
        raise TiltmeterError(f"{what}, and {str(name)!r} is none; leave it out")
    path = _template_file(str(name))
    raw = read_raw(path, _template_file)
    wanted, known = edition or DEFAULT_EDITION, editions(raw)
    if wanted not in known and (edition or len(known) > 1):
        raise UnknownNameError(f"edition of {path.stem!r}", wanted, known)
    return from_design(build(raw, wanted if wanted in known else known[0]))


def _axes_of(name: str) -> dict[str, Axis]:
    """The axes of a known corpus by name; none of an unknown one."""
    return {axis.name: axis for axis in load_corpus(name).axes} if name in CORPORA else {}


def _in_edition(corpus: Corpus, edition: str | None) -> Corpus:
    if edition not in (None, corpus.edition):
        raise UnknownNameError(f"edition of {corpus.name!r}", str(edition), [corpus.edition])
    return corpus


def _template_file(name: str) -> Path:
    path = Path(name)
    if name in CORPORA:
        return _registered(name)
    if path.suffix == ".toml" or len(path.parts) > 1:
        return path
    endings = ", ".join((".toml", *TABLE_FILES))
    return _registered(name, hint=f" (or the path of a file: {endings})")


def _registered(name: str, hint: str = "") -> Path:
    """The file behind a registered name; whatever a plug-in raises becomes one clear message."""
    find = CORPORA.get(name, hint)
    try:
        return Path(find())
    except Exception as error:
        what = f"the corpus {name!r} should be the path of a TOML file, but asking for it failed"
        raise TiltmeterError(f"{what}: {error!r}; repair or uninstall its plug-in") from error


def write_starter(path: Path, *, force: bool = False) -> None:
    """Write a small commented corpus for a user to start from; never over a file unasked."""
    if path.suffix != ".toml":
        raise OutputError(f"{path}: a corpus file ends in .toml")
    if os.path.lexists(path) and not force:
        raise OutputError(f"{path}: is there already; --force overwrites it")
    write_aside(path, lambda file: file.write((DATA.parent / "starter.toml").read_bytes()))
