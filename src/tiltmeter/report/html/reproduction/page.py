"""The whole page."""

from __future__ import annotations

from tiltmeter.report.charts.drawing import can_draw
from tiltmeter.report.charts.regression_figures import language_figure_names
from tiltmeter.report.html.page_parts import own_text, policy, rendered, trusted
from tiltmeter.report.html.reproduction.learned import directions, section_6, word_blocks
from tiltmeter.report.html.reproduction.margins import (
    compared_groups,
    found_by_regression,
    language_blocks,
    paper_tables,
    tweet_readers,
)
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
    css = f"{own_text('page.css')}\n{own_text('results.css')}"
    return rendered(
        "results.html",
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
        margins=paper_tables(results),
        regression=list(found_by_regression(results)),
        by_language=list(language_blocks(results)),
        compared_groups=compared_groups(results),
        tweet_readers=tweet_readers(results),
        drawn=_drawn(results),
        words=list(word_blocks(results)),
        sample=sample_size(results.skill),
        near=NEAR,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _drawn(results: Results) -> set[str]:
    """The figures of two languages that stand beside the page."""
    if not can_draw():
        return set()
    return {one.name for one in language_figure_names(results.languages)}
