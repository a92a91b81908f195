"""What the page draws when asked to: pairs, names, words and subsets, as compact JSON.

Every submission has an entry of its own, read only when it is opened. Where all pairs of all
submissions would be too heavy, each keeps its largest, and the page says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import POINTS, SCALE, count
from tiltmeter.report.page import script_json
from tiltmeter.report.scale import SymmetricScale, scale_for
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.comparison import boxes_of, columns_of
from tiltmeter.studies.paired.packing import (
    Phrasebook,
    Rounding,
    indexed,
    places,
    score_rounding,
    signed,
    split_texts,
)
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.script_words import (
    WORDS,
    box_figures,
    box_words,
    findings_in_words,
    heat_tables,
    held_words,
    only_subset,
    pair_labels,
    panel_words,
    people_about,
    people_blocks,
    sort_words,
    subset_label,
)
from tiltmeter.studies.paired.single_sentences import CELLS as SINGLE_CELLS
from tiltmeter.studies.paired.single_sentences import SingleSentences, single_sentences
from tiltmeter.studies.paired.strip import StripBlock
from tiltmeter.studies.paired.submissions import (
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    descriptions,
    subset_names,
    subset_rows,
)
from tiltmeter.studies.paired.verdict_reasons import verdict_reasons
from tiltmeter.studies.paired.wording import driven_by_one_person, rests_on, sides_between

Array = NDArray[np.float64]
Places = NDArray[np.int64]


def entries_of(
    material: AuditResults,
    compared: CorpusComparisons,
    panels: Sequence[ContrastPanel],
    mine: Sequence[ShownSubmission],
    keep: list[Places] | None,
    keep_people: list[Places] | None,
    singles: SingleSentences,
    book: Phrasebook,
    notes: dict[str, int],
) -> Iterator[dict[str, Any]]:
    """Each submission's own numbers."""
    means = compared.study.by_word[1].known_mean
    subsets = subset_rows(material, compared)
    described = descriptions(material, compared)
    driving = _driving_people(compared)
    counts = {(axis, name): many for axis, name, many in compared.study.counts.rows()}
    contrasts = [(panel.axis, panel.contrast) for panel in panels]
    drawn = [boxes_of(compared, *key) for key in contrasts]
    columns = [columns_of(compared, *key) for key in contrasts]
    persons = [_people_of(panel, compared) for panel in panels]
    for nth, one in enumerate(mine):
        which = slice(None) if keep is None else keep[nth]
        deltas = compared.study.deltas[one.row, which]
        level = (compared.study.first[one.row, which] + compared.study.second[one.row, which]) / 2
        # The scale that scores lie on: 0 to 1, or the system's own range; and how they are said.
        known_levels, low, high = level[~np.isnan(level)], 0.0, 1.0
        if one.unit != SCALE and known_levels.size:
            low, high = float(known_levels.min()), float(known_levels.max())
        sizes = Rounding(POINTS if one.unit == SCALE else 1.0)
        scores = score_rounding(one.unit, high - low)
        delta, cells = signed(deltas), signed(means[one.row])
        those = slice(None) if keep_people is None else keep_people[nth]
        apart = compared.by_person.deviations[one.row, those]
        people = signed(apart)
        known = np.zeros(compared.study.pairs.height, bool)
        known[which] = ~np.isnan(deltas)
        yield {
            "which": None if keep is None else places(keep[nth]),
            "deltas": delta.text, "step": delta.step,
            "low": low * scores.times, "high": high * scores.times,
            "cells": cells.text, "cellStep": cells.step,
            "people": people.text, "peopleStep": people.step,
            "those": None if keep_people is None else places(keep_people[nth]),
            "boxes": [
                None if np.isnan(ends).any() else [float(f"{end:.5g}") for end in ends]
                for ends in (box[one.row] for box in drawn)
            ],
            "said": {
                "deltas": book.places(np.abs(deltas), sizes),
                "first": book.places(compared.study.first[one.row, which], scores),
                "second": book.places(compared.study.second[one.row, which], scores),
                "cells": book.places(means[one.row], sizes),
                "people": book.places(apart, sizes),
                "boxes": [
                    "" if np.isnan(box[one.row]).any() else box_words(
                        list(map(sizes.say, np.abs(box[one.row]).tolist())),
                        box[one.row].tolist(), panel, one.unit,
                    )
                    for box, panel in zip(drawn, panels, strict=True)
                ],
            },
            "held": None if keep is None else [
                held_words(int(known[at].sum()), counts.get(key, 0), one.unit)
                for at, key in zip(columns, contrasts, strict=True)
            ],
            "limits": {
                "pairs": _limits(scores.times * compared.study.deltas[one.row], columns),
                "people": _limits(scores.times * compared.by_person.deviations[one.row], persons),
            },
            "part": only_subset(material.subset, one.task),
            "subsets": subsets[one.row],
            "described": described[one.row],
            "rests": [driving.get((one.system, one.task, *key), ("", False)) for key in contrasts],
        } | singles.entry(nth, one, high - low, book, notes)  # fmt: skip


def _people_of(panel: ContrastPanel, compared: CorpusComparisons) -> Places:
    """Where the people of both sides stand."""
    people = compared.by_person.people
    if panel.axis not in people.columns:
        return np.zeros(0, np.int64)
    mine = people[panel.axis].is_in([panel.first, panel.second]).fill_null(False)
    return mine.arg_true().to_numpy().astype(np.int64)


def _limits(values: Array, parts: Sequence[Places]) -> list[float]:
    """How far a scale reaches that holds each part of the values; 0 where all are nothing."""
    widest = (float(np.fmax.reduce(np.abs(values[part]), initial=0.0)) for part in parts)
    return [scale_for([one], []).limit if one else 0.0 for one in widest]


def _driving_people(compared: CorpusComparisons) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Whom each difference rests on, in a sentence, and whether most of it does.

    By system, task, axis and contrast.
    """
    if compared.pivots is None:
        return {}
    units = dict(zip(
        compared.submissions.select("system", "task").rows(), compared.submissions["unit"],
        strict=True,
    ))  # fmt: skip
    named = compared.study.pairs.select("axis", "contrast", "first", "second").unique().rows()
    groups = {(axis, contrast): (first, second) for axis, contrast, first, second in named}
    found: dict[tuple[str, ...], tuple[str, bool]] = {}
    for row in compared.pivots.filter(kind="").iter_rows(named=True):
        axis, contrast = str(row["axis"]), str(row["contrast"])
        sides = sides_between(compared, axis, *groups[axis, contrast])
        key = str(row["system"]), str(row["task"])
        found[*key, axis, contrast] = rests_on(row, units[key], sides), driven_by_one_person(row)
    return found


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
    pairs = compared.study.pairs
    letters = pairs["text_first"].str.len_bytes() + pairs["text_second"].str.len_bytes()
    fits = len(rows) * pairs.height <= budget and int(letters.sum() or 0) <= TEXTS
    if fits and compared.study.totals is None:
        return None
    parts = pairs.with_row_index("place").group_by("axis", "contrast", maintain_order=True)
    contrasts = [part["place"].to_numpy().astype(np.int64) for _, part in parts]
    many = max(FEWEST, budget // 3 // max(len(rows) * len(contrasts), 1))
    weight = letters.to_numpy()
    while True:
        chosen = [_largest(compared.study.deltas[row], contrasts, many) for row in rows]
        union = np.unique(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)
        if many == FEWEST or int(weight[union].sum()) <= TEXTS:
            return chosen
        many = max(FEWEST, many // 2)


def kept_people(compared: CorpusComparisons, rows: Sequence[int]) -> list[Places] | None:
    """The people each submission keeps; None where all fit.

    Of every combination of groups those that stand furthest from the average; couples all.
    """
    people = compared.by_person.people
    if people.height <= PEOPLE and people.height * len(rows) <= PEOPLE_CELLS:
        return None
    axes = [axis.name for axis in compared.corpus.axes if axis.name in people.columns]
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
        np.sort(
            np.concatenate([couples, _largest(compared.by_person.deviations[row], cells, each)])
        )
        for row in rows
    ]


def pooled_people(people: pl.DataFrame) -> pl.Series:
    """Whether each is compared with many: a name among names, not one of a couple."""
    return people.select(pl.len().over("match") > 2).to_series()


def _largest(deltas: Array, contrasts: Sequence[Places], many: int) -> Places:
    """The columns of the largest differences of each contrast, in the order of the corpus."""
    found = []
    for columns in contrasts:
        size = np.nan_to_num(np.abs(deltas[columns]), nan=-1.0)
        order = np.argsort(-coarsen(size), kind="stable")[:many]
        found.append(columns[order[size[order] >= 0]])
    return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)


def embedded(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
    shown: Sequence[tuple[ContrastPanel, ...]],
    blocks: Sequence[StripBlock],
    facts: Mapping[tuple[str, str, str], Sequence[tuple[str, str]]],
) -> tuple[str, Sequence[str]]:
    """The page's common data and an entry for each submission, as JSON safe within a script.

    `by_corpus` are the contrasts that pairs are of, `shown` what the answer is about, `blocks` the
    strip, `facts` what is known of a submission by system, task and corpus.
    """
    every, entries, book, notes = [], [], Phrasebook(), dict[str, int]()
    budget = CELLS // max(len(material.compared), 1)
    alone, paired = len({one.system for one in of}) == 1, "pairs" in material.measures
    limits = set[float]()
    reasons = verdict_reasons(material, of, shown)
    for corpus, compared in enumerate(material.compared):
        mine = [one for one in of if one.corpus == corpus]
        panels = by_corpus[corpus]
        keep = kept(compared, [one.row for one in mine], budget)
        those = kept_people(compared, [one.row for one in mine])
        people = _shown_people(compared, those)
        singles = single_sentences(
            compared, panels, mine, people, SINGLE_CELLS // max(len(material.compared), 1)
        )
        every.append(_common(compared, panels, keep, those, people, singles) | {
            "subsets": [
                {
                    "panel": next((nth for nth, panel in enumerate(panels)
                                   if (panel.axis, panel.contrast) == (axis, contrast)), None),
                    "labels": {
                        one.task: subset_label(subset, one.task)
                        + ("" if subset == "all" else " (exploratory)")
                        for one in mine
                    },
                    "main": subset == material.subset,
                }
                for axis, contrast, subset in subset_names(material.paired_estimates, compared)
            ],
            "shown": [
                {"words": sort_words(panel), "first": panel.first} for panel in shown[corpus]
            ],
        })  # fmt: skip
        own = list(entries_of(material, compared, panels, mine, keep, those, singles, book, notes))
        limits.update(one for entry in own for some in entry["limits"].values() for one in some)
        entries += [
            script_json(entry | {
                "why": [reason.facts() for reason in reasons[one.nth]],
                "told": [] if alone else findings_in_words(one, paired),
                "facts": facts.get((one.system, one.task, compared.name), []),
            })
            for one, entry in zip(mine, own, strict=True)
        ]  # fmt: skip
    rows = sum(len(block.rows) for block in blocks)
    sorts = (sort_words(panel) for some in shown for panel in some if not panel.average)
    whole = {
        "words": WORDS,
        "corpora": every,
        "tasks": len({one.task for one in of}),
        "texts": book.texts,
        "numbers": book.numbers,
        "notes": list(notes),
        "submissions": [
            _submission(one, by_corpus[one.corpus], shown[one.corpus], material) for one in of
        ],
        "blocks": [
            {"corpus": block.corpus, "heads": _heads(block, material, of)} for block in blocks
        ],
        "rows": f"{{n}} of {count(rows, 'row')}",
        "sorts": list(dict.fromkeys(sorts)),
        "scales": [[limit, SymmetricScale(limit or 1.0).ticks] for limit in sorted(limits)],
        "figures": list(box_figures(of, by_corpus, [one.title for one in material.compared])),
    }
    return script_json(whole), entries


def _common(
    compared: CorpusComparisons,
    panels: Sequence[ContrastPanel],
    keep: list[Places] | None,
    keep_people: list[Places] | None,
    people: pl.DataFrame,
    singles: SingleSentences,
) -> dict[str, Any]:
    pairs, (cells, _) = compared.study.pairs, compared.study.by_word
    used = np.arange(pairs.height) if keep is None else np.unique(np.concatenate(keep))
    shown = pairs[used]
    names = {(panel.axis, panel.contrast): nth for nth, panel in enumerate(panels)}
    contrast = [names[key] for key in shown.select("axis", "contrast").rows()]
    examples = dict(
        pairs.group_by("template", maintain_order=True).agg(pl.col("text_first").first()).rows()
    )
    every = _with_pooled(compared)
    many = {  # how many are compared with many, by axis and group
        axis: dict(every.filter(pl.col("pooled")).group_by(axis).len().drop_nulls().rows())
        for axis in dict.fromkeys(panel.axis for panel in panels)
        if axis in every.columns
    }
    texts = [*shown["text_first"].to_list(), *shown["text_second"].to_list()]
    frames = shown.select("template", "emotion", "emotion_word").rows()
    return {
        "name": compared.name,
        "language": compared.corpus.language,
        "panels": [
            {"axis": panel.axis, "first": panel.first, "average": panel.average}
            | panel_words(panel)
            | {
                "people": people_blocks(panel, people, many.get(panel.axis, {})),
                "cells": heat_tables(panel, cells),
            }
            for panel in panels
        ],
        "pairs": {"at": None if keep is None else used.tolist(), "contrast": contrast}
        | {name: indexed(column) for name, column in pair_labels(shown, examples).items()}
        | {"texts": split_texts(texts, [*frames, *frames])},
        "people": {
            "at": None if keep_people is None else _union(keep_people).tolist(),
            "person": people["person"].to_list(),
            "match": indexed(people["match"]),
            "about": indexed(people_about(panels, people)),
            "all": every.height,
        },
        "singles": singles.common(people),
        "examples": examples,
    }


def _with_pooled(compared: CorpusComparisons) -> pl.DataFrame:
    """Everybody, and whether each is compared with many."""
    people = compared.by_person.people
    return people.with_columns(pooled=pooled_people(people))


def _shown_people(compared: CorpusComparisons, keep: list[Places] | None) -> pl.DataFrame:
    """Those whom the page holds, of any submission."""
    every = _with_pooled(compared)
    return every if keep is None else every[_union(keep)]


def _union(keep: list[Places]) -> Places:
    return np.unique(np.concatenate(keep)) if keep else np.zeros(0, np.int64)


def _heads(
    block: StripBlock, material: AuditResults, of: Sequence[ShownSubmission]
) -> list[dict[str, str]]:
    """What the strip's columns are sorted by, and what their buttons are called."""
    name = block.name_title(alone=False, many_tasks=len({one.task for one in of}) > 1)
    heads = [("name", f"{name}: sort by name")]
    if material.skill is not None:
        heads.append(("skill", "Skill: sort by skill"))
    heads += [
        ("size" if panel.average else f"size:{sort_words(panel)}", f"{title}: sort by size")
        for panel, title in zip(block.panels, block.titles, strict=True)
    ]
    return [{"by": by, "label": label} for by, label in heads]


def _submission(
    one: ShownSubmission,
    panels: Sequence[ContrastPanel],
    shown: Sequence[ContrastPanel],
    material: AuditResults,
) -> dict[str, Any]:
    pairs = [one.pairs.get(panel.key) for panel in panels]
    told = [one.told.get(panel.key) for panel in shown]
    several = len(material.compared) > 1
    return {
        "system": one.system, "task": one.task, "corpus": one.corpus, "unit": one.unit,
        "anchor": one.anchor,
        "label": f"{one.task}, {material.compared[one.corpus].name}" if several else one.task,
        "significance": [_significance(some) for some in pairs],
        "shown": {
            "value": [_short(some.value) if some else None for some in told],
            "significance": [_significance(some) for some in told],
            "verdict": [some.tilt.verdict if some and some.tilt else "" for some in told],
        },
        "skill": _short(one.skill),
    }  # fmt: skip


def _significance(told: ShownFinding | None) -> str:
    return told.significance if told else Significance.NOT_ESTIMABLE


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
