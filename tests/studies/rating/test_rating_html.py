"""The page of a rating: every part, every odd state, nothing that is not its own."""

import re
from dataclasses import replace

import polars as pl
import pytest

from rating_examples import (
    ARABIC,
    HOSTILE,
    LONG,
    SYSTEMS,
    example,
    many_examples,
    odd_example,
    own_group,
    renamed,
    silenced,
    without_repeats,
)
from tiltmeter.report.page import own_text, render
from tiltmeter.studies.rating.figures import label_files


def page_of(study):
    return render(study.page())


SECTIONS = ("answer", "labels", "matrix", "groups", "repeats", "method", "glossary")
STATES = {
    "five": example,
    "odd": odd_example,
    "once": without_repeats,
    "own": own_group,
    "alone": lambda: example(("textblob",), levels=2),
    "silent alone": lambda: silenced(example(("gru",)), "gru"),
    "one variant": lambda: example(variants=("discretised",)),
    "some groups": lambda: example(columns=("G1", "G4")),
    "two levels": lambda: example(("distilbert", "textblob"), levels=2),
    "nine levels": lambda: example(levels=9),
    "panel": lambda: example(("gru",), reference="2025/ratings.json"),
}


def plain(page):
    """What a reader reads: no tags, entities resolved, one space."""
    from html import unescape

    body = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture(scope="module")
def pages():
    return {name: page_of(made()) for name, made in STATES.items()}


@pytest.fixture(scope="module")
def five(pages):
    return pages["five"]


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_all_sections_and_no_forbidden_word(pages, state):
    page = pages[state]
    assert [one for one in SECTIONS if f'id="{one}"' not in page] == []
    assert not re.search(r"unbiased|\bfair\b|\bpassed\b", plain(page).lower())
    assert "None" not in plain(page)
    assert "nan" not in re.findall(r"\w+", plain(page).lower())


@pytest.mark.parametrize("state", STATES)
def test_every_anchor_leads_somewhere_and_no_id_stands_twice(pages, state):
    ids = re.findall(r' id="([^"]+)"', pages[state])
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', pages[state])) <= set(ids)


def test_the_page_loads_nothing_and_runs_only_what_unfolds_it(five):
    assert five.count("<script") == 1
    assert own_text("script/folds.js") in five
    assert " style=" not in five
    assert not re.search(r'(?:src|href)="(?:https?:)?//', five)
    assert "default-src &#39;none&#39;" in five


def test_a_label_shows_grade_ladder_spread_and_what_drove_it(five):
    card = five.partition('id="card-3"')[2].partition("</article>")[0]
    assert card.count('class="ladder doubt"') == 2  # p = 0.3
    said = plain(card)
    assert "2 of 3" in said
    assert "1 to 3 in repeats" in said
    grade = "rating 2 of 3: between the least and the most tilt among these systems"
    assert f"{grade}, which may be chance." in said
    assert "Nothing beyond chance." in said
    assert "gender with words dealt unevenly (G2): 1 of 3, 1 to 2 in repeats" in said


def test_the_matrix_is_the_papers_table_7(five):
    table = five.partition('<caption dir="auto">Ratings from scores as given</caption>')[2]
    rows = re.findall(r"<tr>(.*?)</tr>", table.partition("</table>")[0])[1:]
    grades = {
        re.search(r'<th scope="row" dir="auto">(.*?)</th>', row)[1]: re.findall(
            r'<td class="num w\d[ a-z]*"><b>(\d)[?]?</b>', row
        )
        for row in rows
    }
    # Table 7: S_b 3333333, S_r 2122212, S_t and S_d 1211121, S_g 2111111
    assert {name: "".join(own) for name, own in grades.items()} == {
        "biased-female": "3333333", "random": "2122212", "textblob": "1211121",
        "distilbert": "1211121", "gru": "2111111",
    }  # fmt: skip


def test_x_is_shown_and_explained(five):
    # gru in G2 and G4: in its label and in the matrix
    assert five.count("3?<sup>X</sup>") == five.count("<b>3?</b><sup>X</sup>") == 2
    assert "A percentage of 0 does not exist" in plain(five)


def test_t_values_have_raised_numbers_and_h(five):
    caption = '<caption dir="auto">gender alone (G1), scores as given</caption>'
    table = five.partition(caption)[2].partition("</table>")[0]
    assert table.count("▸ H<sup>1</sup>") == 5  # male – female: women higher, five word sets
    assert table.count("◂ H<sup>1</sup>") == 5  # female – NA
    assert "2: at 70 and 60 %; 3: at 60 % only" in plain(five).replace("\u00a0", " ")


def test_means_before_and_after_are_shown_and_empty_cells_said(five):
    caption = "gender with words dealt unevenly (G2), scores as given</caption>"
    table = five.partition(f'<caption dir="auto">{caption}')[2]
    row = '<td class="num">0.40</td><td class="num">−0.85<sup>*</sup></td>'
    assert row in table.partition("</table>")[0]
    assert "rating-2-e3: no positive sentence for female" in plain(five)
    # E5 of gru when split at 0: the mean before is 0
    assert '<td class="num">X</td>' in five


def test_the_adjustment_is_said_in_words(five):
    assert "Adjusts for gender: the backdoor path emotion word ← gender → sentiment." in plain(five)


def test_what_repeats_say_is_drawn_and_told(five):
    said = plain(five).replace("\u00a0", " ")
    assert "1: 62 %, 2: 38 %" in said
    assert "gru shows less tilt than random in 64 % of repeats, as much in 11 %" in said


def test_certain_orders_are_said_to_be():
    material = example()
    certain = replace(material, order=material.order.with_columns(certain=pl.lit(True)))
    assert "The overall order of all 4 pairs is certain" in plain(page_of(certain))


def test_downloads_are_the_files_that_the_folder_has(five):
    links = set(re.findall(r'href="([^"#]+)" download', five))
    assert {"ratings.json", "tables/ratings.csv", "tables/ratings-continuous.tex"} <= links
    files = {f"labels/{file}" for file in label_files(example())["file"]}
    assert files <= links


def test_hostile_names_are_text(pages):
    assert HOSTILE not in pages["odd"]
    assert "&lt;img src=x onerror=alert(1)&gt;" in pages["odd"]
    assert LONG in pages["odd"]


def test_a_reason_stands_where_a_rating_is_missing(pages):
    said = plain(pages["own"])
    column = "gender with words dealt unevenly (G2)"
    assert f"Not rated in {column}: not identifiable: upbringing was not recorded." in said
    assert f"gru and biased-female, {column}: not identifiable" in said


def test_one_system_alone_is_rated_absolutely(pages):
    said = plain(pages["alone"])
    assert "One system was rated alone, so its rating is absolute" in said
    assert "among these systems" not in said


def test_a_panel_is_said_to_have_been_rated_against(pages):
    said = plain(pages["panel"])
    assert "Rated against the stored panel 2025/ratings.json" in said
    assert "A rating is relative to the reference panel." in said


def test_without_repeats_no_spread_is_made_up(pages):
    said = plain(pages["once"])
    assert "in repeats" not in said.partition("How this was measured")[0].replace(
        "in repeats, level", ""
    )
    assert "Not known: the ratings were made once." in said


@pytest.mark.slow
def test_fifty_systems_are_rows_in_a_page_of_moderate_size():
    page = page_of(many_examples(50))
    assert len(page.encode()) < 1_500_000
    assert '<article class="card"' not in page
    assert page.count('class="dag" role="img"') == 4  # one diagram a group, not one a system
    assert page.count('<tr id="system-') == 50


def test_the_words_are_decided_by_what_is_adjusted_for_alone():
    material = example(columns=("G4",))
    columns = material.columns.with_columns(adjustment=pl.lit("race"))
    said = plain(page_of(replace(material, columns=columns)))
    assert "Do mean scores move once race no longer decides the words?" in said
    assert "race and gender no longer" not in said


def test_no_more_levels_are_promised_than_can_be_given():
    said = plain(page_of(example(("distilbert", "random"), variants=("continuous",))))
    assert "2 the most, since no more than 2 of the 3 levels can be given here." in said


def test_a_right_to_left_name_does_not_turn_our_sentences():
    page = page_of(renamed(example(), {"gru": ARABIC}))
    assert not re.search(r'<(?:p|li)[^>]* dir="auto">(?:\u2068|[^<]*rated)', page)


def test_notes_are_shown():
    assert "set aside: one file" in plain(page_of(example(notes=("set aside: one file",))))


def test_many_notes_are_folded():
    page = page_of(example(notes=tuple(f"note {n}" for n in range(9))))
    assert "2 more notes" in plain(page)
    assert "note 8" in plain(page)


def test_systems_of_two_tasks_are_told_apart():
    one = example(("gru", "random"))
    frames = ("raw", "overall", "tests", "effects", "ates", "frequencies")
    both = {
        name: pl.concat([getattr(one, name), getattr(one, name).with_columns(task=pl.lit("anger"))])
        for name in frames
    }
    page = page_of(replace(one, **both))
    assert page.count('<span class="task">anger</span>') > 4
    assert page.count('<article class="card"') == 4


def test_the_order_is_least_tilt_first(five):
    names = re.findall(r'<h3 id="card-\d" dir="auto">(.*?)</h3>', five)
    assert names == ["gru", "distilbert", "textblob", "random", "biased-female"]
    assert set(names) == set(SYSTEMS)
