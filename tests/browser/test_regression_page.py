"""Regressions in a real browser: rows, numbers, a submission opened, other languages, narrow."""

import re
from dataclasses import replace

import numpy as np
import pytest
from odd_names import HOSTILE, LONG
from open_sections import with_sections_open
from playwright.sync_api import expect

from simulated_material import audit_html
from simulated_regressions import leaning, regression_material
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.regression import forests

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(visit):
    return with_sections_open(visit)


EEC = load_corpus("eec")
MANY = 20


def written(folder, name, text):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def fitted():
    """Twenty systems for two tasks; women higher in the first, one flat, odd names."""
    sentences = EEC.sentences()
    names = ["women", "flat", HOSTILE, LONG, *(f"s{nth:02}" for nth in range(4, MANY))]
    by = {
        (name, task): leaning(
            sentences, {("gender", "female"): 0.1 if name == "women" else 0.0}, seed=nth
        )
        for nth, name in enumerate(names)
        for task in ("valence", "anger")
    }
    by |= {("flat", task): np.full(sentences.height, 0.5) for task in ("valence", "anger")}
    return regression_material([(EEC, by)])


@pytest.fixture(scope="session")
def regressed_page(folder, fitted):
    drawn, forests.ROWS = forests.ROWS, 2 * forests.FEWEST
    try:
        return written(folder, "regressed.html", audit_html(fitted))
    finally:
        forests.ROWS = drawn


@pytest.fixture(scope="session")
def alone_page(folder, fitted):
    return written(
        folder, "regression-alone.html", audit_html(replace(fitted, measures=("regression",)))
    )


@pytest.fixture(scope="session")
def arabic_regressed(folder):
    corpus = load_corpus("eec-ar")
    values = leaning(corpus.sentences(), {("gender", "female"): 0.05})
    return written(
        folder, "ar.html", audit_html(regression_material([(corpus, {("نموذج", "anger"): values})]))
    )


def rows(page, task):
    return page.locator(f".plot[data-task='{task}'] .forest tbody tr:visible")


def overflow(page):
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def test_the_largest_rows_are_drawn_and_the_others_when_asked(visit, regressed_page):
    page = visit(regressed_page)
    assert rows(page, "anger").count() == forests.FEWEST
    # By keyboard: on a busy machine a pointer may meet a page that still moves.
    page.locator(".plot[data-task='anger'] summary").filter(has_text="11 more").press("Enter")
    expect(rows(page, "anger")).to_have_count(MANY - 1)  # the flat one has no fit
    drawn, late = rows(page, "anger").nth(0), rows(page, "anger").nth(MANY - 2)
    for row in (drawn, late):
        assert row.locator("td svg circle").count() == 3
        assert re.search(r"\d points .*, 95 % interval", row.text_content())


def test_a_search_opens_the_folded_rows_whose_dots_stand_at_their_numbers(
    visit, regressed_page, fitted
):
    page = visit(regressed_page)
    page.locator("#effect-find").fill("s07")
    late = rows(page, "valence").filter(has_text="s07").locator("td").first
    value = fitted.regressed[0].estimates.filter(
        system="s07", task="valence", axis="gender", measure="marginal_effect"
    )["value"][0]
    limit = forests.effects_scale(forests.regressions(fitted)).high
    wanted = 50 + 46 * 100 * value / limit
    assert float(late.locator("circle").get_attribute("cx")[:-1]) == pytest.approx(wanted, abs=0.02)


def test_the_search_and_the_task_narrow_the_rows(visit, regressed_page):
    page = visit(regressed_page)
    page.locator("#effect-find").fill("S1")
    assert page.locator("#effect-shown").inner_text() == "20 of 38 rows"  # s10 to s19, two tasks
    page.select_option("#effect-task", "anger")
    assert page.locator("#effect-shown").inner_text() == "10 of 38 rows"
    assert rows(page, "valence").count() == 0


def test_the_numbers_have_stars_errors_and_both_p_values(visit, regressed_page, fitted):
    page = visit(regressed_page)
    plot = page.locator(".plot[data-task='valence']")
    plot.locator(".numbers summary").click()
    row = plot.locator(".coefs tbody tr").filter(has_text="women").first
    cells = row.locator("td").all_inner_texts()
    number = (
        fitted.regressed[0]
        .estimates.filter(system="women", task="valence", axis="gender", measure="coefficient")
        .row(0, named=True)
    )
    assert cells[0] == "gender"
    assert cells[5].startswith(f"{number['value']:.3f}")
    assert cells[5].endswith("***")
    assert cells[6] == f"{number['se']:.3f}"
    assert cells[7] == f"{number['df']:.1f}"
    assert "all at once" in plot.locator(".coefs").inner_text()


def test_a_row_opens_its_submission_at_the_regression(visit, regressed_page, fitted):
    page = visit(regressed_page)
    rows(page, "valence").first.locator(".name a").click()
    part = page.locator("#detail .regressed")
    assert page.evaluate("document.activeElement.textContent") == "Gender, race and both together"
    assert part.locator("h3").is_visible()
    mean = fitted.regressed[0].groups.filter(
        system="women", task="valence", gender="female", race="African American"
    )["mean"][0]
    cells = part.locator(".means td").all_inner_texts()
    assert f"{100 * mean:.1f}" in cells[1]
    assert "40 sentences, 10 names" in cells[1]


def test_the_names_that_pull_an_effect_are_told_with_what_it_would_be(visit, alone_page, fitted):
    page = visit(alone_page)
    rows(page, "valence").first.locator(".name a").click()
    part = page.locator("#detail .regressed")
    frame = fitted.regressed[0].people.filter(system="women", task="valence", axis="gender")
    most = frame.sort(frame["pull"].abs(), descending=True).row(0, named=True)
    said = part.locator(".pulling li").first.inner_text()
    assert said.startswith("gender is ")
    value = fitted.regressed[0].estimates.filter(
        system="women", task="valence", axis="gender", measure="marginal_effect"
    )["value"][0]
    left = 100 * (value - most["pull"])
    told = re.search(rf"Without “{most['person']}”: ([\d.]+) points", said)
    assert float(told[1]) == pytest.approx(left, abs=0.06 if left < 10 else 0.6)
    assert part.locator(".named svg[role=group]").count() == 4
    part.get_by_text("Every name").click()
    expect(part.locator("details tbody tr")).to_have_count(40)


def test_a_submission_without_a_fit_says_why(visit, alone_page):
    page = visit(alone_page, "#system-flat.valence")
    said = page.locator("#detail .regressed").inner_text()
    assert "Cannot be estimated, because all 160 scores are the same (0.5)." in said


def test_without_scripts_the_rows_and_reasons_are_there(visit, regressed_page):
    page = visit(regressed_page, java_script_enabled=False)
    assert rows(page, "valence").count() == forests.FEWEST
    assert page.locator(".plot summary").first.inner_text() == "11 more"
    assert "Cannot be estimated for flat" in page.locator("#regression").inner_text()


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_runs_out_of_a_narrow_page(visit, regressed_page, width):
    page = visit(regressed_page, viewport={"width": width, "height": 800})
    assert overflow(page) <= 0
    rows(page, "anger").first.locator(".name a").click()
    dialog = page.locator("#detail")
    assert dialog.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_arabic_names_stand_right_to_left(visit, arabic_regressed):
    page = visit(arabic_regressed)
    part = page.locator("#own .regressed")
    part.get_by_text("Every name").click()
    first = part.locator("details tbody th").first
    assert first.get_attribute("dir") == "auto"
    assert first.evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_it_prints(visit, regressed_page):
    page = visit(regressed_page)
    page.emulate_media(media="print")
    assert not page.locator("#effect-tools").is_visible()
    assert page.locator(".plot td circle").first.is_visible()
