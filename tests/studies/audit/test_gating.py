"""One gate, one answer: Python, the command line, pytest, pyproject, a folder, JUnit agree."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import tiltmeter
from gated_corpus import write_project
from tiltmeter import api
from tiltmeter.claims.gate import parse_gate
from tiltmeter.cli import app
from tiltmeter.errors import TiltmeterError
from tiltmeter.pytest_plugin import Tiltmeter

NOISY, PLANTED, SOME = "noisy.py:score", "tilted:gender=0.03", "noisy.py:some"
KIN, NAMES = "small.toml", "names.toml"
CASES = {
    "even": (KIN, ["vader"], "*<=0.01", "fail", "pass", 0),
    "no signal": (KIN, ["constant"], "*<=0.01", "fail", "undecided", 3),
    "no signal, let pass": (KIN, ["constant"], "*<=0.01", "pass", "pass", 0),
    "tilted": (KIN, [PLANTED], "gender:female-male<=0.01", "fail", "tilted", 1),
    "undecided": (KIN, [NOISY], "gender<=0.01", "fail", "undecided", 3),
    "undecided, let pass": (KIN, [NOISY], "gender ≤ 0.01", "pass", "pass", 0),
    "tilted and undecided": (KIN, [NOISY, "constant", PLANTED], "*<=0.01", "pass", "tilted", 1),
    "few moved": (NAMES, [SOME], "gender<=0.05, moved.gender<=0.2", "fail", "pass", 0),
    "more moved": (NAMES, [SOME], "moved.*<=0.01", "fail", "tilted", 1),
    "some moved": (NAMES, [SOME], "moved.gender<=0.1", "fail", "undecided", 3),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a corpus and a system; no step's summary is written."""
    monkeypatch.chdir(write_project(tmp_path))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def command(*words):
    """The exit code of a command."""
    return app([str(word) for word in words], standalone_mode=False) or 0


def read(path):
    return Path(path).read_text(encoding="utf-8")


def cases_in(path):
    """The test cases of a JUnit file, without its note on how old stored scores are."""
    return re.sub("    <properties>.*</properties>\n", "", read(path), flags=re.DOTALL)


def from_pytest(corpus, systems, gate, undecided):
    """The decision of the fixture: its answer, or what a failed test would say."""
    try:
        given = {"gate": gate, "corpus": corpus, "undecided": undecided}
        return Tiltmeter("plugin-store").check(systems, **given), ""
    except pytest.fail.Exception as failed:
        return None, str(failed)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("project")
def test_every_way_in_gives_the_same_answer(case, capsys):
    corpus, systems, gate, undecided, outcome, code = CASES[case]
    where = ("--corpus", corpus, "--store", "store", "--measure", "pairs")
    # Python
    audit = tiltmeter.audit(systems, corpus, store="store", measures="pairs")
    decision = audit.gate(gate, undecided)
    assert (decision.outcome, decision.exit_code) == (outcome, code)
    # the command line, its JUnit XML and its summary
    held = ("--gate", gate, "--undecided", undecided)
    files = ("--junit", "junit.xml", "--summary", "summary.md")
    assert command("audit", *systems, *where, *held, *files, "-o", "out") == code
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"Gate: {outcome}.")
    suite = ET.parse("junit.xml").getroot().find("testsuite")
    assert (int(suite.get("failures")) == 0) is (code == 0)
    assert int(suite.get("tests")) == len(decision.comparisons)
    assert read("summary.md").startswith(f"## Tiltmeter: {outcome}\n")
    # its folder, from Python and from the command line
    assert api.gate_folder("out", gate, undecided) == decision
    assert command("gate", "out", *held, "-q") == code
    # pyproject.toml
    table = {"systems": systems, "corpus": corpus, "gate": gate, "undecided": undecided}
    lines = [f"{name} = {json.dumps(value)}" for name, value in {**table, "store": "s"}.items()]
    Path("pyproject.toml").write_text("\n".join(["[tool.tiltmeter]", *lines]), encoding="utf-8")
    assert command("gate", "--junit", "again.xml", "-q") == code
    assert cases_in("junit.xml") == cases_in("again.xml")
    # pytest
    passed, failure = from_pytest(corpus, systems, gate, undecided)
    assert passed == (decision if code == 0 else None)
    assert failure.startswith(f"Gate: {outcome}.") is (code != 0)


@pytest.mark.usefixtures("project")
def test_the_page_and_its_gate_do_not_differ():
    # The gate's margins go into the audit, so its findings carry the verdicts that the gate judged.
    command("audit", PLANTED, "--corpus", "small.toml", "--gate", "gender<=0.05", "-q",
            "--store", "store", "-o", "out")  # fmt: skip
    told = json.loads(read("out/findings.json"))
    verdicts = {(one["verdict"], one["margin"]) for one in told["findings"] if one["verdict"]}
    assert ("even", 0.05) in verdicts
    assert {margin for _, margin in verdicts} == {0.05}


@pytest.mark.usefixtures("project")
def test_people_are_counted_anew_where_the_gate_has_another_margin():
    # Three of sixty names stand out by 20 points: beyond a margin of 1 point, not beyond 30.
    audit = tiltmeter.audit(SOME, NAMES, store="store")
    audit.report("out")
    for decide in (audit.gate, lambda gate: api.gate_folder("out", gate)):
        assert decide("moved.gender<=0.05").outcome == "undecided"  # 1.0 to 14 %
        wide = decide("gender<=0.3, moved.gender<=0.05")
        assert wide.passed
        assert [one.moved for one in wide.comparisons if one.measure == "moved"] == [0, 0]


@pytest.mark.usefixtures("project")
def test_people_of_a_corpus_gone_through_in_parts_are_not_counted_anew():
    audit = tiltmeter.audit(SOME, NAMES, store="store", stream=True)
    assert audit.gate("moved.gender<=0.2").passed
    with pytest.raises(TiltmeterError, match="run the audit again"):
        audit.gate("gender<=0.3, moved.gender<=0.05")


@pytest.mark.usefixtures("project")
def test_a_tilted_comparison_names_its_worst_pairs():
    decision = tiltmeter.audit(PLANTED, "small.toml", store="store").gate("gender<=0.01")
    worst = decision.comparisons[0].worst
    assert len(worst) == 3
    assert worst[0].text_first == "My sister feels angry."
    assert worst[0].text_second == "My brother feels angry."
    assert worst[0].score_first - worst[0].score_second == pytest.approx(0.03)


@pytest.mark.usefixtures("project")
def test_an_unbounded_system_is_asked_for_its_scale():
    audit = tiltmeter.audit("noisy.py:stars", "small.toml", store="store")
    for undecided in ("fail", "pass"):
        with pytest.raises(TiltmeterError, match=r"noisy\.py:stars is not known.*--scale"):
            audit.gate("gender<=0.01", undecided)
    decision = Tiltmeter("store").check(
        "noisy.py:stars", corpus="small.toml", scale="1:5", undecided="pass"
    )
    same = Tiltmeter("store").check(
        "noisy.py:stars", corpus="small.toml", scale=(1, 5), undecided="pass"
    )
    assert decision == same


@pytest.mark.usefixtures("project")
def test_an_axis_that_the_corpus_lacks_costs_no_request():
    asked = []

    def score(texts):
        asked.extend(texts)
        return [0.5] * len(texts)

    with pytest.raises(TiltmeterError, match="did you mean 'gender'"):
        Tiltmeter("store").check(score, axis="gendr", corpus="small.toml")
    with pytest.raises(TiltmeterError, match="compared are gender"):
        api.check_gate(parse_gate("race<=0.01"), "small.toml")
    with pytest.raises(TiltmeterError, match="no verdicts"):
        api.check_gate(parse_gate("gender<=0.01"), "small.toml", mode="published")
    with pytest.raises(TiltmeterError, match="no verdicts"):
        api.check_gate(parse_gate("gender<=0.01"), "small.toml", measures=["regression"])
    assert asked == []


def test_a_folder_that_was_changed_is_not_judged(project):
    tiltmeter.audit("vader", "small.toml", store="store").report("out")
    assert api.gate_folder("out", "gender<=0.01").passed
    table = Path("out/estimates.parquet")
    table.write_bytes(table.read_bytes() + b" ")
    with pytest.raises(TiltmeterError, match=r"estimates\.parquet"):
        api.gate_folder("out", "gender<=0.01")
    for place in ("nowhere", "small.toml", "."):
        with pytest.raises(TiltmeterError):
            api.gate_folder(project / place, "gender<=0.01")
