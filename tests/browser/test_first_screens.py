"""The first screen of every kind of audit's page: at most 150 words, and the answer is there."""

import pytest
from screen_words import DESKTOP, FIRST_SCREEN, ONE_SYSTEM, PHONE, assert_first_screen, screen_words

import tiltmeter
from simulated_material import audit_html

pytestmark = pytest.mark.browser
SYSTEMS = ["vader", "textblob", "glove-lexicon"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Audits of one and of three systems, on a list, a population, two languages, regressions."""
    folder = tmp_path_factory.mktemp("screens")
    kept = {"store": folder / "store", "command": "tiltmeter audit"}
    audits = {
        "one system": tiltmeter.audit("vader", "eec", **kept),
        "three systems, two corpora": tiltmeter.audit(
            SYSTEMS, ["eec", "names-us"], people=40, measures="pairs", **kept
        ),
        "regression alone": tiltmeter.audit(SYSTEMS, "eec", measures="regression", **kept),
        "as published": tiltmeter.audit(
            SYSTEMS, "eec", edition="published", mode="published", measures="pairs", **kept
        ),
        "Arabic": tiltmeter.audit("senticnet-ar", "eec-ar", measures="pairs", **kept),
        "a constant": tiltmeter.audit("constant", "eec", measures="pairs", **kept),
    }
    made = {name: folder / f"{name}.html" for name in audits}
    for name, file in made.items():
        file.write_text(audit_html(audits[name]), encoding="utf-8")
    return made


KINDS = (
    "one system", "three systems, two corpora", "regression alone", "as published", "Arabic",
    "a constant",
)  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_the_first_screen_is_the_answer(visit, pages, name):
    page = visit(pages[name], viewport=DESKTOP)
    assert_first_screen(page, name)
    assert page.locator("h1").bounding_box()["y"] < 120
    assert page.locator(".bottom-line").bounding_box()["y"] < 200
    if name != "a constant":
        assert page.locator(".first-figure").bounding_box()["y"] < 300


@pytest.mark.parametrize("name", KINDS)
def test_one_more_screen_of_a_phone_is_enough(visit, pages, name):
    """Two screens of a phone, which leaves 700 pixels of each to a page."""
    page = visit(pages[name], viewport=PHONE)
    above, _ = screen_words(page, name, 2 * PHONE["height"])
    assert above <= FIRST_SCREEN
    assert page.locator(".glance").count() <= 1


def test_the_pages_of_many_systems_and_of_hostile_names_too(visit, small, large, own, many):
    for name, file in (("five", small), ("219", large), ("own page", own), ("290", many)):
        assert_first_screen(visit(file, viewport=DESKTOP), name)


@pytest.mark.parametrize("name", ["one system", "Arabic", "a constant"])
def test_a_page_of_one_system_is_short_before_anything_is_opened(visit, pages, name):
    _, everything = screen_words(visit(pages[name], viewport=DESKTOP), name)
    assert everything <= ONE_SYSTEM


def test_every_fold_opens_with_one_sentence(visit, pages):
    page = visit(pages["one system"], viewport=DESKTOP)
    folds = page.locator("main > section > details.fold")
    assert folds.count() >= 8
    for at in range(folds.count()):
        fold = folds.nth(at)
        assert not fold.locator("> summary .lede").is_visible()
        fold.locator("> summary").click()
        said = fold.locator("> summary .lede").inner_text()
        assert 2 <= len(said.split()) <= 30
        assert said.rstrip().endswith(".")


def test_a_verdict_leads_to_why(visit, pages):
    page = visit(pages["three systems, two corpora"], viewport=DESKTOP)
    page.locator(".forest.small a.chip").first.click()
    assert page.evaluate("location.hash").endswith("/why")
    said = page.locator("dialog[open] .judged").inner_text()
    assert "because the whole 95 % interval lies" in said
    assert "margin of 1 point of 100" in said


def test_a_row_opens_its_system_and_a_pair_leads_to_more(visit, pages):
    page = visit(pages["three systems, two corpora"], viewport=DESKTOP)
    page.locator(".forest.small tbody .name a").first.click()
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.get_by_role("link", name="more pairs").click()
    assert page.locator("dialog[open] .pairs").count() >= 1


def test_the_dots_of_people_say_who_is_moved_in_words_too(visit, pages):
    page = visit(pages["one system"], viewport=DESKTOP)
    said = page.locator(".moved-people").inner_text()
    assert "1 of 40 names by more than 1 point; most of it is Tia." in said
    label = page.locator(".people-dots svg").get_attribute("aria-label")
    assert "female: 20 names; male: 20 names" in label
    assert page.locator(".people-dots circle").count() == 40
