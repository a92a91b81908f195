"""A gate and stored scores: a model replaced behind its URL never passes on old answers."""

import json
import sys
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from zlib import crc32

import pytest

import tiltmeter as library
from gated_corpus import write_project
from tiltmeter.cli import main
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.wording import moment_text

pytest.importorskip("httpx2", reason="needs the http extra")
SENTENCES = load_corpus("eec").sentences()
OF_ONE_RACE = set(SENTENCES.filter(race="African American")["text"])
HAPPY = ("happy", "great", "wonderful", "funny", "excited", "glad", "amazing", "relieved")
"""What makes the service's answers depend on the sentence, so that it gives a signal."""
DESCRIPTION = """
[system]
url = "{at}/score"
scale = [0.0, 1.0]
[answer]
score = "score"
[limits]
retries = 0
backoff = 0
price = {price}
"""
GATE = "gender<=0.1, race<=0.1"
FILES = ("--junit", "junit.xml", "--summary", "summary.md")


def first_model(text):
    return 0.4 + 0.1 * any(word in text for word in HAPPY)


MODELS = {
    "wholly": lambda text: first_model(text) + 0.3,
    "for one group": lambda text: first_model(text) + 0.3 * (text in OF_ONE_RACE),
    "for a sixth": lambda text: first_model(text) + 0.3 * (crc32(text.encode()) % 6 == 0),
}


class Served:
    """A model behind a URL, which can be replaced, and the texts it was asked."""

    def __init__(self):
        self.model, self.texts = first_model, []


@contextmanager
def serving():
    served = Served()

    class Scores(BaseHTTPRequestHandler):
        protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

        def do_POST(self):
            text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
            served.texts.append(text)
            answer = json.dumps({"score": served.model(text)}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Scores)
    Thread(target=server.serve_forever, daemon=True).start()
    served.at = f"http://127.0.0.1:{server.server_port}"

    def stop():
        server.shutdown()
        server.server_close()

    served.stop = stop
    try:
        yield served
    finally:
        stop()  # also where it is stopped already


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command in this process: its exit code, what it printed and what it said besides."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTMETER_STORE", "store")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def ended(*words):
        monkeypatch.setattr(sys, "argv", ["tiltmeter", *words])
        with pytest.raises(SystemExit) as done:
            main()
        shown = capsys.readouterr()
        return done.value.code or 0, shown.out, shown.err

    return ended


def described(folder, at, price=0.0):
    (folder / "service.toml").write_text(DESCRIPTION.format(at=at, price=price))


@pytest.fixture
def service(tmp_path, run):
    """A service whose first model's answers are stored, and passed the gate."""
    with serving() as served:
        described(tmp_path, served.at)
        code, out, _ = run(*AUDIT)
        assert code == 0, out
        assert "asked again" not in out
        assert len(served.texts) == 660
        served.texts.clear()
        yield served


AUDIT = (
    "audit", "service.toml", "--sample", "11", "--measure", "pairs", "--gate", GATE, *FILES,
    "-o", "out",
)  # fmt: skip


def read(folder, name):
    return (folder / name).read_text(encoding="utf-8")


def ages(folder):
    """What the JUnit file says of when the scores are."""
    return [one.get("value") for one in ET.parse(folder / "junit.xml").iter("property")]


@pytest.mark.parametrize("change", MODELS)
def test_a_model_replaced_behind_its_url_is_asked_anew(service, run, tmp_path, change):
    service.model = MODELS[change]
    code, out, _ = run(*AUDIT)
    assert "it has changed under the same version and settings" in out
    assert "of 200 stored scores asked again differ" in out
    assert len(set(service.texts)) == 660  # not only those that were drawn
    assert ages(tmp_path) == []  # every score is of now
    assert code == {"wholly": 0, "for one group": 1}.get(change, code)


def test_the_same_model_passes_and_the_age_of_its_scores_is_said_everywhere(service, run, tmp_path):
    code, out, _ = run(*AUDIT)
    assert code == 0
    assert len(service.texts) == len(set(service.texts)) == 200
    assert out.splitlines()[-1].startswith("Gate: pass.")
    assert "200 asked again: the same" in out
    [age] = ages(tmp_path)
    assert age.startswith("scores of ")
    assert age.endswith(" UTC, 200 asked again: the same")
    assert "200 asked again: the same" in read(tmp_path, "summary.md")
    assert "200 asked again: the same" in read(tmp_path / "out", "report.html")


def test_quiet_says_the_age_in_one_line_beside_the_output(service, run):
    code, out, err = run(*AUDIT, "-q")
    assert (code, out) == (0, "")
    assert len(err.splitlines()) == 1
    assert "200 asked again: the same" in err
    assert len(service.texts) == 200


@pytest.mark.parametrize("gone", [True, False])
def test_what_was_not_asked_again_does_not_pass(service, run, tmp_path, gone):
    service.model = MODELS["for one group"]  # which nobody can see
    words = () if gone else ("--check", "0")
    if gone:
        service.stop()
    code, out, _ = run(*AUDIT, *words)
    assert code == 3
    last = out.splitlines()[-1]
    assert last.startswith("Gate: undecided. Of ")
    assert "even within the margin. Stored scores that were not asked again do not pass" in out
    assert ", not asked again" in out
    [age] = ages(tmp_path)
    assert ", not asked again" in age
    suite = ET.parse(tmp_path / "junit.xml").getroot().find("testsuite")
    [failure] = suite.iter("failure")
    assert (failure.get("type"), suite.get("failures")) == ("stale", "1")
    summary = read(tmp_path, "summary.md")
    assert summary.startswith("## Tiltmeter: undecided\n")
    assert ", not asked again" in summary
    assert "asked again" in read(tmp_path / "out", "report.html")
    assert run(*AUDIT, *words, "--undecided", "pass")[0] == 3
    assert ", not asked again" in run(*AUDIT, *words, "-q")[2]


def test_reuse_stored_is_judged_by_its_verdicts_and_dated(service, run, tmp_path):
    service.stop()
    code, out, _ = run(*AUDIT, "--reuse", "stored")
    assert code == 0
    assert ", not asked again, as --reuse stored says" in out
    assert ages(tmp_path)[0].endswith(", not asked again, as --reuse stored says")
    assert ", not asked again" in run(*AUDIT, "--reuse", "stored", "-q")[2]


def test_what_has_a_price_is_asked_sixteen_texts_and_says_so(run, tmp_path):
    with serving() as served:
        described(tmp_path, served.at, price=0.01)
        assert run(*AUDIT)[0] == 0
        served.texts.clear()
        code, out, _ = run(*AUDIT)
        assert code == 0
        assert len(served.texts) == 16
        drawn = SENTENCES.filter(SENTENCES["text"].is_in(served.texts))
        assert drawn["gender"].n_unique() == 2
        assert drawn["race"].n_unique() == 3  # without one too
        assert "only 16 asked again, since each has a price: the same" in out
        assert "only 16 asked again" in read(tmp_path, "summary.md")
        served.texts.clear()
        code, out, _ = run(*AUDIT, "--dry-run")
        assert (code, served.texts) == (0, [])
        assert "for the gate 16 stored texts are asked again besides" in out


def test_a_folder_is_judged_as_it_is_and_dated(service, run, tmp_path):
    service.model = MODELS["wholly"]
    service.texts.clear()
    words = ("gate", "out", "--gate", GATE, *FILES)
    code, out, _ = run(*words)
    assert (code, service.texts) == (0, [])
    assert ", as they are in the folder; nothing was asked" in out
    for text in (ages(tmp_path)[0], read(tmp_path, "summary.md"), run(*words, "-q")[2]):
        assert ", as they are in the folder; nothing was asked" in text
    made = json.loads(read(tmp_path / "out", "run.json"))["environment"]
    run(*AUDIT, "--reuse", "stored")  # later, on the same scores
    [fact] = json.loads(read(tmp_path / "out", "run.json"))["environment"]["stored_scores"]
    assert fact["first"] <= made["time"]
    run(*words)
    assert ages(tmp_path)[0].startswith(f"scores of {moment_text(fact['first'])}, as they are")


def test_pyproject_asks_everything_or_a_sample_where_it_reuses(service, run, tmp_path):
    table = (
        '[tool.tiltmeter]\nsystems = "service.toml"\ncorpus = "eec"\nsample = 11\n'
        f'gate = "{GATE}"\n'
    )
    (tmp_path / "pyproject.toml").write_text(table)
    assert run("gate")[0] == 0
    assert len(service.texts) == 660
    service.texts.clear()
    (tmp_path / "pyproject.toml").write_text(table + 'reuse = "missing"\n')
    assert run("gate")[0] == 0
    assert len(service.texts) == 200
    service.model = MODELS["for one group"]
    assert run("gate")[0] == 1
    service.stop()
    code, out, _ = run("gate")
    assert code == 3  # what old answers show, tilted or even, says nothing of the system now
    assert ", not asked again: no answer to 200 texts" in out


def test_an_audit_in_python_that_asked_nothing_again_does_not_pass(service):
    audit = library.audit("service.toml", sample=11, measures="pairs", store="store")
    decision = audit.gate(GATE)
    assert (decision.outcome, decision.stale) == ("undecided", True)
    [scores] = decision.stored
    assert scores.recheck == "not asked again"
    checked = library.audit("service.toml", sample=11, measures="pairs", store="store", check=50)
    assert checked.gate(GATE).passed
    assert len(service.texts) == 50


@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_a_change_seen_in_one_corpus_drops_what_another_rested_on(run, tmp_path, how):
    """The first corpus looks the same, and the second says that the system has changed."""
    words = (
        "audit", "service.toml", "--corpus", "small.toml", "--corpus", "names.toml", *how,
        "--measure", "pairs", "--gate", "gender<=0.5", "--junit", "junit.xml", "-o", "out",
    )  # fmt: skip
    write_project(tmp_path)
    with serving() as served:
        described(tmp_path, served.at)
        served.model = lambda text: 0.4 + 0.1 * ("angry" in text)
        assert run(*words)[0] == 0
        every = set(served.texts)
        served.texts.clear()
        served.model = lambda text: (
            0.4 + 0.1 * ("angry" in text) + 0.2 * ("my " not in text.lower())
        )
        code, out, _ = run(*words)
    assert code == 0, out
    assert "it has changed under the same version and settings" in out
    assert set(served.texts) == every
    assert ages(tmp_path) == []
