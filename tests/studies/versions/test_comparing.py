"""Two versions by their audits' folders: what is paired, compared, refused and told."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

from audit_folders import reseal, scored, sentences_of, tilted, write_audit
from tiltmeter.claims.gate import Decision
from tiltmeter.errors import OutputError, TiltmeterError
from tiltmeter.studies.versions.compare import compare, paired_versions, split_pair
from tiltmeter.studies.versions.notes import change_decision

HOSTILE = '<script>alert("x")</script> =1+1 \u202eevil'


@pytest.fixture(scope="module")
def sentences():
    return sentences_of()


@pytest.fixture(scope="module")
def folders(tmp_path_factory, sentences):
    """The same system four times: as it was, again, with a planted tilt, with other noise."""
    root = tmp_path_factory.mktemp("audits")
    made = {
        "old": tilted(sentences), "again": tilted(sentences),
        "tilted": tilted(sentences, 0.03, seed=1), "noisy": tilted(sentences, seed=2),
        "wild": tilted(sentences, 0.012, noise=0.3, seed=3),
    }  # fmt: skip
    for name, values in made.items():
        write_audit(root / name, sentences, scored(sentences, "model", values))
    return root


def verdicts(done):
    """By axis; gender by names and by couples alike."""
    found = {}
    for axis, verdict in done.changes.select("axis", "verdict").rows():
        assert found.setdefault(axis, verdict) == verdict
    return found


def test_a_planted_tilt_is_caught(folders):
    done = compare(folders / "old", folders / "tilted")
    assert verdicts(done) == {"gender": "worse", "race": "same"}
    row = done.changes.row(0, named=True)
    assert row["old"] == pytest.approx(0.0, abs=0.003)
    assert row["change"] == pytest.approx(0.03, abs=0.004)
    assert row["change_low"] < 0.03 < row["change_high"]
    assert (row["old_verdict"], row["new_verdict"]) == ("even", "tilted")
    assert row["sentence"].startswith("Worse: the gender tilt of model by names grew by ")
    assert done.gate() == 1
    assert isinstance(done.gate(), Decision)
    assert (done.gate().outcome, done.gate().passed) == ("worse", False)
    assert done.gate().to_dict()["exit_code"] == int(done.gate()) == 1


def test_the_other_way_round_it_is_better(folders):
    done = compare(folders / "tilted", folders / "old")
    assert verdicts(done) == {"gender": "better", "race": "same"}
    assert done.changes["size_change"][0] < 0
    assert done.gate() == 0


def test_identical_versions_are_the_same(folders):
    done = compare(folders / "old", folders / "again")
    assert verdicts(done) == {"gender": "same", "race": "same"}
    assert done.changes["change"].to_list() == [0.0, 0.0, 0.0]
    assert done.changes["change_se"].to_list() == [0.0, 0.0, 0.0]
    assert done.gate().passed
    assert done.moved.is_empty()
    assert "is as it was" in done.changes["sentence"][0]


def test_noise_alone_is_no_change(folders):
    assert set(verdicts(compare(folders / "old", folders / "noisy")).values()) == {"same"}


def test_too_much_noise_is_undecided_and_says_what_would_decide(folders):
    done = compare(folders / "old", folders / "wild")
    assert verdicts(done)["gender"] == "undecided"
    row = done.changes.row(0, named=True)
    assert row["sentence"].endswith("would decide it.")
    assert row["needed_people"] is None or row["needed_people"] > row["n"]
    assert done.gate() == 3
    assert done.gate("pass") == 0
    with pytest.raises(TiltmeterError, match="fail or pass"):
        done.gate("maybe")


def test_a_larger_margin_makes_the_same_change_the_same(folders):
    done = compare(folders / "old", folders / "tilted", margin={"gender": 0.05})
    assert verdicts(done)["gender"] == "same"
    assert done.run["statistics"]["margins"] == {"default": 0.01, "gender": 0.05}


def test_a_margin_of_an_axis_that_is_not_there_is_refused(folders):
    with pytest.raises(TiltmeterError, match="did you mean 'gender'"):
        compare(folders / "old", folders / "tilted", margin={"gendre": 0.05})


def test_the_family_is_every_comparison_made(folders):
    assert compare(folders / "old", folders / "noisy").changes["family"].to_list() == [3, 3, 3]
    assert compare(folders / "old", folders / "noisy", family=9).changes["family"][0] == 9


def test_only_sentences_of_whole_common_frames_are_compared(folders, sentences, tmp_path):
    frames = sentences["frame"].unique(maintain_order=True).to_list()
    fewer = sentences.filter(pl.col("frame").is_in(frames[:10]))
    fewer = fewer.filter(pl.col("id") != fewer["id"][0])  # the first frame is no longer whole
    write_audit(tmp_path / "fewer", fewer, scored(fewer, "model", tilted(fewer, 0.03, seed=1)))
    done = compare(folders / "old", tmp_path / "fewer")
    kept = sentences.filter(pl.col("frame").is_in(frames[1:10])).height
    assert done.run["corpora"][0]["sentences"] == kept
    assert f"compared on the {kept:,} sentences that both audits hold" in done.notes[0]


def test_nothing_in_common_is_refused(folders, tmp_path):
    other = sentences_of(skip=3)
    write_audit(tmp_path / "other", other, scored(other, "model", tilted(other)))
    with pytest.raises(TiltmeterError, match=r"share no sentences.*audit both versions"):
        compare(folders / "old", tmp_path / "other")
    spanish = sentences_of(4, "eec-es")
    scores = scored(spanish, "model", np.full(spanish.height, 0.5))
    spanish = spanish.rename({"race": "origin"})
    write_audit(tmp_path / "spanish", spanish, scores)
    with pytest.raises(TiltmeterError, match="are of different corpora"):
        compare(folders / "old", tmp_path / "spanish")


def test_systems_are_paired_by_name_then_by_being_alone_and_the_rest_is_listed(
    folders, sentences, tmp_path
):
    several = [
        scored(sentences, name, tilted(sentences, seed=nth), task)
        for nth, (name, task) in enumerate([("model", "valence"), ("b", "valence"), ("c", "joy")])
    ]
    write_audit(tmp_path / "several", sentences, pl.concat(several))
    done = compare(folders / "old", tmp_path / "several")
    assert done.run["pairs"] == [{"old": "model", "new": "model", "task": "valence"}]
    assert done.unpaired.rows() == [("new", "b", "valence"), ("new", "c", "joy")]
    named = compare(folders / "old", tmp_path / "several", pairs=["model=b"])
    assert named.run["pairs"] == [{"old": "model", "new": "b", "task": "valence"}]
    with pytest.raises(TiltmeterError, match="no system 'modle': did you mean 'model'"):
        compare(folders / "old", tmp_path / "several", pairs=["modle=b"])


def test_several_corpora_are_compared_one_by_one_and_one_that_only_one_has_is_said(
    folders, sentences, tmp_path
):
    latino = sentences_of(8, "eec-latino")
    both = pl.concat([sentences, latino], how="diagonal")
    for name, tilt in (("old", 0.0), ("new", 0.03)):
        write_audit(tmp_path / name, both, scored(both, "model", tilted(both, tilt, seed=1)))
    done = compare(tmp_path / "old", tmp_path / "new")
    gender = done.changes.filter(pl.col("axis") == "gender")
    assert gender.select("corpus", "subset", "verdict").rows() == [
        (corpus, people, "worse")
        for corpus in ("eec", "eec-latino")
        for people in ("names", "couples")
    ]
    done.report(tmp_path / "out")
    notes = compare(folders / "old", tmp_path / "new").notes
    assert "eec-latino: only the new audit has sentences of it that can be compared" in notes


def test_an_audit_without_pairs_cannot_be_compared(folders, sentences, tmp_path):
    scores = scored(sentences, "model", tilted(sentences))
    write_audit(tmp_path / "old", sentences, scores, measures=("regression",))
    with pytest.raises(TiltmeterError, match="measures pairs"):
        compare(folders / "tilted", tmp_path / "old")


def test_pairing_by_hand():
    a, b = ("a", "valence"), ("b", "valence")
    assert paired_versions([a], [b]).pairs[0].new == "b"
    assert not paired_versions([a], [b, ("c", "valence")]).pairs
    with pytest.raises(TiltmeterError, match="paired twice"):
        paired_versions([a], [b], [("a", "b"), ("a", "b")])
    with pytest.raises(TiltmeterError, match="different tasks"):
        paired_versions([a], [("b", "joy")], [("a", "b")])
    with pytest.raises(TiltmeterError, match="expected OLD=NEW"):
        split_pair("a", ["a"], [])
    assert split_pair("x=1=y=2", ["x=1"], ["y=2"]) == ("x=1", "y=2")


def test_skill_stands_beside_it_with_an_interval_that_is_surely_wide_enough(sentences, tmp_path):
    for name, r in (("old", 0.5), ("new", 0.6)):
        scores = scored(sentences, "model", tilted(sentences))
        write_audit(tmp_path / name, sentences, scores, gold={"model": r})
    row = compare(tmp_path / "old", tmp_path / "new").skill.row(0, named=True)
    assert row["difference"] == pytest.approx(0.1)
    # tanh(atanh 0.6 − 1.96/√97) − tanh(atanh 0.5 + 1.96/√97)
    reach = 1.96 / np.sqrt(97)
    ends = np.tanh(np.arctanh(0.6) - reach) - np.tanh(np.arctanh(0.5) + reach)
    assert row["low"] == pytest.approx(ends)
    assert row["low"] < 0 < row["high"]


def test_skill_on_other_gold_is_not_subtracted(sentences, tmp_path):
    scores = scored(sentences, "model", tilted(sentences))
    write_audit(tmp_path / "old", sentences, scores, gold={"model": 0.5})
    write_audit(tmp_path / "new", sentences, scores, gold={"model": 0.6}, sha="0" * 64)
    row = compare(tmp_path / "old", tmp_path / "new").skill.row(0, named=True)
    assert row["difference"] is None
    assert "other gold scores" in row["note"]


def test_a_system_without_a_scale_is_not_estimable(sentences, tmp_path):
    scores = scored(sentences, "model", tilted(sentences))
    bare = scores.with_columns(score=pl.lit(None, pl.Float64))
    write_audit(tmp_path / "old", sentences, bare)
    write_audit(tmp_path / "new", sentences, scores)
    done = compare(tmp_path / "old", tmp_path / "new")
    assert set(verdicts(done).values()) == {"not_estimable"}
    assert "--scale LOW:HIGH" in done.changes["sentence"][0]
    assert done.gate() == 3
    done.report(tmp_path / "out")


def test_the_folder_holds_page_json_and_tables_and_reads_the_same_twice(folders, tmp_path):
    done = compare(folders / "old", folders / "tilted")
    page = done.report(tmp_path / "out")
    first = (tmp_path / "out" / "compare.json").read_bytes()
    assert page.name == "compare.html"
    again = compare(folders / "old", folders / "tilted")
    again.report(tmp_path / "out")
    told = [json.loads(one) for one in (first, (tmp_path / "out" / "compare.json").read_bytes())]
    assert {**told[0], "environment": 0} == {**told[1], "environment": 0}
    assert [one["verdict"] for one in told[0]["changes"]] == ["worse", "worse", "same"]
    tables = sorted(one.name for one in (tmp_path / "out" / "tables").iterdir())
    assert tables == ["changes.csv", "pairs.csv"]


def test_an_audit_is_never_written_over(folders, tmp_path):
    done = compare(folders / "old", folders / "tilted")
    with pytest.raises(TiltmeterError, match="is one of the audits"):
        done.report(folders / "old")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="force=True"):
        done.report(tmp_path)
    done.report(tmp_path, force=True)
    assert (tmp_path / "mine.txt").exists()


def test_hostile_names_stay_text(sentences, tmp_path):
    for name, tilt in (("old", 0.0), ("new", 0.03)):
        scores = scored(sentences, f"{HOSTILE}{name}", tilted(sentences, tilt, seed=1))
        write_audit(tmp_path / name, sentences, scores)
    done = compare(tmp_path / "old", tmp_path / "new")
    page = done.report(tmp_path / "out").read_text(encoding="utf-8")
    assert page.count("<script") == 1  # the page's own, which opens folds
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    rows = (tmp_path / "out" / "tables" / "changes.csv").read_text(encoding="utf-8")
    assert HOSTILE.partition('"')[0] in rows


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda at: shutil.rmtree(at), "there is no such folder"),
        (lambda at: (at / "run.json").unlink(), "holds no results"),
        (lambda at: (at / "run.json").write_text("{"), "run.json is damaged"),
        (lambda at: (at / "run.json").write_text('{"tool": "other"}'), "is none of ours"),
        (lambda at: (at / "run.json").write_text('{"tool": "tiltmeter"}'), "schema version null"),
        (lambda at: (at / "scores.parquet").unlink(), "scores.parquet: is missing"),
        (
            lambda at: reseal(at, (at / "scores.parquet").write_bytes(b"PAR1junk")),
            "damaged or not Parquet",
        ),
        (
            lambda at: reseal(at, pl.DataFrame({"a": [1]}).write_parquet(at / "estimates.parquet")),
            "no column 'system'",
        ),
    ],
)
def test_a_broken_folder_is_one_message(folders, tmp_path, harm, said):
    shutil.copytree(folders / "old", tmp_path / "old")
    harm(tmp_path / "old")
    with pytest.raises(TiltmeterError, match=said):
        compare(tmp_path / "old", folders / "tilted")


@pytest.mark.parametrize(
    "systems",
    [
        5,
        [None, {"system": "model", "task": "valence", "corpus": "eec", "missing": "many",
                "scale": 7, "fingerprint": ["x"], "version": {"a": 1}}],
    ],
)  # fmt: skip
def test_odd_words_in_a_run_json_are_one_message(folders, tmp_path, systems):
    shutil.copytree(folders / "old", tmp_path / "old")
    told = json.loads((tmp_path / "old" / "run.json").read_text())
    told["run"]["systems"] = systems
    (tmp_path / "old" / "run.json").write_text(json.dumps(told))
    with pytest.raises(TiltmeterError, match="says what no audit does") as error:
        compare(tmp_path / "old", folders / "tilted")
    assert error.value.exit_code == 2
    assert str(tmp_path / "old") in str(error.value)
    assert str(error.value).count("run.json:1: run.systems") == (1 if systems == 5 else 5)


def test_a_stopped_audit_is_refused(folders, tmp_path):
    shutil.copytree(folders / "old", tmp_path / "old")
    told = json.loads((tmp_path / "old" / "run.json").read_text())
    (tmp_path / "old" / "run.json").write_text(json.dumps(told | {"complete": False}))
    with pytest.raises(TiltmeterError, match="not all there, since the run was stopped"):
        compare(tmp_path / "old", folders / "tilted")


def test_a_table_changed_since_is_refused(folders, tmp_path):
    shutil.copytree(folders / "old", tmp_path / "old")
    scores = pl.read_parquet(tmp_path / "old" / "scores.parquet")
    scores.with_columns(pl.col("score") / 2).write_parquet(tmp_path / "old" / "scores.parquet")
    with pytest.raises(TiltmeterError, match=r"altered or damaged:\n  scores\.parquet: is not"):
        compare(tmp_path / "old", folders / "tilted")
    with pytest.raises(TiltmeterError, match=r"its score .*; expected"):
        compare(reseal(tmp_path / "old"), folders / "tilted")


@pytest.mark.parametrize(
    ("verdicts", "undecided", "code"),
    [
        (["same", "better"], "fail", 0), (["same", "worse"], "pass", 1), (["undecided"], "fail", 3),
        (["undecided"], "pass", 0), (["not_estimable"], "fail", 3),
        (["undecided", "worse"], "fail", 1),
    ],
)  # fmt: skip
def test_the_exit_code_of_changes(verdicts, undecided, code):
    told = {"new_system": "b", "task": "valence", "corpus": "eec", "axis": "gender"}
    numbers = {"change": 0.0, "change_low": 0.0, "change_high": 0.0, "margin": 0.01}
    changes = pl.DataFrame([told | numbers | {"verdict": one} for one in verdicts])
    assert change_decision(changes, undecided).exit_code == code
