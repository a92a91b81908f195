"""The page of two versions: compare.html, self-contained, without a script."""

from __future__ import annotations

from tiltmeter.report.html.page_parts import own_text, policy, rendered, trusted
from tiltmeter.report.numbers import DASH, fixed
from tiltmeter.report.ratings import phrases
from tiltmeter.report.versions import method
from tiltmeter.report.versions.answer import answer, cards, question, unpaired_words
from tiltmeter.report.versions.material import VersionMaterial
from tiltmeter.report.versions.moved import moved_parts
from tiltmeter.report.versions.strip import ABOVE, BELOW, blocks

STYLES = ("page.css", "versions.css")


def compare_page(material: VersionMaterial) -> str:
    """The whole page."""
    css = "\n".join(map(own_text, STYLES))
    return rendered(
        "compare.html",
        material=material,
        question=question(material.changes),
        answer=answer(material.changes),
        cards=cards(material.changes),
        notes=[*material.notes, *unpaired_words(material)],
        blocks=blocks(material),
        rows=(ABOVE, BELOW),
        moved=moved_parts(material),
        skill=material.skill.to_dicts(),
        r=lambda value: DASH if value is None else fixed(value, 3),
        method=method,
        facts=list(method.facts(material)),
        downloads=method.downloads(material),
        glossary=method.GLOSSARY,
        phrases=phrases,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip
