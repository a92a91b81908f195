"""Which column of a labelled file says the group of a text: its authors, its dialect, its topic."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.corpora.table_file import folded
from tiltmeter.errors import did_you_mean

ROLES = {
    "id": "holds the IDs",
    "text": "holds the texts",
    "task": "says the task, and every task is looked at by itself anyway",
    "score": "holds the gold scores",
}


def group_column(names: Sequence[str], wanted: str) -> tuple[str | None, list[str]]:
    """The column that is called so, whatever its case and spaces, or what is wrong.

    >>> group_column(["Text", "Author group"], "author_group")
    ('Author group', [])
    >>> group_column(["text", "dialect"], "dialekt")
    (None, ["no column is called 'dialekt': did you mean 'dialect'?"])
    """
    if wanted in names:
        return wanted, []
    near = [name for name in names if folded(name) == folded(wanted)]
    if len(near) > 1:
        listed = " and ".join(repr(name) for name in near)
        return None, [f"the columns {listed} could each be {wanted!r}; write it as it stands"]
    if near:
        return near[0], []
    hint = did_you_mean(wanted, names) or "name one with --by"
    return None, [f"no column is called {wanted!r}: {hint}"]


def no_group(column: str, role: str) -> str:
    """Why a column that has a part to play already is no group."""
    return f"the column {column!r} {ROLES[role]}; expected one with a group for each text"
