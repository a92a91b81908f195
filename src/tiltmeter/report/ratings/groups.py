"""The groups of datasets, one by one: what each asks, its causal diagram, what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.html.page_parts import trusted
from tiltmeter.report.ratings import phrases, wording
from tiltmeter.report.ratings.arrows import arrow_results, column_results
from tiltmeter.report.ratings.diagram import Arrow, diagram_svg, edges_of
from tiltmeter.report.ratings.driving import Evidence, about
from tiltmeter.report.ratings.evidence_tables import (
    AteTable,
    DieTable,
    TTable,
    ate_table,
    effect_table,
    t_table,
)
from tiltmeter.report.ratings.material import WRS, RatingMaterial
from tiltmeter.report.ratings.rated import MANY, Row, Subject


@dataclass(frozen=True, slots=True)
class Figure:
    """One system's diagram and what its arrows say."""

    system: str
    task: str
    svg: Any
    results: tuple[tuple[str, Arrow], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What one variant shows of a group."""

    variant: str
    called: str
    figures: tuple[Figure, ...]
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
    variants: tuple[Found, ...]


def groups(material: RatingMaterial, found: Evidence, of: Sequence[Subject]) -> Iterator[Group]:
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
    material: RatingMaterial, found: Evidence, of: Sequence[Subject], columns: Sequence[Row],
    variant: str,
) -> Found:  # fmt: skip
    own = [one for one in of if variant in one.variants]
    names = [str(row["column"]) for row in columns]
    called = {str(row["column"]): phrases.column_named(row) for row in columns}
    levels = len(material.confidence)
    adjusted = [str(row["column"]) for row in columns if row["measure"] != WRS]
    tested = [name for name in names if name not in adjusted]
    return Found(
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


def _figure(found: Evidence, subject: Subject, variant: str, columns: Sequence[Row]) -> Figure:
    rated = subject.variants[variant]
    arrows = arrow_results(found, subject, rated, columns, edges_of(columns[0]["edges"]))
    results = column_results(found, subject, rated, columns)
    told = {str(row["column"]): phrases.spoken(about(row)) for row in columns}
    return Figure(
        subject.system,
        subject.task,
        _drawn(columns[0], arrows),
        tuple((f"{told[column]} → sentiment", arrow) for column, arrow in results.items()),
    )


def _drawn(row: Row, arrows: dict[tuple[str, str], Arrow]) -> Any:  # noqa: ANN401
    return trusted(diagram_svg(edges_of(row["edges"]), arrows, row.get("unobserved") or ()))
