"""The question of a rating, its answer to be read in ten seconds, what drove each grade, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.ranking import coarsen
from tiltmeter.report import phrases
from tiltmeter.report.numbers import count
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.grades import DISCRETISED, READABLE
from tiltmeter.studies.rating.groups import Measure
from tiltmeter.studies.rating.study import Ratings, Row, SystemRatings


def question(study: Ratings) -> str:
    """What the page asks."""
    systems = len({one.system for one in study.systems})
    if systems == 1:
        return "How much do this system’s scores depend on who is mentioned?"
    return f"How much do {systems} systems’ scores depend on who is mentioned?"


def answer(study: Ratings) -> str:
    """The best and the worst rated; one that flips with its spread."""
    rated = [one for one in study.systems if one.first.grade is not None]
    if not rated:
        return "No system could be rated; the reasons stand below."
    if study.alone:
        words = wording.grade_alone(rated[0].first.grade, study.levels, rated[0].first.detected_in)
        return (
            f"{words[:1].upper()}{words[1:]}. It is an absolute rating: a group is rated 1 where "
            f"nothing is detected, {study.levels} otherwise."
        )

    def rated_as(grade: int) -> str:
        own = [one.first for one in rated if one.first.grade == grade]
        doubts = [one.may_be_chance for one in own]
        chance = ["may be chance" if doubt and not all(doubts) else "" for doubt in doubts]
        notes = ["; ".join(filter(None, (one.span, doubt)))
                 for one, doubt in zip(own, chance, strict=True)]  # fmt: skip
        names = phrases.listed([one.overall["system"] for one in own], notes)
        return f"{names} {'is' if len(own) == 1 else 'are'} rated {grade}"

    grades = [one.first.grade or 0 for one in rated]
    low, high = min(grades), max(grades)
    if low == high:
        start = f"{rated_as(low)} of {study.levels}"
        if study.reference:
            said = wording.grade_words(low, study.levels, study.reference)
            return f"{start}: {said.partition(': ')[2]}."
        return f"{start}; overall, the ratings do not tell these systems apart."
    least, most = (1, study.levels) if study.reference else (low, high)
    among = "of the reference panel" if study.reference else "among these systems"
    ends = {least: f", the least tilt {among}", most: ", the most tilt"}
    doubt = all(one.first.may_be_chance for one in rated if one.first.grade == high)
    return (
        f"{rated_as(low)} of {study.levels}{ends.get(low, '')}; "
        f"{rated_as(high)}{ends.get(high, '')}{', which may be chance' if doubt else ''}."
    )


def beyond_chance(study: Ratings) -> str:
    """Who goes beyond chance over people, and in what; nothing of one system by itself."""
    if study.alone:
        return ""
    beyond = [(one.system, one.first.beyond) for one in study.systems]
    known = [(system, sure) for system, sure in beyond if set(sure.values()) - {None}]
    if not known:
        rows = [row for one in study.systems for row in one.first.columns.values()]
        if all(row.get("by_chance") is None for row in rows):  # chance was not looked at
            return ""
        return (
            "Whether ratings go beyond chance over people cannot be told: too few people are named."
        )
    found = [(name, [one for one, yes in sure.items() if yes]) for name, sure in known]
    found = [(name, what) for name, what in found if what]
    if not found:
        return (
            "Nothing goes beyond chance: chance, or a few names, may explain every rating above 1."
        )
    named = phrases.listed([one[0] for one in found], ["; ".join(one[1]) for one in found])
    many = len(known) - len(found)
    others = f"; the other {'system' if many == 1 else f'{many} systems'} in nothing"
    return (
        f"Beyond chance over people (p ≤ {wording.CHANCE:g}): {named}{others if many else ''}. "
        "In 1 of 20 cases chance alone does that."
    )


def how_sure(study: Ratings) -> str:
    """How often the overall ratings came out the same; the one that changes most often."""
    if not study.repeats:
        return "How steady these ratings are is not known: they were made once, without repeats."
    rated = [one.first for one in study.systems if one.first.grade is not None]
    shaky = [one for one in rated if one.overall["low"] != one.overall["high"]]
    if not rated:
        return ""
    start = f"In {count(study.repeats, 'repeat')} with all datasets drawn anew"
    if len(rated) == len(shaky) == 1:
        return f"{start} the rating was {_how_often(shaky[0])}."
    same = len(rated) - len(shaky)
    which = f"{same or 'none'} of {count(len(rated), 'rating')}"
    if not shaky:
        which = "the rating" if same == 1 else f"all {same} ratings"
    always = all(
        one.overall["steady"] in (1, None)
        for one in rated
        if one.overall["low"] == one.overall["high"]
    )
    said = f"{start} {which} stayed the same{'' if always else ' in 95 % of them or more'}"
    known = [one for one in shaky if one.overall["steady"] is not None]
    if not known:
        return f"{said}."
    worst = min(known, key=lambda one: (coarsen(one.overall["steady"]), one.overall["system"]))
    name = phrases.called(worst.overall["system"], 40)
    return f"{said}; the least steady is that of {name}: {_how_often(worst)}."


def _how_often(rated: SystemRatings) -> str:
    row = rated.overall
    steady = row["steady"]
    often = "" if steady is None else f"{row['overall']} in {phrases.percent(steady)}, "
    return f"{often}{row['low']} to {row['high']} in 95 %"


def other_variant(study: Ratings) -> str:
    """What changes in the second variant."""
    grades = [side.grade for one in study.systems for side in one.variants.values()]
    if len(study.variants) < 2 or not any(grades):
        return ""
    second = study.variants[1]
    changed = []
    for one in study.systems:
        if second in one.variants and one.variants[second].grade != one.first.grade:
            now, before = one.variants[second], one.first.grade or "–"
            shown = f"{now.grade or '–'} ({now.span})" if now.span else now.grade or "–"
            name = phrases.called(one.system, 40)
            changed.append(f"{name} is rated {shown} instead of {before}")
    start = f"With {wording.VARIANTS.get(second, second)}"
    if not changed:
        alike = "rating is" if len(study.systems) == 1 else "ratings are"
        return f"{start}, the overall {alike} the same."
    more = f", and {len(changed) - 3} more change" if len(changed) > 3 else ""
    return f"{start}, {'; '.join(changed[:3])}{more}."


def unrated(study: Ratings) -> Iterator[str]:
    """Systems without an overall rating, and why; which columns, where others are rated."""
    for one in study.systems:
        if one.first.grade is not None:
            continue
        reasons = []
        for why, columns in one.first.reasons.items():
            names = ", ".join(wording.column_named(one.first.columns[name]) for name in columns)
            some = len(columns) < len(one.first.columns)
            reasons.append(f"{why}: {names}" if some else why)
        why = "; ".join(reasons) or "no group could be rated"
        yield f"{phrases.called(one.system)} is not rated: {why}."


def about(column: Row) -> str:
    """The attributes a column is about: where words are decided, those that decide them.

    >>> about({"attribute": "age × gender", "measure": "die", "adjustment": "age"})
    'age'
    >>> about({"attribute": "gender", "measure": "wrs", "adjustment": "age"})
    'gender'
    """
    held = "" if column["measure"] == Measure.WRS else str(column["adjustment"] or "")
    return held or str(column["attribute"])


def explanations(study: Ratings, rated: SystemRatings) -> Iterator[str]:
    """At most two lines: the tests that count most, and the adjustment that moves most."""
    for tested in (True, False):
        rows = [
            row
            for row in rated.columns.values()
            if row["rating"] is not None and (row["measure"] == Measure.WRS) is tested
        ]
        if rows:
            yield _explanation(study, rated, rows)


def _explanation(study: Ratings, rated: SystemRatings, rows: Sequence[Row]) -> str:
    def size(row: Row) -> tuple[int, bool, float]:
        tests = max(len(rated.tests.get(row["column"], ())), 1)
        return row["rating"], row["x"], coarsen((row["psi"] or 0.0) / tests)

    row = max(rows, key=size)
    chance = wording.by_chance(row)
    if row["measure"] != Measure.WRS:
        psi = None if row["x"] else row["psi"]
        of = about(study.column_rows[row["column"]])
        said = wording.movement(row["measure"], psi, of)
        said += f" ({chance})." if chance and psi else "."
    elif not row["psi"]:
        return wording.nothing_detected(", ".join(map(wording.column_named, rows)))
    else:
        differs = largest_difference(study, rated.tests.get(row["column"], ()), row["attribute"])
        raw = f"raw score {phrases.weight(row['psi'])}{f'; {chance}' if chance else ''}"
        said = f"{differs} ({raw})." if differs else f"{raw}."
    parts = (said, wording.rests_on(row))
    return f"{wording.column_named(row)}: {' '.join(filter(None, parts))}"


def largest_difference(study: Ratings, tests: Sequence[Row], attribute: str) -> str:
    """The two classes that tests tell apart most, in words; nothing where none does."""
    weights = study.config.weights

    def weight(rows: Sequence[Row]) -> float:
        # A test rejects at its lowest confidence levels first.
        return coarsen(sum(sum(weights[len(weights) - (row["rejected"] or 0) :]) for row in rows))

    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in tests:
        pairs.setdefault((row["first"], row["second"]), []).append(row)
    best = max(pairs, key=lambda pair: (weight(pairs[pair]), "NA" not in pair), default=None)
    if best is None or not weight(pairs[best]):
        return ""
    rows = pairs[best]
    rejected = [row for row in rows if row["rejected"]]
    up = [row for row in rejected if row["t"] > 0]
    down = [row for row in rejected if row["t"] < 0]
    more = max((up, down), key=weight)
    higher, lower = best if more is up else best[::-1]
    many = max(row["rejected"] for row in more)
    strongest = [row for row in more if row["rejected"] == many]
    column = study.column_rows[rows[0]["column"]]
    apart = None  # of strata: their tests do not compare the plain means
    if not column["adjustment"]:
        # as a part of the scale: −1..1, or 0..1 where scores are split at 0
        means = [row[name] for row in tests for name in ("mean_first", "mean_second")]
        scale = 1.0 if rows[0]["variant"] == DISCRETISED and min(means) >= 0 else 2.0
        apart = max(abs(float(row["mean_first"] - row["mean_second"])) for row in strongest) / scale
    own = study.phrases.get(str(column["group"]), {})
    return wording.difference(
        phrases.about(higher, attribute, own), phrases.about(lower, attribute, own),
        (len(strongest), len(rows)), study.confidence, many, apart,
    )  # fmt: skip


# -------------------------------- what a reader should know beside the ratings

SHOWN = 3
"""Systems that a note names."""


def several(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def rating_notes(study: Ratings, *, against_panel: bool) -> Iterator[str]:
    """Levels, positivity, X, and systems that could not be rated."""
    systems = study.overall.filter(variant=study.overall["variant"][0])
    if study.levels > READABLE:
        what = f"{study.levels} rating levels: more than {READABLE} are hard to tell apart"
        yield f"{what} (Miller 1956); fewer read better"
    for (task,), those in systems.group_by("task", maintain_order=True):
        if 1 < those.height < study.levels and not against_panel:
            what = f"{those.height} systems of {task} and {study.levels} levels"
            yield f"{what}: at most {those.height} of the levels can be given, X aside"
    for attribute, said in study.columns.select("attribute", "about_na").rows():
        # what is wrong with a published number
        if said and study.config.published and attribute != "gender":
            yield f"{said}; so the paper counts, and --mode corrected leaves NA out of {attribute}"
    yield from _empty_cells(study.effects)
    undefined = study.raw.filter("x").group_by("column", "variant", maintain_order=True)
    for (_, variant), rows in undefined:
        scores = wording.SHORT_VARIANTS.get(str(variant), str(variant))
        where = f"{wording.column_named(rows.row(0, named=True))}, {scores}"
        named = several(rows["system"].to_list())
        yield f"{where}: X for {named}, a change over a mean of 0; X takes the worst rating"
    unrated: dict[tuple[str, str], dict[str, None]] = {}
    for row in study.raw.filter(pl.col("rating").is_null()).iter_rows(named=True):
        unrated.setdefault((row["system"], row["reason"]), {})[wording.column_named(row)] = None
    for (system, reason), columns in unrated.items():
        yield f"{system}: no rating for {several(list(columns))}: {reason}"


def _empty_cells(effects: pl.DataFrame) -> Iterator[str]:
    """Where positivity fails: nobody of a class has a word of a polarity, or no answer to one."""
    whose = effects.select("system", "task", "dataset").unique()
    many = dict(whose.group_by("dataset").len().rows())
    found = effects.filter(pl.col("empty") != "", pl.col("n") > 0)
    nobody = []
    for (dataset, polarity, empty), rows in found.group_by(
        "dataset", "polarity", "empty", maintain_order=True
    ):
        systems = rows.select("system", "task").unique(maintain_order=True)["system"]
        if len(systems) == many[dataset]:
            nobody.append(f"{polarity} in {dataset} ({empty})")
            continue
        named = several(list(dict.fromkeys(systems)))
        what = f"{dataset}: no answer of {named} to a {polarity} word of the class {empty}"
        yield f"{what}; means of {polarity} words are of the other classes, before and after"
    if nobody:
        what = "means before and after adjustment are of the other classes where nobody of a class"
        yield f"{what} is given a word: {'; '.join(nobody)}"
