"""The report as one self-contained page: tables drawn here, details drawn when opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec
import polars as pl

from tiltmeter.errors import UnknownNameError
from tiltmeter.report.glossary import AUDIT_GLOSSARY
from tiltmeter.report.page import STYLES, own_text, page_script, policy, rendered, trusted
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
from tiltmeter.studies.regression.tables import marginal_effects_tables
from tiltmeter.studies.regression.view import regression_section
from tiltmeter.studies.skill.view import pictures


def without_pairs(audit: AuditResults) -> AuditResults:
    """The results with no pair, and no finding of any."""
    return replace(
        audit,
        paired_estimates=audit.paired_estimates.clear(),
        paired_findings=audit.paired_findings.clear(),
        tilts=None,
        labels=None,
        ranks=None,
        compared=tuple(one.without_pairs() for one in audit.compared),
    )


@dataclass(frozen=True, slots=True)
class FigureFiles:
    """A figure's files, `figures/NAME.svg` and `.png`."""

    title: str
    name: str


def figure_files(audit: AuditResults) -> Iterator[FigureFiles]:
    """The box plots and regressions of this run."""
    from tiltmeter.studies.audit.folder import drawn_panels, paper_number
    from tiltmeter.studies.regression.forests import regression_figures

    for shown, name in drawn_panels(audit):
        number = paper_number(shown)
        said = ", ".join((shown.comparison.axis, shown.task, *shown.comparison.apart))
        title = f"Figure {number}: {said}" if number else said
        yield FigureFiles(title, f"figure{number or ''}-{name}")
    for figure in regression_figures(audit):
        yield FigureFiles(figure.title, figure.name)


def further_tables(audit: AuditResults) -> list[str]:
    """Names of the tables in `tables/` besides the paper's."""
    names = ["differences", "largest-pairs", "people", "templates-words", "matches"]
    if audit.tilts is not None and not audit.tilts.is_empty():
        names.append("verdicts")
    names += label_tables(audit)
    if audit.skill is not None:
        names += ["skill", "top-systems"]
    if audit.meta is not None:
        names.append("families")
    if audit.regressed:
        names += [f"regression-{name}" for name in ("coefficients", "fits", "groups", "names")]
    if audit.regressed and audit.languages is not None:
        names.append("regression-languages")
    return names + [table.name for table in marginal_effects_tables(audit)]


def departures(audit: AuditResults) -> list[str]:
    """Who could not be scored, then what is not as usual, a sentence each."""
    said = unavailable_said(audit.run.unavailable)
    pairs = "pairs" in audit.measures
    if audit.subset != "all":
        where = on_subset(audit.subset, "the task’s own emotion").removesuffix(", ")
        said.append(
            f"The differences below were seen {where} only (subset {audit.subset}): a family "
            f"of comparisons of its own, and exploratory.{ALL_PAIRS if pairs else ''}"
        )
    for compared in audit.compared:
        if compared.edition != "corrected":
            wording = "which follows the paper’s wording"
            said.append(f"{compared.title}: the {compared.edition} edition, {wording}.")
        if compared.sample:
            said.append(f"{compared.title}: only a sample was scored: {compared.sample}.")
    statistics = audit.run.statistics
    if statistics.mode != "corrected":
        said.append(f"Statistics as in the paper (mode {statistics.mode}).")
    if statistics.family_given:
        said.append(f"Corrected for {statistics.family:,} comparisons, a number given by the user.")
    return said + list(_regression(audit))


ALL_PAIRS = " Pairs, people and box plots show all sentences."
MODELS = {
    "mixed": "The regression’s effects are those of a mixed model: linear on the logit, with "
    "random names and templates.",
    "naive": "The regression’s errors treat all sentences as independent, though they share names "
    "and templates.",
}


def _regression(audit: AuditResults) -> Iterator[str]:
    """What is not as usual in a regression: its errors, its reference, its spread."""
    given = audit.run.regression
    if not audit.regressed or given is None:
        return
    if given.errors in MODELS:
        yield MODELS[given.errors]
    if given.no_reference:
        yield "The regression holds each group beside the average of all groups of its axis."
    if given.precision:
        yield f"The regression lets the spread of scores depend on {given.precision}."


NOT_SHOWN = "the organiser’s command; it names other systems and is not shown here"


def with_system(audit: AuditResults, only: str) -> AuditResults:
    """The audit without the corpora that a system has no scores on."""
    known = {name for one in audit.compared for name in one.submissions["system"]}
    if only not in known:
        raise UnknownNameError("system", only, known)
    theirs = (one for one in audit.compared if only in one.submissions["system"])
    return replace(audit, compared=tuple(theirs))


def without_others(audit: AuditResults, only: str) -> AuditResults:
    """The audit with everything about other systems taken out."""
    mine = pl.col("system") == only
    frames = {
        name: frame.filter(mine)
        for name in (
            "paired_estimates", "paired_findings", "skill", "notes", "set_aside", "tilts",
            "labels", "ranks",
        )
        if (frame := getattr(audit, name)) is not None
    }  # fmt: skip
    named = {name for one in audit.compared for name in one.submissions["system"]}
    regressed = [
        replace(
            one,
            **{
                name: getattr(one, name).filter(system=only)
                for name in ("estimates", "findings", "fits", "groups", "people")
            },
        )
        for one in audit.regressed
    ]
    known = audit.environment
    environment = {name: known[name] for name in ("versions", "platform", "time") if name in known}
    command = str(known.get("command", ""))  # only where it names nobody else
    environment["command"] = NOT_SHOWN if named - {only} and command else command
    return replace(
        audit,
        **frames,
        meta=None,
        compared=tuple(one.of_system(only) for one in audit.compared),
        regressed=tuple(regressed),
        languages=None if audit.languages is None else audit.languages.filter(mine),
        run=msgspec.structs.replace(
            audit.run,
            systems=tuple(one for one in audit.run.systems if one.system == only),
            meta=None,
            unavailable=(),
        ),
        apart=replace(
            audit.apart,
            no_signal={key: why for key, why in audit.apart.no_signal.items() if key[0] == only},
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


def page(audit: AuditResults, only: str | None = None, *, figures: bool = False) -> str:
    """The whole report as one self-contained page; `only` makes one system's own page.

    `figures` links the figures that stand beside it as files.
    """
    field: tuple[ShownSubmission, ...] = ()
    paired = "pairs" in audit.measures
    audit = audit if paired else without_pairs(audit)
    whole = audit
    if only is not None:
        whole = with_system(audit, only)
        field = tuple(one for one in submissions(whole) if one.system != only)
        audit = without_others(whole, only)
    of = submissions(audit)
    by_corpus = tuple(panels(one, nth) for nth, one in enumerate(audit.compared))
    shown = answer_panels(audit)
    strip = blocks(of, shown, field)
    common, entries = embedded(audit, of, by_corpus, shown, strip, method.submission_facts(audit))
    css, js = "\n".join(map(own_text, STYLES)), page_script()
    drawn = all(one.name in audit.run.populations for one in audit.compared)
    by_family = None if only or audit.meta is None else families(audit)
    if by_family is not None and not by_family.is_empty():
        by_family = by_family.filter(subset=audit.subset)  # that the page puts first
    return rendered(
        "page.html",
        audit=audit,
        only=only,
        alone=len({one.system for one in of}) == 1,
        paired=paired,
        regression=regression_section(audit, of),
        margins=marginal_effects_tables(audit),
        of=of,
        field=field,
        question=question(of),
        answers=list(answers(audit, of, shown)),
        departures=departures(audit),
        judged=any(panel.people for some in shown for panel in some),
        claimed=list(claim_tables(audit, of, shown)),
        next_steps=next_steps(audit.tilts, audit.run),
        listed=[] if drawn else [LISTED],
        adds=[] if only else population_adds(audit),
        populations=population_parts(audit),
        blocks=strip,
        noise=noise_sentences(audit),
        flips=flip_section(audit, of, by_corpus),
        boards=[] if only else list(boards(audit, of, by_corpus)),
        tasks=list(dict.fromkeys(one.task for one in of)),
        pictures=list(pictures(audit, of, shown, field)),
        tables=group_tables(whole),
        figures=list(figure_files(audit)) if figures else [],
        further=[] if only else further_tables(audit),
        top=None if only or audit.skill is None else top_systems(audit),
        families=by_family,
        metric=ranked_by(audit),
        correlation={"pearson": "Pearson’s", "spearman": "Spearman’s"}[ranked_by(audit)],
        method=method,
        glossary=AUDIT_GLOSSARY,
        common=trusted(common),
        entries=[trusted(entry) for entry in entries],
        css=trusted(css),
        js=trusted(js),
        policy=policy(css, js),
    )  # fmt: skip


def unusable_page(audit: AuditResults, only: str) -> str:
    """The page of a system none of whose files could be used: which, and why."""
    css = own_text("page.css")
    mine = without_others(audit, only)
    return rendered(
        "unusable.html",
        only=only,
        unused=method.set_aside(mine),
        css=trusted(css),
        policy=policy(css),
    )


def summary(audit: AuditResults) -> str:
    """What a notebook shows: the findings in a small table."""
    paired = "pairs" in audit.measures
    audit = audit if paired else without_pairs(audit)
    of = submissions(audit)
    shown = answer_panels(audit)
    return rendered(
        "summary.html",
        audit=audit,
        question=question(of),
        answers=list(answers(audit, of, shown)),
        next_steps=next_steps(audit.tilts, audit.run),
        regression=regression_section(audit, of),
        departures=departures(audit),
        blocks=blocks(of, shown) if paired else (),
        many_tasks=len({one.task for one in of}) > 1,
        most=MOST_IN_NOTEBOOK,
    )  # fmt: skip
