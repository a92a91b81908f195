"""`[tool.tiltmeter]` of a pyproject.toml: what `tiltmeter gate` audits, and what it is held to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError, did_you_mean

TABLE = "[tool.tiltmeter]"
EXAMPLE = 'systems = ["my_model:score"] and gate = "gender<=0.01, race<=0.01"'


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: object) -> bool:
    return _text(value) or (isinstance(value, list) and bool(value) and all(map(_text, value)))


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_number, value.values()))


def _gate(value: object) -> bool:
    """A text, or margins by axis, people moved in a table of their own or by `moved.AXIS`."""
    if not isinstance(value, dict):
        return _text(value)
    given: dict[str, Any] = value
    moved = given.get("moved")
    return _numbers({**given, "moved": 0.0} if _numbers(moved) else given)


Kind = tuple[str, Callable[[object], bool]]
TEXT: Kind = "a text", _text
TEXTS: Kind = "a text, or a list of them", _texts
WHOLE: Kind = "a whole number", _whole
NUMBER: Kind = "a number", _number
MANY: Kind = 'a whole number, or "all"', lambda value: _whole(value) or value == "all"

KEYS: dict[str, Kind] = {
    "systems": TEXTS,
    "corpus": TEXTS,
    "edition": TEXT,
    "people": MANY,
    "frames": MANY,
    "weights": TEXT,
    "column": ('a text, as in "text=Sentence", or a list of them', _texts),
    "axis": ('a text, as in "age=old,young", or a list of them', _texts),
    "language": TEXT,
    "encoding": TEXT,
    "task": TEXTS,
    "scale": ('a text, as in "0:1", or a list, as in ["afinn=-5:5", "0:1"]', _texts),
    "gate": (
        'a text, as in "gender<=0.01", or a table, as in { gender = 0.01 }',
        _gate,
    ),
    "undecided": ('"fail" or "pass"', lambda value: value in ("fail", "pass")),
    "margin": (
        "a number, as in 0.01, or a table, as in { gender = 0.01 }",
        lambda value: _number(value) or _numbers(value),
    ),
    "correction": TEXT,
    "level": NUMBER,
    "family": WHOLE,
    "reference": (
        'a table of groups, as in { race = "Anglo" }',
        lambda value: isinstance(value, dict) and all(map(_text, value.values())),
    ),
    "all_pairs": ("true or false", lambda value: isinstance(value, bool)),
    "store": TEXT,
    "output": TEXT,
    "junit": TEXT,
    "summary": TEXT,
    "seed": WHOLE,
    "sample": WHOLE,
    "reuse": TEXT,
    "repeat": WHOLE,
    "max_missing": NUMBER,
    "workers": WHOLE,
    "base_url": TEXT,
    "parse": TEXT,
    "temperature": TEXT,
    "trust": TEXTS,
}
"""What the table may hold, and what each value must be."""


def read_table(path: Path) -> dict[str, Any]:
    """The table, every key known and every value of its kind."""
    table = _table(path)
    problems = [*_problems(table)]
    if problems:
        raise TiltmeterError(f"{path}: {TABLE} {'; '.join(problems)}")
    return {name: _listed(name, value) for name, value in table.items()}


def has_table(path: Path) -> bool:
    """Whether there is a file with such a table; one that cannot be read has none."""
    try:
        return _found(path) is not None
    except (OSError, ValueError):
        return False


def _table(path: Path) -> Mapping[str, Any]:
    try:
        found = _found(path)
    except FileNotFoundError:
        what = f"there is no {path}; name a folder of results to judge, as in: tiltmeter gate out"
        raise TiltmeterError(f"{what}, or write {TABLE} with {EXAMPLE}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise TiltmeterError(f"{path}: cannot be read as TOML: {why}") from error
    if found is None:
        raise TiltmeterError(f"{path}: there is no table {TABLE}; write one with {EXAMPLE}")
    return found


def _found(path: Path) -> Mapping[str, Any] | None:
    from tiltmeter.files import LARGEST_TEXT, parse_toml, read_capped

    tool = parse_toml(read_capped(path, LARGEST_TEXT).decode()).get("tool")
    found = tool.get("tiltmeter") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def _problems(table: Mapping[str, Any]) -> list[str]:
    found = []
    for name, value in table.items():
        if name not in KEYS:
            near = did_you_mean(name, KEYS) or f"known are {', '.join(KEYS)}"
            found.append(f"has a key {name!r}: {near}")
        elif not KEYS[name][1](value):
            found.append(f"{name} is {_shown(value)}; expected {KEYS[name][0]}")
    return found


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _listed(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever the table holds
    """A single text as a list where several may stand."""
    return [value] if KEYS[name][1] is _texts and isinstance(value, str) else value
