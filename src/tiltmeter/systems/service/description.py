"""Reading `my-system.toml`: which keys there are, what each may hold, and every mistake at once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tiltmeter.errors import Problem, SystemFailure, did_you_mean
from tiltmeter.files import LARGEST_TEXT, plain_bytes, toml_of
from tiltmeter.systems.protocol import TASKS, Scale
from tiltmeter.systems.service.connection import is_address

METHODS = ("POST", "GET", "PUT")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected a text")
    return value


def _url(value: object) -> str:
    if not isinstance(value, str) or not is_address(value):
        raise ValueError("expected an address, http://HOST or https://HOST")
    return value


def _method(value: object) -> str:
    if not isinstance(value, str) or value.upper() not in METHODS:
        raise ValueError(f"expected {', '.join(METHODS)}")
    return value.upper()


def _task(value: object) -> str:
    if value not in TASKS:
        near = did_you_mean(str(value), TASKS)
        raise ValueError(f"expected one of {', '.join(TASKS)}{f': {near}' if near else ''}")
    return str(value)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
        raise ValueError('expected a list of texts, as in ["en", "es"]')
    return tuple(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("expected a number")
    return float(value)


def _scale(value: object) -> Scale:
    what = "expected [LOW, HIGH], as in [-1, 1]"
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(what)
    try:
        scale = Scale(_number(value[0]), _number(value[1]))
    except ValueError:
        raise ValueError(what) from None
    if not scale.low < scale.high:
        raise ValueError(what)
    return scale


def _body(value: object) -> object:
    """A TOML table or list as it is; a text is read as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"expected a table, or a text holding JSON: {error}") from None
    if not isinstance(value, dict | list | str):
        raise ValueError("expected a table, a list, or a text holding JSON")
    try:
        json.dumps(value)
    except TypeError:
        raise ValueError("holds a date or time, which JSON has not: write it as a text") from None
    return value


def _table(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(part, str) for part in value.values()):
        raise ValueError("expected a table of texts")
    return value


def _labels(value: object) -> dict[str, float]:
    if not isinstance(value, dict) or not value:
        raise ValueError("expected a table of label = number")
    return {label: _number(number) for label, number in value.items()}


def _path(value: object) -> str:
    from tiltmeter.systems.service.score_extractor import compile_path

    expression = _text(value)
    try:
        compile_path(expression)
    except ValueError as error:
        first = str(error).strip().split("\n")[0].rstrip(": ")
        raise ValueError(f"expected a JMESPath expression: {first}") from None
    return expression


def _whole(least: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"expected a whole number from {least}")
        return value

    return read


def _amount(value: object) -> float:
    if _number(value) < 0:
        raise ValueError("expected a number from 0")
    return _number(value)


def _seconds(value: object) -> float:
    if _number(value) <= 0:
        raise ValueError("expected a number of seconds above 0")
    return _number(value)


KEYS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "system": {
        "name": _text, "url": _url, "method": _method, "task": _task, "languages": _texts,
        "scale": _scale, "licence": _text, "version": _text,
    },
    "request": {"body": _body, "query": _table, "headers": _table, "batch": _whole(1)},
    "answer": {"score": _path, "labels": _labels, "confidence": _path},
    "limits": {
        "concurrency": _whole(1), "timeout": _seconds, "retries": _whole(0), "backoff": _amount,
        "price": _amount,
    },
}  # fmt: skip
"""Every key of a description, by section, and what reads it."""

SHOWABLE = {"method", "task", "scale", "batch", "concurrency", "timeout", "retries", "backoff"}
"""Keys whose wrong value a message may repeat; the others may hold a secret or be long."""

Sections = dict[str, dict[str, Any]]


def read_description(path: Path) -> tuple[Sections, list[Problem]]:
    """The sections of a description, checked key by key, and what is wrong with the others."""
    found = _toml(path)
    sections: Sections = {name: {} for name in KEYS}
    problems = []
    for section, values in found.items():
        if section not in KEYS or not isinstance(values, Mapping):
            problems.append(Problem(str(path), _misplaced(section)))
            continue
        for key, value in values.items():
            try:
                sections[section][key] = _read(section, key, value)
            except ValueError as error:
                problems.append(Problem(f"{path}: [{section}] {key}", str(error)))
    return sections, [*problems, *_absent(path, found)]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return toml_of(plain_bytes(path, LARGEST_TEXT).decode("utf-8-sig"))
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError:
        what = "is not UTF-8; save the file as UTF-8"
    except ValueError as error:
        what = f"is not valid TOML: {error}"
    raise SystemFailure(str(path), what)


def _read(section: str, key: str, value: object) -> object:
    reader = KEYS[section].get(key)
    if reader is None:
        raise ValueError(_unknown(section, key))
    try:
        return reader(value)
    except ValueError as error:
        found = f"found {value!r}; " if key in SHOWABLE else ""
        raise ValueError(f"{found}{error}") from None


def _unknown(section: str, key: str) -> str:
    homes = [f"[{home}]" for home, keys in KEYS.items() if key in keys]
    if homes:
        return f"this key belongs under {' or '.join(homes)}"
    near = did_you_mean(key, KEYS[section])
    return f"unknown key; {near or 'known are ' + ', '.join(KEYS[section])}"


def _misplaced(section: str) -> str:
    homes = [f"[{home}]" for home, keys in KEYS.items() if section in keys]
    if homes:
        return f"the key {section!r} belongs under {homes[0]}"
    if section in KEYS:
        return f"{section!r} is no table; write [{section}] above its keys"
    near = did_you_mean(section, KEYS)
    expected = near or f"expected {', '.join(f'[{name}]' for name in KEYS)}"
    return f"unknown section {section!r}; {expected}"


def _absent(path: Path, found: Mapping[str, Any]) -> Iterator[Problem]:
    for section, key, example in (
        ("system", "url", 'url = "https://host/score"'),
        ("answer", "score", 'score = "sentiment.score", a JMESPath into the answer'),
    ):
        values = found.get(section, {})
        if not isinstance(values, Mapping) or key not in values:
            yield Problem(f"{path}: [{section}]", f"there is no {key!r}; write {example}")
