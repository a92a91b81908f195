"""The section on regressions, put together: what its template shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.html.effects import Effect, Regression, regressions
from tiltmeter.report.html.languages import Languages, languages
from tiltmeter.report.html.page_parts import trusted
from tiltmeter.report.html.regression import Plot, plot_scale, plots, titles
from tiltmeter.report.html.regression_answer import Said, left_out, said_of
from tiltmeter.report.html.regression_data import embedded_fits
from tiltmeter.report.html.regression_notes import notes, reasons
from tiltmeter.report.html.regression_words import opening, title_of, too_sure
from tiltmeter.report.html.scale import Scale
from tiltmeter.report.html.submissions import Submission
from tiltmeter.report.material import Material
from tiltmeter.report.regression_names import MARGINAL_NAIVE, errors_of
from tiltmeter.report.regression_wording import is_held

INTERVALS = {
    "crossed": "allowing for names and templates",
    "mixed": "with random names and templates",
    "naive": "as if all sentences were independent",
}
"""What an interval allows for."""


@dataclass(frozen=True, slots=True)
class OfCorpus:
    """What is said of one corpus' regressions."""

    corpus: int
    name: str
    title: str
    formula: str
    said: tuple[Said, ...]
    """One sentence an effect, for the head of the page."""
    left_out: str
    opening: str
    too_sure: str
    reasons: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Everything the section shows."""

    title: str
    found: tuple[OfCorpus, ...]
    products: tuple[Effect, ...]
    scale: Scale
    plots: tuple[Plot, ...]
    errors: str
    """What the intervals allow for."""
    behind: str
    """What the intervals behind them allow for."""
    stricter: bool
    """Whether a difference must hold past these names and templates."""
    held: bool
    """Whether an effect holds the other axes at their reference, not at their average."""
    languages: tuple[Languages, ...]
    notes: tuple[str, ...]
    common: Any
    """What the page's script draws from, as JSON."""
    entries: dict[int, Any]
    words: dict[int, list[str]]
    """By submission: its findings in words."""


WORDS = 400
"""Findings that are told in words on the page; where there are more, those without a
difference detected are left out."""


def regression_section(material: Material, of: Sequence[Submission]) -> Section | None:
    """The section; None where nothing was regressed."""
    found = regressions(material)
    if not found:
        return None
    scale = plot_scale(found)
    drawn = plots(found, of, scale)
    common, entries = embedded_fits(found, of, drawn, scale)
    main = found[0].main
    return Section(
        title=title_of(found),
        found=tuple(_of_corpus(one, material, of) for one in found),
        products=tuple(effect for effect in found[0].effects if effect.product),
        scale=scale,
        plots=drawn,
        errors=INTERVALS["naive" if is_held(main) else errors_of(material.run)],
        behind=INTERVALS[_behind(main)] if found[0].behind else "",
        stricter=not is_held(main) and errors_of(material.run) != "naive",
        held=is_held(main),
        languages=languages(material, found),
        notes=tuple(notes(found, material)),
        common=trusted(common),
        entries={nth: trusted(entry) for nth, entry in entries.items()},
        words=_words(found, of),
    )


def _behind(main: str) -> str:
    return "crossed" if main == MARGINAL_NAIVE else "naive"


def _of_corpus(one: Regression, material: Material, of: Sequence[Submission]) -> OfCorpus:
    return OfCorpus(
        one.corpus, one.compared.name, one.compared.title, one.regressed.formula,
        said=tuple(said_of(one, titles(one.effects), of)),
        left_out=left_out(one, of),
        opening=opening(one, titles(one.effects)),
        too_sure=too_sure(one, material),
        reasons=tuple(reasons(one)),
    )  # fmt: skip


def _words(found: Sequence[Regression], of: Sequence[Submission]) -> dict[int, list[str]]:
    placed = {(one.corpus, one.system, one.task): one.nth for one in of}
    every = [
        (placed[one.corpus, fit.system, fit.task], row)
        for one in found
        for fit in one.fits
        for effect in one.effects
        if (row := fit.told.get(effect.key))
    ]
    told: dict[int, list[str]] = {}
    for nth, row in every:
        if len(every) <= WORDS or row["significance"] != "none":
            told.setdefault(nth, []).append(str(row["sentence"]))
    return told
