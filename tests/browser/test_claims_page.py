"""Claims in a real browser: by names and by couples, verdicts, people of a population."""

import re

import pytest
from open_sections import with_sections_open

import tiltmeter
from many_groups import write_many_groups
from simulated_material import audit_html

pytestmark = pytest.mark.browser
SYSTEMS = ["vader", "textblob", "glove-lexicon"]


@pytest.fixture
def visit(visit):
    return with_sections_open(visit)


@pytest.fixture(scope="module")
def population(tmp_path_factory):
    """Three systems on a list and on a population, 60 names a cell: too many to embed all."""
    folder = tmp_path_factory.mktemp("claims")
    found = tiltmeter.audit(
        SYSTEMS, ["eec", "names-us"], people=60, measures="pairs", store=folder / "store"
    )
    file = folder / "claims.html"
    file.write_text(audit_html(found), encoding="utf-8")
    return file


def names(page, corpus):
    shown = page.locator(f".block[data-corpus='{corpus}'] tbody tr:visible .name a")
    return [text.strip() for text in shown.all_text_contents()]


def test_every_claim_has_its_own_panel(visit, population):
    page = visit(population)
    heads = page.locator(".block[data-corpus='0'] .panel .title").all_text_contents()
    assert heads == ["gender, by names", "gender, by couples", "race, by names"]
    heads = page.locator(".block[data-corpus='1'] .panel .title").all_text_contents()
    assert heads[:3] == [
        "gender, by names",
        "gender, by couples",
        "race: Black and White, by names",
    ]
    assert len(heads) == 8


def test_systems_are_found_by_verdict_and_sorted_by_one_claim(visit, population):
    page = visit(population)
    page.select_option("#by-finding", "tilted")
    assert names(page, 0) == []  # forty names decide nothing
    assert names(page, 1) == ["glove-lexicon"]
    page.select_option("#by-finding", "")
    page.select_option("#sort", "size:size, race, by names: Black and White")
    assert names(page, 1)[0] == "glove-lexicon"


def test_of_many_names_those_furthest_out_are_drawn_and_the_rest_counted(visit, population):
    page = visit(population, "#system-glove-lexicon.names-us")
    people = page.locator("#detail .people")
    captions = people.locator("caption").all_text_contents()
    assert any(
        re.search(r": the 40 of 240 names furthest from the average$", one) for one in captions
    )
    assert all(
        people.locator("table").nth(at).locator("tbody tr").count() <= 40
        for at in range(people.locator("table").count())
    )


def test_a_list_shows_every_name(visit, population):
    page = visit(population, "#system-vader.eec")
    captions = page.locator("#detail .people caption").all_text_contents()
    assert not any("furthest" in one for one in captions)
    assert "Tia" in page.locator("#detail .people").inner_text()
    said = page.locator("#detail .judged p").all_text_contents()
    assert any(one.startswith("Undecided for vader by couples") for one in said)


@pytest.mark.parametrize("width", [1200, 400])
def test_nothing_sticks_out_sideways(visit, population, width):
    page = visit(population, viewport={"width": width, "height": 900})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    assert page.locator("#names").is_visible()
    assert page.locator(".adds").first.inner_text().startswith("vader on eec: 1.1 points higher")


@pytest.fixture(scope="module")
def many_groups(tmp_path_factory):
    """Two systems, fourteen groups, each beside the average of all: a row a group and system."""
    folder = tmp_path_factory.mktemp("groups")
    table, scores = write_many_groups(folder, 14, people=2, every=24, tasks=("joy",))
    other = folder / "other.csv"
    other.write_bytes(scores.read_bytes())
    found = tiltmeter.audit(
        [str(scores), str(other)], [str(table)], measures="pairs", store=folder / "store"
    )
    file = folder / "groups.html"
    file.write_text(audit_html(found), encoding="utf-8")
    return file


def test_groups_are_found_by_their_name_and_sorted(visit, many_groups):
    page = visit(many_groups)
    rows = page.locator(".strip tbody tr:visible")
    assert rows.count() == 28
    assert rows.first.locator(".group").text_content() == "G01"  # the planted one
    page.get_by_role("button", name="race, by names: sort by size").click()
    assert rows.last.locator(".group").text_content() == "G01"
    page.get_by_label("Find a system").fill("g01")
    assert page.locator("#shown").inner_text() == "2 of 28 rows"


def test_groups_beside_the_average_share_a_box_plot(visit, many_groups):
    page = visit(many_groups)
    page.locator("#boxes").scroll_into_view_if_needed()
    figure = page.locator("#boxes details")
    assert figure.count() == 1
    assert "sentences of each group" in figure.locator("summary").inner_text()
    assert "(28 rows)" in figure.locator("summary").inner_text()
    figure.locator(".boxrow").first.wait_for()
    ends = figure.locator(".headrow .both").text_content()
    assert ends == "◂ lower than the averagehigher than the average ▸"
    assert figure.locator(".boxrow:not(.headrow)").count() == 28
    first = figure.locator(".boxrow:not(.headrow)").first
    assert first.locator("a").text_content() in ("G01: sys", "G01: other")  # drawn or not yet
    first.locator("a").click()
    picked = page.get_by_role("group", name="Show the difference between sentences")
    assert picked.get_by_role("radio").count() == 14
