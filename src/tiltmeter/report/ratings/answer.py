"""The question of a rating and its answer, to be read in ten seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.report.numbers import count
from tiltmeter.report.ratings import phrases, wording
from tiltmeter.report.ratings.beyond import CHANCE
from tiltmeter.report.ratings.material import RatingMaterial
from tiltmeter.report.ratings.rated import Rated, Subject


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


def _alone(material: RatingMaterial, rated: Rated) -> str:
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


def _flips(rated: Rated) -> str:
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


def _how_often(rated: Rated) -> str:
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


def _reasons(rated: Rated) -> Iterator[str]:
    """Why columns are not rated; which ones, where others are."""
    for why, columns in rated.reasons.items():
        some = len(columns) < len(rated.columns)
        names = ", ".join(phrases.column_named(rated.columns[one]) for one in columns)
        yield f"{why}: {names}" if some else why
