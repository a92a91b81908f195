"""The report as one self-contained page: tables drawn here, details drawn when opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltmeter.report.advice import next_steps
from tiltmeter.report.html import method
from tiltmeter.report.html.answer import answers, question
from tiltmeter.report.html.data import embedded
from tiltmeter.report.html.departures import departures
from tiltmeter.report.html.field import narrowed, with_system
from tiltmeter.report.html.files import figure_files, further_tables
from tiltmeter.report.html.flips import flip_section
from tiltmeter.report.html.glossary import GLOSSARY
from tiltmeter.report.html.page_parts import own_text, policy, rendered, trusted
from tiltmeter.report.html.population import populations_told
from tiltmeter.report.html.ranks import boards
from tiltmeter.report.html.regression_section import regression_section
from tiltmeter.report.html.skill import pictures
from tiltmeter.report.html.strip import blocks
from tiltmeter.report.html.submissions import (
    Submission,
    answer_panels,
    panels,
    ranked_by,
    submissions,
)
from tiltmeter.report.html.unpaired import without_pairs
from tiltmeter.report.html.verdicts import claimed
from tiltmeter.report.material import Material
from tiltmeter.report.retest_wording import noise_told
from tiltmeter.report.tables.families import families
from tiltmeter.report.tables.groups import group_tables
from tiltmeter.report.tables.margins_of_run import margins_tables
from tiltmeter.report.tables.ranks import top_systems
from tiltmeter.report.two_corpora import population_adds

MOST_IN_NOTEBOOK = 20
"""Rows that a notebook shows of each table."""

if TYPE_CHECKING:
    import polars as pl


def page(material: Material, only: str | None = None, *, figures: bool = False) -> str:
    """The whole report as one self-contained page; `only` makes one system's own page.

    `figures` links the figures that stand beside it as files.
    """
    field: tuple[Submission, ...] = ()
    paired = "pairs" in material.measures
    material = material if paired else without_pairs(material)
    whole = material
    if only is not None:
        whole = with_system(material, only)
        field = tuple(one for one in submissions(whole) if one.system != only)
        material = narrowed(whole, only)
    of = submissions(material)
    by_corpus = tuple(panels(one, nth) for nth, one in enumerate(material.compared))
    shown = answer_panels(material)
    common, entries = embedded(material, of, by_corpus, shown)
    css, js = own_text("page.css"), own_text("page.js")
    return rendered(
        "page.html",
        material=material,
        only=only,
        alone=len({one.system for one in of}) == 1,
        paired=paired,
        regression=regression_section(material, of),
        margins=margins_tables(material),
        of=of,
        field=field,
        question=question(of),
        answers=list(answers(material, of, shown)),
        departures=departures(material),
        judged=any(panel.people for some in shown for panel in some),
        claimed=list(claimed(material, of, shown)),
        next_steps=next_steps(material.tilts, material.run),
        listed=_listed(material),
        adds=[] if only else population_adds(material),
        populations=populations_told(material),
        blocks=blocks(of, shown, field),
        noise=noise_told(material),
        flips=flip_section(material, of, by_corpus),
        boards=[] if only else list(boards(material, of, by_corpus)),
        tasks=list(dict.fromkeys(one.task for one in of)),
        pictures=list(pictures(material, of, shown, field)),
        tables=group_tables(whole),
        figures=list(figure_files(material)) if figures else [],
        further=[] if only else further_tables(material),
        top=None if only or material.skill is None else top_systems(material),
        families=None if only else _families(material),
        metric=ranked_by(material),
        correlation={"pearson": "Pearson’s", "spearman": "Spearman’s"}[ranked_by(material)],
        method=method,
        glossary=GLOSSARY,
        common=trusted(common),
        entries=[trusted(entry) for entry in entries],
        css=trusted(css),
        js=trusted(js),
        policy=policy(css, js),
    )  # fmt: skip


def unusable_page(material: Material, only: str) -> str:
    """The page of a system none of whose files could be used: which, and why."""
    css = own_text("page.css")
    mine = narrowed(material, only)
    return rendered(
        "unusable.html",
        only=only,
        unused=method.set_aside(mine),
        css=trusted(css),
        policy=policy(css),
    )


def summary(material: Material) -> str:
    """What a notebook shows: the findings in a small table."""
    paired = "pairs" in material.measures
    material = material if paired else without_pairs(material)
    of = submissions(material)
    shown = answer_panels(material)
    return rendered(
        "summary.html",
        material=material,
        question=question(of),
        answers=list(answers(material, of, shown)),
        next_steps=next_steps(material.tilts, material.run),
        regression=regression_section(material, of),
        departures=departures(material),
        blocks=blocks(of, shown) if paired else (),
        many_tasks=len({one.task for one in of}) > 1,
        most=MOST_IN_NOTEBOOK,
    )  # fmt: skip


def _listed(material: Material) -> list[str]:
    """What a verdict on a list of people rests on besides."""
    if all(one.name in material.run.populations for one in material.compared):
        return []
    return [
        "Where no population is named, people were chosen by a corpus’ authors, not drawn by lot: "
        "the interval takes them as drawn, and a name that is rare in its group may be none of "
        "these."
    ]


def _families(material: Material) -> pl.DataFrame | None:
    """Families of systems on the subset that the page puts first."""
    found = families(material) if material.meta is not None else None
    return found if found is None or found.is_empty() else found.filter(subset=material.subset)
