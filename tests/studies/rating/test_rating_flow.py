"""Systems rated end to end: the paper's numbers from generated datasets, odd systems, groups."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Settings
from tiltmeter.studies.rating.run import rate

CLASSES = ("G1", "G3-R", "G3-G", "G3-RG")
PAPER = {"G1": 23, "G3-R": 23, "G3-G": 23, "G3-RG": 69}
"""ψ of Biased-Female in Tables 2 and 3. G1: two of three pairs in five datasets, all levels:
10 · (1 + 0.7 + 0.6) = 23. G3-RG: six of ten pairs: 30 · 2.3 = 69."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def published(store):
    return rate(["biased-female", "textblob", "random"], mode="published", draws=0, store=store)


def values(ratings, system, what="psi", variant="continuous"):
    found = ratings.ratings.filter(system=system, variant=variant)
    return dict(zip(found["column"], found[what], strict=True))


@pytest.mark.parametrize("variant", ["continuous", "discretised"])
def test_biased_female_has_the_papers_raw_scores_exactly(published, variant):
    # It stays ±1 when discretised, as in the paper's Tables 2, 5 and 9.
    found = values(published, "biased-female", variant=variant)
    assert {column: found[column] for column in CLASSES} == pytest.approx(PAPER, abs=1e-9)


@pytest.mark.parametrize("variant", ["continuous", "discretised"])
def test_textblob_has_0_wherever_nothing_confounds(published, variant):
    found = values(published, "textblob", variant=variant)
    assert [found[column] for column in CLASSES] == [0, 0, 0, 0]
    assert published.overall.filter(system="textblob", variant=variant)["overall"].item() == 1


def test_the_t_values_and_superscripts_are_those_of_table_12(published):
    # R_e R_n and R_a R_n: 2.64¹, 2.64¹, 3.87¹, 4.80¹, 4.80¹; R_e R_a: 0.
    # G_m G_f and G_f G_n: H¹; G_m G_n: 0.
    tests = published.tests.filter(system="biased-female", variant="continuous")
    race = tests.filter(column="G3-R")
    for other in ("African American", "European American"):
        rows = race.filter(first=other, second="NA").sort("words")
        np.testing.assert_allclose(
            rows["t"], [2.645051, 2.645051, 3.871484, 4.793533, 4.793533], 1e-6
        )
        np.testing.assert_allclose(rows["t"], [2.64, 2.64, 3.87, 4.80, 4.80], atol=0.01)
        assert rows["df"].to_list() == [14, 14, 30, 46, 46]
        assert rows["rejected"].to_list() == [3] * 5
    between = race.filter(first="African American", second="European American")
    assert between["t"].to_list() == [0] * 5
    gender = tests.filter(column="G3-G")
    assert gender.filter(first="male", second="NA")["t"].to_list() == [0] * 5
    tilted = gender.filter(pl.col("first") == "female")
    assert tilted["t"].to_list() == pytest.approx([2 / 0.0001] * 10)


def test_sizes_are_the_papers(published):
    sizes = dict(published.columns.select("column", "sentences").rows())
    # 24 + 24 + 48 + 72 + 72 sentences; three datasets of 24.
    assert sizes == {"G1": 240, "G3-R": 240, "G3-G": 240, "G3-RG": 240, "G2": 72, "G4": 72}
    pairs = published.tests.filter(system="random", variant="continuous", words="E1")
    assert dict(pairs.group_by("column").len().rows()) == {
        "G1": 3, "G3-R": 3, "G3-G": 3, "G3-RG": 10,
    }  # fmt: skip


def test_in_published_mode_random_is_rounded_to_two_decimals_and_others_are_not(published, store):
    def hundredths(ratings, system):
        means = ratings.tests.filter(system=system, variant="continuous", words="E1")
        total = (means["mean_first"] * means["n_first"] * 100).to_numpy()
        return np.abs(total - total.round()).max()

    assert hundredths(published, "random") < 1e-9
    seeded = rate(["random:seed=3"], mode="published", groups=["1"], draws=0, store=store)
    assert hundredths(seeded, "random:seed=3") < 1e-9
    ours = rate(
        ["random"], mode="corrected", edition="published", groups=["1"], draws=0, store=store
    )
    assert hundredths(ours, "random") > 1e-3


def test_positivity_failures_are_in_the_notes_and_in_the_table(published):
    empty = published.effects.filter(pl.col("empty") != "", system="textblob")
    assert not empty.is_empty()
    (said,) = [one for one in published.notes if "nobody of a class is given a word" in one]
    for dataset, polarity, classes in empty.select("dataset", "polarity", "empty").rows():
        assert f"{polarity} in {dataset} ({classes})" in said
    # TextBlob's words are the same for everyone, so leaving classes out moves nothing.
    assert values(published, "textblob", variant="discretised")["G2"] == 0


def by_gender_and_word(texts):
    """Women 0.4 higher; negative words −0.5, positive ones 0.5."""
    women = {"she", "her", "woman", "girl", "sister", "daughter", "wife", "girlfriend"}
    women |= {"mother", "aunt", "mom"}
    negative = {"grim", "depressed", "depressing"}
    said = [set(text.lower().rstrip(".").split()) for text in texts]
    return [
        (-0.5 if words & negative else 0.5) + 0.4 * bool(words.intersection(women))
        for words in said
    ]


@pytest.fixture(scope="module")
def cases(store):
    from tiltmeter.systems import SIGNED, Options

    return {
        (k, raw): rate(
            [by_gender_and_word],
            groups=["2"],
            k=k,
            raw=raw,
            draws=0,
            discretise="no",
            store=store,
            options=Options(scale=SIGNED),
        )
        for k in (0, 1, 2)
        for raw in ("die", "ate")
    }


def test_confounding_moves_means_as_the_diagram_says(cases):
    # k = 1: women have 0.9/(0.1 + 0.9 + 0.5) = 60 % of negative words, 1/15 of positive ones.
    #   E[S | neg] = −0.5 + 0.4 · 0.6 = −0.26, do: −0.5 + 0.4/3 = −0.367: DIE 41 %.
    #   E[S | pos] = 0.5 + 0.4/15 = 0.527, do: 0.633: DIE 20 %.
    # k = 2: the other way round: neg −0.473, do −0.367: 22.5 %; pos 0.74, do 0.633: 14 %.
    # k = 0: nothing but the luck of 210 draws.
    psi = {k: cases[k, "die"].ratings["psi"].item() for k in (0, 1, 2)}
    assert psi[1] == pytest.approx(41, abs=16)
    assert psi[2] == pytest.approx(22.5, abs=9)
    assert psi[0] < 15
    assert psi[0] < psi[2] < psi[1]
    effects = cases[1, "die"].effects.filter(polarity="negative")
    assert effects["interventional"].to_list() == pytest.approx([-0.3667] * 3, abs=1e-3)


def test_rated_on_the_effect_of_words_it_is_the_effect_that_moves(cases):
    # The truth is 1 for everyone. k = 1: naive 0.527 + 0.26 = 0.787, 27 % too low; k = 2: naive
    # 0.74 + 0.473 = 1.213, 17.6 % too high.
    for k, naive, change in ((0, 1.0, 0), (1, 0.787, 27), (2, 1.213, 17.6)):
        ratings = cases[k, "ate"]
        assert ratings.ratings["measure"].item() == "ate"
        ates = ratings.ates
        assert ates["adjusted"].to_list() == pytest.approx([1] * 3, abs=1e-9)
        assert ates["matched"].to_list() == pytest.approx([1] * 3, abs=1e-9)
        assert ates["naive"].to_list() == pytest.approx([naive] * 3, abs=0.08)
        assert ratings.ratings["psi"].item() == pytest.approx(ates["change"].max())
        assert ratings.ratings["psi"].item() == pytest.approx(change, abs=10)


def silent(texts):
    return [None] * len(texts)


def mute_about_women(texts):
    women = ("this girl", "this woman")
    return [None if any(one in text for one in women) else 0.2 for text in texts]


def test_a_silent_system_is_told_of_and_rates_nobody_else(store):
    asked = {
        "mode": "published", "draws": 5, "store": store, "discretise": "no",
        "settings": Settings(max_missing=1.0),
    }  # fmt: skip
    from tiltmeter.systems import SIGNED, Options

    found = rate(
        [silent, mute_about_women, "textblob", "biased-female"],
        groups=["1", "2"],
        options=Options(scale=SIGNED),
        **asked,
    )
    assert values(found, "silent") == {"G1": None, "G2": None}
    assert values(found, "silent", "reason")["G1"] == "it answered none of the sentences"
    part = values(found, "mute_about_women", "reason")
    assert part["G1"] == "0 answers for female in rating-1-e1; a test needs two"
    assert part["G2"] is None  # men and people of whom it is not said have both polarities
    overall = dict(found.overall.select("system", "overall").rows())
    assert overall["silent"] is overall["mute_about_women"] is None
    alone = rate(["textblob", "biased-female"], groups=["1"], **asked)
    both = found.ratings.filter(pl.col("column") == "G1").select("system", "rating")
    assert dict(both.rows()) | dict(alone.ratings.select("system", "rating").rows()) == dict(
        both.rows()
    )
    columns = "gender alone (G1), gender with words dealt unevenly (G2)"
    unrated = f"silent: no rating for {columns}: it answered none"
    assert any(unrated in note for note in found.notes)


MINE = """
[corpus]
name = "mine"
title = "With a mood that nobody recorded"
extends = "rating-2"

[rating]
group = "mine"

[rating.diagram]
edges = [
  "gender -> sentiment", "emotion word -> sentiment", "gender -> emotion word",
  {more}
]
unobserved = [{hidden}]
"""


def own_group(folder, more="", hidden=""):
    path = folder / "mine.toml"
    path.write_text(MINE.format(more=more, hidden=hidden), encoding="utf-8")
    return path


def test_a_diagram_that_is_not_identifiable_gives_no_rating_and_the_path(tmp_path, store):
    more = '"mood -> emotion word", "mood -> sentiment"'
    mine = own_group(tmp_path, more, '"mood"')
    found = rate(["textblob", "biased-female"], groups=["1", mine], draws=3, store=store)
    reason = (
        "not identifiable: mood was not recorded, and emotion word ← mood → sentiment stays open"
    )
    rows = found.ratings.filter(column="mine")
    assert rows["reason"].to_list() == [reason] * 4
    assert rows["rating"].null_count() == rows["psi"].null_count() == 4
    assert found.overall["overall"].null_count() == 4
    assert found.ratings.filter(column="G1")["rating"].null_count() == 0
    assert any(reason in note for note in found.notes)


def test_a_mediator_and_a_harmless_collider_change_nothing(tmp_path, store):
    more = '"emotion word -> intensity", "intensity -> sentiment", "mood -> sentiment"'
    mine = own_group(tmp_path, more, '"intensity", "mood"')
    found = rate(["biased-female"], groups=["2", mine], draws=0, discretise="no", store=store)
    columns = {row["column"]: row for row in found.columns.iter_rows(named=True)}
    assert columns["mine"]["adjustment"] == columns["G2"]["adjustment"] == "gender"
    assert columns["mine"]["identifiable"]
    assert values(found, "biased-female")["mine"] is not None


def test_a_diagram_in_a_circle_is_an_error(tmp_path, store):
    mine = own_group(tmp_path, '"sentiment -> gender"')
    with pytest.raises(TiltmeterError, match="circle"):
        rate(["biased-female"], groups=[mine], draws=0, store=store)


def test_the_same_seed_gives_the_same_and_another_other_words(store):
    def told(seed):
        return rate(["random"], groups=["2"], seed=seed, draws=10, discretise="no", store=store)

    assert told(1).ratings.equals(told(1).ratings)
    assert told(1).ratings["psi"].item() != told(2).ratings["psi"].item()


def test_a_control_with_a_planted_tilt_is_rated_worst_whatever_the_draw(store):
    found = rate(["textblob", "random", "biased-female"], draws=20, groups=["1", "3"], store=store)
    mine = found.ratings.filter(system="biased-female")
    worst = mine.filter(pl.col("column") != "G3-R")  # it goes by gender alone
    assert worst["rating"].to_list() == [3] * 6
    assert mine.filter(column="G3-R")["psi"].to_list() == [0, 0]
    assert (worst["steady"] >= 0.9).all()
    assert found.overall.filter(system="biased-female")["overall"].to_list() == [3, 3]
    assert (worst["p"] < 0.06).all()  # 1 of 21


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"groups": ["5"]}, "5"),
        ({"groups": []}, "names no group"),
        ({"groups": ["1", "rating-1"]}, "two groups are called '1'"),
        ({"levels": 1}, "levels is 1"),
        ({"k": 9}, "k = 9"),
        ({"results": "nowhere"}, "expected one of the two"),
    ],
)
def test_what_cannot_be_rated_is_refused(how, said, store):
    with pytest.raises(TiltmeterError, match=said):
        rate(["textblob"], **{"draws": 0, "store": store, **how})
