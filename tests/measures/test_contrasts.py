"""Who stands against whom: contrasts, pairs and subsets."""

import numpy as np
import polars as pl
import pytest
from tiny import CONTRASTS, tiny

from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.measures import Contrast, comparisons, contrasts_of
from tiltmeter.measures.contrasts import subsets


def test_three_groups_give_every_pair_of_groups_earlier_minus_later():
    names = [contrast.name for contrast in contrasts_of("age", ["young", "middle", "old"])]
    assert names == ["young-middle", "young-old", "middle-old"]


def test_a_reference_is_subtracted_from_each_other_group():
    found = contrasts_of("age", ["young", "middle", "old"], "middle")
    assert [(c.first, c.second) for c in found] == [("young", "middle"), ("old", "middle")]


def test_an_unknown_reference_is_refused_with_the_nearest():
    with pytest.raises(TiltmeterError, match="no group 'femal': did you mean 'female'"):
        contrasts_of("gender", ["female", "male"], "femal")
    with pytest.raises(TiltmeterError, match="no group 'zzz': its groups are female, male"):
        contrasts_of("gender", ["female", "male"], "zzz")


def test_one_group_alone_makes_no_contrast():
    assert contrasts_of("gender", ["female"]) == []


def test_the_pairs_of_a_tiny_corpus():
    found = comparisons(tiny(), CONTRASTS)
    # 3 frames × (mother/father, names) for gender, 3 frames × names for race
    assert found.pairs.group_by("axis", maintain_order=True).len().rows() == [
        ("gender", 6),
        ("race", 3),
    ]
    assert found.first.shape == found.second.shape == (9, 18)
    # names of the first frame stand at places 2..5; female Ann, Bea at 2, 3; male Cal, Dan at 4, 5
    row = found.first.toarray()[1]
    assert row.tolist() == [0, 0, 0.5, 0.5] + [0] * 14
    assert found.second.toarray()[1].tolist() == [0, 0, 0, 0, 0.5, 0.5] + [0] * 12
    # race, first frame: A is Ann and Cal, at 2 and 4
    assert np.flatnonzero(found.first.toarray()[6]).tolist() == [2, 4]
    assert found.pairs["n_first"].to_list() == [1, 2, 1, 2, 1, 2, 2, 2, 2]


def test_the_pairs_of_the_equity_evaluation_corpus_are_the_papers():
    corpus = load_corpus("eec")
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    pairs = comparisons(corpus.sentences(), contrasts).pairs
    neutral = pl.col("emotion").is_null().sum().alias("neutral")
    counts = pairs.group_by("contrast", maintain_order=True).agg(pl.len(), neutral)
    assert [row[1:] for row in counts.rows()] == [(1584, 44), (144, 4)]  # METHODS §1


def test_every_side_is_an_average():
    found = comparisons(load_corpus("eec").sentences(), contrasts_of("gender", ["female", "male"]))
    for side in (found.first, found.second):
        assert np.allclose(side.sum(axis=1), 1.0, atol=1e-12)


def test_a_contrast_given_twice_counts_once():
    assert comparisons(tiny(), [*CONTRASTS, *CONTRASTS]).pairs.height == 9


def test_an_axis_the_sentences_lack_is_named():
    with pytest.raises(TiltmeterError, match="no axis 'gendre': did you mean 'gender'"):
        comparisons(tiny(), [Contrast("gendre", "female", "male")])


def test_no_contrast_gives_no_pairs():
    found = comparisons(tiny(), [])
    assert found.pairs.height == 0
    assert found.first.shape == (0, 18)


def test_groups_that_never_meet_make_no_pair():
    sentences = tiny().filter((pl.col("gender") == "female") | (pl.col("match") != "names"))
    assert comparisons(sentences, contrasts_of("gender", ["female", "male"])).pairs.height == 3


def test_an_axis_may_have_the_name_of_one_of_our_columns():
    sentences = tiny().rename({"race": "nth", "gender": "first"})
    found = comparisons(sentences, [Contrast("nth", "A", "B"), Contrast("first", "female", "male")])
    assert found.pairs.height == 9


def test_the_subsets_of_a_corpus_with_and_without_emotions():
    pairs = comparisons(tiny(), CONTRASTS[:1]).pairs
    found = {name: int(inside.sum()) for name, inside in subsets(pairs)}
    assert found == {
        "all": 6, "neutral": 2, "emotion": 4, "emotion:joy": 2, "emotion:anger": 2,
        "template:1": 4, "template:2": 2,
    }  # fmt: skip


def test_without_any_emotion_no_sentence_is_called_neutral():
    pairs = comparisons(tiny(), CONTRASTS[:1]).pairs
    bare = pairs.with_columns(emotion=pl.lit(None, pl.String))
    assert [name for name, _ in subsets(bare)] == ["all", "template:1", "template:2"]


def test_with_emotions_throughout_nothing_is_neutral():
    pairs = comparisons(tiny(), CONTRASTS[:1]).pairs.filter(pl.col("emotion").is_not_null())
    names = [name for name, _ in subsets(pairs)]
    assert names == ["all", "emotion", "emotion:joy", "emotion:anger", "template:1"]


def test_odd_names_of_templates_and_emotions_are_kept():
    odd = 'a:b-c "<é>"\n,'
    sentences = tiny().with_columns(
        template=pl.lit(odd), emotion=pl.when(pl.col("emotion") == "joy").then(pl.lit(odd))
    )
    names = [name for name, _ in subsets(comparisons(sentences, CONTRASTS[:1]).pairs)]
    assert names == ["all", "neutral", "emotion", f"emotion:{odd}", f"template:{odd}"]
