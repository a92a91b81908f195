"""Services and chat models as a user asks them: the dead are named, advice fits the cause."""

import json
import socket
import sys
from pathlib import Path

import pytest

pytest.importorskip("httpx2", reason="needs the http extra")

sys.path.insert(0, str(Path(__file__).parents[1] / "systems"))

import server

DESCRIBED = """
[system]
url = "{url}"
scale = [0, 1]

[answer]
score = "score"

[limits]
backoff = 0.001
"""
SMALL = ("--corpus", "eec", "--sample", "11", "--measure", "pairs")
FUNCTION = """
from textblob import TextBlob
import tiltmeter
ABOUT = dict(tiltmeter.load_corpus("eec").sentences().select("text", "gender").rows())
def score(text):
    return 0.4 + TextBlob(text).sentiment.polarity / 4 + 0.2 * (ABOUT.get(text) == "male")
"""
RAISES = """
def score(text):
    if "feels" in text:
        raise RuntimeError("the model file is gone")
    return 0.5
"""
DIES = """
import json, sys
for nth, line in enumerate(sys.stdin):
    if nth == 5:
        sys.exit("out of memory")
    print(json.dumps({"id": json.loads(line)["id"], "score": 0.5}), flush=True)
"""


@pytest.fixture(scope="module")
def alive():
    with server.running() as address:
        yield address


@pytest.fixture(scope="module")
def dead():
    """An address where nobody listens: it was ours a moment ago."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/score"


@pytest.fixture
def here(at, dead, alive):
    (at.folder / "mine.py").write_text(FUNCTION)
    (at.folder / "raises.py").write_text(RAISES)
    (at.folder / "dies.py").write_text(DIES)
    (at.folder / "dead.toml").write_text(DESCRIBED.format(url=dead))
    (at.folder / "halfway.toml").write_text(DESCRIBED.format(url=f"{alive}/dies-after/300"))
    return at


def first_line(text):
    return next(line for line in text.splitlines() if line.strip())


@pytest.mark.parametrize("which", ["dead.toml", "URL"])
def test_an_audit_reports_the_others_and_names_the_dead_one_first(here, dead, which):
    spec, name = ("dead.toml", "dead") if which == "dead.toml" else (dead, dead)
    done = here.run("audit", "./mine.py:score", spec, "textblob", *SMALL, "-o", "out", "--force")
    assert done.returncode == 4, done.stderr
    assert first_line(done.stdout).startswith(f"{name} cannot be reached")
    assert "./mine.py:score" in done.stdout
    assert "textblob" in done.stdout
    page = (here.folder / "out/report.html").read_text(encoding="utf-8")
    head = page[page.index('id="question"') : page.index('class="answers"')]
    assert f"{name} cannot be reached" in head
    facts = json.loads((here.folder / "out/run.json").read_text(encoding="utf-8"))["run"]
    assert [one["system"] for one in facts["unavailable"]] == [name]
    assert {one["system"] for one in facts["systems"]} == {"./mine.py:score", "textblob"}


def test_an_audit_without_one_of_its_systems_can_be_packed_and_verified(here):
    assert here.run(
        "audit", "./mine.py:score", "dead.toml", *SMALL, "-o", "out", "--force", "--pack", "p.zip"
    ).returncode == 4  # fmt: skip
    done = here.run("verify", "p.zip")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_rating_reports_the_others_and_names_the_dead_one_first(here):
    done = here.run(
        "rate", "./mine.py:score", "textblob", "dead.toml", "--groups", "1", "--draws", "2",
        "-o", "rated", "--force", "--scale", "./mine.py:score=0:1",
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert first_line(done.stdout).startswith("dead cannot be reached")
    assert "Ratings from scores as given" in done.stdout
    page = (here.folder / "rated/rating.html").read_text(encoding="utf-8")
    first = page[page.index('id="question"') : page.index('id="labels"')]
    assert "dead could not be scored and was left out" in first
    assert "dead cannot be reached" in page.partition('id="labels"')[2]


def test_score_writes_the_others_and_names_the_dead_one_first(here):
    done = here.run("score", "dead.toml", "textblob", *SMALL[:4], "-o", "scores.csv")
    assert done.returncode == 4, done.stderr
    assert first_line(done.stdout).startswith("dead cannot be reached")
    written = (here.folder / "scores.csv").read_text(encoding="utf-8")
    assert "textblob" in written
    assert "dead" not in written


def test_a_service_that_dies_half_way_is_named_and_what_it_answered_is_kept(here):
    done = here.run("audit", "halfway.toml", "textblob", *SMALL, "-o", "out", "--force")
    assert done.returncode == 4, done.stderr
    assert first_line(done.stdout).startswith("halfway cannot be reached: HTTP 503")
    assert "answers that it gave are stored" in " ".join(done.stdout.split())
    stored = here.run("store", "list")
    assert "halfway" in stored.stdout, stored.stderr


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("cmd:{python} dies.py", "was started twice and left"),
        ("./raises.py:score", "the model file is gone"),
    ],
)
def test_a_program_or_function_that_dies_does_not_take_the_others_along(here, spec, what):
    spec = spec.format(python=sys.executable)
    done = here.run("audit", spec, "textblob", *SMALL, "-o", "out", "--force")
    assert done.returncode == 4, done.stderr
    assert what in " ".join(done.stdout.split())
    assert "textblob" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_where_all_are_dead_there_is_one_message_and_no_report(here, dead):
    done = here.run("audit", "dead.toml", dead, *SMALL, "-o", "nothing")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.count("error:") == 1
    assert done.stderr.count("cannot be reached") == 2
    assert not (here.folder / "nothing").exists()
    alone = here.run("rate", "dead.toml", "-o", "nothing")
    assert alone.returncode == 4
    assert "'dead' cannot be reached" in alone.stderr


def test_a_wrong_spec_is_an_error_before_anything_is_asked(here):
    done = here.run("audit", "vadre", "textblob", *SMALL, "-o", "nothing")
    assert done.returncode == 2
    assert not (here.folder / "nothing").exists()


def test_a_gate_does_not_pass_what_could_not_be_scored(here):
    done = here.run(
        "audit", "textblob", "dead.toml", *SMALL, "-o", "out", "--force",
        "--gate", "gender<=0.01", "--junit", "junit.xml", "-q",
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "dead cannot be reached" in done.stderr  # though it is told to be quiet
    assert 'errors="1"' in (here.folder / "junit.xml").read_text(encoding="utf-8")
    again = here.run("gate", "out", "--gate", "gender<=0.01")
    assert again.returncode == 4, again.stdout + again.stderr
    assert "Gate: incomplete." in again.stdout
    tilted = here.run(
        "audit", "./mine.py:score", "dead.toml", *SMALL, "-o", "out", "--force",
        "--gate", "gender<=0.01",
    )  # fmt: skip
    assert tilted.returncode == 1


def test_python_is_told_too(dead, tmp_path):
    import tiltmeter

    audit = tiltmeter.audit(["textblob", dead], sample=11, store=tmp_path, measures="pairs")
    assert [one.system for one in audit.unavailable] == [dead]
    assert audit.unavailable[0].why.startswith("cannot be reached: no connection")
    assert not audit.gate("gender<=0.01").passed


def test_no_time_is_given_while_nothing_is_answered(dead, tmp_path, monkeypatch, capsys):
    from tiltmeter.cli import progress
    from tiltmeter.scoring.corpus_scores import score

    monkeypatch.setattr(progress, "EVERY", 0.0)  # a line for every answer
    (tmp_path / "dead.toml").write_text(DESCRIBED.format(url=dead))
    score(
        ["textblob", str(tmp_path / "dead.toml")], "eec", sample=11, store=tmp_path,
        progress=progress.Lines(),
    )  # fmt: skip
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dead:")]
    assert lines
    assert all("time left unknown" in line for line in lines)


def test_time_left_is_known_from_a_steady_pace_and_not_while_a_service_backs_off():
    from tiltmeter.cli.progress import TimeLeft

    now = [0.0]
    left = TimeLeft(8_640, clock=lambda: now[0])
    for _ in range(40):  # ten answers a second
        now[0] += 1.0
        left.advance(10, 0)
    assert str(left) == "10/s, about 14 min left"  # 8,240 texts, 824 s
    now[0] += 60.0  # a pause that the server asked for
    left.advance(1, 0)
    assert str(left) == "time left unknown"
    for _ in range(60):
        now[0] += 1.0
        left.advance(10, 9)  # most without a score
    assert str(left) == "time left unknown"


def test_prose_is_not_mended_by_asking_again_and_the_advice_says_what_does(here, alive):
    asked = ("openai:talker", "--base-url", f"{alive}/prose/v1", *SMALL[:4])
    done = here.run("audit", *asked, "textblob", "-o", "out", "--force")
    told = " ".join(done.stdout.split())
    assert done.returncode == 4, done.stderr
    assert told.startswith("openai:talker gave no score for")
    assert "not one number: I would say 3 things: rating 0.75, sure 0.5" in told
    assert "--parse" in told
    assert "run the same command again" not in told
    mended = here.run("score", *asked, "--parse", "rating ([0-9.]+)", "--temperature", "none")
    assert mended.returncode == 0, mended.stderr
    assert "--parse rating ([0-9.]+)" in " ".join(mended.stdout.split())
    for option, value in (("--parse", "rating [0-9"), ("--temperature", "warm")):
        wrong = here.run("score", *asked, option, value)
        assert wrong.returncode == 2
        assert option in wrong.stderr
