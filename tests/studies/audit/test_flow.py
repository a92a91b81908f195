"""The flow as Python sees it: names, functions and systems scored together."""

import polars as pl
import pytest

import tiltmeter
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.schemas import SCORES, validate
from tiltmeter.scoring import Settings
from tiltmeter.systems import Card, Scale, System


def lengths(texts):
    return [len(text) / 100 for text in texts]


def test_names_functions_and_systems_are_scored_together(tmp_path):
    own = System(Card("own", scale=Scale(0, 1)), lambda texts: [0.5 for _ in texts])
    run = tiltmeter.score(["constant", lengths, own], "eec", store=tmp_path)
    names = run.scores["system"].unique(maintain_order=True).to_list()
    assert names == ["constant", "lengths", "own"]
    assert validate(run.scores, SCORES).height == 3 * 8640


def test_systems_of_one_name_are_told_apart(tmp_path):
    run = tiltmeter.score([lengths, lengths], "eec", store=tmp_path)
    assert [scored.card.name for scored in run.scored] == ["lengths", "lengths (2)"]


def test_every_task_asked_for_is_scored(tmp_path):
    run = tiltmeter.score(["constant"], "eec", tasks=["joy", "anger"], store=tmp_path)
    assert [scored.card.task for scored in run.scored] == ["joy", "anger"]


def test_a_system_made_for_another_language_is_noted(tmp_path):
    run = tiltmeter.score(["vader"], "eec-es", store=tmp_path, sample=5)
    assert "made for en; this corpus is in es" in run.scored[0].notes
    right = tiltmeter.score(["vader"], "eec", store=tmp_path, sample=5)
    assert not any("made for" in note for note in right.scored[0].notes)


def test_every_system_is_opened_before_the_first_is_asked(tmp_path):
    asked = []

    def noisy(text):
        asked.append(text)
        return 0.5

    with pytest.raises(UnknownNameError, match="vadr"):
        tiltmeter.score([noisy, "vadr"], "eec", store=tmp_path)
    assert len(asked) <= 4  # opening a function may try it on a text or two


def test_no_system_is_an_error(tmp_path):
    with pytest.raises(TiltmeterError, match="no system to score with"):
        tiltmeter.score([], "eec", store=tmp_path)


def test_a_planted_tilt_is_in_the_scores(tmp_path):
    run = tiltmeter.score(["tilted:gender=0.03"], "eec", store=tmp_path, settings=Settings())
    joined = run.scores.join(run.sentences, on="id")
    means = dict(joined.group_by("gender").agg(pl.col("score").mean()).iter_rows())
    assert means["female"] - means["male"] == pytest.approx(0.03)


def test_a_sample_of_fewer_frames_than_templates_says_so(tmp_path):
    few = tiltmeter.score("constant", store=tmp_path, sample=4)
    assert few.sample.endswith("; 4 of 11 templates, --sample 11 keeps one frame of each")
    enough = tiltmeter.score("constant", store=tmp_path, sample=11)
    assert enough.sample == "11 frames, 660 of 8,640 sentences, seed 0"
    assert enough.sentences["template"].n_unique() == 11
