"""The report as one self-contained page: tables drawn here, details drawn when opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec
import polars as pl

from tiltmeter.errors import UnknownNameError
from tiltmeter.report.glossary import AUDIT_GLOSSARY
from tiltmeter.report.page import own_text, page_script, policy, rendered, trusted
from tiltmeter.report.phrases import on_subset, unavailable_said
from tiltmeter.studies.audit import method
from tiltmeter.studies.audit.answer import answers, population_parts, question
from tiltmeter.studies.audit.tables import group_tables
from tiltmeter.studies.paired.advice import next_steps
from tiltmeter.studies.paired.label_section import boards, flip_section
from tiltmeter.studies.paired.page_data import embedded
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import blocks
from tiltmeter.studies.paired.submissions import (
    ShownSubmission,
    answer_panels,
    panels,
    ranked_by,
    submissions,
)
from tiltmeter.studies.paired.tables import families, label_tables, top_systems
from tiltmeter.studies.paired.verdict_section import claim_tables
from tiltmeter.studies.paired.verdict_wording import population_adds
from tiltmeter.studies.paired.wording import noise_sentences
from tiltmeter.studies.regression.marginal_effects import marginal_effects_tables
from tiltmeter.studies.regression.view import regression_section
from tiltmeter.studies.skill.view import pictures


def without_pairs(material: AuditResults) -> AuditResults:
    """The results with no pair, and no finding of any."""
    return replace(
        material,
        paired_estimates=material.paired_estimates.clear(),
        paired_findings=material.paired_findings.clear(),
        tilts=None,
        labels=None,
        ranks=None,
        compared=tuple(one.without_pairs() for one in material.compared),
    )


@dataclass(frozen=True, slots=True)
class FigureFiles:
    """A figure's files, `figures/NAME.svg` and `.png`."""

    title: str
    name: str


def figure_files(material: AuditResults) -> Iterator[FigureFiles]:
    """The box plots and regressions of this run."""
    from tiltmeter.studies.audit.figures import drawn_panels, paper_number
    from tiltmeter.studies.regression.figures import regression_figure_names

    for shown, name in drawn_panels(material):
        number = paper_number(shown)
        said = ", ".join((shown.comparison.axis, shown.task, *shown.comparison.apart))
        title = f"Figure {number}: {said}" if number else said
        yield FigureFiles(title, f"figure{number or ''}-{name}")
    for named in regression_figure_names(material):
        yield FigureFiles(named.title, named.name)


def further_tables(material: AuditResults) -> list[str]:
    """Names of the tables in `tables/` besides the paper's."""
    names = ["differences", "largest-pairs", "people", "templates-words", "matches"]
    if material.tilts is not None and not material.tilts.is_empty():
        names.append("verdicts")
    names += label_tables(material)
    if material.skill is not None:
        names += ["skill", "top-systems"]
    if material.meta is not None:
        names.append("families")
    if material.regressed:
        names += [f"regression-{name}" for name in ("coefficients", "fits", "groups", "names")]
    if material.regressed and material.languages is not None:
        names.append("regression-languages")
    return names + [table.name for table in marginal_effects_tables(material)]


def departures(material: AuditResults) -> list[str]:
    """Who could not be scored, then what is not as usual, a sentence each."""
    said = unavailable_said(material.run.unavailable)
    pairs = "pairs" in material.measures
    if material.subset != "all":
        where = on_subset(material.subset, "the task’s own emotion").removesuffix(", ")
        said.append(
            f"The differences below were seen {where} only (subset {material.subset}): a family "
            f"of comparisons of its own, and exploratory.{ALL_PAIRS if pairs else ''}"
        )
    for compared in material.compared:
        if compared.edition != "corrected":
            wording = "which follows the paper’s wording"
            said.append(f"{compared.title}: the {compared.edition} edition, {wording}.")
        if compared.sample:
            said.append(f"{compared.title}: only a sample was scored: {compared.sample}.")
    statistics = material.run.statistics
    if statistics.mode != "corrected":
        said.append(f"Statistics as in the paper (mode {statistics.mode}).")
    if statistics.family_given:
        said.append(f"Corrected for {statistics.family:,} comparisons, a number given by the user.")
    return said + list(_regression(material))


ALL_PAIRS = " Pairs, people and box plots show all sentences."
MODELS = {
    "mixed": "The regression’s effects are those of a mixed model: linear on the logit, with "
    "random names and templates.",
    "naive": "The regression’s errors treat all sentences as independent, though they share names "
    "and templates.",
}


def _regression(material: AuditResults) -> Iterator[str]:
    """What is not as usual in a regression: its errors, its reference, its spread."""
    given = material.run.regression
    if not material.regressed or given is None:
        return
    if given.errors in MODELS:
        yield MODELS[given.errors]
    if given.no_reference:
        yield "The regression holds each group beside the average of all groups of its axis."
    if given.precision:
        yield f"The regression lets the spread of scores depend on {given.precision}."


NOT_SHOWN = "the organiser’s command; it names other systems and is not shown here"


def with_system(material: AuditResults, only: str) -> AuditResults:
    """The material without the corpora that a system has no scores on."""
    known = {name for one in material.compared for name in one.submissions["system"]}
    if only not in known:
        raise UnknownNameError("system", only, known)
    theirs = (one for one in material.compared if only in one.submissions["system"])
    return replace(material, compared=tuple(theirs))


def without_others(material: AuditResults, only: str) -> AuditResults:
    """The material with everything about other systems taken out."""
    mine = pl.col("system") == only
    frames = {
        name: frame.filter(mine)
        for name in (
            "paired_estimates", "paired_findings", "skill", "notes", "set_aside", "tilts",
            "labels", "ranks",
        )
        if (frame := getattr(material, name)) is not None
    }  # fmt: skip
    named = {name for one in material.compared for name in one.submissions["system"]}
    regressed = [
        replace(
            one,
            **{
                name: getattr(one, name).filter(system=only)
                for name in ("estimates", "findings", "fits", "groups", "people")
            },
        )
        for one in material.regressed
    ]
    known = material.environment
    environment = {name: known[name] for name in ("versions", "platform", "time") if name in known}
    command = str(known.get("command", ""))  # only where it names nobody else
    environment["command"] = NOT_SHOWN if named - {only} and command else command
    return replace(
        material,
        **frames,
        meta=None,
        compared=tuple(one.of_system(only) for one in material.compared),
        regressed=tuple(regressed),
        languages=None if material.languages is None else material.languages.filter(mine),
        run=msgspec.structs.replace(
            material.run,
            systems=tuple(one for one in material.run.systems if one.system == only),
            meta=None,
            unavailable=(),
        ),
        apart=replace(
            material.apart,
            no_signal={key: why for key, why in material.apart.no_signal.items() if key[0] == only},
        ),
        environment=environment,
    )


MOST_IN_NOTEBOOK = 20
"""Rows that a notebook shows of each table."""


LISTED = (
    "Where no population is named, people were chosen by a corpus’ authors, not drawn by lot: "
    "the interval takes them as drawn, and a name that is rare in its group may be none of these."
)
"""What a verdict on a list of people rests on besides."""


def page(material: AuditResults, only: str | None = None, *, figures: bool = False) -> str:
    """The whole report as one self-contained page; `only` makes one system's own page.

    `figures` links the figures that stand beside it as files.
    """
    field: tuple[ShownSubmission, ...] = ()
    paired = "pairs" in material.measures
    material = material if paired else without_pairs(material)
    whole = material
    if only is not None:
        whole = with_system(material, only)
        field = tuple(one for one in submissions(whole) if one.system != only)
        material = without_others(whole, only)
    of = submissions(material)
    by_corpus = tuple(panels(one, nth) for nth, one in enumerate(material.compared))
    shown = answer_panels(material)
    strip = blocks(of, shown, field)
    common, entries = embedded(
        material, of, by_corpus, shown, strip, method.submission_facts(material)
    )
    css, js = own_text("page.css"), page_script()
    drawn = all(one.name in material.run.populations for one in material.compared)
    by_family = None if only or material.meta is None else families(material)
    if by_family is not None and not by_family.is_empty():
        by_family = by_family.filter(subset=material.subset)  # that the page puts first
    return rendered(
        "page.html",
        material=material,
        only=only,
        alone=len({one.system for one in of}) == 1,
        paired=paired,
        regression=regression_section(material, of),
        margins=marginal_effects_tables(material),
        of=of,
        field=field,
        question=question(of),
        answers=list(answers(material, of, shown)),
        departures=departures(material),
        judged=any(panel.people for some in shown for panel in some),
        claimed=list(claim_tables(material, of, shown)),
        next_steps=next_steps(material.tilts, material.run),
        listed=[] if drawn else [LISTED],
        adds=[] if only else population_adds(material),
        populations=population_parts(material),
        blocks=strip,
        noise=noise_sentences(material),
        flips=flip_section(material, of, by_corpus),
        boards=[] if only else list(boards(material, of, by_corpus)),
        tasks=list(dict.fromkeys(one.task for one in of)),
        pictures=list(pictures(material, of, shown, field)),
        tables=group_tables(whole),
        figures=list(figure_files(material)) if figures else [],
        further=[] if only else further_tables(material),
        top=None if only or material.skill is None else top_systems(material),
        families=by_family,
        metric=ranked_by(material),
        correlation={"pearson": "Pearson’s", "spearman": "Spearman’s"}[ranked_by(material)],
        method=method,
        glossary=AUDIT_GLOSSARY,
        common=trusted(common),
        entries=[trusted(entry) for entry in entries],
        css=trusted(css),
        js=trusted(js),
        policy=policy(css, js),
    )  # fmt: skip


def unusable_page(material: AuditResults, only: str) -> str:
    """The page of a system none of whose files could be used: which, and why."""
    css = own_text("page.css")
    mine = without_others(material, only)
    return rendered(
        "unusable.html",
        only=only,
        unused=method.set_aside(mine),
        css=trusted(css),
        policy=policy(css),
    )


def summary(material: AuditResults) -> str:
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
