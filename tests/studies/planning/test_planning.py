"""What a design makes of spreads: coefficients by hand, and beside claims on simulated systems."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.stats.survey import mean_bounds
from tiltmeter.studies.paired.claims import COUPLES, compared_sides
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.tilt import tilt_study
from tiltmeter.studies.planning.design import (
    Spreads,
    couples_design,
    couples_spreads,
    expected_error,
    listed_cell,
    names_design,
    names_drawn,
    names_spreads,
    no_words,
    population_cell,
    sampled_cell,
    words_in,
)

GENDER = Contrast("gender", "female", "male")
RACE = Contrast("race", "African American", "European American")
BLACK_WHITE = Contrast("race", "Black", "White")
AXES = ["gender", "race"]


class TestCells:
    def test_a_cell_of_the_eec(self):
        """Ten names alike in 144 frames: C_people = 1/10, p₀ = 0.5/11."""
        cell, p = listed_cell(10, 144), 0.5 / 11
        assert (cell.people, cell.sentences, cell.df) == (10, 1440, 9)
        assert cell.chance == pytest.approx(1 / 10)
        assert cell.floor == pytest.approx(p * (1 - p) / 10)
        assert cell.noise == pytest.approx(1 / 1440)

    def test_people_drawn_by_bearers(self):
        """Bearers 6, 2, 2 with π = 1, 1/2, 1/4: h = 3/9, 2/9, 4/9, as in test_claims."""
        found = sampled_cell(
            np.array([6.0, 2, 2]), np.array([1, 0.5, 0.25]), np.array([8.0, 4, 4]), 8
        )
        assert found.chance == pytest.approx(1 / 2 * 4 / 81 + 3 / 4 * 16 / 81)
        p = 0.5 / 2.8
        assert found.floor == pytest.approx(14 / 81 * p * (1 - p))
        # One met all frames; of the others half: (1 − π) h²/K + π (1 − 1/2) h²/K.
        assert found.drawn == pytest.approx(
            (1 / 2 * 4 / 81 + 3 / 4 * 16 / 81) / 4 + (1 / 4 * 4 / 81 + 1 / 8 * 16 / 81) / 4
        )

    def test_a_population_is_drawn_as_it_will_be(self):
        """Of the names of a cell, the expected design is close to that of a draw."""
        corpus = load_corpus("names-us", people=100)
        population = corpus.design.deal.sample.population
        mine = population.table.filter(pl.col("cell") == 0)["bearers"].to_numpy().astype(float)
        usual = -(-8 // 2)  # by bearers, names that carry more meet more
        expected = population_cell(mine, 100, usual, 144)
        groups = population.groups(0)
        names = (
            corpus.sentences()
            .filter(
                *(pl.col(axis) == group for axis, group in groups.items()),
                pl.col("match") == "names",
            )["person"]
            .unique()
        )
        drawn = corpus.people.filter(pl.col("person").is_in(names.implode()))
        found = sampled_cell(
            *(drawn[name].to_numpy().astype(float) for name in ("weight", "probability", "frames")),
            144,
        )
        assert expected.people == pytest.approx(100, abs=1e-6)
        assert found.people == 100
        assert found.chance == pytest.approx(expected.chance, rel=0.15)
        assert found.sentences == pytest.approx(expected.sentences, rel=0.1)

    def test_the_heaviest_are_certain_and_the_others_share_what_is_left(self):
        """Three of 50, 30, 10, 5, 5. τ = 100/3 < 50; without it 50/2 < 30; without both 20/1.
        So π = 1, 1, ½, ¼, ¼, and h = w/π/100 = 0.2 of the last three: Σ π (1 − π) h² is
        ½ · ½ · 0.04 + 2 · ¼ · ¾ · 0.04 = 0.025.
        """
        found = population_cell(np.array([50.0, 30, 10, 5, 5]), 3, None, 144)
        assert found.people == pytest.approx(3, abs=1e-14)
        assert found.chance == pytest.approx(0.025, abs=1e-15)

    def test_everybody_is_a_census(self):
        found = population_cell(np.array([5.0, 3, 1]), None, None, 144)
        assert (found.people, found.sentences) == (3, 432)
        assert (found.chance, found.floor, found.drawn) == (0, 0, 0)

    def test_more_people_than_there_are_is_everybody(self):
        assert population_cell(np.ones(5), 9, 8, 144) == population_cell(np.ones(5), None, 8, 144)


class TestErrors:
    def test_words_of_the_eec(self):
        """Forty words, each in 3 or 4 templates of 144 frames, twenty of either kind; and four
        frames without: Σ (n/144)². Ten words of an emotion: the degrees of freedom of four."""
        frames = load_corpus("eec").sentences().unique("frame", maintain_order=True)
        found = words_in(frames)
        sizes = frames.drop_nulls("emotion_word")["emotion_word"].value_counts()["count"]
        assert (found.templates, found.words, found.frames) == (11, 40, 144)
        assert found.squares == pytest.approx(float(((sizes / 144) ** 2).sum()))
        assert 30 < found.df <= 36

    def test_a_census_leaves_what_sentences_and_words_add(self):
        cell = population_cell(np.ones(50), None, 8, 144)
        design = names_design(BLACK_WHITE, [(1.0, cell), (-1.0, cell)], no_words(144))
        found = expected_error(design, Spreads(0.05, 0.0, 0.0, 0.02, 0.2))
        # √(2 · 0.02²/(50 · 8)): the names' own spread and the floor are gone.
        assert found.se == pytest.approx(np.sqrt(2 * 0.02**2 / 400))
        assert design.census


@pytest.fixture(scope="module")
def simulated():
    """100 systems on names-us whose names, words and sentences scatter as was said."""
    corpus = load_corpus("names-us", people=100)
    sentences, rng, many = corpus.sentences(), np.random.default_rng(1), 100
    side = np.array([{"Black": 0.5, "White": -0.5}.get(one, 0.0) for one in sentences["race"]])

    def drawn(*columns):
        code = sentences.select(one=pl.struct(columns).rank("dense").cast(pl.Int64))["one"]
        return rng.standard_normal((many, code.max() + 1))[:, code.to_numpy()]

    word = np.where(sentences["emotion_word"].is_null(), 0.0, drawn("emotion_word"))
    values = 0.5 + 0.03 * drawn("person") + 0.02 * rng.standard_normal((many, sentences.height))
    values += 0.01 * side * word + 0.15 * drawn("frame")
    return tilt_study(sentences, values, [GENDER, BLACK_WHITE], AXES, people=corpus.people)


def test_spreads_are_found_as_they_were_made(simulated):
    (claim,) = simulated.claims(BLACK_WHITE)
    sides = compared_sides(simulated.effects, BLACK_WHITE, AXES)
    design = names_drawn(simulated.effects, sides, BLACK_WHITE)
    rng = np.random.default_rng(0)
    found = [names_spreads(design, claim, row, simulated.effects, sides, rng) for row in range(100)]
    means = [
        np.sqrt(np.mean([getattr(one, name) ** 2 for one, _ in found]))
        for name in ("people", "words", "noise", "moves")
    ]
    assert means[0] == pytest.approx(0.03, rel=0.05)
    assert means[1] == pytest.approx(0.01, rel=0.3)
    assert means[2] == pytest.approx(0.02, rel=0.1)
    assert means[3] == pytest.approx(0.15, rel=0.1)
    inside = np.mean([low <= 0.03 <= high for _, (low, high) in found])
    assert inside >= 0.85  # nine times in ten, and 100 systems


def test_the_error_planned_is_the_error_found(simulated):
    (claim,) = simulated.claims(BLACK_WHITE)
    sides = compared_sides(simulated.effects, BLACK_WHITE, AXES)
    design = names_drawn(simulated.effects, sides, BLACK_WHITE)
    planned = expected_error(design, Spreads(0.03, 0.0, 0.01, 0.02, 0.15))
    assert np.sqrt(np.mean(claim.se**2)) == pytest.approx(planned.se, rel=0.05)
    couples = next(one for one in simulated.claims(GENDER) if one.kind == COUPLES)
    assert couples.census  # names-us has all couples that it speaks of


def test_couples_of_the_eec_in_families():
    """Nine families of ten couples (parents twice): Σ h² = 8/100 + 4/100 and p₀ = 0.5/11."""
    corpus = load_corpus("eec")
    sentences, rng = corpus.sentences(), np.random.default_rng(2)
    families = corpus.people.filter(pl.col("match") != "names")["family"].n_unique()
    family = dict(zip(corpus.people["match"], corpus.people["family"], strict=True))
    code = pl.Series([family[one] or one for one in sentences["match"]]).rank("dense")
    code = code.cast(pl.Int64).to_numpy()
    women = (sentences["gender"] == "female").to_numpy()
    values = 0.5 + 0.04 * women * rng.standard_normal((200, code.max() + 1))[:, code]
    study = tilt_study(sentences, values, [GENDER], AXES, people=corpus.people)
    design = couples_design(study.couples[GENDER], GENDER)
    shares = corpus.people.filter(pl.col("match") != "names").group_by("family").len()["len"] / 20
    assert shares.len() == families
    assert design.chance[0] == pytest.approx(float((shares**2).sum()))
    (claim,) = [one for one in study.claims(GENDER) if one.kind == COUPLES]
    found = [couples_spreads(design, claim, row, 0.0).couples for row in range(200)]
    assert np.sqrt(np.mean(np.square(found))) == pytest.approx(0.04, rel=0.08)


class TestBounds:
    """Of numbers that are bounded, whatever their distribution; χ² would be wrong here."""

    @pytest.mark.parametrize("share", [0.002, 0.02, 0.3])
    def test_a_rare_name_is_within_them(self, share):
        """A system that moves a share of all names by 0.2: the mean square is share · 0.04."""
        rng = np.random.default_rng(3)
        inside = []
        for _ in range(300):
            squares = 0.04 * (rng.random(40) < share)
            low, high = mean_bounds(squares, 0.04, rng, draws=400)
            inside.append(low <= share * 0.04 <= high)
        assert np.mean(inside) >= 0.87

    def test_small_differences_of_all_names_are_within_them(self):
        rng = np.random.default_rng(4)
        inside = []
        for _ in range(300):
            low, high = mean_bounds(rng.normal(0, 0.02, 160) ** 2, 0.04, rng, draws=400)
            inside.append(low <= 0.02**2 <= high)
        assert np.mean(inside) >= 0.87
