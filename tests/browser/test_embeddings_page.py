"""The page of a study of embeddings in a real browser: opened from disk, with the network off."""

import base64

import pytest
from screen_words import DESKTOP, ONE_SYSTEM, PHONE, assert_first_screen, screen_words
from test_rating_page import CONTRAST, overflow

from made_up_embeddings import (
    ARABIC,
    GLOVE,
    HOSTILE,
    NEWS,
    all_refused,
    made_up_material,
    many_embeddings,
    odd_material,
    one_embedding,
)
from tiltmeter.report.page import render
from tiltmeter.studies.embeddings.page import embedding_figures

pytestmark = pytest.mark.browser

OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true })"
LETTERS = """
() => {
  const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const poor = new Set();
  for (const node of document.querySelectorAll('main svg text')) {
    const ink = light(getComputedStyle(node).fill);
    const ratio = (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05);
    if (ratio < 4.5) poor.add(`${node.getAttribute('class')}: ${ratio.toFixed(2)}`);
  }
  return [...poor];
}
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("embeddings")
    made = {
        "three": made_up_material(), "one": one_embedding(), "odd": odd_material(),
        "refused": all_refused(), "many": many_embeddings(20), "twelve": many_embeddings(12),
        "two": made_up_material((GLOVE, NEWS), further=False),
        "one-with-all": made_up_material((GLOVE,)), "two-with-all": made_up_material((GLOVE, NEWS)),
    }  # fmt: skip
    files = {}
    for name, material in made.items():
        files[name] = folder / f"{name}.html"
        files[name].write_text(render(material.page()), encoding="utf-8")
    return files


@pytest.mark.parametrize("name", ["three", "one", "odd", "refused", "many"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_fits_with_everything_open(visit, pages, name, width):
    page = visit(pages[name], viewport={"width": width, "height": 900})
    page.evaluate(OPEN)
    assert overflow(page) <= 0


FIRST_SCREENS = ("one", "one-with-all", "two", "two-with-all", "three", "twelve", "many", "refused")
"""With all: with a system's link and a mitigation."""


@pytest.mark.parametrize("name", FIRST_SCREENS)
def test_the_first_screen_answers_in_few_words(visit, pages, name):
    page = visit(pages[name], viewport=DESKTOP)
    assert_first_screen(page, name)
    _, everything = screen_words(page, name)
    assert everything <= ONE_SYSTEM
    assert page.locator(".bottom-line").bounding_box()["y"] < 250


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", FIRST_SCREENS)
def test_the_first_screen_of_a_phone(visit, pages, name, scheme):
    page = visit(pages[name], viewport=PHONE, color_scheme=scheme)
    assert_first_screen(page, name)
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(LETTERS) == []


def test_the_bottom_line_and_the_strip_come_first(visit, pages):
    page = visit(pages["three"], viewport=DESKTOP)
    assert page.locator(".bottom-line").inner_text() == (
        "Leave out glove-6b-50d: another is more even. Not decided between news-word2vec and "
        "minilm."
    )
    assert page.locator(".chip").all_inner_texts()[0].split() == ["▲", GLOVE, "less", "even"]
    strip = page.locator(".first-figure .forest").bounding_box()
    assert strip["y"] + strip["height"] < 800


def test_a_chip_opens_what_it_rests_on(visit, pages):
    page = visit(pages["two"], viewport=DESKTOP)
    table = page.locator("#choice table").first
    assert not table.is_visible()
    page.locator(".chip").first.click()
    assert table.is_visible()
    assert "not decided" in table.inner_text()


def test_each_fold_says_what_it_holds_in_one_short_sentence(visit, pages):
    page = visit(pages["three"])
    ledes = page.locator(".fold > summary .lede").all_inner_texts()
    assert len(ledes) == page.locator(".fold").count()
    assert all(len(lede.split()) <= 12 for lede in ledes), ledes


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["three", "odd"])
def test_letters_stand_out_from_their_paper(visit, pages, scheme, name):
    page = visit(pages[name], color_scheme=scheme)
    page.evaluate(OPEN)
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(LETTERS) == []


def test_hostile_and_foreign_text_is_read_as_it_is(visit, pages):
    page = visit(pages["odd"], java_script_enabled=True)
    page.evaluate(OPEN)
    assert page.locator("img").count() == 0
    assert HOSTILE in page.locator("#strip .name bdi").all_text_contents()
    arabic = page.locator(".of-terms th", has_text=ARABIC[0]).first
    assert arabic.evaluate("(one) => getComputedStyle(one).unicodeBidi").startswith("isolate")


def test_every_figure_has_its_words(visit, pages):
    page = visit(pages["three"])
    figures = page.locator("svg[role=img]")
    assert figures.count() >= 3 * 3 * 3
    told = figures.locator("> desc").all_text_contents()
    assert len(told) == figures.count()
    assert all(told)
    untold = "main svg:not(svg svg):not([role=img]):not([aria-hidden=true])"
    assert page.locator(untold).count() == 0


def test_depth_opens_from_the_keyboard_without_a_script(visit, pages):
    page = visit(pages["three"], java_script_enabled=False)
    table = page.locator(".of-terms").first
    assert not table.is_visible()
    for summary in ("#lists > .fold > summary", "#lists .list details:has(.of-terms) > summary"):
        page.locator(summary).first.focus()
        page.keyboard.press("Enter")
    assert table.is_visible()


def test_terms_names_stay_within_their_pictures(visit, pages):
    page = visit(pages["odd"])
    page.evaluate(OPEN)
    outside = page.evaluate(
        "[...document.querySelectorAll('.pictures svg.fig')].flatMap((svg) => {"
        " const frame = svg.getBoundingClientRect();"
        " return [...svg.querySelectorAll('text')].filter((one) => {"
        " const box = one.getBoundingClientRect();"
        " return box.left < frame.left - 8 || box.right > frame.right + 8; })"
        ".map((one) => one.textContent); })"
    )
    assert outside == []


def test_the_figures_are_images_of_their_own(visit, tmp_path):
    figures = embedding_figures(odd_material())
    images = "".join(
        f'<img alt="" src="data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}">'
        for text in figures.values()
    )
    file = tmp_path / "paper.html"
    file.write_text(f"<!doctype html><title>x</title>{images}", encoding="utf-8")
    page = visit(file)
    widths = page.evaluate(
        "Promise.all([...document.images].map((one) => one.decode().then(() => one.naturalWidth)))"
    )
    assert len(widths) == len(figures)
    assert min(widths) > 200


def test_bars_above_an_even_share_are_printed_too(visit, pages):
    page = visit(pages["three"])
    page.evaluate(OPEN)
    page.emulate_media(media="print")
    for kind in ("above", "below"):
        assert page.locator(f".bar.{kind}").first.is_visible(), kind
