"""219 simulated submissions of three known kinds fall into the right groups."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.claims.judge import Rule, judge_differences
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.pairs import pair_study

KINDS = {"none": 0.0, "up": 0.02, "down": -0.02}
EACH = 73
"""219 / 3, as many as the shared task had in all."""


@pytest.fixture(scope="module")
def submissions():
    """Each kind has its tilt on gender, and the next kind's on race, over noise per sentence."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    rng = np.random.default_rng(2018)
    gender, race = (
        sentences[axis.name]
        .replace_strict(dict(zip(axis.groups, (0.5, -0.5), strict=True)), default=0.0)
        .to_numpy()
        for axis in corpus.axes
    )
    kinds = list(KINDS)
    parts = []
    for number in range(3 * EACH):
        mine, next_one = kinds[number % 3], kinds[(number + 1) % 3]
        level = rng.normal(0.5, 0.1, sentences["frame"].n_unique())
        scores = (
            level[sentences["frame"].rank("dense").to_numpy() - 1]
            + KINDS[mine] * gender + KINDS[next_one] * race
            + rng.normal(0, 0.03, sentences.height)
        )  # fmt: skip
        parts.append((f"{mine} {next_one} {number}", scores))
    size = sentences.height
    table = pl.DataFrame(
        {
            "system": pl.Series([name for name, _ in parts]).gather(np.repeat(range(219), size)),
            "task": pl.Series(["anger"]).new_from_index(0, 219 * size),
            "corpus": pl.Series(["eec"]).new_from_index(0, 219 * size),
            "id": sentences["id"].gather(np.tile(range(size), 219)),
            "repeat": np.zeros(219 * size, np.int64),
            "raw": (values := np.concatenate([scores for _, scores in parts])),
            "score": values,
            "reason": pl.Series([None], dtype=pl.String).new_from_index(0, 219 * size),
        }
    )
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    return pair_study(sentences, table, contrasts, flips=0).estimates


@pytest.mark.parametrize("correction", ["bonferroni", "holm"])
def test_every_submission_falls_into_its_group(submissions, correction):
    found = judge_differences(submissions, Rule(correction)).filter(pl.col("subset") == "all")
    assert found["family"].unique().to_list() == [438]
    truth = found["system"].str.split(" ").list
    expected = pl.select(
        pl.when(found["axis"] == "gender").then(truth.get(0)).otherwise(truth.get(1))
    ).to_series()
    assert (found["significance"] == expected).all()
    counts = found.group_by("axis", "significance").len()["len"].to_list()
    assert counts == [EACH] * 6


def test_neutral_sentences_and_the_own_emotion_show_the_same_kinds(submissions):
    found = judge_differences(submissions)
    for subset in ("neutral", "own-emotion"):
        gender = found.filter(pl.col("subset") == subset, pl.col("axis") == "gender")
        assert gender.height == 219
        tilted = gender.filter(~pl.col("system").str.starts_with("none"))
        signs = pl.when(tilted["system"].str.starts_with("up")).then(1.0).otherwise(-1.0)
        assert (tilted["value"] * pl.select(signs).to_series() > 0).all()
        # fewer pairs see less: never the wrong direction, and rules of their own
        wrong = {("up", "down"), ("down", "up"), ("none", "up"), ("none", "down")}
        pairs = zip(
            gender["system"].str.split(" ").list.get(0), gender["significance"], strict=True
        )
        assert not wrong & set(pairs)
        assert gender["rule"].str.starts_with("exploratory: ").all()


def test_the_estimates_centre_on_what_was_planted(submissions):
    main = submissions.filter(
        pl.col("subset") == "all", pl.col("measure") == "mean_difference",
        pl.col("axis") == "gender",
    )  # fmt: skip
    for kind, tilt in KINDS.items():
        mine = main.filter(pl.col("system").str.starts_with(f"{kind} "))
        # 73 estimates, each with se ≈ 0.03 √2 / √1584 ≈ 0.00105
        assert mine["value"].mean() == pytest.approx(tilt, abs=4 * 0.00105 / np.sqrt(EACH))
