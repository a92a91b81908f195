"""embeddings.json: what was found in each embedding, for other programs.

The same bytes for the same input, apart from `environment`; a line for each list and test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.json_text import indented, json_line

SCHEMA_VERSION = 2
"""2: `classifier.classes`; corrected numbers come from balanced classes, those of 1 did not, so the
two do not compare."""
FILE = "embeddings.json"
Record = dict[str, Any]
Found = Mapping[tuple[Any, ...], list[Record]]
"""Rows by their keys, without these."""


def embeddings_json(material: EmbeddingMaterial) -> str:
    """Every number but the map, nested by embedding, and how they came about."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "environment": material.environment,
        "run": material.run,
        "notes": material.notes,
    }
    compared = _listed(map(json_line, material.comparisons.to_dicts()), 4)
    told = _listed(map(_laid_out, _embeddings(material)), 4)
    rest = f'  "comparisons": {compared},\n  "embeddings": {told}'
    return f"{indented(head)[:-2]},\n{rest}\n}}\n"


def _embeddings(material: EmbeddingMaterial) -> list[Record]:
    """A record for each embedding, with everything about it."""
    classifiers, ridges = by(material.classifiers, "embedding"), by(material.ridges, "embedding")
    lists, tests, links = _lists(material), _tests(material), _links(material)
    others, mitigation = by(material.others, "embedding"), by(material.mitigation, "embedding")
    return [
        {
            "name": name,
            **{key: value for key, value in row.items() if key != "embedding"},
            "remarks": material.remarks.get(name, ()),
            "classifier": _classifier(classifiers.get((name,)), ridges.get((name,), [])),
            "lists": lists.get((name,), []),
            "weat": tests.get((name,), []),
            "others": others.get((name,), []),
            "links": links.get((name,), []),
            "mitigation": mitigation.get((name,), []),
        }
        for row in material.embeddings.to_dicts()
        for name in [row["embedding"]]
    ]


def _classifier(rows: list[Record] | None, ridges: list[Record]) -> Record | None:
    return {**rows[0], "ridges": ridges} if rows else None


def _lists(material: EmbeddingMaterial) -> Found:
    """RNSB of each list, with its terms, groups and correlations."""
    return _with(
        material.rnsb,
        ("list",),
        terms=material.terms,
        groups=material.groups,
        correlations=material.correlations,
    )


def _tests(material: EmbeddingMaterial) -> Found:
    """Each test, with how its words are associated."""
    return _with(material.weat, ("test",), words=material.associations)


def _links(material: EmbeddingMaterial) -> Found:
    """Each system, with its names and gaps."""
    return _with(
        material.links, ("system", "task"), names=material.link_names, gaps=material.link_gaps
    )


def _with(frame: pl.DataFrame, keys: tuple[str, ...], **parts: pl.DataFrame) -> Found:
    """An embedding's rows, each with the rows of other frames that have its keys."""
    inside = {name: by(part, "embedding", *keys) for name, part in parts.items()}
    found: dict[tuple[Any, ...], list[Record]] = {}
    for row in frame.to_dicts():
        whose = (row.pop("embedding"),)
        own = (*whose, *(row[key] for key in keys))
        nested = {name: part.get(own, []) for name, part in inside.items()}
        found.setdefault(whose, []).append(row | nested)
    return found


def by(frame: pl.DataFrame, *keys: str) -> Found:
    """The rows of a frame by their keys.

    >>> by(pl.DataFrame({"embedding": ["a", "a"], "ridge": [1, 2]}), "embedding")
    {('a',): [{'ridge': 1}, {'ridge': 2}]}
    """
    found: dict[tuple[Any, ...], list[Record]] = {}
    for row in frame.to_dicts():
        found.setdefault(tuple(row.pop(key) for key in keys), []).append(row)
    return found


def _laid_out(record: Record) -> str:
    """A record over several lines; of a list of records, a line for each."""
    lines = [f"      {json_line(name)}: {_value(value)}" for name, value in record.items()]
    return "{\n" + ",\n".join(lines) + "\n    }"


def _value(value: object) -> str:
    if not (isinstance(value, list) and value and isinstance(value[0], dict)):
        return json_line(value)
    return _listed(map(json_line, value), 8)


def _listed(records: Iterable[str], indent: int) -> str:
    """A list with a line for each record, so far to the right."""
    lines = [" " * indent + record for record in records]
    return "[\n" + ",\n".join(lines) + "\n" + " " * (indent - 2) + "]" if lines else "[]"
