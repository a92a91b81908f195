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
    is_product,
    link_pictures,
    map_pictures,
    ridge_pictures,
)
from tiltmeter.studies.embeddings.latex import embedding_latex
from tiltmeter.studies.embeddings.material import (
    EmbeddingMaterial,
    lists_of,
    names_of,
    rows_of,
    with_numbers_only,
)
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
from tiltmeter.studies.embeddings.wording import polarity as polarity_of

# ---- the figures as files: SVG that stands on its own, by the name of its file


Named = tuple[str, str]


def embedding_figures(material: EmbeddingMaterial) -> dict[str, str]:
    """Every figure, by its file's name without the ending; none that would be empty."""
    material = with_numbers_only(material)
    found = [*_whole(material), *_of_lists(material), *_links(material), *_mended(material)]
    names = numbered([name for name, _ in found])
    return dict(zip(names, (svg for _, svg in found), strict=True))


def _whole(material: EmbeddingMaterial) -> Iterator[Named]:
    panels = rnsb_panels(material)
    if panels:
        title = "RNSB beside ordinary words drawn by chance"
        yield "rnsb", standalone(title, RNSB, summary_of(panels), [tracks_picture(panels, title)])
    panels = weat_panels(material)
    if panels:
        title = f"{' and '.join(kinds_of(material))} effect sizes"
        yield "weat", standalone(title, WEAT, summary_of(panels), [tracks_picture(panels, title)])
    curves = list(ridge_pictures(material).values())
    if curves:
        yield "ridges", _sheet("Choice of the ridge: held-out log-loss", CURVES, curves, 3)


def _of_lists(material: EmbeddingMaterial) -> Iterator[Named]:
    lists, embeddings = lists_of(material), unique_slugs(names_of(material))
    what = "Products of probabilities" if is_product(material) else "Correlations"
    polarity = polarity_of(material)
    key = bars_key(material.terms["share_low"].is_not_null().any())
    for of, slug in unique_slugs(lists).items():
        bars = bar_pictures(material, of)
        if bars:
            yield (
                f"terms-{slug}",
                _sheet(f"Shares of {polarity} sentiment: {lists[of]}", key, bars, 3),
            )
        for one in map_pictures(material, of):
            yield f"map-{slug}-{embeddings[one.caption]}", _alone(one, MAP)
        heats = heat_pictures(material, of)
        if heats:
            yield (
                f"correlations-{slug}",
                _sheet(f"{what} of terms: {lists[of]}", heat_key(is_product(material)), heats, 2),
            )


def _links(material: EmbeddingMaterial) -> Iterator[Named]:
    pictures = link_pictures(material)
    slugs = unique_slugs(" ".join(key) for key in pictures)
    said = {
        (row["embedding"], row["system"], row["task"]): link_sentence(row, polarity_of(material))
        for row in rows_of(material.links)
    }
    for key, picture in pictures.items():
        told = f"{said.get(key, '')} {picture.summary}".strip()
        yield f"link-{slugs[' '.join(key)]}", _alone(picture, told)


def _mended(material: EmbeddingMaterial) -> Iterator[Named]:
    parts = mended(material)
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


def downloads(material: EmbeddingMaterial) -> dict[str, list[EmbeddingDownload]]:
    """Tables in CSV, LaTeX or both, and figures."""
    csv, tex = embedding_tables(material), embedding_latex(material)
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
        for name in embedding_figures(material)
    ]
    return {"tables": tables, "figures": figures}


# ---- the page of a study of embeddings: embeddings.html, self-contained, without a script


STYLES = ("page.css", "embeddings.css", "embeddings_figures.css")


def embeddings_page(material: EmbeddingMaterial) -> str:
    """The whole page."""
    material = with_numbers_only(material)
    css = "\n".join(map(own_text, STYLES))
    return rendered(
        "embeddings.html",
        material=material,
        question=answer.question(material),
        polarity=answer.polarity(material),
        answers=answer.answers(material),
        refusals=list(refusals(material)),
        weighty=notes.weighty_notes(material),
        small=notes.small_notes(material),
        strip=rnsb_panels(material) if material.rnsb["rnsb"].is_not_null().any() else [],
        table=table_one(material),
        details=rnsb_details(material),
        lists=list_sections(material),
        groups={of: group_panels(material, of) for of in material.groups["list"].unique()},
        product=is_product(material),
        intervals=material.terms["share_low"].is_not_null().any(),
        judged=material.rnsb["p"].is_not_null().any(),
        weat=weat_panels(material),
        weat_section=weat_section,
        links=link_section.links(material),
        mended=mended(material),
        mending=mending_section,
        method_title=method_title,
        sign_of=sign_of,
        reading=reading_section,
        method=method,
        downloads=downloads(material),
        glossary=[one for one in EMBEDDING_GLOSSARY if _needed(material, one.anchor)],
        keys=keys,
        phrases=phrases,
        trusted=trusted,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _needed(material: EmbeddingMaterial, anchor: str) -> bool:
    return anchor not in OPTIONAL or getattr(material, OPTIONAL[anchor]).height > 0


# ---- the output folder of a study of embeddings: page, embeddings.json, figures and every table
# The vectors themselves are not copied: their licence may forbid it.

PAGE = "embeddings.html"


def write_embedding_folder(
    material: EmbeddingMaterial, folder: Path, *, force: bool = False, stage: Stage = unheard
) -> Path:
    """Write everything a study of embeddings leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    `stage` is told what is being done.
    """
    folder = Path(folder)
    check_folder(folder, force)
    stage("writing the page")
    page = embeddings_page(material)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, material.run, material.environment) as writer:
        writer.text(PAGE, page)
        writer.text(FILE, embeddings_json(material))
        stage("writing the tables")
        _write_tables(writer, material)
        stage("drawing the figures")
        for name, text in embedding_figures(material).items():
            writer.text(f"figures/{name}.svg", text)
    return folder / PAGE


def _write_tables(writer: Writer, material: EmbeddingMaterial) -> None:
    for name, frame in embedding_tables(material).items():
        writer.csv(f"tables/{name}.csv", frame)
    for name, text in embedding_latex(material).items():
        writer.text(f"tables/{name}.tex", text)
