"""Which embedding to take: the intervals that decide, the rule, and how often equals are told."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from planted_space import SIX_HUNDRED, listed, noisy_space
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from made_up_embeddings import GLOVE, NAMES, NEWS, ORIGIN, RELIGION, frame, made_up_material
from tiltmeter.studies.embeddings.choice import (
    MARGIN,
    ListVerdict,
    Outcome,
    UndecidedBy,
    choice,
    list_comparisons,
)
from tiltmeter.studies.embeddings.rnsb import (
    REACH,
    RnsbConfig,
    compared_spaces,
    joint_reach,
    rnsb,
    rnsb_study,
    sigmoid,
)
from tiltmeter.studies.embeddings.space import Space

LISTS = {f"list{nth}": tuple(f"term{10 * nth + n}" for n in range(10)) for nth in range(4)}
QUICK = RnsbConfig(ridge=3.0, resamples=100)


def studied(space, config=QUICK, lists=LISTS):
    told = [listed(terms, name=name) for name, terms in lists.items()]
    return rnsb_study(space, told, SIX_HUNDRED, config=config)


def with_terms(space, terms):
    """The space with other terms at its end."""
    return Space(space.name, space.words, np.vstack([space.vectors[: -len(terms)], terms]))


# ---------------------------------------------------------------- the intervals that decide


def test_joint_intervals_leave_out_zero_where_bonferroni_rejects():
    rng = np.random.default_rng(0)
    z = rng.normal(0, 3, 12)
    rejected = multipletests(2 * norm.sf(np.abs(z)), alpha=0.05, method="bonferroni")[0]
    assert 0 < rejected.sum() < 12
    assert ((np.abs(z) > joint_reach(12)) == rejected).all()
    assert joint_reach(1) == pytest.approx(REACH, abs=1e-6)


def test_the_interval_of_a_difference_is_of_the_same_resamples_of_both():
    spaces = [noisy_space(seed=seed, terms=40, name=f"space{seed}") for seed in (1, 2, 3)]
    studies = {space.name: studied(space) for space in spaces}
    found = compared_spaces(studies)
    assert found.height == 3 * 4
    row = found.row(0, named=True)
    first, second = (studies[row[name]].odds[row["list"]] for name in ("first", "second"))
    draws = rnsb(sigmoid(first.draws)) - rnsb(sigmoid(second.draws))
    assert row["high"] - row["difference"] == pytest.approx(1.959964 * draws.std(ddof=1))
    # 12 intervals together: each at 1 − 0.05/12, z = 2.8653
    assert row["joint_high"] - row["difference"] == pytest.approx(
        norm.ppf(1 - 0.05 / 24) * draws.std(ddof=1)
    )


def choice_of(*studies):
    """The choice between planted spaces, as the study that holds them makes it."""
    named = {f"space{nth}": one for nth, one in enumerate(studies)}
    compared = compared_spaces(named)
    made = made_up_material((GLOVE,), (ORIGIN,), further=False)
    numbers = pl.concat([
        one.rnsb.with_columns(
            embedding=pl.lit(name), p_adjusted=pl.lit(None, pl.Float64), title=pl.col("list")
        )
        for name, one in named.items()
    ])  # fmt: skip
    embeddings = frame("embeddings", [{"embedding": name} for name in named])
    return choice(
        replace(made, embeddings=embeddings, rnsb=numbers, comparisons=compared,
                classifiers=frame("classifiers"))
    )  # fmt: skip


def test_a_planted_difference_is_found_and_decides():
    space, rng = noisy_space(terms=40), np.random.default_rng(5)
    uneven, even = (
        studied(with_terms(space, rng.normal(size=(40, 8)) * spread)) for spread in (1.5, 0.05)
    )
    found = choice_of(uneven, even)
    assert (found.outcome, found.taken) == (Outcome.TAKE, "space1")
    assert found.less_even == ("space0",)
    assert {one.verdict for one in found.comparisons} == {ListVerdict.SECOND}


def test_the_same_vectors_are_alike_and_none_is_taken():
    study = studied(noisy_space(terms=40))
    found = choice_of(study, study)
    assert (found.outcome, found.taken) == (Outcome.ALIKE, None)
    assert found.left == ("space0", "space1")


def test_spaces_of_the_same_unevenness_are_told_apart_no_more_often_than_promised():
    # The same terms beside lexicon words drawn anew from the same two clouds: the classifier that
    # all such words would give is one, and so is its RNSB. Four lists are judged together.
    rng = np.random.default_rng(11)
    decided = beyond_zero = 0
    for pair in range(60):
        terms = rng.normal(size=(40, 8))
        one, other = (
            studied(with_terms(noisy_space(seed=2 * pair + n + 500, terms=40), terms), QUICK)
            for n in (0, 1)
        )
        found = choice_of(one, other)
        decided += any(each.better for each in found.comparisons)
        beyond_zero += any(each.low > 0 or each.high < 0 for each in found.comparisons)
    # of 60 at 5 %, more than 7 are seen once in 90 runs
    assert decided <= beyond_zero <= 7


# ---------------------------------------------------------------- the rule

FEW = {"n_terms": 12, "rnsb_first": 0.3, "rnsb_second": 0.2}


def material(*ends, lists=(ORIGIN, NAMES), embeddings=(GLOVE, NEWS), **changes):
    """A study whose comparisons have these intervals, list by list; None: there is none."""
    rows = []
    for of, one in zip(lists, ends, strict=False):
        if one is None:
            continue
        low, high = one
        middle = 0.0 if low is None else (low + high) / 2
        rows.append({**FEW, "list": of, "first": embeddings[0], "second": embeddings[1],
                     "difference": middle, "low": low, "high": high, "joint_low": low,
                     "joint_high": high})  # fmt: skip
    made = made_up_material(embeddings, lists, further=False)
    even = {"by_chance": pl.lit(None, pl.Float64)}
    equal = {"balanced_low": pl.lit(0.8), "balanced": pl.lit(0.85), "balanced_high": pl.lit(0.9)}
    made = replace(
        made, comparisons=frame("comparisons", rows), rnsb=made.rnsb.with_columns(**even),
        classifiers=made.classifiers.with_columns(**equal),
    )  # fmt: skip
    return replace(made, **changes)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "why"),
    [
        (0.02, 0.3, ListVerdict.SECOND, None),
        (-0.3, -0.02, ListVerdict.FIRST, None),
        (0.005, 0.3, ListVerdict.UNDECIDED, UndecidedBy.INTERVAL),  # beyond 0, not the margin
        (-0.1, 0.3, ListVerdict.UNDECIDED, UndecidedBy.INTERVAL),
        (-0.009, 0.009, ListVerdict.ALIKE, None),
        (None, None, ListVerdict.UNDECIDED, UndecidedBy.NO_INTERVAL),
    ],
)
def test_a_list_decides_where_the_interval_lies_beyond_the_margin(low, high, verdict, why):
    assert MARGIN == 0.01
    [one] = list_comparisons(material((low, high), lists=(ORIGIN,)))
    assert (one.verdict, one.why) == (verdict, why)


def test_a_difference_that_ordinary_words_have_too_decides_nothing():
    made = material((0.1, 0.3), lists=(ORIGIN,))
    # 0.3 with ordinary words at 0.28, 0.1 with 0.05: the lower lies higher above its own
    news = pl.col("embedding") == NEWS
    numbers = made.rnsb.with_columns(
        rnsb=pl.when(news).then(0.1).otherwise(0.3),
        by_chance=pl.when(news).then(0.05).otherwise(0.28),
    )
    found = choice(replace(made, rnsb=numbers))
    assert found.comparisons[0].why is UndecidedBy.ORDINARY
    assert found.outcome is Outcome.OPEN
    below = numbers.with_columns(by_chance=pl.when(news).then(0.09).otherwise(0.28))
    assert choice(replace(made, rnsb=below)).outcome is Outcome.TAKE


def test_lists_that_disagree_leave_it_to_the_words():
    found = choice(material((0.1, 0.3), (-0.3, -0.1)))
    assert (found.outcome, found.taken, found.less_even) == (Outcome.BY_LIST, None, ())
    assert found.lists_for(NEWS, GLOVE) == [ORIGIN]
    assert found.lists_for(GLOVE, NEWS) == [NAMES]


def test_a_refused_list_decides_nothing():
    made = material((0.1, 0.3), None, lists=(ORIGIN, RELIGION))
    assert made.rnsb.filter(embedding=NEWS, list=RELIGION)["rnsb"].item() is None
    found = choice(made)
    assert (found.outcome, found.taken) == (Outcome.TAKE, NEWS)
    assert [one.of for one in found.comparisons] == [ORIGIN]


def test_vectors_that_know_less_are_not_taken_for_being_even():
    made = material((0.1, 0.3), lists=(ORIGIN,))
    news = pl.col("embedding") == NEWS
    worse = made.classifiers.with_columns(
        balanced=pl.when(news).then(0.70).otherwise(0.85),
        balanced_high=pl.when(news).then(0.72).otherwise(0.9),
    )
    found = choice(replace(made, classifiers=worse))
    assert (found.outcome, found.taken, found.knows_more) == (Outcome.KNOWS_LESS, NEWS, GLOVE)
    a_little = worse.with_columns(
        balanced=pl.when(news).then(0.84).otherwise(0.85),
        balanced_high=pl.when(news).then(0.79).otherwise(0.9),
    )
    assert choice(replace(made, classifiers=a_little)).outcome is Outcome.TAKE


def test_an_embedding_without_any_number_is_no_candidate():
    made = material((0.1, 0.3), lists=(ORIGIN,))
    gone = made.rnsb.with_columns(rnsb=pl.when(pl.col("embedding") == GLOVE).then(pl.col("rnsb")))
    found = choice(replace(made, rnsb=gone, comparisons=frame("comparisons")))
    assert (found.outcome, found.left, found.refused) == (Outcome.ALONE, (GLOVE,), (NEWS,))


def test_of_three_one_must_be_more_even_than_each_other():
    names = (GLOVE, NEWS, "minilm")

    def made(*ends):
        pairs = ((GLOVE, NEWS), (GLOVE, "minilm"), (NEWS, "minilm"))
        rows = [
            {**FEW, "list": ORIGIN, "first": a, "second": b, "difference": (low + high) / 2,
             "low": low, "high": high, "joint_low": low, "joint_high": high}
            for (a, b), (low, high) in zip(pairs, ends, strict=True)
        ]  # fmt: skip
        one = material((0.1, 0.3), lists=(ORIGIN,), embeddings=names)
        return choice(replace(one, comparisons=frame("comparisons", rows)))

    won = made((0.1, 0.3), (-0.1, 0.1), (-0.3, -0.1))
    assert (won.outcome, won.taken, won.left) == (Outcome.TAKE, NEWS, (NEWS,))
    open_ = made((0.1, 0.3), (-0.1, 0.1), (-0.1, 0.1))
    assert (open_.outcome, open_.taken) == (Outcome.OPEN, None)
    assert (open_.left, open_.less_even) == ((NEWS, "minilm"), (GLOVE,))


def test_a_lexicon_four_times_as_large_halves_an_interval():
    # 0.11 ± 0.2: half as wide, 0.11 ± 0.1, its end is the margin
    [one] = list_comparisons(material((-0.09, 0.31), lists=(ORIGIN,)))
    assert one.words_needed == pytest.approx(4.0)
    [small] = list_comparisons(material((-0.3, 0.31), lists=(ORIGIN,)))
    assert small.words_needed is None
