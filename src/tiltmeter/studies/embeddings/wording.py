"""What a study of embeddings says: answers, refusals, notes, method, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.numbers import count
from tiltmeter.report.phrases import called, listed
from tiltmeter.studies.embeddings.forests import beyond, is_detected
from tiltmeter.studies.embeddings.numbers import (
    gap_texts,
    p_text,
    per_cent,
    points_texts,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of, rows_of

PAIRS = 3
"""Pairs of groups that an answer tells of; the section on the list has all."""


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """What may be claimed of one list."""

    title: str
    lead: str
    more: tuple[str, ...]


def question(study: Embeddings) -> str:
    """What the page asks."""
    return f"Does {study.polarity} sentiment fall evenly on these words for people?"


def answers(study: Embeddings) -> list[ListAnswer]:
    """An answer for each list."""
    return [_answer(study, of, title) for of, title in study.lists.items()]


def _answer(study: Embeddings, of: str, title: str) -> ListAnswer:
    rows = rows_of(study.rnsb, list=of)
    known = sorted(
        (row for row in rows if row["rnsb"] is not None), key=lambda row: -float(row["rnsb"])
    )
    if not known:
        every = "The one embedding is" if len(rows) == 1 else f"All {len(rows)} embeddings are"
        return ListAnswer(title, f"Not known. {every} refused; why stands below.", ())
    refused = [str(row["embedding"]) for row in rows if row["rnsb"] is None]
    more = (_numbers(study, of, known), _words(study, of, known[0]), _refused(refused))
    pairs = [part for part in parts_of(study.groups, "list", "first", "second")
             if part[0][0] == of]  # fmt: skip
    said = [_groups(str(key[1]), str(key[2]), between) for key, between in pairs[:PAIRS]]
    lead, *rest = [*(claim for claim, _ in said), _claim(known)]
    details = [*(detail for _, detail in said), *rest, *more]
    return ListAnswer(title, lead, tuple(filter(None, details)))


def _groups(first: str, second: str, rows: Sequence[Row]) -> tuple[str, str]:
    """Whether two groups of terms stand apart, in which embeddings, and how far."""
    found = [row for row in rows if is_detected(row)]
    between = f"between {called(first, 40)} and {called(second, 40)} terms was detected"
    if not found:
        several = "either embedding" if len(rows) == 2 else f"any of {len(rows)} embeddings"
        where = called(str(rows[0]["embedding"]), 40) if len(rows) == 1 else several
        return f"No difference {between} in {where}.", ""
    named = listed([str(row["embedding"]) for row in found])
    among = f"{len(found)} of {len(rows)} embeddings: " if len(rows) > 1 else ""
    most = max(found, key=lambda row: abs(row["difference"]))
    number, spread = points_texts(abs(most["difference"]), *_turned(most))
    higher = first if most["difference"] > 0 else second
    return f"A difference {between} in {among}{named}.", (
        f"In {called(str(most['embedding']), 40)} {called(higher, 40)} terms stand {number} points "
        f"higher on average{f' ({spread})' if spread else ''}, {p_text(most['p_adjusted'])} "
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


def _numbers(study: Embeddings, of: str, known: Sequence[Row]) -> str:
    """The most and the least uneven, and whether the least is told apart from the next."""
    first, last = known[0], known[-1]
    if len(known) == 1:
        return f"{called(first['embedding'], 40)}: {told(first)}."
    apart = _apart(study, of, last, known[-2])
    most = f"Most in {called(first['embedding'], 40)}: RNSB {_number(first)}."
    least = f"Least in {called(last['embedding'], 40)}: {_number(last)}."
    return " ".join(filter(None, (most, least, apart)))


def _number(row: Row) -> str:
    """RNSB with its interval."""
    number, spread = rnsb_texts(row["rnsb"], row["low"], row["high"])
    return f"{number} ({spread})" if spread else number


def told(row: Row) -> str:
    """RNSB with its interval, beside what ordinary words get."""
    beside = ""
    if row["even_low"] is not None and row["even_high"] is not None:
        _, mostly = rnsb_texts(row["rnsb"], row["even_low"], row["even_high"])
        chance = (
            f" ({p_text(row['p_adjusted'])} corrected)" if row["p_adjusted"] is not None else ""
        )
        beside = f", ordinary words mostly {mostly}{chance}"
    return f"RNSB {_number(row)}{beside}"


def _apart(study: Embeddings, of: str, lowest: Row, other: Row) -> str:
    """Whether the lowest is told apart from the next, on the terms both hold."""
    names = [other["embedding"], lowest["embedding"]]
    for row in rows_of(study.comparisons, list=of):
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
    number, spread = gap_texts(abs(value), low, high)
    way = "lower" if (-value if turned else value) < 0 else "higher"
    on = f"On the {row['n_terms']} terms both hold {other} stands {number} {way}"
    if low is None or high is None:
        return f"{on}; whether that is chance is not known."
    return f"{on} ({spread}): the two are {'' if low > 0 or high < 0 else 'not '}told apart."


def _words(study: Embeddings, of: str, row: Row) -> str:
    """Which words get the largest and the smallest share."""
    shares = {
        term["term"]: term["share"]
        for term in rows_of(study.terms, list=of, embedding=row["embedding"])
        if term["share"] is not None
    }
    most, least = row["most"], row["least"]
    if most not in shares or least not in shares:
        return ""
    where = f"In {called(row['embedding'], 40)} the"
    return (
        f"{where} word “{called(most, 40)}” gets {per_cent(shares[most])} of the "
        f"{study.polarity} sentiment of all {len(shares)} terms, “{called(least, 40)}” "
        f"{per_cent(shares[least])}; even would be {per_cent(1 / len(shares))}."
    )


BY_CLASSIFIER = (
    "An RNSB from a classifier that cannot tell good from bad words would measure noise. Give a "
    "lexicon in the language of the embedding, or a larger one, with --lexicon."
)
BY_TERMS = (
    "Leaving out so many terms would change the question. Give a list of terms that the embedding "
    "holds with --terms FILE.toml, or an embedding that holds these."
)


def refusals(study: Embeddings) -> Iterator[str]:
    """A sentence for each embedding or list without a number, and what to do about it."""
    broken = {row["embedding"]: row["reason"] for row in rows_of(study.classifiers)
              if row["reason"]}  # fmt: skip
    for reason, names in _alike((reason, name) for name, reason in broken.items()):
        yield f"{_who(names)} refused: {_ended(reason)} {BY_CLASSIFIER}"
    titles = study.lists
    rest = [row for row in rows_of(study.rnsb)
            if row["rnsb"] is None and row["embedding"] not in broken]  # fmt: skip
    whys = (((row["list"], row["reason"], _few(row)), row["embedding"]) for row in rest)
    for (of, reason, few), names in _alike(whys):
        where = f"{called(titles[of], 40)} in {listed(names)} is refused"
        why = _ended(str(reason or "no number could be had"))
        yield f"{where}: {why}{f' {BY_TERMS}' if few else ''}"


def _alike(found: Iterable[tuple[Any, str]]) -> Iterable[tuple[Any, list[str]]]:
    """The embeddings of each reason, so that it is told once."""
    names: dict[Any, list[str]] = {}
    for why, name in found:
        names.setdefault(why, []).append(name)
    return names.items()


def _few(row: Row) -> bool:
    return row["coverage"] is not None and row["coverage"] < 1


def _who(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


def _ended(reason: str) -> str:
    return reason if reason.endswith((".", "…")) else f"{reason}."


LEXICON = "lexicon: "
FALLEN_BACK = "lexicon: Hu & Liu's lists were not found"
"""How the note starts that says another lexicon was used than the paper's."""


def weighty_notes(study: Embeddings) -> list[str]:
    """Notes that may change what a reader makes of the numbers."""
    return [note for note in study.notes if not _is_small(note, study)]


def small_notes(study: Embeddings) -> list[str]:
    """The others: how the lexicon was read, what mitigation took out."""
    return [note for note in study.notes if _is_small(note, study)]


def _is_small(note: str, study: Embeddings) -> bool:
    if note.startswith(LEXICON):
        return not note.startswith(FALLEN_BACK)
    mended = study.mitigation.select("embedding", "direction").unique().iter_rows()
    return note.startswith(tuple(f"{name}, {direction}" for name, direction in mended))


MODES = {
    "corrected": "corrected: positive and negative words weigh the same (balanced classes), the "
    "ridge chosen by cross-validation, intervals and correlations over resamples of the lexicon",
    "published": "published, after the authors’ notebook: an intercept, C = 1, one seeded split of "
    "90 %, every word of the same weight, so that RNSB depends on how many negative words the "
    "lexicon lists for a positive one; products of probabilities instead of correlations",
}
FLOORS = "balanced accuracy on held-out words of at least 60 %, its interval above 50 %"


def facts(study: Embeddings) -> Iterator[tuple[str, str]]:
    """What determines the numbers, label by label."""
    run = study.run
    if run.get("mode"):
        yield "Mode", MODES.get(str(run["mode"]), str(run["mode"]))
    yield "Sentiment", str(run.get("polarity") or "negative")
    if run.get("lexicon"):
        yield "Lexicon", _data(run["lexicon"])
    for one in run.get("lists") or ():
        yield "List of terms", _data(one)
    yield "A classifier must have", FLOORS
    if isinstance(run.get("coverage"), int | float):
        yield "A list must have", f"{per_cent(float(run['coverage']))} of its terms, and at least 2"
    once = run.get("mode") == "published"
    for label, name in (
        ("Resamples of the lexicon", "" if once else "resamples"),
        ("Ordinary words to draw from", "" if once else "ordinary"),
        ("Draws of ordinary words", "" if once else "draws"),
        ("Permutations", "permutations"),
        ("Seed", "seed"),
    ):
        if run.get(name) is not None:
            yield label, _text(run[name])


def _data(told: Any) -> str:  # noqa: ANN401
    """A lexicon or list: its title, size, edition, source and checksum, as far as they are told.

    >>> _data({"title": "Religion", "terms": 14, "edition": "corrected"})
    'Religion; 14 terms; corrected edition'
    """
    if not isinstance(told, Mapping):
        return _text(told)
    counted = [f"{told[name]:,} {name}" for name in ("positive", "negative", "terms")
               if isinstance(told.get(name), int)]  # fmt: skip
    parts = (
        called(str(told.get("title") or told.get("name") or ""), 80),
        ", ".join(counted),
        f"{told['edition']} edition" if told.get("edition") else "",
        told.get("source"),
        f"SHA-256 {told['checksum']}" if told.get("checksum") else "",
    )
    return "; ".join(str(part) for part in parts if part)


def _text(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_text(one)}" for name, one in value.items() if one is not None)
    return str(value)


LIMITS = (
    (
        "A classifier on word vectors is no system that people use.",
        "It shows what vectors hand on. What a system makes of them depends on its texts, its "
        "model and its use; audit the system too.",
    ),
    (
        "Words have several senses.",
        "Most terms are adjectives: “english” is also a language, “indian” more than one people, "
        "“dutch” part of idioms. A vector mixes all senses of a word with who wrote about what.",
    ),
    (
        "A share is about the word, not about people.",
        "That the word “mexican” gets more says in which texts it stood.",
    ),
    (
        "Ordinary words are another kind of word.",
        "They are everyday nouns, and differ from the terms in kind and frequency. That terms are "
        "no more uneven than they are does not mean that terms are even.",
    ),
    (
        "Intervals cover the choice of lexicon words only.",
        "Other terms, corpora or training runs of the same embedding may give other numbers.",
    ),
    (
        "RNSB of lists of different length do not compare.",
        "It grows with how many terms there are and how uneven they can be. Compare embeddings on "
        "the same list, and mind the terms that one of them lacks.",
    ),
    (
        "Many looks find something.",
        "By chance alone 1 p in 20 is 0.05 or less. p-values here are corrected for how many there "
        "are (Holm): of lists over all embeddings, and so of groups, word tests and links. Another "
        "run with other lists is another look.",
    ),
)
"""What the numbers do not show: a claim, and why."""


RNSB = (
    "Dot: RNSB of the list, 0 is even; line: its 95 % interval over resamples of the lexicon. Grey "
    "band: where 95 % of draws of as many ordinary words fall, its upright line their middle. "
    "Filled dot: more uneven than ordinary words, p ≤ 0.05 after correction for how many numbers "
    "there are; so a hollow dot may lie beyond its band."
)
MAP = (
    "● positive words, ✕ negative words, ■ terms, on the two principal components of all of them. "
    "Near on a map is not near in the embedding."
)
WEAT = (
    "Dot: effect size, between −2 and 2; line: 95 % interval. Filled: difference detected, "
    "p ≤ 0.05 after correction. The interval resamples words and p relabels them, so they may "
    "disagree. Upright line: what Caliskan et al. (2017) print for GloVe."
)
CURVES = "Lines are one standard error over folds; the dot is the ridge chosen."


def bars_key(intervals: bool) -> str:
    """What a bar shows, and the line on it where there is one."""
    bar = (
        "Bar: the term’s share of all terms’ probabilities, orange above and blue below an even "
        "share (dashed)"
    )
    line = "; line: 95 % interval over resamples of the lexicon, › where it goes on."
    return f"{bar}{line if intervals else '.'}"


def heat_key(product: bool) -> str:
    """What a cell of the heat map holds."""
    if product:
        return (
            "Products of two terms’ probabilities from one fit, 0 to 1, as the authors’ notebook "
            "draws them; these are no correlations. A larger square is a larger product."
        )
    return (
        "Correlation of two terms’ predictions over resamples of the lexicon. Orange squares: they "
        "rise together; blue circles: one rises as the other falls. Area is size."
    )
