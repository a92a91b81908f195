"""Every corpus by name, and a user's own by path: the room's front door."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from tiltmeter.corpora.build import build, editions
from tiltmeter.corpora.corpus import Corpus, from_design
from tiltmeter.corpora.design import Axis, Share
from tiltmeter.corpora.people_sampling import DrawOptions
from tiltmeter.corpora.rating_sampling import DATASETS, RATING_GROUPS, dataset, read_shares
from tiltmeter.corpora.schema import DEFAULT_EDITION, POPULATION, read_raw
from tiltmeter.corpora.table import table_corpus
from tiltmeter.errors import OutputError, TiltmeterError, UnknownNameError, argument
from tiltmeter.files import write_aside
from tiltmeter.registry import Registry
from tiltmeter.table_files import TABLE_FILES

CORPORA = Registry("corpus", "tiltmeter.corpora")
"""Corpora by name; a target is called without arguments and returns the path of a TOML file."""

DATA = Path(__file__).parent / "data"
PUBLISHED = ("eec", "eec-latino", "eec-arab", "eec-es", "eec-ar")
"""The corpora whose files their authors published."""
BUILT_IN = (*PUBLISHED, "names-us", "names-us-both")


def _built_in(name: str) -> Path:
    return DATA / f"{name}.toml"


for _name in BUILT_IN:
    CORPORA.register(_name, partial(_built_in, _name))
for _name, (_group, _) in DATASETS.items():
    CORPORA.register(_name, partial(_built_in, _group))


def corpus_names() -> list[str]:
    """The names `load_corpus` knows, in the order they are listed."""
    return list(CORPORA)


def corpus_editions(name: str | Path) -> tuple[str, ...]:
    """The editions of a corpus that is made of templates: `corrected`, `published`, or both."""
    return editions(read_raw(_template_file(str(name)), _template_file))


def has_population(name: str | Path) -> bool:
    """Whether a corpus draws its people from a population, so that a draw can be asked for.

    >>> has_population("names-us"), has_population("eec")
    (True, False)
    """
    if is_table(name):
        return False
    file = _template_file(DATASETS.get(str(name), (str(name), ""))[0])
    return POPULATION in read_raw(file, _template_file).single


def draw_options(
    names: Iterable[str | Path],
    *,
    people: int | str | None = None,
    frames: int | str | None = None,
    weights: str | None = None,
    seed: int = 0,
) -> dict[str, dict[str, Any]]:
    """What `load_corpus` takes of a draw for each of several corpora.

    Only those with a population are drawn from; an error where a draw is asked for and none has.
    """
    draw = {"people": people, "frames": frames, "weights": weights}
    drawn = {str(name): {**draw, "seed": seed} for name in names if has_population(name)}
    if not drawn:
        _refuse(draw, f"only for a corpus with a population, as in {argument('corpus')} names-us")
    return drawn


def is_table(name: str | Path) -> bool:
    """Whether a corpus is a user's table, by the ending of its path."""
    return Path(name).suffix.lower() in TABLE_FILES and str(name) not in CORPORA


def load_corpus(
    name: str | Path,
    edition: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    axes: Mapping[str, Sequence[str]] | None = None,
    language: str | None = None,
    encoding: str | None = None,
    words: str | None = None,
    seed: int | None = None,
    k: int | None = None,
    strength: float | None = None,
    shares: Path | str | Sequence[Share] | None = None,
    people: int | str | None = None,
    frames: int | str | None = None,
    weights: str | None = None,
) -> Corpus:
    """A corpus by name, or a user's own by path: a TOML file of templates, or a table.

    `columns`, `axes`, `language` and `encoding` say how to read a table; see `table_corpus`.
    `words` is the set of words that makes a dataset of a file with `[rating]`. `seed` (0), `k` (1),
    `strength` and `shares` say how the words of a dataset are drawn; see `draw_rows`. `people`
    (a number for each cell, or "all"), `frames` (for each person, or "all"), `weights` ("bearers"
    or "names") and `seed` say how people are drawn from a population; see `draw_people`.

    >>> load_corpus("eec-es").sentences()["text"][0]
    'Ella se siente enojada.'
    >>> load_corpus("rating-2-e3", "published", seed=7).size
    24
    """
    drawing = {"seed": seed, "k": k, "strength": strength, "shares": shares}
    given = {"words": words, **drawing}
    draw = {"people": people, "frames": frames, "weights": weights}
    if is_table(name):
        _refuse(draw, f"only for a corpus with a population, and {str(name)!r} is a table")
        _refuse(given, f"only for the datasets of a rating group, and {str(name)!r} is a table")
        for axis, groups in (axes or {}).items():
            if isinstance(groups, str):
                what = f"the groups of {axis!r} are the text {groups!r}"
                raise TiltmeterError(f"{what}; expected a list of them, as in ['old', 'young']")
        corpus = table_corpus(
            Path(name),
            columns=columns or {},
            axes={axis: tuple(groups) for axis, groups in (axes or {}).items()},
            language=language,
            encoding=encoding,
            published=lambda: [load_corpus(corpus, "published") for corpus in PUBLISHED],
            axes_of=axes_of,
        )
        if edition not in (None, corpus.edition):
            raise UnknownNameError(f"edition of {corpus.name!r}", str(edition), [corpus.edition])
        return corpus
    reading = {"columns": columns, "axes": axes, "language": language, "encoding": encoding}
    what = f"only for a table ({', '.join(TABLE_FILES)}), and {str(name)!r} is none"
    _refuse({name: value or None for name, value in reading.items()}, what)
    group = str(name)
    if group in DATASETS:
        _refuse({"words": words}, f"{group!r} says already which words it has")
        group, words = DATASETS[group]
    drawn = DrawOptions(people, frames, weights, 0 if seed is None else seed)
    corpus = _from_templates(group, edition, drawn)
    if corpus.design and corpus.design.deal:
        what = f"only for the datasets of a rating group, and {str(name)!r} is none"
        _refuse({**given, "seed": None}, what)
        return corpus
    _refuse(draw, f"only for a corpus with a population, and {str(name)!r} has none")
    if corpus.rating is None:
        what = f"only for the datasets of a rating group, and {str(name)!r} has no [rating]"
        _refuse(given, what)
        return corpus
    if words is None:
        sets = ", ".join(corpus.rating.sets)
        _refuse(drawing, f"only for one dataset; say which with {argument('words')}, one of {sets}")
        return corpus
    own = read_shares(shares) if isinstance(shares, str | Path) else shares
    return dataset(corpus, words, seed=seed, k=k, strength=strength, shares=own)


def load_rating_group(name: str | Path, edition: str | None = None) -> Corpus:
    """The universe of a rating group: every sentence its datasets could hold, with its plan.

    `name` is one of RATING_GROUPS or the path of a TOML file with a `[rating]` section.

    >>> universe = load_rating_group("rating-2", "published")
    >>> universe.size, universe.rating.sets["e3"]
    (96, ('grim', 'happy'))
    """
    known = f"name a group ({', '.join(RATING_GROUPS)}) or a TOML file with [rating]"
    if str(name) in DATASETS:
        what = f"{str(name)!r} is one dataset of the group {DATASETS[str(name)][0]!r}"
        raise TiltmeterError(f"{what}; name the group")
    if Path(name).suffix.lower() in TABLE_FILES:
        raise TiltmeterError(f"{name}: is a table, which has no [rating]; {known}")
    if str(name) not in (*RATING_GROUPS, *CORPORA) and Path(name).suffix.lower() != ".toml":
        hint = " (or the path of a TOML file with [rating])"
        raise UnknownNameError("rating group", str(name), RATING_GROUPS, hint)
    universe = _from_templates(str(name), edition)
    if universe.rating is None:
        what = f"{name}: has no [rating], which says what its datasets are"
        raise TiltmeterError(f"{what}; add one (see docs/corpora.md), or {known}")
    return universe


def _refuse(given: Mapping[str, object], what: str) -> None:
    """An error for arguments that have no meaning here; none where none of them is given."""
    options = {"columns": "--column", "axes": "--axis"}
    if unfit := [
        argument(name, options.get(name, "")) for name, value in given.items() if value is not None
    ]:
        raise TiltmeterError(f"{', '.join(unfit)}: {what}; leave it out")


def _from_templates(name: str, edition: str | None, options: DrawOptions | None = None) -> Corpus:
    """A corpus of a TOML file, whole, in the edition asked for or the one it has.

    One that comes with Tiltmeter is built once: a command asks for it several times.
    """
    path = _template_file(name)
    try:
        if path.is_relative_to(DATA):
            return _packaged_corpus(path, edition, options)
    except TypeError:  # a list for a number, say: the message about it comes from the building
        pass
    return _from_file(path, edition, options)


def _from_file(path: Path, edition: str | None, options: DrawOptions | None) -> Corpus:
    raw = read_raw(path, _template_file)
    wanted, known = edition or DEFAULT_EDITION, editions(raw)
    if wanted not in known and (edition or len(known) > 1):
        raise UnknownNameError(f"edition of {path.stem!r}", wanted, known)
    return from_design(build(raw, wanted if wanted in known else known[0], options))


_packaged_corpus = lru_cache(maxsize=8)(_from_file)


def axes_of(name: str) -> dict[str, Axis]:
    """The axes of a known corpus by name; none of an unknown one."""
    return {axis.name: axis for axis in load_corpus(name).axes} if name in CORPORA else {}


def _template_file(name: str) -> Path:
    path = Path(name)
    if name in CORPORA:
        return _registered(name)
    if name in RATING_GROUPS:
        return _built_in(name)
    if path.suffix.lower() == ".toml" or len(path.parts) > 1:
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
    if path.suffix.lower() != ".toml":
        raise OutputError(f"{path}: a corpus file ends in .toml")
    if os.path.lexists(path) and not force:
        raise OutputError(f"{path}: is there already; {argument('force=True')} overwrites it")
    write_aside(path, lambda file: file.write((DATA.parent / "starter.toml").read_bytes()))
