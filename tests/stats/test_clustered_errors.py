"""Errors over names and templates: by hand, by brute force, and against statsmodels."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.linalg import sqrtm

from crossed_names import ONE, TWO, crossed_names, drawn, planted
from tiltmeter.stats.beta import Sums, derivatives, fit_beta, information, shape_of
from tiltmeter.stats.clustered import CombinationVariance, cluster_crossed, cr2, remainder
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import regression_study
from tiny import one, scores_of

# Two groups of three names in three templates, worked out by hand.
#
#            women           mean   men             mean
#   t1  t2  t3               t1  t2  t3
#    5   7   9    7           3   5   4    4
#    6   8  13    9           2   6   7    5
#    4   6   5    5           4   4   1    3
#    5   7   9    7           3   5   4    4     (means of templates, of all)
#
# The difference is 7 − 4 = 3.
# Names: variances of 7, 9, 5 and of 4, 5, 3 are (0 + 4 + 4)/2 = 4 and (0 + 1 + 1)/2 = 1, so that
#   V_names = 4/3 + 1/3 = 5/3 with 2 + 2 = 4 degrees of freedom.
# Templates: differences 2, 2, 5 with mean 3, variance (1 + 1 + 4)/2 = 3:
#   V_templates = 3/3 = 1 with 2.
# What both leave over, y − name − template + group:
#   women  0  0  0 / −1 −1  2 /  1  1 −2: Σ² = 12, mean square 12/4 = 3
#   men    0  0  0 / −2  0  2 /  2  0 −2: Σ² = 16, mean square 16/4 = 4
#   V_rest = 3/9 + 4/9 = 7/9 with (7/9)² / ((3/9)²/4 + (4/9)²/4) = 49 · 4/25 = 196/25.
# As an analysis of variance: mean squares of names within groups 3 · (4 + 1)/2 = 7.5, of groups by
# templates 3 · 6/2/2 = 4.5, of the rest 28/8 = 3.5; Clark's error is 7.5 + 4.5 − 3.5 = 8.5, and
#   V = 2 · 8.5/9 = 17/9 = 5/3 + 1 − 7/9.
# Its degrees of freedom (17/9)² / ((5/3)²/4 + 1²/2 + (7/9)²/(196/25))
#   = (289/81) / (225/324 + 162/324 + 25/324) = 289 · 4/412 = 289/103.
TABLE = np.array(
    [[[5, 7, 9], [6, 8, 13], [4, 6, 5]], [[3, 5, 4], [2, 6, 7], [4, 4, 1]]], float
)  # (groups, names, templates)


class Linear:
    """A linear model of groups of names in templates, as the clustered errors want it."""

    def __init__(self, table):
        groups, names, templates = table.shape
        self.group = np.repeat(np.arange(groups), names)
        self.person = np.repeat(np.arange(groups * names), templates)
        self.template = np.tile(np.arange(templates), groups * names)
        self.y = table.ravel()
        women = (self.group[self.person] == 0).astype(float)
        self.x = np.column_stack([np.ones(women.size), women])
        self.inverse = np.linalg.inv(self.x.T @ self.x)[None]
        self.beta = (self.inverse[0] @ self.x.T) @ self.y
        self.scores = self.x * (self.y - self.x @ self.beta)[:, None]

    def clusters(self, codes):
        add = np.eye(codes.max() + 1)[codes].T
        info = np.einsum("ga,aj,ak->gjk", add, self.x, self.x)
        return (add @ self.scores)[None], info[None]

    def spread(self, codes):
        return cr2(*self.clusters(codes), self.inverse, np.array([[[0.0, 1.0]]]))

    def rest(self):
        moved = (self.scores @ self.inverse[0])[:, 1][None, None]
        return remainder(moved, self.person, self.template, self.group)


def numbers(spread):
    return float(spread.variance[0, 0]), float(spread.df[0, 0])


def test_three_names_and_templates_by_hand():
    model = Linear(TABLE)
    names, templates, rest = model.spread(model.person), model.spread(model.template), model.rest()
    assert model.beta[1] == pytest.approx(3)
    assert numbers(names) == pytest.approx((5 / 3, 4))
    assert numbers(templates) == pytest.approx((1, 2))
    assert numbers(rest) == pytest.approx((7 / 9, 196 / 25))
    assert numbers(cluster_crossed(names, templates, rest)) == pytest.approx((17 / 9, 289 / 103))


def test_ten_names_are_the_two_sample_t_test_of_their_means():
    table = np.random.default_rng(1).normal(size=(2, 10, 7))
    table += np.random.default_rng(2).normal(size=(2, 10, 1))
    model = Linear(table)
    variance, df = numbers(model.spread(model.person))
    peer = stats.ttest_ind(*table.mean(axis=2))
    assert df == pytest.approx(18)
    assert model.beta[1] / np.sqrt(variance) == pytest.approx(peer.statistic)


def test_seven_templates_are_the_paired_t_test_of_their_means():
    model = Linear(table := np.random.default_rng(3).normal(size=(2, 10, 7)))
    variance, df = numbers(model.spread(model.template))
    peer = stats.ttest_rel(*table.mean(axis=1))
    assert df == pytest.approx(6)
    assert model.beta[1] / np.sqrt(variance) == pytest.approx(peer.statistic)


def test_names_and_templates_together_are_clarks_quasi_f():
    # Mean squares from the sums of squares of a balanced table, by the textbook.
    rng = np.random.default_rng(4)
    table = (
        rng.normal(size=(2, 10, 7)) + 2 * rng.normal(size=(2, 10, 1)) + rng.normal(size=(2, 1, 7))
    )
    group, name = table.mean(axis=(1, 2)), table.mean(axis=2)
    cell, template = table.mean(axis=1), table.mean(axis=(0, 1))
    of_names = 7 * np.sum((name - group[:, None]) ** 2) / 18
    of_both = 10 * np.sum((cell - group[:, None] - template + table.mean()) ** 2) / 6
    left = table - name[:, :, None] - cell[:, None, :] + group[:, None, None]
    of_rest = np.sum(left**2) / (18 * 6)
    assert of_names > of_rest
    assert of_both > of_rest
    model = Linear(table)
    found = cluster_crossed(model.spread(model.person), model.spread(model.template), model.rest())
    assert found.variance[0, 0] == pytest.approx(2 / 70 * (of_names + of_both - of_rest))


def test_together_is_never_less_than_either():
    # 2 + 1 − 3 = 0 is less than 2: names' 2 and their degrees of freedom stand.
    names, templates, rest = (
        CombinationVariance(np.array([[v]]), np.array([[df]]))
        for v, df in ((2.0, 18.0), (1.0, 6.0), (3.0, 99.0))
    )
    assert numbers(cluster_crossed(names, templates, rest)) == (2, 18)
    assert numbers(cluster_crossed(templates, names, rest)) == (2, 18)
    # Without a remainder nothing is taken off: 3 with 3² / (2²/18 + 1²/6) = 9 / (7/18) = 162/7.
    assert numbers(cluster_crossed(names, templates, None)) == pytest.approx((3, 162 / 7))
    assert cluster_crossed(names, None, None) is names


def test_no_remainder_where_it_cannot_be_told_apart():
    moved, group = np.ones((1, 1, 4)), np.array([0, 1])
    person, template = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert remainder(moved, person, template, group) is None  # one name in each group
    one_template = np.zeros(4, int)
    assert remainder(moved, np.arange(4), one_template, np.array([0, 0, 1, 1])) is None
    holes = np.array([0, 1, 0, 0])
    four = np.array([0, 0, 1, 1])
    assert remainder(moved, np.arange(4), holes, four) is None


def brute_cr2(x, errors, codes, contrast):
    """Bell & McCaffrey's CR2 with every sentence written out, and Satterthwaite's df."""
    inverse = np.linalg.inv(x.T @ x)
    hat = np.eye(len(x)) - x @ inverse @ x.T
    variance, columns = 0.0, []
    for code in np.unique(codes):
        mine = codes == code
        values, vectors = np.linalg.eigh(hat[np.ix_(mine, mine)])
        root = np.where(values > 1e-9, 1 / np.sqrt(np.maximum(values, 1e-9)), 0.0)
        weight = (vectors * root) @ vectors.T @ x[mine] @ inverse @ contrast
        variance += float(weight @ errors[mine]) ** 2
        columns.append(hat[:, mine] @ weight)
    inner = np.array(columns) @ np.array(columns).T
    return variance, np.trace(inner) ** 2 / np.sum(inner**2)


@pytest.mark.parametrize("seed", range(5))
def test_unbalanced_clusters_agree_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    n, k = 60, 4
    codes = np.concatenate(
        [np.arange(7), rng.choice(7, n - 7, p=[0.4, 0.2, 0.2, 0.05, 0.05, 0.05, 0.05])]
    )
    x = np.column_stack([np.ones(n), rng.normal(size=(n, k - 1))])
    x[:, 3] = codes == 2  # known by one cluster alone: left out there
    y = rng.normal(size=n) + rng.normal(size=7)[codes]
    inverse = np.linalg.inv(x.T @ x)
    errors = y - x @ inverse @ x.T @ y
    add = np.eye(7)[codes].T
    info = np.einsum("ga,aj,ak->gjk", add, x, x)
    wanted = np.array([[0, 1, 0, 0], [0, 1, -1, 0], [1, 0.5, 0, 0]], float)
    found = cr2((add @ (x * errors[:, None]))[None], info[None], inverse[None], wanted[None])
    for at, contrast in enumerate(wanted):
        expected = brute_cr2(x, errors, codes, contrast)
        assert (found.variance[0, at], found.df[0, at]) == pytest.approx(expected, rel=1e-6)


# In the Beta regression.


@pytest.fixture(scope="module")
def beta_fit():
    """One submission, sentence by sentence: scores, design, score contributions and bread."""
    rng = np.random.default_rng(7)
    sentences = crossed_names(TWO, [3, 4, 5, 6], 4, 2)
    y = drawn(sentences, TWO, rng)[0]
    female = (sentences["gender"] == "female").to_numpy().astype(float)
    group = (sentences["race"] == "A").to_numpy().astype(float)
    x = np.column_stack([np.ones(len(y)), female, group, female * group])
    z = np.ones((len(y), 1))
    sums = Sums(np.ones((1, len(y))), np.log(y)[None], np.log1p(-y)[None])
    fit = fit_beta(sums, x, z, np.zeros((1, 5)))
    parts = derivatives(sums, shape_of(x, z, fit.parameters))
    scores = np.column_stack([parts.eta[0][:, None] * x, parts.zeta[0][:, None] * z])
    return sentences, y, x, fit, scores


@pytest.mark.parametrize("by", ["person", "template"])
def test_scores_and_bread_are_those_of_statsmodels_clustered_errors(beta_fit, by):
    betareg = pytest.importorskip("statsmodels.othermod.betareg")
    sentences, y, x, fit, scores = beta_fit
    codes = sentences[by].rank("dense").to_numpy().astype(int) - 1
    add = np.eye(codes.max() + 1)[codes].T
    moved = (add @ scores) @ fit.covariance[0]
    ours = moved.T @ moved  # CR0: no correction for few clusters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BFGS warns that it gets no further
        peer = betareg.BetaModel(y, x).fit(
            disp=0, gtol=1e-10, cov_type="cluster",
            cov_kwds={"groups": codes, "use_correction": False},
        )  # fmt: skip
        theirs = np.asarray(peer.cov_params())
    assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-9 * np.abs(theirs).max())


def test_a_studys_errors_are_cr2_of_names_and_templates(beta_fit):
    # The whole study against matrices written out here: A = (I − H_g H⁻¹)^(−1/2) by SciPy's sqrtm,
    # the remainder left away by a hole in the table of names and templates.
    sentences, y, x, fit, _ = beta_fit
    hole = (sentences["person"] == sentences["person"][0]) & (sentences["template"] == "t0")
    values = np.where(hole.to_numpy(), np.nan, y)
    study = regression_study(sentences, scores_of(sentences, values, tasks=["joy"]), TWO)
    kept = ~hole.to_numpy()
    sums = Sums(kept[None].astype(float), (kept * np.log(y))[None], (kept * np.log1p(-y))[None])
    z = np.ones((len(y), 1))
    again = fit_beta(sums, x, z, fit.parameters)
    shape = shape_of(x, z, again.parameters)
    parts = derivatives(sums, shape)
    wide = np.column_stack([x, np.zeros(len(y))]), np.column_stack([0 * x, np.ones(len(y))])
    pieces = parts.eta[0][:, None] * wide[0] + parts.zeta[0][:, None] * wide[1]
    of_eta, of_both, of_zeta = (part[0] for part in information(sums.n, shape))
    variance = []
    for by in ("person", "template"):
        codes = sentences[by].rank("dense").to_numpy().astype(int) - 1
        total = 0.0
        infos = [
            np.einsum("a,aj,ak->jk", of_eta * (codes == code), wide[0], wide[0])
            + np.einsum("a,aj,ak->jk", of_both * (codes == code), wide[0], wide[1])
            + np.einsum("a,aj,ak->jk", of_both * (codes == code), wide[1], wide[0])
            + np.einsum("a,aj,ak->jk", of_zeta * (codes == code), wide[1], wide[1])
            for code in range(codes.max() + 1)
        ]
        whole = np.linalg.inv(sum(infos))
        for code, info in enumerate(infos):
            adjust = np.linalg.inv(np.real(sqrtm(np.eye(5) - info @ whole)))
            moved = again.covariance[0] @ adjust @ pieces[codes == code].sum(axis=0)
            total = total + moved[1:4] ** 2
        variance.append(total)
    for at, axis in enumerate(("gender", "race", "gender:race")):
        row = one(study.estimates, axis=axis, measure="coefficient")
        assert row["value"] == pytest.approx(again.parameters[0, 1 + at], abs=1e-9)
        assert row["se"] ** 2 == pytest.approx(variance[0][at] + variance[1][at], rel=1e-6)


KEYS = ["system", "axis", "contrast", "measure"]
NUMBERS = ("value", "se", "low", "high", "df", "p")


def study_of(sentences, values, systems=None, axes=TWO, **model):
    scores = scores_of(sentences, values, systems=systems, tasks=["joy"] * len(values))
    return regression_study(sentences, scores, axes, Model(**model))


def assert_same(left, right, rel=1e-9):
    left, right = left.sort(KEYS), right.sort(KEYS)
    assert left.select(KEYS).equals(right.select(KEYS))
    for name in NUMBERS:
        assert left[name].to_numpy() == pytest.approx(
            right[name].to_numpy(), rel=rel, abs=1e-10, nan_ok=True
        ), name


@pytest.fixture(scope="module")
def several():
    rng = np.random.default_rng(11)
    sentences = crossed_names(TWO, 4, 4, 2)
    values = np.stack([planted(sentences, rng) for _ in range(4)])
    values[2, rng.random(sentences.height) < 0.1] = np.nan
    person = sentences["person"].to_numpy()
    values[3, (person == person[0]) & (sentences["template"] == "t1").to_numpy()] = np.nan
    return sentences, values


def test_the_names_of_clusters_do_not_matter(several):
    sentences, values = several
    called = {name: f"n{at}" for at, name in enumerate(reversed(sentences["person"].unique()))}
    renamed = sentences.with_columns(
        pl.col("person").replace_strict(called),
        pl.col("template").replace_strict({"t0": "z", "t1": "y", "t2": "x", "t3": "a"}),
    )
    assert_same(study_of(sentences, values).estimates, study_of(renamed, values).estimates)


def test_the_order_of_submissions_does_not_matter(several):
    sentences, values = several
    forth = study_of(sentences, values, ["a", "b", "c", "d"]).estimates
    back = study_of(sentences, values[::-1], ["d", "c", "b", "a"]).estimates
    assert_same(forth, back)


@pytest.mark.parametrize("formula", [None, "gender * race + template"])
def test_a_submission_does_not_depend_on_its_batch(several, formula):
    sentences, values = several
    together = study_of(sentences, values, ["a", "b", "c", "d"], formula=formula).estimates
    for name, row in zip("abcd", values, strict=True):
        alone = study_of(sentences, row[None], [name], formula=formula).estimates
        assert_same(alone, together.filter(system=name))


def test_doubled_sentences_say_no_more_about_names(several):
    # Every sentence twice, under two words: naive errors shrink by about √2, clustered ones do not.
    sentences, values = several
    twice = pl.concat(
        [sentences, sentences.with_columns(pl.col("id") + "x", pl.col("emotion_word") + "x")]
    )
    once, again = (
        study_of(s, v).estimates.filter(axis="gender", system="s0")
        for s, v in ((sentences, values[:1]), (twice, np.tile(values[:1], 2)))
    )
    ratio = {
        name: one(again, measure=name)["se"] / one(once, measure=name)["se"]
        for name in ("coefficient", "coefficient_naive")
    }
    assert ratio["coefficient"] == pytest.approx(1, abs=1e-6)
    assert ratio["coefficient_naive"] == pytest.approx(np.sqrt(0.5), abs=1e-3)


def test_one_template_leaves_the_names():
    # Two groups of five names, one sentence each: the naive error of a linear model would be that
    # of the two-sample t-test, and so is the clustered one, nearly, with its 8 degrees of freedom.
    rng = np.random.default_rng(12)
    sentences = crossed_names(ONE, 5, 1, 1)
    values = 0.5 + rng.normal(0, 0.01, (1, 10))
    row = one(study_of(sentences, values, axes=ONE).estimates, measure="marginal_effect")
    female = (sentences["gender"] == "female").to_numpy()
    peer = stats.ttest_ind(values[0][female], values[0][~female])
    assert row["df"] == pytest.approx(8, rel=1e-3)
    assert row["value"] / row["se"] == pytest.approx(peer.statistic, rel=1e-2)
    assert row["p"] == pytest.approx(peer.pvalue, rel=2e-2)


def test_scores_in_one_template_only_leave_the_names_too(several):
    sentences, values = several
    only = np.where((sentences["template"] == "t2").to_numpy(), values[0], np.nan)
    there = sentences.filter(pl.col("template") == "t2")
    whole = study_of(sentences, only[None]).estimates
    part = study_of(there, only[~np.isnan(only)][None]).estimates
    assert_same(whole, part)


def test_a_name_alone_in_its_group_cannot_tell_how_names_vary():
    sentences = crossed_names(TWO, [3, 3, 3, 1], 3, 2)
    study = study_of(sentences, planted(sentences, np.random.default_rng(13))[None])
    assert study.fits["reason"][0].startswith("male, B has 1 name with a score; ")
    assert study.estimates["value"].null_count() == study.estimates.height > 0


def test_template_effects_that_all_groups_share_do_not_widen_the_errors():
    # A template that lifts everyone alike adds nothing to the error of a difference, in a linear
    # model nothing at all; here its scores are so close that the logit hardly bends.
    rng = np.random.default_rng(14)
    sentences = crossed_names(TWO, 5, 5, 2)
    plain = 0.5 + rng.normal(0, 1e-3, sentences.height)
    plain += (
        1e-3 * rng.normal(size=20)[sentences["person"].rank("dense").to_numpy().astype(int) - 1]
    )
    lifted = plain + 0.002 * sentences["template"].rank("dense").to_numpy()
    found = study_of(sentences, np.stack([plain, lifted]), ["plain", "lifted"]).estimates
    for axis in ("gender", "race", "gender:race"):
        one_se, other_se = (
            one(found, system=name, axis=axis, measure="marginal_effect")["se"]
            for name in ("plain", "lifted")
        )
        assert other_se == pytest.approx(one_se, rel=0.02)
