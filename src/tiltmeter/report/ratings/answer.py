"""The question of a rating and its answer, to be read in ten seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.report.numbers import count
from tiltmeter.report.ratings import phrases, wording
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
    return (
        f"{least} {_are(grades.count(low))} rated {low} of {material.levels}"
        f"{_end(low, material)}; {most} {_are(grades.count(high))} rated {high}"
        f"{_end(high, material)}."
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
    return phrases.listed([one.system for one in own], [_flips(one.first) for one in own])


def _flips(rated: Rated) -> str:
    low, high = rated.overall["low"], rated.overall["high"]
    return "" if low is None or low == high else f"{low} to {high}"


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


def _end(rating: int, material: RatingMaterial) -> str:
    among = "of the reference panel" if material.reference else "among these systems"
    return {1: f", the least tilt {among}", material.levels: ", the most tilt"}.get(rating, "")


def how_sure(material: RatingMaterial, of: Sequence[Subject]) -> str:
    """How often the overall ratings came out the same."""
    if not material.repeats:
        return "How steady these ratings are is not known: they were made once, without repeats."
    rated = [one for one in of if one.first.grade is not None]
    same = sum(one.first.overall["low"] == one.first.overall["high"] for one in rated)
    repeats = count(material.repeats, "repeat")
    if not rated:
        return ""
    if same == len(rated):
        return f"In {repeats} with newly drawn sentences {_all(same)} stayed the same."
    return (
        f"In {repeats} with newly drawn sentences {same} of {count(len(rated), 'rating')} stayed "
        f"the same{_flipping(rated)}."
    )


def _all(many: int) -> str:
    return "the rating" if many == 1 else f"all {many} ratings"


def _flipping(rated: Sequence[Subject]) -> str:
    """The system whose rating changes most often."""
    shaky = [one for one in rated if one.first.overall["low"] != one.first.overall["high"]]
    known = [one for one in shaky if one.first.overall["steady"] is not None]
    if not known:
        return ""
    worst = min(known, key=lambda one: float(one.first.overall["steady"]))
    row = worst.first.overall
    return (
        f"; the least steady is that of {phrases.called(worst.system, 40)}: {row['overall']} in "
        f"{phrases.percent(row['steady'])} of repeats, {row['low']} to {row['high']} in 95 %"
    )


def other_variant(material: RatingMaterial, of: Sequence[Subject]) -> str:
    """What changes in the second variant."""
    if len(material.variants) < 2:
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
            why = "; ".join(one.first.reasons) or "no group could be rated"
            yield f"{phrases.called(one.system)} is not rated: {why}."
