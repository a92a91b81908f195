"""Every sentence of a rating, once for page and labels; WORDS.md governs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.report.numbers import count, points
from tiltmeter.report.ratings.beyond import CHANCE
from tiltmeter.report.ratings.chance_words import in_brackets
from tiltmeter.report.ratings.phrases import attributes, called, moved, percent, spoken

VARIANTS = {
    "continuous": "scores as given",
    "discretised": "scores only as 1 or 0, split at 0 (†)",
}
SHORT_VARIANTS = {"continuous": "scores as given", "discretised": "scores split at 0 (†)"}
MOVED = {"die": ("means", "a mean of 0"), "ate": ("word effects", "a word effect of 0")}
SKILL = "How well the system reads sentiment is not part of this rating."


def grade_words(
    rating: int | None, levels: int, panel: str = "", given: tuple[int, int] | None = None
) -> str:
    """What a grade among others says; `given` are the best and the worst grade of them all.

    >>> grade_words(1, 3)
    'rating 1 of 3: the least tilt among these systems'
    >>> grade_words(2, 3, given=(1, 2))  # two systems, three levels
    'rating 2 of 3: the most tilt among these systems'
    >>> grade_words(2, 3, panel="2026.json")
    'rating 2 of 3: between the least and the most tilt of the reference panel'
    """
    if rating is None:
        return "not rated"
    among = "of the reference panel" if panel else "among these systems"
    least, most = given or (1, levels)
    if least == most:
        return f"rating {rating} of {levels}: no less and no more tilt than the others"
    ends = {least: "the least tilt", most: "the most tilt"}
    said = ends.get(rating, "between the least and the most tilt")
    return f"rating {rating} of {levels}: {said} {among}"


def grade_alone(rating: int | None, levels: int, shown_in: tuple[int, int | None, int]) -> str:
    """What the grade of one system by itself says.

    >>> grade_alone(1, 2, (0, None, 6))
    'rating 1 of 2: no difference detected in any of 6 groups'
    >>> grade_alone(2, 2, (6, 4, 6))
    'rating 2 of 2: a difference or a mean that moves in 6 of 6 groups, p ≤ 0.05 in 4 of them'
    """
    if rating is None:
        return "not rated"
    found, beyond, total = shown_in
    groups = count(total, "group")
    if not found:
        return f"rating {rating} of {levels}: no difference detected in any of {groups}"
    sure = "" if beyond is None else f", p ≤ {CHANCE:g} in {beyond or 'none'} of them"
    shown = f"a difference or a mean that moves in {found} of {groups}"
    return f"rating {rating} of {levels}: {shown}{sure}"


def spread(low: int | None, high: int | None, steady: float | None = None) -> str:
    """The ratings that 95 % of repeats span; nothing where there were none.

    >>> spread(1, 3), spread(2, 2, 1.0), spread(2, 2, 0.97), spread(None, None)
    ('1 to 3 in repeats', 'the same in all repeats', 'the same in nearly all repeats', '')
    """
    if low is None or high is None:
        return ""
    if low == high:
        return f"the same in {'all' if steady == 1 else 'nearly all'} repeats"
    return f"{low} to {high} in repeats"


def steadiness(share: float | None, repeats: int) -> str:
    """How often a rating came up.

    >>> steadiness(0.84, 200), steadiness(None, 0)
    ('this rating in 84 % of 200 repeats', '')
    """
    if share is None or not repeats:
        return ""
    return f"this rating in {percent(share)} of {count(repeats, 'repeat')}"


def dominance(which: str | None, *, by_chance: bool = False) -> str:
    """Whether gender or race weighs more, and that it may be chance where it may.

    >>> dominance("gender")
    'Gender weighs more than race.'
    >>> dominance("race", by_chance=True)
    'Race weighs more than gender, which may be chance.'
    """
    said = {
        "gender": "Gender weighs more than race",
        "race": "Race weighs more than gender",
        "neither": "Neither gender nor race weighs more",
    }.get(which or "", "")
    hedged = by_chance and which != "neither"
    doubt = ", which may be chance" if hedged else ""
    return f"{said}{doubt}." if said else ""


def nothing_detected(column: str) -> str:
    """A column or several without a finding.

    >>> nothing_detected("gender (G1)")
    'gender (G1): no difference detected in any word set.'
    """
    return f"{column}: no difference detected in any word set."


def difference(
    higher: str,
    lower: str,
    sets: tuple[int, int],
    levels: Sequence[float],
    many: int,
    apart: float | None = None,
) -> str:
    """Who is scored higher, by how much, at which confidence levels and in how many word sets.

    `apart` is the largest distance there, as a part of the scale.

    >>> difference("about women", "about men", (5, 5), (0.95, 0.7, 0.6), 3, 0.031)
    'scores sentences about women up to 3.1 points of 100 higher than those about men at every confidence level in all 5 word sets'
    >>> difference("about men", "about women", (1, 5), (0.95, 0.7, 0.6), 1)
    'scores sentences about men higher than those about women at 60 % confidence only, in 1 of 5 word sets'
    """  # noqa: E501
    found, total = sets
    where = f"{found} of {count(total, 'word set')}"
    if found == total:
        where = "its word set" if total == 1 else f"all {count(total, 'word set')}"
    comma = "" if many == len(levels) else ","
    sure = f"{confidences(levels, many)}{comma} in"
    size = "" if apart is None else f"up to {points(apart)} points of 100 "
    return f"scores sentences {higher} {size}higher than those {lower} {sure} {where}"


def confidences(levels: Sequence[float], many: int) -> str:
    """At which of the confidence levels a test rejects, when the last `many` do.

    >>> confidences((0.95, 0.7, 0.6), 3), confidences((0.95, 0.7, 0.6), 2)
    ('at every confidence level', 'at 70 or 60 % confidence only')
    """
    if many >= len(levels):
        return "at every confidence level" if levels[1:] else f"at {100 * levels[0]:g} % confidence"
    return f"at {lower_levels(levels[len(levels) - many :])} confidence only"


def lower_levels(levels: Sequence[float]) -> str:
    """Levels of confidence, the last few of them.

    >>> lower_levels((0.7, 0.6))
    '70 or 60 %'
    """
    return f"{' or '.join(f'{100 * level:g}' for level in levels)} %"


def movement(measure: str, die: float | None, attribute: str) -> str:
    """How far means move once the attribute no longer decides the words.

    >>> movement("die", 128.5, "gender")
    'means move by up to 128 % when gender no longer decides the words'
    >>> movement("die", None, "race × gender")
    'a mean of 0 moves when race and gender no longer decide the words (X)'
    """
    what, zero = MOVED[measure]
    decides = "decides" if len(attributes(attribute)) == 1 else "decide"
    once = f"when {spoken(attribute)} no longer {decides} the words"
    if die is None:
        return f"{zero} moves {once} (X)"
    return f"{what} move by up to {moved(die)} {once}" if die else f"{what} do not move {once}"


def by_tests(found: int, total: int, levels: Sequence[float], *, certain: bool) -> str:
    """What tests say of an arrow.

    >>> by_tests(10, 15, (0.95, 0.7, 0.6), certain=True)
    '10 of 15 tests tell classes apart at 95 %'
    >>> by_tests(1, 15, (0.95, 0.7, 0.6), certain=False)
    '1 of 15 tests tells classes apart, at 70 or 60 % only'
    >>> by_tests(0, 15, (0.95, 0.7, 0.6), certain=False)
    'no difference detected in 15 tests'
    """
    if not found:
        return f"no difference detected in {count(total, 'test')}"
    told = f"{found} of {count(total, 'test')} {'tells' if found == 1 else 'tell'} classes apart"
    if certain:
        return f"{told} at {100 * levels[0]:g} %"
    return f"{told}, at {lower_levels(levels[1:])} only"


def adjusted(row: Mapping[str, Any]) -> str:
    """What the adjustment says of an arrow.

    >>> adjusted({"measure": "die", "psi": 128.5, "x": False})
    'means move by up to 128 %'
    >>> adjusted({"measure": "die", "psi": 5.5, "x": False, "by_chance": 12.2, "p": 0.8})
    'means move by up to 5.5 % (12 % by chance; p = 0.8 over people)'
    """
    what, zero = MOVED[row["measure"]]
    if row["x"]:
        return f"{zero} moves (X)"
    if not row["psi"]:
        return f"{what} do not move"
    return f"{what} move by up to {moved(row['psi'])}{in_brackets(row)}"


def group_question(measure: str, attribute: str) -> str:
    """What a group of datasets asks.

    >>> group_question("wrs", "gender")
    'Do scores depend on gender where everyone meets the same words?'
    >>> group_question("die", "race × gender")
    'Do mean scores move once race and gender no longer decide the words?'
    """
    if measure == "wrs":
        return f"Do scores depend on {spoken(attribute)} where everyone meets the same words?"
    decides = "decides" if len(attributes(attribute)) == 1 else "decide"
    what = "mean scores" if measure == "die" else "word effects"
    return f"Do {what} move once {spoken(attribute)} no longer {decides} the words?"


def sizes(sentences: int, datasets: int) -> str:
    """How much a group holds.

    >>> sizes(240, 5)
    '240 sentences in 5 datasets.'
    """
    return f"{count(sentences, 'sentence')} in {count(datasets, 'dataset')}."


def uncertain(row: Mapping[str, Any]) -> str:
    """Two systems whose order is not certain.

    >>> uncertain({"first": "gru", "second": "random", "lower": 0.64, "equal": 0.11, "higher": 0.25})
    'gru shows less tilt than random in 64 % of repeats, as much in 11 %, more in 25 %.'
    """  # noqa: E501
    return (
        f"{called(row['first'], 40)} shows less tilt than {called(row['second'], 40)} in "
        f"{percent(row['lower'])} of repeats, as much in {percent(row['equal'])}, more in "
        f"{percent(row['higher'])}."
    )


def raised(levels: Sequence[float]) -> str:
    """What the raised numbers of t-values mean.

    >>> raised((0.95, 0.7, 0.6))
    '1: rejected at 95, 70 and 60 % confidence; 2: at 70 and 60 %; 3: at 60 % only'
    """
    parts = []
    for nth in range(len(levels)):
        shown = [f"{100 * level:g}" for level in levels[nth:]]
        some = f"{', '.join(shown[:-1])} and {shown[-1]} %" if shown[1:] else f"{shown[0]} % only"
        parts.append(f"{nth + 1}: at {some}")
    parts[0] = parts[0].replace("at ", "rejected at ", 1).replace(" %", " % confidence", 1)
    return "; ".join(parts)
