"""The figures as files: SVG that stands on its own, by the name of its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tiltmeter.report.embeddings.answer import polarity as polarity_of
from tiltmeter.report.embeddings.heat_map import heat_pictures, is_product
from tiltmeter.report.embeddings.keys import CURVES, MAP, RNSB, WEAT, bars_key, heat_key
from tiltmeter.report.embeddings.link_scatter import link_pictures
from tiltmeter.report.embeddings.link_section import link_sentence
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.mending_strip import mended, method_title, sign_of
from tiltmeter.report.embeddings.picture import Picture, standalone
from tiltmeter.report.embeddings.ridge_curve import ridge_pictures
from tiltmeter.report.embeddings.rnsb_strip import rnsb_panels
from tiltmeter.report.embeddings.rows import lists_of, names_of, rows_of, with_numbers_only
from tiltmeter.report.embeddings.term_bars import bar_pictures
from tiltmeter.report.embeddings.track_sheet import summary_of, tracks_picture
from tiltmeter.report.embeddings.weat_section import kinds_of
from tiltmeter.report.embeddings.weat_strip import weat_panels
from tiltmeter.report.embeddings.word_map import map_pictures
from tiltmeter.report.slugs import numbered, unique_slugs

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
