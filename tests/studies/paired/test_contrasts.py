"""Who stands against whom: contrasts, pairs and subsets."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.paired.contrasts import Contrast, comparisons, contrasts_of, subsets
from tiny import CONTRASTS, tiny


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


FIVE = ("a", "b", "c", "d", "e")


def of_groups(rows):
    """Sentences of (frame, group) in one match."""
    return pl.DataFrame(
        [
            {"id": f"{nth}", "text": f"{frame} {group} {nth}", "corpus": "c", "edition": "e",
             "language": "en", "template": "1", "person": f"{group}{nth}", "emotion": None,
             "emotion_word": None, "frame": frame, "match": "all", "origin": group}
            for nth, (frame, group) in enumerate(rows)
        ]
    )  # fmt: skip


def test_five_groups_are_each_compared_with_the_average_of_all_and_four_two_by_two():
    four = contrasts_of("origin", FIVE[:4])
    assert len(four) == 6
    assert not any(one.groups for one in four)
    found = contrasts_of("origin", FIVE)
    assert [one.name for one in found] == [f"{group}-average" for group in FIVE]
    assert all(one.groups == FIVE for one in found)


def test_a_reference_and_all_pairs_are_there_for_many_groups_too():
    assert len(contrasts_of("origin", FIVE, all_pairs=True)) == 10
    beside = contrasts_of("origin", FIVE, "c", all_pairs=True)
    assert [one.name for one in beside] == ["a-c", "b-c", "d-c", "e-c"]


def test_a_group_called_average_needs_another_way():
    groups = (*FIVE[:4], "average")
    with pytest.raises(TiltmeterError, match="reference origin=GROUP or all_pairs"):
        contrasts_of("origin", groups)
    assert len(contrasts_of("origin", groups, all_pairs=True)) == 10


def test_the_average_of_all_is_the_mean_of_the_groups_means_whatever_their_sizes():
    sentences = of_groups([("f", "a"), ("f", "a"), *(("f", group) for group in FIVE[1:])])
    scores = np.array([0.2, 0.4, 0.5, 0.6, 0.7, 0.9])
    found = comparisons(sentences, contrasts_of("origin", FIVE))
    # means: a (0.2 + 0.4)/2 = 0.3, then 0.5, 0.6, 0.7, 0.9; their mean is 3.0 / 5 = 0.6.
    # (The mean of the six sentences would be 3.3 / 6 = 0.55.)
    deltas = found.first @ scores - found.second @ scores
    assert deltas == pytest.approx([-0.3, -0.1, 0.0, 0.1, 0.3])
    assert deltas.sum() == pytest.approx(0.0)
    assert found.pairs["n_first"].to_list() == [2, 1, 1, 1, 1]
    assert found.pairs["n_second"].to_list() == [6] * 5
    # the sentence shown beside a group's own is of another group
    shown = sentences["origin"].gather(found.pairs["example_second"]).to_list()
    assert all(one != group for one, group in zip(shown, FIVE, strict=True))


def test_a_frame_that_lacks_a_group_is_left_out_of_the_comparison_with_the_average():
    whole = [("f", group) for group in FIVE]
    sentences = of_groups([*whole, *(("g", group) for group in FIVE[:4])])
    found = comparisons(sentences, contrasts_of("origin", FIVE))
    assert found.pairs["frame"].to_list() == ["f"] * 5
    two = comparisons(sentences, contrasts_of("origin", FIVE, all_pairs=True)[:1])
    assert two.pairs["frame"].to_list() == ["f", "g"]
