"""A user's own lexicon: a folder, two lists, a TOML file or a table of words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.schema import PROVENANCE
from tiltmeter.corpora.words.hu_liu import FILES
from tiltmeter.corpora.words.lexicon_table import lexicon_of_table
from tiltmeter.corpora.words.plain_text import read_word_lines
from tiltmeter.corpora.words.records import NEGATIVE, POSITIVE, Lexicon
from tiltmeter.corpora.words.sides import Origin, make_lexicon
from tiltmeter.corpora.words.word_file import FOLDER, found_at, read_word_file
from tiltmeter.errors import CorpusError, Problem

SUBJECT = "the lexicon cannot be used"
TABLES = (".csv", ".tsv", ".txt", ".tab")
ENDINGS = (".toml", *TABLES)
SIDES = "one file with 'positive' in its name and one with 'negative'"


def is_file_spec(spec: str) -> bool:
    """True where a spec is a file or folder, or could be nothing else."""
    path = Path(spec)
    return path.suffix.lower() in ENDINGS or len(path.parts) > 1 or bool(found_at(path))


def lexicon_of_files(paths: Sequence[Path]) -> Lexicon:
    """The lexicon in a user's files."""
    if len(paths) > 2:
        raise _unusable(paths[2], f"found {len(paths)} files; expected one, or two: {SIDES}")
    if len(paths) == 2:
        return _lexicon_of_sides(*_sides(paths[0], paths[1]))
    path = paths[0]
    if found_at(path) == FOLDER:
        return _lexicon_of_sides(*_in_folder(path))
    if path.suffix.lower() == ".toml":
        return _lexicon_of_toml(path)
    if _side(path) and found_at(path) and path.suffix.lower() not in (".csv", ".tsv"):
        raise _unusable(path, f"found one list only; expected two: {SIDES}")
    return lexicon_of_table(path)


def _lexicon_of_sides(positive: Path, negative: Path) -> Lexicon:
    (good, said), (bad, more) = read_word_lines(positive), read_word_lines(negative)
    source = f"{positive.name} and {negative.name}, the user's own"
    origin = Origin(positive.parent.name or positive.stem, source, Provenance(source))
    where = f"{positive}, {negative}"
    return make_lexicon(origin, good, bad, (*said, *more), where)


def _in_folder(folder: Path) -> tuple[Path, Path]:
    """The two lists of a folder: Hu & Liu's, else the only two whose names say the side."""
    files = folder / FILES[0], folder / FILES[1]
    if all(file.is_file() for file in files):
        return files
    named = sorted(file for file in folder.iterdir() if file.is_file() and _side(file))
    if len(named) == 2:
        return _sides(named[0], named[1])
    what = f"this folder has {len(named)} such lists; expected {' and '.join(FILES)}, or {SIDES}"
    raise _unusable(folder, what)


def _sides(one: Path, other: Path) -> tuple[Path, Path]:
    """The positive list and the negative one, whichever was named first."""
    sides = {_side(path): path for path in (one, other)}
    if set(sides) != {POSITIVE, NEGATIVE}:
        raise _unusable(one, f"found {one.name} and {other.name}; expected {SIDES}")
    return sides[POSITIVE], sides[NEGATIVE]


def _side(path: Path) -> str:
    """The side that a file's name says; nothing where it says none or both."""
    said = [side for side in (POSITIVE, NEGATIVE) if side in path.name.lower()]
    return said[0] if len(said) == 1 else ""


def _lexicon_of_toml(path: Path) -> Lexicon:
    file = read_word_file(path, "lexicon")
    head = file.head
    head.only("name", "title", "language", POSITIVE, NEGATIVE, *PROVENANCE)
    positive, negative = (head.words(side, once=False) for side in (POSITIVE, NEGATIVE))
    name = head.text("name", path.stem) or path.stem
    origin = Origin(name, head.text("title", name) or name, head.provenance(), head.language())
    file.check()
    return make_lexicon(origin, positive, negative, (), str(path))


def _unusable(path: Path, what: str) -> CorpusError:
    return CorpusError(SUBJECT, [Problem(str(path), what)])
