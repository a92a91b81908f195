"""Pairs of words that people rated for likeness: a user's file, or one an installed package has."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.corpora.table_file import capped, folded
from tiltmeter.corpora.words.cells import Row, number_in, rows_of
from tiltmeter.corpora.words.part import composed
from tiltmeter.corpora.words.plain_text import PlainText, read_plain_text
from tiltmeter.errors import CorpusError, Problem

Similarities = tuple[str, tuple[tuple[str, str, float], ...]]
SUBJECT = "the similarities cannot be used"
EXPECTED = "two words and a score a line, as in WordSim-353 or SimLex-999"
FEWEST = 3
"""Pairs that a rank correlation needs."""
SCORES = ("human(mean)", "simlex999", "score", "similarity", "rating", "mean", "gold")
KNOWN = {"wordsim353": "WordSim-353", "simlex999": "SimLex-999", "combined": "WordSim-353"}


def load_similarities(path: str | Path | None = None) -> Similarities | None:
    """The name and the pairs (word, word, score) of a file of rated pairs.

    No path: WordSim-353 (Finkelstein et al. 2002) from an installed gensim, which ships it with
    its tests; None where there is none.
    """
    found = _in_gensim() if path is None else Path(path)
    if found is None:
        return None
    text = read_plain_text(found, EXPECTED, "#")
    rows = rows_of(text, SUBJECT, EXPECTED, 2)
    score = _score_column(rows)
    body = rows[1:] if _is_header(rows[0][1], score) else rows
    if problems := [*capped(_problems(text, body, score), "rows like these")]:
        raise CorpusError(SUBJECT, problems)
    if len(body) < FEWEST:
        what = f"found {len(body)} pairs; expected {FEWEST} or more: {EXPECTED}"
        raise CorpusError(SUBJECT, [Problem(str(found), what)])
    pairs = ((composed(row[0]), composed(row[1]), number_in(row[score])) for _, row in body)
    named = KNOWN.get(folded(found.stem), found.stem)
    return named, tuple((one, other, worth) for one, other, worth in pairs if worth is not None)


def _in_gensim() -> Path | None:
    """The file beside the package, which is not imported for it."""
    spec = find_spec("gensim")
    places = spec.submodule_search_locations if spec else None
    for place in places or ():
        path = Path(place) / "test" / "test_data" / "wordsim353.tsv"
        if path.is_file():
            return path
    return None


def _score_column(rows: list[Row]) -> int:
    """The column a first line names, else the first after the words that holds a number."""
    first = [folded(cell) for cell in rows[0][1]]
    named = [first.index(name) for name in SCORES if name in first]
    if named and named[0] > 1:
        return named[0]
    sample = rows[min(1, len(rows) - 1)][1]
    return next((nth for nth in range(2, len(sample)) if number_in(sample[nth]) is not None), 2)


def _is_header(cells: list[str], score: int) -> bool:
    return len(cells) > score and number_in(cells[score]) is None


def _problems(text: PlainText, rows: list[Row], score: int) -> Iterator[Problem]:
    for number, row in rows:
        if len(row) <= score or not row[0] or not row[1]:
            yield Problem(text.at(number), f"found {len(row)} cells; expected {EXPECTED}")
        elif number_in(row[score]) is None:
            what = f"found {row[score]!r} for the score; expected a number: {EXPECTED}"
            yield Problem(text.at(number), what)
