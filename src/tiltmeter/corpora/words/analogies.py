"""Questions of the kind a is to b as c is to d: our own, or a user's questions-words file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tiltmeter.corpora.schema import PROVENANCE
from tiltmeter.corpora.table_file import capped
from tiltmeter.corpora.words.part import composed
from tiltmeter.corpora.words.plain_text import PlainText, read_plain_text
from tiltmeter.corpora.words.word_file import DATA, read_word_file
from tiltmeter.errors import CorpusError, Problem

Question = tuple[str, tuple[str, str, str, str]]
SUBJECT = "the analogies cannot be used"
EXPECTED = "lines of four words under lines such as ': capitals', as in questions-words.txt"
SECTION, COMMENT = ":", "//"


def load_analogies(path: str | Path | None = None) -> tuple[Question, ...]:
    """The questions as (section, (a, b, c, d)): d is to be found from a, b and c.

    A path is a file of analogies in the format of questions-words.txt (Mikolov et al. 2013), or
    pairs by section in TOML, as our own.

    >>> load_analogies()[0]
    ('capital and country', ('Paris', 'France', 'Berlin', 'Germany'))
    """
    if path is None:
        return _from_pairs(DATA / "analogies.toml")
    if Path(path).suffix.lower() == ".toml":
        return _from_pairs(Path(path))
    text = read_plain_text(Path(path), EXPECTED, COMMENT)
    if problems := capped(_problems(text), "lines like these"):
        raise CorpusError(SUBJECT, problems)
    return tuple(_questions(text))


def _from_pairs(path: Path) -> tuple[Question, ...]:
    """Every pair of a section asked with every other one, in both orders."""
    file = read_word_file(path, "list", "sections")
    file.head.only("name", "title", "language", *PROVENANCE)
    file.head.provenance()
    asked: list[Question] = []
    for part in file.entries:
        part.only("name", "pairs")
        name, pairs = part.text("name"), part.pairs("pairs")
        if len(pairs) < 2:
            part.wrong(f"found {len(pairs)} pairs; expected two or more", "pairs")
        asked += [(name, (*p, *q)) for p in pairs for q in pairs if p != q]
    if not file.entries:
        file.head.wrong("found no pairs; expected some under [[sections]]")
    file.check()
    return tuple(asked)


def _questions(text: PlainText) -> Iterator[Question]:
    section = text.path.stem
    for _, line in text.lines:
        if line.startswith(SECTION):
            section = line.removeprefix(SECTION).strip() or text.path.stem
        else:
            a, b, c, d = map(composed, line.split())
            yield section, (a, b, c, d)


def _problems(text: PlainText) -> Iterator[Problem]:
    asked = [(n, line.split()) for n, line in text.lines if not line.startswith(SECTION)]
    if not asked:
        yield Problem(str(text.path), f"found no questions; expected {EXPECTED}")
    for number, words in asked:
        if len(words) != 4:
            yield Problem(text.at(number), f"found {len(words)} words; expected {EXPECTED}")
