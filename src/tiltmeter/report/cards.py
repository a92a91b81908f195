"""Model cards of an audit as files: a section and its metadata for each system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tiltmeter.report.card_facts import Assessed, Row, assessed
from tiltmeter.report.material import Material
from tiltmeter.report.model_card import card_markdown
from tiltmeter.report.model_card_yaml import card_yaml
from tiltmeter.report.slugs import unique_slugs

FOLDER = "model-cards"


def cards_of(material: Material, rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """The name and text of every file, from what a report is made of and its `material_rows`."""
    return card_files(assessed(rows, material.every_estimate, material.run, material.environment))


def card_files(systems: Sequence[Assessed]) -> Iterator[tuple[str, str]]:
    """The name and text of every file."""
    slugs = unique_slugs(one.system for one in systems)
    for one in systems:
        yield f"{FOLDER}/{slugs[one.system]}.md", card_markdown(one)
        yield f"{FOLDER}/{slugs[one.system]}.yaml", card_yaml(one)
