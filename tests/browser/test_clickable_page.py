"""Clickable all the way down: names, cells, pairs and verdicts lead to what is behind them."""

import re

import polars as pl
import pytest
from playwright.sync_api import expect

from simulated_material import audit_html, material_of, scored
from tiltmeter import audit
from tiltmeter.corpora import load_corpus
from tiltmeter.report.text_difference import marked_difference

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 400, "height": 800}}
SHIFTS = {"even": 0.0, "higher": 0.02, "lower": -0.01}
EBONY = 0.21


@pytest.fixture(scope="session")
def sentences():
    return load_corpus("eec").sentences()


@pytest.fixture(scope="session")
def three(folder, sentences):
    """Three systems: women's sentences differ by a planted shift, and Ebony's by 0.21 in one."""
    women = (sentences["gender"] == "female").to_numpy()
    ebony = (sentences["person"] == "Ebony").to_numpy()
    scores = [
        scored(sentences, name, "valence", 0.5 + by * women + EBONY * ebony * (name == "higher"))
        for name, by in SHIFTS.items()
    ]
    file = folder / "three.html"
    file.write_text(audit_html(material_of(pl.concat(scores))), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def judged(folder):
    """An audit with claims."""
    file = folder / "judged.html"
    file.write_text(audit_html(audit(["vader", "textblob"], store=None)), "utf-8")
    return file


def inside(page, selector):
    """Nothing of an element is wider than the screen."""
    return page.locator(selector).evaluate("one => one.scrollWidth <= innerWidth")


# ------------------------------------------------------------------ a person


def test_a_name_leads_to_its_effect_and_all_its_sentences_in_every_system(visit, three):
    page = visit(three, "#system-higher")
    page.locator("#detail .people a", has_text="Ebony").first.click()
    person = page.locator("#person")
    expect(person.locator("h2")).to_have_text("Ebony")
    assert "about women, with African American names" in person.inner_text()
    effects = person.locator(".effects tbody tr")
    assert effects.count() == 3
    # 0.21 above 39 others, half of them women: 0.21 × 39/40, and half of 0.02: 0.2148
    assert re.search(r"higher\s+21\s+points higher", effects.first.inner_text())
    heads = person.locator(".sentences thead th").all_inner_texts()
    assert [head.strip() for head in heads] == ["Sentence", "even", "higher", "lower"]
    rows = person.locator(".sentences tbody tr")
    assert rows.count() == 60
    assert rows.first.inner_text().split("\t") == ["Ebony feels angry.", "50.0", "73.0", "49.0"]
    person.get_by_role("button", name="Show all 144 sentences").click()
    assert rows.count() == 144


def test_the_name_that_a_difference_rests_on_leads_there_too(visit, folder, sentences):
    tia = (sentences["person"] == "Tia").to_numpy()
    scores = [scored(sentences, name, "valence", 0.5 + 0.2 * tia) for name in ("one", "two")]
    file = folder / "rests.html"
    file.write_text(audit_html(material_of(pl.concat(scores))), encoding="utf-8")
    page = visit(file, "#strip")
    page.locator("#strip .s a", has_text="Tia").first.click()
    expect(page.locator("#person h2")).to_have_text("Tia")
    page.keyboard.press("Escape")
    page.locator("#strip .name a").first.click()
    said = page.locator("#detail").inner_text()
    assert "Only Tia moves a score: nobody else’s swaps do." in said


def test_sentences_are_sorted_by_a_systems_scores(visit, folder, sentences):
    joy = (sentences["emotion"] == "joy").fill_null(False).to_numpy()
    scores = [scored(sentences, name, "valence", 0.5 + 0.3 * joy) for name in ("one", "two")]
    file = folder / "sorted.html"
    file.write_text(audit_html(material_of(pl.concat(scores))), encoding="utf-8")
    page = visit(file, "#person/eec/Ebony")
    button = page.get_by_role("button", name="Sort by the scores of one")
    first = page.locator(".sentences tbody tr").first
    button.click()
    assert "80.0" in first.inner_text()
    assert button.locator("xpath=..").get_attribute("aria-sort") == "descending"
    button.click()
    assert "50.0" in first.inner_text()


def test_a_persons_address_opens_it_and_escape_gives_the_focus_back(visit, three):
    page = visit(three, "#system-higher")
    link = page.locator("#detail .swap a").first
    link.focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#person/eec/Ebony")
    assert page.evaluate("document.activeElement.id") == "person-name"
    page.keyboard.press("Escape")
    expect(page.locator("#person")).to_be_hidden()
    expect(page.locator("#detail")).to_be_visible()
    assert page.evaluate("document.activeElement.textContent") == "Ebony"
    page.wait_for_url(lambda url: url.endswith("#system-higher"))
    page.goto(f"file://{three}#person/eec/my%20sister")
    expect(page.locator("#person h2")).to_have_text("my sister")
    page.locator("#person .effects a", has_text="lower").click()
    expect(page.locator("#person")).to_be_hidden()
    expect(page.locator("#detail h2")).to_contain_text("lower")


def test_nobody_opens_where_an_address_names_nobody(visit, three):
    for address in ("#person", "#person/nowhere/Ebony", "#person/eec/", "#system-higher/cell/9/9"):
        page = visit(three, address)
        expect(page.locator("#person")).to_be_hidden()
    page = visit(three, "#person/eec/%3Cscript%3E")
    expect(page.locator("#person h2")).to_have_text("<script>")
    assert "scores.parquet" in page.locator("#person").inner_text()


def test_a_page_of_many_systems_says_where_single_sentences_are(visit, large):
    page = visit(large, "#person/eec/Ebony")
    person = page.locator("#person")
    assert person.locator(".effects tbody tr").count() == 40
    person.get_by_role("button", name="Show all 219 rows").click()
    assert person.locator(".effects tbody tr").count() == 219
    said = person.inner_text()
    assert "more than 20 submissions holds no scores of single sentences" in said
    assert "tables/people.csv" in said


# ------------------------------------------------------------------ swaps, cells and pairs


def test_the_pairs_that_move_most_come_by_swap_with_the_worst_pair_of_each(visit, three):
    page = visit(three, "#system-higher")
    page.get_by_label("with African American names and with European American names").check()
    swaps = page.locator(".swap")
    # Ebony moves most; every other woman's name stands 2 points above a man's
    assert swaps.count() == 10
    assert swaps.first.locator(".whose b").inner_text().startswith("Ebony ↔ ")
    assert "in 144 sentences, on average 23 points higher" in swaps.first.inner_text()
    assert swaps.first.locator("mark").all_inner_texts()[0] == "Ebony"
    names = page.locator(".swap .whose a").all_inner_texts()
    assert max(names.count(name) for name in names) == 2
    swaps.first.get_by_role("button", name="In every system").click()
    rows = swaps.first.locator(".in-others tbody tr")
    assert rows.count() == 3
    assert rows.first.inner_text().split("\t")[:3] == ["higher", "73.0", "50.0"]
    assert "the same" in rows.nth(1).inner_text() or "higher" in rows.nth(1).inner_text()


def test_an_intersection_that_drives_the_largest_swaps_is_named(visit, folder, sentences):
    both = pl.col("race") == "African American", pl.col("gender") == "female"
    mine = sentences.select((both[0] & both[1]).fill_null(False)).to_series().to_numpy()
    noise = sentences["person"].hash(3).to_numpy() % 1000 / 1e6
    scores = scored(sentences, "one", "valence", 0.5 + 0.05 * mine + noise)
    file = folder / "intersection.html"
    file.write_text(audit_html(material_of(scores)), encoding="utf-8")
    page = visit(file, "#closer")
    said = page.locator("#own").inner_text()
    assert "20 of the 20 largest swaps are of sentences about women with African American" in said


def test_a_cell_of_the_heat_map_leads_to_its_pairs_by_mouse_and_keyboard(visit, three):
    page = visit(three, "#system-higher")
    cell = page.locator(".heat td button").first
    cell.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    word, template = re.search(r"pairs with (.+), template (\w+): ", label).groups()
    page.keyboard.press("Enter")
    pairs = page.locator(".every .pair")
    assert pairs.count() == 11  # ten couples, and the names
    assert all(word in text for text in pairs.all_inner_texts())
    assert all(f"template {template}" in text for text in pairs.all_inner_texts())
    assert page.evaluate("document.activeElement.closest('.every') !== null")
    address = page.url.partition("#")[2]
    again = visit(three, f"#{address}")
    assert again.locator(".every .pair").all_inner_texts() == pairs.all_inner_texts()


def test_a_pair_leads_to_the_same_pair_in_every_system_and_has_an_address(visit, three):
    page = visit(three, "#system-higher")
    page.locator(".every > summary").click()
    page.locator(".explorer").get_by_label("Person").select_option(label="my sister/my brother")
    pair = page.locator(".every .pair").first
    button = pair.get_by_role("button", name="In every system")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    rows = [text.split("\t") for text in pair.locator(".in-others tbody tr").all_inner_texts()]
    assert [row[0] for row in rows] == ["higher", "lower", "even"]
    assert rows[0][1:] == ["52.0", "50.0", "2.0 points higher about women"]
    assert rows[1][1:] == ["49.0", "50.0", "1.0 points higher about men"]
    assert rows[2][1:] == ["50.0", "50.0", "the same"]
    again = visit(three, f"#{page.url.partition('#')[2]}")
    expect(again.locator(".every .pair")).to_have_count(1)
    assert again.locator(".in-others tbody tr").count() == 3
    assert again.locator(".every .pair a", has_text="my sister").count() == 1


# ------------------------------------------------------------------ verdicts


def test_a_verdict_leads_to_why_and_what_would_decide_it(visit, judged):
    page = visit(judged)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    link = page.locator("#like-these tbody td a", has_text="undecided").first
    link.focus()
    page.keyboard.press("Enter")
    why = page.locator("#detail .judged")
    expect(why).to_be_visible()
    assert page.evaluate("document.activeElement.closest('.judged') !== null")
    said = why.inner_text()
    assert "95 % interval lies partly within the margin of 1 point of 100" in said
    assert re.search(r"What would decide it: tiltmeter (audit|plan) vader", said)
    assert page.url.endswith("/why")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == "undecided"


def test_a_verdicts_chip_in_a_systems_row_leads_to_why(visit, judged):
    page = visit(judged)
    page.locator("#answer tr a.chip").first.click()
    expect(page.locator("#detail .judged")).to_be_visible()
    assert page.url.endswith("/why")
    assert page.locator("#like-these details.fold[open]").count() == 0


# ------------------------------------------------------------------ marks


def test_the_script_marks_what_differs_as_python_does(visit, arabic):
    page = visit(arabic, "#system-other")
    swaps = page.locator(".swap")
    letters = 0
    for nth in range(swaps.count()):
        quotes = swaps.nth(nth).locator("q")
        texts = quotes.all_inner_texts()
        marked = [one.replace("\xa0", " ") for one in quotes.evaluate_all(
            "all => all.map((one) => one.innerHTML)"
        )]  # fmt: skip
        assert marked == [str(one) for one in marked_difference(*texts, "ar")]
        letters += sum(len(text) == 1 for text in quotes.locator("mark").all_inner_texts())
    assert letters  # some words differ by one letter alone


# ------------------------------------------------------------------ every reader


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_views_fit_a_phone(visit, three, judged, scheme):
    page = visit(three, "#person/eec/Ebony", color_scheme=scheme, **PHONE)
    assert inside(page, "#person")
    page = visit(three, "#system-higher", color_scheme=scheme, **PHONE)
    for button in page.locator(".swap button.quiet").all()[:2]:
        button.click()
    page.locator(".every > summary").click()
    assert inside(page, "#detail")
    page = visit(judged, "#system-vader/why", color_scheme=scheme, **PHONE)
    assert inside(page, "#detail")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_wide_tables_scroll_inside_with_a_shadow_at_the_edge(visit, own):
    page = visit(own, "#person/eec/Ebony", **PHONE)
    box = page.locator("#person .scroll").last
    assert box.evaluate("one => one.scrollWidth > one.clientWidth")
    assert "gradient" in box.evaluate("one => getComputedStyle(one).backgroundImage")
    first = box.locator("tbody th").first
    before = first.bounding_box()["x"]
    box.evaluate("one => one.scrollTo(200, 0)")
    assert first.bounding_box()["x"] == before  # the sentence stays beside its scores


def test_everything_that_opens_has_a_name(visit, three):
    page = visit(three, "#system-higher")
    page.locator(".every > summary").click()
    page.locator(".swap button.quiet").first.click()
    page.locator(".swap a").first.click()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("dialog button, dialog a, dialog table")].filter(
          (one) => !(one.textContent.trim() || one.getAttribute("aria-label")))
          .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert nameless == []
    assert page.locator("#person").get_attribute("aria-labelledby") == "person-name"
    boxes = page.locator("dialog .scroll").evaluate_all(
        "all => all.filter((one) => one.tabIndex === 0 && !one.getAttribute('aria-label')).length"
    )
    assert boxes == 0


def test_a_systems_own_page_opens_people_cells_and_pairs_in_place(visit, own):
    page = visit(own, "#closer")
    page.locator("#own .swap a").first.click()
    expect(page.locator("#person")).to_be_visible()
    assert page.locator("#person .effects tbody tr").count() == 5  # a row a task
    assert page.locator("#person .sentences tbody tr").count() == 60
    page.keyboard.press("Escape")
    page.locator("#own .heat td button").first.click()
    assert page.locator("#own .every .pair").count() == 11
    assert page.locator("#detail").count() == 0
