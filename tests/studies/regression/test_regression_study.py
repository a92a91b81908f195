"""The regression study: its sentences, its tables, and every state in which nothing can be told."""

import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from crossed_names import ONE, THREE_AXES, THREE_GROUPS, TWO, crossed_names, drawn, planted
from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.stats.mixed import fit_mixed
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import regression_study
from tiny import one, scores_of

EMOTIONS = ["anger", "fear", "joy", "sadness"]


def study_of(sentences, values, axes=TWO, *, tasks=None, subset=None, raw=False, **model):
    values = np.atleast_2d(values)
    scores = scores_of(sentences, values, tasks=tasks or ["joy"] * len(values), raw=raw)
    return regression_study(sentences, scores, axes, Model(**model), subset=subset)


def effect(study, axis, measure, **where):
    return one(study.estimates, axis=axis, measure=measure, **where)


# Which sentences are taken.


@pytest.fixture(scope="module")
def corpora():
    return {name: load_corpus(name) for name in ("eec", "eec-es", "eec-ar")}


def fitted_on(corpus, tasks, subset=None, seed=0, **model):
    sentences = corpus.sentences()
    values = np.random.default_rng(seed).uniform(0.2, 0.8, (len(tasks), sentences.height))
    axes = {axis.name: axis.groups for axis in corpus.axes}
    scores = scores_of(sentences, values, systems=["s"] * len(tasks), tasks=tasks)
    return regression_study(sentences, scores, axes, Model(**model), subset=subset)


def sizes(study):
    return {row["task"]: (row["subset"], row["n"]) for row in study.fits.rows(named=True)}


def test_an_emotion_is_fitted_on_the_name_sentences_with_its_words(corpora):
    # 40 names in 7 templates with 5 words: 1,400. Spanish and Arabic lack some words' sentences.
    english = fitted_on(corpora["eec"], EMOTIONS)
    assert sizes(english) == dict.fromkeys(EMOTIONS, ("own-emotion", 1400))
    assert set(english.fits["people"]) == {40}
    assert set(english.fits["templates"]) == {7}
    spanish, arabic = (sizes(fitted_on(corpora[name], EMOTIONS)) for name in ("eec-es", "eec-ar"))
    assert spanish["sadness"] == ("own-emotion", 1280)
    assert arabic["anger"] == ("own-emotion", 1160)
    assert arabic["joy"] == ("own-emotion", 1240)


def test_valence_is_fitted_on_the_neutral_name_sentences(corpora):
    study = fitted_on(corpora["eec"], ["valence"])
    assert sizes(study) == {"valence": ("neutral", 160)}
    assert study.groups["n"].to_list() == [40] * 4


def test_another_subset_is_taken_as_it_is(corpora):
    for subset, n in (("emotion:joy", 1400), ("neutral", 160), ("template:1", 800)):
        study = fitted_on(corpora["eec"], ["anger", "valence"], subset)
        assert sizes(study) == dict.fromkeys(("anger", "valence"), (subset, n))
        assert set(study.estimates["subset"]) == {subset}


def test_all_sentences_are_taken_where_all_are_asked_for(corpora):
    # 40 names: 7 templates of 800 sentences with names each (20 words), 4 of 40 without a word.
    study = fitted_on(corpora["eec"], ["anger", "valence"], "all")
    assert sizes(study) == dict.fromkeys(("anger", "valence"), ("all", 7 * 800 + 4 * 40))


def test_a_subset_without_sentences_says_so(corpora):
    study = fitted_on(corpora["eec"], ["valence"], "own-emotion")
    assert study.fits["n"].to_list() == [0]
    assert study.fits["reason"][0]
    assert study.estimates["value"].null_count() == study.estimates.height


def test_one_axis_takes_everyone_who_has_a_group_on_it(corpora):
    # gender alone: 40 names and 20 noun phrases, in 7 templates with 5 words: 2,100.
    assert sizes(fitted_on(corpora["eec"], ["joy"], formula="gender"))["joy"] == (
        "own-emotion",
        2100,
    )


def test_a_corpus_without_emotions_is_taken_whole():
    sentences = crossed_names(TWO, 3, 2, 2, emotion=None)
    study = study_of(sentences, planted(sentences, np.random.default_rng(0)), tasks=["valence"])
    assert sizes(study) == {"valence": ("all", sentences.height)}


def test_a_sample_without_the_tasks_own_sentences_is_not_fitted_on_others(corpora):
    # Three frames of anger were drawn: none of joy, and none without an emotion for valence.
    whole = corpora["eec"].sentences()
    frames = whole.filter(emotion="anger")["frame"].unique(maintain_order=True)[:3].to_list()
    drawn_ones = whole.filter(pl.col("frame").is_in(frames))
    values = np.random.default_rng(0).uniform(0.2, 0.8, (3, drawn_ones.height))
    scores = scores_of(drawn_ones, values, tasks=["joy", "valence", "anger"])
    axes = {axis.name: axis.groups for axis in corpora["eec"].axes}
    study = regression_study(drawn_ones, scores, axes, whole=whole)
    assert sizes(study) == {
        "joy": ("own-emotion", 0), "valence": ("neutral", 0), "anger": ("own-emotion", 120)
    }  # fmt: skip
    assert study.fits["reason"].to_list() == [
        "there is no sentence of the subset own-emotion about a person with a group on every axis",
        "there is no sentence of the subset neutral about a person with a group on every axis",
        None,
    ]


def test_an_axis_may_be_called_like_a_word_of_ours():
    sentences = crossed_names({"group": ("a", "b"), "place": ("c", "d")}, 3, 3, 2)
    axes = {"group": ("a", "b"), "place": ("c", "d")}
    study = study_of(sentences, planted(sentences, np.random.default_rng(3), axis="group"), axes)
    assert study.groups.select("group", "place").rows() == [
        ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")
    ]  # fmt: skip
    assert study.people["group"].unique().sort().to_list() == ["a", "b"]


def test_scores_of_other_sentences_are_left_alone(corpora):
    sentences = corpora["eec"].sentences()
    rng = np.random.default_rng(1)
    values = rng.uniform(0.2, 0.8, sentences.height)
    taken = (sentences["emotion"] == "joy").fill_null(False) & sentences["race"].is_not_null()
    axes = {axis.name: axis.groups for axis in corpora["eec"].axes}
    other = np.where(taken.to_numpy(), values, rng.uniform(0, 1, sentences.height))
    first, second = (study_of(sentences, some, axes) for some in (values, other))
    assert first.estimates.equals(second.estimates)


# What the tables hold.


@pytest.fixture(scope="module")
def sample():
    """Three submissions on two axes: plain, with gaps, with another spread."""
    rng = np.random.default_rng(5)
    sentences = crossed_names(TWO, [3, 4, 5, 4], 4, 3)
    values = drawn(sentences, TWO, rng, many=3)
    values[1, rng.random(sentences.height) < 0.1] = np.nan
    return sentences, values


@pytest.mark.parametrize(
    "model",
    [{}, {"precision": "gender"}, {"formula": "gender * race + template"}, {"no_reference": True}],
)
def test_the_estimates_keep_to_their_table(sample, model):
    sentences, values = sample
    validate(study_of(sentences, values, **model).estimates, ESTIMATES)


def test_effects_are_named_by_their_groups(sample):
    sentences, values = sample
    plain = study_of(sentences, values)
    assert plain.formula == "gender + race + gender:race"
    assert plain.effects == (
        ("gender", "female-male", "male"),
        ("race", "A-B", "B"),
        ("gender:race", "female-male:A-B", "male:B"),
    )
    turned = study_of(sentences, values, reference={"race": "A"})
    assert turned.effects[1:] == (
        ("race", "B-A", "A"),
        ("gender:race", "female-male:B-A", "male:A"),
    )
    even = study_of(sentences, values, no_reference=True, reference={"race": "B"})
    assert [name for _, name, _ in even.effects] == [
        "female-average",
        "male-average",
        "A-B",
        "female-average:A-B",
        "male-average:A-B",
    ]


def test_a_group_called_average_cannot_stand_beside_the_average():
    axes = {"gender": ("female", "male"), "income": ("average", "high")}
    sentences = crossed_names(axes, 3, 3, 2)
    values = planted(sentences, np.random.default_rng(5))
    with pytest.raises(TiltmeterError, match="'income' has a group called 'average'"):
        study_of(sentences, values, axes, no_reference=True)
    named = study_of(sentences, values, axes, no_reference=True, reference={"income": "high"})
    assert ("income", "average-high", "high") in named.effects


def test_more_coefficients_than_a_machine_can_hold_are_refused():
    axes = {"land": tuple(f"l{n}" for n in range(20)), "faith": tuple(f"f{n}" for n in range(15))}
    sentences = crossed_names(axes, 1, 1, 1)
    values = np.full(sentences.height, 0.5)
    # 19 + 14 + 19 × 14 = 299
    with pytest.raises(TiltmeterError, match="has 299 coefficients; expected at most 250"):
        study_of(sentences, values, axes)
    # each of 20 and each of 15 groups beside the average of all
    assert len(study_of(sentences, values, axes, formula="land + faith").effects) == 35


def test_a_reference_that_is_no_group_is_refused(sample):
    with pytest.raises(TiltmeterError, match="the axis 'gender' has no group 'mal': did you mean"):
        study_of(*sample, reference={"gender": "mal"})


def test_errors_of_an_unknown_kind_are_refused():
    with pytest.raises(
        TiltmeterError, match="there are no errors 'crosed': did you mean 'crossed'"
    ):
        Model(errors="crosed")


@pytest.mark.parametrize(
    ("precision", "formula", "says"),
    [
        ("template", None, "names no axis"),
        ("gender + template", None, "the precision depends on template; expected axes only"),
        ("race", "gender", "the precision depends on race, which is not in the formula gender"),
    ],
)
def test_a_precision_that_cannot_be_fitted_is_refused(sample, precision, formula, says):
    with pytest.raises(TiltmeterError, match=says):
        study_of(*sample, precision=precision, formula=formula)


def test_units(sample):
    study = study_of(*sample, precision="gender")
    units = dict(study.estimates.select("measure", "unit").unique().rows())
    assert units == {
        "coefficient": "logit", "coefficient_naive": "logit", "total": "logit",
        "marginal_effect": "scale", "marginal_effect_naive": "scale", "total_effect": "scale",
        "least_squares": "scale", "precision": "log precision",
    }  # fmt: skip


# Effects on the scale of scores, by their definition.


def predicted(sentences, beta, formula_columns):
    """The mean score of every sentence, from coefficients by the name of their columns."""
    return expit(sum(beta[name] * column for name, column in formula_columns(sentences).items()))


def plain_columns(sentences):
    female = (sentences["gender"] == "female").to_numpy().astype(float)
    race = (sentences["race"] == "A").to_numpy().astype(float)
    columns = {"one": np.ones(len(race)), "female": female, "A": race, "both": female * race}
    return columns | {
        template: (sentences["template"] == template).to_numpy().astype(float)
        for template in ("t1", "t2", "t3")
    }


def marginal(sentences, vector):
    """Everyone's sentences as if about women minus as if about men, over both races alike; the
    same for race; what is left of the difference of women where race differs; all at once."""
    names = ["one", "female", "A", "both", "t1", "t2", "t3"]
    beta = dict(zip(names, vector, strict=True))

    def mean(gender, race):
        as_if = sentences.with_columns(gender=pl.lit(gender), race=pl.lit(race))
        return predicted(as_if, beta, plain_columns).mean()

    fa, fb = mean("female", "A"), mean("female", "B")
    ma, mb = mean("male", "A"), mean("male", "B")
    return np.array([(fa + fb - ma - mb) / 2, (fa + ma - fb - mb) / 2, fa - fb - ma + mb, fa - mb])


def test_marginal_effects_are_differences_of_fitted_means(sample):
    # β and its covariance from statsmodels; the means by setting everyone to a group; the errors by
    # the delta method with a gradient taken numerically.
    betareg = pytest.importorskip("statsmodels.othermod.betareg")
    sentences, values = sample
    study = study_of(sentences, values, formula="gender * race + template")
    for at in (0, 1):
        known = ~np.isnan(values[at])
        here = sentences.filter(known)
        x = np.column_stack(list(plain_columns(here).values()))
        model = betareg.BetaModel(values[at][known], x)
        fit = model.fit(disp=0, method="newton", start_params=start_of(model), maxiter=50)
        beta, covariance = fit.params[:7], np.asarray(fit.cov_params())[:7, :7]
        expected = marginal(here, beta)
        slopes = np.array(
            [(marginal(here, beta + h) - marginal(here, beta - h)) / 2e-6 for h in np.eye(7) * 1e-6]
        )
        errors = np.sqrt(np.einsum("ke,kl,le->e", slopes, covariance, slopes))
        for place, axis in enumerate(("gender", "race", "gender:race")):
            row = effect(study, axis, "marginal_effect_naive", system=f"s{at}")
            assert row["value"] == pytest.approx(expected[place], abs=1e-8)
            assert row["se"] == pytest.approx(errors[place], rel=1e-5)
            clustered = effect(study, axis, "marginal_effect", system=f"s{at}")
            assert clustered["value"] == row["value"]
        total = effect(study, "gender:race", "total_effect", system=f"s{at}")
        assert total["value"] == pytest.approx(expected[3], abs=1e-8)


def start_of(model):
    """Where statsmodels' BFGS ends; it warns that it gets no further."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(disp=0).params


def test_the_total_is_the_sum_of_the_three(sample):
    study = study_of(*sample)
    for system in ("s0", "s1", "s2"):
        parts = [
            effect(study, axis, "coefficient", system=system)["value"]
            for axis in ("gender", "race", "gender:race")
        ]
        total = effect(study, "gender:race", "total", system=system)
        assert total["value"] == pytest.approx(sum(parts), abs=1e-12)


def test_the_fitted_means_are_those_of_the_coefficients(sample):
    # Two groups by two and every product: each group has its own μ = logistic of its row.
    study = study_of(*sample)
    groups = study.groups.filter(system="s0").rows(named=True)
    mean = {(row["gender"], row["race"]): row["fitted"] for row in groups}
    logit = {key: np.log(mu / (1 - mu)) for key, mu in mean.items()}
    base = logit["male", "B"]
    beta = {axis: effect(study, axis, "coefficient", system="s0")["value"]
            for axis in ("gender", "race", "gender:race")}  # fmt: skip
    assert logit["female", "B"] - base == pytest.approx(beta["gender"], abs=1e-10)
    assert logit["male", "A"] - base == pytest.approx(beta["race"], abs=1e-10)
    both = logit["female", "A"] - logit["female", "B"] - logit["male", "A"] + base
    assert both == pytest.approx(beta["gender:race"], abs=1e-10)


def test_group_and_name_means_are_plain_means(sample):
    sentences, values = sample
    study = study_of(sentences, values)
    plain = sentences.with_columns(score=pl.Series(values[1]).fill_nan(None)).drop_nulls("score")
    for by, table in (
        (["gender", "race"], study.groups.filter(system="s1")),
        (["person"], study.people.filter(system="s1", axis="gender")),
    ):
        expected = plain.group_by(by).agg(mean=pl.col("score").mean(), n=pl.len())
        joined = table.join(expected, on=by, suffix="_plain")
        assert joined.height == expected.height == table.height
        assert joined["mean"].to_numpy() == pytest.approx(
            joined["mean_plain"].to_numpy(), rel=1e-12
        )
        assert (joined["n"] == joined["n_plain"]).all()
    assert study.groups.filter(system="s1")["people"].to_list() == [3, 4, 5, 4]


# Codings: what is held against what changes names, never the fit.


@pytest.fixture(scope="module")
def nine():
    rng = np.random.default_rng(6)
    sentences = crossed_names(THREE_GROUPS, 3, 3, 2)
    return sentences, drawn(sentences, THREE_GROUPS, rng, many=2)


def test_without_a_reference_coefficients_of_an_axis_sum_to_0(nine):
    study = study_of(*nine, THREE_GROUPS, no_reference=True)
    for measure in ("coefficient", "marginal_effect", "least_squares"):
        for axis in ("gender", "race", "gender:race"):
            rows = study.estimates.filter(axis=axis, measure=measure, system="s0")
            assert rows.height == (9 if ":" in axis else 3)
            assert rows["value"].sum() == pytest.approx(0, abs=1e-10)
            assert rows["value"].abs().max() > 1e-3


def test_the_reference_changes_no_fitted_mean_and_no_likelihood(nine):
    studies = [
        study_of(*nine, THREE_GROUPS, **how)
        for how in (
            {},
            {"reference": {"gender": "female", "race": "B"}},
            {"no_reference": True},
            {"no_reference": True, "reference": {"race": "A"}},
        )
    ]
    first = studies[0]
    for other in studies[1:]:
        for name in ("log_likelihood", "precision"):
            assert other.fits[name].to_numpy() == pytest.approx(
                first.fits[name].to_numpy(), rel=1e-9
            )
        assert other.groups["fitted"].to_numpy() == pytest.approx(
            first.groups["fitted"].to_numpy(), abs=1e-10
        )


def test_contrasts_on_the_scale_turn_with_their_reference(nine):
    forth = study_of(*nine, THREE_GROUPS)
    back = study_of(*nine, THREE_GROUPS, reference={"gender": "female"})
    one_way = effect(forth, "gender", "marginal_effect", system="s0", contrast="female-unstated")
    other = effect(back, "gender", "marginal_effect", system="s0", contrast="unstated-female")
    assert one_way["value"] == pytest.approx(-other["value"], abs=1e-11)
    for name in ("se", "df", "p"):
        assert one_way[name] == pytest.approx(other[name], rel=1e-7)
    assert one_way["low"] == pytest.approx(-other["high"], abs=1e-10)


def test_beside_the_average_is_the_average_of_the_contrasts(nine):
    # female − (female + male + unstated)/3 = (2/3)(female − unstated) − (1/3)(male − unstated)
    even = study_of(*nine, THREE_GROUPS, no_reference=True)
    plain = study_of(*nine, THREE_GROUPS)
    mine = effect(even, "gender", "marginal_effect", system="s0", contrast="female-average")
    female, male = (
        effect(plain, "gender", "marginal_effect", system="s0", contrast=f"{name}-unstated")
        for name in ("female", "male")
    )
    assert mine["value"] == pytest.approx((2 * female["value"] - male["value"]) / 3, abs=1e-10)


def test_two_groups_beside_their_average_are_half_of_their_difference(sample):
    even, plain = study_of(*sample, no_reference=True), study_of(*sample)
    half = effect(even, "gender", "marginal_effect", system="s0", contrast="female-average")
    whole = effect(plain, "gender", "marginal_effect", system="s0")
    for name in ("value", "se", "low", "high"):
        assert half[name] == pytest.approx(whole[name] / 2, rel=1e-7)
    assert half["p"] == pytest.approx(whole["p"], rel=1e-7)


def test_three_axes_have_three_products_of_two():
    sentences = crossed_names(THREE_AXES, 2, 2, 2)
    study = study_of(sentences, drawn(sentences, THREE_AXES, np.random.default_rng(7)), THREE_AXES)
    assert [axis for axis, _, _ in study.effects] == [
        "gender", "race", "age", "gender:race", "gender:age", "race:age",
    ]  # fmt: skip
    assert study.fits["reason"].to_list() == [None]
    assert study.groups.height == 8


# Names that pull.


def test_pull_is_what_a_refit_without_the_person_changes():
    rng = np.random.default_rng(8)
    sentences = crossed_names(TWO, 6, 4, 3)
    values = planted(sentences, rng, names=0.06)
    study = study_of(sentences, values)
    people = study.people["person"].unique(maintain_order=True).to_list()
    # The refits in one go: a submission each, without that person's scores.
    without = np.stack(
        [np.where((sentences["person"] == name).to_numpy(), np.nan, values) for name in people]
    )
    again = study_of(sentences, without)
    for axis in ("gender", "race", "gender:race"):
        rows = study.people.filter(axis=axis)
        pull = dict(rows.select("person", "pull").rows())
        here = effect(study, axis, "marginal_effect")["value"]
        seen = np.array(
            [here - effect(again, axis, "marginal_effect", system=f"s{at}")["value"]
             for at in range(len(people))]
        )  # fmt: skip
        told = np.array([pull[name] for name in people])
        assert told == pytest.approx(seen, abs=0.05 * np.abs(seen).max())
        assert np.abs(seen).max() > 1e-3


def test_the_name_that_stands_out_pulls_most():
    sentences = crossed_names(TWO, 5, 3, 2)
    values = planted(sentences, np.random.default_rng(9), names=0.0, noise=0.02)
    values[(sentences["person"] == "female.A.2").to_numpy()] += 0.2
    rows = study_of(sentences, values).people.filter(axis="gender").sort("pull")
    assert rows["person"][-1] == "female.A.2"
    assert rows["pull"][-1] > 5 * rows["pull"][-2]


# Missing, clipped and squeezed scores.


def test_missing_scores_are_counted_and_left_out():
    rng = np.random.default_rng(10)
    sentences = crossed_names(TWO, 4, 3, 2)
    values = planted(sentences, rng)
    gone = rng.random(sentences.height) < 0.2
    study = study_of(sentences, np.where(gone, np.nan, values))
    fit = study.fits.row(0, named=True)
    assert (fit["n"], fit["n_dropped"]) == (int((~gone).sum()), int(gone.sum()))
    assert set(study.estimates["n"]) == {int((~gone).sum())}
    assert set(study.estimates["n_dropped"]) == {int(gone.sum())}
    only = study_of(sentences.filter(~gone), values[~gone])
    for name in ("value", "se", "df", "p"):
        assert study.estimates[name].to_numpy() == pytest.approx(
            only.estimates[name].to_numpy(), rel=1e-8, nan_ok=True
        )


def test_names_and_templates_without_a_score_are_not_counted():
    sentences = crossed_names(TWO, 4, 3, 2)
    values = planted(sentences, np.random.default_rng(14))
    gone = ((sentences["person"] == "female.A.0") | (sentences["template"] == "t1")).to_numpy()
    study = study_of(sentences, np.where(gone, np.nan, values))
    assert study.fits.select("people", "templates").row(0) == (15, 2)  # of 4 × 4 and 3
    assert study.groups["people"].to_list() == [3, 4, 4, 4]


def test_a_rounding_error_is_no_effect():
    # The same four scores for the names of every group, in another order: means are the same.
    sentences = crossed_names(TWO, 4, 3, 2)
    place = sentences["person"].str.split(".").list.last().cast(pl.Int64)
    turned = (place + 3 * (sentences["gender"] == "male").cast(pl.Int64)) % 4
    values = np.array([0.31, 0.47, 0.58, 0.83])[turned.to_numpy()]
    rows = study_of(sentences, values).estimates.filter(pl.col("measure") != "least_squares")
    assert set(rows["value"]) == {0.0}
    assert set(rows["p"]) == {1.0}
    assert rows["se"].min() > 0.001


def test_scores_beyond_the_scale_are_clipped_and_those_at_its_ends_squeezed():
    sentences = crossed_names(TWO, 4, 3, 2)
    values = planted(sentences, np.random.default_rng(11))
    values[:5] = (-0.2, 1.3, 0.0, 1.0, 1.0)
    fit = study_of(sentences, values).fits.row(0, named=True)
    assert (fit["clipped"], fit["edge"], fit["n"]) == (2, 5, 96)
    # (y (n − 1) + 0.5) / n with n = 96, done beforehand, gives the same fit and nothing to count.
    by_hand = (np.clip(values, 0, 1) * 95 + 0.5) / 96
    other = study_of(sentences, by_hand).fits.row(0, named=True)
    assert (other["clipped"], other["edge"]) == (0, 0)
    assert other["log_likelihood"] == pytest.approx(fit["log_likelihood"], rel=1e-12)
    assert other["precision"] == pytest.approx(fit["precision"], rel=1e-10)


@pytest.mark.parametrize(("shift", "end", "read"), [(-2.0, "below", 0), (1.5, "above", 1)])
def test_scores_that_differ_beyond_the_scale_are_not_called_the_same(shift, end, read):
    """Least squares takes them as they are; a Beta regression would read them all as one."""
    sentences = crossed_names(TWO, 4, 3, 2)
    values = planted(sentences, np.random.default_rng(11))
    there, moved = study_of(sentences, values), study_of(sentences, values + shift)
    fit = moved.fits.row(0, named=True)
    assert f"all 96 scores lie {end} the scale, where they differ" in fit["reason"]
    assert f"read them all as {read}" in fit["reason"]
    assert fit["least_squares_reason"] is None
    assert moved.estimates.filter(measure="marginal_effect")["value"].null_count() == 3
    for axis in ("gender", "race", "gender:race"):
        one, other = (effect(study, axis, "least_squares") for study in (there, moved))
        assert one["value"] == pytest.approx(other["value"], abs=1e-9)  # a shift moves no contrast
        assert one["se"] == pytest.approx(other["se"], rel=1e-6)
    means = moved.groups["mean"].to_numpy() - there.groups["mean"].to_numpy()
    assert means == pytest.approx(np.full(4, shift))


def test_a_score_within_the_scale_is_not_touched():
    sentences = crossed_names(TWO, 4, 3, 2)
    values = np.clip(planted(sentences, np.random.default_rng(12)), 1e-9, 1 - 1e-9)
    values[0] = 1e-9
    fit = study_of(sentences, values).fits.row(0, named=True)
    assert (fit["clipped"], fit["edge"]) == (0, 0)


def test_squeezing_counts_the_scores_that_are_there():
    # Half of the scores are missing: n in the squeeze is of the others.
    sentences = crossed_names(TWO, 4, 4, 2)
    values = planted(sentences, np.random.default_rng(13))
    values[0] = 1.0
    odd = (sentences["template"].is_in(["t1", "t3"])).to_numpy()
    part = study_of(sentences, np.where(odd, np.nan, values)).fits.row(0, named=True)
    alone = study_of(sentences.filter(~odd), values[~odd]).fits.row(0, named=True)
    assert part["log_likelihood"] == pytest.approx(alone["log_likelihood"], rel=1e-12)


def test_repeats_are_averaged():
    sentences = crossed_names(TWO, 3, 3, 2)
    values = planted(sentences, np.random.default_rng(14))
    jitter = np.random.default_rng(15).normal(0, 0.01, len(values))
    thrice = pl.concat(
        [
            scores_of(sentences, values + part, tasks=["joy"], repeat=at)
            for at, part in enumerate((jitter, -jitter, 0 * jitter))
        ]
    )
    averaged = regression_study(sentences, thrice, TWO).estimates
    plain = study_of(sentences, values).estimates
    assert averaged["value"].to_numpy() == pytest.approx(plain["value"].to_numpy(), abs=1e-12)
    assert averaged["se"].to_numpy() == pytest.approx(plain["se"].to_numpy(), abs=1e-12)
    assert averaged["n"].to_list() == plain["n"].to_list()


# What cannot be estimated, and why.

PLAIN = crossed_names(TWO, 4, 3, 2)


def female(value, other, sentences=PLAIN):
    return np.where((sentences["gender"] == "female").to_numpy(), value, other)


def noise(sd=0.05, sentences=PLAIN, seed=16):
    return np.random.default_rng(seed).normal(0.5, sd, sentences.height)


def without(column, *values):
    return np.where(PLAIN[column].is_in(values).to_numpy(), np.nan, noise())


STATES = {
    "constant": (np.full(PLAIN.height, 0.5), {}, "all 96 scores are the same (0.5)"),
    "constant at the end": (np.ones(PLAIN.height), {}, "all 96 scores are the same (1)"),
    "constant beyond the end": (np.full(PLAIN.height, 7.0), {}, "all 96 scores are the same (7)"),
    "separated": (female(0.7, 0.3), {}, "perfect separation"),
    "separated at the ends": (female(1.0, 0.0), {}, "perfect separation"),
    "separated by groups": (
        0.2 + 0.1 * PLAIN["race"].rank("dense").to_numpy() + 0.2 * female(1, 0),
        {},
        "perfect separation",
    ),
    "nothing but a hair": (0.5 + 1e-8 * (noise() - 0.5), {}, "all 96 scores are the same (0.5)"),
    "silent": (np.full(PLAIN.height, np.nan), {}, "no sentence has a score"),
    "one group silent": (
        without("person", *(f"female.A.{at}" for at in range(4))),
        {},
        "no sentence with a score tells female, A apart from the others",
    ),
    "women silent": (without("gender", "female"), {}, "female, A"),
    "one name": (
        without("person", "male.B.1", "male.B.2", "male.B.3"),
        {},
        "male, B has 1 name with a score",
    ),
    "women of no spread": (
        female(0.4, noise()),
        {"precision": "gender"},
        "no spread is left within female, A; female, B, and the precision depends on the group",
    ),
    "no spread beside the frame": (
        0.05 * PLAIN["frame"].rank("dense").to_numpy(),
        {"formula": "gender * race + frame"},
        "perfect separation",
    ),
    "a template silent": (
        without("template", "t2"),
        {"formula": "gender * race + template"},
        "no sentence with a score tells some level of a control apart from the others",
    ),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_what_cannot_be_estimated_has_a_reason_and_no_number(state):
    values, model, why = STATES[state]
    # Beside a sound submission, which must not suffer.
    study = study_of(PLAIN, np.stack([values, noise(seed=17)]), **model)
    fits = study.fits.rows(named=True)
    assert why in fits[0]["reason"]
    assert fits[0]["converged"] is False
    assert fits[0]["log_likelihood"] is fits[0]["precision"] is None
    mine = study.estimates.filter(system="s0")
    for name in ("value", "se", "low", "high", "statistic", "df", "p"):
        assert mine[name].null_count() == mine.height > 0, name
    assert study.people.filter(system="s0")["pull"].null_count() > 0
    assert study.people.filter(system="s0")["pull"].drop_nulls().is_empty()
    assert study.groups.filter(system="s0")["fitted"].drop_nulls().is_empty()
    assert fits[1]["reason"] is None
    alone = study_of(PLAIN, noise(seed=17), **model).estimates
    other = study.estimates.filter(system="s1")
    assert other["value"].to_numpy() == pytest.approx(alone["value"].to_numpy(), rel=1e-9)
    assert other["p"].to_numpy() == pytest.approx(alone["p"].to_numpy(), rel=1e-6)


def test_a_scale_that_is_not_known_is_said():
    study = study_of(PLAIN, 40 * noise(), raw=True)
    assert "its scale is not known" in study.fits["reason"][0]
    assert study.estimates["value"].null_count() == study.estimates.height > 0


def test_a_group_that_nobody_is_in_is_named():
    sentences = crossed_names(TWO, [3, 3, 3, 0], 3, 2)
    study = study_of(sentences, noise(sentences=sentences))
    assert study.fits["reason"][0] == (
        "no sentence with a score tells male, B apart from the others"
    )
    assert study.estimates["value"].null_count() == study.estimates.height > 0


def test_without_their_product_three_groups_are_enough():
    sentences = crossed_names(TWO, [3, 3, 3, 0], 3, 2)
    study = study_of(sentences, noise(sentences=sentences), formula="gender + race")
    assert study.fits["reason"].to_list() == [None]
    assert study.estimates["value"].null_count() == 0


def test_without_their_product_a_silent_group_leaves_the_others():
    values = without("person", *(f"female.A.{at}" for at in range(4)))
    study = study_of(PLAIN, values, formula="gender + race")
    only = PLAIN.filter(~np.isnan(values))
    alone = study_of(only, values[~np.isnan(values)], formula="gender + race")
    assert study.fits["reason"].to_list() == [None]
    assert study.estimates["value"].to_numpy() == pytest.approx(
        alone.estimates["value"].to_numpy(), rel=1e-8
    )
    # A name without any score is a hole in the table of names and templates: nothing is taken off,
    # and the errors are rather too large.
    naive = pl.col("measure").str.contains("naive|least")
    for which, same in ((naive, True), (~naive, False)):
        mine, other = (one.estimates.filter(which)["se"].to_numpy() for one in (study, alone))
        assert (mine >= other * (1 - 1e-8)).all()
        assert np.allclose(mine, other, rtol=1e-8) == same


@pytest.mark.parametrize("sd", [1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("level", [0.02, 0.5, 0.97])
def test_scores_that_hardly_differ_give_a_reason_or_the_right_number(sd, level):
    # So narrow a spread leaves the logit straight but for a bend of sd/μ: the effects are those of
    # least squares. A reason instead is allowed, a wild number is not.
    values = level + np.random.default_rng(18).normal(0, sd, PLAIN.height) + female(2 * sd, 0)
    study = study_of(PLAIN, values)
    if study.fits["reason"][0] is not None:
        assert study.estimates["value"].null_count() == study.estimates.height
        return
    near = 0.01 + 2 * sd / min(level, 1 - level)
    beta = effect(study, "gender:race", "marginal_effect_naive")
    plain = effect(study, "gender:race", "least_squares")
    assert beta["value"] == pytest.approx(plain["value"], abs=near * plain["se"])
    # Its variance has n for n − 4: √(92/96) = 0.979.
    assert beta["se"] == pytest.approx(plain["se"] * np.sqrt(92 / 96), rel=near)


def test_a_system_blind_to_names_has_effects_of_exactly_0():
    word = PLAIN["emotion_word"].rank("dense").to_numpy() * 0.1
    template = PLAIN["template"].rank("dense").to_numpy() * 0.07
    study = study_of(PLAIN, word + template)
    assert study.fits["reason"].to_list() == [None]
    for row in study.estimates.filter(~pl.col("measure").str.contains("naive|least")).rows(
        named=True
    ):
        assert (row["value"], row["se"], row["low"], row["high"]) == (0, 0, 0, 0), row
        assert row["p"] == 1
    for row in study.estimates.filter(pl.col("measure").str.contains("naive|least")).rows(
        named=True
    ):
        assert row["value"] == pytest.approx(0, abs=1e-9)
        assert row["p"] == pytest.approx(1)
    assert study.people["pull"].abs().max() < 1e-9


def test_a_system_blind_to_names_has_none_in_a_mixed_model_either():
    word = PLAIN["emotion_word"].rank("dense").to_numpy() * 0.1
    template = PLAIN["template"].rank("dense").to_numpy() * 0.07
    study = study_of(PLAIN, np.stack([word + template, noise()]), errors="mixed")
    mixed = study.estimates.filter(pl.col("measure").str.ends_with("mixed"))
    blind = mixed.filter(system="s0")
    assert blind.height == 6
    assert blind.select("value", "se", "low", "high").unique().rows() == [(0, 0, 0, 0)]
    assert blind["p"].to_list() == [1] * 6
    assert (mixed.filter(system="s1")["se"] > 0).all()


def test_the_mixed_model_of_a_balanced_corpus_has_the_means_of_logits():
    # With every name in every template, weighing by the random effects weighs nothing: β is that of
    # the groups' mean logits, and an effect on scores is what these differ by as scores.
    values = drawn(PLAIN, TWO, np.random.default_rng(20))[0]
    study = study_of(PLAIN, values, errors="mixed")
    logits = PLAIN.with_columns(logit=pl.Series(np.log(values / (1 - values))))
    means = dict(
        logits.group_by(pl.concat_str("gender", "race")).agg(pl.col("logit").mean()).rows()
    )
    fa, fb, ma, mb = (means[name] for name in ("femaleA", "femaleB", "maleA", "maleB"))
    expected = {"gender": fb - mb, "race": ma - mb, "gender:race": fa - fb - ma + mb}
    for axis, value in expected.items():
        assert effect(study, axis, "coefficient_mixed")["value"] == pytest.approx(value, abs=1e-9)
    fa, fb, ma, mb = (expit(mean) for mean in (fa, fb, ma, mb))
    on_scores = {
        "gender": (fa + fb - ma - mb) / 2,
        "race": (fa + ma - fb - mb) / 2,
        "gender:race": fa - fb - ma + mb,
    }
    for axis, value in on_scores.items():
        row = effect(study, axis, "marginal_effect_mixed")
        assert row["value"] == pytest.approx(value, abs=1e-9)
        assert row["df"] == effect(study, axis, "coefficient_mixed")["df"]


def test_errors_of_the_mixed_model_go_through_the_delta_method():
    # Two groups: μ_f − μ_m = logistic(β₀ + β₁) − logistic(β₀), with slopes m_f − m_m and m_f where
    # m = μ(1 − μ). The covariance is that of the same model asked for with nothing but arrays.
    sentences = crossed_names(ONE, 5, 4, 2)
    values = drawn(sentences, ONE, np.random.default_rng(21))[0]
    row = effect(
        study_of(sentences, values, ONE, errors="mixed"), "gender", "marginal_effect_mixed"
    )
    woman = (sentences["gender"] == "female").to_numpy().astype(int)
    person, template, frame = (
        sentences[name].rank("dense").to_numpy().astype(np.int64) - 1
        for name in ("person", "template", "frame")
    )
    fit = fit_mixed(
        np.log(values / (1 - values))[None],
        np.column_stack([np.ones(len(woman)), woman]),
        [person, template, 2 * template + woman, frame],
        np.eye(2),
    )
    men, women = expit(fit.coefficients[0, 0]), expit(fit.coefficients[0].sum())
    slope = np.array([women * (1 - women) - men * (1 - men), women * (1 - women)])
    assert row["value"] == pytest.approx(women - men, abs=1e-9)
    assert row["se"] == pytest.approx(np.sqrt(slope @ fit.covariance[0] @ slope), rel=1e-5)
    assert row["df"] == pytest.approx(fit.df[0, 1], rel=1e-4)


def test_the_same_shift_for_all_women_is_found_with_its_size():
    word = PLAIN["emotion_word"].rank("dense").to_numpy() * 0.1 + 0.3
    study = study_of(PLAIN, word + female(0.03, 0.0))
    found = effect(study, "gender", "marginal_effect")
    assert found["value"] == pytest.approx(0.03, rel=0.02)
    assert found["p"] < 1e-6
    race = effect(study, "race", "marginal_effect")
    assert race["value"] == 0
    assert race["p"] == 1


def test_a_shift_among_names_that_vary_is_found_within_its_interval():
    rng = np.random.default_rng(19)
    sentences = crossed_names(TWO, 10, 7, 5)
    values = np.stack([planted(sentences, rng, tilt=0.05) for _ in range(60)])
    rows = study_of(sentences, values).estimates.filter(axis="gender", measure="marginal_effect")
    held = ((rows["low"] <= 0.05) & (rows["high"] >= 0.05)).sum()
    assert held >= 53  # 57 are expected; 52 or fewer have a chance of about 2 %
    assert rows["value"].mean() == pytest.approx(0.05, abs=0.005)


@given(
    sizes=st.lists(st.integers(2, 4), min_size=4, max_size=4),
    templates=st.integers(1, 3),
    kind=st.sampled_from(["plain", "edges", "gaps", "coarse", "few", "extreme", "absurd"]),
    formula=st.sampled_from([None, "gender + race", "gender * race + template"]),
    precision=st.sampled_from([None, "gender"]),
    seed=st.integers(0, 10_000),
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_whatever_the_scores_a_row_is_whole_or_empty(
    sizes, templates, kind, formula, precision, seed
):
    rng = np.random.default_rng(seed)
    sentences = crossed_names(TWO, sizes, templates, 2)
    values = rng.random(sentences.height)
    if kind == "edges":
        values = values.round(0)
    elif kind == "gaps":
        values[rng.random(len(values)) < 0.7] = np.nan
    elif kind == "coarse":
        values = values.round(1)
    elif kind == "few":
        values[:] = rng.choice([0.2, 0.200001], len(values))
    elif kind == "extreme":
        values = rng.choice([1e-12, 1 - 1e-12, 0.5], len(values))
    elif kind == "absurd":
        values = rng.choice([1e-300, 1 - 1e-16, 0.5], len(values))
    study = study_of(sentences, values, formula=formula, precision=precision)
    validate(study.estimates, ESTIMATES)
    fine = study.fits["reason"][0] is None
    rows = study.estimates
    least = pl.col("measure") == "least_squares"  # of scores as they are: may do where Beta cannot
    beta, squares = rows.filter(~least)["value"], rows.filter(least)["value"]
    assert beta.null_count() == (0 if fine else beta.len())
    assert squares.null_count() in ((0,) if fine else (0, squares.len()))
    assert study.fits["converged"][0] == fine
    known = rows.filter(pl.col("low").is_not_null())
    assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()
    assert rows["p"].drop_nulls().is_between(0, 1).all()
    assert (rows.filter(unit="scale")["value"].drop_nulls().abs() <= 2).all()
    assert study.groups["fitted"].drop_nulls().is_between(0, 1).all()
