"""The figures of a regression as files of SVG and PNG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.charts.drawing import png, svg
from tiltmeter.report.charts.regression_data import (
    Phrases,
    drawn_effects,
    phrases_of,
    two_languages,
)
from tiltmeter.report.material import Material
from tiltmeter.report.slugs import numbered, slug


@dataclass(frozen=True, slots=True)
class Named:
    """A figure's title and its file's name without an ending."""

    title: str
    name: str


def regression_figure_names(material: Material) -> list[Named]:
    """The figures of a run's regressions."""
    effects = [
        Named(f"effects, {one.compared.name}", f"effects-{slug(one.compared.name)}")
        for one in drawn_effects(material)
    ]
    return [*_numbered(effects), *language_figure_names(material.languages)]


def language_figure_names(languages: pl.DataFrame | None) -> list[Named]:
    """The figures of systems in two languages."""
    found = [
        Named(
            f"languages, {' and '.join(one.corpora)}",
            f"languages-{'-'.join(map(slug, one.corpora))}",
        )
        for one in two_languages(languages)
    ]
    return _numbered(found)


def _numbered(found: list[Named]) -> list[Named]:
    names = numbered([one.name for one in found])
    return [Named(one.title, name) for one, name in zip(found, names, strict=True)]


def regression_figures(material: Material) -> Iterator[tuple[str, bytes]]:
    """Every figure of a run's regressions as its file's name and content."""
    from tiltmeter.report.charts.regression_specs import effects_chart

    shown = list(drawn_effects(material))
    names = regression_figure_names(material)[: len(shown)]
    for one, named in zip(shown, names, strict=True):
        yield from _files(named.name, svg(effects_chart(one)))
    phrases = {key: said for one in material.compared for key, said in phrases_of(one).items()}
    yield from language_figures(material.languages, phrases)


def language_figures(
    languages: pl.DataFrame | None, phrases: Phrases
) -> Iterator[tuple[str, bytes]]:
    """Every figure of systems in two languages."""
    from tiltmeter.report.charts.regression_specs import languages_chart

    names = language_figure_names(languages)
    for one, named in zip(two_languages(languages), names, strict=True):
        yield from _files(named.name, svg(languages_chart(one, phrases)))


def _files(name: str, drawn: str) -> Iterator[tuple[str, bytes]]:
    yield f"{name}.svg", drawn.encode()
    yield f"{name}.png", png(drawn)
