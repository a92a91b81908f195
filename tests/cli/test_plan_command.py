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
    for part in ("What there is in eec (corrected)", "tilted from even within", "1,584",
                 "80 % power", "level 0.05 after Bonferroni correction for 2 comparisons",
                 "no number of templates alone would do: people and words contribute"):  # fmt: skip
        assert part in told


def test_systems_with_their_own_noise(tiltmeter):
    code, shown, _ = tiltmeter("vader", "constant", "--margin", "race=0.02", "-q")
    assert (code, shown) == (0, "")
    _, shown, _ = tiltmeter("vader", "constant", "--margin", "race=0.02", "--reuse", "stored")
    assert max(map(len, shown.splitlines())) <= 80
    told = " ".join(shown.split())
    assert "The noise of these systems" in told
    assert "it scores the groups alike in every pair" in told
    assert "vader race ±2.0" in told
    assert "vader gender ±1.0 enough enough enough" in told


def test_json_has_every_number_and_what_determines_it(tiltmeter):
    code, shown, _ = tiltmeter("--sd-people", "0.01", "--family", "438", "--json", "-")
    told = json.loads(shown)
    assert code == 0
    assert told["plan"]["family"] == 438
    assert told["plan"]["noise"]["people"] == 0.01
    assert [row["axis"] for row in told["rows"]] == ["gender", "race"]
    assert {"se", "df", "tilted_from", "even_within", "needed_people", "both_templates"} <= {
        *told["rows"][0]
    }


def test_several_groups_are_told_apart_by_contrast(tiltmeter, tmp_path):
    rows = ["text,age,person,template"]
    rows += [
        f"{who} {nth} is here {place}.,{who},{who} {nth},{place}"
        for place in "abc" for who in ("young", "middle", "old") for nth in range(3)
    ]  # fmt: skip
    (tmp_path / "ages.csv").write_text("\n".join(rows))
    code, shown, said = tiltmeter("--corpus", "ages.csv")
    assert code == 0, said
    told = shown.partition("What it can tell")[2]
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
        (("vadr",), "vader"),
    ],
)
def test_what_cannot_be_planned_is_one_message(tiltmeter, words, said):
    code, _, error = tiltmeter(*words)
    assert code == 2
    assert said in error
    assert "Traceback" not in error
