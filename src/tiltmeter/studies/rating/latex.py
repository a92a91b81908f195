"""The tables of a rating for papers, as Lakkaraju et al. (2023) print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.markup import END, document, escaped, number, table_row
from tiltmeter.report.phrases import unique_slugs
from tiltmeter.studies.rating.label import is_alone
from tiltmeter.studies.rating.material import DISCRETISED, OVERALL, RatingMaterial
from tiltmeter.studies.rating.tables import (
    POLARITIES,
    class_pairs,
    column_names,
    die_table,
    raw_scores,
    t_tables,
)

# ---- how the tables of a rating are set: names that may break, floats, tables of several pages


LONGEST = 48
"""Rows that fit on a page; a longer table runs over several."""
BROAD = 28
"""Characters of a name that fits in a column of its own width."""
RUN = 12
"""Characters between which a long word may break."""
NAMES = r"p{0.26\linewidth}"
TIGHT = r"\footnotesize\setlength{\tabcolsep}{2pt}"
DAGGER = r"$^{\dagger}$"

DAGGERED = f"{DAGGER}: scores discretised."

Key = tuple[str, str]
"""A system and its task."""


def names(material: RatingMaterial) -> dict[Key, str]:
    """What each system is called; a task stands beside it where there are several."""
    keys = material.overall.select("system", "task").unique(maintain_order=True).rows()
    several = len({task for _, task in keys}) > 1
    return {(system, task): f"{system} ({task})" if several else system for system, task in keys}


def printed(name: str, variant: str = "") -> str:
    r"""A name that can be set in any cell: a long word may break, and a star does not end a row.

    >>> print(printed("gru_1", "discretised"), printed("*a"))
    gru\_1$^{\dagger}$ {*}a
    """
    parts = re.split(rf"(\S{{{RUN}}})(?=\S)", name) if _longest_word(name) > BROAD else [name]
    text = r"\allowbreak{}".join(escaped(part) for part in parts if part)
    text = text.replace("*", "{*}") if text.startswith("*") else text
    return text + (DAGGER if variant == DISCRETISED else "")


def _longest_word(name: str) -> int:
    return max(map(len, name.split()), default=0)


def name_column(told: Mapping[Key, str]) -> str:
    """The column that names stand in: as wide as they are, or a part of the page."""
    return "l" if max(map(len, told.values()), default=0) <= BROAD else NAMES


def in_lines(text: str) -> str:
    r"""A cell of a paragraph column, its right edge ragged; a row still ends where it should.

    >>> print(in_lines("a b"))
    \raggedright\let\\\tabularnewline a b
    """
    return rf"\raggedright\let\\\tabularnewline {text}"


def name_cell(told: Mapping[Key, str], key: Key, variant: str) -> str:
    """A system's name in its column."""
    text = printed(told[key], variant)
    return text if name_column(told) == "l" else in_lines(text)


def by_system(frame: pl.DataFrame) -> list[tuple[Key, list[dict[str, Any]]]]:
    """Rows of each system and task."""
    groups = frame.group_by("system", "task", maintain_order=True)
    return [((str(system), str(task)), rows.to_dicts()) for (system, task), rows in groups]


def named_block(
    told: Mapping[Key, str], key: Key, variant: str, rows: Iterable[Sequence[str]]
) -> list[str]:
    """Rows of cells under their system, which is named in the first."""
    return [
        table_row("" if nth else name_cell(told, key, variant), *cells)
        for nth, cells in enumerate(rows)
    ]


def laid_out(
    label: str,
    columns: str,
    heads: Sequence[Sequence[str]],
    blocks: Sequence[Sequence[str]],
    caption: str,
    *,
    tight: bool = False,
    paged: bool = False,
) -> str:
    """A table of blocks of rows: a float where it fits on a page, else over several."""
    several = paged or NAMES in columns or sum(map(len, blocks)) > LONGEST
    between = r"\addlinespace" if several else r"\midrule"  # a rule would double at a page's end
    rows = [row for block in blocks for row in (between, *block)][1:]
    top = [r"\toprule", *(table_row(*head) for head in heads), r"\midrule"]
    style = [TIGHT] if tight else []
    if several:
        return document(
            r"\begingroup", *style,
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{caption}}}\label{{tab:{label}}}" + END,
            *top, r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endfoot",
            *rows,
            r"\end{longtable}", r"\endgroup",
        )  # fmt: skip
    return document(
        r"\begin{table*}[t]", r"\centering", *style,
        rf"\begin{{tabular}}{{{columns}}}", *top, *rows, r"\bottomrule", r"\end{tabular}",
        rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}", r"\end{table*}",
    )  # fmt: skip


# ---- what adjustment does, for papers: impact as in the paper's Table 5, and effects of words


DIE_HEADS = (
    *("System", "Words", r"$E[S \mid e]$", r"$E[S \mid do(e)]$", r"DIE\,\%", r"Max.\ DIE\,\%"),
)
ATE_HEADS = ("System", "Words", "Naive", "Adjusted", "Matched", "Unmatched", r"Change\,\%")
EMPTY = "$^{e}$: over the classes that have such words; others have none."
Part = tuple[str, str, pl.DataFrame]
"""A column, a variant, and their rows."""


def effect_latex_tables(material: RatingMaterial) -> dict[str, str]:
    """Two tables for each column and variant, by their files' names without an ending."""
    impact = _parts("die", material, die_table(material.effects))
    effects = _parts("ate", material, material.ates)
    return {name: die_latex(material, name, *part) for name, part in impact.items()} | {
        name: ate_latex(material, name, *part) for name, part in effects.items()
    }


def _parts(kind: str, material: RatingMaterial, frame: pl.DataFrame) -> dict[str, Part]:
    if frame.is_empty():
        return {}
    slugs = unique_slugs(frame["column"].unique(maintain_order=True))
    found = (
        (
            f"{kind}-{slug}-{variant}",
            (column, variant, frame.filter(column=column, variant=variant)),
        )
        for variant in material.variants
        for column, slug in slugs.items()
    )
    return {name: part for name, part in found if part[2].height}


def die_latex(
    material: RatingMaterial, label: str, column: str, variant: str, frame: pl.DataFrame
) -> str:
    """Means before and after the adjustment, and the impact of it."""
    said = [
        f"{printed(column)}: mean score of negative and positive words before and after backdoor "
        "adjustment, and its impact (DIE). *: the largest of a system.",
        "X: the mean before is 0." if frame["x"].any() else "",
        EMPTY if _some_empty(frame) else "",
    ]
    rows = {key: list(map(_die_cells, own)) for key, own in by_system(frame)}
    caption = " ".join(filter(None, said))
    return _laid_out(material, label, variant, "lllr", DIE_HEADS, rows, caption)


def _laid_out(
    material: RatingMaterial,
    label: str,
    variant: str,
    columns: str,
    heads: Sequence[str],
    rows: Mapping[Key, Sequence[Sequence[str]]],
    caption: str,
) -> str:
    """A table of systems and sets of words."""
    told = names(material)
    blocks = [named_block(told, key, variant, own) for key, own in rows.items()]
    marked = f"{caption} {DAGGERED}" if variant == DISCRETISED else caption
    return laid_out(label, f"{name_column(told)}l{columns}", [heads], blocks, marked, tight=True)


def _some_empty(frame: pl.DataFrame) -> bool:
    return any(frame[f"empty_{one}"].fill_null("").ne("").any() for one in POLARITIES)


def _die_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    before, after = (
        ", ".join(number(row[f"{what}_{one}"], 2) for one in POLARITIES)
        for what in ("observed", "interventional")
    )
    each = ", ".join(
        _die(row[f"die_{one}"], row[f"x_{one}"]) + ("$^{e}$" if row[f"empty_{one}"] else "")
        for one in POLARITIES
    )
    largest = _die(row["largest"], row["x"]) + ("*" if row["worst"] else "")
    return printed(row["words"]), f"({before})", f"({after})", f"({each})", largest


def _die(value: float | None, x: bool | None) -> str:
    return "X" if x else number(value, 2)


def ate_latex(
    material: RatingMaterial, label: str, column: str, variant: str, frame: pl.DataFrame
) -> str:
    """Effects of a positive word: as seen, adjusted and by matching."""
    caption = (
        f"{printed(column)}: average effect of a positive word on the score: as seen, with "
        "backdoor adjustment, and by propensity-score matching, with the sentences that found no "
        "match."
    )
    rows = {key: list(map(_ate_cells, own)) for key, own in by_system(frame)}
    return _laid_out(material, label, variant, "rrrrr", ATE_HEADS, rows, caption)


def _ate_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        printed(row["words"]),
        *(number(row[one], 2) for one in ("naive", "adjusted", "matched")),
        "--" if row["unmatched"] is None else f"{row['unmatched']:,}",
        _die(row["change"], row["x"]),
    )


# ---- t-values for papers, as in Tables 4 and 11 to 15 of Lakkaraju et al. (2023)


MANY = 6
"""Pairs of classes above which a table is set tightly, each class of a pair in its own line."""


def t_latex_tables(material: RatingMaterial) -> dict[str, str]:
    """A table for each column and variant, by its file's name without an ending."""
    return {name: t_latex(material, name, *part) for name, part in t_tables(material).items()}


def t_latex(
    material: RatingMaterial, label: str, column: str, variant: str, tests: pl.DataFrame
) -> str:
    """|t| between classes with raised numbers, H where it is huge."""
    told, pairs = names(material), class_pairs(tests)
    short = short_names(dict.fromkeys(name for pair in pairs for name in pair))
    blocks = [
        named_block(told, key, variant, _rows(tests, pairs)) for key, tests in by_system(tests)
    ]
    heads = list(_pair_heads([(short[first], short[second]) for first, second in pairs]))
    caption = _caption(material, column, variant, short)
    layout = name_column(told) + "l" + "r" * len(pairs)
    return laid_out(label, layout, heads, blocks, caption, tight=len(pairs) > MANY)


def _rows(
    tests: Sequence[Mapping[str, Any]], pairs: Sequence[tuple[str, str]]
) -> Iterator[list[str]]:
    """A system's rows: a set of words, and a t-value for each pair."""
    found = {(one["dataset"], one["first"], one["second"]): t_cell(one) for one in tests}
    sets = dict.fromkeys((one["dataset"], one["words"]) for one in tests)
    for dataset, words in sets:
        yield [printed(words), *(found.get((dataset, *pair), "--") for pair in pairs)]


def _pair_heads(pairs: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
    """Who is compared with whom, in one line or in two."""
    if len(pairs) <= MANY:
        yield ["System", "Words", *(f"{first}--{second}" for first, second in pairs)]
        return
    yield ["System", "Words", *(first for first, _ in pairs)]
    yield ["", "", *(f"--{second}" for _, second in pairs)]


def short_names(classes: Iterable[str]) -> dict[str, str]:
    """Initials that tell classes apart, or letters where initials do not.

    >>> short_names(["European American male", "African American male", "NA"])
    {'European American male': 'EAm', 'African American male': 'AAm', 'NA': 'NA'}
    >>> short_names(["old", "other"])
    {'old': 'a', 'other': 'b'}
    """
    every = list(classes)
    found = ["NA" if one == "NA" else "".join(word[0] for word in one.split()) for one in every]
    if len(set(found)) < len(every) or not all(one.isalnum() and one.isascii() for one in found):
        found = [chr(ord("a") + nth) if nth < 26 else f"c{nth}" for nth in range(len(every))]
    return dict(zip(every, found, strict=True))


def t_cell(row: Mapping[str, Any]) -> str:
    r"""|t| with two decimals and its raised number.

    >>> test = {"t": -2.6454, "huge": False, "superscript": 1}
    >>> print(t_cell(test), t_cell(test | {"huge": True}), t_cell(test | {"t": None}))
    2.65$^{1}$ H$^{1}$ --
    """
    t = row["t"]
    if t is None or t != t:
        return "--"
    size = "H" if row["huge"] else "0" if t == 0 else number(abs(t), 2)
    return size + (f"$^{{{row['superscript']}}}$" if row["superscript"] else "")


def _caption(material: RatingMaterial, column: str, variant: str, short: Mapping[str, str]) -> str:
    levels = [f"{100 * level:g}\\,\\%" for level in material.confidence]
    raised = [
        f"$^{{{nth}}}$ {' and '.join(levels[nth - 1 :])}" for nth in range(1, len(levels) + 1)
    ]
    classes = ", ".join(f"{mark} {escaped(name)}" for name, mark in short.items() if mark != name)
    said = [
        f"{printed(column)}: size of $t$ between classes, by set of words.",
        f"Raised: the confidence at which means differ, {'; '.join(raised)}.",
        "H: very large, since the scores of both classes do not vary.",
        f"Classes: {classes}." if classes else "",
        DAGGERED if variant == DISCRETISED else "",
    ]
    return " ".join(one for one in said if one)


# ---- the tables of a rating for papers, as Lakkaraju et al. (2023) print them


FEW, SHORT = 8, 120
"""Systems, and characters of their names, that one cell of a partial order holds."""
MEASURES = {"wrs": "WRS", "die": r"DIE\,\%", "ate": r"ATE, change in\,\%"}
SCORES = {
    "continuous": "Scores as the systems give them.",
    DISCRETISED: f"Scores discretised ({DAGGER}): 1 from 0 on, else 0.",
}
NOT_RATED = "A dash: not rated; the file of raw scores says why."


def rating_latex(material: RatingMaterial) -> dict[str, str]:
    """Every table for papers, by its file's name without an ending."""
    tables = {}
    for variant in material.variants:
        tables[f"ratings-{variant}"] = ratings_latex(material, variant)
        tables[f"raw-scores-{variant}"] = order_latex(material, variant)
    return tables | t_latex_tables(material) | effect_latex_tables(material)


def ratings_latex(material: RatingMaterial, variant: str) -> str:
    """Like the paper's Tables 6 and 7: ratings of each column and overall, with their spread."""
    columns, told = column_names(material), names(material)
    cells = {
        (row["system"], row["task"], row["column"]): row
        for row in material.raw.filter(variant=variant).to_dicts()
    }
    rows = [
        table_row(
            name_cell(told, (row["system"], row["task"]), variant),
            *(_rating(cells.get((row["system"], row["task"], one)), "rating") for one in columns),
            _rating(row, OVERALL),
        )
        for row in material.overall.filter(variant=variant).to_dicts()
    ]
    heads = ["System", *map(printed, columns), "Overall"]
    layout = name_column(told) + "r" * (len(columns) + 1)
    caption = _rating_caption(material, variant)
    return laid_out(
        f"ratings-{variant}", layout, [heads], [rows], caption, tight=material.repeats > 0
    )


def _rating(row: Mapping[str, Any] | None, of: str) -> str:
    """A rating, and in brackets those it may be as well."""
    if row is None or row[of] is None:
        return "--"
    flips = row["low"] is not None and (row["low"], row["high"]) != (row[of], row[of])
    return f"{row[of]} ({row['low']}--{row['high']})" if flips else f"{row[of]}"


def _rating_caption(material: RatingMaterial, variant: str) -> str:
    said = [_scale(material), SCORES.get(variant, "")]
    if material.repeats:
        spread = f"In brackets: the ratings that 95\\,\\% of {material.repeats:,} repeats span"
        said.append(f"{spread}, where that is not the one rating.")
    if material.overall.filter(variant=variant)[OVERALL].has_nulls() or _gaps(material, variant):
        said.append(NOT_RATED)
    return " ".join(said)


def _scale(material: RatingMaterial) -> str:
    """What the ratings mean: a system by itself has no panel to stand in."""
    if is_alone(material):
        each = f"1 where the raw score is 0, else {material.levels}"
        return f"Rating of one system by itself: {each} in each group; their mean overall."
    among = f"the panel of {printed(material.reference)}" if material.reference else "the panel"
    return (
        f"Rating of each system by group and overall, from 1, the least tilt in {among}, to "
        f"{material.levels}, the most."
    )


def _gaps(material: RatingMaterial, variant: str) -> bool:
    return material.raw.filter(variant=variant)["rating"].has_nulls()


def order_latex(material: RatingMaterial, variant: str) -> str:
    """Like the paper's Tables 2 and 3: partial order by raw score, complete order by rating."""
    told = names(material)
    scores = raw_scores(material).filter(variant=variant)
    groups = [(str(name), rows) for (name,), rows in scores.group_by("column", maintain_order=True)]
    label = f"raw-scores-{variant}"
    caption = _order_caption(material, variant)
    if len(told) <= FEW and sum(map(len, told.values())) <= SHORT:
        rows = [table_row(*_braced(name, rows, told, variant)) for name, rows in groups]
        layout = r"lp{0.38\linewidth}p{0.33\linewidth}"
        return laid_out(
            label, layout, [("Group", "Partial order", "Complete order")], [rows], caption
        )
    blocks = [_listed(name, rows, told, variant) for name, rows in groups]
    heads = ["Group", "System", r"$\psi$", "Rating"]
    return laid_out(label, f"l{name_column(told)}rr", [heads], blocks, caption, paged=True)


def _group(name: str, rows: pl.DataFrame) -> str:
    measure = rows["measure"].item(0)
    return f"{printed(name)} ({MEASURES.get(measure) or escaped(measure)})"


def _braced(
    name: str, rows: pl.DataFrame, told: Mapping[Key, str], variant: str
) -> tuple[str, str, str]:
    """Both orders of a column, as {a: 0, b: 0.6}."""
    found = rows.to_dicts()
    shown = [printed(told[row["system"], row["task"]], variant) for row in found]
    partial = _set(shown, [raw_score(row) for row in found])
    complete = _set(shown, ["--" if row["rating"] is None else row["rating"] for row in found])
    return _group(name, rows), in_lines(partial), in_lines(complete)


def _set(shown: Sequence[str], values: Sequence[object]) -> str:
    pairs = (f"{name}: {value}" for name, value in zip(shown, values, strict=True))
    return rf"\{{{', '.join(pairs)}\}}"


def _listed(name: str, rows: pl.DataFrame, told: Mapping[Key, str], variant: str) -> list[str]:
    """A row for each system of a column, its group said once."""
    return [
        table_row(
            "" if nth else _group(name, rows),
            name_cell(told, (row["system"], row["task"]), variant),
            raw_score(row),
            _rating(row, "rating"),
        )
        for nth, row in enumerate(rows.to_dicts())
    ]


def raw_score(row: Mapping[str, Any]) -> str:
    r"""ψ with two decimals at most; X where a denominator is 0.

    >>> [raw_score({"x": False, "psi": psi}) for psi in (23.0, 0.6, 128.504, 0.001, None)]
    ['23', '0.6', '128.5', '$<$0.01', '--']
    >>> print(raw_score({"x": True, "psi": 16.16}), raw_score({"x": True, "psi": None}))
    \{X, 16.16\} X
    """
    psi = row["psi"]
    if psi is None:
        return "X" if row["x"] else "--"
    plain = "$<$0.01" if 0 < psi < 0.005 else f"{psi:.2f}".rstrip("0").rstrip(".")
    return rf"\{{X, {plain}\}}" if row["x"] else plain


def _order_caption(material: RatingMaterial, variant: str) -> str:
    shown = material.raw.filter(variant=variant)
    said = [
        r"Raw scores $\psi$ in order, and the ratings from them.",
        _scale(material),
        SCORES.get(variant, ""),
    ]
    if shown["x"].any():
        said.append("X: a denominator is 0, which takes the highest rating.")
    if shown["rating"].has_nulls():
        said.append(NOT_RATED)
    return " ".join(said)
