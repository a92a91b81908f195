"""The report as one self-contained page: tables drawn here, details drawn when opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import polars as pl
from markupsafe import Markup

from tiltmeter.errors import UnknownNameError
from tiltmeter.report.glossary import AUDIT_GLOSSARY
from tiltmeter.report.numbers import count
from tiltmeter.report.page import Page, Section, render, rendered, trusted
from tiltmeter.report.phrases import on_subset, unavailable_said, unique_slugs
from tiltmeter.report.study import StudyFile
from tiltmeter.studies.audit.answer import answers, population_parts, question
from tiltmeter.studies.audit.figures import figure_files
from tiltmeter.studies.audit.first_screen import audit_screen, regression_screen
from tiltmeter.studies.audit.method import (
    audit_method,
    limits,
    set_aside,
    submission_facts,
)
from tiltmeter.studies.audit.tables import group_tables
from tiltmeter.studies.explain.section import explain_section
from tiltmeter.studies.paired.advice import next_steps
from tiltmeter.studies.paired.label_section import boards, flip_section
from tiltmeter.studies.paired.page_data import embedded
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import strip_blocks
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

FILE = "report.html"
SCRIPTS = tuple(
    f"script/{name}.js"
    for name in (
        "elements", "page", "data", "scales", "sentences", "tips", "strip", "boxes", "others",
        "pairs", "swaps", "people", "person", "heat", "tables", "coefficients", "names", "effects",
        "system", "detail", "box_plots",
    )
)  # fmt: skip
"""The page's script, each file after those it imports."""
OWN_PAGE = "one system’s own page"


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


def linked_tables(audit: AuditResults) -> list[str]:
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


def non_defaults(audit: AuditResults) -> list[str]:
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
    model = audit.run.regression
    if audit.regressed and model is not None:
        if model.errors in MODELS:
            said.append(MODELS[model.errors])
        if model.no_reference:
            said.append(BESIDE_AVERAGE)
        if model.precision:
            said.append(f"The regression lets the spread of scores depend on {model.precision}.")
    return said


def short_caveats(audit: AuditResults, unused: int = 0) -> tuple[str, ...]:
    """The same in a few words each, for the first screen."""
    statistics, failed = audit.run.statistics, len(audit.run.unavailable)
    lost = audit.run.unavailable[0].system if failed == 1 else count(failed, "system")
    model = audit.run.regression
    errors = model.errors if audit.regressed and model is not None else ""
    editions = {one.edition for one in audit.compared if one.edition != "corrected"}
    found = {
        f"{lost} not scored": failed > 0,
        f"{count(unused, 'file')} set aside": unused > 0,
        "a sample only": any(one.sample for one in audit.compared),
        "exploratory subset": audit.subset != "all",
        "published edition": "published" in editions,
        "statistics as published": statistics.mode != "corrected",
        "family given by the user": bool(statistics.family_given),
        "errors as if sentences were independent": errors == "naive",
        "errors of a mixed model": errors == "mixed",
    }
    return tuple(words for words, applies in found.items() if applies)


BESIDE_AVERAGE = "The regression holds each group beside the average of all groups of its axis."
ALL_PAIRS = " Pairs, people and box plots show all sentences."
MODELS = {
    "mixed": "The regression’s effects are those of a mixed model: linear on the logit, with "
    "random names and templates.",
    "naive": "The regression’s errors treat all sentences as independent, though they share names "
    "and templates.",
}


NOT_SHOWN = "the organiser’s command; it names other systems and is not shown here"


def corpora_of(audit: AuditResults, only: str) -> AuditResults:
    """The audit without the corpora that a system has no scores on."""
    known = {name for one in audit.compared for name in one.submissions["system"]}
    if only not in known:
        raise UnknownNameError("system", only, known)
    theirs = (one for one in audit.compared if only in one.submissions["system"])
    return replace(audit, compared=tuple(theirs))


def system_only(audit: AuditResults, only: str) -> AuditResults:
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
    if stored := [one for one in known.get("stored_scores", ()) if one["system"] == only]:
        environment["stored_scores"] = stored
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
CLOSER = Markup(
    "<noscript><p>This part is drawn by the page’s own script, which is switched off here.</p>"
    '</noscript>\n<div id="own"></div>'
)
DIALOG = Markup('<dialog id="detail" aria-labelledby="detail-name"></dialog>\n')
TIP = Markup('<div id="tip" role="tooltip" hidden></div>')


def audit_page(audit: AuditResults, only: str | None = None, *, figures: bool = False) -> Page:
    """The whole report; `only` makes one system's own page.

    `figures` links the figures that stand beside it as files.
    """
    others: tuple[ShownSubmission, ...] = ()
    paired = "pairs" in audit.measures
    audit = audit if paired else without_pairs(audit)
    of_all = audit
    if only is not None:
        of_all = corpora_of(audit, only)
        others = tuple(one for one in submissions(of_all) if one.system != only)
        audit = system_only(of_all, only)
    of = submissions(audit)
    alone = len({one.system for one in of}) == 1
    by_corpus = tuple(panels(one, nth) for nth, one in enumerate(audit.compared))
    shown = answer_panels(audit)
    strip = strip_blocks(audit, of, shown, others)
    regression = regression_section(audit, of)
    common, entries = embedded(audit, of, by_corpus, shown, strip, submission_facts(audit))
    data = {"common": trusted(common)}
    data |= {f"entry-{nth}": trusted(entry) for nth, entry in enumerate(entries)}
    if regression:
        data |= {"fits": regression.common}
        data |= {f"fit-{nth}": entry for nth, entry in regression.entries.items()}
    claims, populations = list(claim_tables(audit, of, shown)), population_parts(audit)
    flips = flip_section(audit, of, by_corpus)
    ranks = [] if only else list(boards(audit, of, by_corpus))
    drawn_by_lot = all(one.name in audit.run.populations for one in audit.compared)
    by_family = None if only or audit.meta is None else families(audit)
    if by_family is not None and not by_family.is_empty():
        by_family = by_family.filter(subset=audit.subset)  # that the page puts first
    beside = "How far it tilts, beside the others"
    tilts = "How far it tilts" if alone else "How far each system tilts"
    unused = set_aside(audit)
    answer_in_full = {
        "answers": list(answers(audit, of, shown)),
        "non_defaults": non_defaults(audit),
        "next_steps": next_steps(audit.tilts, audit.run),
        "adds": [] if only else population_adds(audit),
    }
    of_pairs = (
        Section("strip", beside if others else tilts, "audit/strip.html", {
            "rests": any(told.rests and told.detected for one in of for told in one.told.values()),
        }, lede="Every comparison, with the interval that decides it.",
                nav="Difference" if alone else "Systems"),
        Section("like-these", "How sure, and whom it moves", "audit/verdicts.html", {
            "claimed": claims,
            "noise": noise_sentences(audit),
            "listed": [] if drawn_by_lot else [LISTED],
        }, lede="What each verdict rests on, and how many people are moved.", nav="Verdicts")
        if claims else None,
        Section("closer", "Where it shows", body=CLOSER, lede="Pairs, names, words and templates.",
                nav="Details")
        if alone else None,
        explain_section(audit),
        Section("skill", "Skill against tilt", "audit/skill.html", {
            "pictures": list(pictures(audit, of, shown, others)),
            "top": None if only or audit.skill is None else top_systems(audit),
            "correlation": {"pearson": "Pearson’s", "spearman": "Spearman’s"}[ranked_by(audit)],
        }, lede="An even system that knows nothing is not a good one.",
                nav="Skill" if audit.skill is not None else ""),
        Section("ranks", "Tilts by size", "audit/ranks.html", {"boards": ranks},
                lede="Which systems can be told apart.", nav="")
        if ranks else None,
        Section("flips", "Do labels change?", "audit/flips.html", {"flips": flips},
                lede="How many labels change with the person.", nav="")
        if flips else None,
    )  # fmt: skip
    caveats = short_caveats(audit, 0 if only else len(unused))
    first = (
        audit_screen(audit, of, shown, strip, caveats)
        if paired
        else regression_screen(audit, of, regression, caveats)
    )
    return Page(
        FILE,
        question(of),
        Section("answer", "", body=first.html(), nav=""),
        (
            *(of_pairs if paired else ()),
            Section("regression", regression.title, "regression.html",
                    {"margins": marginal_effects_tables(audit)},
                    lede="Each effect with the others held even.", nav="Regression")
            if regression else None,
            Section("closer", "Where it shows", body=CLOSER, lede="Each effect of this system.")
            if alone and not paired else None,
            Section("in-full", "The answer in sentences", "audit/answer.html", answer_in_full,
                    lede="Each comparison in words, and what would decide the rest.", nav=""),
            Section("names", "Who these names are", "audit/population.html",
                    {"populations": populations},
                    lede="The people that the sentences mention.", nav="Names")
            if populations and paired else None,
            Section("paper", "Tables and figures as in the paper", "audit/paper.html", {
                "tables": group_tables(of_all),
                "figures": list(figure_files(audit)) if figures else [],
                "families": by_family,
                "metric": ranked_by(audit),
            }, lede="After Kiritchenko and Mohammad (2018), to download.", nav="Tables")
            if paired else None,
            Section("words", "Every finding in words", "audit/words.html",
                    lede="One sentence a finding, as findings.json holds it.", nav=""),
        ),
        audit_method(audit, own_page=only is not None),
        limits(audit),
        AUDIT_GLOSSARY,
        about="" if only is None else OWN_PAGE,
        environment=audit.environment,
        facts={
            "audit": audit,
            "only": only,
            "alone": alone,
            "paired": paired,
            "of": of,
            "others": others,
            "tasks": list(dict.fromkeys(one.task for one in of)),
            "judged": any(panel.people for some in shown for panel in some),
            "blocks": strip,
            "regression": regression,
            "further": [] if only else linked_tables(audit),
            "unused": unused,
        },
        scripts=SCRIPTS,
        data=data,
        after=TIP if alone else DIALOG + TIP,
    )  # fmt: skip


def unusable_page(audit: AuditResults, only: str) -> Page:
    """The page of a system none of whose files could be used: which, and why."""
    unused = set_aside(system_only(audit, only))
    return Page(
        FILE,
        Markup("Nothing was measured: no file of <bdi>{}</bdi> could be used").format(only),
        Section("answer", "", "audit/set_aside.html", {"only": only, "unused": unused}, body=Markup(
            '<p class="aside"><code>tiltmeter check-submissions</code> says the same of a file or '
            "a folder before it is handed in.</p>"
        )),
        about=OWN_PAGE,
        title=f"{only}: no file could be used",
    )  # fmt: skip


def summary(audit: AuditResults) -> str:
    """What a notebook shows: the findings in a small table."""
    paired = "pairs" in audit.measures
    audit = audit if paired else without_pairs(audit)
    of = submissions(audit)
    shown = answer_panels(audit)
    return rendered(
        "audit/summary.html",
        audit=audit,
        question=question(of),
        answers=list(answers(audit, of, shown)),
        next_steps=next_steps(audit.tilts, audit.run),
        regression=regression_section(audit, of),
        non_defaults=non_defaults(audit),
        blocks=strip_blocks(audit, of, shown) if paired else (),
        many_tasks=len({one.task for one in of}) > 1,
        most=MOST_IN_NOTEBOOK,
    )


def individual_pages(audit: AuditResults) -> Iterator[StudyFile]:
    """A page for each system, also where no file of it could be used, and which page is whose."""
    every = pl.concat([one.submissions["system"] for one in audit.compared])
    measured = every.unique(maintain_order=True).to_list()
    aside = list[str]()
    if audit.set_aside is not None:
        each = audit.set_aside.unique(["system", "file"], maintain_order=True)
        aside = each["system"].drop_nulls().to_list()
    systems = list(dict.fromkeys([*measured, *aside]))
    files = {system: f"{slug}.html" for system, slug in unique_slugs(systems).items()}
    for nth, (system, file) in enumerate(files.items(), 1):
        own_page = audit_page if system in measured else unusable_page
        yield StudyFile(
            f"individual/{file}",
            lambda: render(own_page(audit, system)),  # noqa: B023 - written before the next one
            f"writing the page of system {nth:,} of {len(files):,}",
        )
    index = pl.DataFrame({
        "system": systems,
        "file": list(files.values()),
        "set_aside": [aside.count(system) for system in systems],
    })  # fmt: skip
    yield StudyFile("individual/index.csv", index)
