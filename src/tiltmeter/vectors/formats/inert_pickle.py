"""What a pickle says, without doing what it says: every object in it is a record of ours.

Unpickling can run any code because a pickle names functions that are then called. Here a name is
never looked up: a known one stands for a record that keeps what it was given, any other is refused.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.files import AS_WORD2VEC, reading
from tiltmeter.vectors.formats.pickle_memo import check_memo

BEGINS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
Names = Mapping[str, frozenset[str]]
"""The names that may stand in a pickle, by module."""


class Record:
    """What a pickle says of one object: made of what, and in what state."""

    __slots__ = ("args", "state")

    def __new__(cls, *args: Any) -> Record:  # noqa: ANN401
        """Keep what the pickle would call something with."""
        record = super().__new__(cls)
        record.args, record.state = args, None
        return record

    args: tuple[Any, ...]
    state: Any

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401
        """Keep what the pickle would set."""
        self.state = state


class _RefusedError(Exception):
    """A name that may not stand in the pickle."""


class _Records(pickle.Unpickler):
    """Reads a pickle into records, one kind for each known name."""

    def __init__(self, file: Any, names: Names) -> None:  # noqa: ANN401
        super().__init__(file, encoding="latin1")
        self._names, self._kinds = names, dict[tuple[str, str], type[Record]]()

    def find_class(self, module: str, name: str) -> type[Record]:
        """A kind of record instead of what the name stands for."""
        if name not in self._names.get(module, frozenset()):
            raise _RefusedError(f"{module}.{name}")
        if (module, name) not in self._kinds:
            self._kinds[module, name] = type(name, (Record,), {"__slots__": ()})
        return self._kinds[module, name]


def read_inert(path: Path, names: Names, expected: str) -> Any:  # noqa: ANN401
    """The object of a pickle as records, lists, dicts, texts and numbers; nothing in it runs."""
    with reading(path), path.open("rb") as file:
        try:
            check_memo(path)
            return _Records(file, names).load()
        except _RefusedError as refused:
            what = (
                f"names {str(refused)[:100]!r}, which no {expected} needs and which could run code"
            )
            raise TiltmeterError(f"{path}: {what}; nothing was run: {AS_WORD2VEC}") from None
        except (OSError, TiltmeterError):
            raise
        except Exception as error:
            what = f"is damaged, cut short or no {expected} ({type(error).__name__})"
            raise TiltmeterError(f"{path}: {what}: fetch it anew, or {AS_WORD2VEC}") from error


def kind_of(value: object) -> str:
    """The name a record stands for, or what else the value is."""
    return type(value).__name__
