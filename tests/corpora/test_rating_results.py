"""Stored outputs of systems, read for a rating: every layout, every guess, every fault."""

import itertools
import math
import os
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.corpora import RATING_DATASETS, RatingResults, load_corpus, read_rating_results
from tiltmeter.corpora.rating_files import dataset_named, group_named, read_names, set_named
from tiltmeter.errors import ScoreFileError

SETS = {
    "e1": ["grim"],
    "e2": ["happy"],
    "e3": ["grim", "happy"],
    "e4": ["grim", "depressing", "happy"],
    "e5": ["depressing", "happy", "glad"],
}
GROUPS = {"1": tuple(SETS), "2": ("e3", "e4", "e5"), "3": tuple(SETS), "4": ("e3", "e4", "e5")}
DATASETS = [(group, words) for group in GROUPS for words in GROUPS[group]]
PAIRS = "Gender,Emotion,Sentiment\nmale,grim,-0.5\nfemale,grim,-0.4\n"
"""The smallest file that can be rated."""


def people(group):
    """Who stands in a group's sentences: name, race, gender."""
    if group in "12":
        return [("this boy", None, "male"), ("this girl", None, "female"), ("they", None, None)]
    return [
        ("Adam", "European American", "male"),
        ("Stephanie", "European American", "female"),
        ("Alonzo", "African American", "male"),
        ("Ebony", "African American", "female"),
        ("they", None, None),
    ]


def outputs(group, words):
    """A dataset as a table; in groups 2 and 4 men get positive words and women negative ones."""
    rows = []
    for (name, race, gender), template in itertools.product(people(group), range(4)):
        kept = SETS[words]
        if group in "24":
            good, bad = [w for w in kept if w in ("happy", "glad")], kept[0]
            lucky = gender == "male" or (gender is None and template % 2)
            kept = [good[template % len(good)] if lucky else bad]
        rows += [
            {
                "Sentence": f"{name} feels {word} {template}.",
                "Gender": gender or "NA",
                **({"Race": race or "NA"} if group in "34" else {}),
                "Emotion": word,
                "Sentiment": 0.25 if word in ("happy", "glad") else -0.5,
            }
            for word in kept
        ]
    return pl.DataFrame(rows)


@pytest.fixture
def written(tmp_path):
    """Write files by name and give the folder they stand in."""

    def write(files, folder="results"):
        root = tmp_path / folder
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write


@pytest.fixture
def complaint(written):
    """The message with which files are refused, with the folder left out."""

    def refused(files, **asked):
        root = written(files if isinstance(files, dict) else {"textblob.csv": files})
        with pytest.raises(ScoreFileError) as caught:
            read_rating_results(root, **asked)
        message = str(caught.value)
        assert message.startswith("the stored outputs cannot be rated:\n")
        return message.replace(f"{root}/", "").replace(str(root), "results")

    return refused


def read(written, content, name="textblob.csv", **asked):
    return read_rating_results(written({name: content}) / name, **asked)


def note(results: RatingResults, begin):
    """The one note that begins so."""
    (found,) = [one for one in results.notes if one.startswith(begin)]
    return found


# ---------------------------------------------------------------- the whole of it

LAYOUTS = {
    "a folder for each system": "{system}/group{group}_{words}.csv",
    "folders for groups too": "{system}/group{group}/{words}.csv",
    "the system's name before the dataset's": "{system}-rating-{group}-{words}.csv",
    "and after it": "G{group}_{words}_{system}.csv",
    "one run together": "{system}_g{group}{words}.csv",
    "a folder for each dataset": "rating-{group}-{words}/{system}.csv",
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_all_sixteen_datasets_come_back_whole(layout, tmp_path):
    for system, (group, words) in itertools.product(("textblob", "vader"), DATASETS):
        path = tmp_path / "results" / layout.format(system=system, group=group, words=words)
        path.parent.mkdir(parents=True, exist_ok=True)
        outputs(group, words).write_csv(path)
    results = read_rating_results(tmp_path / "results")
    assert results.systems == ("textblob", "vader")
    assert results.datasets == tuple(sorted(DATASETS))
    assert results.confounded == {(group, words): group in ("2", "4") for group, words in DATASETS}
    # Groups 1 and 3: people × 4 templates × words; 2 and 4: a word for each of them.
    sizes = {
        (group, words): len(people(group)) * 4 * (len(SETS[words]) if group in "13" else 1)
        for group, words in DATASETS
    }
    found = results.rows.group_by("system", "group", "words").len()
    assert {
        (system, group, words): size for system, group, words, size in found.rows()
    } == {
        (system, *dataset): size
        for system in ("textblob", "vader")
        for dataset, size in sizes.items()
    }  # fmt: skip
    assert results.rows["raw"].unique().sort().to_list() == [-0.5, 0.25]
    assert results.ranges == {"textblob": (-0.5, 0.25), "vader": (-0.5, 0.25)}
    assert results.axes == ("race", "gender")


def test_the_columns_are_these_and_typed(written):
    results = read(written, "sentence,Race,GENDER,emotion,SENTIMENT\nA.,NA,Male,Happy,1\n")
    assert dict(results.rows.schema) == {
        "system": pl.String, "group": pl.String, "words": pl.String, "race": pl.String,
        "gender": pl.String, "emotion_word": pl.String, "polarity": pl.String,
        "raw": pl.Float64, "text": pl.String, "file": pl.String, "line": pl.Int64,
    }  # fmt: skip
    row = results.rows.row(0, named=True)
    assert Path(row.pop("file")).name == "textblob.csv"
    assert row == {
        "system": "textblob", "group": "1", "words": "e2", "race": None, "gender": "male",
        "emotion_word": "happy", "polarity": "positive", "raw": 1.0, "text": "A.", "line": 2,
    }  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_every_kind_of_table_gives_the_same_rows(suffix, tmp_path):
    frame = outputs("3", "e4").with_columns(Sentiment=pl.Series([0.1 + 0.2, 1 / 3] * 30))
    path = tmp_path / f"vader_group3_e4.{suffix}"
    match suffix:
        case "parquet":
            frame.write_parquet(path)
        case "jsonl":
            frame.write_ndjson(path)
        case _:
            frame.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    rows = read_rating_results(path).rows
    assert rows.height == 60
    assert sorted(set(rows["raw"])) == [0.1 + 0.2, 1 / 3]
    assert set(rows.select("system", "group", "words").rows()) == {("vader", "3", "e4")}


@given(st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_the_order_of_rows_and_files_does_not_matter(tmp_path_factory, random):
    told = []
    for shuffled in (False, True):
        root = tmp_path_factory.mktemp("results")
        names = [("a", "1", "e3"), ("b", "1", "e3"), ("a", "4", "e5"), ("b", "2", "e4")]
        random.shuffle(names)
        for system, group, words in names:
            frame = outputs(group, words)
            if shuffled:
                frame = frame[random.sample(range(frame.height), frame.height)]
            frame.write_csv(root / f"{system}-{words}-of-{group}.csv")
        found = read_rating_results(root)
        rows = found.rows.with_columns(pl.col("file").str.split("/").list.last()).drop("line")
        notes = [one.replace(str(root), "") for one in found.notes]
        told.append((rows.rows(), notes, found.confounded, found.ranges))
    assert told[0] == told[1]


# ---------------------------------------------------------------- which system, which dataset


@pytest.mark.parametrize(
    ("path", "system", "group", "words"),
    [
        ("textblob/group1_e1", "textblob", "1", "e1"),
        ("textblob-rating-1-e1", "textblob", "1", "e1"),
        ("textblob_group2_E3", "textblob", "2", "e3"),
        ("G3_E4_vader", "vader", "3", "e4"),
        ("group-1-e1-vader", "vader", "1", "e1"),
        ("G1-E1", "results", "1", "e1"),
        ("g1e1", "results", "1", "e1"),
        ("1-e1", "results", "1", "e1"),
        ("vader/1-e1", "vader", "1", "e1"),
        ("G3_vader_E4", "vader", "3", "e4"),
        ("E4/G3/vader", "vader", "3", "e4"),
        ("vader-group2", "vader", "2", None),
        ("my-group1_e1-model", "my-model", "1", "e1"),
        ("vader/e3", "vader", None, "e3"),
        ("vader/scores", "vader", None, None),
        ("scores", "scores", None, None),
        ("group01_set02_x", "x", "1", "e2"),
        # Names that only look like datasets
        ("gpt-4-e1", "gpt-4-e1", None, None),
        ("multilingual-e5", "multilingual-e5", None, None),
        ("e5-base", "e5-base", None, None),
        ("g2-large", "g2-large", None, None),
        ("rating-2023", "rating-2023", None, None),
        ("pegroup1e1", "pegroup1e1", None, None),
    ],
)
def test_a_path_says_which_system_and_dataset(path, system, group, words):
    (found,) = read_names([path], "results")
    assert (found.system, found.group, found.words) == (system, group, words)


def test_a_set_of_words_alone_counts_where_files_differ_only_in_it():
    found = read_names(["textblob-e1", "textblob-e2", "multilingual-e5"], "results")
    assert [(one.system, one.words) for one in found] == [
        ("textblob", "e1"), ("textblob", "e2"), ("multilingual-e5", None),
    ]  # fmt: skip


def test_the_folder_that_was_given_may_name_the_dataset_or_the_system(written):
    results = read_rating_results(written({"vader.csv": PAIRS}, "group1_e1"))
    assert "group ← the name of the file or folder: vader.csv → 1" in results.notes
    assert set(results.rows.select("system", "group", "words").rows()) == {("vader", "1", "e1")}
    root = written({"group1_e1.csv": PAIRS}, "vader")
    for path in (root, root / "group1_e1.csv"):
        results = read_rating_results(path)
        assert results.systems == ("vader",)
        told = note(results, "system ← ")
        assert told == "system ← the name of the folder: group1_e1.csv → vader"


@pytest.mark.parametrize(
    ("cell", "group", "words"),
    [
        ("rating-1-e1", "1", "e1"),
        ("1-e1", "1", "e1"),
        ("G1E1", "1", "e1"),
        ("Group 2, E3", "2", "e3"),
        ("rating-office-e2", "office", "e2"),
        ("office-e2", "office", "e2"),
        ("group 3", "3", None),
        ("4", "4", None),
        ("Office hours", "Office hours", None),
    ],
)
def test_a_cell_names_a_dataset_in_many_ways(cell, group, words):
    assert dataset_named(cell) == (group, words)


def test_cells_name_groups_and_sets_in_many_ways():
    assert [group_named(text) for text in ("1", "1.0", "G1", "Group-1", "office")] == [
        "1", "1", "1", "1", "office",
    ]  # fmt: skip
    assert [set_named(text) for text in ("E1", "1", "1.0", "Set 1", "moods")] == [
        "e1", "e1", "e1", "e1", "moods",
    ]  # fmt: skip


def test_columns_name_system_and_dataset_before_any_file_does(written):
    head = "System,Dataset,Gender,Emotion,Sentiment\n"
    rows = "a,rating-1-e3,male,grim,0\nb,G1E3,female,grim,0\n"
    results = read(written, head + rows, "c-group2-e4.csv")
    assert results.rows.select("system", "group", "words").rows() == [
        ("a", "1", "e3"), ("b", "1", "e3"),
    ]  # fmt: skip
    assert not any("←" in one for one in results.notes)
    head = "System,Group,Words,Gender,Emotion,Sentiment\n"
    rows = "a,office,moods,male,grim,0\na,Group 1,,female,grim,0\n"
    results = read(written, head + rows)
    assert results.datasets == (("1", "e1"), ("office", "moods"))


def test_what_names_do_not_say_is_inferred_and_said(written):
    results = read_rating_results(
        written({f"{group}of{words}.csv": outputs(group, words).write_csv()
                 for group, words in DATASETS})
    )  # fmt: skip
    found = results.rows.select("system", "group", "words").unique()
    # Of E4's and E5's negative words the test's own groups 2 and 4 use the first alone:
    # {grim, happy} is E3 again, {depressing, happy, glad} is E5.
    assert {(system, group, words) for system, group, words in found.rows()} == {
        (f"{group}of{words}", group, "e3" if group in "24" and words == "e4" else words)
        for group, words in DATASETS
    }
    assert note(results, "group 1 inferred").startswith(
        "group 1 inferred from the rows (values for gender; the share of positive words is alike): "
    )
    told = note(results, "group 4 inferred")
    assert (
        "(values for race and gender; the share of positive words differs between classes)" in told
    )
    assert note(results, "set of words e5 ").startswith(
        "set of words e5 inferred from the words depressing, glad, happy: "
    )


@pytest.mark.parametrize("edition", ["corrected", "published"])
def test_our_own_datasets_are_known_by_their_rows_alone(edition, tmp_path):
    for name in RATING_DATASETS:
        sentences = load_corpus(name, edition).sentences()
        axes = [axis for axis in ("race", "gender") if axis in sentences.columns]
        frame = sentences.select("text", *axes, emotion="emotion_word", sentiment=pl.lit(0.5))
        (tmp_path / f"of {name[7:].replace('-', '')}").mkdir()
        frame.write_csv(tmp_path / f"of {name[7:].replace('-', '')}" / "scores.csv")
    found = read_rating_results(tmp_path).rows.select("system", "group", "words").unique()
    assert set(found.rows()) == {(f"of {group}{words}", group, words) for group, words in DATASETS}


def test_the_authors_e5_is_known_and_other_words_are_all(written):
    pairs = itertools.product(("male", "female"), ("grim", "happy", "glad"))
    rows = "".join(f"{who},{word},0\n" for who, word in pairs)
    results = read(written, "Gender,Emotion,Sentiment\n" + rows)
    assert results.datasets == (("1", "e5"),)
    assert "as in the authors' own data" in note(results, "set of words e5")
    results = read(written, "Gender,Emotion,Sentiment\nmale,angry,0\nfemale,angry,0\n")
    assert results.datasets == (("1", "all"),)
    assert results.rows["polarity"].to_list() == ["negative", "negative"]


def test_a_missing_row_does_not_make_a_dataset_confounded(written):
    frame = outputs("1", "e4")
    # 12 rows a class, a third of them positive: without one, 4/11 = 0.364 against 4/12 = 0.333.
    short = frame.filter(pl.int_range(pl.len()) != 0)
    assert read(written, short.write_csv()).datasets == (("1", "e4"),)
    # Without half of one class' negative rows, 4/8 = 0.5 against 0.333.
    uneven = frame.filter(~((pl.col("Gender") == "male") & (pl.col("Emotion") == "grim")))
    assert read(written, uneven.write_csv()).datasets == (("2", "e4"),)


def test_other_axes_make_groups_of_their_own(written):
    head = "Gender,Faith,Emotion,Sentiment\n"
    even = "".join(f"NA,{faith},{word},0\n" for faith in ("a", "b") for word in ("grim", "happy"))
    tilted = "NA,a,happy,0\nNA,b,grim,0\n"
    root = written({"x.csv": head + even, "y.csv": head + tilted})
    results = read_rating_results(root, axes=("faith",))
    assert results.confounded == {("faith", "e3"): False, ("faith-confounded", "e3"): True}
    assert results.axes == ("faith",)
    assert "columns not read: 'Gender'; to compare groups by one: --axis NAME" in results.notes


def test_a_user_s_named_group_is_confounded_by_its_rows(written):
    head = "Group,Gender,Emotion,Sentiment\n"
    rows = "office,male,happy,1\noffice,female,grim,0\nhome,male,grim,0\nhome,female,grim,1\n"
    results = read(written, head + rows)
    assert results.confounded == {("office", "e3"): True, ("home", "e1"): False}


def test_rows_that_do_not_fit_what_is_said_of_them_are_noted(written):
    text = outputs("2", "e3").write_csv()
    results = read(written, text, "x-group1-e3.csv")
    # Men have only positive words, women none, the others half.
    assert note(results, "rating-1-e3: group 1") == (
        "rating-1-e3: group 1 gives every class the same words, but positive ones make up "
        "0% to 100% of a class; it is rated as group 1 all the same"
    )
    assert results.confounded == {("1", "e3"): False}
    results = read(written, outputs("1", "e4").write_csv(), "x-group1-e3.csv")
    assert "rating-1-e3: has words that E3 has not: depressing" in results.notes


# ---------------------------------------------------------------- cells


@pytest.mark.parametrize(
    ("said", "word", "polarity"),
    [
        ("Happy", "happy", "positive"),
        (" grim ", "grim", "negative"),
        ("joy", "joy", "positive"),
        ("anger", "anger", "negative"),
        ("devastated", "devastated", "negative"),
        ("ecstatic", "ecstatic", "positive"),
        ("Positive", "positive", "positive"),
        ("neg", "negative", "negative"),
        ("1", "positive", "positive"),
        ("0", "negative", "negative"),
        ("+", "positive", "positive"),
        ("-", "negative", "negative"),
    ],
)
def test_an_emotion_is_a_word_an_emotion_or_a_polarity(said, word, polarity, written):
    results = read(written, f"Gender,Emotion,Sentiment\nmale,{said},0\n")
    assert results.rows.select("emotion_word", "polarity").rows() == [(word, polarity)]


def test_an_emotion_beside_the_word_decides_where_the_word_is_not_known(written):
    head = "Gender,Emotion,Emotion word,Sentiment\n"
    results = read(written, head + "male,joy,chuffed,0\nmale,sadness,happy,0\nmale,fear,,1\n")
    assert sorted(results.rows.select("emotion_word", "polarity").rows()) == [
        ("chuffed", "positive"), ("fear", "negative"), ("happy", "positive"),
    ]  # fmt: skip


def test_unknown_words_are_listed_once_with_what_to_say(complaint, written):
    rows = "male,chuffed,0\nmale,chuffed,1\nfemale,gutted,0\nfemale,happy,0\n"
    text = "Gender,Emotion,Sentiment\n" + rows
    assert complaint(text).splitlines()[1:] == [
        "  found emotion words that may be positive or negative: 'chuffed' (textblob.csv:2), "
        "'gutted' (textblob.csv:4); expected a word or emotion of the Equity Evaluation Corpus, "
        "positive or negative; say which: --positive 'chuffed' or --negative 'chuffed'"
    ]
    results = read(written, text, positive=["Chuffed"], negative=["gutted"])
    assert results.rows["polarity"].value_counts().sort("polarity").rows() == [
        ("negative", 1), ("positive", 3),
    ]  # fmt: skip
    assert "'gutted' was given as positive and as negative" in complaint(
        text, positive=["gutted"], negative=["Gutted"]
    )


@pytest.mark.parametrize("said", ["NA", "n/a", "None", "unknown", "", "-", " na ", "NaN"])
def test_people_without_a_value_are_null(said, written):
    results = read(written, f"Gender,Emotion,Sentiment\n{said},grim,0\nmale,grim,0\n")
    assert results.rows["gender"].to_list() == ["male", None]


def test_groups_keep_their_own_words_and_only_case_is_folded(written):
    head = "Race,Gender,Emotion,Sentiment\n"
    rows = "European,MALE,grim,0\nEUROPEAN,male,grim,0\nEuropean, Female ,grim,0\nwhite,F,grim,0\n"
    results = read(written, head + rows)
    assert set(results.rows["race"]) == {"European", "white"}
    assert set(results.rows["gender"]) == {"male", "female", "F"}
    assert note(results, "gender: ") == (
        "gender: 'F' and 'female' are kept apart as the files write them; "
        "write them alike if they mean the same people"
    )


def test_european_and_european_american_are_noted_only_where_both_stand(written):
    head = "Race,Gender,Emotion,Sentiment\n"
    alone = head + "European,male,grim,0\nAfrican American,male,grim,0\n"
    assert not any(one.startswith("race:") for one in read(written, alone).notes)
    mixed = alone + "European American,male,grim,0\nAfrican-American,male,grim,0\n"
    found = [one for one in read(written, mixed).notes if one.startswith("race:")]
    assert [one.split(" are kept")[0] for one in found] == [
        "race: 'European' and 'European American'",
        "race: 'African American' and 'African-American'",
    ]


def test_missing_scores_stay_null_and_are_counted(written):
    rows = "male,grim,nan\nmale,grim,\nfemale,grim,None\nfemale,grim,-0.5\n"
    results = read(written, "Gender,Emotion,Sentiment\n" + rows)
    assert results.rows["raw"].null_count() == 3
    assert "textblob: 3 of 4 scores are missing" in results.notes
    head = "System,Gender,Emotion,Sentiment\n"
    results = read(written, head + "a,male,grim,\nb,male,grim,1\n")
    assert "a: no score at all in 1 rows" in results.notes
    assert results.ranges == {"b": (1.0, 1.0)}
    assert results.systems == ("a", "b")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("POSITIVE", "a number: give a label's probability, with a minus for the negative one"),
        ("LABEL_1", "a number: give a label's probability"),
        ("inf", "a finite number, or an empty cell where the system gave no answer"),
        ("-Infinity", "a finite number"),
        ('"0,5"', "a number, with a point: 0.5"),
        ("0.5.1", "a number, or an empty cell"),
    ],
)
def test_scores_that_are_no_numbers_are_refused_by_line(said, expected, complaint):
    message = complaint(PAIRS + f"male,grim,{said}\n")
    plain = said.strip('"')
    assert f"textblob.csv:4: found {plain!r} for the sentiment; expected {expected}" in message


def test_scores_keep_their_scale_and_its_ends_are_told(written):
    results = read_rating_results(
        written({"a.csv": PAIRS, "b.csv": PAIRS.replace("-0.5", "6").replace("-0.4", "0")})
    )
    assert results.ranges == {"a": (-0.5, -0.4), "b": (0.0, 6.0)}


def test_rows_without_an_emotion_word_are_left_out_and_counted(written):
    results = read(written, PAIRS + "male,,0.3\n")
    assert results.rows.height == 2
    assert "textblob.csv: left out 1 rows without an emotion word" in results.notes


# ---------------------------------------------------------------- sentences said twice

TWICE = "Sentence,Gender,Emotion,Sentiment\nHe is grim.,male,grim,0.5\nHe is grim.,male,grim,{}\n"


def test_one_sentence_with_two_scores_is_refused(complaint):
    assert complaint(TWICE.format("0.25")).splitlines()[1:] == [
        "  textblob.csv:3: the system 'textblob' has the scores 0.25 (textblob.csv:3) and 0.5 "
        "(textblob.csv:2) for 'He is grim.' in rating-1-e1; expected one score for each sentence"
    ]
    by_id = TWICE.format("0.25").replace("Sentence", "ID").replace("He is grim.", "s1")
    assert "for 'ID s1' in rating-1-e1" in complaint(by_id)


@pytest.mark.parametrize("again", ["0.5", "nan"])
def test_one_sentence_said_once_more_is_left_out_and_counted(again, written):
    results = read(written, TWICE.format(again))
    assert results.rows["raw"].to_list() == [0.5]
    assert "left out 1 rows that say the same once more" in results.notes


def test_one_sentence_about_several_groups_is_kept_for_each(written):
    head = "Sentence,Gender,Emotion,Sentiment\n"
    results = read(written, head + "A is grim.,male,grim,0\nA is grim.,female,grim,0\n")
    assert results.rows.height == 2


def test_rows_without_text_or_id_are_all_kept(written):
    results = read(written, PAIRS + "male,grim,-0.5\n")
    assert results.rows.height == 3


def test_one_system_in_two_files_is_refused(complaint, written):
    files = {"textblob-rating-1-e1.csv": PAIRS, "textblob_group1_E1.csv": PAIRS}
    assert complaint(files).splitlines()[1:] == [
        "  the system 'textblob' has rating-1-e1 in textblob-rating-1-e1.csv and "
        "textblob_group1_E1.csv; expected one file; rename one, or add a System column to both"
    ]
    head = "System,Dataset,Sentence,Gender,Emotion,Sentiment\n"
    parts = {
        "part1.csv": head + "a,G1E1,He is grim.,male,grim,0\n",
        "part2.csv": head + "a,G1E1,She is grim.,female,grim,0\n",
    }
    results = read_rating_results(written(parts, "parts"))
    assert results.rows.height == 2


def test_datasets_that_some_systems_lack_are_noted(written):
    three = PAIRS + "male,grim,0\n"
    files = {"a/g1e1.csv": PAIRS, "a/g3e1.csv": PAIRS, "b/g1e1.csv": three}
    results = read_rating_results(written(files))
    assert "rating-3-e1: no outputs of b" in results.notes
    assert "rating-1-e1: not as many sentences of each system: a 2, b 3" in results.notes


# ---------------------------------------------------------------- files and columns


def test_paths_that_hold_nothing_are_refused(tmp_path, complaint, written):
    with pytest.raises(ScoreFileError, match=r"absent: found no such file or folder; check the p"):
        read_rating_results(tmp_path / "absent")
    (tmp_path / "results").mkdir()
    assert "results: found nothing in the folder; expected .csv, .tsv" in complaint({})
    assert "found 'README.md' in the folder; expected .csv" in complaint({"README.md": "x"})
    assert "found the ending '.txt'; expected one of .csv" in _message(
        written({"a.txt": PAIRS}, "texts") / "a.txt"
    )
    os.mkfifo(tmp_path / "pipe.csv")
    assert "found no regular file" in _message(tmp_path / "pipe.csv")


def _message(path):
    with pytest.raises(ScoreFileError) as caught:
        read_rating_results(path)
    return str(caught.value)


def test_other_files_of_a_folder_are_noted_and_hidden_ones_are_not_read(written):
    files = {"a.csv": PAIRS, "notes.md": "x", ".hidden/b.csv": "x", ".c.csv": "x"}
    assert "not read, since no table: 'notes.md'" in read_rating_results(written(files)).notes


def test_links_that_lead_out_of_the_folder_are_not_followed(written):
    outside = written({"secret.csv": PAIRS}, "outside")
    root = written({"a.csv": PAIRS})
    (root / "b.csv").symlink_to(outside / "secret.csv")
    (root / "c").symlink_to(outside, target_is_directory=True)
    results = read_rating_results(root)
    assert results.systems == ("a",)
    assert "not read, since no table: 'b.csv'" in results.notes


def test_empty_and_unreadable_files_are_named_together(complaint):
    files = {
        "a.csv": "",
        "b.csv": "Gender,Emotion,Sentiment\n",
        "c.csv": "Gender,Emotion,Sentiment\nmale,grim,0\nm\xe9,grim,0\n".encode("latin-1"),
    }
    message = complaint(files)
    assert "a.csv: found nothing in it; expected a table" in message
    assert "b.csv: found no rows under the column names" in message
    assert "c.csv:3: byte 0xe9 (byte 2 of the line) is not UTF-8" in message
    assert "--encoding cp1252" in message


def test_another_encoding_can_be_named(written):
    text = "Gender,Emotion,Sentiment\nm\xe9,grim,0\nmale,grim,0\n".encode("latin-1")
    results = read(written, text, encoding="latin-1")
    assert "m\xe9" in results.rows["gender"].to_list()
    assert "textblob.csv: read as latin-1" in results.notes


def test_missing_columns_are_refused_with_the_nearest(complaint):
    message = complaint("Gender,Emotoin,Sentimnt\nmale,grim,0\n")
    assert (
        "textblob.csv: no column 'Sentiment' with the system's scores; did you mean 'Sentimnt'? "
        "there are 'Gender', 'Emotoin', 'Sentimnt'"
    ) in message
    assert "no column 'Emotion' with the emotion words; did you mean 'Emotoin'?" in message
    assert "no column for 'gender'; did you mean 'Gendr'? Rename it" in complaint(
        "Gendr,Race,Emotion,Sentiment\nmale,European,grim,0\n"
    )
    assert (
        "no column for the axis 'gender'; there are 'Who', 'Emotion', 'Sentiment'; rename a column"
    ) in complaint("Who,Emotion,Sentiment\nmale,grim,0\n")
    assert "no column for the axis 'faith'" in complaint(PAIRS, axes=("gender", "faith"))


def test_columns_that_could_each_be_it_are_refused(complaint):
    message = complaint("Gender,Emotion,Sentiment,SENTIMENT\nmale,grim,0,1\n")
    assert "the columns 'Sentiment' and 'SENTIMENT' could each be the sentiment" in message
    assert "no column 'Sentiment'" not in message


def test_another_name_for_the_scores_is_noted(written):
    results = read(written, PAIRS.replace("Sentiment", "Score"))
    assert "textblob.csv: sentiment ← 'Score'" in results.notes


def test_race_may_be_absent_and_some_files_may_have_it(written):
    with_race = "Race,Gender,Emotion,Sentiment\nx,male,grim,0\ny,male,grim,0\n"
    results = read_rating_results(written({"a/g1e1.csv": PAIRS, "a/g3e1.csv": with_race}))
    by_group = results.rows.group_by("group").agg(pl.col("race").n_unique()).sort("group")
    assert by_group.rows() == [("1", 1), ("3", 2)]
    assert results.axes == ("race", "gender")
    alone = read(written, PAIRS)
    assert alone.axes == ("gender",)
    assert "race" not in alone.rows.columns


@pytest.mark.parametrize("axis", ["system", "group", "raw", "template", "a:b", "line", "sentiment"])
def test_an_axis_cannot_be_called_like_another_column(axis, complaint):
    assert f"an axis cannot be called {axis!r}" in complaint(PAIRS, axes=(axis,))


def test_axes_may_be_asked_for_in_any_case(written):
    results = read(written, PAIRS, axes=("GENDER", "gender"))
    assert results.axes == ("gender",)
    assert results.datasets == (("1", "e1"),)


def test_no_axis_at_all_is_refused(complaint):
    assert "no axis was asked for; expected one or more, such as --axis gender" in complaint(
        PAIRS, axes=()
    )


def test_files_without_usable_rows_are_refused(complaint):
    assert "no row has an emotion word; expected one in every row, such as grim or happy" in (
        complaint("Gender,Emotion,Sentiment\nmale,,0\n")
    )
    assert "all 2 scores are missing; expected numbers in the column Sentiment" in complaint(
        "Gender,Emotion,Sentiment\nmale,grim,\nfemale,grim,nan\n"
    )
    assert "textblob.csv: nobody has a value for gender; expected groups to compare" in complaint(
        "Gender,Emotion,Sentiment\nNA,grim,0\n"
    )


def test_a_system_column_has_a_name_in_every_row(complaint):
    text = "System,Gender,Emotion,Sentiment\na,male,grim,0\n,male,grim,0\n ,male,grim,0\n"
    message = complaint(text)
    assert "textblob.csv:3: the system is empty in lines 3 and 4; expected a name" in message


def test_nested_columns_are_refused(complaint):
    rows = '{"Gender": "male", "Emotion": "grim", "Sentiment": [1, 2]}\n'
    message = complaint({"a.jsonl": rows})
    assert "a.jsonl: the column 'Sentiment' holds List(Int64); expected text or numbers" in message


# ---------------------------------------------------------------- hostile names


@pytest.mark.parametrize("name", ["a\x1b[31m.csv", "a\nb.csv", "\u202egnp.csv", "a\udcff.csv"])
def test_names_of_files_that_do_not_show_are_refused(name, tmp_path):
    root = tmp_path / "results"
    root.mkdir()
    (root / name).write_text(PAIRS)
    message = _message(root)
    assert "the name holds control characters or is no UTF-8; rename the file" in message
    assert name not in message
    message.encode()


def test_names_in_cells_that_do_not_show_are_refused(complaint):
    head = "System,Gender,Emotion,Sentiment\n"
    message = complaint(head + "a\x1b[31m,male,grim,0\nb,fe\x07male,grim,0\n")
    assert "textblob.csv:2: system is 'a\\x1b[31m', with characters that do not show" in message
    assert "textblob.csv:3: gender is 'fe\\x07male'" in message


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "{}", "a'b\"c", "=1+1", "%s", "系统", "می‌خواهم"]
)
def test_names_that_are_odd_and_show_are_kept(name, written):
    safe = name.replace("/", "∕")
    assert read(written, PAIRS, f"{safe}.csv").systems == (safe,)
    quoted = safe.replace('"', '""')
    text = f'System,Gender,Emotion,Sentiment\n"{quoted}",male,grim,0\n'
    assert read(written, text).systems == (safe,)


def test_many_problems_are_counted_and_not_all_listed(complaint):
    message = complaint("Gender,Emotion,Sentiment\n" + "male,grim,bad\n" * 100)
    assert message.count("found 'bad'") == 5
    assert "… and 95 more scores that are no numbers" in message


def test_numbers_come_back_as_they_were_written(written):
    scores = [0.1 + 0.2, -1e-17, 1 / 3, math.pi]
    rows = "".join(f"male,grim,{score!r}\n" for score in scores)
    results = read(written, "Gender,Emotion,Sentiment\n" + rows)
    assert sorted(results.rows["raw"]) == sorted(scores)
