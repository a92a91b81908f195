"""A system asked again: what is asked, what changed, and what is noise."""

import json
import os
import random

import numpy as np
import polars as pl
import pytest

from audit_folders import scored, sentences_of, write_audit
from tiltmeter.claims.gate import Decision
from tiltmeter.errors import IncompleteError, TiltmeterError
from tiltmeter.scoring import Settings
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift
from tiltmeter.systems import UNIT, Card, System


class Service:
    """A system that may answer otherwise from call to call, to some texts, or not at all."""

    def __init__(self):
        self.by, self.noise, self.down, self.asked = {}, 0.0, False, []
        self.silent = set()
        self.rng = random.Random(0)

    def system(self, version="1"):
        return System(Card("service", scale=UNIT, version=version), self)

    def __call__(self, texts):
        if self.down:
            raise ConnectionError("the service is down")
        self.asked += texts
        return [None if text in self.silent else self.value(text) for text in texts]

    def value(self, text):
        moved = sum(size for word, size in self.by.items() if word in text.lower().split())
        spread = self.rng.gauss(0, self.noise) if self.noise else 0.0
        return 0.5 + 0.002 * (len(text) % 40) + moved + spread


@pytest.fixture(scope="module")
def sentences():
    return sentences_of(12)


@pytest.fixture
def service():
    return Service()


@pytest.fixture
def baseline(tmp_path, sentences, service):
    values = [service.value(text) for text in sentences["text"]]
    known = {"fingerprint": service.system().card.fingerprint}
    return write_audit(tmp_path / "base", sentences, scored(sentences, "service", values), **known)


@pytest.fixture
def check(tmp_path, baseline, service):
    """Asks the service again, with a store of its own."""

    def done(version="1", **more):
        return drift(baseline, service.system(version), store=tmp_path / "store", **more)

    return done


def test_a_system_that_answers_as_before_is_steady(check, service, sentences):
    done = check()
    assert done.verdict == "steady"
    assert done.gate() == 0
    row = done.answers.row(0, named=True)
    assert (row["changed"], row["texts"], row["noise"]) == (0, sentences.height, 0.0)
    assert done.notes == ()
    assert len(service.asked) >= 2 * sentences.height  # each text twice, whatever is stored


def test_a_mean_shift_is_drift(check, service):
    service.by = {"situation": 0.05, "feel": 0.05, "feels": 0.05, "the": 0.03, "i": 0.03}
    done = check()
    assert done.verdict == "drifted"
    assert done.gate() == 1
    assert isinstance(done.gate(), Decision)
    assert (done.gate().outcome, done.gate().passed) == ("drifted", False)
    assert {one.axis for one in done.gate().comparisons} >= {"answers"}
    row = done.answers.row(0, named=True)
    assert row["beyond"] == pytest.approx(row["apart"])  # it has no noise
    assert row["shift"] > 0.02


def test_noise_alone_is_not_drift(tmp_path, sentences, service):
    """The baseline was as noisy, asked twice; so is the service now."""
    service.noise = 0.01
    rounds = [[service.value(text) for text in sentences["text"]] for _ in range(2)]
    base = write_audit(tmp_path / "base", sentences, scored(sentences, "service", rounds))
    done = drift(base, service.system(), store=tmp_path / "store")
    row = done.answers.row(0, named=True)
    assert row["changed"] == row["texts"]
    assert row["noise"] == pytest.approx(2 * 0.01 / np.sqrt(np.pi), rel=0.1)
    assert abs(row["beyond"]) < 0.001
    assert row["verdict"] == "steady"
    assert done.verdict == "steady"


def test_a_tilt_that_changed_is_drift_though_few_answers_moved(check, service, sentences):
    female = sentences.filter(pl.col("gender") == "female")["text"]
    service.by = {word: 0.04 for text in female for word in text.lower().split()
                  if word in FEMALE}  # fmt: skip
    done = check()
    assert done.verdict == "drifted"
    gender = done.changes.filter(pl.col("axis") == "gender")
    verdicts = dict(gender.select("subset", "verdict").rows())
    assert verdicts["couples"] == "worse"


FEMALE = {
    "she", "her", "woman", "girl", "sister", "daughter", "wife", "girlfriend", "mother", "aunt",
    "mom", "latisha", "shereen", "amanda", "courtney", "heather", "tia", "jasmine", "katie",
    "melanie", "nichelle", "ebony", "shaniqua", "alan's", "ellen", "betsy", "kristin", "lakisha",
    "stephanie", "tanisha", "latoya", "nancy",
}  # fmt: skip


def test_stored_answers_are_neither_used_nor_touched(check, tmp_path, service):
    check()
    assert not (tmp_path / "store").exists()
    assert not (tmp_path / "store-drift").exists()
    asked = len(service.asked)
    check()
    assert len(service.asked) >= 2 * asked - 64  # all of it anew, but for what is tried first


def test_a_service_that_is_down_is_an_error_with_its_own_exit_code(baseline, tmp_path, service):
    service.down = True
    with pytest.raises(TiltmeterError, match="the service is down") as stopped:
        drift(baseline, ("service", service), store=tmp_path / "store")
    assert stopped.value.exit_code in (2, 4)


def test_a_stopped_check_goes_on_within_a_day_and_says_so(check, tmp_path, service, sentences):
    service.silent = set(sentences["text"][200:300])
    with pytest.raises(IncompleteError, match="run the same command again"):
        check()
    assert list((tmp_path / "store-drift").iterdir())
    service.silent, service.asked = set(), []
    done = check()
    assert done.verdict == "steady"
    assert any("answers are of a check within the last day" in note for note in done.notes)
    assert len(service.asked) < 2 * sentences.height
    assert not (tmp_path / "store-drift").exists()


def test_a_check_that_was_stopped_a_week_ago_begins_anew(check, tmp_path, service, sentences):
    service.silent = set(sentences["text"][200:300])
    with pytest.raises(IncompleteError):
        check()
    for left in (tmp_path / "store-drift").iterdir():
        os.utime(left, (0, 0))
    service.silent, service.asked = set(), []
    check()
    assert len(service.asked) >= 2 * sentences.height


def test_a_sample_takes_whole_frames(check, sentences):
    done = check(sample=3)
    taken = done.asked.sentences
    assert taken["frame"].n_unique() == 3
    assert taken.height == sentences.filter(
        pl.col("frame").is_in(taken["frame"].unique().to_list())
    ).height  # fmt: skip
    assert any("in whole frames" in note for note in done.notes)
    with pytest.raises(TiltmeterError, match="at least one frame"):
        check(sample=0)


def test_asked_once_drift_cannot_be_told_from_noise(check, service):
    service.by = {"the": 0.05}
    done = check(settings=Settings(repeats=1))
    assert done.answers["verdict"][0] == "undecided"
    assert "--repeat 2" in done.answers["reason"][0]


def test_another_fingerprint_is_said_first(check):
    note = check(version="2").notes[0]
    assert note == (
        "service (valence) is not the system of the baseline: its fingerprint changed; "
        "version 1 before, 2 now"
    )


def test_the_baselines_own_system_is_opened_by_its_name(tmp_path, sentences):
    values = np.full(sentences.height, 0.5)
    base = write_audit(tmp_path / "base", sentences, scored(sentences, "constant", values))
    assert drift(base, store=tmp_path / "store").verdict == "steady"
    two = pl.concat([scored(sentences, name, values) for name in ("constant", "vader")])
    write_audit(tmp_path / "two", sentences, two)
    with pytest.raises(TiltmeterError, match="several systems, constant, vader: say which"):
        drift(tmp_path / "two", store=tmp_path / "store")
    assert drift(tmp_path / "two", of="constant", store=tmp_path / "store").verdict == "steady"
    with pytest.raises(TiltmeterError, match="did you mean 'constant'"):
        drift(tmp_path / "two", of="constnat", store=tmp_path / "store")


def test_scores_made_elsewhere_cannot_be_asked_again(baseline, tmp_path):
    (tmp_path / "scores.csv").write_text("id,score\na,0.5\n")
    with pytest.raises(TiltmeterError, match="tiltmeter compare"):
        drift(baseline, str(tmp_path / "scores.csv"), store=tmp_path / "store")


def test_the_folder_holds_what_was_answered(check, tmp_path, sentences):
    done = check()
    page = done.report(tmp_path / "out")
    assert page.name == "drift.html"
    told = json.loads((tmp_path / "out" / "drift.json").read_text(encoding="utf-8"))
    assert told["verdict"] == "steady"
    assert told["answers"][0]["texts"] == sentences.height
    kept = pl.read_parquet(tmp_path / "out" / "scores.parquet")
    assert kept.height == 2 * sentences.height
    assert page.read_text(encoding="utf-8").count("<script") == 1  # which opens folds
    with pytest.raises(TiltmeterError, match=r"hold no findings\.json"):
        compare(tmp_path / "out", tmp_path / "out")


def test_a_baseline_is_never_written_over(check, baseline):
    with pytest.raises(TiltmeterError, match="is one of the audits"):
        check().report(baseline)
