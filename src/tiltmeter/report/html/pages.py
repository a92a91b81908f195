"""The report as one self-contained page: tables drawn here, details drawn when opened."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from tiltmeter.report.comparison import subset_words, task_title
from tiltmeter.report.html import method
from tiltmeter.report.html.answer import answers, question
from tiltmeter.report.html.data import embedded
from tiltmeter.report.html.departures import departures
from tiltmeter.report.html.field import narrowed, skill_standing, standing, with_system
from tiltmeter.report.html.files import figure_files, further_tables
from tiltmeter.report.html.glossary import GLOSSARY
from tiltmeter.report.html.skill import pictures
from tiltmeter.report.html.strip import blocks
from tiltmeter.report.html.submissions import Submission, panels, ranked_by, submissions
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import DASH, count, fixed, points, unbroken
from tiltmeter.report.tables.families import families
from tiltmeter.report.tables.groups import group_tables
from tiltmeter.report.tables.ranks import top_systems

MOST_IN_NOTEBOOK = 20
"""Rows that a notebook shows of each table."""

if TYPE_CHECKING:
    import polars as pl
    from jinja2 import Environment


def page(material: Material, only: str | None = None) -> str:
    """The whole report as one self-contained page; `only` makes one system's own page."""
    field: tuple[Submission, ...] = ()
    whole = material
    if only is not None:
        whole = with_system(material, only)
        field = tuple(one for one in submissions(whole) if one.system != only)
        material = narrowed(whole, only)
    of = submissions(material)
    by_corpus = tuple(panels(one, nth) for nth, one in enumerate(material.compared))
    common, entries = embedded(material, of, by_corpus)
    css, js = _text("page.css"), _text("page.js")
    return _environment().get_template("page.html").render(
        material=material,
        only=only,
        alone=len({one.system for one in of}) == 1,
        of=of,
        field=field,
        question=question(of),
        answers=list(answers(material, of, by_corpus)),
        departures=departures(material),
        blocks=blocks(of, by_corpus, field),
        tasks=list(dict.fromkeys(one.task for one in of)),
        pictures=list(pictures(material, of, by_corpus, field)),
        tables=group_tables(whole),
        figures=[] if only else list(figure_files(material)),
        further=[] if only else further_tables(material),
        top=None if only or material.skill is None else top_systems(material),
        families=None if only else _families(material),
        metric=ranked_by(material),
        correlation={"pearson": "Pearson’s", "spearman": "Spearman’s"}[ranked_by(material)],
        standing=standing,
        skill_standing=skill_standing,
        method=method,
        glossary=GLOSSARY,
        common=_trusted(common),
        entries=[_trusted(entry) for entry in entries],
        css=_trusted(css),
        js=_trusted(js),
        policy=_policy(css, js),
    )  # fmt: skip


def summary(material: Material) -> str:
    """What a notebook shows: the findings in a small table."""
    of = submissions(material)
    by_corpus = tuple(panels(one, nth) for nth, one in enumerate(material.compared))
    return _environment().get_template("summary.html").render(
        material=material,
        question=question(of),
        answers=list(answers(material, of, by_corpus)),
        departures=departures(material),
        blocks=blocks(of, by_corpus),
        many_tasks=len({one.task for one in of}) > 1,
        most=MOST_IN_NOTEBOOK,
    )  # fmt: skip


def _families(material: Material) -> pl.DataFrame | None:
    """Families of systems on the subset that the page puts first."""
    found = families(material) if material.meta is not None else None
    return found if found is None or found.is_empty() else found.filter(subset=material.subset)


def _policy(css: str, js: str) -> str:
    """What a browser may load: nothing but the page's own style and script."""
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def _text(name: str) -> str:
    """One of the page's own files."""
    folder = resources.files("tiltmeter.report.html") / "templates"
    return (folder / name).read_text(encoding="utf-8").strip()


def _trusted(text: str) -> Any:  # noqa: ANN401
    """Text of our own making that is put in as it is: style, script, escaped JSON."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("tiltmeter.report.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "places": lambda value, many: DASH if value is None else fixed(value, many),
        "count_of": count,
        "unbroken": unbroken,
        "points": points,
        "subset": subset_words,
        "task_title": task_title,
    }
    return made
