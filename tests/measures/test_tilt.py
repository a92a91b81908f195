"""Tilts over people, templates and words: by hand, against SciPy, by simulation, in blocks."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tiltmeter.corpora import load_corpus
from tiltmeter.measures import (
    Contrast,
    TiltSums,
    crossed_bootstrap,
    crossed_tilt,
    pair_study,
    relabelled_p,
    spread,
    tilt_estimates,
    tilts_from,
)
from tiltmeter.measures.stats.crossed import source
from tiltmeter.tables import ESTIMATES, validate

GENDER = Contrast("gender", "female", "male")
RACE = Contrast("race", "African American", "European American")
AXES = ["gender", "race"]


def sentences_of(rows):
    """A corpus from (template, word, person, match, gender, race)."""
    frame = pl.DataFrame(
        rows,
        dict.fromkeys(("template", "emotion_word", "person", "match", *AXES), pl.String),
        orient="row",
    )
    return frame.with_columns(
        id=pl.int_range(pl.len()).cast(pl.String), text=pl.int_range(pl.len()).cast(pl.String),
        corpus=pl.lit("c"), edition=pl.lit("e"), language=pl.lit("en"),
        emotion=pl.when(pl.col("emotion_word").is_not_null()).then(pl.lit("joy")),
        frame=pl.concat_str("template", pl.col("emotion_word").fill_null(""), separator="/"),
    )  # fmt: skip


def couples(many, templates=1, words=(None,)):
    """Couples such as my mother and my father, in every template and word."""
    return sentences_of([
        (f"t{t}", word, f"{side}{nth}", f"couple {nth}", gender, None)
        for t in range(templates)
        for word in words
        for nth in range(many)
        for side, gender in (("f", "female"), ("m", "male"))
    ])  # fmt: skip


def names(many, templates=1):
    """As many women's as men's names, all against all."""
    return sentences_of([
        (f"t{t}", None, f"{gender}{nth}", "names", gender, None)
        for t in range(templates)
        for gender in ("female", "male")
        for nth in range(many)
    ])  # fmt: skip


def simulated(
    rng, sentences, contrast, *, systems, people=0.0, templates=0.0, words=0.0, noise=0.0
):
    """Systems without a tilt, each of whose people, templates and words has a whim."""

    def whims(name, sd):
        codes = sentences[name].fill_null("").rank("dense").to_numpy().astype(int) - 1
        return sd * rng.standard_normal((systems, codes.max() + 1))[:, codes]

    group = sentences[contrast.axis].fill_null("")
    side = ((group == contrast.first).cast(float) - (group == contrast.second).cast(float)) / 2
    scores = 0.5 + noise * rng.standard_normal((systems, sentences.height))
    scores += whims("person", people)
    return scores + side.to_numpy() * (whims("template", templates) + whims("emotion_word", words))


class TestAgainstOthers:
    def test_couples_in_one_sentence_are_a_one_sample_t_test(self):
        sentences = couples(7)
        scores = np.random.default_rng(1).random((3, sentences.height))
        found = crossed_tilt(sentences, scores, GENDER, AXES)
        for row in range(3):
            apart = scores[row, 0::2] - scores[row, 1::2]
            known = stats.ttest_1samp(apart, 0.0)
            ends = known.confidence_interval(0.95)
            assert found.value[row] == pytest.approx(apart.mean())
            assert found.p[row] == pytest.approx(known.pvalue)
            assert found.df[row] == pytest.approx(6)
            assert (found.low[row], found.high[row]) == pytest.approx((ends.low, ends.high))

    def test_names_in_one_sentence_are_welchs_test(self):
        sentences = names(9)
        scores = np.random.default_rng(2).random((1, sentences.height))
        scores[:, 9:] *= 0.2  # men's names vary less
        found = crossed_tilt(sentences, scores, GENDER, AXES)
        known = stats.ttest_ind(scores[0, :9], scores[0, 9:], equal_var=False)
        assert found.statistic[0] == pytest.approx(known.statistic)
        assert found.df[0] == pytest.approx(known.df)
        assert found.p[0] == pytest.approx(known.pvalue)

    def test_couples_crossed_with_templates_are_an_analysis_of_variance(self):
        """V = (MS_couples + MS_templates − MS_both) / (couples × templates), Clark (1973)."""
        people, templates = 6, 5
        sentences = couples(people, templates)
        rng = np.random.default_rng(3)
        apart = (
            rng.standard_normal(people) + 2 * rng.standard_normal((templates, 1))
            + 0.5 * rng.standard_normal((templates, people))
        )  # fmt: skip
        scores = np.zeros((1, sentences.height))
        scores[0, 0::2] = 0.01 * apart.ravel()
        found = crossed_tilt(sentences, scores, GENDER, AXES)
        apart = 0.01 * apart
        rows, columns, mean = apart.mean(axis=1), apart.mean(axis=0), apart.mean()
        by_people = templates * ((columns - mean) ** 2).sum() / (people - 1)
        by_template = people * ((rows - mean) ** 2).sum() / (templates - 1)
        rest = apart - rows[:, None] - columns + mean
        both = (rest**2).sum() / ((people - 1) * (templates - 1))
        size = people * templates
        assert found.se_people[0] ** 2 == pytest.approx(by_people / size)
        assert found.se_templates[0] ** 2 == pytest.approx(by_template / size)
        assert found.se_noise[0] ** 2 == pytest.approx(both / size)
        assert found.se[0] ** 2 == pytest.approx((by_people + by_template - both) / size)

    def test_the_bootstrap_of_couples_alone_has_the_analytic_variance(self):
        """Couples drawn with replacement: the variance of the mean is Σ(d − mean)²/n²."""
        sentences = couples(8)
        scores = np.random.default_rng(4).random((1, sentences.height))
        apart = scores[0, 0::2] - scores[0, 1::2]
        found = crossed_bootstrap(
            sentences, scores, GENDER, AXES, resamples=40_000, rng=np.random.default_rng(0)
        )
        assert found.value[0] == pytest.approx(apart.mean())
        assert found.se[0] == pytest.approx(apart.std() / np.sqrt(8), rel=0.02)
        assert found.low[0] < apart.mean() < found.high[0]

    def test_names_dealt_anew_are_scipys_permutation_test(self):
        sentences = names(6)
        scores = np.random.default_rng(5).random((1, 12))
        scores[0, :6] += 0.25
        sums = TiltSums(1, GENDER, AXES, np.ones(1))
        sums.add(sentences, scores)
        p = relabelled_p(sums, np.random.default_rng(0), deals=20_000)[0]
        known = stats.permutation_test(
            (scores[0, :6], scores[0, 6:]), lambda a, b, axis: a.mean(axis) - b.mean(axis),
            vectorized=True, n_resamples=np.inf,
        )  # fmt: skip
        assert p == pytest.approx(known.pvalue, abs=0.01)

    def test_couples_turned_are_scipys_sign_flip_test(self):
        sentences = couples(9, templates=3)
        scores = np.random.default_rng(6).random((1, sentences.height))
        scores[0, 0::2] += 0.1
        sums = TiltSums(1, GENDER, AXES, np.ones(1))
        sums.add(sentences, scores)
        p = relabelled_p(sums, np.random.default_rng(0), deals=20_000)[0]
        apart = (scores[0, 0::2] - scores[0, 1::2]).reshape(3, 9).mean(axis=0)
        known = stats.permutation_test(
            (apart,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert p == pytest.approx(known.pvalue, abs=0.01)


class TestClusters:
    def test_of_unequal_size_the_variance_is_unbiased_and_the_degrees_are_right(self):
        """Clusters with whims of variance 1: V has mean Σ h² and 2 V² / df for a variance."""
        sizes = np.array([20.0] * 7 + [1.0] * 4)
        share = sizes / sizes.sum()
        whims = np.random.default_rng(7).standard_normal((40_000, sizes.size))
        found = source(whims * sizes, np.broadcast_to(sizes, whims.shape))
        assert found.variance.mean() == pytest.approx((share**2).sum(), rel=0.02)
        spread_of = 2 * found.variance.mean() ** 2 / found.variance.var()
        assert found.df[0] == pytest.approx(spread_of, rel=0.05)
        assert found.df[0] == pytest.approx(6.02, abs=0.01)  # seven large templates, not eleven

    def test_one_cluster_is_held_fixed(self):
        found = source(np.array([[3.0]]), np.array([[4.0]]))
        assert (found.variance[0], found.df[0], found.clusters) == (0, 0, 1)


class TestOddCases:
    def test_one_couple_is_no_sample(self):
        sentences = couples(1, templates=4)
        found = crossed_tilt(sentences, np.random.default_rng(0).random((1, 8)), GENDER, AXES)
        assert found.n[0] == 4
        assert np.isfinite(found.value[0])
        assert np.isnan([found.se[0], found.p[0], found.low[0]]).all()

    def test_alike_everywhere_is_certain(self):
        sentences = couples(5, templates=2)
        flat = np.full((2, sentences.height), 0.5)
        flat[1, 0::2] = 0.53
        found = crossed_tilt(sentences, flat, GENDER, AXES)
        assert found.value == pytest.approx([0, 0.03])
        assert found.se.tolist() == [0, 0]
        assert found.p.tolist() == [1, 0]

    def test_a_missing_score_drops_its_pair_and_is_counted(self):
        sentences = couples(4, templates=2)
        scores = np.random.default_rng(0).random((1, 16))
        scores[0, 3] = np.nan
        found = crossed_tilt(sentences, scores, GENDER, AXES)
        apart = scores[0, 0::2] - scores[0, 1::2]
        assert (found.n[0], found.n_dropped[0]) == (7, 1)
        assert found.value[0] == pytest.approx(np.nanmean(apart))
        assert np.isfinite(found.se[0])

    def test_no_score_at_all(self):
        sentences = couples(4)
        found = crossed_tilt(sentences, np.full((1, 8), np.nan), GENDER, AXES)
        assert np.isnan([found.value[0], found.se[0], found.p[0]]).all()
        assert found.n[0] == 0

    def test_a_system_whose_pairs_are_all_dropped_has_no_resamples_and_warns_of_nothing(self):
        sentences = names(3, templates=2)
        scores = np.random.default_rng(0).random((2, 12))
        scores[0, [0, 6]] = np.nan  # one name, in both sentences
        found = crossed_bootstrap(
            sentences, scores, GENDER, AXES, resamples=50, rng=np.random.default_rng(0)
        )
        assert np.isnan([found.value[0], found.se[0], found.low[0]]).all()
        assert np.isfinite([found.value[1], found.se[1], found.low[1]]).all()

    def test_no_pair_at_all(self):
        sentences = couples(3).with_columns(gender=pl.lit("female"))
        found = crossed_tilt(sentences, np.full((2, 6), 0.5), GENDER, AXES)
        assert found.n.tolist() == [0, 0]
        assert np.isnan([found.value, found.se, found.p]).all()

    def test_no_pair_gives_no_row(self):
        sentences = couples(3).with_columns(gender=pl.lit("female"))
        scores = scores_of(sentences, np.full((1, 6), 0.5))
        assert tilt_estimates(sentences, scores, [GENDER], AXES).is_empty()

    def test_the_order_of_sentences_and_systems_changes_nothing(self):
        sentences = load_corpus("eec").sentences()
        rng = np.random.default_rng(8)
        scores = simulated(rng, sentences, GENDER, systems=3, people=0.02, noise=0.05)
        order = rng.permutation(sentences.height)
        one = crossed_tilt(sentences, scores, GENDER, AXES)
        other = crossed_tilt(sentences[order], scores[::-1][:, order], GENDER, AXES)
        assert other.se[::-1] == pytest.approx(one.se, rel=1e-9)
        assert other.df[::-1] == pytest.approx(one.df, rel=1e-6)


def scores_of(sentences, values):
    """The `scores` table of some systems."""
    return pl.concat(
        sentences.select(
            system=pl.lit(f"s{nth}"), task=pl.lit("joy"), corpus="corpus", id="id",
            repeat=pl.lit(0, pl.Int64), raw=pl.Series(row), score=pl.Series(row),
            reason=pl.lit(None, pl.String),
        )
        for nth, row in enumerate(values)
    )  # fmt: skip


@pytest.fixture(scope="module")
def eec():
    sentences = load_corpus("eec").sentences()
    scores = simulated(
        np.random.default_rng(9), sentences, RACE, systems=3, people=0.01, templates=0.01,
        words=0.01, noise=0.03,
    )  # fmt: skip
    return sentences, scores


class TestStudy:
    def test_the_value_is_the_paired_studys_on_every_subset(self, eec):
        sentences, scores = eec
        table = scores_of(sentences, scores)
        tilts = tilt_estimates(sentences, table, [GENDER, RACE], AXES, resamples=20)
        validate(tilts, ESTIMATES)
        pairs = pair_study(sentences, table, [GENDER, RACE], flips=0).estimates
        keys = ["system", "axis", "subset"]
        both = tilts.filter(pl.col("measure") == "tilt").join(
            pairs.filter(pl.col("measure") == "mean_difference"), on=keys, suffix="_pairs"
        )
        assert both.height == 3 * (2 * 18 + 2)  # all, neutral, emotion, 4, 11, and the own emotion
        assert both["value"].to_numpy() == pytest.approx(both["value_pairs"].to_numpy(), abs=1e-12)
        assert both["n"].equals(both["n_pairs"])

    def test_what_it_is_made_of_stands_beside_it(self, eec):
        sentences, scores = eec
        tilts = tilt_estimates(sentences, scores_of(sentences, scores), [RACE], AXES, resamples=50)
        one = tilts.filter(pl.col("subset") == "all", pl.col("system") == "s0")
        counts = dict(one.select("measure", "n").rows())
        assert counts["tilt_people"] == 40
        assert counts["tilt_templates"] == 11
        assert counts["tilt_words"] == 40
        assert counts["tilt"] == counts["tilt_relabelled"] == counts["tilt_resampled"] == 144

    def test_of_blocks_it_is_the_same(self, eec):
        sentences, scores = eec
        whole = tilt_estimates(
            sentences, scores_of(sentences, scores), [GENDER, RACE], AXES, resamples=0
        )
        submissions = pl.DataFrame(
            {"system": ["s0", "s1", "s2"], "task": ["joy"] * 3, "unit": ["scale"] * 3}
        )
        kept = [TiltSums(3, one, AXES, np.ones(3)) for one in (GENDER, RACE)]
        for start in range(0, sentences.height, 1200):  # twenty frames each
            for sums in kept:
                sums.add(sentences[start : start + 1200], scores[:, start : start + 1200])
        of = {"corpus": "eec", "edition": "corrected", "mode": "corrected"}
        parts = tilts_from(kept, submissions, of, 0)
        assert parts.drop("value", "se", "low", "high", "statistic", "df", "p").equals(
            whole.drop("value", "se", "low", "high", "statistic", "df", "p")
        )
        for name in ("value", "se", "df", "p"):
            mine, theirs = (one[name].fill_null(-1.0).to_numpy() for one in (parts, whole))
            assert mine == pytest.approx(theirs, rel=1e-8, abs=1e-12)

    def test_a_subset_by_itself_is_the_same_as_within_the_whole(self, eec):
        sentences, scores = eec
        inside = (sentences["emotion"] == "fear").fill_null(False).to_numpy()
        alone = crossed_tilt(sentences.filter(pl.Series(inside)), scores[:, inside], GENDER, AXES)
        sums = TiltSums(3, GENDER, AXES, np.ones(3))
        sums.add(sentences, scores)
        within = spread(sums, pl.col("emotion") == "fear")
        assert within.se == pytest.approx(alone.se, rel=1e-9)
        assert within.value == pytest.approx(alone.value, abs=1e-12)


WHIMS = {
    "people": {"people": 0.02, "noise": 0.05},
    "templates": {"templates": 0.02, "noise": 0.05},
    "words": {"words": 0.03, "noise": 0.05},
    "everything": {"people": 0.01, "templates": 0.01, "words": 0.01, "noise": 0.05},
}


@pytest.mark.parametrize("contrast", [GENDER, RACE], ids=["gender", "race"])
@pytest.mark.parametrize("kind", WHIMS)
def test_false_alarms_keep_their_level_where_a_paired_t_test_does_not(kind, contrast):
    """Systems without a tilt whose sentences share whims: one in twenty may look tilted."""
    sentences = load_corpus("eec").sentences()
    rng = np.random.default_rng(10)
    scores = simulated(rng, sentences, contrast, systems=400, **WHIMS[kind])
    found = crossed_tilt(sentences, scores, contrast, AXES)
    assert np.mean(found.p < 0.05) <= 0.085  # 0.05 + 3 · √(0.05 · 0.95 / 400)
    plain = pair_study(sentences, scores_of(sentences, scores[:100]), [contrast], flips=0).estimates
    paired = plain.filter(pl.col("measure") == "mean_difference", pl.col("subset") == "all")
    assert (paired["p"] < 0.05).mean() > 0.2


def test_a_planted_tilt_is_recovered_with_the_promised_coverage():
    sentences = load_corpus("eec").sentences()
    scores = simulated(
        np.random.default_rng(11), sentences, GENDER, systems=400, **WHIMS["everything"]
    )
    scores += 0.02 * (sentences["gender"] == "female").to_numpy()
    found = crossed_tilt(sentences, scores, GENDER, AXES)
    assert found.value.mean() == pytest.approx(0.02, abs=0.001)
    assert np.mean((found.low <= 0.02) & (found.high >= 0.02)) >= 0.915


GROUPS = tuple(f"g{nth:02}" for nth in range(20))


def of_many_groups(groups, people, frames=1):
    """As many names of each group, all against all, in frames of a template each."""
    return sentences_of([
        (f"t{t}", None, f"{group} {nth}", "names", None, group)
        for t in range(frames)
        for group in groups
        for nth in range(people[group] if isinstance(people, dict) else people)
    ])  # fmt: skip


def beside_average(group, groups):
    return Contrast("race", group, "average", tuple(groups))


class TestBesideTheAverageOfAll:
    def test_the_variance_over_people_is_that_of_the_weights_by_hand(self):
        groups = GROUPS[:5]
        people = dict(zip(groups, (4, 3, 3, 5, 2), strict=True))
        sentences = of_many_groups(groups, people)
        scores = np.random.default_rng(3).uniform(0.2, 0.8, sentences.height)
        found = crossed_tilt(
            sentences, scores[None], beside_average(groups[0], groups), ["gender", "race"]
        )
        each = [scores[(sentences["race"] == group).to_numpy()] for group in groups]
        means = np.array([one.mean() for one in each])
        # Δ = (1 − 1/5) m_1 − 1/5 (m_2 + … + m_5); names are independent, so
        # V = (4/5)² s_1²/n_1 + (1/5)² Σ s_k²/n_k; Satterthwaite's df = V² / Σ (V_k² / (n_k − 1))
        weights = np.array([0.8, -0.2, -0.2, -0.2, -0.2])
        parts = weights**2 * [one.var(ddof=1) / one.size for one in each]
        assert found.value[0] == pytest.approx(weights @ means)
        assert found.value[0] == pytest.approx(means[0] - means.mean())
        assert found.se_people[0] == pytest.approx(np.sqrt(parts.sum()))
        free = np.array([one.size - 1 for one in each])
        assert found.df_people[0] == pytest.approx(parts.sum() ** 2 / (parts**2 / free).sum())
        assert found.people == 17

    def test_with_two_groups_of_names_it_is_half_of_welchs_test(self):
        """Beside the average of two, each stands half as far: t, df and p are Welch's."""
        sentences = of_many_groups(GROUPS[:2], {GROUPS[0]: 6, GROUPS[1]: 9})
        scores = np.random.default_rng(1).normal(0.5, 0.1, 15)
        found = crossed_tilt(
            sentences, scores[None], beside_average(GROUPS[0], GROUPS[:2]), ["race"]
        )
        welch = stats.ttest_ind(scores[:6], scores[6:], equal_var=False)
        assert found.statistic[0] == pytest.approx(welch.statistic)
        assert found.df[0] == pytest.approx(welch.df)
        assert found.p[0] == pytest.approx(welch.pvalue)
        assert found.value[0] == pytest.approx((scores[:6].mean() - scores[6:].mean()) / 2)

    def test_groups_dealt_anew_give_scipys_p(self):
        groups = GROUPS[:5]
        sentences = of_many_groups(groups, 4)
        scores = np.random.default_rng(7).normal(0.5, 0.05, 20)
        scores[:4] += 0.06
        sums = TiltSums(1, beside_average(groups[0], groups), ["race"], np.ones(1))
        sums.add(sentences, scores[None])
        found = relabelled_p(sums, np.random.default_rng(0))[0]

        def apart(*each):
            return np.mean(each[0]) - np.mean([np.mean(one) for one in each])

        scipys = stats.permutation_test(
            np.split(scores, 5), apart, n_resamples=4999, rng=np.random.default_rng(1)
        )
        assert found == pytest.approx(scipys.pvalue, abs=0.02)

    def test_resamples_spread_as_the_weights_say(self):
        groups = GROUPS[:6]
        sentences = of_many_groups(groups, 12)
        scores = np.random.default_rng(5).normal(0.5, 0.1, sentences.height)
        contrast = beside_average(groups[2], groups)
        found = crossed_bootstrap(
            sentences, scores[None], contrast, ["race"], rng=np.random.default_rng(0)
        )
        each = np.split(scores, 6)
        weights = np.array([5 / 6 if nth == 2 else -1 / 6 for nth in range(6)])
        plain = np.sqrt((weights**2 * [one.var() / one.size for one in each]).sum())
        assert found.value[0] == pytest.approx(weights @ [one.mean() for one in each])
        assert found.se[0] == pytest.approx(plain, rel=0.1)

    def test_people_within_frames_first_or_cell_by_cell_give_the_same_resamples(self, monkeypatch):
        groups = GROUPS[:5]
        sentences = of_many_groups(groups, 3, frames=4)
        scores = np.random.default_rng(2).uniform(size=(3, sentences.height))
        scores[1, 5] = np.nan
        contrast = beside_average(groups[1], groups)
        drawn = [
            crossed_bootstrap(sentences, scores, contrast, ["race"], rng=np.random.default_rng(0))
            for dense in (4, 0)
            if not monkeypatch.setattr("tiltmeter.measures.tilt.resampled.DENSE", dense)
        ]
        for name in ("value", "se", "low", "high"):
            first, second = (getattr(one, name) for one in drawn)
            np.testing.assert_allclose(first, second, rtol=1e-9)

    def test_a_group_of_one_person_widens_the_interval_rather_than_shrink_it(self):
        groups = GROUPS[:5]
        people = dict.fromkeys(groups, 4) | {groups[4]: 1}
        sentences = of_many_groups(groups, people)
        scores = np.random.default_rng(4).normal(0.5, 0.05, sentences.height)
        found = crossed_tilt(sentences, scores[None], beside_average(groups[0], groups), ["race"])
        known = [scores[:4], scores[4:8], scores[8:12], scores[12:16]]
        weights = np.array([0.8, 0.2, 0.2, 0.2])
        least = np.sqrt((weights**2 * [one.var(ddof=1) / 4 for one in known]).sum())
        assert found.se_people[0] > least

    def test_of_twenty_groups_the_one_with_a_planted_tilt_is_found_and_no_other(self):
        """300 systems: 0.05 planted for one group stands 0.05 · (1 − 1/20) above the average."""
        rng = np.random.default_rng(11)
        sentences = of_many_groups(GROUPS, 5, frames=8)
        whims = 0.01 * rng.standard_normal((300, 100))
        person = sentences["person"].rank("dense").to_numpy().astype(int) - 1
        planted = (sentences["race"] == GROUPS[3]).to_numpy() * 0.05
        scores = 0.5 + whims[:, person] + planted + 0.02 * rng.standard_normal((300, 800))
        own = crossed_tilt(sentences, scores, beside_average(GROUPS[3], GROUPS), ["race"])
        assert own.value.mean() == pytest.approx(0.0475, abs=0.001)
        held = (own.low < 0.0475) & (own.high > 0.0475)
        assert 0.92 <= held.mean() <= 0.995
        assert (own.p < 0.05 / 20).mean() > 0.8  # five names are four degrees of freedom
        other = crossed_tilt(sentences, scores, beside_average(GROUPS[4], GROUPS), ["race"])
        # what one group is above the average, the nineteen others are below it together
        assert other.value.mean() == pytest.approx(-0.0025, abs=0.001)
        held = (other.low < -0.0025) & (other.high > -0.0025)
        assert 0.92 <= held.mean() <= 0.995
