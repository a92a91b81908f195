"""The page of a study of embeddings, embeddings.html, and its figures as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl
from markupsafe import Markup

from tiltmeter.report import phrases
from tiltmeter.report.glossary import EMBEDDING_GLOSSARY, OPTIONAL
from tiltmeter.report.numbers import count
from tiltmeter.report.page import Method, Page, Section, trusted
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.svg import Picture, inline, standalone
from tiltmeter.report.table import Table
from tiltmeter.studies.embeddings import wording
from tiltmeter.studies.embeddings.answer import first_screen
from tiltmeter.studies.embeddings.choice import MARGIN, list_comparisons
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
    group_forest,
    kinds_of_tests,
    method_sign,
    method_title,
    mitigation_forests,
    rnsb_forest,
    weat_forest,
)
from tiltmeter.studies.embeddings.study import Embeddings, rows_of
from tiltmeter.studies.embeddings.tables import (
    choice_table,
    classifier_table,
    embedding_tables,
    mitigation_table,
    other_table,
    reading_table,
    rnsb_table,
    table_one,
    term_table,
    weat_table,
)

FEW = 6
"""So many embeddings have their pictures on the page; those of others stand in files. As many stand
across in Table 1, as in the paper; more stand down."""
COMPARED = 60
"""Comparisons of two embeddings that stand on the page; a file has all."""
HOW = Markup(
    "After Sweeney and Najafian (2019), <cite>A Transparent Framework for Evaluating Unintended "
    "Demographic Bias in Word Embeddings</cite>. A classifier learns from the vectors of positive "
    "and negative words, and is asked of each term how {} it is. The answers, made to add up to "
    "one, are compared with equal shares: RNSB = Σ P log(P n)."
)


def embeddings_page(study: Embeddings) -> Page:
    """Everything the page shows."""
    judged = study.rnsb["p"].is_not_null().any()
    lists = [
        list_facts(study, of) for of in study.lists
        if any(row["share"] is not None for row in study.measured_terms(of))
    ]  # fmt: skip
    links, mitigations = link_facts(study), mitigation_forests(study)
    compared = list_comparisons(study)
    beside = ", beside ordinary words" if judged else ""
    tables: dict[str, Table] = {}
    for table in sorted(embedding_tables(study), key=lambda table: table.name):
        files = tables[table.name].files if table.name in tables else ()
        tables[table.name] = replace(table, files=(*files, *table.files))
    figures = [
        Markup('<li>{0} <a href="figures/{0}.svg" download>SVG</a></li>\n').format(name)
        for name in embedding_figures(study)
    ]
    listed = Markup("<details><summary>{}</summary>\n<ul class='files-list'>{}</ul></details>")
    return Page(
        "embeddings.html",
        question=wording.question(study),
        answer=Section("answer", "", body=first_screen(study).html(), nav=""),
        sections=(
            Section(
                "choice", "The choice", "embeddings/choice.html",
                {"table": choice_table(study, compared[:COMPARED]),
                 "more": len(compared) - COMPARED, "margin": MARGIN},
                lede="List by list.", nav="",
            ) if compared else None,
            Section(
                "claims", "What each list says", "embeddings/answer.html",
                {"answers": wording.answers(study)},
                lede="Groups of words, ordinary words and extremes.", nav="",
            ) if study.lists else None,
            Section(
                "strip", f"How unevenly{beside}", "embeddings/strip.html",
                {
                    "strip": None if study.rnsb["rnsb"].is_null().all() else rnsb_forest(study),
                    "refusals": list(wording.refusals(study)),
                    "weighty": wording.weighty_notes(study), "small": wording.small_notes(study),
                    "table": replace(table_one(study, FEW), notes=()), "details": rnsb_table(study),
                    "judged": judged,
                },
                lede="RNSB of every list in every embedding; what was refused.", nav="RNSB",
            ),
            Section(
                "lists", "Term by term", "embeddings/lists.html",
                {"lists": lists, "intervals": study.terms["share_low"].is_not_null().any()},
                lede="How much negative sentiment each term gets."
                .replace("negative", study.polarity), nav="Terms",
            ) if lists else None,
            Section(
                "weat", "Word-set tests: who is closer to what", "embeddings/weat.html",
                {
                    "weat": weat_forest(study), "kinds": kinds_of_tests(study),
                    "table": weat_table(study), "others": other_table(study),
                    "driving": list(wording.driving_words(study)),
                },
                lede="Whose words lie closer to pleasant words, or to careers.", nav="Tests",
            ) if study.weat.height else None,
            Section(
                "link", "The link: was the system’s tilt already in the vectors?",
                "embeddings/link.html", {"links": links},
                lede="Names’ vectors beside how a system scores those names.", nav="Link",
            ) if links else None,
            Section(
                "mitigation", "Mitigation: what a projection changes", "embeddings/mitigation.html",
                {"mitigations": mitigations, "method_sign": method_sign,
                 "method_title": method_title, "table": mitigation_table},
                lede="What falls, what stays, and what can still be found.", nav="Mitigation",
            ) if mitigations else None,
            Section(
                "reading", "What was read", "embeddings/reading.html",
                {
                    "table": reading_table(study), "classifiers": classifier_table(study),
                    "curves": ridge_pictures(study)[:FEW],
                },
                lede="Files, words found, and the classifiers.", nav="",
            ),
        ),
        method=Method(
            "After Sweeney and Najafian (2019); what determines the numbers.",
            [("Measure", HOW.format(study.polarity)), *wording.facts(study)],
            more=listed.format(count(len(figures), "figure"), Markup("").join(figures))
            if figures else Markup(""),
        ),
        limits=wording.LIMITS,
        glossary=tuple(
            term for term in EMBEDDING_GLOSSARY
            if term.anchor not in OPTIONAL or getattr(study, OPTIONAL[term.anchor]).height
        ),
        about="embeddings",
        environment=study.environment,
        tables=tuple(tables.values()),
        files=Markup(
            'Beside this page: <a href="embeddings.json" download>embeddings.json</a>, everything '
            "for programs."
        ),
        facts={
            "study": study, "polarity": study.polarity, "product": study.published,
            "phrases": phrases, "wording": wording,
            "drawn": lambda picture: trusted(inline(picture)),
            "titled": lambda table, caption: replace(table, caption=caption).html(quiet=True),
        },
        kind="embeddings",
        styles=("embeddings/embeddings.css", "embeddings_figures.css"),
    )  # fmt: skip


def list_facts(study: Embeddings, of: str) -> dict[str, object]:
    """All of one list: its pictures, its groups, every term's probability."""
    rows = study.measured_terms(of)
    bars, heats = bar_pictures(study, of), heat_pictures(study, of)
    terms = term_table(study, of, [one.caption for one in bars])
    order = pl.DataFrame({"term": [*term_order(rows)]}, schema={"term": pl.String})
    return {
        "title": study.lists[of],
        "facts": list(wording.list_facts(rows_of(study.terms, list=of))),
        "groups": group_forest(study, of),
        "bars": bars[:FEW],
        "more_bars": bars[FEW:],
        "heats": heats[:FEW],
        "maps": map_pictures(study, of)[:FEW],
        "terms": terms.of(order.join(terms.frame, on="term", maintain_order="left")),
        "unseen": max(0, len(heats) - FEW),
    }


@dataclass(frozen=True, slots=True)
class Link:
    """One system beside one embedding."""

    system: str
    task: str
    embedding: str
    corpus: str
    sentences: tuple[str, ...]
    picture: Picture | None
    key: str


def link_facts(study: Embeddings) -> list[Link]:
    """Every system that was looked at."""
    pictures = link_pictures(study)
    found = []
    for row in rows_of(study.links):
        own = {name: row[name] for name in ("embedding", "system", "task")}
        unit = in_points(study, row["system"])
        gaps = [wording.gap_sentence(gap, unit) for gap in rows_of(study.link_gaps, **own)]
        picture = pictures.get((row["embedding"], row["system"], row["task"]))
        found.append(
            Link(
                row["system"], row["task"], row["embedding"], row["corpus"],
                (wording.link_sentence(row, study.polarity), *filter(None, gaps)),
                picture, link_key(rows_of(study.link_names, **own)) if picture else "",
            )
        )  # fmt: skip
    return found


def embedding_figures(study: Embeddings) -> dict[str, str]:
    """Every figure, SVG that stands on its own, by its file's name; none that would be empty."""
    found: list[tuple[str, str]] = []
    if study.rnsb.height:
        found.append(("rnsb", rnsb_forest(study).svg(wording.RNSB)))
    if study.weat.height:
        found.append(("weat", weat_forest(study).svg(wording.WEAT)))
    if curves := ridge_pictures(study):
        title = "Choice of the ridge: held-out log-loss"
        found.append(("ridges", _sheet(title, wording.CURVES, curves, 3)))
    what = "Products of probabilities" if study.published else "Correlations"
    key = wording.bars_key(study.terms["share_low"].is_not_null().any())
    embeddings = unique_slugs(study.names)
    for of, slug in unique_slugs(study.lists).items():
        title = study.lists[of]
        if bars := bar_pictures(study, of):
            shares = f"Shares of {study.polarity} sentiment: {title}"
            found.append((f"terms-{slug}", _sheet(shares, key, bars, 3)))
        for one in map_pictures(study, of):
            found.append((f"map-{slug}-{embeddings[one.caption]}", _alone(one, wording.MAP)))
        if heats := heat_pictures(study, of):
            heat = _sheet(f"{what} of terms: {title}", wording.heat_key(study.published), heats, 2)
            found.append((f"correlations-{slug}", heat))
    pictures = {
        f"{link.embedding} {link.system} {link.task}": (link.picture, link.sentences[0])
        for link in link_facts(study)
        if link.picture
    }
    slugs = unique_slugs(pictures)
    for whose, (picture, sentence) in pictures.items():
        found.append((f"link-{slugs[whose]}", _alone(picture, f"{sentence} {picture.summary}")))
    mitigations = mitigation_forests(study)
    slugs = unique_slugs(f"{one.direction} {one.embedding}" for one in mitigations)
    for each, slug in zip(mitigations, slugs.values(), strict=True):
        signs = ", ".join(f"{method_sign(one)} {method_title(one)}" for one in each.methods)
        found.append((f"mitigation-{slug}", each.whole().svg(signs)))
    return dict(zip(numbered([name for name, _ in found]), (one for _, one in found), strict=True))


def _sheet(title: str, key: str, pictures: Sequence[Picture], across: int) -> str:
    words = " ".join(f"{one.caption}: {one.summary}" for one in pictures)
    return standalone(title, key, words, pictures, across)


def _alone(picture: Picture, key: str) -> str:
    return standalone(picture.title, key, picture.summary, [replace(picture, caption="")])
