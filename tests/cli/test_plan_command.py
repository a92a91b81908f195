"""`tiltmeter plan` as a user types it."""

import json
import sys

import pytest

from tiltmeter.cli import main


@pytest.fixture
def tiltmeter(tmp_path, monkeypatch, capsys):
    """Runs the command in this process; returns its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTMETER_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["tiltmeter", "plan", *words])
        with pytest.raises(SystemExit) as done:
            main()
        shown = capsys.readouterr()
        return done.value.code or 0, shown.out, shown.err

    return run


def test_small_tables_within_eighty_columns(tiltmeter):
    code, shown, _ = tiltmeter("--margin", "0.01", "--corpus", "eec")
    assert code == 0
    assert max(map(len, shown.splitlines())) <= 80
    told = " ".join(shown.split())
    for part in ("What eec (corrected) can tell", "even within tilted from", "drawn by lot",
                 "names-us", "80 % power",
                 "level 0.05 after Bonferroni correction for 3 claims",
                 "names a cell show even within 1.0 what does not tilt"):  # fmt: skip
        assert part in told


def test_systems_with_their_own_spreads(tiltmeter):
    code, shown, _ = tiltmeter("vader", "constant", "--margin", "race=0.02", "-q")
    assert (code, shown) == (0, "")
    _, shown, _ = tiltmeter("vader", "constant", "--margin", "race=0.02", "--reuse", "stored")
    assert max(map(len, shown.splitlines())) <= 80
    told = " ".join(shown.split())
    assert "How far these systems tell people apart" in told
    assert "constant on gender" in told
    assert "What more names would tell of vader, drawn by lot from names-us" in told
    assert "may be" in told


def test_people_of_a_population(tiltmeter):
    code, shown, _ = tiltmeter("--corpus", "names-us", "--people", "20", "--json", "-")
    told = json.loads(shown)
    assert code == 0
    names = [row for row in told["rows"] if row["contrast"] == "Black-White"]
    assert [row["people"] for row in names] == [80]
    couples = [row for row in told["rows"] if row["kind"] == "couples"]
    assert couples[0]["people"] == 42


def test_json_has_every_number_and_what_determines_it(tiltmeter):
    code, shown, _ = tiltmeter("--sd-people", "0.01", "--family", "438", "--json", "-")
    told = json.loads(shown)
    assert code == 0
    assert told["plan"]["family"] == 438
    assert told["plan"]["spreads"]["people"] == 0.01
    assert [row["axis"] for row in told["rows"]] == ["gender", "gender", "race"]
    assert {"se", "df", "half_width", "tilted_from", "even_within", "needed_people", "kind"} <= {
        *told["rows"][0]
    }
    assert {"population", "people", "census", "sentences", "half_width_high"} <= {*told["more"][0]}


def test_several_groups_are_told_apart_by_contrast(tiltmeter, tmp_path):
    rows = ["text,age,person,template"]
    rows += [
        f"{who} {nth} is here {place}.,{who},{who} {nth},{place}"
        for place in "abc" for who in ("young", "middle", "old") for nth in range(3)
    ]  # fmt: skip
    (tmp_path / "ages.csv").write_text("\n".join(rows))
    code, shown, said = tiltmeter("--corpus", "ages.csv")
    assert code == 0, said
    told = " ".join(shown.split())
    assert all(name in told for name in ("middle-old", "middle-young", "old-young"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--margin", "1"), "margin"),
        (("--sd-noise", "2"), "the standard deviation of noise is 2"),
        (("vader", "--sd-noise", "0.1"), "leave out the assumed standard deviations"),
        (("--from", "nowhere"), "there is no such folder"),
        (("--from", "nowhere", "vader"), "give one of them"),
        (("--corpus", "ecc"), "did you mean 'eec'"),
        (("--people", "20"), "population"),
        (("--from", "nowhere", "--people", "20"), "leave them out"),
        (("vadr",), "vader"),
    ],
)
def test_what_cannot_be_planned_is_one_message(tiltmeter, words, said):
    code, _, error = tiltmeter(*words)
    assert code == 2
    assert said in error
    assert "Traceback" not in error
