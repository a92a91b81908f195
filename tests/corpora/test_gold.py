"""Gold scores as people have them: SemEval's files, tables of any kind, and their faults."""

import os
from pathlib import Path

import polars as pl
import pytest

from tiltmeter.columns import TASKS
from tiltmeter.corpora import read_gold
from tiltmeter.errors import CorpusError
from tiltmeter.systems import TASKS as KNOWN_TASKS

SEMEVAL = Path(__file__).parents[3] / "shared" / "data" / "semeval2018"
needs_semeval = pytest.mark.skipif(not SEMEVAL.is_dir(), reason=f"no SemEval data in {SEMEVAL}")

HEAD = "ID\tTweet\tAffect Dimension\tIntensity Score\r\n"
ROWS = (
    "2018-En-1\tI am \"fine\tanger\t0.100\r\n"
    "2018-En-2\t\"All of it in quotes\"\tanger\t0.700\r\n"
    "2018-En-3\tWhat a mystery this is!\tanger\t0.400\r\n"
)  # fmt: skip


@pytest.fixture
def written(tmp_path):
    def written(text, name="gold.csv", encoding="utf-8"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode(encoding))
        return path

    return written


def problems(path):
    with pytest.raises(CorpusError) as caught:
        read_gold(path)
    assert str(caught.value).startswith("the gold scores cannot be used")
    return [str(problem) for problem in caught.value.problems]


# ---------------------------------------------------------------- SemEval's own files


@pytest.mark.parametrize("name", ["2018-EI-reg-En-anger-test-gold.txt", "anger.tsv"])
def test_semeval_s_files_have_a_bom_and_quotes_that_are_letters(name, written):
    gold = read_gold(written("\ufeff" + HEAD + ROWS, name))
    assert gold.frame["text"].to_list() == [
        'I am "fine', '"All of it in quotes"', "What a mystery this is!",
    ]  # fmt: skip
    assert gold.frame["score"].to_list() == [0.1, 0.7, 0.4]
    assert gold.tasks == ("anger",)
    assert gold.called("anger") == Path(name).stem


ARCHIVE = {"English": "En", "Spanish": "Es", "Arabic": "Ar"}
PARTS = {"training": "train", "development": "dev", "test-gold": "test-gold"}


@pytest.fixture
def archive(tmp_path):
    """SemEval-2018's archive as it unpacks: languages, kinds and parts in folders of their own."""
    root = tmp_path / "SemEval2018-Task1-all-data"
    for language, code in ARCHIVE.items():
        for kind in ("reg", "oc"):
            for folder, part in PARTS.items():
                place = root / language / f"EI-{kind}" / folder
                place.mkdir(parents=True)
                rows = ROWS.replace("2018-En", f"{part}-{code}")
                head = HEAD if kind == "reg" else HEAD.replace("Score", "Class")
                text = head + (rows if kind == "reg" else rows.replace("0.", "1: some "))
                name = f"2018-EI-{kind}-{code}-anger-{part}.txt"
                (place / name).write_text(text, encoding="utf-8", newline="")
        (root / language / "E-c").mkdir()
        several = f"ID\tTweet\tanger\tjoy\r\n{code}-1\tA tweet\t0\t1\r\n"
        (root / language / "E-c" / f"2018-E-c-{code}-train.txt").write_text(several)
    (root / "readme.txt").write_text("Please cite the task.")
    return root


@pytest.mark.parametrize(("language", "code"), [("en", "En"), ("es", "Es"), ("ar", "Ar")])
def test_of_the_archive_the_test_scores_of_the_language_are_read(archive, language, code):
    for root in (archive, archive.parent):
        gold = read_gold(root, languages=[language])
        assert [one.name for one in gold.files] == [f"2018-EI-reg-{code}-anger-test-gold.txt"]
        assert gold.frame["id"].to_list() == [f"test-gold-{code}-{n}" for n in (1, 2, 3)]
        assert gold.choice.startswith("1 of 21 files read: ")
        assert gold.choice in gold.notes


def test_of_a_part_of_the_archive_the_best_there_is_is_read(archive):
    (name,) = (one.name for one in read_gold(archive / "English", languages=["en"]).files)
    assert name == "2018-EI-reg-En-anger-test-gold.txt"
    training = read_gold(archive / "Spanish" / "EI-reg" / "training", languages=["es"])
    assert training.frame["id"][0] == "train-Es-1"
    assert training.choice == ""
    both = read_gold(archive, languages=["en", "es"])
    assert both.frame.height == 6


def test_gold_of_other_languages_is_not_counted(archive):
    for where in (archive / "Spanish", next(archive.rglob("2018-EI-reg-Es-anger-dev.txt"))):
        with pytest.raises(CorpusError, match="in Spanish; expected English, as the sentences are"):
            read_gold(where, languages=["en"])
    with pytest.raises(CorpusError, match="in Arabic, English and Spanish; expected one language"):
        read_gold(archive)


def test_folders_of_other_tables_are_named(tmp_path, written):
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "dev").mkdir()
    written("text,score\na,1\nb,0\nc,0.5\n", "ours/dev/gold.csv")
    assert "there are some in ours/dev, so name one of these" in problems(tmp_path)[0]


@needs_semeval
@pytest.mark.parametrize(("language", "code"), [("en", "En"), ("es", "Es"), ("ar", "Ar")])
def test_a_flat_folder_of_all_that_semeval_labelled_is_read_by_language(language, code):
    gold = read_gold(SEMEVAL, languages=[language])
    names = {one.name for one in gold.files}
    assert names == {
        f"2018-Valence-reg-{code}-test-gold.txt",
        *(f"2018-EI-reg-{code}-{task}-test-gold.txt" for task in TASKS if task != "valence"),
    }
    assert set(gold.tasks) == set(TASKS)


def test_rows_with_mystery_in_the_id_are_dropped_and_tweets_about_one_kept(written):
    mystery = "2018-En-mystery-00001\tAlonzo feels angry.\tanger\t0.000\r\n"
    gold = read_gold(written(HEAD + ROWS + mystery, "g.txt"))
    assert gold.frame.height == 3
    assert gold.frame["text"].str.contains("mystery").sum() == 1
    assert (gold.files[0].mystery, gold.files[0].rows) == (1, 4)
    assert any("left out 1 rows with mystery in the ID" in note for note in gold.notes)


def test_none_stands_for_no_score_and_is_counted(written):
    gold = read_gold(
        written(HEAD + ROWS + "2018-En-4\tx\tanger\tNONE\r\n2018-En-5\ty\tanger\t\r\n", "g.txt")
    )
    assert gold.files[0].unlabelled == 2
    assert gold.frame.height == 3
    everything = HEAD + "a\tx\tanger\tNONE\r\nb\ty\tanger\tNONE\r\n"
    assert "no row has a score (2 without one" in problems(written(everything, "n.txt"))[0]


def test_the_tasks_are_those_of_the_systems():
    assert set(TASKS) == set(KNOWN_TASKS)


@needs_semeval
def test_the_official_english_gold_is_read_whole():
    gold = read_gold(SEMEVAL / "2018-Valence-reg-En-test-gold.txt")
    assert gold.frame.height == 937  # the file's lines without the first
    assert gold.tasks == ("valence",)
    assert gold.frame.row(0)[:4] == ("2018-En-01964", "Gm and have a  #Tuesday!", "valence", 0.589)
    assert len(gold.files[0].sha256) == 64


@needs_semeval
@pytest.mark.parametrize("language", ["En", "Es", "Ar"])
def test_five_tasks_of_a_language_are_read_from_one_folder(language, tmp_path):
    rows = 0
    for path in SEMEVAL.glob(f"2018-*-reg-{language}-*test-gold.txt"):
        (tmp_path / path.name).symlink_to(path)
        rows += path.read_text(encoding="utf-8-sig").strip().count("\n")
    (tmp_path / "TERMS.txt").symlink_to(SEMEVAL / "TERMS.txt")
    gold = read_gold(tmp_path)
    assert gold.frame.height == rows - sum(file.repeated for file in gold.files)
    assert set(gold.tasks) == set(TASKS)
    assert "not read, since no table: TERMS.txt" in gold.notes


# ---------------------------------------------------------------- tables of any kind


def rows_of(gold):
    return gold.frame.select("id", "text", "task", "score").rows()


@pytest.mark.parametrize("score", ["score", "gold", "Label", "Intensity_Score", "gold score"])
def test_columns_are_guessed_and_said(score, written):
    gold = read_gold(written(f"id,sentence,{score}\n1,Good.,0.9\n2,Bad.,0.1\n3,So so.,0.5\n"))
    assert rows_of(gold)[0] == ("1", "Good.", None, 0.9)
    assert f"gold.csv: id ← id, text ← sentence, score ← {score}" in gold.notes


def test_what_is_for_no_task_is_for_every_task(written):
    gold = read_gold(written("id,score\na,1\nb,2\nc,3\n"))
    assert gold.of("joy").height == 3
    assert gold.called("joy") == "gold"
    assert any("from 1 to 3, not within 0 to 1" in note for note in gold.notes)


def test_the_task_is_taken_from_the_file_s_name(written):
    gold = read_gold(written("id,score\na,.1\nb,.2\nc,.3\n", "En_joy_gold.csv"))
    assert gold.tasks == ("joy",)
    assert any("task joy, from the file's name" in note for note in gold.notes)
    assert gold.of("anger").is_empty()


def test_columns_called_after_tasks_hold_their_scores(written):
    gold = read_gold(written("text,anger,joy\nx,.1,.9\ny,.2,.8\nz,.3,\nw,.4,.6\n"))
    assert gold.of("anger")["score"].to_list() == [0.1, 0.2, 0.3, 0.4]
    assert gold.of("joy")["score"].to_list() == [0.9, 0.8, 0.6]


def test_without_ids_the_text_identifies_and_a_repeat_is_left_out(written):
    gold = read_gold(written("text,score\nx,.1\ny,.2\nz,.3\nx,.1\n"))
    assert gold.frame["id"].to_list() == ["gold.csv:2", "gold.csv:3", "gold.csv:4"]
    assert gold.files[0].repeated == 1


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_kind_of_table_gives_the_same(ending, tmp_path):
    frame = pl.DataFrame({"id": ["a", "b", "c"], "text": ["x, y", "ü", "z"], "score": [0.5, -1, 2]})
    path = tmp_path / f"g{ending}"
    writers = {
        ".csv": frame.write_csv,
        ".tsv": lambda to: frame.write_csv(to, separator="\t"),
        ".jsonl": frame.write_ndjson,
        ".parquet": frame.write_parquet,
    }
    writers[ending](path)
    assert rows_of(read_gold(path)) == rows_of(read_gold(frame))


def test_a_gap_in_a_numeric_column_is_no_score():
    frame = pl.DataFrame({"id": list("abcd"), "score": [0.5, float("nan"), 0.7, 0.1]})
    gold = read_gold(frame)
    assert gold.frame["id"].to_list() == ["a", "c", "d"]
    assert gold.files[0].unlabelled == 1


def test_the_same_id_may_be_labelled_for_two_tasks(written):
    joy = written("id,score\na,.1\nb,.2\nc,.3\n", "folder/joy.csv")
    written("id,score\na,.9\nb,.8\nc,.7\n", "folder/anger.csv")
    gold = read_gold(joy.parent)
    assert (gold.name, gold.called("joy")) == ("folder", "joy")
    assert gold.of("anger")["score"].to_list() == [0.9, 0.8, 0.7]


def test_two_files_of_a_task_are_one_gold(written):
    one = written("id,score\na,.1\nb,.2\nc,.3\n", "folder/joy-1.csv")
    written("id,score\na,.1\nd,.8\n", "folder/joy-2.csv")
    gold = read_gold(one.parent)
    assert gold.of("joy").height == 4
    assert gold.called("joy") == "folder"
    assert [file.repeated for file in gold.files] == [0, 1]


# ---------------------------------------------------------------- what is wrong


def test_everything_wrong_is_said_at_once_with_its_place(written):
    path = written('id,score\na,high\nb,0.2\nc,nan\nd,inf\ne,"0,5"\n,0.4\nb,0.3\n')
    found = problems(path)
    assert found == [
        f"{path}:2: found 'high' for the score; expected a number",
        f"{path}:4: found 'nan' for the score; expected a number",
        f"{path}:5: found 'inf' for the score; expected a number",
        f"{path}:6: found '0,5' for the score; expected a number, with a point: 0.5",
        f"{path}:7: the id is empty in line 7; expected a value",
        f"{path}:8: 'b' has the scores 0.2 (gold.csv:3) and 0.3 (gold.csv:8); expected one score "
        "for each",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,class\na,1\n", "no column of scores; expected one called score, gold, label"),
        ("name,score\na,1\n", "no column says which text a score is for"),
        ("id,score,gold\na,1,2\n", "the columns 'score' and 'gold' could each be the score"),
        ("id,text,tweet,score\na,x,y,1\n", "the columns 'text' and 'tweet' could each be the text"),
        ("id,score\na,1\nb,2\n", "found 2 labelled texts; expected 3 or more"),
        ("id,score\na,1\nb,1\nc,1\n", "every score is 1, so nothing can be told apart"),
        ("id,score\n", "found no rows"),
        ("", "found nothing in it"),
    ],
)
def test_tables_that_cannot_serve(text, said, written):
    assert said in "\n".join(problems(written(text)))


def test_missing_columns_are_said_with_those_there_are(written):
    (one,) = problems(written("ID\tTweet\tVerdict\na\tb\t0: none\n", "oc.txt"))
    assert one.endswith("there are 'ID', 'Tweet', 'Verdict'")


def test_a_bad_encoding_is_said_with_its_line_and_no_option_that_is_not_there(written):
    (one,) = problems(written("id,text,score\na,x,1\nb,caf\u00e9,2\n", encoding="latin-1"))
    assert "gold.csv:3: byte 0xe9" in one
    assert one.endswith("save the file as UTF-8")


def test_every_bad_file_of_a_folder_is_named(written):
    written("id,score\na,x\nb,2\nc,3\n", "folder/joy.csv")
    path = written("id,klass\na,1\n", "folder/anger.csv")
    assert len(problems(path.parent)) == 1  # columns first: without them cells cannot be read
    path.write_text("id,score\na,y\nb,2\nc,1\n")
    assert len(problems(path.parent)) == 2


def test_an_empty_folder_and_a_path_that_is_not_there(tmp_path):
    assert "found nothing; expected a table for each task" in problems(tmp_path)[0]
    assert "found no such file" in problems(tmp_path / "gold.csv")[0]
    (tmp_path / "notes.md").write_text("hello")
    assert "found notes.md; expected" in problems(tmp_path)[0]


def test_another_ending_is_refused(written):
    assert "found the ending '.ods'" in problems(written("x", "gold.ods"))[0]


def test_advice_that_has_no_option_here_is_not_given(tmp_path):
    (tmp_path / "gold.csv").write_bytes(b"\0\0\0")
    with pytest.raises(CorpusError) as error:
        read_gold(tmp_path / "gold.csv")
    assert "save it as CSV in UTF-8" in str(error.value)
    assert "--encoding" not in str(error.value)


def test_a_name_that_is_no_text_is_refused(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/gold\xff.csv"))
    path.write_text("text,score\na,1\nb,2\nc,3\n")
    with pytest.raises(CorpusError, match="the name is not UTF-8; rename it"):
        read_gold(path)


def test_a_table_in_hand_is_read_as_columns_and_unit_say():
    table = pl.DataFrame(
        {"body": ["one", "two", "three"], "rating": [0.25, 1.5, 0.5], "text": ["x", "y", "z"]}
    )
    named = {"text": "body", "score": "rating"}
    gold = read_gold(table, columns=named)
    assert gold.frame.select("text", "score").rows() == [
        ("one", 0.25), ("two", 1.5), ("three", 0.5),
    ]  # fmt: skip
    with pytest.raises(CorpusError, match="no column is called 'stars'"):
        read_gold(table, columns={"score": "stars"})
    with pytest.raises(CorpusError, match=r"1\.5"):
        read_gold(table.with_columns(task=pl.lit("joy")), columns=named, unit="joy")
