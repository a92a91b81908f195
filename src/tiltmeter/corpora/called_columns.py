"""Columns of a labelled file under the names the user says they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tiltmeter.corpora.table_file import TableFile, folded
from tiltmeter.errors import CorpusError, Problem, did_you_mean


def as_called(
    table: TableFile, columns: Mapping[str, str], known: Mapping[str, Sequence[str]]
) -> TableFile:
    """The table with the named columns under our names; `known` has what else each may be called.

    What would otherwise be taken for a named column is left out, so that nothing stays unclear.
    """
    problems = [*_unknown(columns, known), *_absent(table, columns)]
    if problems:
        listed = [Problem(table.at(), what) for what in problems]
        raise CorpusError("the labelled texts cannot be used", listed)
    rivals = {folded(name) for ours in columns for name in known[ours]} - {
        folded(theirs) for theirs in columns.values()
    }
    frame = table.frame.select(name for name in table.frame.columns if folded(name) not in rivals)
    renamed = {theirs: ours for ours, theirs in columns.items()}
    return replace(table, frame=frame.rename(renamed))


def _unknown(columns: Mapping[str, str], known: Mapping[str, Sequence[str]]) -> list[str]:
    return [
        f"there is no column {ours!r} of ours; expected one of {', '.join(known)}"
        for ours in columns
        if ours not in known
    ]


def _absent(table: TableFile, columns: Mapping[str, str]) -> list[str]:
    names = table.frame.columns
    return [
        f"no column is called {theirs!r}: "
        f"{did_you_mean(theirs, names) or 'there are ' + ', '.join(map(repr, names[:12]))}"
        for theirs in columns.values()
        if theirs not in names
    ]
