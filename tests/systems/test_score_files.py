"""One file of scores: its format, its columns, its join to the corpus, what is wrong with it."""

import hashlib
import json
import os

import polars as pl
import pytest

from tiltmeter.errors import ScoreFileError
from tiltmeter.systems import Options, Scale, read_scores
from tiltmeter.systems.score_files.submissions import MOST_BYTES

SENTENCES = pl.DataFrame(
    {
        "id": ["s1", "s2", "s3", "s4"],
        "text": [
            "Ebony feels disappointed.",
            "Alan feels disappointed.",
            "Sofía está contenta.",
            "She saw this “man” in the market.",
        ],
    }
)
HEAD = "ID\tTweet\tAffect Dimension\tIntensity Score\n"


@pytest.fixture
def read(tmp_path):
    """What is read from a file with this content."""

    def write_and_read(content, name="mine.csv", sentences=SENTENCES, **said):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_scores(path, sentences, **said)

    return write_and_read


@pytest.fixture
def refused(read, tmp_path):
    """The message with which such a file is refused, with the folder left out."""

    def complaint(content, name="mine.csv", **said):
        with pytest.raises(ScoreFileError) as caught:
            read(content, name, **said)
        assert caught.value.exit_code == 2
        return str(caught.value).replace(f"{tmp_path}/", "")

    return complaint


def raw(found):
    return found.scores["raw"].to_list()


def reasons(found):
    return found.scores["reason"].to_list()


def notes(found):
    return "; ".join(found.reports[0].notes)


def test_a_row_for_each_sentence_in_the_order_of_the_corpus(read):
    found = read("id,score\ns3,0.3\ns1,0.1\ns4,0.4\ns2,0.2\n")
    assert found.scores.schema == {
        "system": pl.String, "task": pl.String, "id": pl.String,
        "raw": pl.Float64, "reason": pl.String,
    }  # fmt: skip
    assert found.scores.rows() == [
        ("mine", "valence", "s1", 0.1, None),
        ("mine", "valence", "s2", 0.2, None),
        ("mine", "valence", "s3", 0.3, None),
        ("mine", "valence", "s4", 0.4, None),
    ]


def test_the_card_carries_the_hash_of_the_file_and_no_scale(read):
    content = "id,score\ns1,0.1\n"
    card = read(content).cards["mine", "valence"]
    assert card.weights == hashlib.sha256(content.encode()).hexdigest()
    assert (card.name, card.task, card.scale) == ("mine", "valence", None)


def test_a_declared_scale_goes_on_the_card_and_says_what_is_out_of_range(read):
    found = read("id,score\ns1,-3\ns2,1\ns3,6\n", options=Options(scale=Scale(1.0, 5.0)))
    assert found.cards["mine", "valence"].scale == Scale(1.0, 5.0)
    assert found.reports[0].out_of_range == 2


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a.jsonl", "a.ndjson", "a.parquet"])
def test_every_format_gives_the_same_scores(tmp_path, name):
    table = pl.DataFrame({"ID": ["s1", "s2"], "Prediction": [0.25, -0.5]})
    path = tmp_path / name
    if name.endswith("parquet"):
        table.write_parquet(path)
    elif "json" in name:
        table.write_ndjson(path)
    else:
        table.write_csv(path, separator="," if name.endswith("csv") else "\t")
    assert raw(read_scores(path, SENTENCES)) == [0.25, -0.5, None, None]


@pytest.mark.parametrize(
    "head",
    ["ID,Intensity Score", "sentence_id,score", "Id,PREDICTION", "id,sentiment", "id,value",
     "id,Valence", "id,polarity", "id,compound"],
)  # fmt: skip
def test_columns_are_guessed_whatever_their_case(read, head):
    assert raw(read(f"{head}\ns2,0.5\n"))[1] == 0.5


def test_a_column_called_after_a_task_holds_its_scores(read):
    found = read("id,anger,joy\ns1,0.1,0.9\ns2,0.2,0.8\n")
    assert found.scores.filter(pl.col("id") == "s2").select("task", "raw").rows() == [
        ("anger", 0.2), ("joy", 0.8),
    ]  # fmt: skip
    report = found.reports[0]
    assert report.tasks == ("anger", "joy")
    assert (report.rows, report.matched, report.missing) == (2, 4, 4)


def test_a_long_file_holds_several_systems_and_tasks(read):
    found = read("system,task,id,score\nb,joy,s1,1\na,fear,s1,2\nb,fear,s1,3\na,fear,s2,4\n")
    assert list(found.cards) == [("b", "joy"), ("a", "fear"), ("b", "fear")]
    assert found.scores.height == 3 * 4
    assert found.reports[0].system == "b and a"
    there = found.scores.drop_nulls("raw").select("system", "task", "id", "raw").rows()
    assert there == [
        ("b", "joy", "s1", 1.0), ("a", "fear", "s1", 2.0),
        ("a", "fear", "s2", 4.0), ("b", "fear", "s1", 3.0),
    ]  # fmt: skip


def test_the_emotion_a_sentence_speaks_of_is_not_the_task(read):
    found = read("ID,Sentence,Emotion,score\ns1,Ebony feels disappointed.,sadness,0.5\n")
    assert list(found.cards) == [("mine", "valence")]


def test_our_own_scores_read_back(tmp_path):
    ours = pl.DataFrame(
        {
            "system": ["vader"] * 3,
            "task": ["valence"] * 3,
            "corpus": ["eec", "eec", "eec-es"],
            "id": ["s1", "s2", "s1"],
            "repeat": [0, 0, 0],
            "raw": [-0.25, None, 0.9],
            "score": [0.375, None, 0.95],
            "reason": [None, "the service answered 500", None],
        }
    )
    ours.write_parquet(tmp_path / "scores.parquet")
    found = read_scores(
        tmp_path / "scores.parquet", SENTENCES.with_columns(pl.lit("eec").alias("corpus"))
    )
    assert raw(found) == [-0.25, None, None, None]
    assert reasons(found)[1:3] == ["the service answered 500", "not in scores.parquet"]
    report = found.reports[0]
    assert (report.rows, report.matched, report.other, report.missing) == (3, 2, 1, 3)


def test_only_the_first_of_our_repeated_answers_is_read_and_a_note_says_so(tmp_path):
    ours = pl.DataFrame(
        {"system": "chat", "task": "valence", "corpus": "eec", "id": ["s1", "s1", "s2"],
         "repeat": [0, 1, 0], "raw": [0.1, 0.2, 0.3], "score": [0.1, 0.2, 0.3], "reason": None},
        schema_overrides={"reason": pl.String},
    )  # fmt: skip
    ours.write_parquet(tmp_path / "scores.parquet")
    found = read_scores(tmp_path / "scores.parquet", SENTENCES)
    assert raw(found)[:2] == [0.1, 0.3]
    assert "further answers to the same texts left out: 1" in notes(found)


def test_scores_of_another_corpus_are_refused_though_the_ids_agree(tmp_path):
    ours = pl.DataFrame(
        {"system": "x", "task": "valence", "corpus": "eec-es", "id": ["s1"], "repeat": [0],
         "raw": [0.1], "score": [0.1], "reason": [""]}
    )  # fmt: skip
    ours.write_parquet(tmp_path / "scores.parquet")
    with pytest.raises(ScoreFileError, match="of the corpus eec-es; this one is eec"):
        read_scores(
            tmp_path / "scores.parquet", SENTENCES.with_columns(pl.lit("eec").alias("corpus"))
        )


@pytest.mark.parametrize(
    ("name", "task"),
    [("EI-reg_en_anger_pred.txt", "anger"), ("V-reg_en_pred.txt", "valence"), ("x-Joy.txt", "joy"),
     ("joyful.txt", "valence"), ("anger-and-fear.txt", "valence")],
)  # fmt: skip
def test_without_a_column_the_task_is_in_the_name_else_valence(read, name, task):
    found = read("ID\tscore\ns1\t0.5\n", name)
    assert found.scores["task"].unique().to_list() == [task]
    assert "task" in notes(found)


def test_a_task_wanted_stands_in_where_neither_column_nor_name_says_it(read, refused):
    assert set(read("id,score\ns1,0.5\n", tasks=["joy"]).scores["task"]) == {"joy"}
    said = refused("id,score\ns1,0.5\n", "anger.csv", tasks=["joy"])
    assert "holds scores for anger (the task anger is taken from its name" in said
    assert "--task asks for joy" in said


def test_tasks_wanted_are_selected_and_a_file_without_them_is_refused(read, refused):
    content = "id,task,score\ns1,fear,-0.5\ns1,joy,0.5\ns1,anger,0.2\n"
    found = read(content, tasks=["joy", "anger"])
    assert found.scores["task"].unique(maintain_order=True).to_list() == ["joy", "anger"]
    assert "scores for fear left out, as --task says" in notes(found)
    assert found.ranges["mine"] == (-0.5, 0.5)  # a scale is inferred from all its tasks
    said = refused(content, tasks=["sadness"])
    assert "holds scores for fear, joy, anger; --task asks for sadness" in said


def test_a_folder_is_searched_for_the_tasks_wanted(tmp_path):
    for task in ("anger", "joy"):
        (tmp_path / f"{task}.csv").write_text(f"id,task,score\ns1,{task},0.5\n")
    found = read_scores(tmp_path, SENTENCES, tasks=["joy"])
    assert found.scores["task"].unique().to_list() == ["joy"]
    assert [(report.used, report.set_aside, report.tasks) for report in found.reports] == [
        (False, None, ("anger",)), (True, None, ("joy",)),
    ]  # fmt: skip


def test_a_scale_is_seen_in_all_files_of_a_system_those_left_out_too(tmp_path):
    (tmp_path / "team").mkdir()
    for task, score in (("fear", -0.5), ("joy", 0.5)):
        (tmp_path / "team" / f"{task}.csv").write_text(f"id,task,score\ns1,{task},{score}\n")
    found = read_scores(tmp_path, SENTENCES, tasks=["joy"])
    assert list(found.cards) == [("team", "joy")]
    assert found.ranges == {"team": (-0.5, 0.5)}


def test_rows_for_a_task_that_is_not_measured_are_counted(read):
    found = read("id,task,score\ns1,anger,0.1\ns1,disgust,0.2\n")
    assert found.reports[0].other == 1
    assert "not measured: 1, such as 'disgust'" in notes(found)


def test_a_file_of_unknown_tasks_alone_is_refused(refused):
    assert "such as 'trust' (line 2); expected valence" in refused("id,task,score\ns1,trust,0.1\n")


def test_texts_are_joined_whatever_their_spaces_composition_and_spelling(read):
    content = (
        "Sentence,score\n"
        "Ebony feels dissapointed.,0.1\n"
        "  Alan   feels disappointed. ,0.2\n"
        "Sofi\u0301a esta\u0301 contenta.,0.3\n"
        "ebony feels disappointed.,0.9\n"
    )
    found = read(content)
    assert raw(found) == [0.1, 0.2, 0.3, None]
    assert notes(found).startswith("joined on text")
    assert found.reports[0].other == 1


def test_a_text_that_stands_twice_in_the_corpus_gets_its_score_twice(read):
    twice = pl.DataFrame({"id": ["a", "b"], "text": ["هو محبط", "هو محبط"]})
    assert raw(read("text,score\nهو محبط,0.5\n", sentences=twice)) == [0.5, 0.5]


def test_ids_that_agree_by_chance_do_not_outweigh_the_texts(read):
    numbered = SENTENCES.with_columns(id=pl.Series(["1", "2", "3", "4"]))
    content = (
        "id\ttext\tscore\n1\tAlan feels disappointed.\t0.2\n2\tEbony feels disappointed.\t0.1\n"
    )
    found = read(content, "x.tsv", sentences=numbered)
    assert raw(found)[:2] == [0.1, 0.2]
    assert "stand for other sentences" in notes(found)


def test_a_damaged_text_does_not_outweigh_the_id(read):
    found = read(
        "id\ttext\tscore\ns1\tEbony f??ls\t0.1\ns2\tAlan feels disappointed.\t0.2\n", "x.tsv"
    )
    assert raw(found)[:2] == [0.1, 0.2]
    assert "text is not the sentence's, joined on the ID all the same: 1, line 2" in notes(found)


def test_numbers_serve_as_ids_in_parquet(tmp_path):
    corpus = pl.DataFrame({"id": ["1", "2"], "text": ["a", "b"]})
    for ids in ([1, 2], [1.0, 2.0]):
        pl.DataFrame({"id": ids, "score": [0.1, 0.2]}).write_parquet(tmp_path / "x.parquet")
        assert raw(read_scores(tmp_path / "x.parquet", corpus)) == [0.1, 0.2]


@pytest.mark.parametrize(
    ("cell", "why"),
    [("", "the score is empty"), ("NONE", "'NONE' is not a number"),
     ("NaN", "'NaN' is not a number"), ("inf", "'inf' is not a number"),
     ("very sad", "'very sad' is not a number"),
     ("\x1b[31m1", "'\ufffd[31m1' is not a number")],
)  # fmt: skip
def test_what_is_no_number_is_null_with_its_reason(read, cell, why):
    found = read(f"id,score\ns1,{cell}\ns2,0.2\n")
    assert raw(found) == [None, 0.2, None, None]
    assert reasons(found) == [why, None, "not in mine.csv", "not in mine.csv"]
    assert found.reports[0].missing == 3
    assert f"rows without a score: 1, the first because {why} (line 2)" in notes(found)


def test_json_may_hold_nan_null_and_text(read):
    lines = ['{"id": "s1", "score": NaN}', '{"id": "s2"}', '{"id": "s3", "score": "0.5"}', "", ""]
    found = read("\n".join(lines), "x.jsonl")
    assert raw(found) == [None, None, 0.5, None]
    assert reasons(found)[:2] == ["'NaN' is not a number", "the score is empty"]


@pytest.mark.parametrize("score", ["0.5", "NaN"])  # Polars reads the first, Python the second
def test_half_a_letter_in_json_is_read_as_unreadable(read, score):
    half = f'{{"id": "s1", "score": {score}, "\\ud800": 1, "model": "m\\ud800"}}\n'
    found = read(half + '{"id": "s2", "score": 0.5, "model": "m\\ud800"}\n', "x.jsonl")
    assert list(found.cards) == [("m\ufffd", "valence")]


def test_numbers_outside_the_range_are_kept_and_counted(read):
    many = pl.DataFrame({"id": [f"s{n}" for n in range(40)], "text": [f"t{n}" for n in range(40)]})
    values = [0.5] * 38 + [-0.18, 1.07]
    content = "id,score\n" + "".join(f"s{n},{value}\n" for n, value in enumerate(values))
    found = read(content, sentences=many)
    assert raw(found) == values
    assert found.reports[0].out_of_range == 0  # 0 to 1 is not the scale used
    told = "2 of 40 scores lie outside 0 to 1, the first is −0.18 for 't38'"
    assert f"{told}, so it is not taken for the scale; say --scale mine=0:1 if it is" in notes(
        found
    )
    found = read(content, sentences=many, options=Options(scale={"mine": (0, 1)}))
    assert found.reports[0].out_of_range == 2
    told = "outside the scale 0 to 1, kept as they are: 2, the first is −0.18 for 't38'"
    assert told in notes(found)


def test_a_scale_of_its_own_is_not_called_out_of_range(read):
    assert read("id,score\ns1,-0.9\ns2,0.5\ns3,0.9\ns4,0.1\n").reports[0].out_of_range == 0


def test_equal_duplicates_are_kept_once_and_counted(read):
    found = read("id,score\ns1,0.10\ns1,0.1\ns2,0.2\ns1,\n")
    assert raw(found) == [0.1, 0.2, None, None]
    assert found.reports[0].duplicated == 2


def test_duplicates_that_differ_are_refused_with_their_lines(refused):
    said = refused("id,score\ns1,0.1\ns2,0.2\ns1,0.3\ns2,0.4\n")
    assert "found 0.1 and 0.3 for the same sentence (lines 2, 4)" in said
    assert "and 1 more sentences" in said


def test_a_decimal_comma_is_refused_with_advice(refused):
    said = refused("ID;score\ns1;0\ns2;1,07\n")
    assert "'1,07' (line 3), with a decimal comma; expected a point, as in 1.07" in said


def test_cells_may_stand_between_semicolons(read):
    found = read("ID;score\ns1;0.5\n")
    assert raw(found)[0] == 0.5
    assert "cells stand between ';'" in notes(found)


def test_marks_line_endings_and_blank_lines_do_not_matter(read):
    content = b"\xef\xbb\xbf\r\nID\tscore\r\ns1\t0.1\n\r\ns2\t0.2\rs3\t0.3\r\n\n\ns4\t0.4"
    assert raw(read(content, "x.tsv")) == [0.1, 0.2, 0.3, 0.4]


def test_utf_16_is_read_by_its_mark(read):
    assert raw(read("text\tscore\nSofía está contenta.\t0.3\n".encode("utf-16"), "x.txt"))[2] == 0.3


def test_windows_letters_are_read_as_such(read):
    content = "text\tscore\nSofía está contenta.\t0.3\n".encode("cp1252")
    found = read(content, "x.txt")
    assert raw(found)[2] == 0.3
    assert "Windows-1252 (first in line 2)" in notes(found)


def test_a_broken_byte_harms_only_its_letter(read):
    content = "text\tscore\nSofía está contenta.\t0.3\nñandú ".encode() + b"\xff\t0.9\n"
    found = read(content, "x.txt")
    assert raw(found)[2] == 0.3
    assert "bytes that are no UTF-8, read as \ufffd: 1, first in line 3" in notes(found)


def test_quotes_between_tabs_swallow_no_rows(read):
    found = read('id\ttext\tscore\nx\t"he said\t0.9\ns1\t5" tall\t0.1\ns2\t"\t0.2\n', "x.tsv")
    assert raw(found)[:2] == [0.1, 0.2]
    assert found.reports[0].rows == 3


def test_quotes_around_every_cell_between_tabs_are_left_out(read):
    found = read('"ID"\t"score"\n"s1"\t"0.1"\n"s2"\t0.2\n', "x.txt")
    assert raw(found)[:2] == [0.1, 0.2]


def test_quotes_between_commas_hold_commas_quotes_and_lines(read):
    content = 'id,text,score\ns1,"a, ""b""\nc",0.1\ns2,5" here,0.2\ns3,6" there,0.3\n'
    assert raw(read(content))[:3] == [0.1, 0.2, 0.3]


def test_a_quote_between_commas_that_does_not_close_is_refused(refused):
    said = refused('id,text,score\ns1,a,0.1\ns2,"b,0.2\ns3,c,0.3\n')
    assert "a quote that opens in line 3 does not close" in said


def test_a_line_with_too_many_cells_has_no_score(read):
    found = read("id\ttext\tscore\ns1\tEbony\tfeels\t0.1\ns2\tAlan\t0.2\ns3\n", "x.tsv")
    assert raw(found)[:3] == [None, 0.2, None]
    assert reasons(found)[:3] == [
        "line 2 has more cells than there are column names", None, "the score is empty",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (b"", "x.csv", "found nothing in it"),
        (b"\xff\xfe", "x.csv", "found nothing in it"),
        (b" \r\n\n", "x.jsonl", "found nothing in it"),
        (b"id,score\n", "x.csv", "no rows under the column names"),
        (HEAD.encode(), "x.txt", "no rows under the column names"),
        (b"id,text\ns1,hello\n", "x.csv", "no column of scores; expected one called Intensity"),
        (b"score\n0.5\n", "x.csv", "no column says which sentence a score is for"),
        (b"id,score,prediction\ns1,1,2\n", "x.csv", "'score' and 'prediction' could each be"),
        (b"id,score,anger\ns1,1,2\n", "x.csv", "'score' and 'anger' could each be the score"),
        (b"id,score\ns1,bad\ns2,good\n", "x.csv", "not one of its 2 scores is a number; the first"),
        (b"id,score\nq1,0.1\n", "x.csv", "none of its 1 rows is of the corpus: found 'q1'"),
        (bytes(range(256)) * 9, "x.txt", "found a NUL byte"),
        (bytes(range(1, 256)) * 9, "x.tsv", "no column says"),
        (b"PAR1 and then nothing", "x.parquet", "damaged or not Parquet"),
        (b"", "x.parquet", "damaged or not Parquet"),
        (b'{"id": "s1", "score": 0.1}\n{"id": "s2", "sc', "x.jsonl", "broken JSON in line 2"),
        (b'{"id": "s1", "score": 0.1}\n[1]\n', "x.jsonl", "line 2 holds no JSON object"),
        (b'{"id": "s1", "score": [0.1]}\n', "x.jsonl", "holds List(Float64); expected numbers"),
        (b"PK\x03\x04", "x.zip", "found the ending '.zip', so not opened"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_says_why(refused, content, name, why):
    said = refused(content, name)
    assert said.startswith(f"the scores cannot be used:\n  {name}: ")
    assert why in said


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ScoreFileError, match=r"none\.csv: found no such file or folder"):
        read_scores(tmp_path / "none.csv", SENTENCES)


def test_a_file_of_more_than_two_gigabytes_is_not_opened(tmp_path):
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate(MOST_BYTES + 1)  # a hole: no byte is really written
    with pytest.raises(ScoreFileError, match=r"found 2\.0 GB; expected at most 2"):
        read_scores(tmp_path / "huge.csv", SENTENCES)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_we_may_not_read_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("id,score\ns1,1\n")
    (tmp_path / "x.csv").chmod(0)
    with pytest.raises(ScoreFileError, match="Permission denied"):
        read_scores(tmp_path / "x.csv", SENTENCES)


def test_a_system_called_like_a_tag_keeps_its_name(read):
    found = read(
        json.dumps({"id": "s1", "score": 1, "system": "<script>alert(1)</script>"}), "x.jsonl"
    )
    assert list(found.cards) == [("<script>alert(1)</script>", "valence")]


def test_a_system_without_a_name_takes_the_files(read):
    found = read("id,system,score\ns1,,0.1\ns1,b\x07,0.2\n")
    assert list(found.cards) == [("mine", "valence"), ("b\ufffd", "valence")]


class TestOneColumnASystem:
    """Wide tables: one row a sentence, one column a system."""

    ROWS = (
        "ID,Sentence,vader,afinn,notes\n"
        "s1,Ebony feels disappointed.,-0.4,-3,abc\n"
        "s2,Alan feels disappointed.,-0.3,-2,a b\n"
        "s3,Sofía está contenta.,0.1,,good\n"
        "s4,She saw this “man” in the market.,0.0,1,\n"
    )

    @staticmethod
    def systems(*names):
        return Options(systems_in=names)

    def of(self, found, system):
        return found.scores.filter(system=system)["raw"].to_list()

    def test_each_column_is_a_system_of_its_own(self, read):
        found = read(self.ROWS, options=self.systems("vader", "afinn"))
        assert self.of(found, "vader") == [-0.4, -0.3, 0.1, 0.0]
        assert self.of(found, "afinn") == [-3, -2, None, 1]
        assert found.scores.filter(system="afinn")["reason"][2] == "the score is empty"
        assert set(found.cards) == {("vader", "valence"), ("afinn", "valence")}
        assert {origin[1] for origin in found.origins.values()} == {"vader", "afinn"}

    @pytest.mark.parametrize("name", ["wide.csv", "wide.tsv", "wide.jsonl", "wide.parquet"])
    def test_in_every_format(self, tmp_path, name):
        frame = pl.read_csv(self.ROWS.encode())
        write = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson,
                 ".parquet": frame.write_parquet,
                 ".tsv": lambda path: frame.write_csv(path, separator="\t")}  # fmt: skip
        path = tmp_path / name
        write[path.suffix](path)
        found = read_scores(path, SENTENCES, options=self.systems("vader", "afinn"))
        assert self.of(found, "afinn") == [-3, -2, None, 1]

    def test_a_text_column_is_named_with_the_first_row_that_holds_text(self, refused):
        said = refused(self.ROWS, options=self.systems("vader", "notes"))
        assert "mine.csv: the column 'notes' holds text, as in line 2: 'abc'" in said
        assert "leave it out of --systems-in" in said

    def test_a_few_odd_cells_are_missing_scores(self, read):
        found = read(self.ROWS.replace("0.1,,good", "0.1,n/a,good"), options=self.systems("afinn"))
        assert self.of(found, "afinn") == [-3, -2, None, 1]
        assert found.scores["reason"][2] == "'n/a' is not a number"

    def test_a_star_stands_for_any_letters_and_never_for_the_sentence(self, read):
        found = read(self.ROWS.replace("notes", "x").replace("abc", "1").replace("a b", "2")
                     .replace("good", "3"), options=self.systems("*"))  # fmt: skip
        assert found.scores["system"].unique(maintain_order=True).to_list() == [
            "vader", "afinn", "x",
        ]  # fmt: skip

    def test_a_column_that_is_not_there_is_told_with_the_nearest(self, refused):
        said = refused(self.ROWS, options=self.systems("vadr"))
        assert "no column is called 'vadr': did you mean 'vader'" in said

    def test_rows_may_say_their_task_and_a_system_column_is_refused(self, read, refused):
        rows = "ID,Task,a,b\ns1,joy,0.1,0.2\ns1,fear,0.3,0.4\n"
        found = read(rows, options=self.systems("a", "b"))
        assert set(found.cards) == {(name, task) for name in "ab" for task in ("joy", "fear")}
        said = refused("ID,System,a\ns1,x,0.1\n", options=self.systems("a"))
        assert "the column 'System' says the system of a row" in said

    def test_without_being_told_the_message_names_the_option(self, refused):
        assert "name those that hold a system each with --systems-in" in refused(
            "ID,vader,afinn\ns1,0.1,2\n"
        )
