"""Results as JSON: numbers at ten significant digits, the same bytes for the same values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from tiltmeter.records import Record

SCHEMA_VERSION = 2
"""Of run.json; 2: a corpus may have a population, and an audit writes people.parquet."""


ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


DIGITS = 10
"""Significant digits of a number."""


def json_line(value: object) -> str:
    """A value on one line; what is not a finite number is null.

    >>> json_line({"p": 0.1 + 0.2, "low": float("nan"), "é": -0.0})
    '{"p": 0.3, "low": null, "é": 0.0}'
    """
    return encode_rounded(rounded(value))


def encode_rounded(value: object) -> str:
    """A value on one line whose numbers are rounded."""
    return _text(ENCODER.encode(value))


def indented(value: object) -> str:
    """A value over several lines, without a newline at the end."""
    return _text(json.dumps(rounded(value), ensure_ascii=False, allow_nan=False, indent=2))


def rounded(value: Any) -> Any:  # noqa: ANN401
    """The value with its numbers at ten significant digits.

    >>> rounded([1 / 3, 12345678901, {"a": 2.0}])
    [0.3333333333, 12345678901, {'a': 2.0}]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else None
    if isinstance(value, Record):
        return rounded(msgspec.to_builtins(value))
    if isinstance(value, Mapping):
        return {str(name): rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value if isinstance(value, int) else str(value)


def _text(text: str) -> str:
    """Without halves of characters, which a command line may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()
