"""The tables of a study of embeddings for papers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tiltmeter.report.markup import escaped, number, table_row
from tiltmeter.report.numbers import interval, p_value
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.study import Embeddings
from tiltmeter.studies.embeddings.tables import Cells, Record, by, cells_of, embeddings_of
from tiltmeter.studies.rating.latex import BROAD, DAGGER, NAMES, in_lines, laid_out, printed

# ---- what the captions of the tables for papers say


def what_is_measured(study: Embeddings) -> str:
    """RNSB in a sentence, and the lexicon behind it."""
    named = "Relative Negative Sentiment Bias (RNSB)"
    if study.polarity == "positive":
        named = "RNSB of positive in place of negative sentiment"
    return (
        f"{named} of identity terms: the Kullback--Leibler divergence of their shares of "
        f"{study.polarity} sentiment from equal shares; 0 is even.{_lexicon(study)}"
    )


def _lexicon(study: Embeddings) -> str:
    told = study.run.get("lexicon")
    titles = [told["title"]] if isinstance(told, Mapping) and told.get("title") else []
    rows = study.classifiers.to_dicts()
    named = titles or list(dict.fromkeys(row["lexicon"] for row in rows if row["lexicon"]))
    classes = "" if study.published else ", its positive and negative words balanced"
    return f" Lexicon: {'; '.join(printed(str(name)) for name in named)}{classes}." if named else ""


def spread(study: Embeddings) -> str:
    """What stands in brackets."""
    if study.published:
        return "One fit with $C = 1$, as published."
    many = study.run.get("resamples")
    over = f"{many:,} resamples" if isinstance(many, int) else "resamples"
    return rf"In brackets: 95\,\% interval over {over} of the lexicon."


# ---- cells of the tables for papers: numbers with intervals, refusals with a note, names that
# fit


DASH = "---"
"""Stands where there is no number."""
MARKS = "abcdefghij"
"""Notes that a caption holds; of more, the table in the folder tells."""
HEAD = 18
"""Characters of a column's head beyond which it is set in lines."""
LINES = r"p{0.19\linewidth}"
PUBLISHED = 4
"""Decimals of a number without an interval, as the paper prints them."""
Row = Mapping[str, Any]


@dataclass(slots=True)
class Notes:
    """Why numbers are missing: a letter for each reason, told once under the table."""

    file: str
    """The table in the folder that has every reason."""
    reasons: dict[str, str] = field(default_factory=dict)

    def mark(self, reason: str | None) -> str:
        r"""A dash, and the letter of its reason.

        >>> notes = Notes("rnsb")
        >>> print(notes.mark("too few terms"), notes.mark("too few terms"), notes.mark(None))
        ---$^{a}$ ---$^{a}$ ---
        """
        if not reason:
            return DASH
        if reason not in self.reasons:
            nth = len(self.reasons)
            self.reasons[reason] = MARKS[nth] if nth < len(MARKS) else "*"
        return f"{DASH}$^{{{self.reasons[reason]}}}$"

    def told(self) -> str:
        """Every letter with its reason."""
        said = [f"$^{{{mark}}}$~{_ended(one)}" for one, mark in self.reasons.items() if mark != "*"]
        further = (
            [f"$^{{*}}$~See {escaped(self.file)}.csv."] if "*" in self.reasons.values() else []
        )
        return " ".join([*said, *further])


def _ended(reason: str) -> str:
    text = printed(reason)
    return text if text.endswith(".") else f"{text}."


def estimate(value: float | None, low: float | None, high: float | None) -> str:
    r"""A number and its interval; without an interval, as many decimals as the paper has.

    >>> print(estimate(0.3621, 0.31, 0.42), estimate(0.6225, None, None), estimate(-1.2, -2, 0.1))
    0.36 {[}0.31, 0.42{]} 0.6225 $-$1.2 {[}$-$2.0, 0.1{]}
    """
    if not known(value):
        return DASH
    if not (known(low) and known(high)):
        return number(value, PUBLISHED)
    shown = interval(float(value or 0), float(low or 0), float(high or 0))
    return escaped("{} [{}, {}]".format(*shown))


def known(value: float | None) -> bool:
    """Whether there is a finite number."""
    return value is not None and math.isfinite(value)


def chance(p: float | None) -> str:
    r"""A p-value for a column that says so.

    >>> print(chance(0.0317), chance(1e-9), chance(None))
    0.032 \textless{} 0.001 ---
    """
    return escaped(p_value(p).removeprefix("p ").removeprefix("= ")) if known(p) else DASH


def whole(value: int | None) -> str:
    """A number of things."""
    return DASH if value is None else f"{value:,}"


def head_layout(heads: Iterable[str]) -> str:
    """The columns under these heads: as wide as they are, or each a part of the page."""
    listed = list(heads)
    broad = max(map(len, listed), default=0) > HEAD
    return (LINES if broad else "r") * len(listed)


def head_cells(heads: Iterable[str]) -> list[str]:
    """Heads of columns; long ones are set in lines."""
    listed = list(heads)
    return [
        in_lines(printed(one)) if LINES in head_layout(listed) else printed(one) for one in listed
    ]


def name_layout(names: Iterable[str]) -> str:
    """The column that names stand in: as wide as they are, or a part of the page."""
    return "l" if max(map(len, names), default=0) <= BROAD else NAMES


def name_cell(name: str, layout: str) -> str:
    """A name in its column."""
    return printed(name) if layout == "l" else in_lines(printed(name))


# ---- two embeddings side by side, for papers


LATEX_COMPARISONS_HEADS = ("Case study", "First", "Second", "Terms", "RNSB", "RNSB", "Difference")
LATEX_COMPARISONS_CAPTION = (
    "RNSB of two embeddings on the terms that both hold, and the first less the second. Below 0: "
    "the first is more even."
)
SPREAD = r" In brackets: 95\,\% interval over the same resamples of the lexicon for both."

MANY = 200
"""Rows beyond which the table for spreadsheets will do."""


def comparison_latex(study: Embeddings) -> dict[str, str]:
    """A row for each list and two embeddings; none where nobody would print so many."""
    rows, titles = study.comparisons.to_dicts(), study.lists
    if not 0 < len(rows) <= MANY:
        return {}
    names = [titles.get(row["list"], row["list"]) for row in rows]
    first, second, third = (
        name_layout(told)
        for told in (names, [row["first"] for row in rows], [row["second"] for row in rows])
    )
    lines = [
        table_row(
            name_cell(name, first),
            name_cell(row["first"], second),
            name_cell(row["second"], third),
            whole(row["n_terms"]),
            estimate(row["rnsb_first"], None, None),
            estimate(row["rnsb_second"], None, None),
            estimate(row["difference"], row["low"], row["high"]),
        )
        for name, row in zip(names, rows, strict=True)
    ]
    caption = LATEX_COMPARISONS_CAPTION + ("" if study.published else SPREAD)
    layout = f"{first}{second}{third}rrrr"
    return {
        "comparisons": laid_out(
            "comparisons", layout, [LATEX_COMPARISONS_HEADS], [lines], caption, tight=True
        )
    }


# ---- the link between vectors and a system's scores, for papers


LATEX_LINKS_HEADS = ("Embedding", "System", "Task", "Names", "$r$", "$p$", r"$\rho$")
GAPS = ("Embedding", "System", "Task", "Groups", "Gap", "Carried", "Share")


def link_latex(study: Embeddings) -> dict[str, str]:
    """Correlations over names, and the part of gaps between groups that goes with the vectors."""
    found = {}
    if study.links.height:
        found["links"] = _links(study)
    if study.link_gaps.height:
        found["link-gaps"] = _gaps(study)
    return found


def _links(study: Embeddings) -> str:
    rows, notes = study.links.to_dicts(), Notes("links")
    first, second = _layouts(rows)
    lines = [
        table_row(
            name_cell(row["embedding"], first),
            name_cell(row["system"], second),
            printed(row["task"]),
            whole(row["n"]),
            *_correlations(row, notes),
        )
        for row in rows
    ]
    caption = (
        f"The log-odds that a name's vector is one of a {study.polarity} word, against how far "
        "a system's scores of sentences with that name lie from the others. $r$: Pearson's, "
        rf"$\rho$: Spearman's correlation, with 95\,\% intervals over names; $p$ after Holm's "
        f"correction. {notes.told()}"
    )
    return laid_out(
        "links", f"{first}{second}lrrrr", [LATEX_LINKS_HEADS], [lines], caption.strip(), tight=True
    )


def _correlations(row: Row, notes: Notes) -> tuple[str, str, str]:
    if not known(row["pearson"]):
        return notes.mark(row["reason"]), DASH, DASH
    return (
        estimate(row["pearson"], row["low"], row["high"]),
        chance(row["p_adjusted"]),
        estimate(row["spearman"], row["spearman_low"], row["spearman_high"]),
    )


def _gaps(study: Embeddings) -> str:
    rows = study.link_gaps.to_dicts()
    first, second = _layouts(rows)
    third = name_layout(_contrast(row) for row in rows)
    lines = [
        table_row(
            name_cell(row["embedding"], first),
            name_cell(row["system"], second),
            printed(row["task"]),
            name_cell(_contrast(row), third),
            number(row["gap"]) if known(row["gap"]) else DASH,
            estimate(row["carried"], row["low"], row["high"]),
            number(row["share"], 2) if known(row["share"]) else DASH,
        )
        for row in rows
    ]
    caption = (
        "Gaps between groups in a system's scores (first minus second), the part that goes with "
        r"the names' vectors, with its 95\,\% interval over names, and its share."
    )
    return laid_out(
        "link-gaps", f"{first}{second}l{third}rrr", [GAPS], [lines], caption, tight=True
    )


def _layouts(rows: Sequence[Row]) -> tuple[str, str]:
    """The columns of embeddings and of systems."""
    return name_layout(row["embedding"] for row in rows), name_layout(row["system"] for row in rows)


def _contrast(row: Row) -> str:
    return f"{row['first']} − {row['second']}"


# ---- numbers before and after a projection, for papers


METHODS = {BEFORE: "As they are", "hard": "Hard", "soft": "Soft", "inlp": "INLP"}
MEASURES = {
    "rnsb": "RNSB",
    "weat": "WEAT",
    "similarity": "Similarity",
    "analogies": "Analogies",
    "neighbours": "Neighbours kept",
    "accuracy": "Accuracy (balanced)",
    "cluster": "Cluster test",
    "probe": "Probe",
}
CAUTION = (
    "A direction that is gone from single numbers may still be found in the vectors (Gonen \\& "
    "Goldberg 2019): the cluster test and the probe say how far."
)


def mitigation_latex(study: Embeddings) -> dict[str, str]:
    """A table for each embedding and direction, by its file's name without an ending."""
    found = by(study.mitigation, "embedding", "direction")
    if len(found) == 1:
        files = ["mitigation"]
    else:
        slugs = unique_slugs(f"{name} {direction}" for name, direction in found)
        files = numbered([f"mitigation-{slug}" for slug in slugs.values()])
    return {
        file: _latex_mitigation_table(file, str(name), str(direction), rows, study.lists)
        for file, ((name, direction), rows) in zip(files, found.items(), strict=True)
    }


def _latex_mitigation_table(
    label: str, embedding: str, direction: str, rows: list[Record], titles: Mapping[str, str]
) -> str:
    """A row for each number and a column for each method."""
    notes, methods = Notes("mitigation"), list(dict.fromkeys(row["method"] for row in rows))
    cells = {(_what(row, titles), row["method"]): row for row in rows}
    names = list(dict.fromkeys(_what(row, titles) for row in rows))
    layout = name_layout(names)
    lines = [
        table_row(
            name_cell(name, layout),
            *(_latex_mitigation_cell(cells, name, one, notes) for one in methods),
        )
        for name in names
    ]
    caption = (
        f"{printed(embedding)}: before and after taking out the direction of {printed(direction)}. "
        rf"In brackets: 95\,\% intervals. {CAUTION} {notes.told()}"
    )
    heads = ["Measure", *(METHODS.get(one) or printed(one) for one in methods)]
    return laid_out(
        label, layout + "r" * len(methods), [heads], [lines], caption.strip(), tight=True
    )


def _what(row: Record, titles: Mapping[str, str]) -> str:
    measure = MEASURES.get(row["measure"]) or str(row["measure"])
    return f"{measure}, {titles.get(row['what'], row['what'])}" if row["what"] else measure


def _latex_mitigation_cell(
    cells: dict[tuple[str, str], Record], name: str, method: str, notes: Notes
) -> str:
    row = cells.get((name, method))
    if row is None:
        return DASH
    if not known(row["value"]):
        return notes.mark(row["reason"])
    return estimate(row["value"], row["low"], row["high"])


# ---- table 1 of Sweeney & Najafian (2019) with intervals, and beside it what ordinary words get


WIDE = 4
"""Columns of numbers that fit beside each other."""


def paper_latex(study: Embeddings) -> dict[str, str]:
    """Table 1 where it fits on a page, and every RNSB with its baseline."""
    if study.rnsb.is_empty():
        return {}
    fits = min(len(embeddings_of(study)), len(study.lists)) <= WIDE
    return ({"table-1": table_1_latex(study)} if fits else {}) | {"rnsb": rnsb_latex(study)}


def table_1_latex(study: Embeddings) -> str:
    """A row for each list and a column for each embedding; the reverse where they are many."""
    cells, lists, embeddings = cells_of(study), study.lists, embeddings_of(study)
    notes = Notes("rnsb")
    if len(embeddings) <= WIDE:
        first, names, heads = "Case study", list(lists.values()), embeddings
        rows = [
            [_latex_paper_cell(cells, notes, one, name) for one in embeddings] for name in lists
        ]
    else:
        first, names, heads = "Embedding", embeddings, list(lists.values())
        rows = [
            [_latex_paper_cell(cells, notes, one, name) for name in lists] for one in embeddings
        ]
    layout = name_layout(names)
    lines = [
        table_row(name_cell(name, layout), *row) for name, row in zip(names, rows, strict=True)
    ]
    return laid_out(
        "table-1",
        layout + head_layout(heads),
        [[first, *head_cells(heads)]],
        [lines],
        f"{what_is_measured(study)} {spread(study)} {notes.told()}".strip(),
        tight=len(heads) > 3,
    )


def _latex_paper_cell(cells: Cells, notes: Notes, embedding: str, name: str) -> str:
    row = cells.get((embedding, name))
    return _rnsb(row, notes) if row else DASH


def _rnsb(row: Row, notes: Notes) -> str:
    if not known(row["rnsb"]):
        return notes.mark(row["reason"])
    return estimate(row["rnsb"], row["low"], row["high"])


def rnsb_latex(study: Embeddings) -> str:
    """A row for each list and embedding: RNSB, what ordinary words get, and the terms found."""
    cells, lists, embeddings = cells_of(study), study.lists, embeddings_of(study)
    first, second = name_layout(lists.values()), name_layout(embeddings)
    notes = Notes("rnsb")
    blocks = [
        [
            table_row(name_cell("" if nth else lists[name], first), name_cell(one, second), *told)
            for nth, (one, told) in enumerate(_told(cells, embeddings, name, notes))
        ]
        for name in lists
    ]
    heads = ["Case study", "Embedding", "RNSB", "Ordinary words", "$p$", "Terms"]
    caption = (
        f"{what_is_measured(study)} {spread(study)} Ordinary words: where RNSB lies in "
        r"95\,\% of draws of as many everyday words; $p$: the share of draws from terms and "
        "everyday words together that are at least as uneven, after Holm's correction. "
        f"{notes.told()}"
    )
    return laid_out("rnsb", f"{first}{second}rrrr", [heads], blocks, caption.strip(), tight=True)


def _told(
    cells: Cells, embeddings: Sequence[str], name: str, notes: Notes
) -> list[tuple[str, list[str]]]:
    """Embeddings that were assessed on a list, and their cells."""
    rows = [(one, cells[one, name]) for one in embeddings if (one, name) in cells]
    return [
        (
            one,
            [
                _rnsb(row, notes),
                _even(row),
                chance(row["p_adjusted"]),
                f"{row['n_found']}/{row['n_terms']}",
            ],
        )
        for one, row in rows
    ]


def _even(row: Row) -> str:
    low, high = row["even_low"], row["even_high"]
    if not (known(low) and known(high)):
        return DASH
    _, *ends = interval((low + high) / 2, low, high)
    return escaped("{}–{}".format(*ends))


# ---- probabilities of each term for papers, a table for each list


def term_latex(study: Embeddings) -> dict[str, str]:
    """Tables by their files' names without an ending; several of a list with many embeddings."""
    if study.terms.is_empty():
        return {}
    shown = study.terms.filter(pl.col("probability").is_finite())
    titles = study.lists
    slugs = unique_slugs(titles)
    parts = [
        (name, embeddings[start : start + WIDE])
        for name in titles
        for embeddings in [shown.filter(list=name)["embedding"].unique(maintain_order=True)]
        for start in range(0, len(embeddings), WIDE)
    ]
    files = numbered([f"terms-{slugs[name]}" for name, _ in parts])
    return {
        file: _latex_terms_table(study, file, name, own.to_list())
        for file, (name, own) in zip(files, parts, strict=True)
    }


def _latex_terms_table(study: Embeddings, label: str, name: str, embeddings: Sequence[str]) -> str:
    """A row for each term, in blocks by group."""
    rows = study.terms.filter(pl.col("embedding").is_in(embeddings), list=name).to_dicts()
    cells = {(row["embedding"], row["term"]): row for row in rows}
    groups: dict[str | None, dict[str, None]] = {}
    for row in rows:
        groups.setdefault(row["group"], {})[row["term"]] = None
    first = name_layout(row["term"] for row in rows)
    grouped = any(group is not None for group in groups)
    second = name_layout(group or "" for group in groups) if grouped else ""
    blocks = [
        [
            table_row(
                *([name_cell("" if nth else group or "", second)] if grouped else []),
                name_cell(term, first),
                *(_latex_terms_cell(cells.get((one, term))) for one in embeddings),
            )
            for nth, term in enumerate(terms)
        ]
        for group, terms in groups.items()
    ]
    heads = [*(["Group"] if grouped else []), "Term", *head_cells(embeddings)]
    return laid_out(
        label, second + first + head_layout(embeddings), [heads], blocks,
        _latex_terms_caption(study, name), tight=len(heads) > 4,
    )  # fmt: skip


def _latex_terms_cell(row: Row | None) -> str:
    if row is None or not known(row["probability"]):
        return DASH
    return estimate(row["probability"], row["low"], row["high"])


def _latex_terms_caption(study: Embeddings, name: str) -> str:
    title = printed(study.lists[name])
    return (
        f"{title}: probability that a term's vector is one of a {study.polarity} word. "
        f"{spread(study)} A dash: the embedding has no such word."
    )


# ---- word-set tests for papers: WEAT of Caliskan et al. (2017), SEAT of May et al. (2019)


TITLES = r"p{0.3\linewidth}"
LATEX_TESTS_CAPTION = (
    "Word-set tests. $d$: effect size, at most 2 either way; above 0 the first targets go with the "
    r"first attributes. In brackets: 95\,\% interval over resamples of the words. $p$: two-sided, "
    "from permutations of the target words without replacement"
)


def weat_latex(study: Embeddings) -> dict[str, str]:
    """A row for each test, in blocks by embedding."""
    if study.weat.is_empty():
        return {}
    notes, found = Notes("weat"), by(study.weat, "embedding")
    first = name_layout(str(name) for (name,) in found)
    blocks = [
        [
            table_row(name_cell("" if nth else str(name), first), *_cells(row, notes))
            for nth, row in enumerate(rows)
        ]
        for (name,), rows in found.items()
    ]
    heads = ["Embedding", "Test", "Targets; attributes", "$d$", "$p$", "Published"]
    return {
        "weat": laid_out(
            "weat", f"{first}l{TITLES}rrr", [heads], blocks, _latex_tests_caption(study, notes),
            tight=True, paged=True,
        )
    }  # fmt: skip


def _cells(row: Row, notes: Notes) -> tuple[str, ...]:
    sets = "{} and {}; {} and {}".format(*(row[one] for one in ("first", "second", "good", "bad")))
    effect = (
        estimate(row["effect"], row["low"], row["high"])
        if known(row["effect"])
        else notes.mark(row["reason"])
    )
    p = chance(row["p_adjusted"]) + (DAGGER if known(row["p_adjusted"]) and row["exact"] else "")
    printed_effect = number(row["published"], 2) if known(row["published"]) else DASH
    return printed(row["test"]), in_lines(printed(sets)), effect, p, printed_effect


def _latex_tests_caption(study: Embeddings, notes: Notes) -> str:
    rows = study.weat.to_dicts()
    exact = f"; {DAGGER}: all of them" if any(row["exact"] for row in rows) else ""
    known_ones = any(known(row["published"]) for row in rows)
    told = " Published: the effect that Caliskan et al. (2017) print for GloVe 840B."
    corrected = " $p$ after Holm's correction."
    printed_beside = told if known_ones else ""
    return f"{LATEX_TESTS_CAPTION}{exact}.{corrected}{printed_beside} {notes.told()}".strip()


# ---- the tables of a study of embeddings for papers


def embedding_latex(study: Embeddings) -> dict[str, str]:
    """Every table for papers, by its file's name without an ending."""
    parts = (
        *(paper_latex, comparison_latex, term_latex),
        *(weat_latex, link_latex, mitigation_latex),
    )
    return {name: text for part in parts for name, text in part(study).items()}
