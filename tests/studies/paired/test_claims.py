"""Claims by names and by couples: by hand, beside R's survey package and statsmodels, in blocks.

The reference numbers of R were made with survey 4.1-1 in R 4.2.2; the code stands beside each.
"""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.stats.survey import hajek
from tiltmeter.studies.paired.claims import COUPLES, NAMES
from tiltmeter.studies.paired.contrasts import Contrast, comparisons
from tiltmeter.studies.paired.pairs import pair_study
from tiltmeter.studies.paired.tilt import TiltSums, tilt_study
from tiltmeter.systems import open_system
from tiny import scores_of

GENDER = Contrast("gender", "female", "male")
RACE = Contrast("race", "African American", "European American")
BLACK_WHITE = Contrast("race", "Black", "White")
AXES = ["gender", "race"]
FRAME = ("frame", "template", "emotion", "emotion_word")


def claim(study, contrast, kind=NAMES):
    """The one claim of a kind."""
    (found,) = [one for one in study.claims(contrast) if one.kind == kind]
    return found


def names_in(frames, cells):
    """Names in frames: `cells` says by (gender, race) how many; (frame, ...) for each frame."""
    rows = [
        (*frame, f"{gender[0]}{race}{nth}", "names", gender, race)
        for frame in frames
        for (gender, race), many in cells.items()
        for nth in range(many)
    ]
    return pl.DataFrame(
        rows, dict.fromkeys((*FRAME, "person", "match", *AXES), pl.String), orient="row"
    )


def design_of(sentences, **columns):
    """The table of people, in the order they are met."""
    people = sentences.select("match", "person").unique(maintain_order=True)
    known = {"family": None, "bearers": None, "weight": 1.0, "probability": 0.0, "frames": 1}
    return people.with_columns(
        pl.Series(name, columns.get(name, [value] * people.height), dtype)
        for (name, value), dtype in zip(
            known.items(), (pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Int64), strict=True
        )
    )


ONE_FRAME = [("t", "t", None, None)]
CELLS = {("female", "B"): 3, ("male", "B"): 4, ("female", "W"): 3, ("male", "W"): 5}
DRAWN = dict(zip(CELLS, (3 / 9, 4 / 8, 3 / 3, 5 / 20), strict=True))
SCORES = [1, 2, 6, 4, 4, 5, 7, 0, 3, 3, 2, 2, 2, 8, 1]


class TestByHand:
    def test_a_cell_drawn_alike_and_a_cell_drawn_by_bearers(self):
        """Three of six names alike; three by bearers, of whom one was certain to come.

        A: 2, 3, 7 with π = 1/2. Mean 4, s² = 7, V = (1 − 1/2) · 7/3 = 7/6.
        B: 3, 0, 4.5; bearers 6, 2, 2; π = 1, 1/2, 1/4. Bearers/π = 6, 4, 8, so h = 3/9, 2/9, 4/9.
           Mean 1 + 0 + 2 = 3. V = Σ (1 − π) h² (t − 3)²/(1 − h)
             = 0 + 1/2 · 4/81 · 9/(7/9) + 3/4 · 16/81 · 2.25/(5/9) = 2/7 + 3/5.
        The floor: of people's effects 2, 3, 7, 3, 0, 4.5 the furthest from the middle one, 3, is 7:
           w = 4, further than the one frame moves a score (0).
        A: n = 3, p₀ = 0.5/4 = 1/8: (1/2 · 1/3) · 7/64 · w².
        B: of the two that chance brought, h = 2/9 and 4/9, n = 6²/(2² + 4²) = 1.8, p₀ = 0.5/2.8
           = 5/28: (1/2 · 4/81 + 3/4 · 16/81) · 115/784 · w².
        """
        sentences = names_in(ONE_FRAME, {("female", "A"): 3, ("female", "B"): 3})
        values = np.array([[2, 3, 7, 3, 0, 4.5]])
        people = design_of(
            sentences, weight=[1, 1, 1, 6, 2, 2], probability=[0.5, 0.5, 0.5, 1, 0.5, 0.25]
        )
        contrast = Contrast("race", "A", "B")
        found = claim(tilt_study(sentences, values, [contrast], AXES, people=people), contrast)
        seen, moves = 7 / 6 + 2 / 7 + 3 / 5, 4**2
        ground = (1 / 6 * 7 / 64 + 14 / 81 * 115 / 784) * moves
        assert found.value[0] == pytest.approx(1, abs=1e-12)
        assert found.se_floor[0] ** 2 == pytest.approx(ground, rel=1e-9)
        # Skew, 1 + 2γ²: what single people add to the power of 1½, with their signs.
        # A: 1/2 · 1/9 · (4, 1, 9)/(2/3) = 1/3, 1/12, 3/4 (−, −, +); B, whose mean is subtracted:
        # 2/7 and 3/5 (−, +).
        third = -((1 / 3) ** 1.5) - (1 / 12) ** 1.5 + (3 / 4) ** 1.5
        third -= -((2 / 7) ** 1.5) + (3 / 5) ** 1.5
        skewed = 1 + 2 * third**2 / (seen + ground) ** 3
        assert found.se_people[0] ** 2 == pytest.approx((seen + ground) * skewed, rel=1e-9)
        assert found.se[0] == found.se_people[0]  # one frame: no words, no noise
        assert (found.n[0], found.census) == (6, False)

    def test_four_cells_are_averaged_over_the_other_axis(self):
        """(B women − W women)/2 + (B men − W men)/2: means 3, 5, 2, 3 give (1 + 2)/2."""
        sentences = names_in(ONE_FRAME, CELLS)
        study = tilt_study(sentences, np.array([SCORES], float), [Contrast("race", "B", "W")], AXES)
        assert claim(study, Contrast("race", "B", "W")).value[0] == pytest.approx(1.5, abs=1e-12)

    def test_a_census_of_people_has_no_error_over_people(self):
        sentences = names_in(ONE_FRAME, CELLS)
        people = design_of(sentences, probability=[1.0] * 15)
        contrast = Contrast("race", "B", "W")
        study = tilt_study(sentences, np.array([SCORES], float), [contrast], AXES, people=people)
        found = claim(study, contrast)
        assert found.census
        assert (found.se[0], found.se_floor[0]) == (0, 0)

    def test_what_nothing_moves_shows_nothing(self):
        sentences = names_in(ONE_FRAME, CELLS)
        contrast = Contrast("race", "B", "W")
        found = claim(tilt_study(sentences, np.full((1, 15), 0.5), [contrast], AXES), contrast)
        assert found.value[0] == 0
        assert np.isnan(found.se[0])

    def test_one_name_a_group_is_no_sample(self):
        sentences = names_in(ONE_FRAME, {("female", "A"): 3, ("female", "B"): 1})
        contrast = Contrast("race", "A", "B")
        found = claim(tilt_study(sentences, np.array([[1.0, 2, 3, 5]]), [contrast], AXES), contrast)
        assert found.value[0] == pytest.approx(-3)
        assert np.isnan([found.se[0], found.p[0]]).all()

    def test_words_are_random_within_their_emotion(self):
        """All noise from words: four frames of two emotions, every name alike.

        Tilts by frame 1, 3 (joy) and 5, 9 (fear): mean 4.5. Between the words of an emotion
        Σ (d − d̄)²/(1 − 1/2)/2² = (1 + 1)/2 and (4 + 4)/2; each emotion is half of all, so
        V = (1 + 4)/4. What the emotions differ by, 2 and 7, does not count.
        """
        frames = [
            ("1/joy/a", "1", "joy", "a"), ("1/joy/b", "1", "joy", "b"),
            ("1/fear/c", "1", "fear", "c"), ("1/fear/d", "1", "fear", "d"),
        ]  # fmt: skip
        sentences = names_in(frames, {("female", "A"): 2, ("female", "B"): 2})
        tilts = sentences["emotion_word"].replace_strict({"a": 1.0, "b": 3.0, "c": 5.0, "d": 9.0})
        values = (tilts * (sentences["race"] == "A")).to_numpy()[None, :]
        contrast = Contrast("race", "A", "B")
        found = claim(tilt_study(sentences, values, [contrast], AXES), contrast)
        assert found.value[0] == pytest.approx(4.5)
        assert found.se_words[0] ** 2 == pytest.approx(5 / 4)
        assert found.words == 4


class TestBesideSurveyPackages:
    def test_a_stratified_sample_with_finite_populations_is_rs(self, monkeypatch):
        """As R's survey has it, but for the floor and what is added for skew, which are ours.

        d <- data.frame(cell=rep(c("Bf","Bm","Wf","Wm"), c(3,4,3,5)),
                        N=rep(c(9,8,3,20), c(3,4,3,5)),
                        y=c(1,2,6, 4,4,5,7, 0,3,3, 2,2,2,8,1))
        s <- svydesign(ids=~1, strata=~cell, fpc=~N, data=d)
        m <- svyby(~y, ~cell, s, svymean, covmat=TRUE)
        svycontrast(m, c(Bf=.5, Bm=.5, Wf=-.5, Wm=-.5))   # race
        svycontrast(m, c(Bf=.5, Bm=-.5, Wf=.5, Wm=-.5))   # gender
        """
        monkeypatch.setattr(
            "tiltmeter.studies.paired.claims.for_skew", lambda variance, _: variance
        )
        sentences = names_in(ONE_FRAME, CELLS)
        chance = [DRAWN[cell] for cell, many in CELLS.items() for _ in range(many)]
        people = design_of(sentences, probability=chance)
        contrasts = [Contrast("race", "B", "W"), GENDER]
        study = tilt_study(sentences, np.array([SCORES], float), contrasts, AXES, people=people)
        for contrast, mean in zip(contrasts, (1.5, -1.5), strict=True):
            found = claim(study, contrast)
            assert found.value[0] == pytest.approx(mean, abs=1e-12)
            seen = found.se_people[0] ** 2 - found.se_floor[0] ** 2
            assert np.sqrt(seen) == pytest.approx(0.866826908263056, rel=1e-10)

    def test_people_drawn_by_bearers_are_rs_poisson_sample(self):
        """R has the same mean; its error lacks 1/(1 − h), by which ours is the larger.

        p <- c(1, .9, .5, .25, .2, .1); w <- c(50, 18, 10, 5, 4, 2)
        y <- c(.30, .10, .55, .20, .45, .05); q <- data.frame(p, y, w)
        t <- svydesign(ids=~1, probs=~p, pps=poisson_sampling(p), data=q)
        svyratio(~I(w*y), ~w, t)                              # 0.28, SE 0.0452587621964582
        h <- (w/p)/sum(w/p); q$z <- p*h*(y - sum(h*y))/sqrt(1 - h)
        t <- svydesign(ids=~1, probs=~p, pps=poisson_sampling(p), data=q)
        SE(svytotal(~z, t))                                   # 0.048615709184246
        """
        p = np.array([1, 0.9, 0.5, 0.25, 0.2, 0.1])
        w = np.array([50.0, 18, 10, 5, 4, 2])
        y = np.array([[0.30, 0.10, 0.55, 0.20, 0.45, 0.05]])
        found = hajek(y, w, p, np.zeros((1, 6)), np.zeros(6), np.zeros(1))
        assert found.value[0] == pytest.approx(0.28, abs=1e-14)
        assert np.sqrt(found.seen[0]) == pytest.approx(0.048615709184246, rel=1e-12)
        plain = ((1 - p) * found.share[0] ** 2 * (y[0] - 0.28) ** 2).sum()
        assert np.sqrt(plain) == pytest.approx(0.0452587621964582, rel=1e-12)

    def test_of_a_population_without_end_it_is_statsmodels_hc2(self):
        """Weighted least squares on a constant, with the errors of MacKinnon and White (1985)."""
        import statsmodels.api as sm

        rng = np.random.default_rng(1)
        y, w = rng.random((1, 9)), rng.random(9) * 5
        found = hajek(y, w, np.zeros(9), np.zeros((1, 9)), np.zeros(9), np.zeros(1))
        fit = sm.WLS(y[0], np.ones(9), weights=w).fit(cov_type="HC2")
        assert found.value[0] == pytest.approx(fit.params[0], rel=1e-12)
        assert found.people[0] == pytest.approx(fit.bse[0] ** 2, rel=1e-12)

    def test_frames_within_people_are_rs_second_stage(self):
        """Four of ten people, three of eight frames each.

        e <- data.frame(person=rep(1:4, each=3), frame=1:12, n1=10, n2=8,
                        y=c(1,2,3, 2,2,5, 0,4,2, 6,7,11))
        svymean(~y, svydesign(ids=~person+frame, fpc=~n1+n2, data=e))
        """
        y = np.array([[1.0, 2, 3], [2, 2, 5], [0, 4, 2], [6, 7, 11]])
        noise = y.var(axis=1, ddof=1)[None, :] / 3
        found = hajek(
            y.mean(axis=1)[None, :], np.ones(4), np.full(4, 0.4), noise, np.full(4, 5 / 8),
            np.zeros(1),
        )  # fmt: skip
        assert found.value[0] == pytest.approx(3.75)
        assert np.sqrt(found.people[0]) == pytest.approx(1.14700697469545, rel=1e-12)


@pytest.fixture(scope="module")
def eec():
    """The EEC, and three systems: of noise, of people, of people in templates."""
    sentences, rng = load_corpus("eec").sentences(), np.random.default_rng(3)

    def whims(*names):
        code = sentences.select(one=pl.struct(names).rank("dense").cast(pl.Int64))["one"]
        return rng.normal(0, 0.02, code.max() + 1)[code.to_numpy()]

    noise = rng.normal(0.5, 0.05, (3, sentences.height))
    noise[1:] += whims("person")
    noise[2] += whims("template", "person")
    return sentences, noise


class TestWhereEverybodyMeetsEveryFrame:
    """Within 1e-9: a score less than 1e-6 from its frame's mean counts as no different."""

    def test_it_is_kiritchenko_and_mohammads_mean_of_pairs(self, eec):
        sentences, values = eec
        study = tilt_study(sentences, values, [GENDER, RACE], AXES)
        table = scores_of(sentences, values)
        pairs = pair_study(sentences, table, [RACE], flips=0).estimates
        mean = pairs.filter(pl.col("measure") == "mean_difference", pl.col("subset") == "all")
        assert claim(study, RACE).value == pytest.approx(mean["value"].to_numpy(), abs=1e-9)
        single = (sentences["match"] != "names").to_numpy()
        some = sentences.filter(pl.Series(single))
        pairs = pair_study(some, scores_of(some, values[:, single]), [GENDER], flips=0).estimates
        mean = pairs.filter(pl.col("measure") == "mean_difference", pl.col("subset") == "all")
        found = claim(study, GENDER, COUPLES)
        assert found.value == pytest.approx(mean["value"].to_numpy(), abs=1e-12)
        assert found.n.tolist() == [10, 10, 10]

    def test_names_are_compared_as_their_plain_means(self, eec):
        sentences, values = eec
        named = (sentences["match"] == "names").to_numpy()
        women = (sentences["gender"] == "female").to_numpy()
        plain = values[:, named & women].mean(axis=1) - values[:, named & ~women].mean(axis=1)
        found = claim(tilt_study(sentences, values, [GENDER], AXES), GENDER)
        assert found.value == pytest.approx(plain, abs=1e-9)
        assert found.n.tolist() == [40, 40, 40]


@pytest.fixture(scope="module")
def uneven():
    """Sixteen names in some of twelve frames each, with scores missing in two of three rows."""
    rng = np.random.default_rng(11)
    frames = [(f"{nth}", f"{nth % 3}", "joy", f"w{nth}") for nth in range(12)]
    every = names_in(frames, {(g, r): 4 for g in ("female", "male") for r in "BW"})
    sentences = every.filter(pl.Series(rng.random(every.height) < 0.5))
    values = rng.random((3, sentences.height))
    values[1, rng.random(sentences.height) < 0.15] = np.nan
    values[2, 5] = np.nan
    return sentences, values


class TestWherePeopleMeetSomeFrames:
    def test_effects_are_ordinary_least_squares(self, uneven):
        import statsmodels.api as sm

        sentences, values = uneven
        effects = tilt_study(sentences, values, [GENDER], AXES).effects
        names, frames = (sentences[name].unique().sort() for name in ("person", "frame"))
        dummies = np.hstack([
            (sentences["person"].to_numpy()[:, None] == names.to_numpy()),
            (sentences["frame"].to_numpy()[:, None] == frames.to_numpy()[1:]),
        ]).astype(float)  # fmt: skip
        order = [names.to_list().index(name) for name in effects.people["person"]]
        for row, mine in enumerate(effects.value):
            known = ~np.isnan(values[row])
            theirs = sm.OLS(values[row][known], dummies[known]).fit().params[order]
            assert mine - mine.mean() == pytest.approx(theirs - theirs.mean(), abs=1e-10)

    def test_the_claim_is_the_difference_of_their_cell_means(self, uneven):
        sentences, values = uneven
        study = tilt_study(sentences, values, [Contrast("race", "B", "W")], AXES)
        people, effects = study.effects.people, study.effects.value
        plain = np.zeros(3)
        for gender in ("female", "male"):
            for race, sign in (("B", 0.5), ("W", -0.5)):
                cell = ((people["gender"] == gender) & (people["race"] == race)).to_numpy()
                plain += sign * effects[:, cell].mean(axis=1)
        found = claim(study, Contrast("race", "B", "W"))
        assert found.value == pytest.approx(plain, abs=1e-12)

    def test_missing_scores_are_counted(self, uneven):
        sentences, values = uneven
        dropped = tilt_study(sentences, values, [GENDER], AXES).dropped
        assert dropped.tolist() == np.isnan(values).sum(axis=1).tolist()


FIELDS = ("value", "se", "df", "se_people", "se_floor", "se_words", "se_noise", "se_these")


class TestInBlocks:
    @pytest.mark.parametrize(("name", "contrast"), [("eec", RACE), ("names-us", BLACK_WHITE)])
    def test_streamed_is_the_same_as_at_once(self, name, contrast):
        corpus = load_corpus(name, **({"people": 12, "frames": 24} if name == "names-us" else {}))
        sentences, rng = corpus.sentences(), np.random.default_rng(5)
        values = rng.random((2, sentences.height))
        values[1, rng.random(sentences.height) < 0.02] = np.nan
        whole = tilt_study(sentences, values, [GENDER, contrast], AXES, people=corpus.people)
        sums = TiltSums(2, [GENDER, contrast], AXES, np.ones(2), corpus.people)
        changes = (sentences["frame"] != sentences["frame"].shift(1)).fill_null(True).arg_true()
        starts = [*changes.to_list()[::7], sentences.height]
        for start, end in pairwise(starts):
            sums.add(sentences[start:end], values[:, start:end])
        parts = sums.study()
        for one in (GENDER, contrast):
            for mine, theirs in zip(parts.claims(one), whole.claims(one), strict=True):
                assert (mine.kind, mine.n.tolist()) == (theirs.kind, theirs.n.tolist())
                for field in FIELDS:
                    assert getattr(mine, field) == pytest.approx(
                        getattr(theirs, field), rel=1e-9, abs=1e-12
                    ), field


class TestCouples:
    def test_in_families_the_error_is_that_of_clusters(self):
        """V = κ Σ_g (S_g − n_g m)²/(1 − h_g)/N², worked out in loops; h_g = n_g/N.

        κ makes it right on average where families differ in size: the sum that it would have of
        families that vary by 1 each, Σ h²; over that of the formula, Σ g²·(1 − 2 h + Σ h²).
        """
        families = {"parents": 2, "spouses": 1, "siblings": 3, "women": 1}
        rng, rows = np.random.default_rng(2), []
        for family, many in families.items():
            for nth in range(many):
                for side, gender in (("f", "female"), ("m", "male")):
                    rows.append((f"{family}{nth}", f"{side} {family}{nth}", family, gender))
        couples = pl.DataFrame(rows, ["match", "person", "family", "gender"], orient="row")
        frames = pl.DataFrame({"frame": ["1", "2"], "template": ["1", "2"]}).with_columns(
            emotion=pl.lit(None, pl.String), emotion_word=pl.lit(None, pl.String)
        )
        sentences = frames.join(couples, how="cross").drop("family")
        people = design_of(
            sentences, family=couples["family"].to_list(), frames=[2] * couples.height
        )
        values = rng.random((1, sentences.height))
        found = claim(
            tilt_study(sentences, values, [GENDER], ["gender"], people=people), GENDER, COUPLES
        )
        apart = (values[0, 0::2] - values[0, 1::2]).reshape(2, 7)
        mean, whole, at = apart.mean(), apart.size, 0
        total, expected, squares = 0.0, 0.0, sum((many / 7) ** 2 for many in families.values())
        for many in families.values():
            share, mine = many / 7, apart[:, at : at + many]
            total += (mine.sum() - mine.size * mean) ** 2 / (1 - share) / whole**2
            expected += share**2 / (1 - share) * (1 - 2 * share + squares)
            at += many
        seen = found.se_people[0] ** 2 - found.se_floor[0] ** 2
        assert found.value[0] == pytest.approx(mean)
        assert seen == pytest.approx(total * squares / expected, rel=1e-9)

    def test_of_one_couple_each_they_are_scipys_one_sample_test(self):
        from scipy import stats

        sentences = load_corpus("eec").sentences().filter(pl.col("match") != "names")
        one = sentences.filter(pl.col("frame") == sentences["frame"][0])
        values = np.random.default_rng(4).random((1, one.height))
        found = claim(tilt_study(one, values, [GENDER], AXES), GENDER, COUPLES)
        sides = comparisons(one, [GENDER])
        apart = (sides.first @ values[0]) - (sides.second @ values[0])
        seen = found.se_people[0] ** 2 - found.se_floor[0] ** 2
        assert np.sqrt(seen) == pytest.approx(stats.sem(apart))
        assert found.value[0] == pytest.approx(apart.mean())


class TestPlanted:
    def test_a_tilt_is_found_as_large_as_it_is(self):
        """By names 3 points between races, by couples 2 between genders, frames whatever."""
        corpus = load_corpus("names-us", people=20, frames=12)  # all frames are linked by someone
        sentences, rng = corpus.sentences(), np.random.default_rng(7)
        frame = sentences["frame"].rank("dense").cast(pl.Int64).to_numpy() - 1
        couple = (sentences["match"] != "names").to_numpy()
        values = 0.4 + rng.normal(0, 0.1, frame.max() + 1)[frame]
        values = values + 0.03 * (sentences["race"] == "Black").fill_null(False).to_numpy()
        values = values + 0.02 * couple * (sentences["gender"] == "female").to_numpy()
        study = tilt_study(
            sentences, values[None, :], [GENDER, BLACK_WHITE], AXES, people=corpus.people
        )
        found = claim(study, BLACK_WHITE)
        assert found.value[0] == pytest.approx(0.03, abs=1e-9)
        assert claim(study, GENDER).value[0] == pytest.approx(0, abs=1e-9)
        assert claim(study, GENDER, COUPLES).value[0] == pytest.approx(0.02, abs=1e-9)
        assert found.se_floor[0] > 0  # of people not drawn nobody knows

    def test_whims_of_names_leave_it_within_its_interval(self):
        """Of 200 systems with whims of their own, the interval misses the tilt of their whole
        population at most as often as 5 in 100 (and 3 standard errors of 200)."""
        everyone = load_corpus("names-us", people="all", frames=1)
        people = everyone.people.filter(pl.col("match") == "names")
        rng, many = np.random.default_rng(8), 200
        whim = dict(zip(people["person"], range(people.height), strict=True))
        effects = rng.normal(0, 0.02, (many, people.height))
        groups = everyone.sentences().select("person", *AXES).unique()
        told = people.join(groups, on="person", maintain_order="left")
        truth = np.zeros(many)
        for gender in ("female", "male"):
            for race, sign in (("Black", 0.5), ("White", -0.5)):
                cell = ((told["gender"] == gender) & (told["race"] == race)).to_numpy()
                weight = told["weight"].to_numpy()[cell]
                truth += sign * effects[:, cell] @ weight / weight.sum()
        corpus = load_corpus("names-us", people=40, frames=8, seed=3)
        sentences = corpus.sentences().filter(pl.col("match") == "names")
        at = sentences["person"].replace_strict(whim, return_dtype=pl.Int64).to_numpy()
        frame = sentences["frame"].rank("dense").cast(pl.Int64).to_numpy() - 1
        values = 0.5 + effects[:, at] + rng.normal(0, 0.05, (many, frame.max() + 1))[:, frame]
        found = claim(
            tilt_study(sentences, values, [BLACK_WHITE], AXES, people=corpus.people), BLACK_WHITE
        )
        missed = np.abs(found.value - truth) > found.reach()
        assert missed.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / many)


TINY = """\
[corpus]
name = "tiny"
language = "en"

[axes]
gender = ["female", "male"]
race = ["A", "B"]

[population]
people = "names.csv"
bearers = "count"
weights = "bearers"

[population.axes]
gender = { column = "sex", female = "F", male = "M" }
race = { column = "race", A = "a", B = "b" }

[[words]]
list = "state"
joy = ["glad", "happy"]
fear = ["scared", "afraid"]

[[templates]]
id = "1"
text = "{person} feels {state}."

[[templates]]
id = "2"
text = "I saw {person}."
"""


def plain_census(sentences, people, values, contrast):
    """The weighted mean of each cell's scores, and their differences, over the other axis."""
    weight = dict(zip(people["person"], people["weight"], strict=True))
    other = "race" if contrast.axis == "gender" else "gender"
    total = 0.0
    cells = sentences[other].unique().drop_nulls()
    for cell in cells:
        for group, sign in ((contrast.first, 1), (contrast.second, -1)):
            there = (
                (sentences[other] == cell) & (sentences[contrast.axis] == group)
            ).fill_null(False).to_numpy()  # fmt: skip
            each = np.array([weight[name] for name in sentences["person"].filter(there)])
            total += sign / len(cells) * np.average(values[there], weights=each)
    return total


class TestACensus:
    def test_of_a_tiny_population_is_plain_numpy(self, tmp_path):
        rng = np.random.default_rng(9)
        rows = [
            f"N{sex}{race}{nth},{sex},{race},{int(rng.integers(1, 500))}"
            for sex in "FM" for race in "ab" for nth in range(6)
        ]  # fmt: skip
        (tmp_path / "names.csv").write_text("name,sex,race,count\n" + "\n".join(rows) + "\n")
        (tmp_path / "tiny.toml").write_text(TINY)
        corpus = load_corpus(tmp_path / "tiny.toml", people="all", frames="all")
        sentences = corpus.sentences()
        assert sentences.height == 24 * 5
        values = rng.random((1, sentences.height))
        contrasts = [GENDER, Contrast("race", "A", "B")]
        study = tilt_study(sentences, values, contrasts, AXES, people=corpus.people)
        for contrast in contrasts:
            found = claim(study, contrast)
            plain = plain_census(sentences, corpus.people, values[0], contrast)
            assert found.value[0] == pytest.approx(plain, abs=1e-9)
            assert found.census
            assert found.se_people[0] == 0

    def test_of_the_us_census_with_a_control_is_plain_numpy(self, tmp_path):
        """All 18,337 names of names-us in two frames, scored by `random`."""
        (tmp_path / "us.toml").write_text(
            '[corpus]\nname = "us"\nextends = "names-us"\nlanguage = "en"\n'
            f"omit = {[str(nth) for nth in range(1, 10)]}\n"
        )
        corpus = load_corpus(tmp_path / "us.toml", people="all", frames="all")
        sentences = corpus.sentences().filter(pl.col("match") == "names")
        assert sentences.height == 18_337 * 2
        values = np.array([open_system("random").answer(sentences["text"].to_list())], float)
        values = (values + 1) / 2
        study = tilt_study(sentences, values, [GENDER, BLACK_WHITE], AXES, people=corpus.people)
        # Gender is averaged over all four groups of race.
        for contrast in (GENDER, BLACK_WHITE):
            plain = plain_census(sentences, corpus.people, values[0], contrast)
            assert claim(study, contrast).value[0] == pytest.approx(plain, abs=1e-9)
            assert claim(study, contrast).se_people[0] == 0

    def test_scores_that_add_up_need_not_all_frames(self):
        """The control that scores women 1 and men 0: a tilt of 1 on any deal of frames."""
        corpus = load_corpus("names-us", people="all", frames=1)
        sentences = corpus.sentences()
        scores = open_system("biased-female").rows(sentences)
        values = (np.array(scores, float)[None, :] + 1) / 2
        study = tilt_study(sentences, values, [GENDER, BLACK_WHITE], AXES, people=corpus.people)
        found = claim(study, GENDER)
        assert found.value[0] == pytest.approx(1, abs=1e-9)
        assert claim(study, BLACK_WHITE).value[0] == pytest.approx(0, abs=1e-9)
        assert found.census


def test_what_counts_as_0_has_no_degrees_of_freedom():
    """A planted tilt of gender moves no word: what words add is rounding noise."""
    corpus = load_corpus("names-us", people=10)
    sentences = corpus.sentences()
    women = (sentences["gender"] == "female").to_numpy()
    noise = 1e-16 * np.random.default_rng(0).standard_normal(sentences.height)
    values = (0.5 + 0.03 * women + noise)[None, :]
    contrast = Contrast("race", "White", "Hispanic")
    study = tilt_study(sentences, values, [contrast], AXES, people=corpus.people)
    found = claim(study, contrast)
    assert found.se_words[0] == found.se_these[0] == 0.0
    assert np.isnan([found.df_words[0], found.df_these[0]]).all()
    assert found.df[0] > 1.0  # people differ in the frames they met
