"""The whole page."""

from __future__ import annotations

from tiltmeter.report.html.page_parts import environment, own_text, policy, trusted
from tiltmeter.report.html.reproduction.learned import directions, section_6, word_blocks
from tiltmeter.report.html.reproduction.rows import LANGUAGES, languages_of
from tiltmeter.report.html.reproduction.skill import (
    NEAR,
    best_systems,
    sample_size,
    skill_blocks,
    unskilled,
)
from tiltmeter.report.html.reproduction.tilt import beside_blocks, largest_tilts, tilt_blocks
from tiltmeter.report.results import Results


def results_page(results: Results) -> str:
    """The whole page, self-contained."""
    css = own_text("page.css")
    return environment().get_template("results.html").render(
        results=results,
        models=results.skill.height,
        languages=[LANGUAGES.get(code, code) for code in languages_of(results.skill)],
        skill=list(skill_blocks(results)),
        beside=list(beside_blocks(results)),
        tilts=list(tilt_blocks(results)),
        found=[*best_systems(results.skill), *largest_tilts(results.tilts)],
        unskilled=unskilled(results.skill),
        directions=directions(section_6(results)),
        recipes=set(results.skill["recipe"]),
        section_6=section_6(results),
        words=list(word_blocks(results)),
        sample=sample_size(results.skill),
        near=NEAR,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip
