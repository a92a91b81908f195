"""The tables of a study of embeddings: one definition for the page, for papers and for files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.json_files import json_document
from tiltmeter.report.numbers import DASH, count, fixed, interval, p_value, short
from tiltmeter.report.phrases import kept, numbered, unique_slugs
from tiltmeter.report.table import OUTPUTS, Cell, Column, Footnotes, Output, Table
from tiltmeter.studies.embeddings.choice import (
    FARTHEST,
    MARGIN,
    ListComparison,
    ListVerdict,
    UndecidedBy,
)
from tiltmeter.studies.embeddings.forests import beyond, measure, method_sign, method_title
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.numbers import (
    Number,
    effect_texts,
    gap_texts,
    p_text,
    per_cent,
    per_cents,
    rnsb_text,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row

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
SCHEMA_VERSION = 2
"""2: `classifier.classes`; corrected numbers come from balanced classes, those of 1 did not, so the
two do not compare."""
FILE = "embeddings.json"
PRINTED_METHODS = {BEFORE: "As they are", "hard": "Hard", "soft": "Soft", "inlp": "INLP"}
PRINTED_MEASURES = {
    "rnsb": "RNSB", "weat": "WEAT", "similarity": "Similarity", "analogies": "Analogies",
    "neighbours": "Neighbours kept", "accuracy": "Accuracy (balanced)",
    "cluster": "Cluster test", "probe": "Probe",
}  # fmt: skip
VECTOR_KINDS = {"words": "a vector for each word", "texts": "an encoder of texts"}
CLASSES = {
    "balanced": "balanced: both weigh the same",
    "as listed": "not balanced: each word weighs the same",
}
OTHERS = {
    "ect": "ECT, rank correlation of similarities to both sides; 1 is alike",
    "rnd": "RND, relative norm distance; 0 is alike",
    "ripa": "RIPA, inner product with the direction of the two sides; 0 is alike",
    "mac": "MAC, mean average cosine distance",
}
Shown = Callable[[Row], str | Cell]
Found = dict[tuple[Any, ...], list[dict[str, Any]]]
"""Rows by their keys, without these."""
PAGE: tuple[Output, ...] = ("html",)
PAPER: tuple[Output, ...] = ("latex",)


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
    found = study.rnsb.partition_by("embedding", as_dict=True, maintain_order=True)
    columns = [(name, what) for (name,) in found for what in ("rnsb", "low", "high")]
    columns += [(name, "reason") for (name,), own in found.items() if own["reason"].count()]
    named = [name if what == "rnsb" else f"{name} {what}" for name, what in columns]
    table = pl.DataFrame(
        {"list": [*study.lists], "title": [*study.lists.values()]},
        schema={"list": pl.String, "title": pl.String},
    )
    for head, (name, what) in zip(numbered(["list", "title", *named])[2:], columns, strict=True):
        own = found[name,].select("list", pl.col(what).alias(head))
        table = table.join(own, on="list", how="left", maintain_order="left")
    return table


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
    number = pl.col(pl.Float64, pl.Float32)
    return frame.with_columns(*joined, pl.when(number.is_finite()).then(number))


def for_papers(study: Embeddings) -> list[Table]:
    """The tables for papers; the page shows most of them too."""
    rnsb = study.rnsb["embedding"].n_unique(), len(study.lists)
    tables = [
        *([table_one(study)] if min(rnsb) <= WIDE else []), rnsb_table(study),
        comparison_table(study),
    ]  # fmt: skip
    parts = [
        (of, embeddings[start : start + WIDE])
        for of in study.lists
        for embeddings in [
            study.terms.drop_nulls("probability")
            .filter(list=of)["embedding"].unique(maintain_order=True).to_list()
        ]
        for start in range(0, len(embeddings), WIDE)
    ]  # fmt: skip
    slugs = unique_slugs(study.lists)
    files = numbered([f"terms-{slugs[of]}" for of, _ in parts])
    tables += [term_table(study, *part, file) for file, part in zip(files, parts, strict=True)]
    tables += [weat_table(study), *link_tables(study)]
    mitigated = study.mitigation.select("embedding", "direction").unique(maintain_order=True).rows()
    files = ["mitigation"]
    if len(mitigated) != 1:
        slugs = unique_slugs(f"{name} {direction}" for name, direction in mitigated)
        files = numbered([f"mitigation-{slug}" for slug in slugs.values()])
    tables += [
        mitigation_table(study, name, direction, file)
        for file, (name, direction) in zip(files, mitigated, strict=True)
    ]
    return [table for table in tables if table.frame.height]


def _column(name: str, header: str = "", cell: Shown | None = None, latex: str = "",
            only: tuple[Output, ...] = OUTPUTS) -> Column:  # fmt: skip
    """A column of numbers that are texts already."""
    return Column(name, header, cell=cell, align="right", latex=latex, only=only)


def _text(name: str, header: str) -> Column:
    """A column of the page with names, which may be long."""
    return Column(name, header, cell=lambda row: Cell(row[name] or "", kind="cut"), only=PAGE)


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


def _estimates(name: str, low: str = "low", high: str = "high") -> Shown:
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


def _or_reason(name: str, notes: Footnotes, shown: Shown | None = None) -> Shown:
    """A number with its interval, or a dash and the letter of the reason."""
    shown = shown or _estimates(name)
    return lambda row: notes.mark(row["reason"]) if row[name] is None else shown(row)


def _crossed(
    cells: Mapping[Any, Row],
    key: Callable[[str, Row], Any],
    heads: Mapping[str, str],
    **shown: Shown,
) -> Iterator[Column]:
    """For each output, a column for each of `heads` with rows of another table as its cells."""
    for output, show in shown.items():
        for name, head in heads.items():

            def cell(row: Row, name: str = name, show: Shown = show) -> str | Cell:
                own = cells.get(key(name, row))
                return DASH if own is None else show(own)

            yield _column(name, head, cell, only=PAGE if output == "page" else PAPER)


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


def table_one(study: Embeddings, most: int = WIDE) -> Table:
    """Table 1 of the paper: lists down and up to so many embeddings across, else turned."""
    cells = {(row["embedding"], row["list"]): row for row in study.rnsb.to_dicts()}
    embeddings = {name: name for name, _ in cells}
    turned = len(embeddings) > most
    down, across = (embeddings, study.lists) if turned else (study.lists, embeddings)
    keys = [(one, other) if turned else (other, one) for one in down for other in across]
    notes = _footnotes("rnsb", [cells[key] for key in keys if key in cells], "rnsb")

    def page_cell(row: Row) -> Cell:
        if row["rnsb"] is None:
            return Cell(DASH, small="refused")
        number, spread = rnsb_texts(row["rnsb"], row["low"], row["high"])
        small = ", ".join(filter(None, (spread, p_text(row["p_adjusted"]))))
        return Cell(number, small=kept(small), strong=beyond(row) is True)

    def key(other: str, row: Row) -> tuple[str, str]:
        return (row["key"], other) if turned else (other, row["key"])

    return Table(
        "table-1", pl.DataFrame({"key": [*down], "name": [*down.values()]}),
        (
            Column("name", "Embedding" if turned else "Case study"),
            *_crossed(cells, key, across, page=page_cell, paper=_or_reason("rnsb", notes)),
        ),
        _measured(study), notes.notes(), kind="print one-table", tight=len(across) > 3,
        files=("tex",),
    )  # fmt: skip


def rnsb_table(study: Embeddings) -> Table:
    """Every RNSB beside what ordinary words get, list by list."""
    lists = study.lists
    by_list = pl.concat(study.rnsb.partition_by("list", maintain_order=True) or [study.rnsb])
    notes = _footnotes("rnsb", by_list.to_dicts(), "rnsb")

    def ordinary(row: Row) -> str:
        low, high = row["even_low"], row["even_high"]
        if low is None or high is None:
            return DASH
        return "{}–{}".format(*interval((low + high) / 2, low, high)[1:])

    def bias(row: Row) -> str:
        return rnsb_text(row["bias"]) if (row["bias"] or 0) >= 0 else f"{row['bias']:.4f}"

    def spread(name: str, low: str, high: str) -> Shown:
        return lambda row: Cell(rnsb_texts(row[name], row[low], row[high])[1] or DASH, kind="keep")

    return Table(
        "rnsb", by_list,
        (
            Column("list", "Case study", cell=lambda row: lists[row["list"]], once=True),
            Column("embedding", "Embedding"),
            _column("rnsb", "RNSB", _or_reason("rnsb", notes), only=PAPER),
            _column("rnsb", "RNSB", _or_reason("rnsb", notes, lambda r: rnsb_text(r["rnsb"])),
                    only=PAGE),
            Column("low", "95 % interval", cell=spread("rnsb", "low", "high"), align="left",
                   only=PAGE),
            _column("bias", "Resamples lie above it by", bias, only=PAGE),
            _column("even_low", "Ordinary words", ordinary, only=PAPER),
            Column("by_chance", "Ordinary words, middle", format=rnsb_text, only=PAGE),
            Column("even_low", "95 % of draws", cell=spread("by_chance", "even_low", "even_high"),
                   align="left", only=PAGE),
            _column("p", "p", _p, "$p$"),
            _column("n_found", "Terms", lambda row: f"{row['n_found']}/{row['n_terms']}",
                    only=PAPER),
            Column("n_found", "Terms found", align="left", only=PAGE, cell=lambda row: kept(
                f"{row['n_found']} of {row['n_terms']} ({per_cent(row['coverage'])})")),
        ),
        f"{_measured(study)} Ordinary words: where RNSB lies in 95 % of draws of as many everyday "
        "words; p: the share of draws from terms and everyday words together that are at least as "
        "uneven, after Holm's correction.",
        notes.notes(), tight=True, files=("tex",),
    )  # fmt: skip


def comparison_table(study: Embeddings) -> Table:
    """Two embeddings side by side; none where nobody would print so many."""
    caption = (
        "RNSB of two embeddings on the terms that both hold, and the first less the second. Below "
        "0: the first is more even."
    )
    if not study.published:
        caption += (
            " In brackets: 95 % intervals over the same resamples of the lexicon for both, which "
            "hold for all comparisons together."
        )
    columns = (
        Column("list", "Case study", format=lambda of: study.lists.get(of, of)),
        Column("first", "First"),
        Column("second", "Second"),
        Column("n_terms", "Terms"),
        _column("rnsb_first", "RNSB", lambda row: estimate(row["rnsb_first"], None, None)),
        _column("rnsb_second", "RNSB", lambda row: estimate(row["rnsb_second"], None, None)),
        _column("difference", "Difference", _estimates("difference", "joint_low", "joint_high")),
    )
    frame = study.comparisons if study.comparisons.height <= COMPARED else study.comparisons.clear()
    return Table("comparisons", frame, columns, caption, tight=True, files=("tex",))


def choice_table(study: Embeddings, compared: Sequence[ListComparison]) -> Table:
    """What each list says of each two embeddings, with the interval that decides."""

    def needed(one: ListComparison) -> str:
        times = one.words_needed
        if one.why is UndecidedBy.ORDINARY:
            return "ordinary words differ as much"
        if one.why is UndecidedBy.NO_INTERVAL:
            return "intervals: give --resamples"
        if one.verdict is not ListVerdict.UNDECIDED:
            return ""
        if times is None or times > FARTHEST:
            return "no lexicon at hand: the difference is small"
        return f"a lexicon about {short(max(1.1, times))} times as large"

    def said(one: ListComparison) -> str:
        if one.better is not None:
            return f"{one.better} is more even"
        return f"alike within {MARGIN:g}" if one.verdict is ListVerdict.ALIKE else "not decided"

    rows = [
        {
            "list": study.lists.get(one.of, one.of), "first": one.first, "second": one.second,
            "n_terms": one.n_terms, "difference": one.difference, "low": one.low, "high": one.high,
            "said": said(one), "needed": needed(one),
        }
        for one in compared
    ]  # fmt: skip
    numbers = dict.fromkeys(("difference", "low", "high"), pl.Float64)
    schema = {**dict.fromkeys(("list", "first", "second"), pl.String), "n_terms": pl.Int64,
              **numbers, "said": pl.String, "needed": pl.String}  # fmt: skip

    def difference(row: Row) -> Cell:
        number, spread = gap_texts(row["difference"], row["low"], row["high"])
        return Cell(number, small=spread)

    return Table(
        "choice", pl.DataFrame(rows, schema),
        (
            Column("list", "Words"), Column("said", "Says"), Column("first", "First"),
            Column("second", "Second"), Column("difference", "Difference", cell=difference),
            Column("n_terms", "Terms"), Column("needed", "What would decide"),
        ),
        "Each two embeddings on each list",
    )  # fmt: skip


def term_table(study: Embeddings, of: str, embeddings: Sequence[str], name: str = "terms") -> Table:
    """Probabilities of each term of a list, in blocks by group."""
    rows = study.terms.filter(pl.col("embedding").is_in(embeddings), list=of)
    cells = {(row["embedding"], row["term"]): row for row in rows.to_dicts()}

    def page_cell(row: Row) -> Cell:
        found = row["found_as"]
        if row["probability"] is None:
            return Cell(DASH, small="not in the embedding" if found is None else "")
        spelled = f", as “{found}”" if found not in (None, row["term"]) else ""
        share = f"share {per_cent(row['share'])}{spelled}"
        small = "; ".join(filter(None, (per_cents(row["low"], row["high"]), share)))
        return Cell(kept(per_cent(row["probability"])), small=kept(small))

    terms = rows.select("group", "term").unique(maintain_order=True)
    grouped = terms["group"].is_not_null().any()
    return Table(
        name, pl.concat(terms.partition_by("group", maintain_order=True)),
        (
            *([Column("group", "Group", missing="", once=True)] if grouped else []),
            Column("term", "Term"),
            *_crossed(cells, lambda one, row: (one, row["term"]), {one: one for one in embeddings},
                      page=page_cell, paper=_estimates("probability")),
        ),
        f"{study.lists[of]}: probability that a term's vector is one of a {study.polarity} word. "
        f"{_brackets(study)} A dash: the embedding has no such word.",
        kind="plain of-terms", tight=len(embeddings) + grouped > 3, files=("tex",),
    )  # fmt: skip


def weat_table(study: Embeddings) -> Table:
    """A row for each test, in blocks by embedding."""
    notes = _footnotes("weat", study.weat.to_dicts(), "effect")

    def p(row: Row) -> str:
        return f"{_p(row)}{'†' if row['p_adjusted'] is not None and row['exact'] else ''}"

    def effect(row: Row) -> Cell:
        number, spread = effect_texts(row["effect"], row["low"], row["high"])
        return Cell(kept(number), small=kept(spread))

    def tries(row: Row) -> str:
        if row["permutations"] is None:
            return ""
        how = "all" if row["exact"] else "sampled"
        return f"{how}, {count(row['permutations'], 'relabelling')}"

    def words(row: Row) -> str:
        return " + ".join(str(row[n] or 0) for n in ("n_first", "n_second", "n_good", "n_bad"))

    exact = "; †: all of them" if study.weat["exact"].any() else ""
    printed = " Published: the effect that Caliskan et al. (2017) print for GloVe 840B."
    return Table(
        "weat", study.weat,
        (
            Column("embedding", "Embedding", once=True),
            Column("test", "Test", only=PAPER),
            Column("test", "Test", only=PAGE, cell=lambda row: Cell(
                f"{str(row['kind']).upper()}: {row['title'] or row['test']}", kind="cut")),
            Column("first", "Targets; attributes", only=PAPER,
                   cell=lambda row: "{first} and {second}; {good} and {bad}".format(**row)),
            _column("effect", "d", _or_reason("effect", notes), "$d$", PAPER),
            _column("effect", "Effect", only=PAGE,
                    cell=_or_reason("effect", notes, effect)),
            _column("p", "p", p, "$p$", PAPER),
            _column("p", "p", _p, only=PAGE),
            Column("permutations", "From", cell=tries, align="left", only=PAGE),
            Column("n_first", "Words", cell=words, align="left", only=PAGE),
            Column("missing", "Missing", only=PAGE),
            Column("published", "Published", format=lambda value: fixed(value, 2), only=PAPER),
            Column("published", "Printed for GloVe", format=lambda value: fixed(value, 2),
                   only=PAGE),
        ),
        "Word-set tests. d: effect size, at most 2 either way; above 0 the first targets go with "
        "the first attributes. In brackets: 95 % interval over resamples of the words. p: "
        f"two-sided, from permutations of the target words without replacement{exact}. p after "
        f"Holm's correction.{printed if study.weat['published'].count() else ''}",
        notes.notes(), tight=True, paged=True, files=("tex",),
    )  # fmt: skip


def other_table(study: Embeddings) -> Table:
    """Further measures of the same tests."""
    titles = {row["test"]: row["title"] for row in study.weat.to_dicts()}
    notes = _footnotes("others", study.others.to_dicts(), "value")
    return Table(
        "others", study.others,
        (
            Column("test", "Test", format=lambda test: Cell(titles.get(test) or test, kind="cut")),
            _text("embedding", "Embedding"),
            Column("measure", "Measure", format=lambda name: OTHERS.get(name, name)),
            _column("value", "Value",
                    _or_reason("value", notes, lambda row: fixed(row["value"], 2))),
        ),
        notes=notes.notes(),
    )  # fmt: skip


def link_tables(study: Embeddings) -> list[Table]:
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
    return [links, gaps]


def mitigation_table(
    study: Embeddings, embedding: str, direction: str, name: str = "mitigation"
) -> Table:
    """Numbers before and after a projection: a row for each and a column for each method."""
    rows = study.mitigation.filter(embedding=embedding, direction=direction)
    notes = _footnotes("mitigation", rows.to_dicts(), "value")
    cells = {(row["measure"], row["what"], row["method"]): row for row in rows.to_dicts()}
    frame = rows.group_by("measure", "what", maintain_order=True).agg(
        pl.col("n").drop_nulls().first()
    )

    def page_cell(row: Row) -> Cell:
        low, high, unit = row["low"], row["high"], measure(row["measure"]).unit
        if unit == "share":
            return Cell(kept(per_cent(row["value"])), small=kept(per_cents(low, high)))
        return Cell(*(rnsb_texts if unit == "rnsb" else effect_texts)(row["value"], low, high))

    def printed_name(row: Row) -> str:
        named = PRINTED_MEASURES.get(row["measure"]) or row["measure"]
        what = study.lists.get(row["what"], row["what"])
        return f"{named}, {what}" if what else named

    def key(method: str, row: Row) -> tuple[str, str, str]:
        return row["measure"], row["what"], method

    methods = rows["method"].unique(maintain_order=True).to_list()
    signed = {one: f"{method_sign(one)} {method_title(one)}" for one in methods}
    return Table(
        name, frame,
        (
            Column("measure", "Measure", cell=printed_name, only=PAPER),
            Column("measure", "Measure", format=lambda name: measure(name).title, only=PAGE),
            _text("what", "Of"),
            *_crossed(cells, key, signed, page=_or_reason("value", notes, page_cell)),
            *_crossed(cells, key, {one: PRINTED_METHODS.get(one) or one for one in methods},
                      paper=_or_reason("value", notes)),
            Column("n", "n", missing="", only=PAGE),
        ),
        f"{embedding}: before and after taking out the direction of {direction}. In brackets: 95 % "
        "intervals. A direction that is gone from single numbers may still be found in the vectors "
        "(Gonen & Goldberg 2019): the cluster test and the probe say how far.",
        notes.notes(), kind="plain mend-table", tight=True, files=("tex",),
    )  # fmt: skip


def reading_table(study: Embeddings) -> Table:
    """Every embedding as it was read."""

    def form(row: Row) -> Cell:
        kind = VECTOR_KINDS.get(row["kind"], row["kind"])
        return Cell(f"{row['format'] or 'format not said'}, {kind}", row["spec"] or "", kind="cut")

    def found(row: Row) -> str:
        known = row["asked"] is not None and row["found"] is not None
        return f"{row['found']:,} of {row['asked']:,}" if known else DASH

    return Table(
        "embeddings", study.embeddings,
        (
            _text("embedding", "Embedding"), Column("format", "Format", cell=form),
            Column("dimension", "Dimension"),
            Column("found", "Words found", cell=found, align="left"),
            Column("respelled", "Respelled", cell=lambda row: str(row["respelled"] or "none"),
                   align="left"),
            Column("licence", "Licence", cell=lambda row: row["licence"] or "not said"),
        ),
    )  # fmt: skip


def classifier_table(study: Embeddings) -> Table:
    """Every classifier: what it learned from, and how well it does on words held out."""

    def name(row: Row) -> Cell:
        return Cell(row["embedding"], kept(f"refused: {row['reason']}") if row["reason"] else "",
                    kind="cut")  # fmt: skip

    def lexicon(row: Row) -> Cell:
        sizes = (row[one] for one in ("n_positive", "n_negative", "missing"))
        positive, negative, missing = (DASH if size is None else f"{size:,}" for size in sizes)
        words = f"{positive} positive, {negative} negative, {missing} without a vector"
        classes = CLASSES.get(row["classes"])
        return Cell(row["lexicon"] or "", f"{words}; {classes}" if classes else words)

    def balanced(row: Row) -> Cell:
        spread = per_cents(row["balanced_low"], row["balanced_high"])
        return Cell(kept(per_cent(row["balanced"])), kept(spread))

    return Table(
        "classifiers", study.classifiers,
        (
            Column("embedding", "Embedding", cell=name), Column("lexicon", "Lexicon", cell=lexicon),
            Column("balanced", "Balanced accuracy, held out", cell=balanced, term="balanced"),
            Column("accuracy", "Accuracy", format=lambda share: kept(per_cent(share))),
            Column("auc", "AUC", format=lambda value: fixed(value, 2)),
            Column("log_loss", "Log-loss", format=lambda value: fixed(value, 3)),
            Column("ridge", "Ridge", align="left", term="ridge",
                   cell=lambda row: Cell(short(row["ridge"]), row["chosen_by"] or "")),
        ),
    )  # fmt: skip


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
    found: Found = {}
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
    found: Found = {}
    for row in frame.to_dicts():
        found.setdefault(tuple(row.pop(key) for key in keys), []).append(row)
    return found
