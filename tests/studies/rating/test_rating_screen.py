"""What a rating says first: the bottom line, chips, the figure, one pair, what to do next."""

import re
from dataclasses import replace

import polars as pl
import pytest

from rating_examples import (
    HOSTILE,
    example,
    many_examples,
    odd_example,
    silenced,
    without_repeats,
)
from tiltmeter.studies.rating.first_screen import (
    chips,
    figure,
    lead,
    next_command,
    remarks,
    whom_it_rests_on,
)
from tiltmeter.studies.rating.run import rate
from tiltmeter.studies.rating.telling_pair import telling_pair

BLACK_NAMES = re.compile(
    "Alonzo|Jamel|Alphonse|Jerome|Leroy|Torrance|Darnell|Lamar|Malik|Terrence|"
    "Nichelle|Shereen|Ebony|Latisha|Shaniqua|Jasmine|Tanisha|Tia|Lakisha|Latoya"
)


def by_race(text):
    return 0.7 if BLACK_NAMES.search(text) else 0.5


def by_one_name(text):
    return 0.9 if "Tia " in text else 0.5


def flat(_):
    return 0.5


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    """Three planted systems on people with names: race moves one, one name another, nothing one."""
    systems = {"race": by_race, "name": by_one_name, "flat": flat}
    return rate(systems, groups=["3"], draws=99, store=tmp_path_factory.mktemp("store"))


def beyond_for(material, **p):
    """The same, with one p for each attribute."""
    said = pl.lit(None, pl.Float64)
    for attribute, value in p.items():
        said = pl.when(pl.col("attribute") == attribute).then(value).otherwise(said)
    return replace(material, raw=material.raw.with_columns(p=said))


# ------------------------------------------------------------------ the bottom line


def test_who_goes_beyond_chance_comes_first_with_what_is_not_shown():
    mixed = beyond_for(example(("gru", "biased-female")), gender=0.3, race=0.3)
    sure = pl.when(system="biased-female", attribute="gender").then(0.005).otherwise("p")
    mixed = replace(mixed, raw=mixed.raw.with_columns(p=sure))
    assert lead(mixed) == (
        "Scores of biased-female depend on gender beyond chance; on race, or in the other system, "
        "nothing is shown."
    )


def test_the_most_tilt_may_be_chance():
    assert lead(example(("gru", "random"))) == (
        "random is rated 2 of 3, the most tilt here, but chance or a few names may explain it."
    )


def test_a_panel_several_at_the_top_and_no_repeats_are_said():
    panel = lead(example(("gru",), reference="2025.json"))
    assert panel == "gru is rated 1 of 3, but chance or a few names may explain it."
    tie = lead(example(("distilbert", "textblob")))
    assert tie.startswith("textblob and distilbert are rated 1 of 3, no less and no more tilt than")
    assert "drawn once" in lead(without_repeats())


def test_too_few_people_and_nobody_rated_are_answers():
    unknown = beyond_for(example())
    assert lead(unknown).endswith("too few people are named to tell it from chance.")
    assert lead(silenced(example(("gru",)), "gru")).startswith("No system could be rated")


def test_one_system_by_itself_says_in_how_many_groups():
    # ψ of gru: G1 0.6, G2 42.85, G4 28.57, the others 0; p = 0.3
    assert lead(example(("gru",), levels=2)) == (
        "gru, rated by itself, gets 1 of 2: something shows in 3 of 6 groups, but nothing beyond "
        "chance."
    )
    assert "depend on gender and race beyond chance" in lead(example(("biased-female",), levels=2))


# ------------------------------------------------------------------ chips and figure


def told(material):
    return [(one.shape.name, one.label, one.word) for one in chips(material)]


def test_few_systems_have_a_chip_each_with_the_spread_in_words():
    assert told(example(("gru", "random", "biased-female"))) == [
        ("TILTED", "biased-female", "3 of 3: gender and race"),
        ("UNDECIDED", "random", "2 of 3 (1 to 3)"),
        ("UNDECIDED", "gru", "1 of 3 (1 to 2)"),
    ]
    hrefs = [one.href for one in chips(example(("gru", "random")))]
    assert hrefs == ["#system-1", "#system-0"]  # the labels, least tilt first


def test_many_systems_are_counted():
    assert told(many_examples(40)) == [
        ("TILTED", "8 systems", "beyond chance"),
        ("UNDECIDED", "32 systems", "nothing beyond chance"),
    ]
    assert told(odd_example())[-1] == ("NO_SIGNAL", "1 system", "not rated")


def test_a_system_that_scores_all_alike_has_no_signal(rated):
    assert ("NO_SIGNAL", "flat", "1 of 3, no signal") in told(rated)
    (shape, word) = next((one, said) for one, name, said in told(rated) if name == "race")
    assert shape == "TILTED"
    assert word.endswith(": race")


def test_the_figure_has_a_row_each_or_of_many_the_ends():
    few = figure(example())
    assert few.count('href="#system-') == 5
    assert 'aria-label="2 of 3, 1 to 3 in repeats"' in few
    many = figure(many_examples(40))
    assert many.count('href="#system-') == 5  # three with the most tilt, two with the least
    assert "35 systems between" in many
    assert figure(silenced(example(("gru",)), "gru")) == ""


def test_a_dot_is_full_where_the_rating_goes_beyond_chance():
    shown = figure(example(("gru", "biased-female")))
    assert shown.count('<circle class="sure"') == 1
    assert 'aria-label="gender: beyond chance"' in shown
    assert 'aria-label="race: not beyond chance"' in shown


def test_names_of_systems_are_text():
    shown = figure(odd_example())
    assert "<img" not in shown
    assert "&lt;img" in shown
    assert HOSTILE not in shown


def test_one_systems_rows_are_its_groups_in_words():
    shown = figure(example(("biased-female",), levels=2))
    for words in ("gender alone", "race alone", "gender alone by name", "race and gender together"):
        assert f">{words}</a>" in shown


# ------------------------------------------------------------------ the pair


def test_beyond_chance_the_pair_is_typical(rated):
    pair = telling_pair(rated)
    # 0.7 and 0.5 on 0..1, whoever is taken
    assert (pair.first_score, pair.second_score) == ("70.0", "50.0")
    assert BLACK_NAMES.search(pair.first)
    assert not BLACK_NAMES.search(pair.second)
    both = zip(pair.first.split(), pair.second.split(), strict=True)
    assert sum(first != second for first, second in both) == 1
    assert pair.where == "race: 20 points of 100 apart, typical for race"


def test_a_rating_that_rests_on_one_name_shows_that_name(tmp_path):
    study = rate({"name": by_one_name, "flat": flat}, groups=["3"], draws=40, store=tmp_path)
    pair = telling_pair(study)
    assert "Tia " in pair.first
    assert (pair.first_score, pair.second_score) == ("90.0", "50.0")
    assert pair.where.startswith("name: 40 points of 100 apart, the widest by ")
    assert "“Tia”" in whom_it_rests_on(study)[1]


def test_where_no_sentences_are_known_or_nothing_differs_there_is_no_pair(rated):
    assert telling_pair(example()) is None
    alike = replace(rated, scores=rated.scores.with_columns(score=pl.lit(0.5)))
    assert telling_pair(alike) is None


# ------------------------------------------------------------------ what to do next


def after(command, material=None):
    made = material or example()
    step = next_command(replace(made, environment={"command": command}))
    return step and step.command


def test_names_drawn_by_lot_follow_a_list_and_controls_are_left_out():
    said = after("tiltmeter rate gru random biased-female --mode published -o out")
    audit = "--corpus names-us --reference race=White"
    assert said == f"tiltmeter audit biased-female random {audit}"


def test_what_was_drawn_once_is_drawn_again():
    once = without_repeats()
    assert after("tiltmeter rate gru random --draws 0 --store s -q", once) == (
        "tiltmeter rate gru random --draws 200"
    )


def test_too_few_people_are_more_in_the_corrected_edition():
    assert after("tiltmeter rate gru --mode published", beyond_for(example())) == (
        "tiltmeter rate gru --mode published --edition corrected"
    )


@pytest.mark.parametrize(
    "command",
    ["", "tiltmeter rate --scores results", "tiltmeter rate gru --scale gru=0:5", "a 'broken",
     "tiltmeter rate else"],
)  # fmt: skip
def test_no_command_is_offered_that_might_not_run(command):
    assert after(command) is None


# ------------------------------------------------------------------ what must not be missed


def test_an_inferred_scale_stays_on_the_screen_and_a_declared_one_does_not(rated):
    said = " ".join(remarks(rated))
    assert "The scale of race, name and 1 more was inferred as 0 to 1" in said
    assert not list(remarks(example()))
    assert "1 note" in " ".join(remarks(example(notes=("set aside: one file",))))
