"""Every sentence of a rating, once for page and labels; WORDS.md governs.

A rating is relative and counts rejections, many of them by chance. What may be chance is shown as
such wherever a rating is: it does not stand as high as what is beyond chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from tiltmeter.report.numbers import count, p_value, points
from tiltmeter.report.phrases import attributes, called, moved, percent, spoken, weight

CHANCE = 0.05
"""How often chance may reach what is called beyond chance."""
DOUBT = "?"
"""Stands after a rating that may be chance."""
MIDDLE = 0.5
"""A share of permutations that is no less than usual."""
VARIANTS = {
    "continuous": "scores as given",
    "discretised": "scores only as 1 or 0, split at 0",
}
SHORT_VARIANTS = {"continuous": "scores as given", "discretised": "scores split at 0"}
SAME_WORDS, UNEVEN_WORDS = "the same words with everybody", "words dealt unevenly"
"""How a group gives words to people; where unevenly, who is mentioned decides the words."""
BY_NAME = "3"
"""The paper's group whose people are known by name: G1 is about gender alone too, without names."""
MOVED = {"die": ("means", "a mean of 0"), "ate": ("word effects", "a word effect of 0")}
SKILL = "How well the system reads sentiment is not part of this rating."


class ArrowKind(StrEnum):
    """What is known of an arrow of a causal diagram."""

    FOUND = "found"
    SOME = "some"
    NONE = "none"
    WANTED = "wanted"
    DECIDES = "decides"
    OPEN = "open"


def column_words(row: Mapping[str, Any]) -> str:
    """What a column of the rating table is about, in words; its code says nothing to a reader.

    >>> column_words({"attribute": "gender", "measure": "wrs", "group": "1"})
    'gender alone'
    >>> column_words({"attribute": "gender", "measure": "wrs", "group": "3"})
    'gender alone by name'
    >>> column_words({"attribute": "race × gender", "measure": "wrs"})
    'race and gender together'
    >>> column_words({"attribute": "gender", "measure": "die"})
    'gender with words dealt unevenly'
    """
    said = spoken(str(row["attribute"]))
    if row["measure"] != "wrs":
        return f"{said} with {UNEVEN_WORDS}"
    if len(attributes(str(row["attribute"]))) > 1:
        return f"{said} together"
    named = row.get("group") == BY_NAME and said == "gender"
    return f"{said} alone{' by name' if named else ''}"


def column_named(row: Mapping[str, Any]) -> str:
    """A column in a sentence: in words, then its code as the paper's tables have it.

    >>> column_named({"column": "G3-R", "attribute": "race", "measure": "wrs"})
    'race alone (G3-R)'
    """
    return f"{column_words(row)} ({row['column']})"


def group_words(columns: Sequence[Mapping[str, Any]]) -> str:
    """What a group of datasets is about, in words.

    >>> rows = [{"attribute": one, "measure": "wrs"} for one in ("race", "gender", "race × gender")]
    >>> group_words(rows), group_words([{"attribute": "gender", "measure": "die"}])
    ('Race and gender, the same words with everybody', 'Gender, words dealt unevenly')
    """
    parts = dict.fromkeys(part for row in columns for part in attributes(str(row["attribute"])))
    said = spoken(" and ".join(parts))
    dealt = UNEVEN_WORDS if columns[0]["measure"] != "wrs" else SAME_WORDS
    return f"{said[:1].upper()}{said[1:]}, {dealt}"


def may_be_chance(row: Mapping[str, Any]) -> bool:
    """Whether a column's rating above 1 has no small p over people behind it."""
    p = row.get("p")
    return p is not None and p > CHANCE and (row["rating"] or 1) > 1


def attributes_beyond(rows: Iterable[Mapping[str, Any]], repeats: int) -> dict[str, bool | None]:
    """By attribute in words: whether it goes beyond chance over people; None where nobody can tell.

    An attribute with several columns has as many p: the smallest counts times their number
    (Bonferroni), so that one that does nothing is called beyond chance in 1 of 20 cases at most.

    >>> rows = [{"attribute": "gender", "rating": 3, "p": 0.005},
    ...         {"attribute": "gender", "rating": 1, "p": 0.4},
    ...         {"attribute": "race", "rating": 3, "p": 1.0}]
    >>> attributes_beyond(rows, 200)
    {'gender': True, 'race': False}
    """
    found: dict[str, list[float | None]] = {}
    for row in rows:
        if row["rating"] is not None:
            found.setdefault(spoken(str(row["attribute"])), []).append(row.get("p"))

    def beyond(ps: Sequence[float | None]) -> bool | None:
        known = [p for p in ps if p is not None]
        if not known or len(known) > CHANCE * (repeats + 1):  # the smallest p there can be
            return None
        return min(known) * len(known) <= CHANCE

    return {attribute: beyond(ps) for attribute, ps in found.items()}


def beyond_words(beyond: Mapping[str, bool | None]) -> str:
    """What goes beyond chance, attribute by attribute.

    >>> beyond_words({"gender": True, "race": False})
    'gender: beyond chance; race: not'
    >>> beyond_words({"gender": False, "race": False}), beyond_words({"gender": None})
    ('nothing beyond chance', 'whether beyond chance is not known')
    """
    known = {one: sure for one, sure in beyond.items() if sure is not None}
    if not known:
        return "whether beyond chance is not known"
    if not any(known.values()):
        return "nothing beyond chance"
    words = {True: "beyond chance", False: "not", None: "not known"}
    return "; ".join(f"{one}: {words[sure]}" for one, sure in beyond.items())


def axes_beyond(beyond: Mapping[str, bool | None]) -> str:
    """The attributes that go beyond chance; several together only where none of them does alone.

    >>> axes_beyond({"gender": True, "race": False, "race and gender": True})
    'gender'
    >>> axes_beyond({"gender": False, "race": False, "race and gender": True})
    'race and gender together'
    """
    sure = [axis for axis, yes in beyond.items() if yes]
    single = [axis for axis in sure if len(attributes(axis)) == 1]
    together = [
        f"{axis} together" for axis in sure if axis not in single
        and not set(attributes(axis)) & set(single)
    ]  # fmt: skip
    return (
        spoken(" and ".join(single))
        if single and not together
        else " and ".join([*single, *together])
    )


def by_chance(row: Mapping[str, Any]) -> str:
    """The middle ψ with sentences grouped by chance, and p with people grouped by chance.

    >>> by_chance({"measure": "wrs", "by_chance": 3.4, "p": 0.21})
    '3.4 by chance; p = 0.21 over people'
    >>> by_chance({"measure": "die", "by_chance": 12.2, "p": None})
    '12 % by chance'
    """
    middle, p = _chance(row)
    parts = [f"{middle} by chance" if middle else "", f"{p} over people" if p else ""]
    return "; ".join(filter(None, parts))


def chance_below(row: Mapping[str, Any]) -> str:
    """The same where a table says what stands below.

    >>> chance_below({"measure": "wrs", "by_chance": 3.4, "p": 0.21})
    '3.4; p = 0.21'
    """
    return "; ".join(filter(None, _chance(row)))


def _chance(row: Mapping[str, Any]) -> tuple[str, str]:
    """The middle ψ by chance and p, each empty where it is not known or there is no ψ."""
    if not row.get("x") and row.get("psi", 0) is None:
        return "", ""
    middle, p = row.get("by_chance"), row.get("p")
    size = "" if middle is None else _psi(row, middle)
    return size, "" if p is None else p_value(p)


def _psi(row: Mapping[str, Any], psi: float) -> str:
    return weight(psi) if row["measure"] == "wrs" else moved(psi)


def arrow_kind(row: Mapping[str, Any]) -> ArrowKind:
    """Whether a result goes beyond chance: found, some or none, as arrows are marked.

    Found where p over people is at most 0.05 or nothing is known of chance; none where ψ is no
    larger than the middle ψ by chance, or classes stand as far apart in half of all permutations.

    >>> arrow_kind({"psi": 300.0, "x": False, "by_chance": 76.0, "p": 0.005})
    <ArrowKind.FOUND: 'found'>
    >>> arrow_kind({"psi": 17.0, "x": False, "by_chance": 9.1, "p": 0.2})
    <ArrowKind.SOME: 'some'>
    >>> arrow_kind({"psi": 17.0, "x": False, "by_chance": 9.1, "p": 1.0})
    <ArrowKind.NONE: 'none'>
    >>> arrow_kind({"psi": 5.5, "x": False, "by_chance": 12.0, "p": None})
    <ArrowKind.NONE: 'none'>
    """
    psi, p, middle = row["psi"], row.get("p"), row.get("by_chance")
    if not psi and not row["x"]:
        return ArrowKind.NONE
    if (p is None and middle is None) or (p is not None and p <= CHANCE):
        return ArrowKind.FOUND
    often = p is not None and p >= MIDDLE
    usual = middle is not None and psi is not None and psi <= middle
    return ArrowKind.NONE if often or usual else ArrowKind.SOME


def in_brackets(row: Mapping[str, Any]) -> str:
    """What chance would give, after a result; nothing where it is not known.

    >>> in_brackets({"measure": "die", "by_chance": 12.2, "p": 0.3}), in_brackets({})
    (' (12 % by chance; p = 0.3 over people)', '')
    >>> in_brackets({"measure": "wrs", "psi": 24.0, "by_chance": 7.8})
    ' (raw score 24; 7.8 by chance)'
    """
    chance = by_chance(row)
    size = f"raw score {weight(row['psi'])}; " if chance and row["measure"] == "wrs" else ""
    return f" ({size}{chance})" if chance else ""


def rests_on(row: Mapping[str, Any]) -> str:
    """Whom half of ψ or more depends on; nothing where it rests on nobody.

    >>> rests_on({"measure": "wrs", "psi": 9.6, "rests_on": "Latisha", "without": 0.0})
    'It rests on sentences with “Latisha”: without them the raw score would be 0, not 9.6.'
    """
    who, left, psi = row.get("rests_on"), row.get("without"), row.get("psi")
    if not who or left is None or not psi or left > psi / 2:
        return ""
    return (
        f"It rests on sentences with “{called(str(who), 40)}”: without them the raw score would be "
        f"{_psi(row, left)}, not {_psi(row, psi)}."
    )


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


def shares(own: Mapping[int, float]) -> str:
    """Ratings and how often each came up, in a line.

    >>> shares({2: 0.29, 1: 0.71})
    '1: 71 %, 2: 29 %'
    """
    return ", ".join(f"{rating}: {percent(own[rating])}" for rating in sorted(own))


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

    >>> nothing_detected("gender alone (G1)")
    'gender alone (G1): no difference detected in any word set.'
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
