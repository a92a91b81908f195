"""The question and the answer: one paragraph for each list, saying what may be claimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.report.embeddings.group_strip import apart
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rnsb_strip import beyond
from tiltmeter.report.embeddings.rows import Row, lists_of, parts_of, rows_of
from tiltmeter.report.embeddings.units import gap_told, p_told, per_cent, points_told, rnsb_told
from tiltmeter.report.numbers import count
from tiltmeter.report.ratings.phrases import called, listed

PAIRS = 3
"""Pairs of groups that an answer tells of; the section on the list has all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What may be claimed of one list."""

    title: str
    lead: str
    more: tuple[str, ...]


def polarity(material: EmbeddingMaterial) -> str:
    """The sentiment that is assessed."""
    return str(material.run.get("polarity") or "negative")


def question(material: EmbeddingMaterial) -> str:
    """What the page asks."""
    return f"Does {polarity(material)} sentiment fall evenly on these words for people?"


def answers(material: EmbeddingMaterial) -> list[Answer]:
    """An answer for each list."""
    return [_answer(material, of, title) for of, title in lists_of(material).items()]


def _answer(material: EmbeddingMaterial, of: str, title: str) -> Answer:
    rows = rows_of(material.rnsb, list=of)
    known = sorted(
        (row for row in rows if row["rnsb"] is not None), key=lambda row: -float(row["rnsb"])
    )
    if not known:
        every = "The one embedding is" if len(rows) == 1 else f"All {len(rows)} embeddings are"
        return Answer(title, f"Not known. {every} refused; why stands below.", ())
    refused = [str(row["embedding"]) for row in rows if row["rnsb"] is None]
    more = (_numbers(material, of, known), _words(material, of, known[0]), _refused(refused))
    pairs = [part for part in parts_of(material.groups, "list", "first", "second")
             if part[0][0] == of]  # fmt: skip
    said = [_groups(str(key[1]), str(key[2]), between) for key, between in pairs[:PAIRS]]
    lead, *rest = [*(claim for claim, _ in said), _claim(known)]
    details = [*(detail for _, detail in said), *rest, *more]
    return Answer(title, lead, tuple(filter(None, details)))


def _groups(first: str, second: str, rows: Sequence[Row]) -> tuple[str, str]:
    """Whether two groups of terms stand apart, in which embeddings, and how far."""
    found = [row for row in rows if apart(row)]
    between = f"between {called(first, 40)} and {called(second, 40)} terms was detected"
    if not found:
        several = "either embedding" if len(rows) == 2 else f"any of {len(rows)} embeddings"
        where = called(str(rows[0]["embedding"]), 40) if len(rows) == 1 else several
        return f"No difference {between} in {where}.", ""
    named = listed([str(row["embedding"]) for row in found])
    among = f"{len(found)} of {len(rows)} embeddings: " if len(rows) > 1 else ""
    most = max(found, key=lambda row: abs(row["difference"]))
    number, spread = points_told(abs(most["difference"]), *_turned(most))
    higher = first if most["difference"] > 0 else second
    return f"A difference {between} in {among}{named}.", (
        f"In {called(str(most['embedding']), 40)} {called(higher, 40)} terms stand {number} points "
        f"higher on average{f' ({spread})' if spread else ''}, {p_told(most['p_adjusted'])} "
        "corrected."
    )


def _turned(row: Row) -> tuple[float | None, float | None]:
    """The interval of the size of a difference."""
    low, high = row["low"], row["high"]
    if row["difference"] >= 0 or low is None or high is None:
        return low, high
    return -high, -low


def _refused(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} refused; why stands below."


def _claim(known: Sequence[Row]) -> str:
    """Whether terms go beyond ordinary words, and in which embeddings."""
    judged = {str(row["embedding"]): beyond(row) for row in known if row["p_adjusted"] is not None}
    more = [name for name, found in judged.items() if found]
    if not judged:
        most = called(str(known[0]["embedding"]), 40)
        only = len(known) == 1
        how = "Unevenly" if only else "Most unevenly"
        return f"{how} in {most}; how ordinary words fare is not known."
    if not more:
        where = f"in {called(next(iter(judged)), 40)}" if len(judged) == 1 else (
            f"in {'either' if len(judged) == 2 else f'any of {len(judged)}'} embedding"
            f"{'s' * (len(judged) > 2)}"
        )  # fmt: skip
        return f"No difference from ordinary words was detected {where}."
    among = f"{len(more)} of {count(len(judged), 'embedding')}: " if len(judged) > 1 else ""
    where = f"in {among}{listed(more)}"
    if len(more) == len(judged) > 1:
        where = f"in {'both' if len(more) == 2 else f'all {len(more)}'} embeddings"
    return f"More unevenly than on ordinary words drawn by chance {where}."


def _numbers(material: EmbeddingMaterial, of: str, known: Sequence[Row]) -> str:
    """The most and the least uneven, and whether the least is told apart from the next."""
    first, last = known[0], known[-1]
    if len(known) == 1:
        return f"{called(first['embedding'], 40)}: {told(first)}."
    apart = _apart(material, of, last, known[-2])
    most = f"Most in {called(first['embedding'], 40)}: RNSB {_number(first)}."
    least = f"Least in {called(last['embedding'], 40)}: {_number(last)}."
    return " ".join(filter(None, (most, least, apart)))


def _number(row: Row) -> str:
    """RNSB with its interval."""
    number, spread = rnsb_told(row["rnsb"], row["low"], row["high"])
    return f"{number} ({spread})" if spread else number


def told(row: Row) -> str:
    """RNSB with its interval, beside what ordinary words get."""
    beside = ""
    if row["even_low"] is not None and row["even_high"] is not None:
        _, mostly = rnsb_told(row["rnsb"], row["even_low"], row["even_high"])
        chance = (
            f" ({p_told(row['p_adjusted'])} corrected)" if row["p_adjusted"] is not None else ""
        )
        beside = f", ordinary words mostly {mostly}{chance}"
    return f"RNSB {_number(row)}{beside}"


def _apart(material: EmbeddingMaterial, of: str, lowest: Row, other: Row) -> str:
    """Whether the lowest is told apart from the next, on the terms both hold."""
    names = [other["embedding"], lowest["embedding"]]
    for row in rows_of(material.comparisons, list=of):
        if sorted((row["first"], row["second"])) == sorted(names) and row["difference"] is not None:
            turned = [row["first"], row["second"]] != names
            return _beside(row, turned, called(other["embedding"], 40))
    return ""


def _beside(row: Row, turned: bool, other: str) -> str:
    """How far another embedding stands above the lowest one; turned where it is named second."""
    value, low, high = row["difference"], row["low"], row["high"]
    if value == 0:
        return f"On the {row['n_terms']} terms both hold {other} has the same."
    if value < 0:  # its size, with the interval turned the same way
        low, high = (None if end is None else -end for end in (high, low))
    number, spread = gap_told(abs(value), low, high)
    way = "lower" if (-value if turned else value) < 0 else "higher"
    on = f"On the {row['n_terms']} terms both hold {other} stands {number} {way}"
    if low is None or high is None:
        return f"{on}; whether that is chance is not known."
    return f"{on} ({spread}): the two are {'' if low > 0 or high < 0 else 'not '}told apart."


def _words(material: EmbeddingMaterial, of: str, row: Row) -> str:
    """Which words get the largest and the smallest share."""
    shares = {
        term["term"]: term["share"]
        for term in rows_of(material.terms, list=of, embedding=row["embedding"])
        if term["share"] is not None
    }
    most, least = row["most"], row["least"]
    if most not in shares or least not in shares:
        return ""
    where = f"In {called(row['embedding'], 40)} the"
    return (
        f"{where} word “{called(most, 40)}” gets {per_cent(shares[most])} of the "
        f"{polarity(material)} sentiment of all {len(shares)} terms, “{called(least, 40)}” "
        f"{per_cent(shares[least])}; even would be {per_cent(1 / len(shares))}."
    )
