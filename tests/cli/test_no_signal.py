"""No signal is no verdict: systems that read nothing, and controls, as a user meets them."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import polars as pl
import pytest

import tiltmeter
from small_audit import small_corpus, uneven, write_folder
from tiltmeter import api
from tiltmeter.cli import app

VADER = """
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

analyser = SentimentIntensityAnalyzer()


def score(texts):
    return [analyser.polarity_scores(text)["compound"] for text in texts]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def run(tmp_path, monkeypatch, store, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def command(*words):
        code = app([*words, "--store", str(store)], standalone_mode=False) or 0
        return code, " ".join(capsys.readouterr().out.split())

    return command


SPANISH = ("--corpus", "eec-es", "--measure", "pairs", "--gate", "*<=0.01")


def test_a_gate_does_not_pass_what_does_not_read_the_language(run):
    files = ("--junit", "junit.xml", "--summary", "summary.md", "-o", "out")
    code, out = run("audit", "vader", *SPANISH, *files)
    assert code == 3
    assert "no signal: it reads English, and the corpus eec-es is in Spanish" in out
    assert out.endswith("Gate: undecided. Of 3 comparisons: 3 no signal.")
    suite = ET.parse("junit.xml").getroot().find("testsuite")
    assert suite.get("failures") == "3"  # by names, by couples; race by names
    assert suite.find("testcase/failure").get("type") == "no_signal"
    assert "It reads English" in Path("summary.md").read_text(encoding="utf-8")
    told = json.loads(Path("out/findings.json").read_text(encoding="utf-8"))
    assert told["schema_version"] == 3
    tilts = [row for row in told["findings"] if row["measure"] == "tilt"]
    assert {row["verdict"] for row in tilts} == {"no_signal"}
    listed = pl.read_csv("out/tables/verdicts.csv")
    assert set(listed["verdict"]) == {"no_signal"}
    assert listed["reason"].str.starts_with("it reads English").all()
    assert "no signal" in Path("out/model-cards/vader.md").read_text(encoding="utf-8")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "<strong>No signal.</strong>" in page
    # its folder says the same, and follows from its answers
    assert api.gate_folder("out", "*<=0.01").exit_code == 3
    assert api.verify("out").findings == len(told["findings"])


def test_a_function_that_does_not_say_what_it_reads_is_judged_by_its_scores(run):
    Path("mine.py").write_text(VADER)
    code, out = run("audit", "./mine.py:score", *SPANISH, "-o", "out")
    assert code == 3
    # its lexicon holds miserable, terrible and horrible
    assert "no signal: it tells 3 of 39 emotion words from those it does not read" in out
    assert run("audit", "./mine.py:score", "--measure", "pairs", "-o", "out")[0] == 0
    found = api.gate_folder("out", "gender<=0.01")  # it reads English: ten names are too few
    assert {one.verdict for one in found.comparisons} == {"undecided"}


@pytest.mark.parametrize("task", ["anger", "fear", "joy", "sadness"])
def test_a_system_for_one_emotion_gives_a_signal(store, task):
    pytest.importorskip("nrclex")
    found = tiltmeter.audit("nrclex", tasks=[task], measures="pairs", flips=0, store=store)
    assert not found.apart.no_signal
    assert "no_signal" not in found.tilts["verdict"].to_list()


def test_controls_are_counted_apart_and_leave_the_family(run):
    many = ("--measure", "pairs")
    run("audit", "vader", "textblob", *many, "-o", "two")
    controls = ("constant", "random", "tilted:gender=0.03", "biased-female")
    code, out = run("audit", "vader", "textblob", *controls, *many, "-o", "six", "--pack", "a.zip")
    assert code == 0
    assert "0 of 2 tilted, 2 undecided." in out
    assert "Controls apart: constant, random, tilted:gender=0.03 and 1 more." in out
    two, six = (json.loads(Path(name, "findings.json").read_text()) for name in ("two", "six"))
    rows = {row["id"]: row for row in six["findings"]}
    for row in two["findings"]:  # adding controls changes nothing of the others
        assert rows[row["id"]] == row
    assert two["run"]["statistics"]["family"] == six["run"]["statistics"]["family"] == 4
    page = Path("six/report.html").read_text(encoding="utf-8")
    assert "Do these 2 systems score" in page
    assert (
        "Controls are counted apart: constant, random, tilted:gender=0.03, biased-female." in page
    )
    assert api.verify("a.zip")


def test_published_statistics_count_every_submission_and_a_family_is_the_users(store):
    given = {"store": store, "measures": "pairs", "flips": 0}
    every = tiltmeter.audit(["vader", "constant"], mode="published", **given)
    assert every.findings.filter(subset="all")["family"].unique().to_list() == [4]
    paper = tiltmeter.audit(["vader", "constant"], family=438, **given)
    assert paper.findings["family"].unique().to_list() == [438]


def test_an_audit_in_parts_gives_the_same_answer(store):
    given = {"store": store, "measures": "pairs", "corpus": "eec-es"}
    systems = ["vader", "constant", "random"]
    held = tiltmeter.audit(systems, stream=False, flips=0, **given)
    parts = tiltmeter.audit(systems, stream=True, **given)
    assert parts.apart == held.apart
    assert parts.tilts["verdict"].to_list() == held.tilts["verdict"].to_list()


def test_without_emotion_words_signal_is_not_assessed_and_that_is_said(tmp_path, run):
    found = tiltmeter.audit({"mine": uneven}, small_corpus(tmp_path), store=tmp_path / "store")
    assert not found.apart.no_signal
    code, out = run("audit", "constant", "--sample", "11", "--measure", "pairs", "-o", "out")
    assert "(signal) was not assessed: no template has scores for two emotion words" in out
    assert code == 0


def same_to_all(texts):
    return [0.5] * len(texts)


def leaning(texts):
    """Higher about women, by words that every lexicon would read."""
    glad = ("happy", "glad", "ecstatic", "relieved", "excited", "great", "hilarious", "wonderful")
    women = ("she ", "her ", "woman", "sister", "girl", "mother", "mom", "aunt", "daughter", "wife")
    return [
        0.4 + 0.3 * any(word in text.lower() for word in glad)
        + 0.1 * any(word in text.lower() + " " for word in women)
        for text in texts
    ]  # fmt: skip


def test_a_version_that_reads_nothing_any_more_is_no_better(tmp_path, monkeypatch):
    for name, system in {"old": leaning, "new": same_to_all}.items():
        audit = tiltmeter.audit({"mine": system}, store=tmp_path, measures="pairs", flips=0)
        write_folder(audit, tmp_path / name, monkeypatch)
    found = api.compare(tmp_path / "old", tmp_path / "new")
    row = found.changes.filter(axis="gender", subset="couples").to_dicts()[0]
    assert row["size_change"] < -0.01  # the tilt is gone
    assert (row["verdict"], row["old_verdict"], row["new_verdict"]) == (
        "no_signal", "tilted", "no_signal",
    )  # fmt: skip
    assert "the new version gives no signal: it answers the same to all 40" in row["sentence"]
    assert found.gate() == 3
    back = api.compare(tmp_path / "new", tmp_path / "old")
    worse = back.changes.filter(axis="gender", subset="couples").to_dicts()[0]
    assert worse["verdict"] == "worse"
    assert "the old version gives no signal" in worse["sentence"]
