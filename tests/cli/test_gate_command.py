"""`tiltmeter gate` and `audit --gate` as a user types them: exit codes, files, refusals."""

import json
from pathlib import Path

import pytest

from gated_corpus import write_project
from tiltmeter.cli import app, main
from tiltmeter.errors import TiltmeterError

TABLE = """
[tool.tiltmeter]
systems = "tilted:gender=0.03"
corpus = "small.toml"
store = "store"
gate = { gender = 0.01 }
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(write_project(tmp_path))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("TILTMETER_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(*words):
    return app(list(words), standalone_mode=False) or 0


AUDIT = ("audit", "tilted:gender=0.03", "--corpus", "small.toml")


def test_the_process_ends_with_the_gates_code(project, monkeypatch, capsys):
    (project / "pyproject.toml").write_text(TABLE)
    monkeypatch.setattr("sys.argv", ["tiltmeter", "gate"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "Gate: tilted. Of 1 comparison: 1 tilted."
    assert "My sister feels angry." in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_narrow_terminal_gets_lines_instead_of_a_table(project, monkeypatch, capsys):
    (project / "pyproject.toml").write_text(TABLE)
    monkeypatch.setenv("COLUMNS", "40")
    assert run("gate") == 1
    lines = capsys.readouterr().out.splitlines()
    assert "tilted: tilted:gender=0.03, gender by" in lines
    assert "  3.0 higher about women, 1.1 to 4.9," in lines
    assert max(map(len, lines)) <= 40


def test_what_the_command_line_says_goes_before_the_table(project, capsys):
    (project / "pyproject.toml").write_text(TABLE + 'output = "report"\njunit = "ci/junit.xml"\n')
    assert run("gate", "--gate", "gender<=0.05") == 0
    assert "even" in capsys.readouterr().out
    assert (project / "report" / "report.html").is_file()
    assert (project / "ci" / "junit.xml").is_file()
    assert run("gate", "report", "--config", "pyproject.toml", "-q") == 1  # the table's own gate
    assert run("gate", "report", "-q") == 1
    assert capsys.readouterr().out == ""


def test_a_steps_summary_is_added_to_and_only_with_a_gate(project, monkeypatch):
    step = project / "step.md"
    step.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    assert run(*AUDIT, "-q", "-o", "out") == 0
    assert step.read_text() == "before\n"
    assert run(*AUDIT, "-q", "-o", "out", "--gate", "gender<=0.01") == 1
    assert step.read_text().startswith("before\n## Tiltmeter: tilted\n")
    assert (project / "out" / "report.html").is_file()  # written before the exit


def test_json_on_standard_output_stays_json(project, capsys):
    assert run(*AUDIT, "-o", "out", "--json", "-", "--gate", "gender<=0.01") == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["findings"]
    assert shown.err.splitlines()[-1] == "Gate: tilted. Of 1 comparison: 1 tilted."
    assert (project / "out").is_dir()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--undecided", "pass"), "--undecided is about a gate"),
        (("--junit", "x.xml"), "--junit is about a gate"),
        (("--gate", "gender<=0.01", "--undecided", "maybe"), "undecided is 'maybe'"),
        (("--gate", "gender<=1 point"), "0.01"),
        (("--gate", "race<=0.01"), "compared are gender"),
        (("--gate", "moved.race<=0.05"), "compared are gender"),
        (("--gate", "moved.gender<=5%"), "write it as a share of people: 0.05"),
        (("--gate", "gender<=0.01", "--mode", "published"), "--mode published has no verdicts"),
        (("--gate", "gender<=0.01", "--margin", "gender=0.02"), "the gate says gender<=0.01"),
        (("--margin", "gendr=0.02"), "did you mean 'gender'"),
        (("--margin", "0.02", "--margin", "0.03"), "one for all axes and one for each"),
        (("--margin", "=0.02"), "one for all axes"),
        (("--margin", "small"), "expected a part of the scale"),
        (("--margin", "2"), "above 0 and below 1"),
        (("--gate", "gender<=0.01", "--summary", "."), "expected one, or - to print"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_is_wrong_is_said_before_anything_is_asked(words, said):
    with pytest.raises(TiltmeterError) as refused:
        run(*AUDIT, *words)
    assert said in refused.value.for_command_line


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (None, "there is no pyproject.toml"),
        ("", "there is no table [tool.tiltmeter]"),
        ("[tool]\ntiltmeter = 3", "there is no table [tool.tiltmeter]"),
        ("tool = [1]", "there is no table [tool.tiltmeter]"),
        ("[tool.tiltmeter", "cannot be read as TOML"),
        ("[tool.tiltmeter]\nsystem = 'vader'", "has a key 'system': did you mean 'systems'"),
        ("[tool.tiltmeter]\nsystems = []", "systems is []; expected a text, or a list of them"),
        ("[tool.tiltmeter]\nsystems = [1]", "expected a text, or a list of them"),
        ("[tool.tiltmeter]\nseed = true", "seed is True; expected a whole number"),
        ("[tool.tiltmeter]\ngate = 0.01", "gate is 0.01; expected a text"),
        ("[tool.tiltmeter]\ngate = {}", "gate is {}; expected a text"),
        ("[tool.tiltmeter]\ngate = { moved.race = 'few' }", "expected a text"),
        ("[tool.tiltmeter]\ngate = { moved = 0.05 }\nsystems = 'vader'", "of which axis?"),
        ("[tool.tiltmeter]\nundecided = 'maybe'", 'expected "fail" or "pass"'),
        ("[tool.tiltmeter]\nmax-missing = 0.1", "did you mean 'max_missing'"),
        ("[tool.tiltmeter]\nsystems = 'vader'", "there is no gate"),
        ("[tool.tiltmeter]\ngate = 'gender<=0.01'", "names no systems"),
        ("[tool.tiltmeter]\nsystems = 'vadr'\ngate = '*<=0.01'", "did you mean 'vader'"),
        ("[tool.tiltmeter]\nsystems = 'vader'\ngate = 'rce<=0.01'", "did you mean 'race'"),
        (
            "[tool.tiltmeter]\nsystems = 'vader'\ngate = '*<=0.01'\nmargin = 0.02",
            "expected only one of them",
        ),
        (
            "[tool.tiltmeter]\nsystems = 'noisy.py:stars'\ncorpus = 'small.toml'\ngate = '*<=0.01'",
            'scale = "noisy.py:stars=-5:5" in pyproject.toml',
        ),
    ],
)
def test_a_table_that_cannot_be_used_says_why(project, table, said):
    if table is not None:
        (project / "pyproject.toml").write_text(table)
    with pytest.raises(TiltmeterError) as refused:
        run("gate")
    assert said in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.usefixtures("project")
def test_a_folder_needs_a_gate_and_to_be_one():
    with pytest.raises(TiltmeterError, match="there is no gate"):
        run("gate", "out")
    with pytest.raises(TiltmeterError, match="nowhere"):
        run("gate", "nowhere", "--gate", "gender<=0.01")


def test_a_table_that_is_broken_is_not_passed_over_for_a_folder(project):
    (project / "pyproject.toml").write_text("[tool.tiltmeter]\ngates = 'gender<=0.01'")
    with pytest.raises(TiltmeterError, match="did you mean 'gate'"):
        run("gate", "out")


def test_one_margin_for_all_and_another_for_an_axis(project):
    margins = ("--margin", "0.02", "--margin", "gender=0.05")
    assert run(*AUDIT, *margins, "--gate", "gender<=0.05", "-q", "-o", "out") == 0
    told = json.loads((project / "out" / "run.json").read_text())
    assert told["run"]["statistics"]["margins"]["gender"] == 0.05
    with pytest.raises(TiltmeterError, match=r"gender is 0\.05, and the gate says \*<=0\.02"):
        run(*AUDIT, *margins, "--gate", "*<=0.02")


def test_an_evidence_pack_is_judged_like_its_folder(project):
    words = ("-q", "-o", "out", "--pack", "audit.zip", "--gate", "gender<=0.01")
    assert run(*AUDIT, *words) == 1  # packed before the exit
    assert (project / "audit.zip").is_file()
    assert run("gate", "audit.zip", "--gate", "gender<=0.01", "-q") == 1
    assert run("gate", "audit.zip", "--gate", "gender<=0.05", "-q") == 0


@pytest.mark.usefixtures("project")
def test_a_corpus_gone_through_in_parts_is_gated_alike(capsys):
    held = ("--gate", "gender<=0.01", "-o", "out")
    assert run(*AUDIT, *held, "--stream") == 1
    in_parts = capsys.readouterr().out
    assert run(*AUDIT, *held, "--no-stream") == 1
    whole = capsys.readouterr().out
    assert in_parts[in_parts.index("Gate:") :] == whole[whole.index("Gate:") :]
    assert run("gate", "out", "--gate", "gender<=0.01", "-q") == 1


def test_the_hook_of_pre_commit_runs_the_gate():
    hook = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text()
    for line in ("- id: tiltmeter-gate", "  entry: tiltmeter gate", "  pass_filenames: false"):
        assert line in hook.splitlines()


def test_people_moved_have_a_table_of_their_own(project, capsys):
    table = TABLE.replace("tilted:gender=0.03", "noisy.py:some").replace("small", "names")
    gate = "gate = { gender = 0.05, moved.gender = 0.01 }"
    (project / "pyproject.toml").write_text(table.replace("gate = { gender = 0.01 }", gate))
    assert run("gate") == 1
    out = capsys.readouterr().out
    assert "People moved by more than 5 points" in out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    # Clopper and Pearson of 3 in 60: 1.04 to 13.9 %; of 0 in 60, one-sided: 1 − 0.05^(1/60) = 4.9 %
    assert "beyond the limit noisy.py:some gender, female 3 of 60 5 % 1 to 14 %" in lines
    assert "undecided noisy.py:some gender, male 0 of 60 0 % 0 to 4.9 %" in lines
    assert "1 beyond the limit, 1 undecided, 1 even within" in out
    assert max(map(len, out.splitlines())) <= 80
