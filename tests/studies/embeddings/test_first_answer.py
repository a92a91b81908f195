"""The first screen of a study of embeddings: the bottom line, chips, the strip, what to do next."""

import re
from dataclasses import replace

import polars as pl
import pytest
from test_choice import material

from made_up_embeddings import (
    GLOVE,
    HOSTILE,
    NAMES,
    NEWS,
    ORIGIN,
    RELIGION,
    all_refused,
    frame,
    made_up_material,
    many_embeddings,
    odd_material,
    one_embedding,
)
from tiltmeter.report.page import render
from tiltmeter.studies.embeddings.answer import first_screen, glance_forest, repeated
from tiltmeter.studies.embeddings.bottom_line import bottom_line
from tiltmeter.studies.embeddings.choice import choice


def words_of(chips):
    return [(chip.shape.style, chip.label, chip.word) for chip in chips]


def test_one_that_is_more_even_is_taken_and_what_is_not_decided_is_named():
    made = material((0.1, 0.3), (-0.1, 0.2))
    assert bottom_line(made) == (
        "Take news-word2vec: more even on National origin. Not decided: Names by race. Still "
        "exceeding ordinary words: National origin."
    )
    assert words_of(first_screen(made).chips) == [
        ("better", NEWS, "more even"), ("worse", GLOVE, "less even")
    ]  # fmt: skip


def test_where_intervals_allow_both_nothing_is_decided():
    made = material((-0.1, 0.3), (-0.1, 0.2))
    assert bottom_line(made) == "Not decided: neither is surely more even on any of 2 lists."
    screen = first_screen(made)
    assert words_of(screen.chips) == [
        ("undecided", GLOVE, "not decided"), ("undecided", NEWS, "not decided")
    ]  # fmt: skip
    # 0.1 ± 0.2 needs (0.2 / 0.09)² = 4.9 times the words; 0.05 ± 0.15 more
    assert screen.steps[0].note == "deciding takes 4.9 times as many words"


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([(0.1, 0.3), (-0.3, -0.1)],
         "It depends on the words: glove-6b-50d is more even on Names by race, news-word2vec on "
         "National origin."),
        ([(-0.005, 0.005), (0.0, 0.0)],
         "glove-6b-50d and news-word2vec are alike within 0.01 on every list: evenness is no "
         "reason to prefer one."),
        ([(None, None), (None, None)], "Not decided: these numbers have no intervals."),
        ([None, None], "Not decided: glove-6b-50d and news-word2vec have no list in common."),
    ],
)  # fmt: skip
def test_the_bottom_line_of_two(ends, said):
    assert bottom_line(material(*ends)) == said


def test_even_vectors_that_know_less_are_no_plain_choice():
    made = material((0.1, 0.3), lists=(ORIGIN,))
    worse = made.classifiers.with_columns(
        balanced=pl.when(pl.col("embedding") == NEWS).then(0.70).otherwise(0.85),
        balanced_high=pl.when(pl.col("embedding") == NEWS).then(0.72).otherwise(0.9),
    )
    made = replace(made, classifiers=worse)
    assert bottom_line(made) == (
        "Not decided: news-word2vec is the most even, on National origin, but knows less than "
        "glove-6b-50d: good told from bad 70 % against 85 %."
    )
    assert words_of(first_screen(made).chips)[0] == ("better", NEWS, "more even, knows less")


def test_a_list_that_one_refuses_is_said_to_be():
    made = material((0.1, 0.3), None, lists=(ORIGIN, RELIGION))
    assert bottom_line(made).endswith("Refused: Religion.")
    assert [panel.title for panel in glance_forest(made, choice(made)).panels] == [
        "National origin"
    ]


def test_an_embedding_that_is_refused_has_its_reason_on_its_chip():
    made = material(None, lists=(RELIGION,))
    assert words_of(first_screen(made).chips) == [
        ("undecided", GLOVE, "not decided"), ("no-signal", NEWS, "refused: 5 of 7 terms missing")
    ]  # fmt: skip
    assert bottom_line(made).endswith("Refused: news-word2vec.")


def test_of_one_embedding_lists_beyond_ordinary_words_are_counted():
    made = made_up_material((GLOVE,), (ORIGIN, RELIGION, NAMES), further=False)
    p = {ORIGIN: 0.001, RELIGION: 0.2, NAMES: 0.01}
    numbers = made.rnsb.with_columns(p_adjusted=pl.col("list").replace_strict(p))
    made = replace(made, rnsb=numbers)
    assert bottom_line(made) == (
        "More uneven than ordinary words on 2 of 3 lists: National origin and Names by race."
    )
    none = replace(made, rnsb=numbers.with_columns(p_adjusted=pl.lit(0.4)))
    assert bottom_line(none) == (
        "No difference from ordinary words detected on any of 3 lists; that does not show evenness."
    )
    unknown = replace(made, rnsb=numbers.with_columns(p_adjusted=pl.lit(None, pl.Float64)))
    assert bottom_line(unknown).startswith("Not decided: what ordinary words get is not known")


def test_nothing_known_and_nothing_asked_are_said():
    assert bottom_line(all_refused()) == "Not known: every list is refused."
    empty = {name: frame(name) for name in ("rnsb", "terms", "groups", "comparisons")}
    assert bottom_line(replace(one_embedding(), **empty)) == (
        "No list of words for people was assessed, so nothing is decided."
    )


def test_of_many_a_few_have_chips_and_rows_and_the_rest_are_counted():
    screen = first_screen(many_embeddings(12))
    assert len(screen.chips) == 6
    assert screen.chips[-1].word == "7 more"
    assert "4 of 12 shown" in screen.figure


def test_the_difference_row_has_the_interval_that_decides_and_the_margin():
    made = material((0.1, 0.3), (-0.1, 0.2))
    strip = glance_forest(made, choice(made))
    assert [row.label for row in strip.rows] == [GLOVE, NEWS, "Difference, shared terms"]
    first, second = strip.rows[-1].cells
    assert (first.number, first.spread, first.band) == ("0.20", "0.10 to 0.30", (-0.01, 0.01))
    assert [cell.marks[0].filled for cell in (first, second)] == [True, False]


def test_the_words_furthest_apart_have_their_probabilities():
    pair = first_screen(one_embedding()).pair
    assert (pair.first, pair.second) == ("mexican", "swedish")
    terms = one_embedding().terms
    highest, lowest = terms["probability"].max(), terms["probability"].min()
    assert pair.levels == pytest.approx((highest, lowest))
    assert pair.first_score == f"{highest:.2f}"
    assert pair.where == "Probability of being negative, glove-6b-50d"


def test_the_next_command_is_the_same_with_another_lexicon():
    made = one_embedding()
    typed = "tiltmeter embeddings 'my vectors.txt' --lexicon=vader --system vader -q -o a --seed 3"
    made = replace(made, environment={**made.environment, "command": typed})
    assert repeated(made, {"--lexicon": "nrc", "--system": None}) == (
        "tiltmeter embeddings 'my vectors.txt' --seed 3 --lexicon nrc -o again"
    )
    unknown = replace(made, environment={})
    assert repeated(unknown, {}) == "tiltmeter embeddings ../shared/data/glove-6b-50d -o again"


def test_hostile_names_are_text_on_the_first_screen():
    html = first_screen(odd_material()).html()
    assert HOSTILE not in html
    assert "&lt;img src=x" in html


@pytest.mark.parametrize(
    "made", [one_embedding(), made_up_material(), many_embeddings(12), all_refused()]
)
def test_no_page_calls_vectors_unbiased(made):
    text = re.sub(r"<[^>]+>", " ", render(made.page())).lower()
    assert "unbiased" not in text
    assert "fair " not in text
