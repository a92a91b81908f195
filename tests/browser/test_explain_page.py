"""The page of an explanation in a real browser: one screen, nothing loaded, folds that open."""

import pytest
from screen_words import DESKTOP, ONE_SYSTEM, PHONE, assert_first_screen, screen_words

import tiltmeter

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory, shared_store):
    """A driver, a system that moves what it knows, and a sentence typed."""
    where = tmp_path_factory.mktemp("explained")
    names = tiltmeter.load_corpus("names-us", people=40)
    for system, corpus in (("vader", "eec"), ("glove-lexicon", names)):
        audit = tiltmeter.audit(
            system, corpus=corpus, store=shared_store, measures=["pairs"],
            reference=None if corpus == "eec" else {"race": "White"},
        )  # fmt: skip
        audit.report(where / f"{system}-audit")
        found = tiltmeter.explain(system, where / f"{system}-audit", store=shared_store)
        found.report(where / system)
    text = "Tia <b>feels</b> happy about the awful weather."
    tiltmeter.explain("vader", text=text, store=shared_store).report(where / "sentence")
    return where


@pytest.mark.parametrize("name", ["vader", "glove-lexicon", "sentence"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_first_screen_answers_in_few_words(pages, visit, name, size):
    page = visit(pages / name / "explain.html", viewport=size)
    if size is DESKTOP:
        assert_first_screen(page, name)
    assert screen_words(page, name)[1] <= ONE_SYSTEM


def test_the_driver_is_named_and_a_verdict_leads_to_its_people(pages, visit):
    page = visit(pages / "vader" / "explain.html")
    assert "Driven by Tia" in page.locator(".bottom-line").inner_text()
    assert not page.locator("#people table").first.is_visible()
    page.locator(".chips a").first.click()
    table = page.locator("#people table").first
    assert table.is_visible()
    assert table.locator("tbody tr").first.inner_text().startswith("Tia")


def test_markup_in_a_sentence_is_only_text(pages, visit):
    page = visit(pages / "sentence" / "explain.html")
    assert "<b>feels</b>" in page.locator("#answer").inner_text()
