"""The paired study on a corpus that can be worked out by hand, and its odd cases."""

import math

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.studies.paired.contrasts import Contrast, contrasts_of
from tiltmeter.studies.paired.pairs import OWN, pair_study
from tiny import CONTRASTS, PEOPLE, one, scores_of, tiny

SENTENCES = tiny()
N = SENTENCES.height
# Mother, father, Ann, Bea, Cal, Dan in the frames joy, anger and neutral.
SCORES = np.array([
    [0.6, 0.5, 0.8, 0.6, 0.3, 0.5],
    [0.4, 0.2, 0.3, 0.5, 0.1, 0.5],
    [0.5, 0.5, 0.2, 0.4, 0.6, 0.4],
]).ravel()  # fmt: skip
# Gender, female − male, joy: 0.6 − 0.5 = 0.1 and (0.8 + 0.6)/2 − (0.3 + 0.5)/2 = 0.7 − 0.4 = 0.3;
# anger: 0.2 and 0.4 − 0.3 = 0.1; neutral: 0 and 0.3 − 0.5 = −0.2.
GENDER = [0.1, 0.3, 0.2, 0.1, 0.0, -0.2]
# Race, A − B: joy (Ann 0.8 + Cal 0.3)/2 − (Bea 0.6 + Dan 0.5)/2 = 0.55 − 0.55 = 0;
# anger (0.3 + 0.1)/2 − (0.5 + 0.5)/2 = −0.3; neutral (0.2 + 0.6)/2 − (0.4 + 0.4)/2 = 0.
RACE = [0.0, -0.3, 0.0]


def study(values, sentences=SENTENCES, contrasts=CONTRASTS, *, flips=0, seed=0, **options):
    scores = scores_of(sentences, values, **options)
    found = pair_study(sentences, scores, contrasts, flips=flips, seed=seed)
    validate(found.estimates, ESTIMATES)
    return found


def test_the_differences_by_hand():
    found = study(SCORES)
    assert found.deltas[0] == pytest.approx([*GENDER, *RACE], abs=1e-12)
    assert found.first[0][:2] == pytest.approx([0.6, 0.7])
    assert found.second[0][:2] == pytest.approx([0.5, 0.4])


def test_the_estimates_of_gender_by_hand():
    estimates = study(SCORES, flips=100).estimates
    where = {"axis": "gender", "subset": "all"}
    mean = one(estimates, measure="mean_difference", **where)
    # Σ = 0.5, mean 0.5/6; ΣΔ² = 0.01 + 0.09 + 0.04 + 0.01 + 0 + 0.04 = 0.19;
    # Σ(Δ − mean)² = 0.19 − 0.25/6 = 0.89/6; sd² = 0.89/30; se² = 0.89/180
    assert mean["value"] == pytest.approx(0.5 / 6)
    assert mean["se"] == pytest.approx(math.sqrt(0.89 / 180))
    assert mean["statistic"] == pytest.approx(0.5 / 6 / math.sqrt(0.89 / 180))
    assert (mean["df"], mean["n"], mean["n_dropped"]) == (5, 6, 0)
    assert (mean["contrast"], mean["reference"], mean["unit"]) == ("female-male", "male", "scale")
    d = one(estimates, measure="standardised", **where)
    assert d["value"] == pytest.approx(0.5 / 6 / math.sqrt(0.89 / 30))
    assert d["unit"] == "sd of differences"
    up, down = (one(estimates, measure=name, **where) for name in ("mean_up", "mean_down"))
    assert (up["value"], up["n"]) == (pytest.approx(0.7 / 4), 4)  # 0.1, 0.3, 0.2, 0.1
    assert (down["value"], down["n"]) == (pytest.approx(-0.2), 1)
    assert one(estimates, measure="spread", **where)["value"] == pytest.approx(0.5)
    assert one(estimates, measure="max_abs", **where)["value"] == pytest.approx(0.3)
    assert one(estimates, measure="mean_abs", **where)["value"] == pytest.approx(0.9 / 6)
    # In tenths: 1, 3, 2, 1, (0), −2 sum to 5 of at most 9. Patterns with |Σ| ≥ 5, that is 5, 7, 9:
    # the total flipped is at most 2 of {1, 3, 2, 1, 2}: {}, {1}, {1}, {2}, {2}, {1, 1}: 6 of 32,
    # and as many mirrored: 12/32
    flip = one(estimates, measure="sign_flip", **where)
    assert flip["p"] == pytest.approx(12 / 32)
    assert flip["value"] == mean["value"]


def test_the_subsets_have_their_own_pairs():
    estimates = study(SCORES).estimates.filter(
        pl.col("measure") == "mean_difference", pl.col("axis") == "gender"
    )
    found = {row["subset"]: (row["value"], row["n"]) for row in estimates.iter_rows(named=True)}
    assert found == {
        "all": (pytest.approx(0.5 / 6), 6),
        "neutral": (pytest.approx(-0.1), 2),
        "emotion": (pytest.approx(0.7 / 4), 4),
        "emotion:joy": (pytest.approx(0.2), 2),
        "emotion:anger": (pytest.approx(0.15), 2),
        "template:1": (pytest.approx(0.7 / 4), 4),
        "template:2": (pytest.approx(-0.1), 2),
    }


def test_the_own_emotion_is_that_of_each_submissions_task():
    values = np.stack([SCORES, SCORES, SCORES])
    found = study(values, tasks=["joy", "valence", "anger"], systems=["s"] * 3).estimates
    own = found.filter(pl.col("subset") == OWN, pl.col("measure") == "mean_difference")
    assert own.select("task", "axis", "value").rows() == [
        ("joy", "gender", pytest.approx(0.2)),
        ("anger", "gender", pytest.approx(0.15)),
        ("joy", "race", pytest.approx(0.0)),
        ("anger", "race", pytest.approx(-0.3)),
    ]


def test_a_missing_score_drops_its_pairs_and_counts_them():
    values = SCORES.copy()
    values[2] = np.nan  # Ann, joy: the names of joy fall out of gender and of race
    found = study(values).estimates
    gender, race = (
        one(found, axis=axis, subset="all", measure="mean_difference")
        for axis in ("gender", "race")
    )
    assert (gender["n"], gender["n_dropped"]) == (5, 1)
    assert gender["value"] == pytest.approx(0.2 / 5)  # 0.1 + 0.2 + 0.1 + 0 − 0.2
    assert (race["n"], race["n_dropped"]) == (2, 1)


def test_a_system_without_scores_has_estimates_of_nothing():
    values = np.stack([np.full(N, np.nan), SCORES])
    found = study(values, flips=50).estimates.filter(pl.col("system") == "s0")
    main = found.filter(pl.col("subset") == "all", pl.col("axis") == "gender")
    assert main["value"].null_count() == main["p"].null_count() == main.height
    assert main["n"].to_list() == [0] * main.height
    assert main.filter(pl.col("measure") == "mean_difference")["n_dropped"].to_list() == [6]


def test_the_others_are_not_moved_by_a_system_without_scores():
    alone = study(SCORES, flips=50, systems=["s1"]).estimates
    beside = study(
        np.stack([np.full(N, np.nan), SCORES]), flips=50, systems=["s0", "s1"]
    ).estimates.filter(pl.col("system") == "s1")
    assert alone.equals(beside)


def test_a_contrast_without_pairs_is_there_and_says_so():
    contrasts = [*CONTRASTS, Contrast("gender", "female", "nobody")]
    found = one(study(SCORES, contrasts=contrasts).estimates,
                contrast="female-nobody", measure="mean_difference")  # fmt: skip
    assert (found["n"], found["n_dropped"], found["p"], found["value"]) == (0, 0, None, None)


def test_one_pair_gives_a_size_without_a_test():
    joy = SENTENCES.filter(pl.col("emotion") == "joy")
    found = one(study(SCORES[:6], joy).estimates, axis="race", subset="all",
                measure="mean_difference")  # fmt: skip
    assert (found["n"], found["value"], found["p"]) == (1, 0.0, None)


def test_nothing_at_all_gives_empty_tables():
    assert study(SCORES, contrasts=[]).estimates.height == 0
    none = pair_study(SENTENCES, scores_of(SENTENCES, SCORES).head(0), CONTRASTS)
    assert validate(none.estimates, ESTIMATES).height == 0
    assert none.deltas.shape == (0, 9)


def test_a_chosen_reference_turns_the_sign_and_nothing_else():
    turned = contrasts_of("gender", ["female", "male"], "female")
    ours, theirs = (
        study(SCORES, contrasts=contrasts, flips=64).estimates
        for contrasts in (CONTRASTS[:1], turned)
    )
    assert theirs["contrast"].unique().to_list() == ["male-female"]
    for mine, other in zip(ours.iter_rows(named=True), theirs.iter_rows(named=True), strict=True):
        if mine["measure"] in ("mean_difference", "standardised", "sign_flip"):
            for a, b in (("value", "value"), ("low", "high"), ("statistic", "statistic")):
                assert mine[a] == (None if other[b] is None else pytest.approx(-other[b]))
        assert mine["p"] == other["p"]


def test_three_groups_are_compared_in_every_pair_of_groups():
    ages = {"my mother": "old", "my father": "young", "Ann": "old", "Bea": "young",
            "Cal": "middle", "Dan": "young"}  # fmt: skip
    sentences = SENTENCES.with_columns(age=pl.col("person").replace_strict(ages))
    found = study(SCORES, sentences, contrasts_of("age", ["young", "middle", "old"])).estimates
    main = found.filter(pl.col("subset") == "all", pl.col("measure") == "mean_difference")
    # Names: young is Bea and Dan, middle Cal, old Ann. Joy: young 0.55, middle 0.3, old 0.8;
    # anger: 0.5, 0.1, 0.3; neutral: 0.4, 0.6, 0.2. Father − mother: −0.1, −0.2, 0.
    young_middle = [0.25, 0.4, -0.2]
    young_old = [-0.25, 0.2, 0.2, -0.1, -0.2, 0.0]
    middle_old = [-0.5, -0.2, 0.4]
    assert main.select("contrast", "value", "n").rows() == [
        ("young-middle", pytest.approx(sum(young_middle) / 3), 3),
        ("young-old", pytest.approx(sum(young_old) / 6), 6),
        ("middle-old", pytest.approx(sum(middle_old) / 3), 3),
    ]


def test_contrasts_that_are_written_alike_are_kept_apart():
    # a − b-c and a-b − c are both written a-b-c
    groups = dict(zip((person for person, *_ in PEOPLE),
                      ("a", "b-c", "a-b", "c", "a-b", "c"), strict=True))  # fmt: skip
    sentences = SENTENCES.with_columns(kind=pl.col("person").replace_strict(groups))
    contrasts = [Contrast("kind", "a", "b-c"), Contrast("kind", "a-b", "c")]
    found = study(SCORES, sentences, contrasts).estimates
    main = found.filter(pl.col("subset") == "all", pl.col("measure") == "mean_difference")
    assert main.select("contrast", "reference", "n", "value").rows() == [
        ("a-b-c", "b-c", 3, pytest.approx(0.1)),  # mother − father: 0.1, 0.2, 0
        ("a-b-c", "c", 3, pytest.approx(-0.1)),  # Ann, Cal − Bea, Dan: 0, −0.3, 0
    ]


def test_a_contrast_given_twice_doubles_no_evidence():
    once, twice = (study(SCORES, contrasts=given) for given in (CONTRASTS, CONTRASTS * 2))
    assert once.estimates.equals(twice.estimates)


def test_a_system_without_a_scale_is_told_in_its_own_units_and_deviations():
    found = study(SCORES * 50 - 20, raw=True, flips=64).estimates
    where = {"axis": "gender", "subset": "all"}
    mean = one(found, measure="mean_difference", **where)
    assert (mean["value"], mean["unit"]) == (pytest.approx(25 / 6), "native")
    spread = np.std(SCORES * 50, ddof=1)
    in_sd = one(found, measure="in_sd", **where)
    assert in_sd["value"] == pytest.approx(25 / 6 / spread)
    assert in_sd["low"] == pytest.approx(mean["low"] / spread)
    assert in_sd["unit"] == "sd of scores"


def test_a_system_without_a_scale_adds_no_rows_to_the_others():
    on_scale, native = scores_of(SENTENCES, SCORES, systems=["a"]), scores_of(
        SENTENCES, SCORES * 9, systems=["b"], raw=True
    )  # fmt: skip
    both = pair_study(SENTENCES, pl.concat([on_scale, native]), CONTRASTS, flips=0).estimates
    assert both.filter(pl.col("system") == "a").equals(study(SCORES, systems=["a"]).estimates)
    assert set(both.filter(pl.col("measure") == "in_sd")["system"]) == {"b"}


@pytest.mark.parametrize("level", [0.1, 1 / 3, 3.7, -1e9, 1e-9, 0.0])
@pytest.mark.parametrize("raw", [False, True])
def test_the_same_answer_everywhere_is_no_difference_however_it_rounds(level, raw):
    # Averages of pooled names round: 0.1 · 0.05 twenty times is not 0.1
    people = [(f"{group}{k}", group) for group in ("female", "male") for k in range(20)]
    sentences = pl.concat([
        SENTENCES.head(1).with_columns(
            id=pl.lit(f"{frame}-{name}"), person=pl.lit(name), gender=pl.lit(group),
            frame=pl.lit(f"{frame}"), match=pl.lit("names"),
        )
        for frame in range(5) for name, group in people if (name, frame) != ("male3", 2)
    ])  # fmt: skip
    found = study(np.full(sentences.height, level), sentences, CONTRASTS[:1], raw=raw, flips=100)
    mean = one(found.estimates, subset="all", measure="mean_difference")
    assert (mean["value"], mean["se"], mean["p"], mean["n"]) == (0.0, 0.0, 1.0, 5)
    assert one(found.estimates, subset="all", measure="sign_flip")["p"] == 1.0
    assert one(found.estimates, subset="all", measure="mean_up")["n"] == 0


def test_a_constant_shift_is_certain_in_any_unit():
    women = (SENTENCES["gender"] == "female").to_numpy()
    base = np.random.default_rng(0).random(3).repeat(6)
    for times, raw in ((1.0, False), (37.0, True), (1e-4, True)):
        found = study(times * (base + 0.1 * women), raw=raw).estimates
        mean = one(found, axis="gender", subset="all", measure="mean_difference")
        assert mean["value"] == pytest.approx(0.1 * times)
        assert (mean["p"], mean["se"], mean["statistic"]) == (0.0, 0.0, None)
        assert one(found, axis="gender", subset="all", measure="standardised")["value"] is None


def test_repeats_are_averaged_before_anything_is_compared():
    rng = np.random.default_rng(0)
    rounds = rng.random((3, N))
    scores = pl.concat(
        scores_of(SENTENCES, values, repeat=number) for number, values in enumerate(rounds)
    )
    found = pair_study(SENTENCES, scores, CONTRASTS, flips=0)
    assert found.deltas == pytest.approx(study(rounds.mean(axis=0)).deltas, abs=1e-12)
    assert found.submissions.height == 1


def test_flips_below_zero_are_refused():
    with pytest.raises(TiltmeterError, match="0 to 1,048,576; found -1"):
        study(SCORES, flips=-1)


def test_without_flips_there_is_no_sign_flip_test():
    assert "sign_flip" not in study(SCORES).estimates["measure"].to_list()


def test_the_mode_and_the_edition_stand_in_every_row():
    found = pair_study(SENTENCES, scores_of(SENTENCES, SCORES), CONTRASTS, mode="published")
    assert found.estimates.select("corpus", "edition", "mode").unique().rows() == [
        ("tiny", "corrected", "published")
    ]
