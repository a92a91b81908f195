"""A shared task as its organiser runs it: broken files, gold, a table of teams, many corpora."""

import json
import re

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_corpus

HEAD = "ID\tTweet\tAffect Dimension\tIntensity Score"
LONG = f"EI-reg_en_anger_{'final_' * 12}v2.txt"
GOLD = 40


def sentences(folder, name):
    return load_corpus(folder / f"{name}.toml").sentences()


def written(path, corpora, task, *, tilt=0.0, seed=0, turned=False, gold_turned=False):
    """A submission: labelled tweets first, then the corpora's sentences under SemEval's IDs."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"2018-En-{n:05}", f"tweet {n}", (1 - n / GOLD) if gold_turned else n / GOLD)
        for n in range(GOLD)
    ]
    frame = pl.concat(corpora).unique("text", maintain_order=True)
    own = np.where((frame["emotion"] == task).fill_null(False), 0.7, 0.4)
    female = (frame["gender"] == "female").fill_null(False).to_numpy()
    scores = own + tilt * female + rng.normal(0, 0.005, frame.height)
    texts = zip(frame["text"], 1 - scores if turned else scores, strict=True)
    rows += [(f"2018-En-mystery-{n:05}", *one) for n, one in enumerate(texts)]
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{key}\t{text}\t{task}\t{score:.4f}" for key, text, score in rows]
    path.write_text("\r\n".join([HEAD, *lines, ""]), encoding="utf-8")


@pytest.fixture(scope="module")
def task(at):
    """Eight teams and two tasks over two corpora; some files broken, one turned upside down."""
    at.run("corpus", "new", "one.toml")
    text = (at.folder / "one.toml").read_text(encoding="utf-8")
    name = re.search(r'^name = "(.+)"', text, re.M)[1]
    (at.folder / "one.toml").write_text(text.replace(f'name = "{name}"', 'name = "one"'))
    other = text.replace(f'name = "{name}"', 'name = "two"').replace("feels", "seems")
    (at.folder / "two.toml").write_text(other, encoding="utf-8")
    both = [sentences(at.folder, "one"), sentences(at.folder, "two")]
    handed = at.folder / "handed-in"
    for team in range(8):
        for nth, of in enumerate(("anger", "joy")):
            place = handed / f"team{team}" / f"EI-reg_en_{of}_pred.txt"
            turned = (team, of) in ((2, "anger"), (3, "joy"))
            written(
                place, both, of, tilt=0.2, seed=10 * team + nth, turned=turned,
                gold_turned=(team, of) == (3, "joy"),
            )  # fmt: skip
    (handed / "team4" / "EI-reg_en_joy_pred.txt").write_bytes(b"\0\1")
    (handed / "team5" / LONG).write_text("ID\tscore\n")
    (handed / "team9").mkdir()
    (handed / "team9" / "only.docx").write_bytes(b"PK")
    (handed / "README.md").write_text("Submissions of the shared task.")
    (at.folder / "gold").mkdir()
    for of in ("anger", "joy"):
        rows = [f"2018-En-{n:05}\ttweet {n}\t{of}\t{n / GOLD}" for n in range(GOLD)]
        (at.folder / "gold" / f"{of}.txt").write_text("\n".join([HEAD, *rows, ""]))
    teams = [f"team{n},SVM" for n in range(6)] + ["taem7,LSTM", "team9,GRU"]
    (at.folder / "teams.csv").write_text("\n".join(["team,algorithm", *teams, ""]))
    return at


@pytest.fixture(scope="module")
def out(task, audited):  # noqa: ARG001 - which writes it
    """The folder that the audit wrote."""
    return task.folder / "out"


@pytest.fixture(scope="module")
def audited(task):
    done = task.run(
        "audit", "handed-in", "--corpus", "one.toml", "--corpus", "two.toml", "--gold", "gold",
        "--meta", "teams.csv", "--measure", "pairs", "--individual", "-o", "out", COLUMNS="60",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def visible(page):
    bare = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.S)
    return " ".join(bare.split()).replace("&#39;", "'")


# ---------------------------------------------------------------- the terminal


def test_files_set_aside_come_first_in_one_block_with_whole_names(audited):
    lines = audited.splitlines()
    assert lines[0] == "4 of 19 files are set aside:"
    block = lines[1 : next(n for n, line in enumerate(lines) if n and line[:2] != "  ")]
    assert {f"  team5/{LONG}", "  team4/EI-reg_en_joy_pred.txt"} <= set(block)
    assert any("found a NUL byte" in line for line in block)


def test_what_each_file_held_is_told_for_every_corpus(audited):
    used = re.findall(r"^15 of 19 files used: .* of (one|two)", audited, re.M)
    assert used == ["one", "two"]


def test_names_of_files_are_whole_also_in_notes(audited):
    assert "  team2/EI-reg_en_anger_pred.txt" in audited.splitlines()


def test_gold_overrules_what_the_other_systems_suggest(audited):
    said = " ".join(audited.split())
    # r of gold with itself is 1, of gold turned round −1.
    assert "not upside down: its correlation with the gold scores is 1 (1 to 1), though" in said
    assert "upside down: its correlation with the gold scores is −1 (−1 to −1)" in said
    assert "probably upside down" not in said


def test_teams_that_the_table_and_the_folder_do_not_share_are_named(audited):
    said = " ".join(audited.split())
    assert "teams.csv: taem7 is not among the systems audited; did you mean 'team7'" in said
    assert "teams.csv: team9 is not among the systems audited; its files are set aside" in said
    assert "teams.csv says nothing of team6, team7" in said


# ---------------------------------------------------------------- the pages


def test_a_teams_page_names_its_files_that_were_set_aside_and_nobody_elses(out):
    pages = out / "individual"
    own = visible((pages / "team4.html").read_text(encoding="utf-8"))
    assert "team4/EI-reg_en_joy_pred.txt : found a NUL byte" in own
    assert "team5" not in own
    assert "set aside" not in visible((pages / "team0.html").read_text(encoding="utf-8"))
    nothing = visible((pages / "team9.html").read_text(encoding="utf-8"))
    assert "no file of team9 could be used" in nothing
    assert "found the ending '.docx'" in nothing
    index = pl.read_csv(pages / "index.csv")
    counts = dict(index.select("system", "set_aside").rows())
    assert counts == {f"team{n}": int(n in (4, 5)) for n in range(8)} | {"team9": 1}


def test_headlines_name_the_task_and_count_the_rest(out):
    said = visible((out / "report.html").read_text(encoding="utf-8"))
    assert re.search(r"Tilted: team\d \( ?(anger|joy), [\d.]+ points higher about women", said)
    every = re.search(r"(\d+) of 15 tilt", said)[1]
    named = re.search(r"Tilted: (.+?) and (\d+) more\.", said)
    assert named[1].count("points higher") + int(named[2]) == int(every)
    assert "4 files set aside : what they hold is in no number below." in said
    assert str(out.parent) not in said


# ---------------------------------------------------------------- before the deadline


def test_a_dry_run_of_a_folder_looks_through_it(task):
    done = task.run("audit", "handed-in", "--corpus", "one.toml", "--dry-run", "-o", "dry")
    assert done.returncode == 2, done.stderr
    assert "  team5/" + LONG in done.stdout.splitlines()
    assert "Problems in 6 of 19 files" in done.stdout
    assert "Nothing was scored: this was a dry run." in done.stdout
    assert not (task.folder / "dry").exists()
    scored = task.run("score", "handed-in", "--corpus", "one.toml", "--dry-run")
    assert scored.returncode == 2
    assert "Problems in 6 of 19 files" in scored.stdout


def test_one_sound_file_has_no_problem(task):
    file = "handed-in/team0/EI-reg_en_joy_pred.txt"
    done = task.run("check-submissions", file, "--corpus", "one.toml", "--gold", "gold")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No problem found in 1 file" in done.stdout
    assert not (task.folder / "tiltmeter-out").exists()


def test_what_is_wrong_with_a_file_is_said_before_the_deadline(task):
    lines = (task.folder / "handed-in/team0/EI-reg_en_joy_pred.txt").read_text().split("\n")
    kept = [line for nth, line in enumerate(lines) if nth not in (3, 60, 61)]
    (task.folder / "mine_joy.txt").write_text("\n".join(kept))
    said = ("mine_joy.txt", "--corpus", "one.toml", "--gold", "gold", "--scale", "0:0.5")
    done = task.run("check-submissions", *said, "--json", "-")
    assert done.returncode == 2, done.stderr
    (check,) = json.loads(done.stdout)["checks"]
    (file,) = check["files"]
    assert file["used"]
    assert file["missing"] == 2
    told = "; ".join(file["problems"])
    assert "2 sentences of the corpus without a score" in told
    assert "outside 0 to 0.5" in told
    assert "joy: its skill rests on 39 of 40 gold texts" in told
    assert check["problems"] == len(file["problems"]) == 3


@pytest.mark.parametrize("what", ["nowhere.csv", "handed-in/team9/only.docx"])
def test_what_cannot_be_read_at_all_is_a_problem_too(task, what):
    done = task.run("check-submissions", what, "--corpus", "one.toml")
    assert done.returncode == 2
    assert "cannot be used: found" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_task_selects_files_and_those_of_other_tasks_are_no_problem(task):
    teams = [f"handed-in/team{team}" for team in (0, 1)]
    done = task.run("check-submissions", *teams, "--corpus", "one.toml", "--task", "joy")
    assert done.returncode == 0, done.stdout
    assert "No problem found in 2 files" in done.stdout
    assert "2 files hold no task named with --task, only anger" in done.stdout
    none = task.run("check-submissions", *teams, "--corpus", "one.toml", "--task", "fear")
    assert none.returncode == 2
    assert "--task asks for fear" in none.stdout
    unknown = task.run("check-submissions", *teams, "--corpus", "one.toml", "--scale", "taem=0:1")
    assert unknown.returncode == 2
    assert "--scale is given for 'taem', which is not here" in unknown.stderr


def test_a_task_by_itself_is_on_the_scale_of_all_its_systems_files(task):
    both = [sentences(task.folder, "one")]
    team = task.folder / "below" / "team"
    for of, tilt in (("anger", 0.0), ("joy", -1.0)):
        written(team / f"EI-reg_en_{of}_pred.txt", both, of, tilt=tilt)
    for tasks in ((), ("--task", "anger")):
        done = task.run("score", "below", "--corpus", "one.toml", *tasks)
        assert done.returncode == 0, done.stderr
        assert re.search(r"^team +anger .* −1 to 1, inferred$", done.stdout, re.M), done.stdout
        assert "set aside" not in done.stdout


def test_a_wide_table_is_checked_column_by_column(task):
    frame = sentences(task.folder, "one")
    gap = pl.Series([None, *range(1, frame.height)]) / frame.height
    wide = frame.select("id", whole=pl.int_range(pl.len()) / pl.len(), gap=gap)
    wide.write_csv(task.folder / "wide.csv")
    words = ("check-submissions", "wide.csv", "--corpus", "one.toml", "--systems-in")
    sound, wrong = task.run(*words, "whole"), task.run(*words, "whole,gap")
    assert (sound.returncode, sound.stderr) == (0, "")
    assert wrong.returncode == 2
    assert "1 sentence of the corpus without a score" in wrong.stdout
