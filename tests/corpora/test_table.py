"""A user's table as a corpus: columns given or guessed, rules kept, everything said."""

import csv
import io
import json
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.corpora import Axis, load_corpus
from tiltmeter.corpora.table import SORTED, table_corpus
from tiltmeter.errors import CorpusError, TiltmeterError
from tiltmeter.schemas import SENTENCES, validate

SMALL = """\
Sentence,Sex,Template
She is glad.,female,1
He is glad.,male,1
"""

FULL = """\
id,text,language,template,person,gender,race,emotion,emotion_word,frame,match
a,Tia is glad.,en,1,Tia,female,Black,joy,glad,f1,names
b,Tom is glad.,en,1,Tom,male,white,joy,glad,f1,names
"""


@pytest.fixture(autouse=True, params=["small", "large"])
def way(request, monkeypatch):
    """Every table is taken for a small one, and for a large one, whose frames stand together."""
    if request.param == "large":
        monkeypatch.setattr("tiltmeter.corpora.corpus.LARGE", 0)
    return request.param


@pytest.fixture
def corpus(tmp_path):
    """A corpus from a table given as text, without the note on how a large one is sorted."""

    def make(text: str, name: str = "mine.csv", **said):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        found = table_corpus(path, **said)
        notes = [note for note in found.notes if note != SORTED]
        return replace(found, notes=tuple(notes))

    return make


@pytest.fixture
def complaint(corpus, tmp_path):
    """The message with which a table is refused, with the folder left out."""

    def refused(text: str, name: str = "mine.csv", **said) -> str:
        with pytest.raises(CorpusError) as caught:
            corpus(text, name, **said)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return refused


# ------------------------------------------------------------------ what comes out


def test_a_full_table_comes_through_as_it_is(corpus):
    found = corpus(FULL)
    validate(found.sentences(), SENTENCES)
    assert found.sentences().columns == list(found.columns)
    assert found.sentences().row(0, named=True) == {
        "id": "a",
        "text": "Tia is glad.",
        "corpus": "mine",
        "edition": "corrected",
        "language": "en",
        "template": "1",
        "person": "Tia",
        "gender": "female",
        "race": "Black",
        "emotion": "joy",
        "emotion_word": "glad",
        "frame": "f1",
        "match": "names",
    }
    assert (found.name, found.edition, found.language, found.size) == ("mine", "corrected", "en", 2)
    assert found.design is None


def test_what_a_small_table_lacks_is_made_up_and_said(corpus):
    found = corpus(SMALL)
    validate(found.sentences(), SENTENCES)
    assert found.sentences().row(1, named=True) == {
        "id": "row-00002",
        "text": "He is glad.",
        "corpus": "mine",
        "edition": "corrected",
        "language": "und",
        "template": "1",
        "person": "male",
        "sex": "male",
        "emotion": None,
        "emotion_word": None,
        "frame": "1",
        "match": "all",
    }
    assert found.notes == (
        "text ← Sentence (guessed)",
        "template ← Template (guessed)",
        "sex ← Sex (guessed): female, male",
        "id: none in the file; rows are numbered row-00001, row-00002, …",
        "language: none in the file; not known (und); say --language",
        "person: none in the file; the group labels stand for it",
        "frame: none in the file; made of template, emotion and emotion word",
        "match: none in the file; 'all': everyone in a frame is pooled",
    )


def test_what_is_given_is_not_guessed(corpus):
    said = {"columns": {"gender": "Sex"}, "axes": {"gender": ("male", "female")}}
    found = corpus(SMALL, language="en", **said)
    assert found.axes == (Axis("gender", ("male", "female")),)
    assert found.sentences()["language"].unique().to_list() == ["en"]
    assert "gender ← Sex (given): male, female" in found.notes
    assert "language: none in the file; en, as given" in found.notes
    assert not any(note.startswith("sex") for note in found.notes)


def test_batches_slice_the_sentences_in_order(corpus):
    rows = "".join(f"s{n},{'fm'[n % 2]},1\n" for n in range(7))
    found = corpus(f"text,gender,template\n{rows}")
    batches = list(found.batches(3))
    assert [batch.height for batch in batches] == [3, 3, 1]
    assert pl.concat(batches)["text"].to_list() == [f"s{n}" for n in range(7)]
    assert found.size == 7


def test_the_frame_leaves_out_empty_parts(corpus):
    found = corpus(
        "text,gender,template,emotion,emotion word\n"
        "a,f,1,joy,glad\nb,m,1,joy,glad\nc,f,2,,\nd,m,2,,\ne,f,3,joy,\nf,m,3,joy,\n"
    )
    assert found.sentences()["frame"].to_list() == ["1/joy/glad"] * 2 + ["2"] * 2 + ["3/joy"] * 2


def test_a_frame_stands_for_a_missing_template(corpus):
    found = corpus("text,gender,frame\na,f,x\nb,m,x\n")
    assert found.sentences()["template"].to_list() == ["x", "x"]
    assert "template: none in the file; the frame stands for it" in found.notes


def test_group_labels_stand_for_a_missing_person(corpus):
    found = corpus("text,gender,race,template\na,female,Black,1\nb,male,,1\nc,,,1\nd,,white,1\n")
    assert found.sentences()["person"].to_list() == ["female, Black", "male", "(no group)", "white"]
    assert "sentences without a group, in no comparison: 1" in found.notes


def test_the_language_of_a_column_goes_before_the_one_given(corpus):
    text = "text,gender,template,Lang\na,f,1,es\nb,m,1,es\n"
    found = corpus(text, language="en")
    assert found.language == "es"
    assert "the language given (en) is not used: the file has a column for it" in found.notes


def test_several_languages_have_a_code_of_their_own(corpus):
    found = corpus("text,gender,template,language\na,f,1,es\nb,m,1,es\nc,f,2,ar\nd,m,2,ar\n")
    assert found.language == "mul"
    assert found.sentences()["language"].to_list() == ["es", "es", "ar", "ar"]


def test_texts_are_kept_letter_by_letter_and_another_normal_form_is_noted(corpus):
    found = corpus("text,gender,template\n Jose\u0301 ,f,1\nJosé,m,1\n")
    assert found.sentences()["text"].to_list() == [" Jose\u0301 ", "José"]
    assert "texts not in Unicode NFC, kept as they are: 1" in found.notes


def test_hostile_cells_are_only_text(corpus):
    long = "N" * 50_000
    texts = [
        "<img src=x onerror=alert(1)>",
        "=1+2",
        "هي سعيدة",
        "👩🏽‍🚀",
        "{person}",
        "NA",
        "../../x",
        long,
    ]
    rows = [[text, "fm"[n % 2], "<b>1</b>", text] for n, text in enumerate(texts)]
    found = corpus(_csv([["text", "gender", "template", "person"], *rows], ","))
    assert found.sentences()["text"].to_list() == texts
    assert found.sentences()["person"].to_list() == texts
    assert found.sentences()["frame"].unique().to_list() == ["<b>1</b>"]


def test_an_exported_corpus_reads_back_as_the_same_sentences(tmp_path):
    eec = load_corpus("eec")
    eec.sentences().write_csv(tmp_path / "mine.csv")
    back = table_corpus(tmp_path / "mine.csv")
    assert back.axes == eec.axes
    assert back.sentences().equals(eec.sentences())


def test_an_exported_corpus_keeps_its_name_edition_and_direction(tmp_path):
    spanish = load_corpus("eec-es", "published")
    spanish.sentences().write_csv(tmp_path / "mine.csv")
    back = load_corpus(tmp_path / "mine.csv")
    assert (back.name, back.edition) == ("eec-es", "published")
    assert back.axes == spanish.axes  # Latino minus Anglo, not in alphabetical order
    assert back.sentences().equals(spanish.sentences())


def test_a_language_that_is_no_code_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("text,template,gender\na,1,f\nb,1,m\n")
    with pytest.raises(TiltmeterError, match="a language is a code"):
        load_corpus(tmp_path / "t.csv", language="english please")


def test_notes_of_the_reading_come_first(corpus):
    assert corpus(SMALL + "\n").notes[0] == "blank rows left out: 1"


# ------------------------------------------------------------------ guesses


@pytest.mark.parametrize("name", ["text", "TEXT", "Sentence", "tweet", "Sentence text", "Tweet "])
def test_the_text_is_known_by_several_names(corpus, name):
    found = corpus(f"{name},gender,template\na,f,1\nb,m,1\n")
    assert found.sentences()["text"].to_list() == ["a", "b"]
    assert f"text ← {name} (guessed)" in found.notes


def test_ids_people_and_words_are_known_by_other_names(corpus):
    found = corpus(
        "Sentence ID,text,Name,Word,gender,template\n7,a,Ann,glad,f,1\n8,b,Bob,glad,m,1\n"
    )
    assert found.sentences().select("id", "person", "emotion_word").rows() == [
        ("7", "Ann", "glad"),
        ("8", "Bob", "glad"),
    ]


def test_our_own_name_goes_before_a_likeness(corpus):
    found = corpus("sentence,text,gender,template\nno,a,f,1\nno,b,m,1\n")
    assert found.sentences()["text"].to_list() == ["a", "b"]
    assert "left out, since not understood: sentence" in found.notes


def test_the_exact_name_goes_before_another_case(corpus):
    found = corpus("Text,text,gender,template\nno,a,f,1\nno,b,m,1\n")
    assert found.sentences()["text"].to_list() == ["a", "b"]


def test_two_likely_columns_are_not_chosen_between(complaint):
    said = complaint("sentence,tweet,gender,template\na,x,f,1\nb,y,m,1\n")
    assert "the columns 'sentence' and 'tweet' could each be the text" in said
    assert "--column text=sentence" in said
    assert "no column for the text" not in said


@pytest.mark.parametrize("axis", ["religion", "Sexual orientation", "AGE"])
def test_known_axes_are_guessed(corpus, axis):
    found = corpus(f"text,{axis},template\na,x,1\nb,y,1\n")
    assert found.axes == (Axis(axis.lower().replace(" ", "_"), ("x", "y")),)


def test_an_axis_of_the_users_own_needs_to_be_named(corpus, complaint):
    text = "text,Region,template\na,south,1\nb,North,1\n"
    assert corpus(text, axes={"region": ()}).axes == (Axis("region", ("North", "south")),)
    assert "no column says who belongs to which group; there are text, Region" in complaint(text)


def test_axes_asked_for_come_first_and_known_ones_are_still_found(corpus):
    found = corpus(FULL, axes={"race": ("white", "Black")})
    assert found.axes == (Axis("race", ("white", "Black")), Axis("gender", ("female", "male")))
    assert found.columns[7:9] == ("race", "gender")


def test_a_column_given_by_another_case_is_found(corpus):
    assert "text ← Sentence (given)" in corpus(SMALL, columns={"text": "sentence"}).notes


def test_a_guessed_axis_with_one_group_is_not_compared_and_said(corpus):
    found = corpus("text,gender,race,template\na,f,x,1\nb,f,y,1\n")
    assert found.axes == (Axis("race", ("x", "y")),)
    assert "gender ← gender (guessed): f, fewer than two groups, so not compared" in found.notes
    assert "gender" not in found.sentences().columns


def test_numbers_in_json_and_parquet_are_text(corpus, tmp_path):
    rows = [
        {"id": 1, "text": "a", "template": 1.0, "gender": "f"},
        {"id": 2, "text": "b", "template": 1.0, "gender": "m"},
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "mine.parquet")
    from_json = corpus("\n".join(json.dumps(row) for row in rows), "mine.jsonl").sentences()
    assert from_json.select("id", "frame").rows() == [("1", "1"), ("2", "1")]
    assert table_corpus(tmp_path / "mine.parquet").sentences().equals(from_json)


# ------------------------------------------------------------------ what is refused


def test_an_unknown_name_and_a_missing_column_are_reported_at_once(complaint):
    said = complaint(SMALL, columns={"gendr": "Sex", "text": "Sentense"}, axes={"kaste": ()})
    assert "'gendr' (given for the column 'Sex') is not one of our columns" in said
    assert "did you mean 'gender'?" in said
    assert "no column 'Sentense', which was given for 'text'; did you mean 'Sentence'?" in said
    assert "there are Sentence, Sex, Template" in said
    assert "no column for the axis 'kaste'" in said
    assert "no column for the text" not in said


def test_an_axis_may_not_take_the_name_of_a_column_of_ours(complaint):
    names = ("person", "*line", "", "^S.*$", "system", "mean", "race:sex", "race+sex")
    said = complaint(SMALL, axes=dict.fromkeys(names, ()))
    for name in map(repr, names):
        assert f"an axis cannot be called {name}" in said
    assert "who belongs to which group" not in said


def test_an_axis_that_is_not_there_is_reported_once(complaint):
    said = complaint("text,template\na,1\nb,1\n", axes={"gender": ()})
    assert "no column for the axis 'gender'; there are text, template" in said
    assert "who belongs to which group" not in said


def test_names_that_look_like_patterns_are_only_names(corpus):
    found = corpus(
        "^.*$,*,key,template\na,x,f,1\nb,y,m,1\n", columns={"text": "^.*$"}, axes={"key": ()}
    )
    assert found.sentences()["text"].to_list() == ["a", "b"]
    assert found.axes == (Axis("key", ("f", "m")),)
    assert "left out, since not understood: *" in found.notes


def test_missing_columns_are_reported_together(complaint):
    said = complaint("a,b\n1,2\n")
    assert "mine.csv: no column for the text; expected one called text, sentence" in said
    assert "mine.csv: no column says which sentences are compared" in said
    assert "mine.csv: no column says who belongs to which group; there are a, b" in said


def test_one_group_alone_is_no_axis(complaint):
    said = complaint("text,gender,template\na,f,1\nb,f,1\n")
    assert "no column says who belongs to which group; gender has only f" in said


def test_values_outside_the_groups_given_are_listed_with_their_lines(complaint):
    text = "text,race,template\na,Black,1\nb,white,1\nc,Asian,1\nd,Asian,1\ne,green,1\n"
    said = complaint(text, axes={"race": ("Black", "white")})
    assert "mine.csv:4: race is 'Asian' in lines 4 and 5; expected one of Black, white" in said
    assert "mine.csv:6: race is 'green' in line 6" in said


def test_a_group_given_for_nobody_or_twice_is_reported(complaint):
    text = "text,race,template\na,Black,1\nb,white,1\n"
    said = complaint(text, axes={"race": ("Black", "white", "white", "Asian")})
    assert "the group 'Asian' was given for race, but no row holds it; found Black, white" in said
    assert "a group stands twice in those given for race" in said


def test_an_axis_asked_for_needs_two_groups(complaint):
    said = complaint("text,gender,race,template\na,f,x,1\nb,m,x,1\n", axes={"race": ()})
    assert "race has the groups: x; expected two or more" in said


def test_groups_that_differ_only_in_case_or_spaces_are_reported(complaint):
    said = complaint("text,gender,template\na,Female,1\nb,male,1\nc,female ,1\n")
    assert "mine.csv:4: the groups 'Female' and 'female ' of gender differ only in case" in said


def test_repeated_ids_are_named_with_both_lines(complaint):
    said = complaint("id,text,gender,template\nx,a,f,1\ny,b,m,1\nx,c,f,1\n")
    assert "mine.csv:4: the ID 'x' stands in lines 2 and 4; expected each ID once" in said
    assert "'y'" not in said


def test_many_repeated_ids_are_counted_and_leave_room_for_other_problems(complaint):
    rows = "".join(f"{n},a,f,1\n{n},b,m,1\n" for n in range(30))
    said = complaint(f"id,text,gender,template\n{rows}z,,f,1\n")
    assert said.count("the ID") == 5
    assert "… and 25 more IDs that stand more than once" in said
    assert "mine.csv:62: text is empty in line 62" in said


@pytest.mark.parametrize("column", ["id", "text", "person", "template", "match", "frame"])
def test_an_empty_cell_is_named_by_column_and_line(complaint, column):
    rows = list(csv.DictReader(io.StringIO(FULL)))
    rows[1][column] = ""
    said = complaint(_csv([list(rows[0]), *(list(row.values()) for row in rows)], ","))
    assert f"mine.csv:3: {column} is empty in line 3; expected a value" in said
    assert said.count("is empty") == 1


def test_an_empty_template_is_not_reported_as_an_empty_frame_too(complaint):
    said = complaint("text,gender,template\na,f,1\nb,m,1\nc,m,\n")
    assert "mine.csv:4: template is empty" in said
    assert "frame is empty" not in said


def test_a_text_of_spaces_is_empty(complaint):
    said = complaint('text,gender,template\n"  ",f,1\nb,m,1\n')
    assert "mine.csv:2: text is empty in line 2" in said


def test_a_person_on_both_sides_of_an_axis_is_named_with_both_lines(complaint):
    said = complaint("text,person,gender,template\na,Robin,f,1\nb,Tom,m,1\nc,robin,m,1\nd,Ann,,1\n")
    assert "mine.csv:4: 'Robin' stands on both sides of gender: f (line 2) and m (line 4)" in said
    assert "'Tom' stands" not in said


def test_a_person_on_both_sides_of_an_axis_called_key_is_found_too(complaint):
    said = complaint("text,person,key,template\na,Al,f,1\nb,Al,m,1\n", axes={"key": ()})
    assert "'Al' stands on both sides of key: f (line 2) and m (line 3)" in said


def test_a_person_with_one_group_and_empty_cells_is_on_one_side(corpus):
    found = corpus("text,person,gender,template\na,Ann,f,1\nb,Ann,,1\nc,Tom,m,1\n")
    assert found.sentences()["gender"].to_list() == ["f", None, "m"]


def test_a_match_with_one_group_on_every_axis_is_named_by_frame_and_line(complaint):
    said = complaint(
        "text,gender,race,template,match\na,f,x,1,p\nb,m,x,1,p\nc,f,x,1,q\nd,f,,1,q\n"
        "e,f,x,2,p\nf,f,y,2,p\n"
    )
    assert "mine.csv:4: unbalanced: frame '1', match 'q' holds only gender f, race x" in said
    assert said.count("unbalanced") == 1


def test_a_frame_about_nobody_is_let_be_and_noted(corpus):
    found = corpus("text,gender,template\na,f,1\nb,m,1\nIt rains.,,2\n")
    assert found.size == 3
    assert "sentences without a group, in no comparison: 1" in found.notes


def test_many_unbalanced_frames_are_named_and_counted(complaint):
    rows = "".join(f"t,f,{n}\n" for n in range(8))
    said = complaint(f"text,gender,template\na,f,x\nb,m,x\n{rows}")
    assert said.count("unbalanced") == 5
    assert "… and 3 more matches with nobody of another group" in said


def test_every_kind_of_problem_is_reported_at_once(complaint):
    said = complaint(
        "id,text,person,gender,template\n1,a,Al,f,1\n1,,Al,m,1\n3,b,Bo,F,2\n", axes={"tribe": ()}
    )
    for part in (
        "'tribe'",
        "text is empty",
        "the ID '1'",
        "both sides",
        "only in case",
        "unbalanc",
    ):
        assert part in said


def test_columns_that_hold_no_text_are_refused_where_they_matter(complaint, corpus):
    row = '{"text":["a"],"gender":"%s","template":1}\n'
    assert "the column 'text' (text) holds List(String); expected text" in complaint(
        row % "f" + row % "m", "mine.jsonl"
    )
    row = '{"text":"a","gender":"%s","template":1,"tokens":["a"]}\n'
    found = corpus(row % "f" + row % "m", "mine.jsonl")
    assert "left out, since not understood: tokens" in found.notes


def test_a_nul_character_from_an_escape_is_refused(complaint):
    row = '{"text":"%s","gender":"%s","template":1}\n'
    said = complaint(row % ("a", "f") + row % ("\\u0000", "m"), "mine.jsonl")
    assert "mine.jsonl:2: text holds a NUL character in line 2" in said


def test_rows_of_a_parquet_file_are_named_as_rows(tmp_path):
    frame = pl.DataFrame({"text": ["a", None], "gender": ["f", "m"], "template": [1, 1]})
    frame.write_parquet(tmp_path / "mine.parquet")
    with pytest.raises(CorpusError, match=r"mine\.parquet:row 2: text is empty in row 2"):
        table_corpus(tmp_path / "mine.parquet")


# ------------------------------------------------------------------ round trip


def _csv(rows: list[list[str]], separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue()


CELL = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20
).filter(lambda text: text.strip() and not text.startswith("\ufeff"))


@st.composite
def tables(draw):
    """A small valid table: each frame has a woman and a man, everyone on one side."""
    frames = draw(st.dictionaries(CELL, st.none() | CELL, min_size=1, max_size=4))
    return [
        {
            "id": f"{number}-{gender}",
            "text": draw(CELL),
            "template": frame,
            "person": gender + draw(CELL),
            "gender": gender,
            "emotion": emotion,
        }
        for number, (frame, emotion) in enumerate(frames.items())
        for gender in ("f", "m")
    ]


@pytest.mark.parametrize("way", ["small"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tables())
def test_a_table_reads_back_the_same_from_every_kind_of_file(rows, tmp_path):
    cells = [list(rows[0]), *([value or "" for value in row.values()] for row in rows)]
    for ending, separator in ((".csv", ","), (".tsv", "\t")):
        (tmp_path / f"t{ending}").write_bytes(_csv(cells, separator).encode())
    lines = (json.dumps(row, ensure_ascii=len(rows) % 4 == 0) for row in rows)
    (tmp_path / "t.jsonl").write_bytes("\n".join(lines).encode())
    pl.DataFrame(rows, dict.fromkeys(rows[0], pl.String)).write_parquet(tmp_path / "t.parquet")
    for ending in (".csv", ".tsv", ".jsonl", ".parquet"):
        found = validate(table_corpus(tmp_path / f"t{ending}").sentences(), SENTENCES)
        assert found.select(rows[0].keys()).rows(named=True) == rows, ending


def test_the_frames_of_a_large_table_are_brought_together(way, tmp_path):
    rows = ["b,male", "a,male", "b,female", "a,female"]
    text = "".join(f"{nth} of {row.replace(',', ' ')},{row}\n" for nth, row in enumerate(rows))
    (tmp_path / "mine.csv").write_text(f"text,template,gender\n{text}")
    found = table_corpus(tmp_path / "mine.csv")
    large = way == "large"
    assert (SORTED in found.notes) == large
    assert found.sentences()["text"].str.head(1).to_list() == [*("0213" if large else "0123")]
    assert found.sentences()["id"][1] == ("row-00003" if large else "row-00002")
