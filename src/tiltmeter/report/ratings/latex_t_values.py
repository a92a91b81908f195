r"""t-values for papers, as in Tables 4 and 11 to 15 of Lakkaraju et al. (2023)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.ratings.latex_layout import (
    DAGGERED,
    by_system,
    laid_out,
    name_column,
    named_block,
    names,
    printed,
)
from tiltmeter.report.ratings.material import DISCRETISED, RatingMaterial
from tiltmeter.report.ratings.t_values import class_pairs, t_tables
from tiltmeter.report.tables.latex_text import escaped, number

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
