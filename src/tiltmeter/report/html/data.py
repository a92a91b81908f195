"""What the page draws when asked to: pairs, names, words and subsets, embedded as compact JSON.

Every submission has an entry of its own, read only when it is opened. Where all pairs of all
submissions would be too heavy, each keeps its largest, and the page says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.all_pairs import pair_counts, word_means
from tiltmeter.report.html.entries import entries_of
from tiltmeter.report.html.kept import CELLS, kept, kept_people, pooled_people
from tiltmeter.report.html.packing import Phrasebook
from tiltmeter.report.html.submissions import Panel, Submission
from tiltmeter.report.html.subsets import DESCRIBED, subset_names
from tiltmeter.report.material import Compared, Material

Places = NDArray[np.int64]
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
ESCAPED_CONTROL = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u00[01][0-9a-f]|[bf])")
"""A control character as JSON writes it, after any backslashes that stand for themselves."""


def embedded(
    material: Material,
    of: Sequence[Submission],
    by_corpus: Sequence[tuple[Panel, ...]],
    shown: Sequence[tuple[Panel, ...]],
) -> tuple[str, list[str]]:
    """The page's common data and an entry for each submission, as JSON safe within a script.

    `by_corpus` are the contrasts that pairs are of, `shown` what the answer is about.
    """
    every, entries, book = [], [], Phrasebook()
    budget = CELLS // max(len(material.compared), 1)
    for corpus, compared in enumerate(material.compared):
        mine = [one for one in of if one.corpus == corpus]
        keep = kept(compared, [one.row for one in mine], budget)
        common = _common(compared, by_corpus[corpus], keep, material)
        those = kept_people(compared, [one.row for one in mine])
        every.append(
            common
            | {
                "people": _people(compared, those),
                "shown": [_shown(panel) for panel in shown[corpus]],
            }
        )
        entries += [
            script_safe(entry) for entry in entries_of(material, compared, mine, keep, those, book)
        ]
    whole = {
        "corpora": every,
        "subset": material.subset,
        "described": DESCRIBED,
        "texts": book.texts,
        "submissions": [_submission(one, by_corpus[one.corpus], shown[one.corpus]) for one in of],
    }
    return script_safe(whole), entries


def script_safe(value: object) -> str:
    r"""JSON that no parser of HTML or JavaScript can mistake for anything else.

    Control characters are left out of it, as of the rest of the page.

    >>> script_safe("</script>"), script_safe("a\x1b[31m \\u001b")
    ('"\\u003c/script\\u003e"', '"a[31m \\\\u001b"')
    """
    text = COMPACT.encode(value)
    if "\\" in text:
        text = ESCAPED_CONTROL.sub(r"\1", text)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _common(
    compared: Compared, panels: Sequence[Panel], keep: list[Places] | None, material: Material
) -> dict[str, Any]:
    pairs, (cells, _, _) = compared.pairs, word_means(compared)
    counted = {(axis, name): many for axis, name, many in pair_counts(compared).rows()}
    used = np.arange(pairs.height) if keep is None else np.unique(np.concatenate(keep))
    shown = pairs[used]
    names = {(panel.axis, panel.contrast): nth for nth, panel in enumerate(panels)}
    contrast = [names[key] for key in shown.select("axis", "contrast").rows()]
    return {
        "name": compared.name,
        "title": compared.title,
        "language": compared.language,
        "panels": [_panel(panel, counted) for panel in panels],
        "pairs": {"at": None if keep is None else used.tolist(), "contrast": contrast}
        | {name: _indexed(shown[name]) for name in ("match", "template", "emotion", "emotion_word")}
        | {name: _run(shown[name]) for name in ("n_first", "n_second")}
        | {"first": shown["text_first"].to_list(), "second": shown["text_second"].to_list()},
        "examples": dict(
            pairs.group_by("template", maintain_order=True).agg(pl.col("text_first").first()).rows()
        ),
        "cells": [[names[key[:2]], *key[2:]] for key in cells.rows()],
        "subsets": subset_names(material.estimates, compared),
    }


def _panel(panel: Panel, counted: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    return {
        "axis": panel.axis, "contrast": panel.contrast, "first": panel.first,
        "second": panel.second, "aboutFirst": panel.about_first,
        "aboutSecond": panel.about_second, "more": panel.towards(True),
        "less": panel.towards(False), "average": panel.average,
        "pairs": counted.get((panel.axis, panel.contrast), 0),
    }  # fmt: skip


def _shown(panel: Panel) -> dict[str, Any]:
    """What the strip sorts and finds by."""
    return {
        "words": f"size, {panel.axis}{panel.by}: {panel.first} and {panel.second}",
        "first": panel.first, "average": panel.average,
    }  # fmt: skip


def _indexed(series: pl.Series) -> dict[str, Any]:
    """A column with few values: the values, and the place of each row's."""
    values = series.unique(maintain_order=True).to_list()
    place = {value: nth for nth, value in enumerate(values)}
    return {"values": values, "at": [place[value] for value in series]}


def _run(series: pl.Series) -> int | list[int]:
    """A column of counts, or one number where all are the same."""
    values = series.to_list()
    return values[0] if len(set(values)) == 1 else values


def _people(compared: Compared, keep: list[Places] | None) -> dict[str, Any]:
    """Those that some submission keeps, where they stand among all, and how many there are."""
    every = compared.people.with_columns(pooled=pooled_people(compared.people))
    axes = [axis.name for axis in compared.axes if axis.name in every.columns]
    used = None if keep is None else np.unique(np.concatenate(keep))
    people = every if used is None else every[used]
    pooled = every.filter(pl.col("pooled"))
    return {
        "at": None if used is None else used.tolist(),
        "person": people["person"].to_list(),
        "match": _indexed(people["match"]),
        "pooled": [int(one) for one in people["pooled"]],
        "groups": [list(row) for row in people.select(axes).rows()] if axes else [],
        "axes": axes,
        "many": [
            dict(pooled.group_by(axis, maintain_order=True).len().drop_nulls().rows())
            for axis in axes
        ],
    }


def _submission(one: Submission, panels: Sequence[Panel], shown: Sequence[Panel]) -> dict[str, Any]:
    pairs = [one.pairs.get(panel.key) for panel in panels]
    told = [one.told.get(panel.key) for panel in shown]
    return {
        "system": one.system, "task": one.task, "corpus": one.corpus, "unit": one.unit,
        "anchor": one.anchor, "missing": one.missing,
        "value": [_short(some.value) if some else None for some in pairs],
        "significance": [some.significance if some else "not_estimable" for some in pairs],
        "shown": {
            "value": [_short(some.value) if some else None for some in told],
            "significance": [some.significance if some else "not_estimable" for some in told],
            "verdict": [some.tilt.verdict if some and some.tilt else "" for some in told],
        },
        "rank": one.rank, "skill": _short(one.skill),
    }  # fmt: skip


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
