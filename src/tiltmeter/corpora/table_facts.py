"""What is known of a user's table once it has been gone through and found sound."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from tiltmeter.corpora.columns import GUESSES, Groups
from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.table_file import TableFile
from tiltmeter.corpora.table_look import SAID_ONCE, Look
from tiltmeter.corpora.table_rules import bad_groups, broken_rules, no_axis, unbalanced, unreadable
from tiltmeter.corpora.table_suspects import Parts
from tiltmeter.errors import CorpusError, Problem


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a corpus is made from, besides the rows."""

    columns: tuple[str, ...]
    """The columns of the file."""
    size: int
    notes: tuple[str, ...]
    """What reading it showed."""
    groups: dict[str, Groups]
    """The groups found on each axis, as they come in the file."""
    said: dict[str, str | None]
    """What the columns of a corpus' name, edition, language and axes say, where it is one thing."""
    odd: int
    """Texts in another form than Unicode's NFC."""
    nobody: int
    """Sentences without a group on any axis that is compared."""

    def to_json(self) -> str:
        """The facts to be kept."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @staticmethod
    def from_json(kept: Mapping[str, Any]) -> TableFacts:
        """The facts that were kept; KeyError or TypeError where they are others."""
        groups = {axis: tuple(found) for axis, found in kept["groups"].items()}
        given = {one.name: kept[one.name] for one in fields(TableFacts)}
        several = {"columns": tuple(kept["columns"]), "notes": tuple(kept["notes"])}
        return TableFacts(**{**given, **several, "groups": groups})


class Sound:
    """The checks of a table, in two steps: what any row may break, then what a frame must hold."""

    def __init__(self, table: TableFile, look: Look, axes: Mapping[str, Groups]) -> None:
        """`table` is spoken of, and needs no rows; `axes` are those asked for."""
        self._table, self._look = table, look
        choice = look.choice
        self.problems = [Problem(table.at(), what) for what in choice.problems]
        self.problems += unreadable(table, choice, look)
        self._groups = {
            name: look.groups_of(name) for name in choice.axes if name not in look.strange
        }
        for name, values in self._groups.items():
            given, asked = axes.get(name, ()), name in choice.given
            self.problems += bad_groups(table, name, values, given, asked)
        found = [Axis(name, axes.get(name, ()) or tuple(at)) for name, at in self._groups.items()]
        self._compared = [axis for axis in found if len(axis.groups) > 1]
        if not self._compared and choice.given <= GUESSES.keys():
            self.problems.append(Problem(table.at(), no_axis(table, found)))

    def look_at_rows(self, parts: Parts) -> None:
        """Look for what is wrong with rows, which are in the order of the file."""
        self.problems += broken_rules(self._table, self._look, self._compared, parts)

    def look_at_frames(self, parts: Parts, rows: int) -> None:
        """Look for frames that compare nobody; they stand together, or are at most so many rows.

        A corpus that we wrote may have some: where words are drawn, not everybody has every word.
        """
        if self._look.choice.is_export:
            return
        self.problems += unbalanced(self._table, self._look, self._compared, parts, rows)

    def facts(self) -> TableFacts:
        """What is known of the table; an error where anything is wrong with it."""
        if self.problems:
            subject = f"{self._table.path.name} cannot be used as a corpus"
            raise CorpusError(subject, self.problems)
        look = self._look
        return TableFacts(
            columns=tuple(self._table.frame.columns),
            size=look.size,
            notes=self._table.notes,
            groups={name: tuple(look.groups[name]) for name in self._groups},
            said={name: look.only(name) for name in SAID_ONCE},
            odd=look.odd,
            nobody=look.without_group([axis.name for axis in self._compared]),
        )
