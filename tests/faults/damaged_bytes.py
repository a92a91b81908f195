"""Bytes that are almost a file: cut, flipped and spliced, or well-formed with odd values in it."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from functools import reduce
from typing import Any

import polars as pl
from hypothesis import strategies as st

TOKENS = (
    *(b"\0", b"\xff", b"\r", b"\r\n", b"\n\n", b"\t", b",", b'"', b"'", b'"""', b"\\", b"\x1b[31m"),
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b"=",
        b":",
        b"[[",
        b"[corpus]",
        b"[[people]]",
        b"{person}",
        b"{text}",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xff\xfe\0\0",
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"PAR1",
    ),
    *(b"nan", b"inf", b"-inf", b"1e999", b"-1", b"0", b"true", b"null", b"NaN", b"1979-05-27"),
    *(b"9" * 30, b"9" * 400, b"9" * 5000, b"0x" + b"f" * 5000, b"1_000", "−1".encode()),
    *(b"\\ud800", b"\\u0000", b"\\u202e", "\u202e\u2028é e\u0301".encode(), b"\xed\xa0\x80"),
    *(b"[" * 3000, b"{" * 3000, b'{"a":' * 3000, b"a." * 3000, b"(" * 3000, b"x" * 70_000),
)
"""Pieces that have a meaning somewhere, each in the wrong place."""

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**30, 10**400, -(10**400), 0.5, -0.0, 1e308, float("nan")),
    *(float("inf"), "", " ", "\n", "\0", "a\0b", "nan", "1e999", "=1+1", "\u202e", "x" * 300),
    *("../../etc/passwd", "/dev/zero", "{", "}", "{person", "{}", "[", "a/b", "en", "female", "*"),
    *(
        [],
        [[]],
        [None],
        [1, "a"],
        ["a", "a"],
        {},
        {"a": {}},
        {"": ""},
        [{}],
        [["a", "b"]],
        "\ufffd",
    ),
    *(["a"] * 50, {"group": "a"}, date(1979, 5, 27), "9" * 5000, [[[[[[]]]]]], "a" * 10 + "\u0301"),
)
"""Values that are well-formed and hardly ever meant."""
MOST = 200_000


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """The bytes cut, flipped, spliced and stuffed, or others altogether."""
    steps = st.lists(_step(len(data)), min_size=1, max_size=4)
    mended = steps.map(lambda each: reduce(lambda found, step: step(found), each, data)[:MOST])
    return st.one_of(mended, mended, mended, st.binary(max_size=600), _stuffed())


def _stuffed() -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(TOKENS), max_size=12).map(lambda parts: b"".join(parts)[:MOST])


def _step(size: int) -> st.SearchStrategy[Callable[[bytes], bytes]]:
    at = st.integers(0, max(size, 1))
    short = st.integers(0, 40)
    return st.one_of(
        at.map(lambda n: lambda data: data[:n]),
        st.tuples(at, st.integers(0, 7)).map(lambda told: lambda data: _flipped(data, *told)),
        st.tuples(at, st.integers(0, 255)).map(
            lambda told: lambda data: data[: told[0]] + bytes([told[1]]) + data[told[0] + 1 :]
        ),
        st.tuples(at, short).map(lambda t: lambda data: data[: t[0]] + data[t[0] + t[1] :]),
        st.tuples(at, st.sampled_from(TOKENS), short).map(
            lambda t: lambda data: data[: t[0]] + t[1] + data[t[0] + t[2] :]
        ),
        st.tuples(at, at, short).map(
            lambda t: lambda data: data[: t[0]] + data[t[1] : t[1] + 4 * t[2]] + data[t[0] :]
        ),
    )


def _flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :] if at < len(data) else data


# ---------------------------------------------------------------- well-formed, with odd values


def odd_json(data: bytes) -> st.SearchStrategy[bytes]:
    """The JSON with some of its values exchanged for odd ones, dropped or doubled."""
    return _odd_tree(json.loads(data)).map(
        lambda tree: json.dumps(tree, default=str)[:MOST].encode(errors="replace")
    )


def odd_toml(data: bytes) -> st.SearchStrategy[bytes]:
    """The TOML, likewise."""
    return _odd_tree(tomllib.loads(data.decode())).map(
        lambda tree: "\n".join(_toml_lines(tree)).encode(errors="replace")
    )


def _odd_tree(tree: Any) -> st.SearchStrategy[Any]:
    every = list(places(tree))
    changes = st.lists(
        st.tuples(st.sampled_from(every), st.sampled_from(ODD)), min_size=1, max_size=3
    )
    return changes.map(lambda each: reduce(lambda found, one: changed(found, *one), each, tree))


def places(tree: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if here:
        yield here
    pairs = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree[:4])
        if isinstance(tree, list)
        else ()
    )
    for key, value in pairs:
        yield from places(value, (*here, key))
    if isinstance(tree, dict):
        yield (*here, "odd key")


def changed(tree: Any, place: tuple[Any, ...], value: Any) -> Any:
    key, *rest = place
    if isinstance(tree, dict):
        if rest and key not in tree:
            return tree
        return {**tree, key: changed(tree[key], tuple(rest), value) if rest else value}
    if not isinstance(tree, list) or not isinstance(key, int) or key >= len(tree):
        return tree
    new = changed(tree[key], tuple(rest), value) if rest else value
    return [*tree[:key], new, *tree[key + 1 :]]


def _toml_lines(tree: dict[str, Any]) -> Iterator[str]:
    """Plain values first, since what follows a table belongs to it; tables written inline."""
    tables = [key for key, value in tree.items() if isinstance(value, dict)]
    lists = [
        key for key, value in tree.items()
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
    ]  # fmt: skip
    for key, value in tree.items():
        if key not in tables and key not in lists and value is not None:
            yield f"{json.dumps(key)} = {_toml(value)}"
    for key in tables:
        yield f"[{json.dumps(key)}]"
        yield from (f"{json.dumps(k)} = {_toml(v)}" for k, v in tree[key].items() if v is not None)
    for key in lists:
        for one in tree[key]:
            yield f"[[{key}]]"
            yield from (f"{json.dumps(k)} = {_toml(v)}" for k, v in one.items() if v is not None)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(
            f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items() if v is not None
        )
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(one) for one in value if one is not None)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    return str(value).removeprefix("+")


def odd_table(data: bytes, ending: str) -> st.SearchStrategy[bytes]:
    """A table with the columns of the valid one, their cells and types odd, some left out."""
    frame = _read(data, ending)
    cells = st.sampled_from([value for value in ODD if not isinstance(value, dict | list | date)])
    named = st.sampled_from(
        [*frame.columns, *frame.columns, "", " ", "ID", "id", "=x", "x" * 300, "a\nb"]
    )
    column = st.tuples(named, st.lists(cells, min_size=frame.height, max_size=frame.height))
    odd = st.lists(column, min_size=1, max_size=3)
    return st.tuples(odd, st.booleans()).map(lambda t: _written(frame, *t, ending))


def _read(data: bytes, ending: str) -> pl.DataFrame:
    if ending == "parquet":
        return pl.read_parquet(io.BytesIO(data))
    if ending == "jsonl":
        return pl.read_ndjson(io.BytesIO(data))
    return pl.read_csv(data, separator="," if ending == "csv" else "\t", quote_char=None)


def _written(
    frame: pl.DataFrame, odd: list[tuple[str, list[Any]]], alone: bool, ending: str
) -> bytes:
    rows: dict[str, list[Any]] = {} if alone else frame.to_dict(as_series=False)
    rows.update(odd)
    if ending == "jsonl":
        each = (dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True))
        return "\n".join(json.dumps(one) for one in each).encode(errors="replace")
    if ending == "parquet":
        made = pl.DataFrame([_series(name, values) for name, values in rows.items()])
        file = io.BytesIO()
        made.write_parquet(file)
        return file.getvalue()
    mark = "," if ending == "csv" else "\t"
    lines = [
        mark.join(rows),
        *(mark.join(map(_cell, row)) for row in zip(*rows.values(), strict=True)),
    ]
    return "\n".join(lines).encode(errors="replace")


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _series(name: str, values: list[Any]) -> pl.Series:
    """Values as whatever column holds them: of their own type, of texts, of lists or of bytes."""
    kind = len(name) + len(str(values[0]))
    small = [v if not isinstance(v, int) or abs(v) < 2**62 else None for v in values]
    if kind % 5 == 0:
        return pl.Series(name, [str(v) for v in values])
    if kind % 5 == 1:
        return pl.Series(name, [[str(v)] for v in values])
    if kind % 5 == 2:
        return pl.Series(name, [str(v).encode() for v in values])
    if kind % 5 == 3:
        return pl.Series(
            name, [v for v in small if isinstance(v, float)], dtype=pl.Float64
        ).extend_constant(None, sum(not isinstance(v, float) for v in small))
    return pl.Series(name, small, strict=False)
