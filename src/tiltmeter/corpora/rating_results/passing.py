"""Going through files of stored outputs: their rows understood, some at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from tiltmeter.corpora.rating_results.cell_faults import CellFaults
from tiltmeter.corpora.rating_results.columns import Columns, columns_of
from tiltmeter.corpora.rating_results.files import ResultFile
from tiltmeter.corpora.rating_results.rows import Opened, said_rows, understood
from tiltmeter.corpora.table_blocks import TableBlocks
from tiltmeter.corpora.table_file import TableFile
from tiltmeter.errors import CorpusError, Problem


class Passing:
    """Files to go through, and what was seen on the way."""

    def __init__(
        self,
        files: Sequence[ResultFile],
        axes: Sequence[str],
        polarity: Mapping[str, str],
        encoding: str | None,
        block: int,
        given: Mapping[str, str] | None = None,
    ) -> None:
        self._files, self._axes, self._polarity = files, axes, polarity
        self._encoding, self._block, self._given = encoding, block, given or {}
        self.opened: list[Opened] = []
        """The files that were read, without their rows."""
        self.problems: list[Problem] = []
        """What keeps files from being read."""
        self.faults = CellFaults()
        self.wordless: Counter[str] = Counter()
        """How many rows of a file were left out, since they have no emotion word."""

    @property
    def tables(self) -> list[tuple[TableFile, Columns]]:
        """The tables that were read, with their columns."""
        return [(one.table, one.columns) for one in self.opened]

    def has(self, axis: str) -> bool:
        """Whether a file has a column for an axis."""
        return any(axis in one.columns.axes for one in self.opened)

    def rows(self) -> Iterator[pl.DataFrame]:
        """Understood rows of all files; of a file after one that cannot be read only the first."""
        for file in self._files:
            blocks = TableBlocks(file.path, self._encoding, self._block)
            try:
                yield from self._of_file(file, blocks)
            except CorpusError as error:
                self.problems += error.problems
            else:
                self._close(blocks)

    def again(self) -> Iterator[pl.DataFrame]:
        """The same rows once more."""
        other = Passing(
            self._files, self._axes, self._polarity, self._encoding, self._block, self._given
        )
        return other.rows()

    def _of_file(self, file: ResultFile, blocks: TableBlocks) -> Iterator[pl.DataFrame]:
        for number, table in enumerate(blocks):
            columns = columns_of(table, self._axes, self._given)
            opened = Opened(file, table, columns)
            if number == 0:
                self.opened.append(replace(opened, table=table.without_rows()))
            self.problems += columns.problems
            if self.problems:
                return
            yield self._understood(opened)

    def _understood(self, opened: Opened) -> pl.DataFrame:
        said = said_rows(opened)
        axes = [axis for axis in self._axes if axis in opened.columns.axes]
        rows = understood(said, axes, self._polarity)
        self.faults.see(rows, opened.table)
        self.wordless[str(opened.table.path)] += said.height - rows.height
        return rows

    def _close(self, blocks: TableBlocks) -> None:
        """Keep the notes on a file, which are whole only now."""
        last = self.opened[-1]
        self.opened[-1] = replace(last, table=replace(last.table, notes=tuple(blocks.notes)))
