"""What is wrong in single cells: the first of each kind, and how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

from tiltmeter.corpora.rating_results.words import NOT_SAID, unknown_words
from tiltmeter.corpora.table_file import NAMED, TableFile, capped_at
from tiltmeter.errors import Problem

LABEL = r"(?i)^(pos|neg|neu|positive|negative|neutral|mixed|label[ _]?\d+)$"
DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
SHOWN, WORDS_SHOWN = 40, 12


class CellFaults:
    """Systems without a name, scores that are no numbers, words of unknown polarity."""

    def __init__(self) -> None:
        self._nameless: dict[str, tuple[TableFile, pl.Series]] = {}
        self._scores: list[Problem] = []
        self._no_numbers = 0
        self._words: dict[str, str] = {}

    def see(self, rows: pl.DataFrame, table: TableFile) -> None:
        """Look at some understood rows of a table."""
        nameless = rows.filter(pl.col("system").is_null())["line"]
        if nameless.len():
            known = self._nameless.get(str(table.path))
            lines = nameless if known is None else pl.concat([known[1], nameless])
            self._nameless[str(table.path)] = table.without_rows(), lines
        finite = pl.col("raw").is_finite().fill_null(value=False)
        bad = rows.filter(pl.col("sentiment").is_not_null() & ~finite)
        for place, said in bad.select("place", "sentiment").head(NAMED - len(self._scores)).rows():
            self._scores.append(_no_number(place, said))
        self._no_numbers += bad.height
        said = pl.col("emotion_word") != NOT_SAID
        unknown = rows.filter(pl.col("polarity").is_null() & said).unique(
            "emotion_word", maintain_order=True
        )
        for word, place in unknown.select("emotion_word", "place").rows():
            if len(self._words) < WORDS_SHOWN:
                self._words.setdefault(word, place)

    def __iter__(self) -> Iterator[Problem]:
        for table, lines in self._nameless.values():
            what = f"the system is empty in {table.among(lines)}; expected a name in every row"
            yield Problem(table.at(lines[0]), what)
        yield from capped_at(self._scores, self._no_numbers, "scores that are no numbers")
        yield from unknown_words(self._words)


def _no_number(place: str, said: str) -> Problem:
    """A score that is there and no finite number."""
    shown = said if len(said) <= SHOWN else said[:SHOWN] + "…"
    return Problem(place, f"found {shown!r} for the sentiment; expected {_expected(said)}")


def _expected(said: str) -> str:
    if re.search(DECIMAL_COMMA, said):
        return f"a number, with a point: {said.replace(',', '.')}"
    if re.search(LABEL, said):
        return (
            "a number: give a label's probability, with a minus for the negative one, "
            "or 1 for positive and -1 for negative"
        )
    if said.strip("+-").lower() in ("inf", "infinity"):
        return "a finite number, or an empty cell where the system gave no answer"
    return "a number, or an empty cell where the system gave no answer"
