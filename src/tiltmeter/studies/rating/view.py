"""The page of a rating: its groups, how sure the ratings are, how they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report import phrases
from tiltmeter.report.glossary import RATING_GLOSSARY
from tiltmeter.report.numbers import count
from tiltmeter.report.page import own_text, policy, rendered, trusted
from tiltmeter.report.phrases import unavailable_said
from tiltmeter.studies.rating import view as method
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import (
    RatingEvidence,
    about,
    answer,
    beyond_chance,
    evidence,
    how_sure,
    other_variant,
    question,
    unrated,
)
from tiltmeter.studies.rating.diagram_figure import (
    Arrow,
    arrow_results,
    column_results,
    diagram_svg,
    edges_of,
)
from tiltmeter.studies.rating.label import cards, is_alone, label_files, wash, worst_given
from tiltmeter.studies.rating.latex import rating_latex
from tiltmeter.studies.rating.material import (
    MANY,
    OVERALL,
    WRS,
    RatingMaterial,
    Row,
    Subject,
    many_tasks,
    run_facts,
    subjects,
)
from tiltmeter.studies.rating.tables import (
    AteTable,
    DieTable,
    TTable,
    ate_table,
    effect_table,
    matrices,
    rating_tables,
    t_table,
)

# ---- the groups of datasets, one by one: what each asks, its causal diagram, what was found


@dataclass(frozen=True, slots=True)
class DiagramFigure:
    """One system's diagram and what its arrows say."""

    system: str
    task: str
    svg: Any
    results: tuple[tuple[str, Arrow], ...]


@dataclass(frozen=True, slots=True)
class GroupVariant:
    """What one variant shows of a group."""

    variant: str
    called: str
    figures: tuple[DiagramFigure, ...]
    tests: tuple[TTable, ...]
    effects: DieTable | None
    ates: AteTable | None


@dataclass(frozen=True, slots=True)
class Group:
    """A group of datasets with one causal diagram."""

    name: str
    question: str
    columns: tuple[str, ...]
    facts: tuple[str, ...]
    shared: Any
    variants: tuple[GroupVariant, ...]


def groups(
    material: RatingMaterial, found: RatingEvidence, of: Sequence[Subject]
) -> Iterator[Group]:
    """Every group, with what each variant shows."""
    for (name,), rows in material.columns.group_by("group", maintain_order=True):
        columns = rows.to_dicts()
        yield Group(
            name=str(name),
            question=_question(columns),
            columns=tuple(phrases.column_named(row) for row in columns),
            facts=tuple(_facts(columns)),
            shared=_drawn(columns[0], {}) if len(of) > MANY else None,
            variants=tuple(_found(material, found, of, columns, v) for v in material.variants),
        )


def _question(columns: Sequence[Row]) -> str:
    named = [part for row in columns for part in phrases.attributes(about(row))]
    return wording.group_question(columns[0]["measure"], " and ".join(dict.fromkeys(named)))


def _facts(columns: Sequence[Row]) -> Iterator[str]:
    """What is adjusted for and how many sentences there are, each said once."""
    plain = all(row["identifiable"] and not row["adjustment"] for row in columns)
    told: dict[str, list[str]] = {}
    for row in columns[-1:] if plain else columns:  # the last is about all attributes
        told.setdefault(str(row["sentence"] or ""), []).append(phrases.column_named(row))
    for sentence, names in told.items():
        if sentence:
            whole = phrases.whole_sentence(sentence)
            yield f"{', '.join(names)}: {whole}" if len(told) > 1 else whole
    yield from (
        phrases.whole_sentence(str(row["about_na"])) for row in columns if row.get("about_na")
    )
    sizes = dict.fromkeys((row["sentences"], len(row["datasets"])) for row in columns)
    yield from (wording.sizes(*one) for one in sizes)
    yield from (f"{words}." for words in dict.fromkeys("; ".join(row["sets"]) for row in columns))


def _found(
    material: RatingMaterial, found: RatingEvidence, of: Sequence[Subject], columns: Sequence[Row],
    variant: str,
) -> GroupVariant:  # fmt: skip
    own = [one for one in of if variant in one.variants]
    names = [str(row["column"]) for row in columns]
    called = {str(row["column"]): phrases.column_named(row) for row in columns}
    levels = len(material.confidence)
    adjusted = [str(row["column"]) for row in columns if row["measure"] != WRS]
    tested = [name for name in names if name not in adjusted]
    return GroupVariant(
        variant=variant,
        called=wording.VARIANTS.get(variant, variant),
        figures=tuple(_figure(found, one, variant, columns) for one in own),
        tests=tuple(
            table
            for name in tested
            if (table := t_table(found, own, variant, name, levels, called[name])) is not None
        ),
        effects=effect_table(material, own, variant, adjusted),
        ates=ate_table(found, own, variant, adjusted),
    )


def _figure(
    found: RatingEvidence, subject: Subject, variant: str, columns: Sequence[Row]
) -> DiagramFigure:
    rated = subject.variants[variant]
    arrows = arrow_results(found, subject, rated, columns, edges_of(columns[0]["edges"]))
    results = column_results(found, subject, rated, columns)
    told = {str(row["column"]): phrases.spoken(about(row)) for row in columns}
    return DiagramFigure(
        subject.system,
        subject.task,
        _drawn(columns[0], arrows),
        tuple((f"{told[column]} → sentiment", arrow) for column, arrow in results.items()),
    )


def _drawn(row: Row, arrows: dict[tuple[str, str], Arrow]) -> Any:  # noqa: ANN401
    return trusted(diagram_svg(edges_of(row["edges"]), arrows, row.get("unobserved") or ()))


# ---- how sure the ratings are: how often each came up, and whose order is not certain


MOST_PAIRS = 20
"""Pairs of systems that are listed."""


@dataclass(frozen=True, slots=True)
class BarPiece:
    """One rating's share of the repeats, as a piece of a bar."""

    rating: int
    x: float
    wide: float
    wash: int
    text: str


@dataclass(frozen=True, slots=True)
class RatingBar:
    """How often a system got each rating."""

    system: str
    task: str
    parts: tuple[BarPiece, ...]
    said: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What the repeats say in one variant."""

    variant: str
    called: str
    bars: tuple[RatingBar, ...]
    columns: tuple[tuple[str, str], ...]
    """Each in words, and its code."""
    pairs: tuple[str, ...]
    pairs_more: int
    pairs_all: int


def steadiness(material: RatingMaterial, of: Sequence[Subject]) -> Iterator[Steadiness]:
    """A record for each variant; none without repeats."""
    if not material.repeats or material.frequencies.is_empty():
        return
    columns = tuple(material.columns["column"].to_list())
    words = tuple((phrases.column_words(row), row["column"]) for row in material.columns.to_dicts())
    shares = _shares(material.frequencies)
    for variant in material.variants:
        bars = [_bar(one, variant, columns, shares, material.levels) for one in of]
        pairs = material.order.filter(
            (pl.col("variant") == variant) & (pl.col("column") == OVERALL)
        )
        unsure = pairs.filter(~pl.col("certain")).rows(named=True)
        yield Steadiness(
            variant,
            wording.VARIANTS.get(variant, variant),
            tuple(bar for bar in bars if bar.parts),
            words,
            tuple(wording.uncertain(row) for row in unsure[:MOST_PAIRS]),
            max(0, len(unsure) - MOST_PAIRS),
            pairs.height,
        )


Shares = dict[tuple[str, str, str, str], dict[int, float]]


def _shares(frequencies: pl.DataFrame) -> Shares:
    found: Shares = {}
    for row in frequencies.iter_rows(named=True):
        if row["rating"] is not None and row["share"]:
            key = row["system"], row["task"], row["variant"], row["column"]
            found.setdefault(key, {})[row["rating"]] = row["share"]
    return found


def _bar(
    one: Subject, variant: str, columns: Sequence[str], shares: Shares, levels: int
) -> RatingBar:
    own = shares.get((*one.key, variant, OVERALL), {})
    return RatingBar(
        one.system,
        one.task,
        tuple(_parts(own, levels)),
        _told(own),
        tuple(_told(shares.get((*one.key, variant, column), {})) for column in columns),
    )


def _parts(own: dict[int, float], levels: int) -> Iterator[BarPiece]:
    x = 0.0
    for rating in sorted(own):
        wide = 100 * own[rating]
        yield BarPiece(
            rating,
            round(x, 2),
            round(wide, 2),
            wash(rating, levels),
            f"{rating}" if wide >= 6 else "",
        )
        x += wide


def _told(own: dict[int, float]) -> str:
    """Ratings and their shares in a line.

    >>> _told({2: 0.29, 1: 0.71})
    '1: 71 %, 2: 29 %'
    """
    return ", ".join(f"{rating}: {phrases.percent(own[rating])}" for rating in sorted(own))


# ---- how a rating was made, what it does not show, its files and its words


MODES = {
    "published": "published: the paper’s critical values (a tail halved twice), pooled degrees of "
    "freedom",
    "corrected": "corrected: two-sided critical values, Welch’s degrees of freedom",
}
RAWS = {
    "die": "DIE %: how far mean scores move once the words are adjusted for who is spoken of",
    "ate": "change of the words’ effect by the adjustment, in per cent",
}


def facts(material: RatingMaterial) -> Iterator[tuple[str, str]]:
    """What determines the ratings, label by label."""
    run = run_facts(material)
    mode = str(run.get("mode", ""))
    yield "Rated", _rated(material)
    if mode:
        yield "Mode", MODES.get(mode, mode)
    if run.get("edition"):
        yield "Edition of the sentences", str(run["edition"])
    yield "Levels", _levels(material)
    yield "Confidence and weights", _weights(material)
    yield from _drawing(run)
    if run.get("multiplicity") not in (None, "", "none"):
        yield "Many tests", f"corrected by {run['multiplicity']}"
    yield "Repeats", _repeats(material)
    yield from _environment(material.environment)


def _rated(material: RatingMaterial) -> str:
    many = material.overall.select("system", "task").n_unique()
    if material.reference:
        return (
            f"{count(many, 'system')} against the stored panel {material.reference}; the panel’s "
            "own systems decide where one rating ends and the next begins"
        )
    if is_alone(material):
        return f"one system by itself: 1 where the raw score is 0, {material.levels} otherwise"
    return f"{count(many, 'system')} against each other"


def _levels(material: RatingMaterial) -> str:
    if is_alone(material):
        return f"{material.levels}"
    return (
        f"{material.levels}: systems in the order of their raw scores, split into "
        f"{material.levels} parts of nearly equal size; equal ones share the better part; "
        "overall is the mean over groups, rounded half up"
    )


def _weights(material: RatingMaterial) -> str:
    pairs = zip(material.confidence, material.weights, strict=False)
    return ", ".join(f"{100 * level:g} % counts {weight:g}" for level, weight in pairs)


def _drawing(run: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if run.get("raw"):
        yield "Groups with decided words", RAWS.get(str(run["raw"]), str(run["raw"]))
    if run.get("shares"):
        yield "Words decided by", "shares of positive words of your own"
    elif run.get("k") is not None:
        case = f"case k = {run['k']}{_strength(run)} of each group’s cases"
        yield "Words decided by", f"{case}; those of groups 2 and 4 follow the paper’s Table 8"
    if run.get("seed") is not None:
        yield "Seed", str(run["seed"])


def _strength(run: Mapping[str, Any]) -> str:
    return "" if run.get("strength") is None else f", at strength {run['strength']:g}"


def _repeats(material: RatingMaterial) -> str:
    if not material.repeats:
        return "none: how steady the ratings are is not known"
    return (
        f"{material.repeats:,}: words drawn with other seeds, and people resampled with all their "
        "sentences (templates where a class has few people, sentences where nobody is named); a "
        "spread holds 95 % of them"
    )


def _environment(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    versions = known.get("versions") or {}
    if versions:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])


@dataclass(frozen=True, slots=True)
class RatingDownload:
    """A table and the endings it is to be had in."""

    name: str
    endings: tuple[str, ...]


def downloads(material: RatingMaterial) -> list[RatingDownload]:
    """Every table, in CSV, LaTeX or both."""
    csv, tex = list(rating_tables(material)), set(rating_latex(material))
    names = sorted({*csv, *tex})
    return [
        RatingDownload(name, ("csv",) * (name in csv) + ("tex",) * (name in tex)) for name in names
    ]


def limits(material: RatingMaterial) -> Iterator[tuple[str, str]]:
    """What the ratings do not show: a claim, and why."""
    if is_alone(material):
        yield (
            "One system was rated.",
            "Its rating says whether anything was detected, not how it stands among others.",
        )
    else:
        among = "the reference panel" if material.reference else "these systems"
        yield (
            f"A rating is relative to {among}.",
            "1 is the least tilt among them, not none; the last is the most among them, however "
            "small. Other systems beside it may give a system another rating.",
        )
    lowest = min(material.confidence, default=0.6)
    yield (
        "Some rejections are chance.",
        f"At {100 * lowest:g} % confidence a test rejects by chance in {100 - 100 * lowest:g} % of "
        "cases where there is no difference. The table of raw scores says what the same "
        "scores give when sentences are dealt out to the classes by chance, and p what people "
        "dealt by chance do.",
    )
    if set(material.columns["measure"]) - {WRS}:
        yield (
            "Means may move though people do not matter.",
            "Words of one polarity differ in strength, and some people are given the stronger ones "
            "more often. Then the raw score is above 0 for a system that never looks at people; p "
            "is large.",
        )
    yield (
        "No difference detected is not no difference.",
        "The datasets are small, and tests on them miss small differences.",
    )
    yield (
        "Templates are not the world.",
        "The sentences come from a few templates, names and words; which group a name or word "
        "stands for is what their authors assigned. Other sentences may give other ratings.",
    )
    yield (
        "The diagram is an assumption.",
        "What is adjusted for follows from the arrows that were declared. Causes that are not in "
        "the diagram are not allowed for.",
    )
    yield "Skill is not rated.", "A system that gives every sentence the same score is rated 1."


# ---- the page of a rating: rating.html, self-contained, without a script


def rating_page(material: RatingMaterial) -> str:
    """The whole page."""
    of = subjects(material)
    found = evidence(material)
    css = f"{own_text('page.css')}\n{own_text('rating.css')}"
    return rendered(
        "rating.html",
        material=material,
        run=run_facts(material),
        question=question(of),
        answer=answer(material, of),
        beyond_chance="" if is_alone(material) else beyond_chance(of),
        how_sure=how_sure(material, of),
        other_variant=other_variant(material, of),
        unrated=[*unavailable_said(material.run.get("unavailable", ()), rated=True), *unrated(of)],
        cards=list(cards(material, found, of)),
        many=len(of) > MANY,
        alone=is_alone(material),
        worst=worst_given(material),
        many_tasks=many_tasks(of),
        matrices=list(matrices(material, of)),
        groups=list(groups(material, found, of)),
        steadiness=list(steadiness(material, of)),
        method=method,
        glossary=RATING_GLOSSARY,
        phrases=phrases,
        wording=wording,
        labels=_labels(material),
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _labels(material: RatingMaterial) -> dict[tuple[str, str, str], str]:
    """Where each system's label stands, by system, task and variant."""
    return {(row[0], row[1], row[2]): f"labels/{row[3]}" for row in label_files(material).rows()}
