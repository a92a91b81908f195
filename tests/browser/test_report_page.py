"""The report page in a real browser: opened from disk, with the network off."""

import re

import numpy as np
import pytest
from odd_names import HOSTILE, LONG
from open_sections import with_sections_open
from playwright.sync_api import expect

from simulated_material import audit_html
from tiltmeter.report.numbers import points

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(visit):
    return with_sections_open(visit)


def every_pair(page):
    """The list of every pair, which is folded below the largest swaps."""
    page.locator(".every > summary").click()
    return page.locator(".every .pair")


def rows(page):
    """The systems that the strip shows, in order."""
    shown = page.locator(".strip tbody tr:visible .name a")
    return [text.strip() for text in shown.all_text_contents()]


def overflow(page):
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


# ------------------------------------------------------------------ opening


def test_219_systems_open_from_disk(visit, large):
    page = visit(large)
    assert page.locator("h1").inner_text().startswith("Do these 46 systems")


def test_everything_that_matters_is_there_without_scripts(visit, large):
    page = visit(large, java_script_enabled=False)
    assert page.locator(".strip tbody tr").count() == 219
    assert page.locator(".strip tbody tr:visible").count() == 219
    assert "points of 100" in page.locator("#answer").inner_text()


def test_a_systems_name_leads_to_its_finding_in_words_without_scripts(visit, small):
    page = visit(small, java_script_enabled=False)
    target = page.locator(".strip .name a", has_text="lower").first.get_attribute("href")
    assert "lower scores sentences about men" in page.locator(target).inner_text()


# ------------------------------------------------------------------ the strip


def test_rows_are_sorted_by_size_then_as_asked(visit, small):
    page = visit(small)
    assert rows(page)[:2] == ["higher", "lower"]
    page.select_option("#sort", "name")
    assert rows(page) == sorted(rows(page), key=str.lower)
    head = page.locator("#strip th[data-sort='name']")
    assert head.get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="System: sort by name").click()
    assert rows(page) == sorted(rows(page), key=str.lower, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="gender: sort by size").click()
    assert rows(page)[0] == "higher"
    assert head.get_attribute("aria-sort") is None
    page.get_by_role("button", name="gender: sort by size").click()
    assert rows(page)[-1] == "higher"


def test_rows_are_sorted_by_skill(visit, large):
    page = visit(large)
    page.select_option("#by-task", "valence")
    page.select_option("#sort", "skill")
    assert rows(page)[:3] == ["team00", "team01", "team02"]


def test_the_search_narrows_the_rows_and_says_to_how_many(visit, large):
    page = visit(large)
    page.get_by_label("Find a system").fill("TEAM12")
    assert rows(page) == ["team12"] * 5  # a row for each task
    assert page.locator("#shown").inner_text() == "5 of 219 rows"
    page.get_by_label("Find a system").fill("nobody")
    assert rows(page) == []


def test_long_lists_show_thirty_rows_until_asked_for_all(visit, large):
    page = visit(large)
    assert len(rows(page)) == 30
    page.get_by_role("button", name="Show all 219 rows").click()
    expect(page.locator(".strip tbody tr:not([hidden])")).to_have_count(219)
    expect(page.get_by_role("button", name="Show all")).to_be_hidden()


def test_rows_are_filtered_by_task_and_finding(visit, large):
    page = visit(large)
    page.select_option("#by-task", "joy")
    assert page.locator("#shown").inner_text() == "45 of 219 rows"
    page.select_option("#by-finding", "none")
    assert page.locator("#shown").inner_text() == "15 of 219 rows"  # every third of 45


# ------------------------------------------------------------------ one system closely


def test_a_system_opens_closes_and_gives_the_focus_back(visit, small):
    page = visit(small)
    link = page.locator(".strip .name a", has_text="lower").first
    link.click()
    dialog = page.locator("#detail")
    assert dialog.locator("h2").inner_text().startswith("lower")
    assert page.url.endswith("#system-lower")
    said = dialog.inner_text()
    assert re.search(r"lower scores sentences about men 0\.\d+ points of 100 higher", said)
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.wait_for_url(lambda url: "#" not in url)  # the dialog says a moment later that it closed
    assert page.evaluate("document.activeElement.textContent") == "lower"


def test_an_address_opens_a_system_and_back_closes_it(visit, small):
    page = visit(small, "#system-higher")
    assert page.locator("#detail h2").inner_text().startswith("higher")
    page.get_by_role("button", name="Next system").click()
    assert page.locator("#detail h2").inner_text().startswith("lower")
    page.go_back()
    assert page.locator("#detail h2").inner_text().startswith("higher")
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#detail").is_visible()


def test_the_explorer_shows_the_largest_pairs_first_and_more_on_demand(
    visit, small, small_material
):
    page = visit(small, "#system-higher")
    compared = small_material.compared[0]
    gender = (compared.study.pairs["axis"] == "gender").to_numpy()
    sizes = np.where(gender, np.abs(compared.study.deltas[0]), 0)
    largest = compared.study.pairs.row(int(sizes.argmax()), named=True)
    pairs = every_pair(page)
    assert pairs.count() == 20
    first = pairs.first
    assert first.locator("q").all_inner_texts() == [largest["text_first"], largest["text_second"]]
    assert points(sizes.max()) in first.locator(".apart").inner_text()
    assert first.locator("mark").count() >= 2
    page.get_by_role("button", name="Show more").click()
    assert pairs.count() == 40


def test_pairs_are_filtered_by_emotion_template_and_person(visit, small):
    page = visit(small, "#system-higher")
    every_pair(page)
    form = page.locator(".explorer")
    form.locator("select[name=emotion]").select_option(label="joy")
    assert all("joy" in text for text in page.locator(".every .pair .about").all_inner_texts())
    assert "of 390 pairs" in form.inner_text() or "of 385 pairs" in form.inner_text()
    form.get_by_label("Person").select_option(label="my mother/my father")
    assert all(
        "mother" in text for text in page.locator(".every .pair q:first-child").all_inner_texts()
    )
    form.get_by_label("Template").select_option(index=1)
    abouts = page.locator(".every .pair .about").all_inner_texts()
    assert all("template 1" in text for text in abouts)


def test_pooled_names_are_shown_as_an_example_of_an_average(visit, small):
    page = visit(small, "#system-higher")
    page.get_by_label("with African American names and with European American names").check()
    about = every_pair(page).locator(".about").first.inner_text()
    assert "the average of 20 sentences (names)" in about


def test_the_closer_look_holds_people_words_and_subsets(visit, small, small_material):
    page = visit(small, "#system-higher")
    assert page.locator(".people tbody tr").count() == 60
    assert page.locator(".heat td:not(.void)").count() == 144
    subsets = page.locator(".subsets tbody tr")
    assert subsets.count() == 18
    assert "exploratory" not in subsets.first.inner_text()
    assert "(exploratory)" in subsets.nth(1).inner_text()
    spread = small_material.estimates.filter(
        system="higher", axis="gender", subset="all", measure="spread"
    )["value"][0]
    assert f"{points(spread)} points" in page.locator(".inside").inner_text()
    assert "a simulated system" in page.locator(".inside .facts").inner_text()


@pytest.mark.slow
def test_where_only_the_largest_pairs_are_embedded_the_page_says_so(visit, many):
    page = visit(many, "#system-team00")
    pairs = every_pair(page)
    said = page.locator(".explorer").inner_text()
    assert re.search(r"the \d+ largest of 1,584 are in this page", said)
    assert pairs.count() == 20


# ------------------------------------------------------------------ box plots


def test_box_plots_are_drawn_when_opened_and_tell_both_sentences(visit, small):
    page = visit(small)
    page.locator("#boxes").scroll_into_view_if_needed()
    row = page.locator(".boxplot .boxrow", has_text="higher").nth(1)
    row.locator(".pt").first.hover()
    tip = page.locator("#tip")
    assert tip.locator("q").count() == 2
    assert "points higher about" in tip.inner_text()
    box = page.locator(".boxplot .boxrow svg[role='img']").first
    box.focus()
    page.keyboard.press("ArrowRight")
    assert tip.is_visible()
    assert page.locator(".pt.on").count() == 1


def test_box_plots_of_many_systems_stay_closed_until_asked_for(visit, large):
    page = visit(large)
    assert page.locator(".boxplot .boxrow").count() == 0
    page.locator("#boxes summary").first.click()
    page.locator(".boxplot .boxrow").first.wait_for()
    assert page.locator(".boxplot .boxrow").count() == 1 + 46
    names = page.locator(".boxplot .boxrow a").all_inner_texts()
    assert names == sorted(names)  # by rank, and the simulated ranks follow the names


# ------------------------------------------------------------------ strangers' text


def test_a_name_that_is_markup_is_shown_as_text(visit, small):
    page = visit(small)
    page.locator(".strip .name a", has_text=HOSTILE).click()
    assert page.locator("#detail h2 bdi").inner_text() == HOSTILE
    page.keyboard.press("Escape")
    page.get_by_label("Find a system").fill("<script>")
    assert rows(page) == [HOSTILE]


def test_arabic_sentences_run_from_right_to_left_in_place(visit, arabic):
    page = visit(arabic, "#system-other")
    quote = page.locator(".pair q").first
    assert quote.get_attribute("lang") == "ar"
    assert quote.evaluate("one => getComputedStyle(one).direction") == "rtl"
    assert page.locator(".said").first.evaluate("one => getComputedStyle(one).direction") == "ltr"
    assert quote.locator("mark").count() >= 1


# ------------------------------------------------------------------ every reader


def test_nothing_overflows_on_a_phone(visit, small, large, arabic):
    for file, address in ((large, ""), (arabic, ""), (small, ""), (small, "#system-higher")):
        page = visit(file, address, viewport={"width": 400, "height": 800})
        for width in (400, 360):
            page.set_viewport_size({"width": width, "height": 800})
            assert overflow(page) <= 0
            assert page.evaluate("document.getElementById('detail').scrollWidth") <= width


def test_a_name_of_two_hundred_characters_stays_in_its_column(visit, small):
    page = visit(small)
    box = page.locator(".strip .name a", has_text=LONG.strip()).bounding_box()
    assert box["width"] < 300
    assert box["height"] < 120


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG's ratio of two colours: (L1 + 0.05) / (L2 + 0.05)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


COLOURS = """() => Object.fromEntries(["paper", "sheet", "ink", "soft", "up", "down", "up-mark",
  "down-mark", "mark", "rule", "dust"].map((name) => {
    const probe = document.createElement("i");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return [name, colour];
  }))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_have_enough_contrast(visit, small, scheme):
    page = visit(small, color_scheme=scheme)
    colours = page.evaluate(COLOURS)
    assert (luminance(colours["paper"]) > 0.5) == (scheme == "light")
    for ground in ("paper", "sheet"):
        for text in ("ink", "soft"):
            assert contrast(colours[text], colours[ground]) >= 4.5
    for text in ("up", "down"):
        assert contrast(colours[text], colours["paper"]) >= 4.5
    assert contrast(colours["ink"], colours["mark"]) >= 4.5
    for mark in ("up-mark", "down-mark", "rule", "dust"):
        assert contrast(colours[mark], colours["paper"]) >= 3


HEAT = """() => [...document.querySelectorAll(".heat td:not(.void)")].map((cell) => {
    const [r, g, b, a] = getComputedStyle(cell).backgroundColor.match(/[\\d.]+/g).map(Number);
    const ground = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
    const over = [r, g, b].map((c, nth) => Math.round(c * (a ?? 1) + ground[nth] * (1 - (a ?? 1))));
    return [getComputedStyle(cell).color, `rgb(${over.join(",")})`];
  })"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_on_the_heat_map_stay_readable(visit, small, scheme):
    page = visit(small, "#system-lower", color_scheme=scheme)
    for text, ground in page.evaluate(HEAT):
        assert contrast(text, ground) >= 4.5


def test_the_whole_way_by_keyboard(visit, small):
    page = visit(small)
    press = page.keyboard.press
    press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(60):
        press("Tab")
        if page.evaluate("document.activeElement.closest('.strip tbody') !== null"):
            break
    outlined = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outlined == "solid"
    press("Enter")
    assert page.locator("#detail").is_visible()
    for _ in range(10):
        press("Tab")
        if page.evaluate("document.activeElement.type === 'radio'"):
            break
    press("ArrowRight")
    assert "African American names (above)" in page.locator("#detail").inner_text()
    press("Escape")
    assert not page.locator("#detail").is_visible()
    assert page.evaluate("document.activeElement.closest('.strip tbody') !== null")


def test_pictures_and_controls_have_names(visit, small):
    page = visit(small, "#system-higher")
    page.locator("#detail").evaluate("one => one.querySelector('.explorer')")
    nameless = page.evaluate(
        """() => [
          ...[...document.querySelectorAll("svg:not(svg svg)")].filter((one) =>
            !one.closest("[aria-hidden=true]") && !one.hasAttribute("aria-label")),
          ...[...document.querySelectorAll("input, select")].filter((one) => !one.closest("label")),
          ...[...document.querySelectorAll("button, a")].filter((one) =>
            !(one.textContent.trim() || one.getAttribute("aria-label"))),
        ].map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert nameless == []
    landmarks = page.evaluate(
        "['header', 'nav', 'main', 'footer'].map((one) => document.querySelectorAll(one).length)"
    )
    assert landmarks == [1, 1, 1, 1]


def test_print_shows_every_row_and_no_controls(visit, large):
    page = visit(large)
    page.emulate_media(media="print")
    assert page.locator(".strip tbody tr:visible").count() == 219
    assert not page.locator("#tools").is_visible()


def test_reduced_motion_is_respected(visit, small):
    page = visit(small, reduced_motion="reduce")
    scrolling = "getComputedStyle(document.documentElement).scrollBehavior"
    assert page.evaluate(scrolling) == "auto"


# ------------------------------------------------------------------ one system's own page


def test_a_systems_own_page_is_drawn_in_full_without_being_asked(visit, own):
    page = visit(own)
    page.locator("#own .pair").first.wait_for()
    assert page.locator("#own .swap").count() == 10
    assert page.locator("#own .heat td:not(.void)").count() == 144
    page.locator("#own .also a", has_text="joy").click()
    assert page.locator("#own .also [aria-current]").inner_text() == "joy"
    assert page.locator("#detail").count() == 0
    assert overflow(page) <= 0


def test_a_report_on_one_system_shows_it_in_full_at_once(visit, folder, small_material):
    from tiltmeter.studies.audit.page import system_only

    file = folder / "alone.html"
    file.write_text(audit_html(system_only(small_material, "lower")), encoding="utf-8")
    page = visit(file)
    page.locator("#own .pair").first.wait_for()
    assert page.locator("h1").inner_text().startswith("Does lower score the same sentence alike")
    assert page.locator("#tools").count() == 0
