"""The page of a study of embeddings, embeddings.html, and its figures as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from markupsafe import Markup

from tiltmeter.report import phrases
from tiltmeter.report.glossary import EMBEDDING_GLOSSARY, OPTIONAL
from tiltmeter.report.page import Method, Page, Section, environment, trusted
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.svg import Picture, standalone
from tiltmeter.report.table import FILES
from tiltmeter.studies.embeddings import view, wording
from tiltmeter.studies.embeddings.figures import (
    bar_pictures,
    heat_pictures,
    link_pictures,
    map_pictures,
    ridge_pictures,
)
from tiltmeter.studies.embeddings.forests import (
    kinds_of_tests,
    method_sign,
    method_title,
    mitigation_forests,
    rnsb_forest,
    weat_forest,
)
from tiltmeter.studies.embeddings.study import Embeddings, rows_of
from tiltmeter.studies.embeddings.tables import embedding_tables, rnsb_details, table_one

LEDE = Markup(
    "After Sweeney and Najafian (2019), <cite>A Transparent Framework for Evaluating Unintended "
    "Demographic Bias in Word Embeddings</cite>. A classifier learns from the vectors of positive "
    "and negative words, and is asked of each term how {} it is. The answers, made to add up to "
    "one, are compared with equal shares: RNSB = Σ P log(P n)."
)


def embeddings_page(study: Embeddings) -> Page:
    """Everything the page shows."""
    judged, refusals = study.rnsb["p"].is_not_null().any(), list(wording.refusals(study))
    lists, links = view.list_sections(study), view.links(study)
    mitigations = mitigation_forests(study)
    beside = ", beside ordinary words" if judged else ""
    downloads: dict[str, dict[str, list[tuple[str, str]]]] = {"tables": {}, "figures": {}}
    for table in sorted(embedding_tables(study), key=lambda table: table.name):
        downloads["tables"].setdefault(table.name, []).extend(
            (FILES[ending], f"tables/{table.name}.{ending}") for ending in table.files
        )
    for name in embedding_figures(study):
        downloads["figures"][name] = [("SVG", f"figures/{name}.svg")]
    files = environment().get_template("embeddings_files.html").render(downloads=downloads)
    return Page(
        "embeddings.html",
        question=wording.question(study),
        answer=Section("answer", "", "embeddings_answer.html", {"answers": wording.answers(study)}),
        sections=(
            Section(
                "strip", f"How unevenly{beside}", "embeddings_strip.html",
                {
                    "strip": None if study.rnsb["rnsb"].is_null().all() else rnsb_forest(study),
                    "refusals": refusals, "weighty": wording.weighty_notes(study),
                    "small": wording.small_notes(study), "table": table_one(study),
                    "details": rnsb_details(study), "judged": judged,
                },
                nav="RNSB",
            ),
            Section(
                "lists", "Term by term", "embeddings_lists.html",
                {"lists": lists, "intervals": study.terms["share_low"].is_not_null().any()},
                nav="By term",
            ) if any(one.bars for one in lists) else None,
            Section(
                "weat", "Word-set tests: who is closer to what", "embeddings_weat.html",
                {"weat": weat_forest(study), "kinds": kinds_of_tests(study)}, nav="WEAT",
            ) if study.weat.height else None,
            Section(
                "link", "The link: was the system’s tilt already in the vectors?",
                "embeddings_link.html", {"links": links}, nav="The link",
            ) if links else None,
            Section(
                "mitigation", "Mitigation: what a projection changes",
                "embeddings_mitigation.html",
                {"mitigations": mitigations, "method_sign": method_sign,
                 "method_title": method_title},
                nav="Mitigation",
            ) if mitigations else None,
            Section("reading", "What was read", "embeddings_reading.html"),
        ),
        method=Method(LEDE.format(study.polarity), wording.facts(study), more=trusted(files)),
        limits=wording.LIMITS,
        glossary=tuple(
            term for term in EMBEDDING_GLOSSARY
            if term.anchor not in OPTIONAL or getattr(study, OPTIONAL[term.anchor]).height
        ),
        about="embeddings",
        environment=study.environment,
        files=Markup(
            'Beside this page: <a href="embeddings.json" download>embeddings.json</a>, everything '
            "for programs."
        ),
        facts={
            "study": study, "polarity": study.polarity, "product": study.published,
            "phrases": phrases, "keys": wording, "view": view,
        },
        kind="embeddings",
        styles=("embeddings.css", "embeddings_figures.css"),
    )  # fmt: skip


def embedding_figures(study: Embeddings) -> dict[str, str]:
    """Every figure, SVG that stands on its own, by its file's name; none that would be empty."""
    found = list(_figures(study))
    return dict(zip(numbered([name for name, _ in found]), (one for _, one in found), strict=True))


def _figures(study: Embeddings) -> Iterator[tuple[str, str]]:
    if study.rnsb.height:
        yield "rnsb", rnsb_forest(study).svg(wording.RNSB)
    if study.weat.height:
        yield "weat", weat_forest(study).svg(wording.WEAT)
    curves = ridge_pictures(study)
    if curves:
        title = "Choice of the ridge: held-out log-loss"
        yield "ridges", _sheet(title, wording.CURVES, curves, 3)
    what = "Products of probabilities" if study.published else "Correlations"
    key = wording.bars_key(study.terms["share_low"].is_not_null().any())
    embeddings = unique_slugs(study.names)
    for of, slug in unique_slugs(study.lists).items():
        title = study.lists[of]
        if bars := bar_pictures(study, of):
            yield (
                f"terms-{slug}",
                _sheet(f"Shares of {study.polarity} sentiment: {title}", key, bars, 3),
            )
        for one in map_pictures(study, of):
            yield f"map-{slug}-{embeddings[one.caption]}", _alone(one, wording.MAP)
        if heats := heat_pictures(study, of):
            heat_key = wording.heat_key(study.published)
            yield f"correlations-{slug}", _sheet(f"{what} of terms: {title}", heat_key, heats, 2)
    pictures = link_pictures(study)
    slugs = unique_slugs(" ".join(key) for key in pictures)
    said = {
        (row["embedding"], row["system"], row["task"]): view.link_sentence(row, study.polarity)
        for row in rows_of(study.links)
    }
    for whose, picture in pictures.items():
        words = f"{said.get(whose, '')} {picture.summary}".strip()
        yield f"link-{slugs[' '.join(whose)]}", _alone(picture, words)
    mitigations = mitigation_forests(study)
    slugs = unique_slugs(f"{one.direction} {one.embedding}" for one in mitigations)
    for each in mitigations:
        signs = ", ".join(f"{method_sign(one)} {method_title(one)}" for one in each.methods)
        yield f"mitigation-{slugs[f'{each.direction} {each.embedding}']}", each.whole().svg(signs)


def _sheet(title: str, key: str, pictures: Sequence[Picture], across: int) -> str:
    words = " ".join(f"{one.caption}: {one.summary}" for one in pictures)
    return standalone(title, key, words, pictures, across)


def _alone(picture: Picture, key: str) -> str:
    return standalone(picture.title, key, picture.summary, [replace(picture, caption="")])
