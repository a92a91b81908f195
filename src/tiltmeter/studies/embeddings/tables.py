"""The tables of a study of embeddings: for spreadsheets, for papers, for programs, for the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.json_files import json_document
from tiltmeter.report.numbers import DASH, fixed, interval, p_value
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.table import Cell, Column, Footnotes, Table
from tiltmeter.studies.embeddings.forests import beyond
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.numbers import Number, p_text, per_cent, rnsb_text, rnsb_texts
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of, rows_of

FRAMES = {
    **{name: name for name in (
        "rnsb", "terms", "groups", "comparisons", "correlations", "classifiers", "ridges"
    )},
    "map": "plane", "weat": "weat", "associations": "associations", "others": "others",
    "links": "links", "link-names": "link_names", "link-gaps": "link_gaps",
    "mitigation": "mitigation",
}  # fmt: skip
"""Files, and the frames of the study that they hold."""
MATRICES = 40
"""Square tables that are written; of more, the long table will do."""
WIDE = 4
"""Columns of numbers that fit beside each other in a paper."""
COMPARED = 200
"""Pairs of embeddings beyond which the table for spreadsheets will do."""
ACROSS = 6
"""Up to so many embeddings stand across on the page, as in the paper; more stand down."""
SCHEMA_VERSION = 2
"""2: `classifier.classes`; corrected numbers come from balanced classes, those of 1 did not, so the
two do not compare."""
FILE = "embeddings.json"
METHODS = {BEFORE: "As they are", "hard": "Hard", "soft": "Soft", "inlp": "INLP"}
MEASURES = {
    "rnsb": "RNSB", "weat": "WEAT", "similarity": "Similarity", "analogies": "Analogies",
    "neighbours": "Neighbours kept", "accuracy": "Accuracy (balanced)",
    "cluster": "Cluster test", "probe": "Probe",
}  # fmt: skip
Found = Mapping[tuple[Any, ...], list[Row]]
"""Rows by their keys, without these."""


def embedding_tables(study: Embeddings) -> list[Table]:
    """Every table: those for spreadsheets, then those for papers; none that would be empty."""
    return [
        *(Table(name, frame) for name, frame in spreadsheets(study).items()),
        *for_papers(study),
    ]


def spreadsheets(study: Embeddings) -> dict[str, pl.DataFrame]:
    """Frames by their files' names: like the paper's, and what lies behind."""
    remarks = ["; ".join(study.remarks.get(name, ())) for name in study.names]
    found = {
        "table-1": table_1(study),
        "embeddings": study.embeddings.with_columns(pl.Series("remarks", remarks, pl.String)),
        **{file: getattr(study, name) for file, name in FRAMES.items()},
        "missing-terms": study.terms.filter(pl.col("found_as").is_null()).select(
            "embedding", "list", "term", "group"
        ),
    }
    squares = study.correlations.partition_by("embedding", "list", as_dict=True)
    if study.correlations.height and len(squares) <= MATRICES:
        embeddings = unique_slugs(str(name) for name, _ in squares)
        lists = unique_slugs(str(of) for _, of in squares)
        files = [f"correlations-{lists[str(of)]}-{embeddings[str(one)]}" for one, of in squares]
        found |= dict(zip(numbered(files), map(square, squares.values()), strict=True))
    return {name: in_plain_cells(frame) for name, frame in found.items() if frame.height}


def table_1(study: Embeddings) -> pl.DataFrame:
    """Table 1 of Sweeney & Najafian (2019): a row for each list, RNSB and interval by embedding.

    A cell that was refused is empty, and a column says why.
    """
    cells, keys = _rnsb_cells(study), ["list", "title"]
    embeddings = list(dict.fromkeys(name for name, _ in cells))
    refused = {name for (name, _), row in cells.items() if row["reason"]}
    columns = [(name, what) for name in embeddings for what in ("rnsb", "low", "high")]
    columns += [(name, "reason") for name in embeddings if name in refused]
    named = [name if what == "rnsb" else f"{name} {what}" for name, what in columns]
    heads = numbered([*keys, *named])[len(keys) :]
    titles = pl.DataFrame(
        {"list": [*study.lists], "title": [*study.lists.values()]},
        schema=dict.fromkeys(keys, pl.String),
    )
    return titles.with_columns(
        pl.Series(
            head,
            [cells.get((name, one), {}).get(what) for one in study.lists],
            pl.String if what == "reason" else pl.Float64,
        )
        for head, (name, what) in zip(heads, columns, strict=True)
    )


def _rnsb_cells(study: Embeddings) -> dict[tuple[str, str], Row]:
    """The rows of RNSB, by embedding and list."""
    return {(row["embedding"], row["list"]): row for row in study.rnsb.to_dicts()}


def square(rows: pl.DataFrame) -> pl.DataFrame:
    """Each term's correlation with each, whichever of two stands first.

    >>> pairs = {"first": ["a", "a", "b"], "second": ["a", "b", "b"]}
    >>> rows = pl.DataFrame({**pairs, "r": [1.0, 0.5, 1.0]})
    >>> square(rows).rows()
    [('a', 1.0, 0.5), ('b', 0.5, 1.0)]
    """
    cells = {
        pair: r
        for a, b, r in rows.select("first", "second", "r").rows()
        for pair in ((a, b), (b, a))
    }
    terms = list(dict.fromkeys(term for pair in cells for term in pair))
    heads = numbered(["term", *terms])[1:]
    columns = {
        head: [cells.get((row, term)) for row in terms]
        for head, term in zip(heads, terms, strict=True)
    }
    return pl.DataFrame({"term": terms, **columns})


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


def for_papers(study: Embeddings) -> list[Table]:
    """The tables for papers."""
    return [
        *_rnsb_tables(study), *_comparison_table(study), *_term_tables(study),
        *_weat_table(study), *_link_tables(study), *_mitigation_tables(study),
    ]  # fmt: skip


def _column(name: str, header: str = "", cell: Callable[[Row], str | Cell] | None = None,
            latex: str = "") -> Column:  # fmt: skip
    """A column of numbers that are texts already."""
    return Column(name, header, cell=cell, align="right", latex=latex)


def estimate(value: Number, low: Number, high: Number) -> str:
    """A number and its interval; without an interval, as many decimals as the paper has.

    >>> estimate(0.3621, 0.31, 0.42), estimate(0.6225, None, None), estimate(-1.2, -2, 0.1)
    ('0.36 [0.31, 0.42]', '0.6225', '−1.2 [−2.0, 0.1]')
    """
    if value is None:
        return DASH
    if low is None or high is None:
        return fixed(value, 4)
    return "{} [{}, {}]".format(*interval(value, low, high))


def _estimates(name: str, low: str = "low", high: str = "high") -> Callable[[Row], str]:
    return lambda row: estimate(row[name], row[low], row[high])


def _p(row: Row) -> str:
    p = row["p_adjusted"]
    return DASH if p is None else p_value(p).removeprefix("p ").removeprefix("= ")


def _footnotes(file: str, rows: Sequence[Row], value: str) -> Footnotes:
    """Why rows have no number, in their order."""
    notes = Footnotes(file)
    for row in rows:
        if row[value] is None:
            notes.mark(row["reason"])
    return notes


def _or_reason(name: str, notes: Footnotes) -> Callable[[Row], str | Cell]:
    """A number with its interval, or a dash and the letter of the reason."""
    return lambda row: notes.mark(row["reason"]) if row[name] is None else _estimates(name)(row)


def _measured(study: Embeddings) -> str:
    """RNSB in a sentence, the lexicon behind it, and what stands in brackets."""
    named = "Relative Negative Sentiment Bias (RNSB)"
    if study.polarity == "positive":
        named = "RNSB of positive in place of negative sentiment"
    facts = study.run.get("lexicon")
    titles = [facts["title"]] if isinstance(facts, Mapping) and facts.get("title") else []
    titles = titles or list(dict.fromkeys(study.classifiers["lexicon"].drop_nulls()))
    classes = "" if study.published else ", its positive and negative words balanced"
    lexicon = f" Lexicon: {'; '.join(map(str, titles))}{classes}." if titles else ""
    return (
        f"{named} of identity terms: the Kullback–Leibler divergence of their shares of "
        f"{study.polarity} sentiment from equal shares; 0 is even.{lexicon} {_brackets(study)}"
    )


def _brackets(study: Embeddings) -> str:
    if study.published:
        return "One fit with C = 1, as published."
    many = study.run.get("resamples")
    over = f"{many:,} resamples" if isinstance(many, int) else "resamples"
    return f"In brackets: 95 % interval over {over} of the lexicon."


def _rnsb_tables(study: Embeddings) -> list[Table]:
    """Table 1 where it fits on a page, and every RNSB beside what ordinary words get."""
    cells, lists = _rnsb_cells(study), study.lists
    if not cells:
        return []
    embeddings = list(dict.fromkeys(name for name, _ in cells))
    keys = [(name, of) for of in lists for name in embeddings]
    down, across = lists, {name: name for name in embeddings}
    if flipped := len(embeddings) > WIDE:
        keys = [(name, of) for name in embeddings for of in lists]
        down, across = across, lists
    notes = _footnotes("rnsb", [cells[key] for key in keys if key in cells], "rnsb")
    shown = _or_reason("rnsb", notes)

    def cell(other: str) -> Callable[[Row], str | Cell]:
        def found(row: Row) -> str | Cell:
            own = cells.get((row["key"], other) if flipped else (other, row["key"]))
            return DASH if own is None else shown(own)

        return found

    first = "Embedding" if flipped else "Case study"
    table = Table(
        "table-1", pl.DataFrame({"key": [*down], "name": [*down.values()]}),
        (Column("name", first), *(_column(key, name, cell(key)) for key, name in across.items())),
        _measured(study), notes.notes(), tight=len(across) > 3, files=("tex",),
    )  # fmt: skip
    by_list = [cells[name, of] for of in lists for name in embeddings if (name, of) in cells]
    notes = _footnotes("rnsb", by_list, "rnsb")

    def ordinary(row: Row) -> str:
        low, high = row["even_low"], row["even_high"]
        if low is None or high is None:
            return DASH
        _, *ends = interval((low + high) / 2, low, high)
        return "{}–{}".format(*ends)

    long = Table(
        "rnsb", pl.DataFrame(by_list, study.rnsb.schema),
        (
            Column("list", "Case study", cell=lambda row: lists[row["list"]], once=True),
            Column("embedding", "Embedding"),
            _column("rnsb", "RNSB", _or_reason("rnsb", notes)),
            _column("even_low", "Ordinary words", ordinary),
            _column("p", "p", _p, "$p$"),
            _column("n_found", "Terms", lambda row: f"{row['n_found']}/{row['n_terms']}"),
        ),
        f"{_measured(study)} Ordinary words: where RNSB lies in 95 % of draws of as many everyday "
        "words; p: the share of draws from terms and everyday words together that are at least as "
        "uneven, after Holm's correction.",
        notes.notes(), tight=True, files=("tex",),
    )  # fmt: skip
    return [long] if min(len(embeddings), len(lists)) > WIDE else [table, long]


def _comparison_table(study: Embeddings) -> list[Table]:
    """Two embeddings side by side; none where nobody would print so many."""
    if not 0 < study.comparisons.height <= COMPARED:
        return []
    caption = (
        "RNSB of two embeddings on the terms that both hold, and the first less the second. Below "
        "0: the first is more even."
    )
    if not study.published:
        caption += " In brackets: 95 % interval over the same resamples of the lexicon for both."
    columns = (
        Column("list", "Case study", format=lambda of: study.lists.get(of, of)),
        Column("first", "First"),
        Column("second", "Second"),
        Column("n_terms", "Terms"),
        _column("rnsb_first", "RNSB", lambda row: estimate(row["rnsb_first"], None, None)),
        _column("rnsb_second", "RNSB", lambda row: estimate(row["rnsb_second"], None, None)),
        _column("difference", "Difference", _estimates("difference")),
    )
    return [Table("comparisons", study.comparisons, columns, caption, tight=True, files=("tex",))]


def _term_tables(study: Embeddings) -> list[Table]:
    """Probabilities of each term; several tables of a list with many embeddings."""
    known = study.terms.drop_nulls("probability")
    slugs = unique_slugs(study.lists)
    parts = [
        (of, embeddings[start : start + WIDE].to_list())
        for of in study.lists
        for embeddings in [known.filter(list=of)["embedding"].unique(maintain_order=True)]
        for start in range(0, len(embeddings), WIDE)
    ]
    files = numbered([f"terms-{slugs[of]}" for of, _ in parts])
    return [_term_table(study, file, *part) for file, part in zip(files, parts, strict=True)]


def _term_table(study: Embeddings, file: str, of: str, embeddings: Sequence[str]) -> Table:
    """A row for each term, in blocks by group."""
    rows = study.terms.filter(pl.col("embedding").is_in(embeddings), list=of)
    cells = {(row["embedding"], row["term"]): row for row in rows.to_dicts()}

    def cell(name: str) -> Callable[[Row], str]:
        def found(row: Row) -> str:
            own = cells.get((name, row["term"]))
            return DASH if own is None else _estimates("probability")(own)

        return found

    terms = rows.select("group", "term").unique(maintain_order=True)
    group = Column("group", "Group", missing="", once=True)
    grouped = terms["group"].is_not_null().any()
    return Table(
        file, pl.concat(terms.partition_by("group", maintain_order=True)),
        (*([group] if grouped else []), Column("term", "Term"),
         *(_column(name, name, cell(name)) for name in embeddings)),
        f"{study.lists[of]}: probability that a term's vector is one of a {study.polarity} word. "
        f"{_brackets(study)} A dash: the embedding has no such word.",
        tight=len(embeddings) + grouped > 3, files=("tex",),
    )  # fmt: skip


def _weat_table(study: Embeddings) -> list[Table]:
    """A row for each test, in blocks by embedding."""
    rows = study.weat.to_dicts()
    if not rows:
        return []
    notes = _footnotes("weat", rows, "effect")

    def p(row: Row) -> str:
        return f"{_p(row)}{'†' if row['p_adjusted'] is not None and row['exact'] else ''}"

    exact = "; †: all of them" if any(row["exact"] for row in rows) else ""
    printed = " Published: the effect that Caliskan et al. (2017) print for GloVe 840B."
    caption = (
        "Word-set tests. d: effect size, at most 2 either way; above 0 the first targets go with "
        "the first attributes. In brackets: 95 % interval over resamples of the words. p: "
        f"two-sided, from permutations of the target words without replacement{exact}. p after "
        f"Holm's correction.{printed if study.weat['published'].count() else ''}"
    )
    columns = (
        Column("embedding", "Embedding", once=True),
        Column("test", "Test"),
        Column("first", "Targets; attributes",
               cell=lambda row: "{first} and {second}; {good} and {bad}".format(**row)),
        _column("effect", "d", _or_reason("effect", notes), "$d$"),
        _column("p", "p", p, "$p$"),
        Column("published", "Published", format=lambda value: fixed(value, 2)),
    )  # fmt: skip
    return [
        Table("weat", study.weat, columns, caption, notes.notes(), tight=True, paged=True,
              files=("tex",))
    ]  # fmt: skip


def _link_tables(study: Embeddings) -> list[Table]:
    """Correlations over names, and the part of gaps between groups that goes with the vectors."""
    whose = (Column("embedding", "Embedding"), Column("system", "System"), Column("task", "Task"))
    notes = _footnotes("links", study.links.to_dicts(), "pearson")
    links = Table(
        "links", study.links,
        (
            *whose, Column("n", "Names"),
            _column("pearson", "r", _or_reason("pearson", notes), "$r$"),
            _column("p", "p", lambda row: DASH if row["pearson"] is None else _p(row), "$p$"),
            _column("spearman", "ρ", _estimates("spearman", "spearman_low", "spearman_high"),
                    r"$\rho$"),
        ),
        f"The log-odds that a name's vector is one of a {study.polarity} word, against how far a "
        "system's scores of sentences with that name lie from the others. r: Pearson's, ρ: "
        "Spearman's correlation, with 95 % intervals over names; p after Holm's correction.",
        notes.notes(), tight=True, files=("tex",),
    )  # fmt: skip
    gaps = Table(
        "link-gaps", study.link_gaps,
        (
            *whose,
            Column("first", "Groups", cell=lambda row: f"{row['first']} − {row['second']}"),
            Column("gap", "Gap", format=lambda value: fixed(value, 3)),
            _column("carried", "Carried", _estimates("carried")),
            Column("share", "Share", format=lambda value: fixed(value, 2)),
        ),
        "Gaps between groups in a system's scores (first minus second), the part that goes with "
        "the names' vectors, with its 95 % interval over names, and its share.",
        tight=True, files=("tex",),
    )  # fmt: skip
    return [table for table in (links, gaps) if table.frame.height]


def _mitigation_tables(study: Embeddings) -> list[Table]:
    """Numbers before and after a projection: a table for each embedding and direction."""
    found = dict(parts_of(study.mitigation, "embedding", "direction"))
    files = ["mitigation"]
    if len(found) != 1:
        slugs = unique_slugs(f"{name} {direction}" for name, direction in found)
        files = numbered([f"mitigation-{slug}" for slug in slugs.values()])
    made = []
    for file, ((embedding, direction), rows) in zip(files, found.items(), strict=True):
        notes = _footnotes("mitigation", rows, "value")
        cells: dict[str, dict[str, Row]] = {}
        for row in rows:
            name = MEASURES.get(row["measure"]) or str(row["measure"])
            what = study.lists.get(row["what"], row["what"])
            cells.setdefault(f"{name}, {what}" if what else name, {})[row["method"]] = row
        methods = list(dict.fromkeys(row["method"] for row in rows))
        made.append(_mitigation_table(file, cells, methods, notes, f"{embedding}: before and after "
                                      f"taking out the direction of {direction}."))  # fmt: skip
    return made


def _mitigation_table(
    file: str,
    cells: Mapping[str, Mapping[str, Row]],
    methods: Sequence[str],
    notes: Footnotes,
    about: str,
) -> Table:
    """A row for each number and a column for each method."""
    shown = _or_reason("value", notes)

    def cell(method: str) -> Callable[[Row], str | Cell]:
        def found(row: Row) -> str | Cell:
            own = cells[row["name"]].get(method)
            return DASH if own is None else shown(own)

        return found

    return Table(
        file, pl.DataFrame({"name": [*cells]}),
        (Column("name", "Measure"),
         *(_column(one, METHODS.get(one) or one, cell(one)) for one in methods)),
        f"{about} In brackets: 95 % intervals. A direction that is gone from single numbers may "
        "still be found in the vectors (Gonen & Goldberg 2019): the cluster test and the probe say "
        "how far.",
        notes.notes(), tight=True, files=("tex",),
    )  # fmt: skip


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


def embeddings_json(study: Embeddings) -> str:
    """Every number but the map, nested by embedding, and how they came about."""
    classifiers, ridges = (rows_by(f, "embedding") for f in (study.classifiers, study.ridges))
    others, mitigation = (rows_by(f, "embedding") for f in (study.others, study.mitigation))
    lists = _nested(study.rnsb, ("list",), terms=study.terms, groups=study.groups,
                    correlations=study.correlations)  # fmt: skip
    tests = _nested(study.weat, ("test",), words=study.associations)
    links = _nested(study.links, ("system", "task"), names=study.link_names, gaps=study.link_gaps)
    records = []
    for row in study.embeddings.to_dicts():
        key = (name,) = (row.pop("embedding"),)
        fitted = classifiers.get(key)
        records.append(
            {
                "name": name, **row, "remarks": study.remarks.get(name, ()),
                "classifier": {**fitted[0], "ridges": ridges.get(key, [])} if fitted else None,
                "lists": lists.get(key, []), "weat": tests.get(key, []),
                "others": others.get(key, []), "links": links.get(key, []),
                "mitigation": mitigation.get(key, []),
            }
        )  # fmt: skip
    head = {
        "schema_version": SCHEMA_VERSION, "environment": study.environment, "run": study.run,
        "notes": study.notes,
    }  # fmt: skip
    lists_of = {"comparisons": study.comparisons.to_dicts(), "embeddings": records}
    return json_document(head, lists_of, expanded=("embeddings",))


def _nested(frame: pl.DataFrame, keys: tuple[str, ...], **parts: pl.DataFrame) -> Found:
    """An embedding's rows, each with the rows of other frames that have its keys."""
    inside = {name: rows_by(part, "embedding", *keys) for name, part in parts.items()}
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in frame.to_dicts():
        whose = (row.pop("embedding"),)
        own = (*whose, *(row[key] for key in keys))
        nested = {name: part.get(own, []) for name, part in inside.items()}
        found.setdefault(whose, []).append(row | nested)
    return found


def rows_by(frame: pl.DataFrame, *keys: str) -> Found:
    """The rows of a frame by their keys.

    >>> rows_by(pl.DataFrame({"embedding": ["a", "a"], "ridge": [1, 2]}), "embedding")
    {('a',): [{'ridge': 1}, {'ridge': 2}]}
    """
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in frame.to_dicts():
        found.setdefault(tuple(row.pop(key) for key in keys), []).append(row)
    return found
