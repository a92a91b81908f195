"""The output folder of a study of embeddings: page, embeddings.json, figures, tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiltmeter.report import phrases
from tiltmeter.report.folder import Stage, Writer, check_folder, results_in, unheard
from tiltmeter.report.glossary import EMBEDDING_GLOSSARY, OPTIONAL
from tiltmeter.report.page import own_text, policy, rendered, trusted
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.picture import Picture, standalone
from tiltmeter.studies.embeddings import view as link_section
from tiltmeter.studies.embeddings import view as mending_section
from tiltmeter.studies.embeddings import view as reading_section
from tiltmeter.studies.embeddings import view as weat_section
from tiltmeter.studies.embeddings import wording as answer
from tiltmeter.studies.embeddings import wording as keys
from tiltmeter.studies.embeddings import wording as method
from tiltmeter.studies.embeddings import wording as notes
from tiltmeter.studies.embeddings.figures import (
    bar_pictures,
    heat_pictures,
    link_pictures,
    map_pictures,
    ridge_pictures,
)
from tiltmeter.studies.embeddings.latex import embedding_latex
from tiltmeter.studies.embeddings.strips import (
    group_panels,
    mended,
    method_title,
    rnsb_panels,
    sign_of,
    summary_of,
    tracks_picture,
    weat_panels,
)
from tiltmeter.studies.embeddings.study import Embeddings, rows_of
from tiltmeter.studies.embeddings.tables import (
    FILE,
    embedding_tables,
    embeddings_json,
    rnsb_details,
    table_one,
)
from tiltmeter.studies.embeddings.view import kinds_of, link_sentence, list_sections
from tiltmeter.studies.embeddings.wording import (
    CURVES,
    MAP,
    RNSB,
    WEAT,
    bars_key,
    heat_key,
    refusals,
)

# ---- the figures as files: SVG that stands on its own, by the name of its file


Named = tuple[str, str]


def embedding_figures(study: Embeddings) -> dict[str, str]:
    """Every figure, by its file's name without the ending; none that would be empty."""
    found = [*_whole(study), *_of_lists(study), *_links(study), *_mended(study)]
    names = numbered([name for name, _ in found])
    return dict(zip(names, (svg for _, svg in found), strict=True))


def _whole(study: Embeddings) -> Iterator[Named]:
    panels = rnsb_panels(study)
    if panels:
        title = "RNSB beside ordinary words drawn by chance"
        yield "rnsb", standalone(title, RNSB, summary_of(panels), [tracks_picture(panels, title)])
    panels = weat_panels(study)
    if panels:
        title = f"{' and '.join(kinds_of(study))} effect sizes"
        yield "weat", standalone(title, WEAT, summary_of(panels), [tracks_picture(panels, title)])
    curves = list(ridge_pictures(study).values())
    if curves:
        yield "ridges", _sheet("Choice of the ridge: held-out log-loss", CURVES, curves, 3)


def _of_lists(study: Embeddings) -> Iterator[Named]:
    lists, embeddings = study.lists, unique_slugs(study.names)
    what = "Products of probabilities" if study.published else "Correlations"
    polarity = study.polarity
    key = bars_key(study.terms["share_low"].is_not_null().any())
    for of, slug in unique_slugs(lists).items():
        bars = bar_pictures(study, of)
        if bars:
            yield (
                f"terms-{slug}",
                _sheet(f"Shares of {polarity} sentiment: {lists[of]}", key, bars, 3),
            )
        for one in map_pictures(study, of):
            yield f"map-{slug}-{embeddings[one.caption]}", _alone(one, MAP)
        heats = heat_pictures(study, of)
        if heats:
            yield (
                f"correlations-{slug}",
                _sheet(f"{what} of terms: {lists[of]}", heat_key(study.published), heats, 2),
            )


def _links(study: Embeddings) -> Iterator[Named]:
    pictures = link_pictures(study)
    slugs = unique_slugs(" ".join(key) for key in pictures)
    said = {
        (row["embedding"], row["system"], row["task"]): link_sentence(row, study.polarity)
        for row in rows_of(study.links)
    }
    for key, picture in pictures.items():
        told = f"{said.get(key, '')} {picture.summary}".strip()
        yield f"link-{slugs[' '.join(key)]}", _alone(picture, told)


def _mended(study: Embeddings) -> Iterator[Named]:
    parts = mended(study)
    slugs = unique_slugs(f"{one.direction} {one.embedding}" for one in parts)
    for one in parts:
        title = f"Before and after: the direction {one.direction} taken out of {one.embedding}"
        key = ", ".join(f"{sign_of(method)} {method_title(method)}" for method in one.methods)
        picture = tracks_picture(one.panels, title)
        slug = slugs[f"{one.direction} {one.embedding}"]
        yield f"mitigation-{slug}", standalone(title, key, picture.summary, [picture])


def _sheet(title: str, key: str, pictures: Sequence[Picture], across: int) -> str:
    told = " ".join(f"{one.caption}: {one.summary}" for one in pictures)
    return standalone(title, key, told, pictures, across)


def _alone(picture: Picture, key: str) -> str:
    return standalone(picture.title, key, picture.summary, [replace(picture, caption="")])


# ---- the files beside the page, as it lists them


@dataclass(frozen=True, slots=True)
class EmbeddingDownload:
    """A table or figure and where it stands."""

    name: str
    files: tuple[tuple[str, str], ...]
    """What each is called, and its path."""


def downloads(study: Embeddings) -> dict[str, list[EmbeddingDownload]]:
    """Tables in CSV, LaTeX or both, and figures."""
    csv, tex = embedding_tables(study), embedding_latex(study)
    tables = [
        EmbeddingDownload(
            name,
            (("CSV", f"tables/{name}.csv"),) * (name in csv)
            + (("LaTeX", f"tables/{name}.tex"),) * (name in tex),
        )
        for name in sorted({*csv, *tex})
    ]
    figures = [
        EmbeddingDownload(name, (("SVG", f"figures/{name}.svg"),))
        for name in embedding_figures(study)
    ]
    return {"tables": tables, "figures": figures}


# ---- the page of a study of embeddings: embeddings.html, self-contained, without a script


STYLES = ("page.css", "embeddings.css", "embeddings_figures.css")


def embeddings_page(study: Embeddings) -> str:
    """The whole page."""
    css = "\n".join(map(own_text, STYLES))
    return rendered(
        "embeddings.html",
        study=study,
        question=answer.question(study),
        polarity=study.polarity,
        answers=answer.answers(study),
        refusals=list(refusals(study)),
        weighty=notes.weighty_notes(study),
        small=notes.small_notes(study),
        strip=rnsb_panels(study) if study.rnsb["rnsb"].is_not_null().any() else [],
        table=table_one(study),
        details=rnsb_details(study),
        lists=list_sections(study),
        groups={of: group_panels(study, of) for of in study.groups["list"].unique()},
        product=study.published,
        intervals=study.terms["share_low"].is_not_null().any(),
        judged=study.rnsb["p"].is_not_null().any(),
        weat=weat_panels(study),
        weat_section=weat_section,
        links=link_section.links(study),
        mended=mended(study),
        mending=mending_section,
        method_title=method_title,
        sign_of=sign_of,
        reading=reading_section,
        method=method,
        downloads=downloads(study),
        glossary=[one for one in EMBEDDING_GLOSSARY if _needed(study, one.anchor)],
        keys=keys,
        phrases=phrases,
        trusted=trusted,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _needed(study: Embeddings, anchor: str) -> bool:
    return anchor not in OPTIONAL or getattr(study, OPTIONAL[anchor]).height > 0


# ---- the output folder of a study of embeddings: page, embeddings.json, figures and every table
# The vectors themselves are not copied: their licence may forbid it.

PAGE = "embeddings.html"


def write_embedding_folder(
    study: Embeddings, folder: Path, *, force: bool = False, stage: Stage = unheard
) -> Path:
    """Write everything a study of embeddings leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    `stage` is told what is being done.
    """
    folder = Path(folder)
    check_folder(folder, force)
    stage("writing the page")
    page = embeddings_page(study)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, study.run, study.environment) as writer:
        writer.text(PAGE, page)
        writer.text(FILE, embeddings_json(study))
        stage("writing the tables")
        _write_tables(writer, study)
        stage("drawing the figures")
        for name, text in embedding_figures(study).items():
            writer.text(f"figures/{name}.svg", text)
    return folder / PAGE


def _write_tables(writer: Writer, study: Embeddings) -> None:
    for name, frame in embedding_tables(study).items():
        writer.csv(f"tables/{name}.csv", frame)
    for name, text in embedding_latex(study).items():
        writer.text(f"tables/{name}.tex", text)
