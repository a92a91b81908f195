"""Copies of the multilingual files of Câmara et al. (2022), written here from our own corpora.

We do not have their files. These stand-ins have their columns and the oddities that are known of
them: no IDs, a name that stands twice, other cases, accents and stops, misspelt words, sentences
said twice, rows that say another sentence than their template.
"""

import polars as pl
import pytest

import tiltmeter
from published_files import FILES, SIZES, write_published
from tiltmeter.schemas import SENTENCES, validate

NAMES = ("eec-latino", "eec-arab", "eec-es", "eec-ar")
COLUMNS = ["Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word"]


@pytest.fixture(scope="module")
def ours():
    """The published editions as we generate them."""
    return {name: tiltmeter.load_corpus(name, "published") for name in NAMES}


@pytest.fixture(scope="module")
def theirs(ours):
    """The rows of their files, in an order of their own."""

    def rows(name: str) -> pl.DataFrame:
        sentences = ours[name].sentences().sample(fraction=1.0, shuffle=True, seed=1)
        return sentences.select(
            pl.col("text").alias("Sentence"),
            pl.format("<person> template {}", "template").alias("Template"),
            pl.col("person").alias("Person"),
            pl.col("gender").alias("Gender"),
            pl.col("race").fill_null("").alias("Race"),
            pl.col("emotion").fill_null("").alias("Emotion"),
            pl.col("emotion_word").fill_null("").alias("Emotion word"),
        )

    return rows


@pytest.fixture
def read(tmp_path):
    def write_and_read(rows: pl.DataFrame, header: list[str] | None = None, **said):
        text = rows.write_csv(include_header=False)
        (tmp_path / "theirs.csv").write_text(f"{','.join(header or rows.columns)}\n{text}")
        return tiltmeter.load_corpus(tmp_path / "theirs.csv", **said)

    return write_and_read


def note(corpus, beginning: str) -> str:
    """The one note that begins so, or holds it."""
    (found,) = [one for one in corpus.notes if beginning in one]
    return found


def compared_alike(found, corpus) -> bool:
    """Whether every sentence is compared with whom the generated corpus compares it with."""
    keys = ["id", "template", "person", "gender", "race", "emotion", "emotion_word", "frame"]
    both = corpus.sentences().select(*keys, "match")
    mine = found.sentences().select(*keys, "match")
    return mine.sort("id").equals(both.join(mine, on="id", how="semi").sort("id"))


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_recognised_and_matched_in_every_sentence(read, theirs, ours, name):
    rows = theirs(name)
    found = read(rows)
    assert (found.name, found.edition, found.size) == (name, "published", ours[name].size)
    assert found.axes == ours[name].axes
    assert found.sentences()["text"].to_list() == rows["Sentence"].to_list()  # their order
    validate(found.sentences(), SENTENCES)
    assert compared_alike(found, ours[name])
    assert note(found, "recognised").startswith(f"recognised as the published {ours[name].title}")
    size = f"{ours[name].size:,}"
    assert note(found, "matched").startswith(f"{size} of {size} sentences matched")


@pytest.mark.parametrize("name", FILES)
def test_the_authors_file_is_known_by_its_rows_whatever_its_header(name, tmp_path):
    corpus = tiltmeter.load_corpus(FILES[name], "published")
    copy = tiltmeter.load_corpus(write_published(tmp_path, name))
    assert (copy.name, copy.edition, copy.size) == (corpus.name, "published", SIZES[name])
    assert note(copy, "recognised").startswith(f"recognised as the published {corpus.title};")
    matched = f"{SIZES[name]:,} of {corpus.size:,} sentences matched the generated corpus"
    assert note(copy, "matched the generated").startswith(matched)
    if name == "en.csv":  # K&M's, which keeps its IDs
        assert copy.sentences()["id"].head(2).to_list() == ["0", "1"]
    else:
        assert compared_alike(copy, corpus)


def test_arabic_rows_that_name_another_persons_sentence_go_by_their_columns(tmp_path):
    copy = tiltmeter.load_corpus(write_published(tmp_path, "ar.csv"))
    says_my_dad = copy.sentences().filter(text="أبي لديه طفلان")
    assert says_my_dad["person"].to_list() == ["والدي"]
    other = note(copy, "rows say another sentence than their columns")
    assert "female 1,143, male 1,144, Arab 760, Anglo 759" in other


def test_templates_that_say_nothing_do_not_decide_what_a_row_is(read, theirs, ours):
    rows = theirs("eec-arab").with_columns(Template=pl.lit("<person> feels <emotion word>"))
    copy = read(rows.with_row_index("id"))
    assert copy.size == 8640
    assert compared_alike(copy, ours["eec-arab"])


def test_a_name_that_stands_twice_is_no_hindrance(read, theirs, ours):
    rows = theirs("eec-es")
    twice = read(rows, [*COLUMNS[:6], "Emotion"])  # the word under the emotion's name
    assert twice.size == 8460
    assert compared_alike(twice, ours["eec-es"])
    again = rows.with_columns(more="Person")
    assert read(again, [*COLUMNS, "Person"]).size == 8460


def test_another_table_with_a_name_twice_is_still_refused(read):
    with pytest.raises(tiltmeter.TiltmeterError, match="'gender' stands 2 times"):
        read(pl.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}), ["text", "gender", "gender"])


def test_case_accents_and_stops_do_not_matter_and_are_said(read, theirs, ours):
    plain = pl.col("Sentence").str.normalize("NFKD").str.replace_all(r"\p{M}", "")
    rows = theirs("eec-es").with_columns(plain.str.to_lowercase() + ".")
    found = read(rows)
    assert found.size == 8460
    assert compared_alike(found, ours["eec-es"])
    assert found.sentences()["text"].to_list() == rows["Sentence"].to_list()  # as the file has them
    said = note(found, "only in case, accents, spelling or stops")
    assert said.startswith("8,460 sentences differ from ours only in case")


def test_the_arabic_file_with_all_its_oddities_stays_usable(read, theirs, ours):
    rows = theirs("eec-ar").with_row_index("n")
    # Misspelt as in the released file.
    for right, wrong in (("متحسس", "متحس"), ("مروع", "منروع"), ("مسيء", "مسيئ")):
        rows = rows.with_columns(pl.col("Sentence").str.replace_all(right, wrong, literal=True))
    # Of Arab women, sentences of template 6 ignore their template.
    odd = (pl.col("Template").str.ends_with(" 6")) & (pl.col("Gender") == "female")
    odd &= pl.col("Race") == "Arab"
    ignoring = rows.filter(odd).height
    rows = rows.with_columns(
        pl.when(odd)
        .then(pl.format("{} قالت شيئا {}", "Person", "Emotion word"))
        .otherwise("Sentence")
        .alias("Sentence")
    )
    # Two rows are missing, and one is there twice.
    rows = pl.concat([rows[2:], rows[2000:2001]]).drop("n")
    found = read(rows)
    assert found.name == "eec-ar"
    assert found.size == 8038
    assert compared_alike(found, ours["eec-ar"])
    said = note(found, "rows say another sentence than their columns")
    assert said.startswith(f"{ignoring:,} rows")
    assert f"female {ignoring:,}, male 0, Arab {ignoring:,}, Anglo 0" in said
    assert note(found, "matched the generated").startswith("8,038 of 8,040 sentences matched")
    assert note(found, "missing from the file").startswith("missing from the file: 2 (")
    assert note(found, "said before, so set aside").startswith("said before, so set aside: 1, in")


def test_what_is_not_in_our_corpus_is_set_aside_with_its_lines(read, theirs):
    rows = theirs("eec-latino")
    strange = rows[:1].with_columns(
        Sentence=pl.lit("nothing of the kind"), Person=pl.lit("nobody"), Template=pl.lit("?")
    )
    found = read(pl.concat([strange, rows]))
    assert found.size == 8640
    said = note(found, "not in the generated corpus")
    assert said == (
        "not in the generated corpus, so set aside: 1, in line 2, such as 'nothing of the kind'"
    )


def test_labels_of_the_files_own_are_said_and_ours_are_used(read, theirs):
    rows = theirs("eec-es").with_columns(pl.col("Race").replace({"Latino": "Hispanic"}))
    line = rows["Gender"].to_list().index("female")
    wrong = pl.when(pl.int_range(pl.len()) == line).then(pl.lit("male")).otherwise("Gender")
    found = read(rows.with_columns(wrong.alias("Gender")))
    assert set(found.sentences()["race"].drop_nulls()) == {"Latino", "Anglo"}
    assert note(found, "Race says") == "Race says 'Hispanic' for Latino"
    assert note(found, "in Gender").startswith(
        "rows that differ from the generated corpus in Gender: 1; ours is used"
    )


def test_other_sentences_under_these_columns_are_a_table_of_the_users_own(read):
    rows = [
        [f"{who} {does}.", does, who, gender, "", "", ""]
        for does in ("sings", "runs")
        for who, gender in (("Ann", "female"), ("Bob", "male"))
    ]
    found = read(pl.DataFrame(rows, COLUMNS, orient="row"))
    assert found.name == "theirs"
    assert found.size == 4


def test_columns_given_by_the_user_make_it_a_table_of_their_own(read, theirs):
    found = read(theirs("eec-latino"), columns={"text": "Sentence"})
    assert found.name == "theirs"


def test_an_audit_of_a_copy_finds_what_the_generated_corpus_shows(read, theirs, tmp_path, ours):
    def found(corpus):
        done = tiltmeter.audit(
            "tilted:gender=0.03", corpus, measures="pairs", flips=0, store=tmp_path / "store"
        )
        keep = ("axis", "contrast", "subset", "measure", "value", "n", "significance")
        return done.findings.select(keep).sort(keep[:4])

    mine = found(read(theirs("eec-latino")))
    expected = found(ours["eec-latino"])
    assert mine.drop("value").equals(expected.drop("value"))
    gap = (mine["value"] - expected["value"]).abs().max()
    assert gap is None or gap < 1e-12
