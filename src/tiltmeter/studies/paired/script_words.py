"""Every word that the page's script shows: the script places what is written here.

`{n}` and `{all}` stand for numbers that change while somebody filters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import DASH, POINTS, count, unbroken
from tiltmeter.studies.paired.submissions import DESCRIBED, ContrastPanel, ShownSubmission
from tiltmeter.studies.paired.wording import SAID

NO_EMOTION = "no emotion word"
DESCRIBED_LABELS = {
    "mean_up": "Average of the pairs scored {more}",
    "mean_down": "Average of the pairs scored {less}",
    "spread": "Δ-spread: largest minus smallest",
    "max_abs": "Largest difference, either way",
    "mean_abs": "Mean difference, whatever its direction",
    "standardised": "Standardised effect",
    "sign_flip": "Sign-flip p, not corrected",
}
"""Measures that stand beside the mean difference, and what each is called."""
OPEN_FIGURES, OPEN_ROWS = 2, 40
"""So many figures of at most so many rows are open as the page opens."""


def _of_unit(unit: str, whose: str, head: str, times: float) -> dict[str, Any]:
    return {
        "times": times,
        "short": unit,
        "cloud": f"Every dot below the box is a pair. In {whose}.",
        "scores": f"Scores are in {whose}.",
        "heat": f"Mean difference in {whose}.",
        "subsets": [
            "Sentences", head, "Direction", "95 % interval", "p after correction", "Sign-flip p",
            "Pairs", "Dropped", "Finding",
        ],
    }  # fmt: skip


WORDS: dict[str, Any] = {
    "dash": DASH,
    "said": SAID,
    "same": "the same",
    "allRows": "Show all {n} rows",
    "units": {
        "scale": _of_unit("points", "points of 100", "Points", POINTS),
        "native": _of_unit("own units", "the system’s own units", "Own units", 1.0),
    },
    "detail": {"previous": "Previous system", "next": "Next system", "close": "Close"},
    "system": {
        "pick": "Show the difference between sentences",
        "boxes": "All its differences",
        "pairs": "The pairs that move most",
        "people": "People",
        "aboutPeople": "How far the sentences that mention someone stand from the average of all "
        "who are compared in the same place. Right of the line: scored higher. Left, with a minus: "
        "lower.",
        "heat": "Templates and words",
        "subsets": "Parts of the corpus",
        "aboutSubsets": "Every part but all sentences is exploratory: it shows where to look, and "
        "settles less.",
        "facts": "About the system",
        "none": "There is nothing to compare on this corpus.",
    },
    "boxes": {
        "label": "Differences {box}",
        "empty": "no differences",
        "none": "There is no pair with scores on both sides.",
        "noFigure": "There is no system on a known scale to draw.",
        "described": "What describes its differences",
    },
    "pairs": {
        "emotion": "Emotion", "word": "Emotion word", "template": "Template", "match": "Person",
        "all": "all", "every": "Every pair: filter and sort ({n})",
        "sort": "Sort by", "size": "size, largest first", "more": "Show more", "score": "score ",
        "one": "{n} of {all} pair", "many": "{n} of {all} pairs",
        "none": "There is no pair to show.",
    },
    "people": {
        "person": "Person",
        "noAxis": "The corpus names no people for this axis.",
        "none": "No person’s sentences could be compared.",
    },
    "swaps": {
        "beside": "and",
        "one": " in {n} sentence: {mean} {unit} {way}",
        "many": " in {n} sentences, on average {mean} {unit} {way}; the pair furthest apart:",
    },
    "others": {
        "open": "In every system", "tasks": "For every task",
        "label": "The same pair in every system", "system": "System", "difference": "Difference",
        "missing": "a score is missing",
        "left": "not among its largest pairs, which this page holds",
    },
    "person": {
        "about": "Sentences {about}.",
        "also": "Also in another corpus: ",
        "effects": "In every system",
        "effect": "From the average", "direction": "Direction", "drawn": "Drawn",
        "higher": "higher", "lower": "lower",
        "left": "Not among the people furthest from the average in {n} more: tables/people.csv of "
        "the audit’s folder has everybody.",
        "unknown": "This page holds {n} of {all} people: those furthest from the average.",
        "sentences": "All sentences and their scores",
        "aboutSentences": "A column a system. A column’s title sorts by its scores.",
        "sentence": "Sentence", "inOrder": "Sort in the order of the corpus",
        "sort": "Sort by the scores of {system}",
        "all": "Show all {n} sentences",
        "manySystems": "A page of more than 20 submissions holds no scores of single sentences.",
        "notHeld": "This page does not hold the scores of these sentences: there are too many.",
        "files": "The audit’s folder has all: scores.parquet beside sentences.parquet, joined by "
        "id; and everybody in tables/people.csv.",
    },
    "why": {
        "title": "The verdicts, why, and what would decide them",
        "decide": "What would decide it:",
    },
    "heat": {
        "label": "Mean difference by template and emotion word",
        "open": "Choose a cell for its pairs.",
        "cell": "{size}: pairs with {word}, template {template}",
    },
    "subsets": {"label": "Subsets"},
}  # fmt: skip


def panel_words(panel: ContrastPanel) -> dict[str, Any]:
    """How a contrast is spoken of."""
    more, less = panel.towards(True), panel.towards(False)
    first, second = panel.about_first, panel.about_second
    return {
        "more": more,
        "less": less,
        "pick": first if panel.average else f"{first} and {second}",
        "pairs": f"The same sentence {first} (above) and {second} (below). What differs is marked.",
        "sides": [first, second],
        "heat": f"Orange: {more}. Blue, with a minus: {less}. Darker is larger.",
        "sorts": [f"{first}: highest first", f"{second}: highest first"],
        "described": [DESCRIBED_LABELS[one].format(more=more, less=less) for one in DESCRIBED],
    }


def sort_words(panel: ContrastPanel) -> str:
    """The strip sorted by the size of one contrast."""
    return f"size, {panel.axis}{panel.by}: {panel.first} and {panel.second}"


def subset_label(subset: str, task: str) -> str:
    """A part of the corpus in a table.

    >>> subset_label("emotion:joy", "anger"), subset_label("own-emotion", "anger")
    ('words of joy', 'the task’s own emotion, anger')
    """
    kind, _, name = subset.partition(":")
    said = {
        "all": "all sentences",
        "neutral": "without an emotion word",
        "emotion": f"words of {name}" if name else "with an emotion word",
        "own-emotion": f"the task’s own emotion, {task}",
        "template": f"template {name}",
    }
    return said.get(kind, subset)


def only_subset(subset: str, task: str) -> str:
    """What is said where the page puts a part of the corpus first; nothing for all sentences."""
    if subset == "all":
        return ""
    return f"Below: only the subset {subset} ({subset_label(subset, task)})."


def box_words(
    texts: Sequence[str], values: Sequence[float], panel: ContrastPanel, unit: str
) -> str:
    """A box of differences for those who do not see it."""
    lower, median, upper = (
        f"{texts[nth]} {panel.towards(values[nth] > 0)}" if values[nth] else "0"
        for nth in (1, 2, 3)
    )
    whose = "points of 100" if unit == "scale" else "own units"
    return f"in {whose}: median {median}, middle half from {lower} to {upper}"


def held_words(held: int, every: int, unit: str) -> tuple[str, str]:
    """What is said under a box, and after a count, where only the largest pairs are embedded."""
    whole: str = WORDS["units"][unit]["cloud"]
    some = f" is a pair; only the {count(held, 'largest pair')} of {every:,} are embedded here."
    after = f" (the {held:,} largest of {every:,} are in this page)"
    return whole if held == every else whole.replace(" is a pair.", some), after


def pair_labels(pairs: pl.DataFrame, examples: Mapping[str, str]) -> dict[str, pl.Series]:
    """What a pair is found by, what is said below it, and of how many sentences each side is."""
    found: dict[str, list[str]] = {
        "template": [],
        "about": [],
        "othersFirst": [],
        "othersSecond": [],
    }
    for template, emotion, match, first, second in pairs.select(
        "template", "emotion", "match", "n_first", "n_second"
    ).rows():
        averaged = ""
        if first > 1 or second > 1:
            many = (
                count(first, "sentence") if first == second else f"{first} and {second} sentences"
            )
            averaged = f"Each score is the average of {many} ({match}) · "
        found["template"].append(f"{template}: {examples[template]}")
        found["about"].append(
            f"{averaged}template {template}{'' if emotion is None else f' · {emotion}'}"
        )
        for name, n in (("othersFirst", first), ("othersSecond", second)):
            found[name].append(f" (and {n - 1} more)" if n > 1 else "")
    word = pairs["emotion_word"].fill_null(NO_EMOTION)
    template, *rest = ((name, pl.Series(texts, dtype=pl.String)) for name, texts in found.items())
    emotion = pairs["emotion"].fill_null(NO_EMOTION)
    return dict([("match", pairs["match"]), template, ("emotion", emotion), ("word", word), *rest])


def people_about(panels: Sequence[ContrastPanel], people: pl.DataFrame) -> pl.Series:
    """How sentences that mention each person are spoken of, on every axis that has a contrast."""
    said = [""] * people.height
    phrases: dict[str, dict[str, str]] = {}
    for panel in panels:
        known = phrases.setdefault(panel.axis, {})
        known[panel.first] = panel.about_first
        if not panel.average:
            known[panel.second] = panel.about_second
    for axis, about in phrases.items():
        for nth, group in enumerate(people[axis] if axis in people.columns else ()):
            if group in about:
                said[nth] += f"{', ' if said[nth] else ''}{about[group]}"
    return pl.Series(said, dtype=pl.String)


def people_blocks(
    panel: ContrastPanel, people: pl.DataFrame, many: Mapping[str, int]
) -> list[dict[str, Any]] | None:
    """Who is compared, a block for each side, names apart from couples.

    None where the corpus names nobody for the axis.
    """
    if panel.axis not in people.columns:
        return None
    found = []
    sides = ("first", panel.first, panel.about_first), ("second", panel.second, panel.about_second)
    for pooled in (True, False):
        for side, group, about in sides:
            mine = (people["pooled"] == pooled) & (people[panel.axis] == group).fill_null(False)
            matches = people.filter(mine)["match"].unique(maintain_order=True).to_list()
            names = "Names" if matches == ["names"] else " and ".join(matches)
            noun = "names" if pooled else "people"
            if matches:
                found.append({
                    "title": f"{names if pooled else 'People in pairs'}, sentences {about}",
                    "side": side,
                    "rows": mine.arg_true().to_list(),
                    "all": many.get(group, 0) if pooled else None,
                    "furthest": f": the {{n}} of {{all}} {noun} furthest from the average",
                })  # fmt: skip
    return found


def heat_tables(panel: ContrastPanel, cells: pl.DataFrame) -> dict[str, Any]:
    """Templates with the same words side by side: rows of words, each with its cells' places."""
    templates: dict[str, dict[tuple[str | None, str | None], int]] = {}
    for nth, (axis, contrast, template, *word) in enumerate(cells.rows()):
        if (axis, contrast) == (panel.axis, panel.contrast):
            templates.setdefault(template, {})[word[0], word[1]] = nth
    alike: dict[frozenset[object], list[str]] = {}
    for template, places in templates.items():
        alike.setdefault(frozenset(places), []).append(template)
    return {
        "templates": list(templates),
        "tables": [
            {
                "caption": f"Template{'s' if len(some) > 1 else ''} {', '.join(some)}",
                "templates": some,
                "rows": [
                    [emotion, NO_EMOTION if word is None else word,
                     [templates[one][emotion, word] for one in some]]
                    for emotion, word in templates[some[0]]
                ],
            }
            for some in alike.values()
        ],
    }  # fmt: skip


def findings_in_words(one: ShownSubmission, paired: bool) -> list[str]:
    """What was found of a submission, a sentence each."""
    told = [unbroken(told.sentence) for told in one.told.values()]
    return told or ([f"{one.system}: nothing was compared."] if paired else [])


def box_figures(
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
    titles: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """The box plots of every task: what each is of, and its rows in order.

    A contrast has one by itself; groups beside the average of all share one.
    """
    tasks, opened = list(dict.fromkeys(one.task for one in of)), 0
    for task in tasks:
        for corpus, panels in enumerate(by_corpus):
            mine = [
                one for one in of if (one.corpus, one.task, one.unit) == (corpus, task, "scale")
            ]
            figures: dict[object, list[int]] = {}
            for nth, panel in enumerate(panels):
                figures.setdefault(panel.axis if panel.average else nth, []).append(nth)
            for places in figures.values() if mine else ():
                panel, rows = panels[places[0]], _ordered(mine, panels, places)
                whose = f"sentences {'of each group' if panel.average else panel.about_first}"
                of_task = f", {task}" if len(tasks) > 1 else ""
                on = f", {titles[corpus]}" if len(by_corpus) > 1 else ""
                many = count(len(rows), "row" if panel.average else "system")
                whole = f"{whose} and {panel.about_second}{of_task}{on} ({many})"
                ends = "lower than the average", "higher than the average"
                if not panel.average:
                    ends = panel.towards(False), panel.towards(True)
                yield {
                    "title": f"{panel.axis}: {whole}",
                    "label": f"Box plots, {panel.axis}",
                    "less": ends[0],
                    "more": ends[1],
                    "open": opened < OPEN_FIGURES and len(rows) <= OPEN_ROWS,
                    "rows": rows,
                }
                opened += 1


def _ordered(
    mine: Sequence[ShownSubmission], panels: Sequence[ContrastPanel], shown: Sequence[int]
) -> list[tuple[int, int]]:
    """Submissions and contrasts by rank of skill, else by difference, the highest first."""
    ranked = not panels[shown[0]].average and any(one.rank is not None for one in mine)

    def place(row: tuple[ShownSubmission, int]) -> float:
        one, panel = row
        if ranked:
            return float("inf") if one.rank is None else one.rank
        told = one.pairs.get(panels[panel].key)
        if told is None or told.value is None:
            return float("inf")
        return -coarsen(told.value)

    rows = [(one, panel) for one in mine for panel in shown]
    return [(one.nth, panel) for one, panel in sorted(rows, key=place)]
