"""The study: every number before and after in one frame, or why it is not there."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from planted_words import GENDER, NEUTRAL, planted

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.embeddings.mitigation import mitigation_study
from tiltmeter.studies.embeddings.mitigation_metrics import MITIGATION

SPACE = planted()
PAIRS = ("own", [("word0", f"word{i}", float(i % 7)) for i in range(1, 40)])
QUESTIONS = [("s", ("word0", "word1", "word2", "word3")), ("t", ("f0", "f1", "f2", "f3"))]


def lean(space):
    """How far neutral words lean, as a measure that a caller brings."""
    value = float(np.abs(space.rows(NEUTRAL)[:, 0]).mean())
    return [{"measure": "weat", "what": "own", "value": value, "low": None, "high": None,
             "n": 200, "reason": None}]  # fmt: skip


def study(space=SPACE, words=GENDER, **options):
    return mitigation_study(space, words, measured=lean, others=NEUTRAL, seed=3, **options)


def test_the_frame_has_the_columns_of_the_report():
    found = study(similarities=PAIRS, analogies=QUESTIONS).frame
    assert found.schema == MITIGATION
    assert found["method"].unique(maintain_order=True).to_list() == ["none", "hard", "soft", "inlp"]
    by_method = found.partition_by("method", include_key=False)
    told = [part.select("measure", "what").rows() for part in by_method]
    assert told[0] == told[1] == told[2] == told[3]
    assert told[0] == [
        ("weat", "own"), ("similarity", "own"), ("analogies", "s"), ("analogies", "t"),
        ("analogies", "overall"), ("neighbours", "10 nearest words"),
        ("cluster", "words that leaned most"), ("probe", "words that leaned most"),
    ]  # fmt: skip
    assert found.filter(pl.col("value").is_null(), pl.col("reason").is_null()).is_empty()


def test_what_the_caller_measures_is_measured_on_each_space():
    found = study().frame.filter(measure="weat")
    before, hard, soft, inlp = found["value"]
    assert before == pytest.approx(0.5, abs=1e-9)
    assert hard < 0.1 < soft < before
    assert inlp < 0.25


def test_neighbours_are_all_kept_before():
    found = study().frame.filter(measure="neighbours")
    assert found["value"][0] == 1.0
    assert (found["value"][1:] < 1.0).all()


def test_the_map_moves_later_words_alike():
    found = study()
    for method in ("hard", "soft", "inlp"):
        mended = found.moved[method]
        np.testing.assert_allclose(SPACE.vectors @ mended.map, mended.space.vectors)


def test_the_same_seed_gives_the_same_numbers():
    assert study().frame.equals(study().frame)


def test_a_direction_that_is_not_there_refuses_what_needs_it_and_says_why():
    absent = replace(GENDER, pairs=(("xx", "yy"),))
    found = study(words=absent)
    reason = "0 of 1 definitional pairs are in the embedding; expected at least 3"
    refused = found.frame.filter(pl.col("method").is_in(["hard", "soft"]))
    assert refused["value"].is_null().all()
    assert set(refused["reason"]) == {reason}
    clusters = found.frame.filter(measure="cluster")
    assert set(clusters["reason"]) == {reason}
    assert found.moved["inlp"].space is not None  # the lists of both sides are there
    assert found.frame.filter(measure="weat")["value"].is_not_null().to_list() == [
        True, False, False, True,
    ]  # fmt: skip
    assert found.by_chance is None


def test_an_unknown_method_is_named_with_the_nearest():
    with pytest.raises(TiltmeterError, match="no method of mitigation 'hrad': did you mean 'hard'"):
        study(methods=("hrad",))


def test_notes_say_what_was_done():
    told = study().notes
    assert told[0].startswith(
        "planted, gender: the direction from male to female holds 100 % of the"
    )
    assert told[1] == "planted, gender, hard: one direction is removed from every word"
    assert told[2].startswith("planted, gender, soft: 50 % of the leaning of 200 words is left (λ")
    assert "planted, gender, inlp: " in told[3]
    assert "(50 % is guessing)" in told[3]
    assert told[4].startswith("planted, gender, cluster: by chance 54 % of 100 words would be in")
    assert told[5].endswith("no word pairs scored by people were given")


def test_missing_pairs_stand_in_the_notes():
    more = replace(GENDER, pairs=(*GENDER.pairs, ("queen", "king")))
    assert study(words=more).notes[0].endswith("; not in the embedding: queen/king")
