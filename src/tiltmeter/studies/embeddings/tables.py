"""The tables of a study of embeddings for spreadsheets and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.json_files import indented, json_line
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.studies.embeddings.numbers import p_text, per_cent, rnsb_text, rnsb_texts
from tiltmeter.studies.embeddings.strips import beyond
from tiltmeter.studies.embeddings.study import Embeddings, Row, rows_of

# ---- correlations between terms as square tables, one for each embedding and list


FEW = 40
"""Square tables that are written; of more, the long table will do."""


def correlation_matrices(study: Embeddings) -> dict[str, pl.DataFrame]:
    """Square tables, by their files' names without an ending; none where there would be many."""
    if study.correlations.is_empty():
        return {}
    parts = study.correlations.partition_by("embedding", "list", as_dict=True)
    if len(parts) > FEW:
        return {}
    embeddings = unique_slugs(str(name) for name, _ in parts)
    lists = unique_slugs(str(name) for _, name in parts)
    files = numbered(
        [f"correlations-{lists[str(two)]}-{embeddings[str(one)]}" for one, two in parts]
    )
    return {file: square(rows) for file, rows in zip(files, parts.values(), strict=True)}


def square(rows: pl.DataFrame) -> pl.DataFrame:
    """Each term's correlation with each, whichever of two stands first.

    >>> pairs = {"first": ["a", "a", "b"], "second": ["a", "b", "b"]}
    >>> rows = pl.DataFrame({**pairs, "r": [1.0, 0.5, 1.0]})
    >>> square(rows).rows()
    [('a', 1.0, 0.5), ('b', 0.5, 1.0)]
    """
    told = {
        pair: r
        for a, b, r in rows.select("first", "second", "r").rows()
        for pair in ((a, b), (b, a))
    }
    terms = list(dict.fromkeys(term for pair in told for term in pair))
    heads = numbered(["term", *terms])[1:]
    columns = {
        head: [told.get((row, term)) for row in terms]
        for head, term in zip(heads, terms, strict=True)
    }
    return pl.DataFrame({"term": terms, **columns})


# ---- table 1 of Sweeney & Najafian (2019): a row for each list, a column for each embedding


NUMBERS = ("rnsb", "low", "high")
KEYS = ("list", "title")
Cells = Mapping[tuple[str, str], Mapping[str, Any]]
"""What each embedding (named first) has on each list."""


def table_1(study: Embeddings) -> pl.DataFrame:
    """RNSB and its interval; a cell that was refused is empty, and a column says why."""
    cells, lists = cells_of(study), study.lists
    wanted = list(_columns(cells, embeddings_of(study)))
    heads = numbered([*KEYS, *(_head(name, what) for name, what in wanted)])[len(KEYS) :]
    keys = [
        pl.Series("list", [*lists], pl.String),
        pl.Series("title", [*lists.values()], pl.String),
    ]
    return pl.DataFrame(keys).with_columns(
        pl.Series(
            head,
            [cells.get((name, one), {}).get(what) for one in lists],
            pl.Float64 if what in NUMBERS else pl.String,
        )
        for head, (name, what) in zip(heads, wanted, strict=True)
    )


def cells_of(study: Embeddings) -> Cells:
    """The rows of RNSB, by embedding and list."""
    return {(row["embedding"], row["list"]): row for row in study.rnsb.to_dicts()}


def embeddings_of(study: Embeddings) -> list[str]:
    """The embeddings assessed, in order."""
    return list(dict.fromkeys(row["embedding"] for row in study.rnsb.to_dicts()))


def _columns(cells: Cells, embeddings: list[str]) -> Iterator[tuple[str, str]]:
    """Embeddings and what is told of them: numbers first, then why some are missing."""
    for name in embeddings:
        yield from ((name, what) for what in NUMBERS)
    refused = {name for (name, _), row in cells.items() if row["reason"]}
    yield from ((name, "reason") for name in embeddings if name in refused)


def _head(name: str, what: str) -> str:
    return name if what == "rnsb" else f"{name} {what}"


# ---- the tables of a study of embeddings for spreadsheets: like the paper's, and what lies
# behind


AS_THEY_ARE = {
    "rnsb": "rnsb",
    "terms": "terms",
    "groups": "groups",
    "comparisons": "comparisons",
    "correlations": "correlations",
    "classifiers": "classifiers",
    "ridges": "ridges",
    "map": "plane",
    "weat": "weat",
    "associations": "associations",
    "others": "others",
    "links": "links",
    "link-names": "link_names",
    "link-gaps": "link_gaps",
    "mitigation": "mitigation",
}
"""Files, and the frames of the study that they hold."""


def embedding_tables(study: Embeddings) -> dict[str, pl.DataFrame]:
    """Every table, by its file's name without an ending; none that would be empty."""
    found = {
        "table-1": table_1(study),
        "embeddings": embeddings_read(study),
        **{file: getattr(study, name) for file, name in AS_THEY_ARE.items()},
        "missing-terms": missing_terms(study),
        **correlation_matrices(study),
    }
    return {name: in_plain_cells(frame) for name, frame in found.items() if frame.height}


def embeddings_read(study: Embeddings) -> pl.DataFrame:
    """What was read, and what was found odd on the way."""
    told = ["; ".join(study.remarks.get(name, ())) for name in _names(study)]
    remarks = pl.Series("remarks", told, dtype=pl.String)
    return study.embeddings.with_columns(remarks) if told else study.embeddings


def missing_terms(study: Embeddings) -> pl.DataFrame:
    """Terms that an embedding has no vector for."""
    if study.terms.is_empty():
        return pl.DataFrame()
    absent = study.terms.filter(pl.col("found_as").is_null())
    return absent.select("embedding", "list", "term", "group")


def in_plain_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as text and what is no number left empty, as a cell of CSV can hold it.

    >>> in_plain_cells(pl.DataFrame({"missing": [["a", "b"]], "p": [float("nan")]})).rows()
    [('a, b', None)]
    """
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    joined = (pl.col(name).cast(pl.List(pl.String)).list.join(", ") for name in lists)
    finite = pl.when(pl.col(pl.Float64, pl.Float32).is_finite()).then(
        pl.col(pl.Float64, pl.Float32)
    )
    return frame.with_columns(*joined, finite)


def _names(study: Embeddings) -> list[str]:
    return study.embeddings["embedding"].to_list() if study.embeddings.height else []


# ---- the paper's Table 1: case studies × embeddings, each number with its interval


ACROSS = 6
"""Up to so many embeddings stand across, as in the paper; more stand down."""


@dataclass(frozen=True, slots=True)
class RnsbCell:
    """An RNSB with its interval, or why there is none."""

    number: str
    spread: str
    chance: str
    more: bool
    """More uneven than ordinary words mostly are."""
    reason: str


@dataclass(frozen=True, slots=True)
class TableOne:
    """Rows and columns, whichever way round fits."""

    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[RnsbCell, ...]], ...]


def table_one(study: Embeddings) -> TableOne:
    """Lists down and embeddings across, or the other way round where embeddings are many."""
    cells = {(row["list"], row["embedding"]): _cell(row) for row in rows_of(study.rnsb)}
    names, lists = study.names, study.lists
    none = RnsbCell("–", "", "", False, "")
    if len(names) > ACROSS:
        down = tuple((name, tuple(cells.get((of, name), none) for of in lists)) for name in names)
        return TableOne("Embedding", tuple(lists.values()), down)
    rows = tuple(
        (title, tuple(cells.get((of, name), none) for name in names)) for of, title in lists.items()
    )
    return TableOne("Case study", tuple(names), rows)


def _cell(row: Row) -> RnsbCell:
    if row["rnsb"] is None:
        return RnsbCell("–", "", "", False, str(row["reason"] or "no number"))
    return RnsbCell(*rnsb_texts(row["rnsb"], row["low"], row["high"]), p_text(row["p_adjusted"]),
                beyond(row) is True, "")  # fmt: skip


def rnsb_details(study: Embeddings) -> list[dict[str, str]]:
    """Everything known of each RNSB, as text."""
    titles = study.lists
    return [
        {
            "list": titles[row["list"]],
            "embedding": str(row["embedding"]),
            "rnsb": rnsb_texts(row["rnsb"], row["low"], row["high"])[0],
            "spread": rnsb_texts(row["rnsb"], row["low"], row["high"])[1],
            "chance": rnsb_text(row["by_chance"]),
            "chances": rnsb_texts(row["by_chance"], row["even_low"], row["even_high"])[1],
            "p": p_text(row["p_adjusted"]),
            "bias": rnsb_text(row["bias"]) if (row["bias"] or 0) >= 0 else f"{row['bias']:.4f}",
            "terms": f"{row['n_found']} of {row['n_terms']} ({per_cent(row['coverage'])})",
            "reason": str(row["reason"] or ""),
        }
        for row in rows_of(study.rnsb)
    ]


# ---- embeddings.json: what was found in each embedding, for other programs
# The same bytes for the same input, apart from `environment`; a line for each list and test.

SCHEMA_VERSION = 2
"""2: `classifier.classes`; corrected numbers come from balanced classes, those of 1 did not, so the
two do not compare."""
FILE = "embeddings.json"
Record = dict[str, Any]
Found = Mapping[tuple[Any, ...], list[Record]]
"""Rows by their keys, without these."""


def embeddings_json(study: Embeddings) -> str:
    """Every number but the map, nested by embedding, and how they came about."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "environment": study.environment,
        "run": study.run,
        "notes": study.notes,
    }
    compared = _listed(map(json_line, study.comparisons.to_dicts()), 4)
    told = _listed(map(_laid_out, _embeddings(study)), 4)
    rest = f'  "comparisons": {compared},\n  "embeddings": {told}'
    return f"{indented(head)[:-2]},\n{rest}\n}}\n"


def _embeddings(study: Embeddings) -> list[Record]:
    """A record for each embedding, with everything about it."""
    classifiers, ridges = by(study.classifiers, "embedding"), by(study.ridges, "embedding")
    lists, tests, links = _lists(study), _tests(study), _links(study)
    others, mitigation = by(study.others, "embedding"), by(study.mitigation, "embedding")
    return [
        {
            "name": name,
            **{key: value for key, value in row.items() if key != "embedding"},
            "remarks": study.remarks.get(name, ()),
            "classifier": _classifier(classifiers.get((name,)), ridges.get((name,), [])),
            "lists": lists.get((name,), []),
            "weat": tests.get((name,), []),
            "others": others.get((name,), []),
            "links": links.get((name,), []),
            "mitigation": mitigation.get((name,), []),
        }
        for row in study.embeddings.to_dicts()
        for name in [row["embedding"]]
    ]


def _classifier(rows: list[Record] | None, ridges: list[Record]) -> Record | None:
    return {**rows[0], "ridges": ridges} if rows else None


def _lists(study: Embeddings) -> Found:
    """RNSB of each list, with its terms, groups and correlations."""
    return _with(
        study.rnsb,
        ("list",),
        terms=study.terms,
        groups=study.groups,
        correlations=study.correlations,
    )


def _tests(study: Embeddings) -> Found:
    """Each test, with how its words are associated."""
    return _with(study.weat, ("test",), words=study.associations)


def _links(study: Embeddings) -> Found:
    """Each system, with its names and gaps."""
    return _with(study.links, ("system", "task"), names=study.link_names, gaps=study.link_gaps)


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
