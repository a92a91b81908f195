"""What a study of embeddings says: answers, refusals, links, mitigation, notes, method, keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import count
from tiltmeter.report.phrases import about, called, listed
from tiltmeter.studies.embeddings.choice import (
    MARGIN,
    ListVerdict,
    UndecidedBy,
    list_comparisons,
)
from tiltmeter.studies.embeddings.forests import DETECTED, beyond, is_detected, method_title
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.numbers import (
    effect_texts,
    gap_texts,
    p_text,
    per_cent,
    points_texts,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of, rows_of

PAIRS = 3
"""Pairs of groups that an answer tells of; the section on the list has all."""
ENDS = 3
"""Words at each end of a test."""


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """What may be claimed of one list."""

    title: str
    lead: str
    more: tuple[str, ...]


def question(study: Embeddings) -> str:
    """What the page asks."""
    if len(study.names) > 1:
        return f"Which of these {len(study.names)} embeddings would you take?"
    return f"Does {study.polarity} sentiment fall evenly on these words for people?"


def answers(study: Embeddings) -> list[ListAnswer]:
    """An answer for each list."""
    found = []
    for of, title in study.lists.items():
        rows = rows_of(study.rnsb, list=of)
        known = sorted(
            (row for row in rows if row["rnsb"] is not None), key=lambda row: -coarsen(row["rnsb"])
        )
        if not known:
            every = "The one embedding is" if len(rows) == 1 else f"All {len(rows)} embeddings are"
            found.append(ListAnswer(title, f"Not known. {every} refused; why stands below.", ()))
            continue
        pairs = [part for part in parts_of(study.groups, "list", "first", "second")
                 if part[0][0] == of]  # fmt: skip
        said = [_group_claim(first, second, some) for (_, first, second), some in pairs[:PAIRS]]
        refused = [row["embedding"] for row in rows if row["rnsb"] is None]
        lead, *rest = [*(claim for claim, _ in said), _claim(known)]
        details = (
            *(detail for _, detail in said), *rest, _extremes(study, of, known),
            _extreme_terms(study, of, known[0]),
            f"{_who(refused)} refused; why stands below." if refused else "",
        )  # fmt: skip
        found.append(ListAnswer(title, lead, tuple(filter(None, details))))
    return found


def _group_claim(first: str, second: str, rows: Sequence[Row]) -> tuple[str, str]:
    """Whether two groups of terms stand apart, in which embeddings, and how far."""
    found = [row for row in rows if is_detected(row)]
    between = f"between {called(first, 40)} and {called(second, 40)} terms was detected"
    if not found:
        several = "either embedding" if len(rows) == 2 else f"any of {len(rows)} embeddings"
        where = called(rows[0]["embedding"], 40) if len(rows) == 1 else several
        return f"No difference {between} in {where}.", ""
    named = listed([row["embedding"] for row in found])
    among = f"{len(found)} of {len(rows)} embeddings: " if len(rows) > 1 else ""
    most = max(found, key=lambda row: coarsen(abs(row["difference"])))
    number, spread = points_texts(*_size(most["difference"], most["low"], most["high"]))
    higher = first if most["difference"] > 0 else second
    return f"A difference {between} in {among}{named}.", (
        f"In {called(most['embedding'], 40)} {called(higher, 40)} terms stand {number} points "
        f"higher on average{f' ({spread})' if spread else ''}, {p_text(most['p_adjusted'])} "
        "corrected."
    )


def _size(
    value: float, low: float | None, high: float | None
) -> tuple[float, float | None, float | None]:
    """The size of a difference, its interval turned the same way."""
    if value >= 0:
        return value, low, high
    return -value, None if high is None else -high, None if low is None else -low


def _claim(known: Sequence[Row]) -> str:
    """Whether terms go beyond ordinary words, and in which embeddings."""
    judged = {row["embedding"]: beyond(row) for row in known if row["p_adjusted"] is not None}
    more = [name for name, found in judged.items() if found]
    if not judged:
        how = "Unevenly" if len(known) == 1 else "Most unevenly"
        most = called(known[0]["embedding"], 40)
        return f"{how} in {most}; how ordinary words fare is not known."
    if not more:
        several = "either embedding" if len(judged) == 2 else f"any of {len(judged)} embeddings"
        where = called(next(iter(judged)), 40) if len(judged) == 1 else several
        return f"No difference from ordinary words was detected in {where}."
    among = f"{len(more)} of {count(len(judged), 'embedding')}: " if len(judged) > 1 else ""
    where = f"in {among}{listed(more)}"
    if len(more) == len(judged) > 1:
        where = f"in {'both' if len(more) == 2 else f'all {len(more)}'} embeddings"
    return f"More unevenly than on ordinary words drawn by chance {where}."


def _extremes(study: Embeddings, of: str, known: Sequence[Row]) -> str:
    """The most and the least uneven, and whether the least is decided against the next."""
    first, last = known[0], known[-1]
    if len(known) == 1:
        beside = ""
        if first["even_low"] is not None and first["even_high"] is not None:
            _, mostly = rnsb_texts(first["rnsb"], first["even_low"], first["even_high"])
            p = first["p_adjusted"]
            chance = "" if p is None else f" ({p_text(p)} corrected)"
            beside = f", ordinary words mostly {mostly}{chance}"
        return f"{called(first['embedding'], 40)}: RNSB {_number(first)}{beside}."
    most = f"Most in {called(first['embedding'], 40)}: RNSB {_number(first)}."
    least = f"Least in {called(last['embedding'], 40)}: {_number(last)}."
    names = [known[-2]["embedding"], last["embedding"]]
    for one in list_comparisons(study):
        if one.of != of or {one.first, one.second} != set(names):
            continue
        both = f"On the {one.n_terms} terms both hold {called(names[0], 40)}"
        if one.difference == 0:
            return f"{most} {least} {both} has the same."
        value, low, high = _size(one.difference, one.low, one.high)
        number, spread = gap_texts(value, low, high)
        lower = (one.difference < 0) == (one.first == names[0])
        apart = f"{both} stands {number} {'lower' if lower else 'higher'}"
        if one.why is UndecidedBy.NO_INTERVAL:
            return f"{most} {least} {apart}; whether that is chance is not known."
        said = {
            ListVerdict.UNDECIDED: "which is more even is not decided",
            ListVerdict.ALIKE: f"alike within {MARGIN:g}",
        }.get(one.verdict, f"{called(str(one.better), 40)} is more even")
        ordinary = ", since ordinary words differ as much"
        why = ordinary if one.why is UndecidedBy.ORDINARY else ""
        return f"{most} {least} {apart} ({spread}): {said}{why}."
    return f"{most} {least}"


def _number(row: Row) -> str:
    """RNSB with its interval."""
    number, spread = rnsb_texts(row["rnsb"], row["low"], row["high"])
    return f"{number} ({spread})" if spread else number


def _extreme_terms(study: Embeddings, of: str, row: Row) -> str:
    """Which words get the largest and the smallest share."""
    shares = {
        term["term"]: term["share"]
        for term in rows_of(study.terms, list=of, embedding=row["embedding"])
        if term["share"] is not None
    }
    most, least = row["most"], row["least"]
    if most not in shares or least not in shares:
        return ""
    return (
        f"In {called(row['embedding'], 40)} the word “{called(most, 40)}” gets "
        f"{per_cent(shares[most])} of the {study.polarity} sentiment of all {len(shares)} terms, "
        f"“{called(least, 40)}” {per_cent(shares[least])}; even would be "
        f"{per_cent(1 / len(shares))}."
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
    whys = (
        ((row["list"], row["reason"], row["coverage"] is not None and row["coverage"] < 1),
         row["embedding"])
        for row in rows_of(study.rnsb)
        if row["rnsb"] is None and row["embedding"] not in broken
    )  # fmt: skip
    for (of, reason, few), names in _alike(whys):
        where = f"{called(study.lists[of], 40)} in {listed(names)} is refused"
        why = _ended(reason or "no number could be had")
        yield f"{where}: {why}{f' {BY_TERMS}' if few else ''}"


def _alike(found: Iterable[tuple[Any, str]]) -> Iterable[tuple[Any, list[str]]]:
    """The embeddings of each reason, so that it is told once."""
    names: dict[Any, list[str]] = {}
    for why, name in found:
        names.setdefault(why, []).append(name)
    return names.items()


def _who(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


def _ended(reason: str) -> str:
    return reason if reason.endswith((".", "…")) else f"{reason}."


def list_facts(rows: Sequence[Row]) -> Iterator[str]:
    """How many terms a list has, and which are missing where."""
    terms = dict.fromkeys(row["term"] for row in rows)
    groups = dict.fromkeys(row["group"] for row in rows if row["group"] is not None)
    within = f" in {len(groups)} groups ({', '.join(groups)})" if groups else ""
    yield f"{len(terms)} terms{within}."
    missing: dict[str, list[str]] = {}
    for row in rows:
        if row["found_as"] is None:
            missing.setdefault(row["embedding"], []).append(called(row["term"], 30))
    for words, names in _alike((tuple(words), name) for name, words in missing.items()):
        who = called(names[0], 40) if len(names) == 1 else f"{len(names)} embeddings"
        yield f"Not in {who}: {', '.join(words)}."


def respelled(study: Embeddings, embedding: str) -> dict[str, str]:
    """Terms that an embedding has under another spelling, and that spelling."""
    rows = rows_of(study.terms, embedding=embedding)
    return {row["term"]: row["found_as"] for row in rows
            if row["found_as"] not in (None, row["term"])}  # fmt: skip


def driving_words(study: Embeddings) -> Iterator[dict[str, str]]:
    """For each test, the words most and least associated with the first attribute."""
    tests = {(row["embedding"], row["test"]): row for row in rows_of(study.weat)}
    for (name, test), rows in parts_of(study.associations, "embedding", "test"):
        known = sorted((row for row in rows if row["association"] is not None),
                       key=lambda row: -coarsen(row["association"]))  # fmt: skip
        row = tests.get((name, test))
        if len(known) >= 2 * ENDS and row is not None:
            words = [called(one["word"], 30) for one in known]
            yield {
                "embedding": name, "test": row["title"] or test, "good": row["good"],
                "bad": row["bad"], "near": ", ".join(words[:ENDS]),
                "far": ", ".join(words[::-1][:ENDS]),
            }  # fmt: skip


def link_sentence(row: Row, sentiment: str) -> str:
    """Whether a link was detected, with its numbers."""
    if row["pearson"] is None:
        return f"Not estimable: {row['reason'] or 'there is nothing to correlate'}."
    number, spread = effect_texts(row["pearson"], row["low"], row["high"])
    ends = f", 95 % interval {spread}" if spread else ""
    rank, ranks = effect_texts(row["spearman"], row["spearman_low"], row["spearman_high"])
    by_rank = f"; by rank {rank}{f', {ranks}' if ranks else ''}"
    by_rank = "" if row["spearman"] is None else by_rank
    chance = f", {p_text(row['p_adjusted'])} corrected" if row["p_adjusted"] is not None else ""
    numbers = f"r = {number}{ends}{chance}, {count(row['n'], 'name')}{by_rank}"
    crosses = row["low"] is not None and row["low"] <= 0 <= row["high"]
    if crosses or row["p_adjusted"] is None or row["p_adjusted"] > DETECTED:
        return (
            f"No link detected between what the vectors say of names and how "
            f"{called(row['system'], 40)} scores sentences with them ({numbers})."
        )
    way = "higher" if row["pearson"] > 0 else "lower"
    return (
        f"The closer a name’s vector is to {sentiment} words, the {way} "
        f"{called(row['system'], 40)} scores sentences with it ({numbers})."
    )


def gap_sentence(row: Row, points_of_100: bool) -> str:
    """How much of the difference between two groups goes with the vectors; else nothing."""
    if row["gap"] is None:
        return ""
    texts, unit = (points_texts, "points") if points_of_100 else (effect_texts, "of its own units")
    size, _ = texts(abs(row["gap"]), None, None)
    way = "higher" if row["gap"] > 0 else "lower"
    first, second = about(row["first"]), about(row["second"])
    start = f"Sentences {first} are scored {size} {unit} {way} than sentences {second}"
    if row["carried"] is None:
        return f"{start}; how much of it goes with the vectors is not known."
    sign = 1 if row["gap"] > 0 else -1
    ends = [None if row[end] is None else sign * row[end] for end in ("low", "high")][::sign]
    part, spread = texts(sign * row["carried"], *ends)
    within = f" ({spread})" if spread else ""
    sure = row["low"] is not None and (row["low"] > 0 or row["high"] < 0)
    if spread and not sure:
        return (
            f"{start}; whether any of it goes with the vectors is undecided: {part} {unit}{within}."
        )
    if sign * row["carried"] < 0:
        return f"{start}; the vectors point the other way, {part} {unit}{within}."
    whole = sure and row["share"] is not None and 0 <= row["share"] <= 1
    share = f", {per_cent(row['share'])} of it" if whole else ""
    return f"{start}; {part} {unit}{within} go with the vectors{share}."


CAUTION = (
    "Removal can be cosmetic. Gonen and Goldberg (2019) found that what a projection hides can "
    "often still be read from where words cluster; so a fall in RNSB or WEAT alone says little."
)


def still_there(study: Embeddings, embedding: str, direction: str) -> Iterator[str]:
    """What clustering and a trained probe still find after each method."""
    rows = rows_of(study.mitigation, embedding=embedding, direction=direction)
    for name, finder in (("cluster", "clustering puts"), ("probe", "a trained probe puts")):
        own = [row for row in rows if row["measure"] == name]
        many = next((f"{row['n']:,} " for row in own if row["n"] is not None), "")
        shares = {row["method"]: per_cent(row["value"]) for row in own if row["value"] is not None}
        before = shares.pop(BEFORE, None)
        after = ", ".join(f"{share} after {method_title(one)}" for one, share in shares.items())
        if after and before:
            yield (
                f"Of the {many}words that leaned most, {finder} {before} with their side before "
                f"and still {after}; guessing gives about 50 %."
            )


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
