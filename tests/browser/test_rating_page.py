"""The page of a rating in a real browser: opened from disk, with the network off."""

import base64

import pytest
from screen_words import DESKTOP, ONE_SYSTEM, PHONE, assert_first_screen, screen_words

from rating_examples import ARABIC, HOSTILE, LONG, example, many_examples, odd_example, own_group
from tiltmeter.report.page import render
from tiltmeter.studies.rating.figures import label_svg
from tiltmeter.studies.rating.run import rate

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
    three = ("gru", "random", "biased-female")
    made = {
        "one": example(("biased-female",), levels=2),
        "three": example(three),
        "four": example((*three, "textblob")),
        "forty": many_examples(40),
        "five": example(),
        "odd": odd_example(),
        "many": many_examples(50),
        "own": own_group(),
    }
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


FIRST = ["one", "three", "four", "forty", "five", "odd", "own"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", FIRST)
def test_the_first_screen_answers_in_150_words(visit, pages, name, size, scheme):
    page = visit(pages[name], viewport=size, color_scheme=scheme)
    assert_first_screen(page, f"rating of {name}")
    _, everything = screen_words(page, f"rating of {name}")
    assert everything <= ONE_SYSTEM
    lead = page.locator(".bottom-line")
    assert lead.bounding_box()["y"] < 400
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("mode", ["corrected", "published"])
@pytest.mark.parametrize("names", [["glove-lexicon"], ["vader", "textblob", "biased-female"]])
def test_a_real_rating_answers_first_with_a_pair_and_what_to_do(visit, tmp_path, mode, names):
    study = rate(names, mode=mode, draws=40, store=tmp_path / "store",
                 command=f"tiltmeter rate {' '.join(names)} --mode {mode}")  # fmt: skip
    page = visit(study.report(tmp_path / "out"))
    assert_first_screen(page, f"{len(names)} systems, {mode}")
    assert page.locator(".two tr").count() == 2
    step = page.locator(".step code").inner_text()
    assert step.startswith("tiltmeter ")
    assert "  " not in step


def test_a_rating_of_the_figure_leads_to_its_label(visit, pages):
    page = visit(pages["five"])
    label = page.locator("#system-4")
    assert not label.is_visible()
    page.locator(".strips a", has_text="biased-female").click()
    assert label.is_visible()
    page.locator('.strips a[aria-label="gender: beyond chance"]').click()
    assert page.locator("#groups .group").first.is_visible()


def test_variants_are_switched_by_keyboard_without_a_script(visit, pages):
    page = visit(pages["five"], java_script_enabled=False)
    first, second = page.locator(".group .v0").first, page.locator(".group .v1").first
    page.locator("#groups summary").first.focus()
    page.keyboard.press("Enter")
    assert first.is_visible()
    assert not second.is_visible()
    page.locator("#show-0").focus()
    page.keyboard.press("ArrowRight")
    assert second.is_visible()
    assert not first.is_visible()


def test_both_variants_are_printed(visit, pages):
    page = visit(pages["five"])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
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
    page.locator("#groups summary").first.click()
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_wider_than_the_screen_shows_an_edge_where_more_is_hidden(visit, pages, scheme):
    page = visit(pages["five"], viewport={"width": 400, "height": 800}, color_scheme=scheme)
    page.evaluate("document.querySelector('#matrix details').open = true")
    box = page.locator("#matrix .scroll").first
    box.scroll_into_view_if_needed()

    def edge(at):  # the last pixels of the box, beside its caption, where nothing is written
        place = box.bounding_box()
        x = place["x"] + (place["width"] - 7 if at == "end" else 0)
        return page.screenshot(clip={"x": x, "y": place["y"] + 26, "width": 6, "height": 2})

    assert box.evaluate("(one) => one.scrollWidth > one.clientWidth + 100")
    paper, shadow = edge("start"), edge("end")
    assert paper != shadow
    box.evaluate("(one) => { one.scrollLeft = one.scrollWidth }")
    assert (edge("start"), edge("end")) != (paper, shadow)
    assert edge("end") == paper
