"""JSON files: the same bytes for the same results, a line for each record, ten digits a number.

    json_document(
        {"schema_version": 3, "environment": study.environment, "run": study.run},
        {"changes": study.changes.to_dicts(), "pairs": study.moved.to_dicts()},
    )

Names stand in the order in which they are given. `environment` is the one part in which two runs on
the same scores may differ. What is no finite number is null. A record may be a text: a line that is
JSON already. The lists in `expanded` have records over several lines, one for each of their names,
and lists within those a line for each of theirs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterable, Mapping
from typing import Any

import msgspec

from tiltmeter.records import Record

SCHEMA_VERSION = 2
"""Of run.json; 2: a corpus may have a population, and an audit writes people.parquet."""


ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


DIGITS = 10
"""Significant digits of a number."""


def json_document(
    head: Mapping[str, object],
    lists: Mapping[str, Iterable[Mapping[str, Any] | str]],
    expanded: Container[str] = (),
) -> str:
    """A file: what comes first in several lines, then lists with a line for each record.

    >>> print(json_document({"schema_version": 1}, {"rows": [{"a": 0.5}], "none": []}), end="")
    {
      "schema_version": 1,
      "rows": [
        {"a": 0.5}
      ],
      "none": []
    }
    """
    parts = [
        f"  {json_line(name)}: {_listed(map(_over_lines if name in expanded else _line, rows), 4)}"
        for name, rows in lists.items()
    ]
    return ",\n".join([indented(head)[:-2], *parts]) + "\n}\n"


def _line(record: Mapping[str, Any] | str) -> str:
    return record if isinstance(record, str) else json_line(record)


def _over_lines(record: Mapping[str, Any] | str) -> str:
    """A record over several lines; of a list of records, a line for each."""
    if isinstance(record, str):
        return record
    lines = []
    for name, value in record.items():
        several = isinstance(value, list) and value and isinstance(value[0], Mapping)
        shown = _listed(map(json_line, value), 8) if several else json_line(value)
        lines.append(f"      {json_line(name)}: {shown}")
    return "{\n" + ",\n".join(lines) + "\n    }"


def _listed(records: Iterable[str], indent: int) -> str:
    lines = [" " * indent + record for record in records]
    return "[\n" + ",\n".join(lines) + "\n" + " " * (indent - 2) + "]" if lines else "[]"


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
