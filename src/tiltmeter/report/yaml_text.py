"""Plain values as YAML that every reader takes for the same: texts always quoted, no aliases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tiltmeter.report.json_text import rounded

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
REPLACED = "\ufffd"
"""Stands for half a character, which no file can hold."""


def yaml_text(value: Mapping[str, Any]) -> str:
    """A mapping in block style.

    >>> print(yaml_text({"a": [{"b": "x: y"}, {"b": 1e-05}], "c": {}}), end="")
    a:
    - b: "x: y"
    - b: 1.0e-05
    c: {}
    """
    return "".join(f"{line}\n" for line in _lines(value))


def quoted(text: str) -> str:
    r"""A text in double quotes; whatever does not print is escaped.

    >>> print(quoted('a "b": \n' + chr(0x2028)))
    "a \"b\": \n\U00002028"
    """
    return f'"{"".join(_letter(letter) for letter in text)}"'


def _letter(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    if "\ud800" <= letter <= "\udfff":
        return REPLACED
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"


def _lines(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, one in value.items():
        if isinstance(one, Mapping) and one:
            yield f"{indent}{name}:"
            yield from _lines(one, f"{indent}  ")
        elif isinstance(one, Sequence) and not isinstance(one, str) and one:
            yield f"{indent}{name}:"
            yield from _items(one, indent)
        else:
            yield f"{indent}{name}: {_scalar(one)}"


def _items(values: Sequence[Mapping[str, Any]], indent: str) -> Iterator[str]:
    for one in values:
        first, *rest = _lines(one, f"{indent}  ")
        yield f"{indent}- {first.removeprefix(f'{indent}  ')}"
        yield from rest


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping | Sequence):
        return "{}" if isinstance(value, Mapping) else "[]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _number(rounded(value))


def _number(value: float | None) -> str:
    """A number; without a point, readers of YAML 1.1 would take 1e-05 for a text."""
    if value is None:
        return "null"
    told = repr(value)
    return told if "e" not in told or "." in told else told.replace("e", ".0e")
