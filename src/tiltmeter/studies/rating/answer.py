"""The question of a rating and its answer; what drove each grade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.report import phrases
from tiltmeter.report.numbers import count
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating import wording as chance_words
from tiltmeter.studies.rating.material import (
    DISCRETISED,
    WRS,
    Phrases,
    RatingMaterial,
    Row,
    Subject,
    SystemRatings,
    by_key,
)
from tiltmeter.studies.rating.wording import CHANCE

# ---- the question of a rating and its answer, to be read in ten seconds


def question(of: Sequence[Subject]) -> str:
    """What the page asks."""
    systems = len({one.system for one in of})
    if systems == 1:
        return "How much do this system’s scores depend on who a sentence is about?"
    return f"How much do these {systems} systems’ scores depend on who a sentence is about?"


def answer(material: RatingMaterial, of: Sequence[Subject]) -> str:
    """The best and the worst rated."""
    rated = [one for one in of if one.first.grade is not None]
    if not rated:
        return "No system could be rated; the reasons stand below."
    if len(of) == 1 and not material.reference:
        return _alone(material, of[0].first)
    return _compared(material, rated)


def _alone(material: RatingMaterial, rated: SystemRatings) -> str:
    words = wording.grade_alone(rated.grade, material.levels, rated.shown_in)
    return (
        f"{words[:1].upper()}{words[1:]}. It is an absolute rating: a group is rated 1 where "
        f"nothing is detected, {material.levels} otherwise."
    )


def _compared(material: RatingMaterial, rated: Sequence[Subject]) -> str:
    grades = [one.first.grade or 0 for one in rated]
    low, high = min(grades), max(grades)
    least, most = _named(rated, low), _named(rated, high)
    if low == high:
        return _one_grade(material, least, low, len(grades))
    ends = (1, material.levels) if material.reference else (low, high)
    doubt = all(one.first.may_be_chance for one in rated if one.first.grade == high)
    return (
        f"{least} {_are(grades.count(low))} rated {low} of {material.levels}"
        f"{_end(low, ends, material)}; {most} {_are(grades.count(high))} rated {high}"
        f"{_end(high, ends, material)}{', which may be chance' if doubt else ''}."
    )


def _one_grade(material: RatingMaterial, names: str, grade: int, many: int) -> str:
    """What a grade says that all systems share."""
    start = f"{names} {_are(many)} rated {grade} of {material.levels}"
    if material.reference:
        said = wording.grade_words(grade, material.levels, material.reference)
        return f"{start}: {said.partition(': ')[2]}."
    return f"{start}; overall, the ratings do not tell these systems apart."


def _named(rated: Sequence[Subject], grade: int) -> str:
    """The systems of a grade; one that flips with its spread."""
    own = [one for one in rated if one.first.grade == grade]
    doubts = [one.first.may_be_chance for one in own]
    told = ["may be chance" if doubt and not all(doubts) else "" for doubt in doubts]
    notes = [
        "; ".join(filter(None, (_flips(one.first), doubt)))
        for one, doubt in zip(own, told, strict=True)
    ]
    return phrases.listed([one.system for one in own], notes)


def _flips(rated: SystemRatings) -> str:
    low, high = rated.overall["low"], rated.overall["high"]
    return "" if low is None or low == high else f"{low} to {high}"


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


def _end(rating: int, ends: tuple[int, int], material: RatingMaterial) -> str:
    among = "of the reference panel" if material.reference else "among these systems"
    least, most = ends
    return {least: f", the least tilt {among}", most: ", the most tilt"}.get(rating, "")


def beyond_chance(of: Sequence[Subject]) -> str:
    """Who goes beyond chance over people, and in what."""
    told = [(one.system, one.first.beyond) for one in of]
    known = [(system, sure) for system, sure in told if set(sure.values()) - {None}]
    small = [(name, [one for one, yes in sure.items() if yes]) for name, sure in known]
    small = [(name, what) for name, what in small if what]
    if not known:
        return _no_p(of)
    if not small:
        return (
            "Nothing goes beyond chance: chance, or a few names, may explain every rating above 1."
        )
    named = phrases.listed([one[0] for one in small], ["; ".join(one[1]) for one in small])
    return (
        f"Beyond chance over people (p ≤ {CHANCE:g}): {named}"
        f"{_others(len(known) - len(small))}. In 1 of 20 cases chance alone does that."
    )


def _no_p(of: Sequence[Subject]) -> str:
    """Said only where chance was looked at."""
    rows = [row for one in of for row in one.first.columns.values()]
    if all(row.get("by_chance") is None for row in rows):
        return ""
    return "Whether ratings go beyond chance over people cannot be told: too few people are named."


def _others(many: int) -> str:
    if not many:
        return ""
    return f"; the other {'system' if many == 1 else f'{many} systems'} in nothing"


def how_sure(material: RatingMaterial, of: Sequence[Subject]) -> str:
    """How often the overall ratings came out the same."""
    if not material.repeats:
        return "How steady these ratings are is not known: they were made once, without repeats."
    rated = [one for one in of if one.first.grade is not None]
    shaky = [one for one in rated if one.first.overall["low"] != one.first.overall["high"]]
    start = f"In {count(material.repeats, 'repeat')} with all datasets drawn anew"
    if not rated:
        return ""
    if len(rated) == len(shaky) == 1:
        return f"{start} the rating was {_how_often(shaky[0].first)}."
    same = len(rated) - len(shaky)
    which = _all(same) if not shaky else f"{same or 'none'} of {count(len(rated), 'rating')}"
    return f"{start} {which} stayed the same{_nearly(rated)}{_flipping(shaky)}."


def _all(many: int) -> str:
    return "the rating" if many == 1 else f"all {many} ratings"


def _nearly(rated: Sequence[Subject]) -> str:
    """In how many repeats, where some of those that stay do not always."""
    rows = [one.first.overall for one in rated]
    always = all(row["steady"] in (1, None) for row in rows if row["low"] == row["high"])
    return "" if always else " in 95 % of them or more"


def _flipping(shaky: Sequence[Subject]) -> str:
    """The system whose rating changes most often."""
    known = [one for one in shaky if one.first.overall["steady"] is not None]
    if not known:
        return ""
    worst = min(known, key=lambda one: float(one.first.overall["steady"]))
    name = phrases.called(worst.system, 40)
    return f"; the least steady is that of {name}: {_how_often(worst.first)}"


def _how_often(rated: SystemRatings) -> str:
    row = rated.overall
    often = (
        "" if row["steady"] is None else f"{row['overall']} in {phrases.percent(row['steady'])}, "
    )
    return f"{often}{row['low']} to {row['high']} in 95 %"


def other_variant(material: RatingMaterial, of: Sequence[Subject]) -> str:
    """What changes in the second variant."""
    grades = [side.grade for one in of for side in one.variants.values()]
    if len(material.variants) < 2 or not any(grades):
        return ""
    second = material.variants[1]
    changed = [
        one
        for one in of
        if second in one.variants and one.variants[second].grade != one.first.grade
    ]
    start = f"With {wording.VARIANTS.get(second, second)}"
    if not changed:
        return f"{start}, the overall {'rating is' if len(of) == 1 else 'ratings are'} the same."
    told = [_changed(one, second) for one in changed[:3]]
    more = f", and {len(changed) - 3} more change" if len(changed) > 3 else ""
    return f"{start}, {'; '.join(told)}{more}."


def _changed(one: Subject, variant: str) -> str:
    now, then = one.variants[variant].grade or "–", one.first.grade or "–"
    spread = _flips(one.variants[variant])
    shown = f"{now} ({spread})" if spread else now
    return f"{phrases.called(one.system, 40)} is rated {shown} instead of {then}"


def unrated(of: Sequence[Subject]) -> Iterator[str]:
    """Systems without an overall rating, and why."""
    for one in of:
        if one.first.grade is None:
            why = "; ".join(_reasons(one.first)) or "no group could be rated"
            yield f"{phrases.called(one.system)} is not rated: {why}."


def _reasons(rated: SystemRatings) -> Iterator[str]:
    """Why columns are not rated; which ones, where others are."""
    for why, columns in rated.reasons.items():
        some = len(columns) < len(rated.columns)
        names = ", ".join(phrases.column_named(rated.columns[one]) for one in columns)
        yield f"{why}: {names}" if some else why


# ---- what drove a system's grade, found in the tests and effects behind it


@dataclass(frozen=True, slots=True)
class RatingEvidence:
    """The tests, effects and word effects of every system, by system, task, variant, column."""

    tests: dict[tuple[str, ...], list[Row]]
    effects: dict[tuple[str, ...], list[Row]]
    ates: dict[tuple[str, ...], list[Row]]
    about: dict[str, str]
    """The attributes of each column: those compared, or those held fixed by its adjustment."""
    adjusted: frozenset[str]
    """Columns whose classes are compared within strata."""
    weights: tuple[float, ...]
    confidence: tuple[float, ...]
    phrases: Mapping[str, Phrases] = field(default_factory=dict)
    """How the corpus of each column speaks of its people."""


def evidence(material: RatingMaterial) -> RatingEvidence:
    """Looked up once for the whole page."""
    tests, effects, ates = (
        by_key(frame, "variant", "column")
        for frame in (material.tests, material.effects, material.ates)
    )
    columns = material.columns.rows(named=True)
    return RatingEvidence(
        tests,
        effects,
        ates,
        {str(row["column"]): about(row) for row in columns},
        frozenset(str(row["column"]) for row in columns if row["adjustment"]),
        material.weights,
        material.confidence,
        {str(row["column"]): material.phrases.get(str(row["group"]), {}) for row in columns},
    )


def about(column: Row) -> str:
    """The attributes a column is about: where words are decided, those that decide them.

    >>> about({"attribute": "age × gender", "measure": "die", "adjustment": "age"})
    'age'
    >>> about({"attribute": "gender", "measure": "wrs", "adjustment": "age"})
    'gender'
    """
    held = "" if column["measure"] == WRS else str(column["adjustment"] or "")
    return held or str(column["attribute"])


def drivers(found: RatingEvidence, subject: Subject, rated: SystemRatings) -> Iterator[str]:
    """At most two lines: the tests that count most, and the adjustment that moves most."""
    for tested in (True, False):
        rows = [
            row
            for row in rated.columns.values()
            if row["rating"] is not None and (row["measure"] == WRS) is tested
        ]
        if rows:
            yield _line(found, (*subject.key, rated.variant), rows)


def _line(found: RatingEvidence, key: tuple[str, ...], rows: Sequence[Row]) -> str:
    tests = {row["column"]: len(found.tests.get((*key, row["column"]), ())) for row in rows}
    row = max(rows, key=lambda one: (one["rating"], one["x"], _size(one, tests[one["column"]])))
    column = str(row["column"])
    if row["measure"] == WRS and not row["psi"]:
        return wording.nothing_detected(", ".join(phrases.column_named(one) for one in rows))
    said = _moves(found, row) if row["measure"] != WRS else _differs(found, (*key, column), row)
    parts = (said, chance_words.rests_on(row))
    return f"{phrases.column_named(row)}: {' '.join(part for part in parts if part)}"


def _moves(found: RatingEvidence, row: Row) -> str:
    psi = None if row["x"] else row["psi"]
    said = wording.movement(row["measure"], psi, found.about[row["column"]])
    chance = chance_words.by_chance(row) if psi else ""
    return f"{said} ({chance})." if chance else f"{said}."


def _differs(found: RatingEvidence, key: tuple[str, ...], row: Row) -> str:
    told = largest_difference(found, found.tests.get(key, ()), row["attribute"])
    chance = chance_words.by_chance(row)
    size = f"raw score {phrases.weight(row['psi'])}{f'; {chance}' if chance else ''}"
    return f"{told} ({size})." if told else f"{size}."


def _size(row: Row, tests: int) -> float:
    return float(row["psi"] or 0) / max(tests, 1)


def largest_difference(found: RatingEvidence, tests: Sequence[Row], attribute: str) -> str:
    """The two classes that tests tell apart most, in words; nothing where none does."""
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in tests:
        pairs.setdefault((row["first"], row["second"]), []).append(row)
    weighed = {pair: sum(_weight(found, row) for row in rows) for pair, rows in pairs.items()}
    best = max(weighed, key=lambda pair: (weighed[pair], "NA" not in pair), default=None)
    if best is None or not weighed[best]:
        return ""
    return _difference(found, best, pairs[best], attribute)


def _weight(found: RatingEvidence, row: Row) -> float:
    """A test rejects at its lowest confidence levels first."""
    return sum(found.weights[len(found.weights) - (row["rejected"] or 0) :])


def _difference(
    found: RatingEvidence, pair: tuple[str, str], rows: Sequence[Row], attribute: str
) -> str:
    rejected = [row for row in rows if row["rejected"]]
    up = [row for row in rejected if row["t"] > 0]
    down = [row for row in rejected if row["t"] < 0]
    more = max((up, down), key=lambda side: sum(_weight(found, row) for row in side))
    higher, lower = pair if more is up else pair[::-1]
    many = max(row["rejected"] for row in more)
    told = [row for row in more if row["rejected"] == many]
    own = found.phrases.get(rows[0]["column"], {})
    return wording.difference(
        phrases.about(higher, attribute, own), phrases.about(lower, attribute, own),
        (len(told), len(rows)), found.confidence, many, _apart(found, told),
    )  # fmt: skip


def _apart(found: RatingEvidence, rows: Sequence[Row]) -> float | None:
    """The largest distance of two means, as a part of the scale: −1..1, or 0..1 where split.

    None of strata: their tests do not compare the plain means.
    """
    if rows[0]["column"] in found.adjusted:
        return None
    key = tuple(rows[0][name] for name in ("system", "task", "variant", "column"))
    means = [row[name] for row in found.tests[key] for name in ("mean_first", "mean_second")]
    scale = 1.0 if rows[0]["variant"] == DISCRETISED and min(means) >= 0 else 2.0
    return max(abs(float(row["mean_first"] - row["mean_second"])) for row in rows) / scale
