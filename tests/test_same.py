"""`make same`: what its comparer takes for equal, and what it finds."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import same

TABLE = {"system": ["vader", "afinn"], "p": [0.25, float("nan")], "n": [3, None]}
DONE = {"command": "audit vader", "exit_code": 0, "stdout": "vader 0.25\nin 3.1 s", "stderr": ""}
FINDINGS = {"environment": {"time": "now"}, "findings": [{"system": "vader", "p": 0.25, "n": 3}]}


@pytest.fixture
def recorded(tmp_path):
    """Writes a recording by hand; what is given takes the place of what it has otherwise."""

    def write(name, *, table=None, findings=None, rows=None, extra=(), digests=None, **command):
        scenario = tmp_path / name / "audit"
        files = scenario / "files"
        files.mkdir(parents=True)
        pl.DataFrame(TABLE | (table or {})).write_parquet(files / "estimates.parquet")
        (files / "findings.json").write_text(json.dumps(FINDINGS | (findings or {})))
        (files / "p.csv").write_text("\n".join(["system,p", *(rows or ["vader,0.25"])]))
        names = [*sorted(path.name for path in files.iterdir()), "report.html", *extra]
        recording = {"recipe": "1", "commands": [DONE | command], "files": names}
        recording["digests"] = {file: (digests or {}).get(file, "") for file in names}
        (scenario / "commands.json").write_text(json.dumps(recording))
        return tmp_path / name

    return write


def finding(**values):
    return {"findings": [FINDINGS["findings"][0] | values]}


EQUAL = {
    "nothing": {},
    "a number by 1e-12 in Parquet": {"table": {"p": [0.25 + 9e-13, float("nan")]}},
    "a number by 1e-12 in JSON": {"findings": finding(p=0.25 + 9e-13)},
    "a number by 1e-12 in CSV": {"rows": ["vader,0.2500000000009"]},
    "the environment": {"findings": {"environment": {"time": "later"}}},
    "a duration": {"stdout": "vader 0.25\nin 4.5 s"},
}
OTHER = {
    "a number by 1e-9 in Parquet": ({"table": {"p": [0.25 + 1e-9, 0.5]}}, "p, row 0: 0.25 → 0.25"),
    "a number by 1e-9 in JSON": ({"findings": finding(p=0.25 + 1e-9)}, "findings.0.p: 0.25 → 0.25"),
    "a number by 1e-9 in CSV": ({"rows": ["vader,0.250000001"]}, "p, row 1: 0.25 → 0.250000001"),
    "a number by its digits": ({"rows": ["vader,0.250"]}, "p, row 1: 0.25 → 0.250"),
    "a number for NaN": ({"table": {"p": [0.25, 0.0]}}, "p, row 1: nan → 0.0"),
    "a whole number": ({"findings": finding(n=4)}, "findings.0.n: 3 → 4"),
    "a type in JSON": ({"findings": finding(n=3.0)}, "findings.0.n: 3 (int) → 3.0 (float)"),
    "a dtype": ({"table": {"n": [3.0, None]}}, "n, (dtype): Int64 → Float64"),
    "a null": ({"table": {"n": [3, 3]}}, "n, row 1: None (NoneType) → 3 (int)"),
    "a string in Parquet": ({"table": {"system": ["vader", "nrc"]}}, "system, row 1: afinn → nrc"),
    "a string in JSON": ({"findings": finding(system="nrc")}, "findings.0.system: vader → nrc"),
    "a field": ({"findings": finding(more=1)}, "findings.0.more: absent → 1"),
    "a column": ({"table": {"more": [1, 2]}}, "(columns): ['system', 'p', 'n'] → ["),
    "a row": ({"rows": ["vader,0.25", "nrc,1"]}, "(rows): 1 → 2"),
    "a file": ({"extra": ["page.svg"]}, "audit/page.svg  (file): absent → there"),
    "a picture": ({"digests": {"report.html": "ab"}}, "audit/report.html  (digest):  → ab"),
    "an exit code": ({"exit_code": 1}, "exit code: 0 → 1"),
    "a message": ({"stderr": "error: no"}, "stderr, line 1: absent → error: no"),
}


@pytest.mark.parametrize("what", EQUAL)
def test_recordings_are_the_same_but_for(recorded, capsys, what):
    assert same.compare(recorded("old"), recorded("new", **EQUAL[what])) == 0
    assert capsys.readouterr().out == "the same (1 scenarios, numbers to 1e-12)\n"


@pytest.mark.parametrize("what", OTHER)
def test_recordings_differ_in(recorded, capsys, what):
    changed, told = OTHER[what]
    assert same.compare(recorded("old"), recorded("new", **changed)) == 1
    assert told in capsys.readouterr().out


def test_a_column_that_is_gone_is_a_difference(recorded, capsys):
    assert same.compare(recorded("old", table={"more": [1, 2]}), recorded("new")) == 1
    assert "audit/estimates.parquet  (columns)" in capsys.readouterr().out


def test_a_scenario_that_is_in_one_only_is_a_difference_unless_others_are_asked_for(
    recorded, capsys
):
    old, new = recorded("old"), recorded("new")
    (new / "audit").rename(new / "rate")
    assert same.compare(old, new) == 1
    assert "audit  (scenario): recorded → absent" in capsys.readouterr().out
    assert same.compare(old, old, ["audit"]) == 0


def test_what_is_allowed_is_counted_with_its_reason(recorded, capsys, monkeypatch):
    monkeypatch.setattr(same, "ALLOWED", [("audit/*.svg", "(file)", "drawn when asked for")])
    assert same.compare(recorded("old"), recorded("new", extra=["page.svg"])) == 0
    said = capsys.readouterr().out
    assert "allowed: 1 differences of audit/*.svg (file): drawn when asked for" in said


def test_what_fails_in_both_alike_is_listed(recorded, capsys):
    assert same.compare(recorded("old", exit_code=2), recorded("new", exit_code=2)) == 0
    assert "exit 2 in both: audit: tiltmeter audit vader" in capsys.readouterr().out


def test_scenarios_are_chosen_by_name():
    assert same.chosen("rate, plan") == ["rate", "plan"]
    assert same.chosen("") == list(same.SCENARIOS)
    with pytest.raises(SystemExit, match="'rates'; there are audit-names, "):
        same.chosen("rates")


PAGE = """<title>A page</title><style>p {{}}</style><p>Of <b>three</b> systems.</p>
<script type="application/json" id="data">{{"value": {value}}}</script>"""


def test_a_page_is_compared_by_what_it_says_and_carries(tmp_path, capsys):
    def keep(name, page):
        place = tmp_path / "made" / name
        place.mkdir(parents=True)
        (place / "report.html").write_text(page)
        facts = {"recipe": "1", "commands": []}
        same._keep(place, tmp_path / name / "audit", facts)
        return tmp_path / name

    old, redrawn = keep("old", PAGE.format(value=0.5)), PAGE.format(value=0.5).replace("<b>", "<i>")
    assert same.compare(old, keep("same", redrawn.replace("</b>", "</i>"))) == 0
    capsys.readouterr()
    assert same.compare(old, keep("other", PAGE.format(value=0.6).replace("three", "two"))) == 1
    said = capsys.readouterr().out
    assert "line 2: Of three systems. → Of two systems." in said
    assert "data.value: 0.5 → 0.6" in said
