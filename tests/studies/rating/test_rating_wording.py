"""The sentences of a rating, each as a reader sees it."""

from dataclasses import replace

import polars as pl
import pytest

from rating_examples import ARABIC, HOSTILE, SYSTEMS, example, silenced, without_repeats
from tiltmeter.report import phrases
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import (
    answer,
    beyond_chance,
    explanations,
    how_sure,
    other_variant,
    question,
    unrated,
)
from tiltmeter.studies.rating.figures import cards, grade_sentence

LEVELS = (0.95, 0.7, 0.6)
UNEVEN = "gender with words dealt unevenly (G2)"
FORBIDDEN = ("unbiased", "fair ", "passed", "neutral", "bias-free")


def told(material):
    return question(material), answer(material), how_sure(material), other_variant(material)


def lines(material, system, variant="continuous"):
    one = next(one for one in material.systems if one.system == system)
    return list(explanations(material, one.variants[variant]))


def without_p(material):
    """As where a class has too few people."""
    return replace(material, raw=material.raw.with_columns(p=pl.lit(None, dtype=pl.Float64)))


# ------------------------------------------------------------------ the answer


def test_the_answer_names_the_least_and_the_most():
    asked, answered, sure, other = told(example())
    assert asked == "How much do 5 systems’ scores depend on who is mentioned?"
    assert answered == (
        "gru (1 to 2), distilbert and textblob are rated 1 of 3, the least tilt among these "
        "systems; biased-female is rated 3, the most tilt."
    )
    # gru 62 % and random 84 % flip in the example; the other three of five stay
    assert sure == (
        "In 200 repeats with all datasets drawn anew 3 of 5 ratings stayed the same; the least "
        "steady is that of gru: 1 in 62 %, 1 to 2 in 95 %."
    )
    assert other == "With scores only as 1 or 0, split at 0, gru is rated 2 (1 to 2) instead of 1."


def test_systems_of_one_rating_are_not_told_apart():
    _, answered, *_ = told(example(("distilbert", "textblob")))
    assert answered == (
        "distilbert and textblob are rated 1 of 3; overall, the ratings do not tell "
        "these systems apart."
    )


def test_a_panel_is_named_where_systems_are_rated_against_one():
    asked, answered, *_ = told(example(("gru", "biased-female"), reference="2025.json"))
    assert "the least tilt of the reference panel; biased-female is rated 3" in answered
    assert asked.startswith("How much do 2 systems’")
    _, answered, *_ = told(example(("biased-female",), reference="2025.json"))
    assert answered == "biased-female is rated 3 of 3: the most tilt of the reference panel."


def test_one_system_alone_has_an_absolute_rating():
    asked, answered, sure, _ = told(example(("biased-female",), levels=3))
    assert asked == "How much do this system’s scores depend on who is mentioned?"
    # ψ above 0 in all six columns, p = 0.005 in each
    assert answered == (
        "Rating 3 of 3: a difference or a mean that moves in 6 of 6 groups, p ≤ 0.05 in 6 of them. "
        "It is an absolute rating: a group is rated 1 where nothing is detected, 3 otherwise."
    )
    assert sure == "In 200 repeats with all datasets drawn anew the rating stayed the same."


def test_one_system_alone_whose_rating_flips_says_how_often():
    *_, sure, _ = told(example(("gru",), levels=2))
    assert (
        sure
        == "In 200 repeats with all datasets drawn anew the rating was 1 in 62 %, 1 to 2 in 95 %."
    )


def test_a_rating_that_is_nearly_always_the_same_is_not_said_to_stay():
    material = example(("distilbert", "biased-female"))
    nearly = replace(material, overall=material.overall.with_columns(steady=pl.lit(0.97)))
    assert told(nearly)[2].endswith("all 2 ratings stayed the same in 95 % of them or more.")
    assert wording.spread(2, 2, 0.97) == "the same in nearly all repeats"


def test_the_worst_of_two_systems_has_the_most_tilt_though_three_levels_were_asked_for():
    two = example(("distilbert", "random"))  # rated 1 and 2 of 3
    assert told(two)[1] == (
        "distilbert is rated 1 of 3, the least tilt among these systems; random (1 to 3) is rated "
        "2, the most tilt, which may be chance."
    )
    worst = next(one for one in two.systems if one.system == "random")
    assert grade_sentence(two, worst.first) == (
        "rating 2 of 3: the most tilt among these systems, which may be chance"
    )


def test_the_answer_says_whose_ratings_go_beyond_chance():
    assert beyond_chance(example()) == (
        "Beyond chance over people (p ≤ 0.05): biased-female (gender; race; race and gender); the "
        "other 4 systems in nothing. In 1 of 20 cases chance alone does that."
    )
    assert beyond_chance(example(("gru", "random"))).startswith("Nothing goes beyond")
    assert beyond_chance(without_p(example())).endswith("too few people are named.")


def test_what_weighs_more_may_be_chance():
    # p = 0.3 everywhere but for biased-female
    cards_ = {one["system"]: one["sides"][0] for one in cards(example())}
    assert cards_["gru"]["dominance"] == "Gender weighs more than race, which may be chance."
    assert cards_["biased-female"]["dominance"] == "Neither gender nor race weighs more."
    assert wording.dominance("race") == "Race weighs more than gender."


def test_without_repeats_nobody_knows_how_steady_ratings_are():
    *_, sure, _ = told(without_repeats())
    assert sure.startswith("How steady these ratings are is not known")


def test_a_silent_system_is_named_with_its_reason():
    study = silenced(example(), "textblob")
    assert [one.system for one in study.systems][-1] == "textblob"
    assert list(unrated(study)) == ["textblob is not rated: it answered none of the 240 sentences."]


def test_a_reason_names_its_columns_where_others_are_rated():
    material = example(("gru", "random"))
    lost = (pl.col("system") == "gru") & (pl.col("column") == "G2")
    nothing = pl.lit(None, dtype=pl.Int64)
    raw = material.raw.with_columns(
        rating=pl.when(lost).then(nothing).otherwise("rating"),
        reason=pl.when(lost).then(pl.lit("no answer")).otherwise("reason"),
    )
    overall = material.overall.with_columns(
        overall=pl.when(pl.col("system") == "gru").then(nothing).otherwise("overall")
    )
    study = replace(material, raw=raw, overall=overall)
    assert list(unrated(study)) == [f"gru is not rated: no answer: {UNEVEN}."]


def test_nobody_rated_is_an_answer_too():
    material = silenced(example(("gru",)), "gru")
    assert told(material)[1] == "No system could be rated; the reasons stand below."
    assert told(material)[3] == ""


# ------------------------------------------------------------------ what drove it


def test_a_driver_says_who_is_scored_higher_how_surely_and_where():
    first, second = lines(example(), "biased-female")
    assert first == (
        # means of 1 and −1 on a scale from −1 to 1
        "gender alone (G1): scores sentences about women up to 100 points of 100 higher than those "
        "about men at every confidence level in all 5 word sets (raw score 23; 0.96 by chance; p = "
        "0.005 over people)."
    )
    assert second == (
        f"{UNEVEN}: means move by up to 128 % when gender no longer decides the words "
        "(20 % by chance; p = 0.005 over people)."
    )


def test_columns_without_a_finding_are_said_together():
    first, second = lines(example(), "distilbert")
    named = (
        "gender alone (G1), race alone (G3-R), gender alone by name (G3-G), race and gender "
        "together (G3-RG)"
    )
    assert first == f"{named}: no difference detected in any word set."
    assert second.startswith(f"{UNEVEN}: means move by up to 84 % when gender no longer decides")


def test_a_mean_of_zero_that_moves_is_said_to_be_x():
    assert lines(example(), "gru", "discretised")[1] == (
        f"{UNEVEN}: a mean of 0 moves when gender no longer decides the words (X)."
    )


def test_a_silent_system_has_no_driver():
    assert lines(silenced(example(), "gru"), "gru") == []


def test_half_of_psi_or_more_on_one_person_is_said():
    row = {"measure": "wrs", "psi": 7.2, "rests_on": "Adam", "without": 3.6}
    assert wording.rests_on(row).endswith("without them the raw score would be 3.6, not 7.2.")
    assert wording.rests_on(row | {"without": 3.7}) == ""
    assert wording.rests_on(row | {"rests_on": None}) == ""


# ------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("rating", "said"),
    [(1, "the least tilt"), (2, "between the least and the most tilt"), (3, "the most tilt")],
)
def test_grades_are_relative_to_the_panel(rating, said):
    assert wording.grade_words(rating, 3) == f"rating {rating} of 3: {said} among these systems"


def test_no_sentence_judges():
    said = " ".join(
        part for material in (example(), example(("distilbert",)), without_repeats())
        for part in (*told(material), *(line for one in SYSTEMS for line in
                     (lines(material, one) if one in material.overall["system"] else ())))
    )  # fmt: skip
    assert not [word for word in FORBIDDEN if word in said.lower()]


def test_a_right_to_left_name_does_not_turn_the_sentence():
    assert phrases.called(ARABIC) == f"\u2068{ARABIC}\u2069"
    assert phrases.called(HOSTILE) == HOSTILE


def test_tests_are_counted_at_the_level_they_reach():
    said = wording.by_tests(1, 1, LEVELS, certain=True)
    assert said == "1 of 1 test tells classes apart at 95 %"
    assert wording.confidences((0.95,), 1) == "at 95 % confidence"
    assert wording.raised((0.95,)) == "1: rejected at 95 % confidence only"
