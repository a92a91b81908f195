"""The page of a study of embeddings, section by section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.forest import Forest
from tiltmeter.report.numbers import count, fixed, short
from tiltmeter.report.page import trusted
from tiltmeter.report.phrases import about, called
from tiltmeter.report.svg import Picture, inline
from tiltmeter.studies.embeddings.figures import (
    bar_pictures,
    heat_pictures,
    in_points,
    link_key,
    link_pictures,
    map_pictures,
    ridge_pictures,
    term_order,
)
from tiltmeter.studies.embeddings.forests import (
    DETECTED,
    group_forest,
    measure,
    method_title,
    value_text,
)
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.numbers import (
    effect_texts,
    p_text,
    per_cent,
    per_cents,
    points_texts,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of, rows_of

FEW = 6
"""So many embeddings have their pictures on the page; those of others stand in files."""
BROAD = 340.0
"""Pixels above which a picture is wider than a column."""


@dataclass(frozen=True, slots=True)
class TitledPicture:
    """A picture and what stands above it."""

    caption: str
    svg: Any
    broad: bool
    """Wider than a column."""


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term and its number in each embedding."""

    term: str
    group: str
    cells: tuple[tuple[str, str, str], ...]
    """Probability, its interval, and its share or why there is none."""


@dataclass(frozen=True, slots=True)
class ListSection:
    """All of one list."""

    name: str
    title: str
    facts: tuple[str, ...]
    groups: Forest | None
    bars: tuple[TitledPicture, ...]
    more_bars: tuple[TitledPicture, ...]
    heats: tuple[TitledPicture, ...]
    maps: tuple[TitledPicture, ...]
    embeddings: tuple[str, ...]
    terms: tuple[TermRow, ...]
    unseen: int
    """Embeddings whose heat maps and maps stand in files only."""


def list_sections(study: Embeddings) -> list[ListSection]:
    """A section for each list with a number at all."""
    return [_section(study, of, title) for of, title in study.lists.items()]


def _section(study: Embeddings, of: str, title: str) -> ListSection:
    rows = study.measured_terms(of)
    bars = drawn(bar_pictures(study, of))
    heats = heat_pictures(study, of)
    named = tuple(dict.fromkeys(str(row["embedding"]) for row in rows if row["share"] is not None))
    return ListSection(
        of, title, tuple(_facts(rows_of(study.terms, list=of))),
        group_forest(study, of), bars[:FEW], bars[FEW:],
        drawn(heats[:FEW]),
        drawn(map_pictures(study, of)[:FEW]), named, tuple(_terms(rows, named)),
        max(0, len(heats) - FEW),
    )  # fmt: skip


def drawn(pictures: Sequence[Picture]) -> tuple[TitledPicture, ...]:
    """Pictures for the page."""
    return tuple(
        TitledPicture(one.caption, trusted(inline(one)), one.wide > BROAD) for one in pictures
    )


def _facts(rows: Sequence[Row]) -> Iterator[str]:
    """How many terms there are and which are missing where."""
    terms = dict.fromkeys(str(row["term"]) for row in rows)
    groups = dict.fromkeys(str(row["group"]) for row in rows if row["group"] is not None)
    within = f" in {len(groups)} groups ({', '.join(groups)})" if groups else ""
    yield f"{len(terms)} terms{within}."
    gone: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(str(row["embedding"]) for row in rows):
        missing = tuple(
            called(str(row["term"]), 30)
            for row in rows
            if row["embedding"] == name and row["found_as"] is None
        )
        if missing:
            gone.setdefault(missing, []).append(called(name, 40))
    for missing, names in gone.items():
        who = names[0] if len(names) == 1 else f"{len(names)} embeddings"
        yield f"Not in {who}: {', '.join(missing)}."


def _terms(rows: Sequence[Row], named: Sequence[str]) -> Iterator[TermRow]:
    own = {(row["term"], row["embedding"]): row for row in rows}
    for term, group in term_order(rows).items():
        cells = tuple(_term_cell(own.get((term, name))) for name in named)
        yield TermRow(term, group, cells)


def _term_cell(row: Row | None) -> tuple[str, str, str]:
    if row is None or row["probability"] is None:
        return ("–", "", "not in the embedding" if row and row["found_as"] is None else "")
    found = row["found_as"]
    spelled = f", as “{called(found, 30)}”" if found not in (None, row["term"]) else ""
    spread = per_cents(row["low"], row["high"])
    return per_cent(row["probability"]), spread, f"share {per_cent(row['share'])}{spelled}"


@dataclass(frozen=True, slots=True)
class Link:
    """One system beside one embedding."""

    system: str
    task: str
    embedding: str
    corpus: str
    said: tuple[str, ...]
    svg: Any
    key: str


def links(study: Embeddings) -> list[Link]:
    """Every system that was looked at."""
    pictures = link_pictures(study)
    found = []
    for row in rows_of(study.links):
        key = (str(row["embedding"]), str(row["system"]), str(row["task"]))
        own = dict(zip(("embedding", "system", "task"), key, strict=True))
        unit = in_points(study, key[1])
        gaps = [_gap(gap, unit) for gap in rows_of(study.link_gaps, **own)]
        picture = pictures.get(key)
        names = rows_of(study.link_names, **own)
        found.append(
            Link(
                key[1], key[2], key[0], str(row["corpus"]),
                (link_sentence(row, study.polarity), *filter(None, gaps)),
                trusted(inline(picture)) if picture else None,
                link_key(names) if picture else "",
            )
        )  # fmt: skip
    return found


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


def _gap(row: Row, points_of_100: bool) -> str:
    """How much of the difference between two groups goes with the vectors."""
    if row["gap"] is None:
        return ""
    told, unit = (points_texts, "points") if points_of_100 else (effect_texts, "of its own units")
    size, _ = told(abs(row["gap"]), None, None)
    way = "higher" if row["gap"] > 0 else "lower"
    first, second = about(row["first"]), about(row["second"])
    start = f"Sentences {first} are scored {size} {unit} {way} than sentences {second}"
    if row["carried"] is None:
        return f"{start}; how much of it goes with the vectors is not known."
    sign = 1 if row["gap"] > 0 else -1
    ends = [None if row[end] is None else sign * row[end] for end in ("low", "high")][::sign]
    part, spread = told(sign * row["carried"], *ends)
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
        many = next((r["n"] for r in rows if r["measure"] == name and r["n"] is not None), None)
        own = {str(r["method"]): r["value"] for r in rows
               if r["measure"] == name and r["value"] is not None}  # fmt: skip
        after = [f"{value_text('share', value)} after {method_title(method)}"
                 for method, value in own.items() if method != BEFORE]  # fmt: skip
        if after and BEFORE in own:
            before = value_text("share", own[BEFORE])
            yield (
                f"Of the {'' if many is None else f'{many:,} '}words that leaned most, {finder} "
                f"{before} with their side before and still {', '.join(after)}; guessing gives "
                f"about 50 %."
            )


@dataclass(frozen=True, slots=True)
class MitigationRow:
    """One measure of one thing, by method."""

    measure: str
    what: str
    n: str
    cells: tuple[tuple[str, str], ...]
    """Value and interval, or a dash and why."""


def mitigation_rows(
    study: Embeddings, embedding: str, direction: str, methods: Sequence[str]
) -> list[MitigationRow]:
    """Every number before and after, as text: a column for each method."""
    rows = study.mitigation.filter(
        (pl.col("embedding") == embedding) & (pl.col("direction") == direction)
    )
    return [
        _row(str(of), str(what or ""), some, methods)
        for (of, what), some in parts_of(rows, "measure", "what")
    ]


def _row(of: str, what: str, rows: Sequence[Row], methods: Sequence[str]) -> MitigationRow:
    known = measure(of)
    by = {str(row["method"]): row for row in rows}
    counted = next((f"{row['n']:,}" for row in rows if row["n"] is not None), "")
    cells = tuple(_mitigation_cell(known.unit, by.get(method)) for method in methods)
    return MitigationRow(known.title, what, counted, cells)


def _mitigation_cell(unit: str, row: Row | None) -> tuple[str, str]:
    if row is None or row["value"] is None:
        return "–", str((row or {}).get("reason") or "")
    low, high = row["low"], row["high"]
    if unit == "share":
        return per_cent(row["value"]), per_cents(low, high)
    told = rnsb_texts if unit == "rnsb" else effect_texts
    return told(row["value"], low, high)


VECTOR_KINDS = {"words": "a vector for each word", "texts": "an encoder of texts"}
CLASSES = {
    "balanced": "balanced: both weigh the same",
    "as listed": "not balanced: each word weighs the same",
}


def readings(study: Embeddings) -> list[dict[str, Any]]:
    """Every embedding as it was read."""
    return [_reading(study, row) for row in rows_of(study.embeddings)]


def _reading(study: Embeddings, row: Row) -> dict[str, Any]:
    terms = rows_of(study.terms, embedding=row["embedding"])
    respelled = {
        str(one["term"]): str(one["found_as"])
        for one in terms
        if one["found_as"] is not None and one["found_as"] != one["term"]
    }
    return {
        "embedding": str(row["embedding"]),
        "spec": str(row["spec"] or ""),
        "what": f"{row['format'] or 'format not said'}, "
        f"{VECTOR_KINDS.get(row['kind'], row['kind'])}",
        "dimension": f"{row['dimension']:,}" if row["dimension"] is not None else "–",
        "found": _found(row),
        "respelled": row["respelled"] or 0,
        "spelled": respelled,
        "licence": str(row["licence"] or "not said"),
        "digest": str(row["digest"] or ""),
        "remarks": tuple(study.remarks.get(row["embedding"], ())),
    }


def _found(row: Row) -> str:
    if row["asked"] is None or row["found"] is None:
        return "–"
    return f"{row['found']:,} of {row['asked']:,}"


def classifiers(study: Embeddings) -> list[dict[str, str]]:
    """Every classifier, as text."""
    return [_classifier(row) for row in rows_of(study.classifiers)]


def _classifier(row: Row) -> dict[str, str]:
    words = (f"{row[name]:,}" if row[name] is not None else "–" for name in
             ("n_positive", "n_negative", "missing"))  # fmt: skip
    positive, negative, missing = words
    return {
        "embedding": str(row["embedding"]),
        "lexicon": str(row["lexicon"] or ""),
        "positive": positive, "negative": negative, "missing": missing,
        "ridge": short(row["ridge"]),
        "chosen_by": str(row["chosen_by"] or ""),
        "classes": CLASSES.get(row["classes"], ""),
        "accuracy": per_cent(row["accuracy"]),
        "balanced": per_cent(row["balanced"]),
        "spread": per_cents(row["balanced_low"], row["balanced_high"]),
        "auc": effect_texts(row["auc"], None, None)[0],
        "log_loss": "–" if row["log_loss"] is None else fixed(row["log_loss"], 3),
        "folds": "" if row["folds"] is None else str(row["folds"]),
        "reason": str(row["reason"] or ""),
    }  # fmt: skip


def curves(study: Embeddings) -> tuple[Any, ...]:
    """The choice of the ridge, for the first few embeddings."""
    return drawn(ridge_pictures(study)[:FEW])


TEST_KINDS = {"weat": "WEAT", "seat": "SEAT"}
OTHERS = {
    "ect": "ECT, rank correlation of similarities to both sides; 1 is alike",
    "rnd": "RND, relative norm distance; 0 is alike",
    "ripa": "RIPA, inner product with the direction of the two sides; 0 is alike",
    "mac": "MAC, mean average cosine distance",
}
SHOWN = 3
"""Words at each end."""


def weat_rows(study: Embeddings) -> list[dict[str, str]]:
    """Every test in every embedding, as text."""
    return [_told(row) for row in rows_of(study.weat)]


def _told(row: Row) -> dict[str, str]:
    number, spread = effect_texts(row["effect"], row["low"], row["high"])
    return {
        "embedding": str(row["embedding"]),
        "test": f"{TEST_KINDS.get(row['kind'], row['kind'])}: {row['title'] or row['test']}",
        "effect": number,
        "spread": spread,
        "p": p_text(row["p_adjusted"]),
        "how": _how(row),
        "words": " + ".join(str(row[n] or 0) for n in ("n_first", "n_second", "n_good", "n_bad")),
        "missing": "–" if row["missing"] is None else str(row["missing"]),
        "published": effect_texts(row["published"], None, None)[0],
        "reason": str(row["reason"] or ""),
    }


def _how(row: Row) -> str:
    if row["permutations"] is None:
        return ""
    return f"{'all' if row['exact'] else 'sampled'}, {count(row['permutations'], 'relabelling')}"


def driving_words(study: Embeddings) -> Iterator[dict[str, Any]]:
    """For each test, the words most and least associated with the first attribute."""
    titles = {(r["embedding"], r["test"]): r for r in rows_of(study.weat)}
    for (name, test), rows in parts_of(study.associations, "embedding", "test"):
        known = sorted((r for r in rows if r["association"] is not None),
                       key=lambda r: -float(r["association"]))  # fmt: skip
        told = titles.get((name, test))
        if len(known) < 2 * SHOWN or told is None:
            continue
        yield {
            "embedding": str(name),
            "test": str(told["title"] or test),
            "good": str(told["good"]),
            "bad": str(told["bad"]),
            "near": ", ".join(called(str(r["word"]), 30) for r in known[:SHOWN]),
            "far": ", ".join(called(str(r["word"]), 30) for r in known[::-1][:SHOWN]),
        }


def other_rows(study: Embeddings) -> list[dict[str, str]]:
    """Further measures, as text."""
    titles = {row["test"]: row["title"] for row in rows_of(study.weat)}
    return [
        {
            "embedding": str(row["embedding"]),
            "test": str(titles.get(row["test"]) or row["test"]),
            "measure": OTHERS.get(row["measure"], str(row["measure"])),
            "value": effect_texts(row["value"], None, None)[0],
            "reason": str(row["reason"] or ""),
        }
        for row in rows_of(study.others)
    ]
