"""The page of a rating in a real browser: opened from disk, with the network off."""

import base64

import pytest

from rating_examples import ARABIC, HOSTILE, LONG, example, many_examples, odd_example, own_group
from tiltmeter.report.page import render
from tiltmeter.studies.rating.figures import label_svg

pytestmark = pytest.mark.browser

CONTRAST = """
() => {
  const known = {};
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (text) => {
    if (known[text]) return known[text];
    canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    return known[text] = [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)' && colour !== 'transparent') return colour;
    }
    return 'white';
  };
  const poor = new Set();
  for (const node of document.querySelectorAll('main *')) {
    const text = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!text || node.closest('svg, .vh') || !node.checkVisibility()) continue;
    const [a, b] = [getComputedStyle(node).color, behind(node)].map((one) => light(rgb(one)));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.add(`${node.tagName}.${node.className}: ${ratio.toFixed(2)}`);
  }
  return [...poor];
}
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ratings")
    made = {"five": example(), "odd": odd_example(), "many": many_examples(50), "own": own_group()}
    files = {}
    for name, material in made.items():
        files[name] = folder / f"{name}.html"
        files[name].write_text(render(material.page()), encoding="utf-8")
    return files


def overflow(page):
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


@pytest.mark.parametrize("name", ["five", "odd", "many", "own"])
@pytest.mark.parametrize("width", [360, 800, 1280])
def test_the_page_fits_with_everything_open(visit, pages, name, width):
    page = visit(pages[name], viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert overflow(page) <= 0


def test_the_answer_is_on_the_first_screen(visit, pages):
    page = visit(pages["five"])
    answer = page.locator(".answer.first p")
    assert "biased-female is rated 3, the most tilt." in answer.inner_text()
    assert answer.bounding_box()["y"] < 400
    assert page.locator(".card").first.bounding_box()["y"] < 900


def test_variants_are_switched_by_keyboard_without_a_script(visit, pages):
    page = visit(pages["five"], java_script_enabled=False)
    first, second = page.locator(".group .v0").first, page.locator(".group .v1").first
    assert first.is_visible()
    assert not second.is_visible()
    page.locator("#show-0").focus()
    page.keyboard.press("ArrowRight")
    assert second.is_visible()
    assert not first.is_visible()


def test_both_variants_are_printed(visit, pages):
    page = visit(pages["five"])
    page.emulate_media(media="print")
    assert page.locator(".group .v0").first.is_visible()
    assert page.locator(".group .v1").first.is_visible()
    assert not page.locator(".switch").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_from_their_paper(visit, pages, scheme):
    page = visit(pages["odd"], color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.evaluate(CONTRAST) == []


def test_hostile_and_foreign_names_are_read_as_they_are(visit, pages):
    page = visit(pages["odd"])
    heads = page.locator(".card h3").all_text_contents()
    assert {HOSTILE, LONG, ARABIC} < set(heads)
    assert page.locator("img").count() == 0
    arabic = page.locator(".card h3", has_text=ARABIC)
    assert arabic.evaluate("(one) => getComputedStyle(one).direction") == "rtl"


def test_every_figure_has_its_words(visit, pages):
    page = visit(pages["five"])
    figures = page.locator("svg.dag[role=img]")
    told = [figures.nth(n).get_attribute("aria-label") for n in range(figures.count())]
    assert len(told) == 5 * 4 * 2
    assert all("→ sentiment: " in one for one in told)
    hidden = page.locator("svg:not([role=img]):not([aria-hidden=true])")
    assert hidden.count() == 0


def test_details_open_from_the_keyboard(visit, pages):
    page = visit(pages["five"])
    summary = page.get_by_text("t-values, gender alone (G1)").first
    summary.focus()
    page.keyboard.press("Enter")
    table = page.locator(".evidence").first
    assert table.is_visible()
    assert "H" in table.inner_text()


def test_a_label_is_an_image_on_light_and_dark_pages(visit, tmp_path):
    svg = label_svg(odd_example(), HOSTILE, "valence", "continuous")
    data = base64.b64encode(svg.encode()).decode()
    file = tmp_path / "readme.html"
    image = f'<img width="200" alt="" src="data:image/svg+xml;base64,{data}">'
    file.write_text(f"<!doctype html><title>x</title>{image}", encoding="utf-8")
    page = visit(file)
    assert page.evaluate("document.images[0].decode().then(() => document.images[0].naturalWidth)")


@pytest.mark.parametrize("system", [HOSTILE, LONG, ARABIC, "biased-female"])
def test_no_text_of_a_label_leaves_it(browser, system):
    page = browser.new_page()
    page.set_content(label_svg(odd_example(), system, "valence", "discretised"))
    ends = page.evaluate(
        "[...document.querySelectorAll('text')].map((one) => { const box = one.getBBox();"
        " return box.x + box.width })"
    )
    page.close()
    assert max(ends) <= 194
