"""The page of a study of embeddings: embeddings.html, self-contained, without a script."""

from __future__ import annotations

from tiltmeter.report.embeddings import (
    answer,
    keys,
    link_section,
    mending_section,
    method,
    notes,
    reading_section,
    weat_section,
)
from tiltmeter.report.embeddings.files import downloads
from tiltmeter.report.embeddings.glossary import GLOSSARY, OPTIONAL
from tiltmeter.report.embeddings.group_strip import group_panels
from tiltmeter.report.embeddings.heat_map import is_product
from tiltmeter.report.embeddings.list_section import list_sections
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.mending_strip import mended, method_title, sign_of
from tiltmeter.report.embeddings.refusals import refusals
from tiltmeter.report.embeddings.rnsb_strip import rnsb_panels
from tiltmeter.report.embeddings.rows import with_numbers_only
from tiltmeter.report.embeddings.table_one import rnsb_details, table_one
from tiltmeter.report.embeddings.weat_strip import weat_panels
from tiltmeter.report.html.page_parts import own_text, policy, rendered, trusted
from tiltmeter.report.ratings import phrases

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
        glossary=[one for one in GLOSSARY if _needed(material, one.anchor)],
        keys=keys,
        phrases=phrases,
        trusted=trusted,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _needed(material: EmbeddingMaterial, anchor: str) -> bool:
    return anchor not in OPTIONAL or getattr(material, OPTIONAL[anchor]).height > 0
