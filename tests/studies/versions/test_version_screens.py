"""The first screens of two versions and of drift: the lead, the pair, the next command."""

import shlex

import polars as pl
import pytest

from audit_folders import scored, sentences_of, tilted, write_audit
from tiltmeter.audit_run import LargerDraw
from tiltmeter.studies.paired.advice import NextStep
from tiltmeter.studies.versions.answer import compare_screen, drift_screen
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift
from tiltmeter.studies.versions.wording import lead
from tiltmeter.systems import UNIT, Card, System

ASIDE = {"noise": 0.0}
LARGER = LargerDraw("eec", ("gender", "race"), "names-us", None, 25_886)


@pytest.fixture(scope="module")
def sentences():
    return sentences_of()


@pytest.fixture(scope="module")
def folders(tmp_path_factory, sentences):
    root = tmp_path_factory.mktemp("audits")
    made = {
        "old": tilted(sentences), "again": tilted(sentences),
        "worse": tilted(sentences, 0.03, seed=1), "wild": tilted(sentences, 0.012, 0.3, seed=3),
    }  # fmt: skip
    for name, values in made.items():
        write_audit(root / name, sentences, scored(sentences, "model", values))
    return root


def test_the_pair_that_moved_most_is_the_planted_one(tmp_path, sentences):
    """Only one name moves, in one frame most: that sentence, beside any of the other group."""
    plain = tilted(sentences, **ASIDE)
    person = sentences.filter(pl.col("match") == "names", gender="female")["person"][0]
    hers = (sentences["person"] == person).to_numpy()
    frame = sentences.filter(person=person)["frame"][5]
    most = hers & (sentences["frame"] == frame).to_numpy()
    for name, values in (("old", plain), ("new", plain + 0.02 * hers + 0.07 * most)):
        write_audit(tmp_path / name, sentences, scored(sentences, "model", values))
    done = compare(tmp_path / "old", tmp_path / "new")
    (pair,) = done.telling.filter(axis="gender", subset="names").to_dicts()
    assert pair["text_first"] == sentences.filter(most)["text"][0]
    assert pair["new_first"] - pair["old_first"] == pytest.approx(0.09)
    assert pair["new_second"] == pair["old_second"] == 0.5
    assert done.telling.filter(subset="couples").is_empty()  # nothing of them moved


def test_the_pair_goes_the_way_the_mean_went(folders):
    for old, new, way in (("old", "worse", 1), ("worse", "old", -1)):
        (pair,) = compare(folders / old, folders / new).telling.filter(
            axis="gender", subset="couples"
        ).to_dicts()  # fmt: skip
        before, after = (pair[f"{one}_first"] - pair[f"{one}_second"] for one in ("old", "new"))
        assert way * (after - before) > 0.03


def test_the_lead_says_what_happened(folders):
    def said(old, new):
        done = compare(folders / old, folders / new)
        return lead(done.changes, done.phrases)

    assert said("old", "again") == "Every tilt is exactly as it was."
    grew, shrank = said("old", "worse"), said("worse", "old")
    assert grew.startswith("The gender tilt by ")
    assert "grew by" in grew
    assert "points higher about women." in grew
    assert "shrank by" in shrank
    assert said("old", "wild").startswith("Undecided: the gender tilt moved by ")


def test_the_next_audits_are_commands_that_can_be_run(folders):
    done = compare(folders / "old", folders / "wild")
    object.__setattr__(done, "next_audit", NextStep(LARGER, ""))
    old, new, again = (one.command for one in compare_screen(done).steps)
    assert old == "tiltmeter audit model --corpus names-us -o old-names-us"
    assert new == "tiltmeter audit model --corpus names-us -o new-names-us"
    assert shlex.split(again)[-2:] == ["old-names-us", "new-names-us"]
    object.__setattr__(done, "next_audit", None)
    assert len(compare_screen(done).steps) == 1
    assert compare_screen(compare(folders / "old", folders / "worse")).steps == ()


def test_people_moved_are_counted_where_both_audits_asked_alike(tmp_path):
    """A planted tilt of 3 points moves every couple beyond 1 point, none before."""
    import tiltmeter

    for name, spec in {"a": "tilted:gender=0.0", "b": "tilted:gender=0.03"}.items():
        audit = tiltmeter.audit(
            {"model": spec}, "names-us", people=20, measures="pairs", store=tmp_path / "s"
        )
        audit.report(tmp_path / name)
    done = compare(tmp_path / "a", tmp_path / "b")
    assert compare_screen(done).moved == "gender by couples: 0 of 42, now 42 of 42"
    wider = {"model": "tilted:gender=0.03"}
    tiltmeter.audit(
        wider, "names-us", people=20, measures="pairs", store=tmp_path / "s", margin=0.02
    ).report(tmp_path / "c")
    assert compare_screen(compare(tmp_path / "a", tmp_path / "c")).moved == ""


def test_the_answer_that_moved_most_is_named_with_both_scores(folders, sentences, tmp_path):
    known = dict(zip(sentences["text"], tilted(sentences), strict=True))
    moved = sentences["text"][7]
    service = System(
        Card("model", scale=UNIT), lambda texts: [known[t] + 0.3 * (t == moved) for t in texts]
    )
    done = drift(folders / "old", service, store=tmp_path / "store")
    row = done.answers.row(0, named=True)
    assert row["largest_text"] == moved
    assert row["largest_now"] - row["largest_then"] == pytest.approx(0.3)
    pair = drift_screen(done).pair
    assert pair.first == moved
    assert float(pair.first_score) - float(pair.before[0]) == pytest.approx(30.0, abs=0.11)
    steady = drift(folders / "old", System(
        Card("model", scale=UNIT), lambda texts: [known[t] for t in texts]
    ), store=tmp_path / "again")  # fmt: skip
    row = steady.answers.row(0, named=True)
    assert (row["changed"], row["largest"], row["largest_text"]) == (0, 0.0, None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("tiltmeter drift b s --sample 9 -o x", "tiltmeter drift b s -o x"),
        ("tiltmeter drift b s --repeat 3", "tiltmeter drift b s --repeat 4"),
        ("", "tiltmeter drift old model --repeat 4"),
    ],
)
def test_an_undecided_check_is_repeated_with_more(folders, sentences, tmp_path, given, expected):
    import numpy as np

    known = dict(zip(sentences["text"], tilted(sentences), strict=True))
    rng = np.random.default_rng(1)
    service = System(
        Card("model", scale=UNIT),
        lambda texts: [known[t] + 0.01 + 0.02 * rng.standard_normal() for t in texts],
    )
    done = drift(folders / "old", service, store=tmp_path / "store")
    assert done.verdict == "undecided"
    object.__setattr__(done, "environment", {**done.environment, "command": given})
    assert [one.command for one in drift_screen(done).steps] == [expected]
