"""Embeddings assessed as a user types it: a table, a folder, clear refusals."""

import json
import math

import polars as pl
import pytest

QUICK = ("--resamples", "60", "--lexicon", "vader")


@pytest.fixture(scope="module")
def done(at):
    """One study that many tests look at."""
    result = at.run(
        "embeddings", "glove-6b-50d", *QUICK, "--terms", "national-origin,race-names", "-o", "out"
    )
    assert result.returncode == 0, result.stderr
    return result


def test_the_terminal_shows_rnsb_beside_ordinary_words_within_80_columns(done):
    lines = done.stdout.splitlines()
    header = next(line for line in lines if line.startswith("terms"))
    assert header.split() == [
        "terms", "RNSB", "95", "%", "interval", "ordinary", "p", "highest"
    ]  # fmt: skip
    row = next(line for line in lines if line.startswith("race-names"))
    assert float(row.split()[1]) > 0
    assert all(len(line) <= 80 for line in lines)
    assert any("Lexicon: VADER's lexicon" in line for line in lines)
    assert lines[-1] == "The report is in out/embeddings.html"


@pytest.mark.usefixtures("done")
def test_the_folder_is_as_the_contract_says(at):
    out = at.folder / "out"
    assert {path.name for path in out.iterdir()} == {
        "embeddings.html", "embeddings.json", "run.json", "tables", "figures",
    }  # fmt: skip
    for name in ("table-1", "rnsb", "terms", "groups", "correlations", "classifiers", "weat"):
        assert (out / "tables" / f"{name}.csv").exists(), name
    assert (out / "tables" / "table-1.tex").exists()
    assert list((out / "figures").glob("*.svg"))


@pytest.mark.usefixtures("done")
def test_the_json_and_the_tables_hold_the_same_numbers(at):
    told = json.loads((at.folder / "out" / "embeddings.json").read_text())
    [one] = told["embeddings"]
    table = pl.read_csv(at.folder / "out" / "tables" / "rnsb.csv")
    assert [each["rnsb"] for each in one["lists"]] == pytest.approx(table["rnsb"].to_list())
    assert told["run"]["lexicon"]["name"] == "vader"


@pytest.mark.usefixtures("done")
def test_the_same_study_again_gives_the_same_bytes_but_for_the_environment(at):
    at.run("embeddings", "glove-6b-50d", *QUICK, "--terms", "national-origin,race-names",
           "-o", "again")  # fmt: skip
    first, second = (
        json.loads((at.folder / folder / "embeddings.json").read_text())
        for folder in ("out", "again")
    )
    first.pop("environment"), second.pop("environment")
    assert json.dumps(first) == json.dumps(second)


def test_json_can_be_printed_alone(at):
    result = at.run("embeddings", "glove-6b-50d", *QUICK, "--terms", "religion", "--weat", "none",
                    "--json", "-", "-o", "printed")  # fmt: skip
    assert json.loads(result.stdout)["embeddings"][0]["lists"][0]["list"] == "religion"


def test_quiet_prints_nothing(at):
    result = at.run("embeddings", "glove-6b-50d", *QUICK, "--terms", "religion", "--weat", "none",
                    "-q", "-o", "quiet")  # fmt: skip
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0)


def test_where_no_list_has_a_number_the_report_is_written_and_the_exit_code_is_4(at):
    (at.folder / "nobody.toml").write_text(
        '[list]\nname = "nobody"\ntitle = "Nobody"\nlanguage = "en"\nsource = "ours"\n'
        '[[terms]]\nwords = ["qwrtz", "zxcvb", "poiuz"]\n'
    )
    result = at.run("embeddings", "glove-6b-50d", *QUICK, "--terms", "nobody.toml", "--weat",
                    "none", "-o", "refused")  # fmt: skip
    assert result.returncode == 4
    assert "0 of 3 terms are there" in " ".join(result.stdout.split())
    assert (at.folder / "refused" / "embeddings.html").exists()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.txt", b"", "is empty (0 bytes)"),
        ("page.txt", b"<!DOCTYPE html><p>404", "is a web page (HTML)"),
        ("short.bin", b"100 50\nword " + b"\x00" * 37, "cut short"),
        ("notes.docx", b"PK\x03\x04", "cannot tell the format from the ending"),
        ("danger.pkl", b"\x80\x04cos\nsystem\n.", "pickle"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_message_and_exit_code_2(at, name, content, told):
    (at.folder / name).write_bytes(content)
    result = at.run("embeddings", name, *QUICK, "-o", "none")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert not (at.folder / "none").exists()


def test_help_has_examples(at):
    result = at.run("embeddings", "--help")
    assert "Example: tiltmeter embeddings glove-6b-50d -o out" in " ".join(result.stdout.split())


@pytest.mark.parametrize("negative", [60, 240])
def test_a_lexicon_with_more_negative_words_gives_the_same_rnsb(at, negative):
    # Good words at −1, bad ones at +1, both of the same weight: with ridge n / (1 + e) the slope is
    # 1 and the intercept 0 (tests/stats/test_ridge_logistic.py), so terms at the log-odds of
    # 0.2, 0.4 and 0.6 have RNSB (1/6) ln(1/2) + (1/2) ln(3/2) = 0.0872, however many are bad.
    good, bad = ([f"{side}{n}" for n in range(many)] for side, many in (("g", 60), ("b", negative)))
    places = dict.fromkeys(good, -1.0) | dict.fromkeys(bad, 1.0)
    places |= {f"term{10 * p:.0f}": math.log(p / (1 - p)) for p in (0.2, 0.4, 0.6)}
    lines = [f"{word} {place!r} 0.0 0.0\n" for word, place in places.items()]
    (at.folder / "planted.txt").write_text("".join(lines))
    (at.folder / "words.toml").write_text(
        f'[lexicon]\nname = "w"\ntitle = "W"\nlanguage = "en"\nsource = "ours"\n'
        f"positive = {good}\nnegative = {bad}\n"
    )
    (at.folder / "terms.toml").write_text(
        '[list]\nname = "three"\ntitle = "Three"\nlanguage = "en"\nsource = "ours"\n'
        '[[terms]]\nwords = ["term2", "term4", "term6"]\n'
    )
    out = f"ratio-{negative}"
    result = at.run("embeddings", "planted.txt", "--lexicon", "words.toml", "--terms", "terms.toml",
                    "--ridge", repr((60 + negative) / (1 + math.e)), "--weat", "none",
                    "--resamples", "40", "-o", out)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "words, balanced: both weigh the same." in " ".join(result.stdout.split())
    [one] = json.loads((at.folder / out / "embeddings.json").read_text())["embeddings"]
    assert one["lists"][0]["rnsb"] == pytest.approx(math.log(0.5) / 6 + math.log(1.5) / 2, abs=1e-6)
    assert one["classifier"]["classes"] == "balanced"
    assert "balanced: both weigh the same" in (at.folder / out / "embeddings.html").read_text()
