"""`tiltmeter skill` says which places the texts allow, and never a bare rank."""

from typer.testing import CliRunner

from tiltmeter.cli import app


def skill(tmp_path, *systems):
    rows = [f"day {n} was {word},{score}{n % 9}" for n in range(30)
            for word, score in (("good", "0.8"), ("sad", "0.2"), ("fine", "0.6"))]  # fmt: skip
    gold = tmp_path / "gold.csv"
    gold.write_text("\n".join(["text,score", *rows]), encoding="utf-8")
    ran = CliRunner().invoke(
        app, ["skill", *systems, "--gold", str(gold), "--store", str(tmp_path / "store")]
    )
    assert ran.exit_code == 0, ran.output
    return " ".join(ran.output.split())


def test_places_stand_below_several_systems(tmp_path):
    said = skill(tmp_path, "vader", "senticnet")
    assert "Places by Pearson that the texts allow: vader 1, senticnet 2, of 2." in said


def test_one_system_has_no_place(tmp_path):
    assert "Places" not in skill(tmp_path, "vader", "constant")  # a constant has no correlation
