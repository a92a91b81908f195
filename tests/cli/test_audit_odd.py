"""Audits as people really type them: slips, odd corpora, noisy functions, unfit places."""

import json
import os
import sys
from types import SimpleNamespace

import pytest

from tiltmeter import cli

PAIR = "text,gender,template\nMy sister is angry,female,1\nMy brother is angry,male,1\n"
CORPUS = """
[corpus]
name = "odd"
title = "An odd corpus"
language = "en"
[axes]
gender = ["female", "male"]
[[people]]
list = "kin"
members = [
  { subject = "my sister", gender = "female", match = "sister/brother" },
  { subject = "my brother", gender = "male", match = "sister/brother" },
]
[[words]]
list = "state"
anger = ["angry", "furious"]
[[templates]]
id = "1"
text = "{person} feels {state}."
"""
SYSTEMS = """
print("noise on loading")
def noisy(texts):
    print("noise on scoring")
    return [0.5 for _ in texts]
"""


@pytest.fixture
def at(tmp_path, monkeypatch, capfd):
    """A folder to work in, and the command in this process: quick, and its streams are real."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TILTMETER_STORE", str(tmp_path / "store"))
    (tmp_path / "odd.toml").write_text(CORPUS)
    (tmp_path / "one.csv").write_text(PAIR)
    (tmp_path / "noisy.py").write_text(SYSTEMS)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["tiltmeter", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        told = capfd.readouterr()
        assert "Traceback" not in told.err
        return SimpleNamespace(code=ended.value.code, out=told.out, err=told.err)

    def audit(*words):
        return run("audit", *words, "--corpus", "odd.toml", "-o", "out")

    return SimpleNamespace(folder=tmp_path, run=run, audit=audit)


def families(folder):
    found = json.loads((folder / "out" / "findings.json").read_text())["findings"]
    return {one["system"]: one["family"] for one in found if one["subset"] == "all"}


@pytest.mark.parametrize("columns", ["80", "40"])
def test_one_pair_has_a_size_but_no_interval(at, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    done = at.run("audit", "tilted:gender=0.1", "--corpus", "one.csv", "-o", "out")
    assert done.code == 0, done.err
    told = " ".join(done.out.split())
    assert "– not known" in told
    if columns == "80":
        row = next(line for line in done.out.splitlines() if line.startswith("–"))
        shown = [
            "–",
            "tilted:gender=0.1",
            "10",
            "about",
            "women",
            "1",
            "of",
            "1",
            "not",
            "estimable",
        ]
        assert row.split() == shown
    else:
        assert (
            "– tilted:gender=0.1 10 points higher about women, 1 of 1 moved, not estimable" in told
        )


def test_groups_that_never_meet_are_named_and_the_rest_is_audited(at):
    # Ann meets Bea, Bea meets Cleo; nothing compares Ann with Cleo.
    rows = ("Ann,a,1", "Bea,b,1", "Bea,b,2", "Cleo,c,2")
    made = [f"{name} sings {n},{group},{n}" for name, group, n in (row.split(",") for row in rows)]
    (at.folder / "apart.csv").write_text("\n".join(["text,ethnicity,template", *made]))
    done = at.run("audit", "constant", "--corpus", "apart.csv", "-o", "out")
    assert done.code == 0, done.err
    told = "no two matched sentences differ in ethnicity as a and c do"
    assert told in " ".join(done.out.split())
    assert told in (at.folder / "out" / "report.html").read_text()
    found = json.loads((at.folder / "out" / "findings.json").read_text())["findings"]
    assert {one["contrast"] for one in found} == {"a-b", "b-c"}


def test_a_corpus_that_does_not_say_its_language_is_not_called_foreign(at):
    done = at.run("audit", "vader", "--corpus", "one.csv", "-o", "out")
    assert "made for" not in done.out


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("--seed", "-1"), 2, "--seed is a whole number from 0 up; found -1"),
        (("--json", ""), 2, "found no name for a file"),
        (("--json", "."), 2, "found no name for a file"),
        (("--json", "store"), 2, "store: is a folder"),
        (("--json", "one.csv/findings.json"), 2, "one.csv is a file; expected a folder"),
        (("--reference", "gender=male", "--reference", "gender=female"), 2, "one group for an ax"),
        (("--subset", "own-emotion"), 2, "no task here is an emotion of the corpus"),
        (("--reuse", "stored"), 4, "vader has no stored score for 4 of 4 answers"),
        (("--meta", os.fsdecode(b"m\xff.csv")), 2, "is not UTF-8"),
    ],
)
def test_a_slip_is_said_before_anything_is_asked_and_leaves_nothing(at, words, code, what):
    (at.folder / "store").mkdir()
    done = at.audit("vader", *words)
    assert (done.code, done.out) == (code, "")
    assert what in done.err
    assert not (at.folder / "out").exists()


def test_a_place_for_json_that_cannot_be_written_costs_no_request(at):
    done = at.audit("noisy.py:noisy", "--json", "one.csv/findings.json")
    assert done.code == 2
    assert "noise" not in done.err


def test_what_is_named_twice_is_corrected_for_once(at):
    assert at.audit("vader", "constant", "vader").code == 0
    assert families(at.folder) == {"vader": 1, "constant": 1}  # 1 system × 1 contrast; a control
    assert at.audit("nrclex", "--task", "anger", "--task", "anger").code == 0
    assert families(at.folder) == {"nrclex": 1}


def test_whoever_is_not_in_the_subset_shown_is_named(at):
    done = at.audit("nrclex", "--task", "anger", "--task", "joy", "--subset", "own-emotion")
    assert "joy: nothing to show of odd for the subset own-emotion" in " ".join(done.out.split())


def test_why_there_is_no_skill_stands_on_the_terminal(at):
    gold = "text,score\nI love it,0.9\nI hate it,0.1\nSo so,0.5\n"
    (at.folder / "gold.csv").write_text(gold)
    done = at.audit("constant", "--gold", "gold.csv")
    assert "no skill is known" in " ".join(done.out.split())


def test_what_a_function_prints_stays_out_of_the_json(at):
    done = at.audit("noisy.py:noisy", "--json", "-")
    assert json.loads(done.out)["findings"]
    assert "noise on loading" in done.err
    assert "noise on scoring" in done.err


def test_json_goes_into_a_device_and_does_not_replace_it(at):
    os.mkfifo(at.folder / "pipe")
    reader = os.open(at.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = at.audit("constant", "--json", "pipe", "-q")
        assert done.code == 0, done.err
        assert os.read(reader, 100).startswith(b'{\n  "schema_version"')
        assert (at.folder / "pipe").is_fifo()
    finally:
        os.close(reader)


def test_what_a_message_says_of_a_table_can_be_said_to_the_audit(at):
    (at.folder / "mine.csv").write_text(PAIR.replace("template", "pair"))
    done = at.run("audit", "constant", "--corpus", "mine.csv", "-o", "out")
    assert done.code == 2
    assert "--column template=…" in done.err
    said = ("--column", "template=pair")
    assert at.run("audit", "constant", "--corpus", "mine.csv", *said, "-o", "out").code == 0
    at.run("corpus", "export", "mine.csv", *said, "-o", "new.csv")
    assert at.run("audit", "constant", "--corpus", "new.csv", "-o", "out").code == 0


def test_a_program_s_keys_are_written_nowhere(at):
    script = "import sys\nfor line in sys.stdin: print(0.5, flush=True)\n"
    (at.folder / "same.py").write_text(script)
    keys = "API_KEY=hunter2secret --token hunter3secret sk-hunter4secret --auth=hunter5secret"
    done = at.audit(f"cmd:{sys.executable} same.py {keys}", "--scale", "0:1")
    assert done.code == 0, done.err
    files = [*(at.folder / "out").rglob("*"), *(at.folder / "store").rglob("*")]
    told = [done.out.encode(), *(path.read_bytes() for path in files if path.is_file())]
    for nth in range(2, 6):
        assert not any(f"hunter{nth}secret".encode() in text for text in told)
