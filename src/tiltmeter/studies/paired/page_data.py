"""What the page draws when asked to: pairs, names, words and subsets, as compact JSON."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.numbers import DASH, POINTS, SCALE, decimals, fixed, points, short
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.comparison import boxes_of, pair_counts, word_means
from tiltmeter.studies.paired.material import CorpusComparisons, Material
from tiltmeter.studies.paired.submissions import (
    DESCRIBED,
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    descriptions,
    subset_names,
    subset_rows,
)
from tiltmeter.studies.paired.wording import hangs_on_one, rests_on, sides_between

# ---- arrays as short text: scaled to 16 bits, little-endian, base64


Array = NDArray[np.float64]

MISSING = -32768
"""Stands for NaN among signed 16-bit numbers."""
LARGEST = 32767
LEVELS = 65535


@dataclass(frozen=True, slots=True)
class Packed:
    """Numbers as text, and what one step is worth."""

    text: str
    step: float


def signed(values: Array) -> Packed:
    """Values around zero, to a 32,767th of the largest.

    >>> signed(np.array([0.5, -0.5, np.nan])).text
    '/38BgACA'
    """
    known = np.nan_to_num(values)
    step = float(np.max(np.abs(known), initial=0.0)) / LARGEST
    steps = np.rint(known / step) if step else np.zeros(values.shape)
    steps = np.where(steps == 0, np.sign(known), steps)  # only what is nothing is drawn as nothing
    return Packed(_text(np.where(np.isnan(values), MISSING, steps).astype("<i2")), step)


def places(values: NDArray[np.int64]) -> str:
    """Whole numbers from 0 up."""
    return _text(values.astype("<u4"))


@dataclass(frozen=True, slots=True)
class Rounding:
    """How numbers are said: `times` as large, with so many digits, or else so many decimals."""

    times: float = 1.0
    digits: int | None = 2
    decimals: int = 0

    def say(self, value: float) -> str:
        """The number as people read it."""
        if self.digits is None:
            return fixed(self.times * value, self.decimals)
        return points(value) if self.times == POINTS else short(self.times * value, self.digits)

    def keys(self, values: Array) -> Array:
        """A key of what each number shows: numbers with the same key are said alike.

        NaN, which is like nothing else, where a number lies so near to the middle between two texts
        that only its own text tells.

        >>> Rounding().keys(np.array([0.0, 0.1041, 0.1042, 0.105])).tolist()
        [0.0, 20000010.0, 20000010.0, nan]
        """
        size = self.times * np.abs(values)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            last = np.full(size.shape, -float(self.decimals))  # the last digit's power of ten
            if self.digits is not None:
                last = np.minimum(np.floor(np.log10(size)) - self.digits + 1, 0.0)
            steps = size / 10.0**last
            near = np.abs(steps - np.floor(steps) - 0.5) < 1e-6
            keys = np.where(values < 0, -1.0, 1.0) * (np.rint(steps) - 1e7 * last)
        unsure = near | ~np.isfinite(keys) | (steps > 1e6) | (last < -9)
        return np.where(size == 0, 0.0, np.where(unsure, np.nan, keys))


class Phrasebook:
    """Numbers as people read them: each text once for a whole page, and where each number's stands.

    >>> book = Phrasebook()
    >>> book.places(np.array([0.5, np.nan, 0.5]), Rounding()), book.texts
    ('AAABAAAA', ['0.50', '–'])
    """

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._known: dict[Rounding, dict[float, int]] = {}

    @property
    def texts(self) -> list[str]:
        """Every text, by its place."""
        return list(self._place)

    def places(self, values: Array, rounding: Rounding) -> str:
        """The place of each number's text: 16 bits each, or 32 after a colon for many texts."""
        distinct, at = np.unique(values, return_inverse=True)
        keys = rounding.keys(distinct)
        news = np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]
        known, found = self._known.setdefault(rounding, {}), list[int]()
        for key, value in zip(keys[news].tolist(), distinct[news].tolist(), strict=True):
            place = known.get(key)
            if place is None:
                place = self._place_of(rounding, value)
                if not math.isnan(key):
                    known[key] = place
            found.append(place)
        codes = np.array(found, np.int64)[np.cumsum(news) - 1][at.ravel()]
        if codes.max(initial=0) > LEVELS:
            return f":{_text(codes.astype('<u4'))}"
        return _text(codes.astype("<u2"))

    def _place_of(self, rounding: Rounding, value: float) -> int:
        text = DASH if math.isnan(value) else rounding.say(value)
        return self._place.setdefault(text, len(self._place))


def _text(values: NDArray[np.generic]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")


# ---- one submission's own numbers, embedded as compact text and read when it is opened


Places = NDArray[np.int64]


def entries_of(
    material: Material,
    compared: CorpusComparisons,
    mine: Sequence[ShownSubmission],
    keep: list[Places] | None,
    keep_people: list[Places] | None,
    book: Phrasebook,
) -> Iterator[dict[str, Any]]:
    """Each submission's own numbers."""
    _, means, _ = word_means(compared)
    subsets = subset_rows(material, compared)
    described = descriptions(material, compared)
    resting, contrasts = _resting(compared), _contrasts(compared)
    drawn = [boxes_of(compared, *key) for key in contrasts]
    for nth, one in enumerate(mine):
        which = slice(None) if keep is None else keep[nth]
        deltas = compared.deltas[one.row, which]
        level = (compared.first[one.row, which] + compared.second[one.row, which]) / 2
        low, high = _ends(level, one.unit)
        delta, cells = signed(deltas), signed(means[one.row])
        those = slice(None) if keep_people is None else keep_people[nth]
        apart = compared.deviations[one.row, those]
        people, (sizes, scores) = signed(apart), _roundings(one.unit, high - low)
        yield {
            "which": None if keep is None else places(keep[nth]),
            "deltas": delta.text, "step": delta.step,
            "low": low, "high": high,
            "cells": cells.text, "cellStep": cells.step,
            "people": people.text, "peopleStep": people.step,
            "those": None if keep_people is None else places(keep_people[nth]),
            "boxes": [_numbers(box[one.row]) for box in drawn],
            "said": {
                "deltas": book.places(np.abs(deltas), sizes),
                "first": book.places(compared.first[one.row, which], scores),
                "second": book.places(compared.second[one.row, which], scores),
                "cells": book.places(means[one.row], sizes),
                "people": book.places(apart, sizes),
                "boxes": [list(map(sizes.say, np.abs(box[one.row]).tolist())) for box in drawn],
            },
            "subsets": subsets[one.row],
            "described": described[one.row],
            "rests": [resting.get((one.system, one.task, *key), ("", False)) for key in contrasts],
        }  # fmt: skip


def _contrasts(compared: CorpusComparisons) -> list[tuple[str, str]]:
    return pair_counts(compared).select("axis", "contrast").rows()


def _resting(compared: CorpusComparisons) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Whom each difference rests on, in a sentence, and whether most of it does.

    By system, task, axis and contrast.
    """
    if compared.pivots is None:
        return {}
    units = dict(zip(
        compared.submissions.select("system", "task").rows(), compared.submissions["unit"],
        strict=True,
    ))  # fmt: skip
    named = compared.pairs.select("axis", "contrast", "first", "second").unique().rows()
    groups = {(axis, contrast): (first, second) for axis, contrast, first, second in named}
    told: dict[tuple[str, ...], tuple[str, bool]] = {}
    for row in compared.pivots.filter(kind="").iter_rows(named=True):
        axis, contrast = str(row["axis"]), str(row["contrast"])
        first, second = groups[axis, contrast]
        sides = sides_between(compared, axis, first, second)
        key = str(row["system"]), str(row["task"])
        told[*key, axis, contrast] = rests_on(row, units[key], sides), hangs_on_one(row)
    return told


def _ends(level: Array, unit: str) -> tuple[float, float]:
    """The scale that a submission's scores lie on: 0 to 1, or its own range."""
    known = level[~np.isnan(level)]
    if unit == "scale" or not known.size:
        return 0.0, 1.0
    return float(known.min()), float(known.max())


def _roundings(unit: str, width: float) -> tuple[Rounding, Rounding]:
    """How differences and scores are said: in points, or in digits of the system's own range."""
    if unit == SCALE:
        return Rounding(POINTS), Rounding(POINTS, None, 1)
    return Rounding(), Rounding(1.0, None, decimals(width or 1.0, 3))


def _numbers(values: Array) -> list[float] | None:
    return None if np.isnan(values).any() else [float(f"{value:.5g}") for value in values]


# ---- which pairs and people are embedded: all, or each submission's largest where all are many


CELLS = 480_000
"""Pairs of all submissions that may be embedded in full, 8 bytes each."""
TEXTS = 1_400_000
"""Characters of sentences that may be embedded."""
PEOPLE = 400
"""People of one submission that may be embedded."""
PEOPLE_CELLS = 60_000
"""People of all submissions that may be embedded."""
FEWEST_PEOPLE = 8
"""People each submission and combination of groups keeps in any case."""
FEWEST = 20
"""Pairs each submission and contrast keeps in any case."""


def kept(
    compared: CorpusComparisons, rows: Sequence[int], budget: int = CELLS
) -> list[Places] | None:
    """The columns each submission keeps; None where all are there and fit."""
    size = compared.pairs.height
    pairs = compared.pairs
    letters = pairs["text_first"].str.len_bytes() + pairs["text_second"].str.len_bytes()
    fits = len(rows) * size <= budget and int(letters.sum() or 0) <= TEXTS
    if fits and compared.whole is None:
        return None
    contrasts = contrast_columns(compared)
    many = max(FEWEST, budget // 3 // max(len(rows) * len(contrasts), 1))
    weight = letters.to_numpy()
    while True:
        chosen = [_largest(compared.deltas[row], contrasts, many) for row in rows]
        union = np.unique(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)
        if many == FEWEST or int(weight[union].sum()) <= TEXTS:
            return chosen
        many = max(FEWEST, many // 2)


def kept_people(compared: CorpusComparisons, rows: Sequence[int]) -> list[Places] | None:
    """The people each submission keeps; None where all fit.

    Of every combination of groups those that stand furthest from the average; couples all.
    """
    people = compared.people
    if people.height <= PEOPLE and people.height * len(rows) <= PEOPLE_CELLS:
        return None
    axes = [axis.name for axis in compared.axes if axis.name in people.columns]
    pooled = pooled_people(people).to_numpy()
    cells = [
        part["place"].to_numpy().astype(np.int64)
        for _, part in people.with_row_index("place").filter(pooled).group_by(
            *axes, maintain_order=True
        )
    ]  # fmt: skip
    couples = np.flatnonzero(~pooled)
    room = min(PEOPLE, PEOPLE_CELLS // max(len(rows), 1)) - couples.size
    each = max(FEWEST_PEOPLE, room // max(len(cells), 1))
    return [
        np.sort(np.concatenate([couples, _largest(compared.deviations[row], cells, each)]))
        for row in rows
    ]


def pooled_people(people: pl.DataFrame) -> pl.Series:
    """Whether each is compared with many: a name among names, not one of a couple."""
    return people.select(pl.len().over("match") > 2).to_series()


def contrast_columns(compared: CorpusComparisons) -> list[Places]:
    """The columns of each contrast's pairs, in the order of the corpus."""
    placed = compared.pairs.with_row_index("place")
    parts = placed.group_by("axis", "contrast", maintain_order=True)
    return [part["place"].to_numpy().astype(np.int64) for _, part in parts]


def _largest(deltas: Array, contrasts: Sequence[Places], many: int) -> Places:
    """The columns of the largest differences of each contrast, in the order of the corpus."""
    found = []
    for columns in contrasts:
        size = np.nan_to_num(np.abs(deltas[columns]), nan=-1.0)
        order = np.argsort(-size, kind="stable")[:many]
        found.append(columns[order[size[order] >= 0]])
    return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)


# ---- what the page draws when asked to: pairs, names, words and subsets, embedded as compact
# JSON
# Every submission has an entry of its own, read only when it is opened. Where all pairs of all
# submissions would be too heavy, each keeps its largest, and the page says so.

COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
ESCAPED_CONTROL = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u00[01][0-9a-f]|[bf])")
"""A control character as JSON writes it, after any backslashes that stand for themselves."""


def embedded(
    material: Material,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
    shown: Sequence[tuple[ContrastPanel, ...]],
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
    compared: CorpusComparisons,
    panels: Sequence[ContrastPanel],
    keep: list[Places] | None,
    material: Material,
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


def _panel(panel: ContrastPanel, counted: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    return {
        "axis": panel.axis, "contrast": panel.contrast, "first": panel.first,
        "second": panel.second, "aboutFirst": panel.about_first,
        "aboutSecond": panel.about_second, "more": panel.towards(True),
        "less": panel.towards(False), "average": panel.average,
        "pairs": counted.get((panel.axis, panel.contrast), 0),
    }  # fmt: skip


def _shown(panel: ContrastPanel) -> dict[str, Any]:
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


def _people(compared: CorpusComparisons, keep: list[Places] | None) -> dict[str, Any]:
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


def _submission(
    one: ShownSubmission, panels: Sequence[ContrastPanel], shown: Sequence[ContrastPanel]
) -> dict[str, Any]:
    pairs = [one.pairs.get(panel.key) for panel in panels]
    told = [one.told.get(panel.key) for panel in shown]
    return {
        "system": one.system, "task": one.task, "corpus": one.corpus, "unit": one.unit,
        "anchor": one.anchor, "missing": one.missing,
        "value": [_short(some.value) if some else None for some in pairs],
        "significance": [_significance(some) for some in pairs],
        "shown": {
            "value": [_short(some.value) if some else None for some in told],
            "significance": [_significance(some) for some in told],
            "verdict": [some.tilt.verdict if some and some.tilt else "" for some in told],
        },
        "rank": one.rank, "skill": _short(one.skill),
    }  # fmt: skip


def _significance(told: ShownFinding | None) -> str:
    return told.significance if told else Significance.NOT_ESTIMABLE


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
