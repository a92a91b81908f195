"""An audit as a user types it: findings on the terminal, a folder, and clear refusals."""

import json
import sys

import numpy as np
import polars as pl
import pytest

from many_groups import write_many_groups
from tiltmeter import load_corpus
from tiltmeter.schemas import ESTIMATES, FINDINGS, SCORES, SENTENCES, validate

CORPUS = """
[corpus]
name = "small"
title = "A small corpus"
language = "en"
[axes]
gender = ["female", "male"]
age = ["young", "middle", "old"]
[[people]]
list = "kin"
members = [
  { subject = "my sister", gender = "female", match = "sister/brother" },
  { subject = "my brother", gender = "male", match = "sister/brother" },
  { subject = "my aunt", gender = "female", match = "aunt/uncle" },
  { subject = "my uncle", gender = "male", match = "aunt/uncle" },
]
[[people]]
list = "ages"
match = "ages"
members = [
  { subject = "the young one", age = "young" },
  { subject = "the one of fifty", age = "middle" },
  { subject = "the old one", age = "old" },
]
[[words]]
list = "state"
anger = ["angry", "furious", "annoyed"]
[[templates]]
id = "1"
text = "{person} feels {state}."
[[templates]]
id = "2"
text = "I saw {person} yesterday."
"""

SMALL = ("--sample", "4", "--measure", "pairs")
"""Enough of an audit where its numbers do not matter."""
KEYS = [
    "id", "system", "task", "corpus", "edition", "mode", "axis", "contrast", "subset", "measure",
    "value", "low", "high", "p", "p_adjusted", "family", "n", "significance", "verdict", "margin",
    "rule", "sentence",
]  # fmt: skip


@pytest.fixture(scope="module")
def done(at):
    """One audit that many tests look at."""
    result = at.run("audit", "vader", "constant", "tilted:gender=0.03", "-o", "out", "--figures")
    assert result.returncode == 0, result.stderr
    return result


def test_the_terminal_shows_size_direction_and_certainty_within_80_columns(done):
    for title in (
        "gender, by names: sentences about women and the same sentences about men",
        "gender, by couples: sentences about women and the same sentences about men",
        "race, by names: sentences with African American names",
    ):
        assert title in done.stdout
    row = next(line for line in done.stdout.splitlines() if "tilted" in line)
    assert "3.0" in row
    assert "about women" in row
    assert "40 of 40" in row  # each name lies 1.5 points from the middle one
    vader = next(line for line in done.stdout.splitlines() if "vader" in line)
    assert vader.split()[-4:] == ["1", "of", "40", "undecided"]
    assert "0 of 1 tilted, 1 undecided. Controls apart: constant" in " ".join(done.stdout.split())
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert done.stdout.splitlines()[-1] == "The report is in out/report.html"


@pytest.mark.usefixtures("done")
def test_the_folder_is_as_the_contract_says(at):
    out = at.folder / "out"
    expected = {
        "report.html", "findings.json", "estimates.parquet", "scores.parquet", "sentences.parquet",
        "people.parquet", "run.json", "tables", "figures", "model-cards",
    }  # fmt: skip
    assert {path.name for path in out.iterdir()} == expected
    for name in ("table5-gender-all", "table6-gender-neutral", "table7-race-all"):
        assert (out / "tables" / f"{name}.csv").exists()
        assert (out / "tables" / f"{name}.tex").exists()
    for name in ("figure1-gender-valence", "figure2-race-valence"):
        assert (out / "figures" / f"{name}.svg").exists()
        assert (out / "figures" / f"{name}.png").exists()


@pytest.mark.usefixtures("done")
def test_the_tables_in_the_folder_keep_their_schemas(at):
    for table in (SENTENCES, SCORES, ESTIMATES):
        validate(pl.read_parquet(at.folder / "out" / f"{table.name}.parquet"), table)


@pytest.mark.usefixtures("done")
def test_findings_json_has_the_contract_s_keys_in_order(at):
    found = json.loads((at.folder / "out" / "findings.json").read_text())
    assert list(found) == ["schema_version", "environment", "run", "findings"]
    assert list(found["findings"][0]) == KEYS
    frame = pl.DataFrame(found["findings"], infer_schema_length=None)
    validate(frame.drop("moved", "next"), FINDINGS)
    control = frame.filter(pl.col("system") == "tilted:gender=0.03").sort("axis")
    judged = control.filter(pl.col("measure") == "tilt")
    assert judged["subset"].to_list() == ["names", "couples", "names"]
    assert judged["verdict"].to_list() == ["undecided"] * 3  # ten couples carry no more
    assert judged["margin"].to_list() == [0.01] * 3
    control = control.filter(pl.col("subset") == "all")
    planted = control.filter(pl.col("measure") == "mean_difference")
    assert planted["verdict"].to_list() == [None, None]
    assert planted["value"].to_list() == pytest.approx([0.03, 0.0], abs=1e-9)
    assert planted["significance"].to_list() == ["up", "none"]
    assert planted["family"].to_list() == [2, 2]  # 1 system × 2 axes: controls do not count


@pytest.mark.usefixtures("done")
def test_the_same_scores_give_the_same_findings_to_the_byte(at):
    again = at.run(
        "audit", "vader", "constant", "tilted:gender=0.03", "-o", "again", "--workers", "1"
    )
    assert again.returncode == 0, again.stderr
    first, second = (
        json.loads((at.folder / name / "findings.json").read_text()) for name in ("out", "again")
    )
    assert first.pop("environment") != second.pop("environment")
    assert json.dumps(first) == json.dumps(second)


def test_json_on_standard_output_is_only_json(at):
    result = at.run("audit", "constant", *SMALL, "-o", "json-out", "--json", "-")
    assert json.loads(result.stdout)["findings"]
    assert "The report is in json-out/report.html" in result.stderr


def test_json_goes_to_a_file_where_one_is_named(at):
    assert (
        at.run("audit", "constant", *SMALL, "-q", "-o", "json-file", "--json", "f.json").returncode
        == 0
    )
    written = (at.folder / "f.json").read_text()
    assert written == (at.folder / "json-file" / "findings.json").read_text()


def test_quiet_prints_nothing(at):
    result = at.run("audit", "constant", *SMALL, "-q", "-o", "quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_folder_that_is_not_ours_is_left_alone_without_force(at):
    theirs = at.folder / "theirs"
    theirs.mkdir()
    (theirs / "thesis.txt").write_text("years of work")
    refused = at.run("audit", "constant", "-o", "theirs")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert [path.name for path in theirs.iterdir()] == ["thesis.txt"]
    assert at.run("audit", "constant", *SMALL, "-o", "theirs", "--force", "-q").returncode == 0
    assert (theirs / "thesis.txt").read_text() == "years of work"
    assert (
        at.run("audit", "constant", *SMALL, "-o", "theirs", "-q").returncode == 0
    )  # now it is ours


def test_a_corpus_with_three_groups_compares_every_pair_of_them(at):
    (at.folder / "small.toml").write_text(CORPUS)
    result = at.run("audit", "vader", "--corpus", "small.toml", "-o", "small", "--json", "-")
    assert result.returncode == 0, result.stderr
    found = pl.DataFrame(json.loads(result.stdout)["findings"], infer_schema_length=None)
    compared = found.filter(subset="all", axis="age", measure="mean_difference")
    contrasts = compared["contrast"].to_list()
    assert contrasts == ["young-middle", "young-old", "middle-old"]
    against = at.run(
        "audit", "vader", "--corpus", "small.toml", "-o", "small", "--json", "-",
        "--reference", "age=middle",
    )  # fmt: skip
    found = pl.DataFrame(json.loads(against.stdout)["findings"], infer_schema_length=None)
    compared = found.filter(subset="all", axis="age", measure="mean_difference")
    assert compared["contrast"].to_list() == ["young-middle", "old-middle"]


def test_several_corpora_share_one_family(at):
    (at.folder / "small.toml").write_text(CORPUS)
    result = at.run(
        "audit", "constant", "--corpus", "small.toml", "--corpus", "eec", "-o", "two", "--json", "-"
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)["findings"]
    main = [one for one in found if one["subset"] == "all"]
    assert {one["corpus"] for one in main} == {"small", "eec"}
    assert {one["family"] for one in main} == {6}  # gender and three of age; gender and race


def test_the_paper_s_family_is_kept_where_it_is_given(at):
    result = at.run("audit", "constant", *SMALL, "--family", "438", "-o", "paper", "--json", "-")
    found = json.loads(result.stdout)["findings"][0]
    assert found["family"] == 438
    assert "438 comparisons, a number given by the user" in found["rule"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--subset", "neutrl"), "did you mean 'neutral'"),
        (("--correction", "bonferoni"), "did you mean 'bonferroni'"),
        (("--mode", "paper"), "expected one of corrected, published"),
        (("--family", "0"), "--family needs at least 1"),
        (("--level", "5"), "between 0 and 1"),
        (("--reference", "race"), "expected AXIS=GROUP"),
        (("--reference", "rase=Anglo"), "did you mean 'race'"),
        (("--reference", "gender=woman"), "has no group 'woman'"),
        (("--corpus", "ecc"), "did you mean"),
        (("--gold", "nowhere.csv"), "nowhere.csv"),
        (("--meta", "nowhere.csv"), "nowhere.csv"),
        (("--rank-by", "kendall"), "pearson"),
        (("--task", "hapiness"), "hapiness"),
    ],
)
def test_a_slip_is_one_clear_message_and_leaves_nothing_behind(at, arguments, what):
    result = at.run("audit", "constant", "-o", "slip", *arguments)
    assert result.returncode == 2, result.stdout
    assert what in result.stderr
    assert "Traceback" not in result.stderr
    assert not (at.folder / "slip").exists()


def test_an_unknown_system_is_named_with_the_nearest(at):
    result = at.run("audit", "vadr", "-o", "slip")
    assert result.returncode == 2
    assert "did you mean 'vader'" in result.stderr


def test_a_dry_run_asks_nothing_and_writes_nothing(at):
    result = at.run("audit", "vader", "--dry-run", "-o", "dry", "--store", "empty-store")
    assert "Nothing was scored: this was a dry run." in result.stdout
    assert not (at.folder / "dry").exists()


def test_a_dry_run_counts_the_gold_texts_too(at):
    (at.folder / "gold.csv").write_text("text,score\nI am glad.,0.9\nI am sad.,0.1\nSo so.,0.5\n")
    result = at.run(
        "audit", "vader", "--dry-run", "-o", "dry", "--store", "empty-store", "--gold", "gold.csv"
    )
    assert result.returncode == 0, result.stderr
    assert "8,643" in result.stdout


def test_secrets_on_the_command_line_are_not_written_down(at):
    script = "import sys, json\nfor line in sys.stdin: print(json.dumps(0.5), flush=True)\n"
    (at.folder / "same.py").write_text(script)
    spec = f"cmd:{sys.executable} same.py --api-key hunter2secret"
    result = at.run("audit", spec, "--sample", "2", "-o", "secret", "--scale", "0:1")
    assert result.returncode == 0, result.stderr
    for path in (at.folder / "secret").rglob("*.json"):
        written = json.loads(path.read_text())
        assert "--api-key" in written["environment"]["command"]
        assert "hunter2secret" not in written["environment"]["command"]


def submissions(folder, tasks, teams):
    """A folder of submissions as SemEval's are, with tilts of three known kinds."""
    rng = np.random.default_rng(4)
    eec = load_corpus("eec").sentences()
    female = (eec["gender"] == "female").fill_null(False).to_numpy()
    for team in range(teams):
        shift = (0.0, 0.02, -0.02)[team % 3]
        for task in tasks:
            scores = np.clip(0.5 + rng.normal(0, 0.02, eec.height) + shift * female, 0, 1)
            frame = eec.select(
                pl.col("id").alias("ID"), pl.col("text").alias("Tweet"),
                pl.lit(task).alias("Affect Dimension"),
                pl.Series("Intensity Score", scores.round(4)),
            )  # fmt: skip
            path = folder / f"team{team}" / f"EI-reg_en_{task}_pred.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            frame.write_csv(path, separator="\t", quote_style="never")


def test_a_folder_of_submissions_is_many_systems_over_several_tasks(at):
    submissions(at.folder / "submissions", ("anger", "joy"), 6)
    (at.folder / "systems.csv").write_text(
        "system,team,algorithm,features\n"
        + "".join(f"team{n},T{n},{'SVM' if n % 2 else 'LSTM'},lexicons;ngrams\n" for n in range(6))
    )
    result = at.run("audit", "submissions", "-o", "task", "--individual", "--meta", "systems.csv")
    assert result.returncode == 0, result.stderr
    found = json.loads((at.folder / "task" / "findings.json").read_text())["findings"]
    kinds = {
        (one["system"], one["task"]): one["significance"]
        for one in found
        if one["subset"] == "all" and one["axis"] == "gender"
    }
    for team in range(6):
        for task in ("anger", "joy"):
            assert kinds[f"team{team}", task] == ("none", "up", "down")[team % 3]
    table = pl.read_csv(at.folder / "task" / "tables" / "table5-gender-all.csv")
    assert table["task"].unique(maintain_order=True).to_list() == ["anger", "joy"]
    pages = sorted(path.name for path in (at.folder / "task" / "individual").glob("*.html"))
    assert pages == [f"team{n}.html" for n in range(6)]
    assert "SVM" in (at.folder / "task" / "tables" / "families.csv").read_text()


def wide_table(folder, *columns):
    """One row a sentence of a few frames of the EEC, one column a system."""
    sentences = load_corpus("eec").sentences()
    frames = sentences["frame"].unique(maintain_order=True).gather_every(12).to_list()
    some = sentences.filter(pl.col("frame").is_in(frames))
    women = (some["gender"] == "female").fill_null(False).to_numpy()
    rng = np.random.default_rng(0)
    wide = some.select(*columns).with_columns(
        mild=pl.Series(0.5 + rng.normal(0, 0.01, some.height)),
        stars=pl.Series(3 + 0.4 * women + rng.normal(0, 0.05, some.height)),
        remarks=pl.lit("none"),
    )
    wide.write_csv(folder / "wide.csv")


OF_A_SENTENCE = ("text", "template", "person", "gender", "race", "emotion", "emotion_word")


def test_a_wide_table_is_corpus_and_scores_in_one(at):
    wide_table(at.folder, "id", *OF_A_SENTENCE)
    done = at.run("audit", "--scores", "wide.csv", "--systems-in", "mild,stars", "--measure",
                  "pairs", "-o", "wide", "--store", "store")  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = json.loads((at.folder / "wide" / "run.json").read_text())["run"]
    assert [one["name"] for one in run["corpora"]] == ["wide"]
    assert {one["system"]: one["scale"] for one in run["systems"]} == {
        "mild": "0 to 1", "stars": None,
    }  # fmt: skip
    assert "720 rows, 1,440 scores in them of the corpus" in done.stdout


def test_a_wide_table_of_ids_and_scores_is_joined_to_the_corpus(at):
    wide_table(at.folder, "id")
    done = at.run("audit", "wide.csv", "--systems-in", "mi*", "--measure", "pairs", "-o", "ids",
                  "--store", "store", "--max-missing", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = json.loads((at.folder / "ids" / "run.json").read_text())["run"]
    assert [one["name"] for one in run["corpora"]] == ["eec"]


def test_a_text_column_among_the_systems_is_named(at):
    wide_table(at.folder, "id", *OF_A_SENTENCE)
    done = at.run(
        "audit", "--scores", "wide.csv", "--systems-in", "mild,remarks", "-o", "unwritten"
    )
    assert done.returncode == 2
    assert "the column 'remarks' holds text, as in line 2: 'none'" in done.stderr
    assert not (at.folder / "unwritten").exists()
    wide_table(at.folder, "id")  # and nothing of a corpus that the table was never meant to be
    bare = at.run(
        "audit", "--scores", "wide.csv", "--systems-in", "mild,remarks", "-o", "unwritten"
    )
    assert bare.returncode == 2
    assert len(bare.stderr.splitlines()) == 2, bare.stderr


def test_a_table_that_is_neither_told_why(at):
    (at.folder / "wide.csv").write_text("text,mild\nSomething else.,0.5\nAnother.,0.1\n")
    done = at.run("audit", "--scores", "wide.csv", "--systems-in", "mild", "-o", "unwritten")
    assert done.returncode == 2
    assert "no column says who belongs to which group" in done.stderr


def test_no_system_is_one_message(at):
    done = at.run("audit", "-o", "nothing")
    assert done.returncode == 2
    assert "there is no system" in done.stderr


def test_many_groups_are_one_table_beside_their_average_and_all_pairs_brings_every_two(at):
    write_many_groups(at.folder, 5, people=2, every=24, tasks=("joy",))
    words = ("audit", "sys.csv", "--corpus", "table.csv", "--measure", "pairs")
    done = at.run(*words, "-o", "many", "--figures")
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "race, by names: sentences of each of 5 groups and the same sentences of all" in told
    assert "than average" in told
    assert "of 5 tilted" in told
    assert told.count("G01") >= 1
    every = at.run(*words, "--all-pairs", "-o", "every")
    assert every.returncode == 0, every.stderr
    assert every.stdout.count("race, by names: sentences marked") == 10
    assert len(list((at.folder / "many" / "figures").iterdir())) == 4
