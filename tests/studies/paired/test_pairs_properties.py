"""What must hold of the paired study whatever the scores: orders, additions, swaps, scales."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tiltmeter.schemas import ESTIMATES
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.pairs import pair_study
from tiny import CONTRASTS, scores_of, tiny

SENTENCES = pl.concat(
    tiny().with_columns(
        (pl.col(name) + f"/{copy}" for name in ("id", "frame", "template")),
    )
    for copy in range(4)
)
"""24 pairs of gender, so that sign patterns are drawn, and 12 of race, so that all are tried."""
N = SENTENCES.height
seeds = st.integers(0, 2**32 - 1)


def drawn(seed, systems=3, gaps=0.03):
    rng = np.random.default_rng(seed)
    values = rng.random((systems, N)).round(rng.integers(1, 6))
    return np.where(rng.random(values.shape) < gaps, np.nan, values)


def estimates(sentences, scores, contrasts=CONTRASTS):
    found = pair_study(sentences, scores, contrasts, flips=256, seed=1).estimates
    return found.sort(ESTIMATES.key)


def same(ours, theirs):
    assert_frame_equal(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


@given(seeds)
def test_the_order_of_sentences_changes_nothing(seed):
    scores = scores_of(SENTENCES, drawn(seed))
    shuffled = SENTENCES.sample(fraction=1.0, shuffle=True, seed=seed)
    same(estimates(SENTENCES, scores), estimates(shuffled, scores))


@given(seeds)
def test_the_order_of_scores_changes_nothing(seed):
    scores = scores_of(SENTENCES, drawn(seed))
    shuffled = scores.sample(fraction=1.0, shuffle=True, seed=seed)
    same(estimates(SENTENCES, scores), estimates(SENTENCES, shuffled))


@given(seeds, st.permutations(range(4)))
def test_the_order_of_systems_changes_nothing(seed, order):
    values, names = drawn(seed, 4), [*"abcd"]
    ours = scores_of(SENTENCES, values, systems=names)
    theirs = scores_of(SENTENCES, values[order], systems=[names[at] for at in order])
    same(estimates(SENTENCES, ours), estimates(SENTENCES, theirs))


@given(seeds, st.integers(1, 40), st.booleans())
def test_more_systems_change_nothing_for_one(seed, others, raw):
    values = drawn(seed, 1)
    alone = estimates(SENTENCES, scores_of(SENTENCES, values, systems=["mine"]))
    rest = scores_of(SENTENCES, drawn(seed + 1, others), raw=raw)
    scores = pl.concat([rest, scores_of(SENTENCES, values, systems=["mine"])])
    among = estimates(SENTENCES, scores).filter(pl.col("system") == "mine")
    same(alone, among)


@given(seeds)
def test_swapping_the_groups_turns_every_sign(seed):
    scores = scores_of(SENTENCES, drawn(seed))
    swapped = [Contrast(c.axis, c.second, c.first) for c in CONTRASTS]
    ours, theirs = estimates(SENTENCES, scores), estimates(SENTENCES, scores, swapped)
    signed = pl.col("measure").is_in(["mean_difference", "standardised", "sign_flip"])
    keys = ("system", "axis", "subset", "measure")
    turned = theirs.filter(signed).with_columns(
        value=-pl.col("value"), low=-pl.col("high"), high=-pl.col("low"),
        statistic=-pl.col("statistic"),
    )  # fmt: skip
    same(ours.filter(signed).sort(keys).drop("contrast", "reference"),
         turned.sort(keys).drop("contrast", "reference"))  # fmt: skip
    up, down = (frame.filter(pl.col("measure") == name).sort(keys)["value"] for frame, name in
                ((ours, "mean_up"), (theirs, "mean_down")))  # fmt: skip
    assert np.allclose(up.to_numpy(), -down.to_numpy(), atol=1e-12, equal_nan=True)


@given(seeds, st.floats(1e-3, 1e3), st.floats(-50, 50))
def test_native_units_scale_with_the_scores(seed, times, shift):
    values = drawn(seed, 2)
    ours = estimates(SENTENCES, scores_of(SENTENCES, values, raw=True))
    theirs = estimates(SENTENCES, scores_of(SENTENCES, times * values + shift, raw=True))
    native = pl.col("unit") == "native"
    back = [
        pl.when(native).then(pl.col(name) / times).otherwise(name).alias(name)
        for name in ("value", "se", "low", "high")
    ]
    # a shift of 50 beside scores of 0.001 leaves some ten digits
    assert_frame_equal(ours, theirs.with_columns(back), rel_tol=1e-6, abs_tol=1e-8)


@given(seeds, st.lists(st.integers(0, N - 1), max_size=8))
def test_a_missing_row_and_a_null_are_the_same(seed, places):
    values = drawn(seed, 2, gaps=0.0)
    values[0, places] = np.nan
    scores = scores_of(SENTENCES, values)
    same(estimates(SENTENCES, scores),
         estimates(SENTENCES, scores.filter(pl.col("score").is_not_null())))  # fmt: skip


@given(seeds)
def test_counts_add_up(seed):
    found = estimates(SENTENCES, scores_of(SENTENCES, drawn(seed, gaps=0.1)))
    main = found.filter(pl.col("measure") == "mean_difference")
    whole = main.filter(pl.col("subset") == "all")
    assert ((whole["n"] + whole["n_dropped"]) == whole["axis"].replace_strict(
        {"gender": 24, "race": 12}, return_dtype=pl.Int64)).all()  # fmt: skip
    parts = main.filter(pl.col("subset").str.starts_with("template:"))
    summed = parts.group_by("system", "axis").agg(pl.col("n", "n_dropped").sum())
    both = whole.join(summed, on=["system", "axis"])
    assert (both["n"] == both["n_right"]).all()
    assert (both["n_dropped"] == both["n_dropped_right"]).all()
