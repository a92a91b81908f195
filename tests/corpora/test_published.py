"""A user's copy of the published Equity-Evaluation-Corpus.csv, written here from our own corpus."""

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.corpora.published import COLUMNS, is_published
from tiltmeter.corpora.table import table_corpus
from tiltmeter.errors import CorpusError
from tiltmeter.schemas import SENTENCES, validate

NAME = "Equity-Evaluation-Corpus.csv"
TO_THEIRS = {"African American": "African-American", "European American": "European"}


@pytest.fixture(scope="module")
def eec():
    """The generated corpus."""
    return load_corpus("eec", "published")


@pytest.fixture(scope="module")
def theirs(eec):
    """The published file as its readers know it, in an order of its own: 8,640 rows."""
    shuffled = eec.sentences().sample(fraction=1.0, shuffle=True, seed=1)
    return shuffled.select(
        pl.format("2018-En-mystery-{}", pl.int_range(1, pl.len() + 1).cast(str).str.zfill(5)).alias(
            "ID"
        ),
        pl.col("text").alias("Sentence"),
        pl.lit("<person subject> feels <emotion word>.").alias("Template"),
        pl.col("person").replace({"she": "her", "he": "him"}).alias("Person"),
        pl.col("gender").alias("Gender"),
        pl.col("race").replace(TO_THEIRS).fill_null("").alias("Race"),
        pl.col("emotion").fill_null("").alias("Emotion"),
        pl.col("emotion_word").fill_null("").alias("Emotion word"),
    )


@pytest.fixture
def read(tmp_path, eec):
    """The corpus read from a file with these rows."""

    def write_and_read(rows: pl.DataFrame, **said):
        rows.write_csv(tmp_path / NAME)
        return table_corpus(tmp_path / NAME, published=lambda: [eec], **said)

    return write_and_read


@pytest.fixture
def complaint(read, tmp_path):
    """The message with which such a file is refused, with the folder left out."""

    def refused(rows: pl.DataFrame) -> str:
        with pytest.raises(CorpusError) as caught:
            read(rows)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return refused


def changed(rows: pl.DataFrame, sentence: str, **values: str) -> pl.DataFrame:
    """The rows with other values in that sentence's row."""
    here = pl.col("Sentence") == sentence
    new = {name.replace("_", " "): value for name, value in values.items()}
    return rows.with_columns(
        pl.when(here).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)
        for name, value in new.items()
    )


def line_of(rows: pl.DataFrame, sentence: str) -> int:
    """The line of a sentence in the file: one for the header, one because lines count from 1."""
    return rows["Sentence"].to_list().index(sentence) + 2


def test_the_authors_columns_are_known_in_any_order_and_case():
    assert is_published(COLUMNS)
    assert is_published([name.upper() for name in reversed(COLUMNS)])
    assert is_published(["", *COLUMNS, "score"])
    assert not is_published(COLUMNS[1:])
    assert not is_published(["id", "text", "gender"])


def test_the_published_file_is_recognised_and_matches_in_every_sentence(read, theirs, eec):
    found = read(theirs)
    assert (found.name, found.edition, found.size) == ("eec", "published", 8640)
    assert (found.title, found.language, found.axes) == (eec.title, "en", eec.axes)
    assert found.design.templates[4].id == "5"
    assert found.checksum == "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe"
    assert found.notes == (
        "recognised as the published Equity Evaluation Corpus; its IDs and wording are kept",
        "8,640 of 8,640 sentences matched the generated corpus",
    )
    validate(found.sentences(), SENTENCES)


def test_ids_and_order_are_the_files_and_the_rest_is_ours(read, theirs, eec):
    found = read(theirs).sentences()
    assert found.columns == list(eec.columns)
    assert found["id"].to_list() == theirs["ID"].to_list()
    assert found["text"].to_list() == theirs["Sentence"].to_list()
    rest = found.drop("id").sort("text")
    assert rest.equals(eec.sentences().drop("id").sort("text"))


def test_one_row_reads_as_the_paper_means_it(read, theirs):
    (row,) = read(theirs).sentences().filter(text="The situation makes her feel angry.").to_dicts()
    assert row["person"] == "she"
    assert (row["gender"], row["race"], row["match"]) == ("female", None, "she/he")
    assert (row["template"], row["frame"]) == ("2", "2/anger/angry")


def test_the_edition_that_misspells_disappointed_keeps_its_spelling(read, theirs):
    wrong = theirs.with_columns(
        pl.col("Sentence", "Emotion word").str.replace("disappointed", "dissapointed")
    )
    found = read(wrong)
    spelt = found.sentences().filter(pl.col("text").str.contains("dissapointed"))
    # 4 templates with state words × 60 persons.
    assert spelt.height == 240
    assert spelt["emotion_word"].unique().to_list() == ["disappointed"]
    assert spelt["frame"].unique().sort().to_list() == [
        f"{template}/sadness/disappointed" for template in "1234"
    ]
    assert found.notes[1:] == (
        "8,640 of 8,640 sentences matched the generated corpus",
        "240 sentences spell 'dissapointed', as one edition of the file does",
    )


def test_spaces_and_capitals_in_headers_do_not_hinder(read, theirs):
    spaced = theirs.with_columns(pl.col("Sentence").str.replace(" ", "  ") + " ")
    found = read(spaced.rename({"ID": "id", "Emotion word": "EMOTION_WORD"}))
    assert found.size == 8640
    assert found.sentences()["text"].to_list() == spaced["Sentence"].to_list()


def test_rows_missing_from_the_file_are_counted_with_examples(read, theirs):
    gone = ["Alonzo feels angry.", "I saw Tia in the market."]
    found = read(theirs.filter(~pl.col("Sentence").is_in(gone)))
    assert found.size == 8638
    assert found.notes[1] == "8,638 of 8,640 sentences matched the generated corpus"
    assert (
        "missing from the file: 2, such as 'Alonzo feels angry.', 'I saw Tia in the market.'"
        in found.notes
    )


def test_rows_that_we_do_not_have_are_set_aside_with_their_lines(read, theirs):
    found = read(changed(theirs, "Alonzo feels angry.", Sentence="Alonzo feels peckish."))
    line = line_of(theirs, "Alonzo feels angry.")
    assert found.size == 8639
    assert "Alonzo feels peckish." not in found.sentences()["text"].to_list()
    assert (
        f"not in the generated corpus, so set aside: 1, in line {line:,}, "
        "such as 'Alonzo feels peckish.'" in found.notes
    )


def test_rows_that_contradict_our_columns_are_counted_and_ours_is_used(read, theirs, tmp_path):
    text = "Alonzo feels angry."
    found = read(changed(theirs, text, Race="European", Emotion_word="furious"))
    (row,) = found.sentences().filter(text=text).to_dicts()
    assert (row["race"], row["emotion_word"]) == ("African American", "angry")
    assert found.notes[-1] == (
        "rows that differ from the generated corpus in Gender, Race, Emotion, Emotion word: 1; "
        f"ours is used; the first, {tmp_path}/{NAME}:{line_of(theirs, text)}, says "
        "Race European where ours is African American and "
        "Emotion word furious where ours is angry"
    )


def test_a_label_missing_from_a_row_is_a_contradiction(read, theirs):
    found = read(changed(theirs, "Alonzo feels angry.", Gender=""))
    assert "Gender nothing where ours is male" in found.notes[-1]


def test_repeated_ids_and_sentences_are_refused_with_their_lines(complaint, theirs):
    few = theirs.head(10)
    again = few.head(1).with_columns(ID=pl.lit("new"))
    same_id = few.tail(1).with_columns(
        ID=pl.lit(few["ID"][1]), Sentence=pl.lit(theirs["Sentence"][20])
    )
    said = complaint(pl.concat([few, again, same_id]))
    assert f"{NAME}:13: the ID {few['ID'][1]!r} stands in lines 3 and 13; expected it once" in said
    assert f"{NAME}:12: the sentence {few['Sentence'][0]!r} stands in lines 2 and 12" in said


def test_both_spellings_of_one_sentence_are_a_repetition(complaint, theirs):
    right = theirs.filter(Sentence="Tia feels disappointed.")
    wrong = right.with_columns(ID=pl.lit("new"), Sentence=pl.lit("Tia feels dissapointed."))
    said = complaint(pl.concat([right, wrong]))
    assert f"{NAME}:3: the sentence 'Tia feels disappointed.' stands in lines 2 and 3" in said


def test_an_empty_id_or_sentence_is_refused(complaint, theirs):
    few = theirs.head(6)
    few = changed(few, few["Sentence"][3], ID="")
    said = complaint(changed(few, few["Sentence"][1], Sentence=""))
    assert f"{NAME}:5: ID is empty in line 5" in said
    assert f"{NAME}:3: Sentence is empty in line 3" in said


def test_a_file_with_other_sentences_is_not_recognised(complaint, theirs):
    mostly_other = theirs.head(10).with_columns(
        Sentence=pl.when(pl.int_range(pl.len()) < 4)
        .then(pl.col("Sentence"))
        .otherwise(pl.format("Other {}.", pl.int_range(pl.len())))
    )
    said = complaint(mostly_other)
    assert "has the columns of the published Equity Evaluation Corpus but not its sentences" in said
    assert "found 4 of its 10 sentences among the 8,640 of the generated corpus" in said
    assert "The first that is not: 'Other 4.' (line 6)" in said
    assert "--column text=Sentence" in said


def test_half_of_the_sentences_are_enough(read, theirs):
    half = theirs.head(2).with_columns(
        Sentence=pl.when(pl.int_range(pl.len()) == 0)
        .then(pl.col("Sentence"))
        .otherwise(pl.lit("x"))
    )
    assert read(half).size == 1


def test_columns_given_by_the_user_make_it_a_table_of_their_own(read, theirs):
    found = read(theirs.filter(pl.col("Race") != ""), columns={"text": "Sentence"}, language="en")
    assert (found.name, found.edition) == ("Equity-Evaluation-Corpus", "corrected")
    assert found.axes[1].groups == ("African-American", "European")
    assert "text ← Sentence (given)" in found.notes


def test_without_a_reference_it_is_an_ordinary_table(theirs, tmp_path):
    theirs.filter(pl.col("Race") != "").write_csv(tmp_path / NAME)
    assert table_corpus(tmp_path / NAME).name == "Equity-Evaluation-Corpus"


def test_a_parquet_copy_with_lists_is_refused(tmp_path, eec):
    frame = pl.DataFrame({name: [["x"]] for name in COLUMNS})
    frame.write_parquet(tmp_path / "eec.parquet")
    with pytest.raises(CorpusError, match="hold lists or bytes; expected text"):
        table_corpus(tmp_path / "eec.parquet", published=lambda: [eec])
