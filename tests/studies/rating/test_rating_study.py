"""The rating study on groups small enough to reckon by hand."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from small_groups import CONFOUNDED, assigned, crossed, effect, study, universe

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.rating.grades import rating_config
from tiltmeter.studies.rating.groups import SENTIMENT, WORD, Diagram, RatingDataset, RatingGroup
from tiltmeter.studies.rating.measure import discretise, rating_study

SENTENCES = universe(people=6, templates=2)
WOMEN = effect(SENTENCES, gender={"female": 2.0}) - 1
"""1 for women, −1 for everyone else."""


def only(frame, **where):
    return frame.filter(**where).row(0, named=True)


@pytest.mark.parametrize(
    ("mode", "psi"),
    # Women against men and against NA are rejected at all levels in each of three datasets, men
    # against NA at none: 6 · (1 + 0.8 + 0.6) = 14.4 and 6 · (1 + 0.7 + 0.6) = 13.8.
    [("corrected", 14.4), ("published", 13.8)],
)
def test_weighted_rejections_by_hand(mode, psi):
    found = study(crossed(WOMEN, SENTENCES), mode=mode, levels=2)
    row = found.raw.row(0, named=True)
    assert row["psi"] == pytest.approx(psi)
    assert (row["rating"], row["measure"], row["attribute"], row["x"]) == (
        2,
        "wrs",
        "gender",
        False,
    )
    test = only(found.tests, words="E1", first="female", second="male")
    # 6 people in 2 templates: n = 12. t = 2/(0 + 0.0001), df = 22.
    assert (test["n_first"], test["n_second"], test["df"]) == (12, 12, 22)
    assert (test["mean_first"], test["mean_second"], test["rejected"]) == (1, -1, 3)
    assert test["t"] == pytest.approx(20_000)
    even = only(found.tests, words="E1", first="male", second="NA")
    assert (even["t"], even["p"], even["rejected"]) == (0, 1, 0)


def test_multiplicity_is_over_all_tests_of_a_column():
    # Tests of E1 and E2: 12 sentences each way. With Bonferroni p is 9 times as large.
    scores = np.random.default_rng(1).normal(0, 0.3, SENTENCES.height) + WOMEN / 10
    plain, strict = (
        study(crossed(scores, SENTENCES), multiplicity=how).tests["p"]
        for how in ("none", "bonferroni")
    )
    np.testing.assert_allclose(strict, np.minimum(plain.to_numpy() * 9, 1))


def hand_drawn(scores, rows, classes=("women", "men")):
    """A confounded group whose one dataset is written down: (class, polarity) of each sentence."""
    sentences = pl.DataFrame(
        {
            "gender": [classes[place] for place, _ in rows],
            "emotion_word": ["happy" if positive else "grim" for _, positive in rows],
            "polarity": ["positive" if positive else "negative" for _, positive in rows],
        }
    )
    dataset = RatingDataset("rating-2-e3", "E3", np.arange(len(rows))[None])
    return RatingGroup("2", ("gender",), CONFOUNDED, sentences, np.array([scores]), (dataset,))


ROWS = [(0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (1, 1), (1, 1)]
SCORES = [0.0, 0, 1, 1, 0, 0, 1, 1]


def test_die_and_ate_of_a_table_reckoned_by_hand():
    # The table of test_backdoor.py: DIE 33.33 % and 11.11 %, naive effect 1/2, adjusted 2/3.
    found = study(hand_drawn(SCORES, ROWS), levels=2)
    assert found.raw["psi"].item() == pytest.approx(100 / 3)
    negative = only(found.effects, polarity="negative")
    assert (negative["observed"], negative["n"], negative["empty"]) == (0.25, 4, "")
    assert negative["interventional"] == pytest.approx(1 / 6)
    assert only(found.effects, polarity="positive")["die"] == pytest.approx(100 / 9)
    ate = found.ates.row(0, named=True)
    assert (ate["naive"], ate["unmatched"]) == (0.5, 0)
    assert ate["adjusted"] == ate["matched"] == pytest.approx(2 / 3)
    by_effect = study(hand_drawn(SCORES, ROWS), levels=2, raw="ate").raw.row(0, named=True)
    assert (by_effect["measure"], by_effect["psi"]) == ("ate", pytest.approx(100 / 3))


def test_an_empty_cell_is_named_and_left_out_of_both_terms():
    # NA has two positive sentences, both 1, and no negative one: DIE 33.33 % and 4 %.
    group = hand_drawn([*SCORES, 1.0, 1.0], [*ROWS, (2, 1), (2, 1)], ("women", "men", None))
    found = study(group, levels=2)
    assert only(found.effects, polarity="negative")["empty"] == "NA"
    assert only(found.effects, polarity="negative")["die"] == pytest.approx(100 / 3)
    assert only(found.effects, polarity="positive")["die"] == pytest.approx(4)
    assert found.ates["unmatched"].item() == 2


def test_x_has_no_number_and_takes_the_worst_rating():
    # Negative: women 1, men −1: observed 0; P(women) = 4/5: adjusted 0.6.
    rows = [(0, 0), (1, 0), (0, 1), (0, 1), (0, 1)]
    group = hand_drawn([1.0, -1, 1, 1, 1], rows)
    even = np.array([[-1.0, -1, 1, 1, 1]])
    found = study(replace(group, scores=np.vstack([group.scores, even])))
    first, second = found.raw.iter_rows(named=True)
    assert (first["psi"], first["x"], first["rating"], first["reason"]) == (None, True, 3, None)
    assert (second["psi"], second["x"], second["rating"]) == (0, False, 1)
    assert found.overall["overall"].to_list() == [3, 1]


def test_a_system_that_answers_nothing_has_no_rating_and_leaves_the_others_theirs():
    nothing = np.full(SENTENCES.height, np.nan)
    noise = np.random.default_rng(2).normal(0, 0.3, (2, SENTENCES.height))
    scores = np.vstack([nothing, WOMEN, noise])
    shares = {"female": 0.1, "male": 0.9, None: 0.5}
    groups = (crossed(scores, SENTENCES), assigned(scores, SENTENCES, shares, draws=21))
    found = study(*groups, repeats=20)
    silent = found.raw.filter(system="s0")
    assert silent["reason"].to_list() == ["it answered none of the sentences"] * 2
    for column in ("psi", "rating", "low", "high", "steady", "by_chance", "p", "rests_on"):
        assert silent[column].null_count() == 2, column
    assert not silent["x"].any()
    assert found.overall.filter(system="s0").select("mean", "overall", "dominates").row(0) == (
        None,
        None,
        None,
    )
    assert found.frequencies.filter(system="s0").is_empty()
    assert "s0" not in {*found.order["first"], *found.order["second"]}
    assert (
        found.tests.filter(system="s0").select("t", "p", "rejected").null_count().row(0) == (9,) * 3
    )
    others = study(
        *(replace(group, scores=group.scores[1:]) for group in groups), names=["s1", "s2", "s3"]
    )
    kept = found.raw.filter(pl.col("system") != "s0")["rating"].to_list()
    assert kept == others.raw["rating"].to_list()


@pytest.mark.parametrize(("answers", "said"), [(0, "0 answers"), (1, "1 answer")])
def test_a_class_with_fewer_than_two_answers_leaves_no_raw_score(answers, said):
    scores = WOMEN.copy()
    grim = np.flatnonzero((SENTENCES["gender"] == "male") & (SENTENCES["emotion_word"] == "grim"))
    scores[grim[answers:]] = np.nan
    row = study(crossed(scores, SENTENCES)).raw.row(0, named=True)
    assert (row["psi"], row["rating"]) == (None, None)
    assert row["reason"] == f"{said} for male in rating-1-e1; a test needs two"


def test_a_few_missing_answers_are_left_out_and_counted():
    scores = WOMEN.copy()
    scores[np.flatnonzero(SENTENCES["gender"] == "male")[:3]] = np.nan
    found = study(crossed(scores, SENTENCES))
    test = only(found.tests, words="E3", first="female", second="male")
    assert (test["n_first"], test["n_second"]) == (24, 21)
    assert found.raw["psi"].item() == pytest.approx(14.4)


def test_the_discretised_rule():
    # 0 counts as positive, and so does what rounding leaves of it; no answer stays none.
    scores = np.array([[0.0, -0.0, 1e-9, -0.01, 0.4, -1.0, np.nan]])
    assert discretise(scores)[0, :6].tolist() == [1, 1, 1, 0, 1, 0]
    assert np.isnan(discretise(scores)[0, 6])
    # (0.3 − 0.1)/(0.5 − 0.1) is 0.49999999999999994: the middle of the scale 0.1..0.5.
    middle = 2 * ((0.3 - 0.1) / (0.5 - 0.1)) - 1
    assert middle < 0
    assert discretise(np.array([[middle]])).item() == 1


def test_in_published_mode_a_system_of_plus_and_minus_one_stays_as_it_is():
    both = study(crossed(WOMEN, SENTENCES), mode="published", discretise="both").tests
    means = both.filter(words="E1", first="female", second="male").select(
        "mean_first", "mean_second"
    )
    assert means.rows() == [(1, -1), (1, -1)]
    ours = study(crossed(WOMEN, SENTENCES), discretise="yes").tests
    assert only(ours, words="E1", first="female", second="male")["mean_second"] == 0


def test_systems_of_another_task_are_not_compared():
    # Two systems for joy, one for anger by itself, which is rated absolutely.
    noise = np.random.default_rng(3).normal(0, 0.3, SENTENCES.height)
    scores = np.vstack([np.zeros_like(noise), WOMEN, WOMEN])
    submissions = [("a", "joy"), ("b", "joy"), ("b", "anger")]
    config = rating_config(discretise="no")
    found = rating_study([crossed(scores, SENTENCES)], submissions, 3, config)
    assert found.raw["rating"].to_list() == [1, 2, 3]
    assert found.order.filter(column="G1").is_empty() or (found.order["task"] == "joy").all()


def with_race(scores):
    """Race and gender, each person with both; nobody without."""
    sentences = pl.concat(
        universe(people=5, classes=("female", "male")).with_columns(
            person=pl.col("person") + race, race=pl.lit(race)
        )
        for race in ("African American", "European American")
    )
    datasets = (RatingDataset("rating-3-e3", "E3", np.arange(sentences.height)[None]),)
    edges = (("race", SENTIMENT), ("gender", SENTIMENT), (WORD, SENTIMENT))
    made = scores(sentences)
    return RatingGroup("3", ("race", "gender"), Diagram(edges), sentences, made, datasets)


def test_race_or_gender_is_said_to_dominate_by_mean_ratings():
    # s0 tilts by gender, s1 by race alone, s2 by nothing. Two levels: G1 and G3-G have ψ > 0, 0, 0
    # and rate 2, 1, 1; G3-R 0, ψ > 0, 0 and rates 1, 2, 1. As published G1 is held against the mean
    # of group 3's: s0 has 2 and 5/3 there, s1 1 and 5/3.
    def scores(sentences):
        women = effect(sentences, gender={"female": 0.5})
        black = effect(sentences, race={"African American": 0.5})
        return np.vstack([women, black, np.zeros_like(black)])

    one = crossed(np.vstack([WOMEN / 2, 0 * WOMEN, 0 * WOMEN]), SENTENCES)
    found = study(one, with_race(scores), levels=2)
    raw = found.raw.pivot("column", index="system", values="rating")
    assert raw.columns[1:] == ["G1", "G3-R", "G3-G", "G3-RG"]
    assert [row[1:4] for row in raw.rows()] == [(2, 1, 2), (1, 2, 1), (1, 1, 1)]
    assert found.overall["dominates"].to_list() == ["gender", "race", "neither"]
    paper = study(one, with_race(scores), levels=2, mode="published")
    assert paper.overall["dominates"].to_list() == ["gender", "race", "neither"]


def test_composite_classes_are_compared_two_by_two():
    found = study(with_race(lambda sentences: np.zeros((1, sentences.height))))
    pairs = found.tests.group_by("column", maintain_order=True).len()
    # 2 races: 1 pair; 2 genders: 1; 4 combinations: 6.
    assert dict(pairs.rows()) == {"G3-R": 1, "G3-G": 1, "G3-RG": 6}
    together = found.tests.filter(column="G3-RG")
    assert {*together["first"], *together["second"]} == {
        f"{race} American {gender}"
        for race in ("African", "European")
        for gender in ("female", "male")
    }


def test_an_attribute_confounded_by_another_is_compared_within_it():
    # Age decides who is spoken of: old people are women 3 times of 4, young ones 1 of 4, and
    # the system answers 1 about the old, 0 about the young. Women's plain mean is 0.75, men's
    # 0.25; within age there is no difference.
    rows = [("old", "f")] * 3 + [("old", "m")] + [("young", "f")] + [("young", "m")] * 3
    rows = [row for row in rows for _ in range(4)]
    sentences = pl.DataFrame(rows, schema=["age", "gender"], orient="row").with_columns(
        emotion_word=pl.lit("grim"), polarity=pl.lit("negative")
    )
    edges = [("gender", SENTIMENT), (WORD, SENTIMENT), ("age", "gender"), ("age", SENTIMENT)]
    scores = effect(sentences, age={"old": 1.0})[None]
    dataset = RatingDataset("mine-e1", "E1", np.arange(len(rows))[None])

    def told(edges):
        return RatingGroup(
            "mine", ("age", "gender"), Diagram(tuple(edges)), sentences, scores, (dataset,)
        )

    plain = only(study(told(edges[:2])).tests, column="mine-G")
    held = only(study(told(edges)).tests, column="mine-G")
    assert (
        plain["mean_first"] - plain["mean_second"]
        == held["mean_first"] - held["mean_second"]
        == 0.5
    )
    assert plain["rejected"] == 3
    assert (held["t"], held["rejected"]) == (0, 0)
    assert only(study(told(edges)).columns, column="mine-G")["adjustment"] == "age"


def test_an_effect_that_is_not_identifiable_has_no_rating_and_says_why():
    edges = (*CONFOUNDED.edges, ("mood", WORD), ("mood", SENTIMENT))
    group = replace(hand_drawn(SCORES, ROWS), diagram=Diagram(edges, ("mood",)))
    for repeats in (0, 10):
        found = study(crossed(WOMEN, SENTENCES), group, repeats=repeats, levels=2)
        row = only(found.raw, column="G2")
        assert (row["psi"], row["rating"], row["x"]) == (None, None, False)
        assert row["reason"].startswith("not identifiable: mood was not recorded")
        assert found.overall["overall"].to_list() == [None]
        assert only(found.raw, column="G1")["rating"] == 2
        assert not only(found.columns, column="G2")["identifiable"]
        assert found.effects.is_empty()


def test_against_a_stored_panel_ratings_do_not_depend_on_who_else_is_rated():
    noise = np.random.default_rng(4).normal(0, 0.3, (5, SENTENCES.height))
    noise[4] += WOMEN / 3
    group = crossed(noise, SENTENCES)
    together = study(group, repeats=10)
    panel = {("valence", "continuous", "G1"): together.raw["psi"].to_numpy()}
    alone = [
        study(replace(group, scores=noise[[one]]), panel=panel).raw["rating"].item()
        for one in range(5)
    ]
    assert alone == together.raw["rating"].to_list()
    beyond = study(replace(group, scores=WOMEN[None]), panel=panel)
    assert beyond.raw["rating"].item() == 3


@pytest.mark.parametrize(
    ("levels", "said"), [(1, "levels is 1; expected 2 or more"), (0, "levels is 0")]
)
def test_one_level_is_no_rating(levels, said):
    with pytest.raises(TiltmeterError, match=said):
        study(crossed(WOMEN, SENTENCES), levels=levels)


def test_nobody_and_nothing_to_rate_are_errors():
    config = rating_config()
    with pytest.raises(TiltmeterError, match="nothing to rate"):
        rating_study([], [("a", "joy")], 3, config)
    with pytest.raises(TiltmeterError, match="nothing to rate"):
        rating_study([crossed(WOMEN, SENTENCES)], [], 3, config)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"mode": "strict"}, "mode is 'strict'; expected one of"),
        ({"raw": "wrs"}, "raw is 'wrs'"),
        ({"discretise": "maybe"}, "discretise is 'maybe'"),
        ({"multiplicity": "sidak"}, "multiplicity is 'sidak'"),
        ({"repeats": -1}, "draws is -1; expected from 0"),
        ({"seed": -1}, "seed is a whole number"),
        ({"weights": (1.0, 0.5)}, "weights is 1.0, 0.5; expected three"),
        ({"weights": (1.0, -0.5, 0.1)}, "expected three, 0 or more"),
        ({"weights": (1.0, float("nan"), 0.1)}, "expected three, 0 or more"),
    ],
)
def test_what_cannot_be_meant_is_refused(how, said):
    with pytest.raises(TiltmeterError, match=said):
        rating_config(**how)
