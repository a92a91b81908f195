"""The page of a rating: rating.html, self-contained, without a script."""

from __future__ import annotations

from tiltmeter.report.html.page_parts import own_text, policy, rendered, trusted
from tiltmeter.report.ratings import method, phrases, wording
from tiltmeter.report.ratings.answer import (
    answer,
    beyond_chance,
    how_sure,
    other_variant,
    question,
    unrated,
)
from tiltmeter.report.ratings.cards import cards, is_alone, worst_given
from tiltmeter.report.ratings.driving import evidence
from tiltmeter.report.ratings.groups import groups
from tiltmeter.report.ratings.label_files import label_files
from tiltmeter.report.ratings.material import RatingMaterial, run_facts
from tiltmeter.report.ratings.matrix import matrices
from tiltmeter.report.ratings.rated import MANY, many_tasks, subjects
from tiltmeter.report.ratings.repeats import steadiness
from tiltmeter.report.ratings.terms import GLOSSARY
from tiltmeter.report.wording import unavailable_said


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
        glossary=GLOSSARY,
        phrases=phrases,
        wording=wording,
        labels=_labels(material),
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _labels(material: RatingMaterial) -> dict[tuple[str, str, str], str]:
    """Where each system's label stands, by system, task and variant."""
    return {(row[0], row[1], row[2]): f"labels/{row[3]}" for row in label_files(material).rows()}
