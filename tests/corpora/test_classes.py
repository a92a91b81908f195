"""SemEval-2018's ordinal files: classes read as scores, and cells that are no class."""

from pathlib import Path

import pytest

from tiltmeter.corpora import read_gold, semeval_files
from tiltmeter.errors import CorpusError

SEMEVAL = Path(__file__).parents[3] / "shared" / "data" / "semeval2018"
HEAD = "ID\tTweet\tAffect Dimension\tIntensity Class\r\n"
VALENCE = (
    "-3: very negative emotional state can be inferred",
    "0: neutral or mixed emotional state can be inferred",
    "2: moderately positive emotional state can be inferred",
    "3: very positive emotional state can be inferred",
)
ANGER = (
    "0: no anger can be inferred",
    "1: low amount of anger can be inferred",
    "3: high amount of anger can be inferred",
)


def ordinal(folder, classes, task, name="classes.txt", head=HEAD):
    rows = (f"t-{nth}\ttweet {nth}\t{task}\t{said}\r\n" for nth, said in enumerate(classes))
    path = folder / name
    path.write_text("\ufeff" + head + "".join(rows), encoding="utf-8")
    return path


def problems(path):
    with pytest.raises(CorpusError) as caught:
        read_gold(path)
    return [str(problem) for problem in caught.value.problems]


def test_a_class_of_valence_is_its_place_between_minus_three_and_three(tmp_path):
    gold = read_gold(ordinal(tmp_path, VALENCE, "valence"))
    # (−3 + 3)/6, (0 + 3)/6, (2 + 3)/6, (3 + 3)/6
    assert gold.frame["score"].to_list() == pytest.approx([0, 1 / 2, 5 / 6, 1])
    assert gold.tasks == ("valence",)


def test_a_class_of_an_emotion_is_its_place_between_none_and_three(tmp_path):
    gold = read_gold(ordinal(tmp_path, ANGER, "anger"))
    assert gold.frame["score"].to_list() == pytest.approx([0, 1 / 3, 1])


def test_that_classes_became_scores_is_noted(tmp_path):
    notes = read_gold(ordinal(tmp_path, ANGER, "anger")).notes
    said = "classes read as scores from 0 to 1: valence (class + 3)/6, an emotion class/3"
    assert f"classes.txt: {said}" in notes


def test_a_bare_number_is_a_class_and_none_is_no_label(tmp_path):
    gold = read_gold(ordinal(tmp_path, ("-3", "0", "3", "NONE"), "valence"))
    assert gold.frame["score"].to_list() == [0, 0.5, 1]
    assert gold.files[0].unlabelled == 1


@pytest.mark.parametrize(
    ("task", "cell", "expected"),
    [
        ("valence", "very negative", "a class from −3 to 3, as in '-3: very negative …'"),
        ("valence", "4: ecstatic", "a class from −3 to 3, as in '-3: very negative …'"),
        ("valence", "0.5", "a class from −3 to 3, as in '-3: very negative …'"),
        ("anger", "-1: calm", "a class from 0 to 3, as in '2: moderate amount …'"),
        ("anger", "99999999999999999999: much", "a class from 0 to 3"),
    ],
)
def test_a_cell_that_is_no_class_is_named_with_its_line(task, cell, expected, tmp_path):
    path = ordinal(tmp_path, ("0", cell, "1", "2"), task)
    (said,) = problems(path)
    assert said.startswith(f"{path}:3: found {cell!r} for the score; expected {expected}")


def test_a_class_whose_task_nobody_says_is_not_guessed(tmp_path):
    path = ordinal(tmp_path, ("0", "1", "2"), "", name="tweets.txt")
    assert "expected a task beside it, in a column or in the file's name" in problems(path)[0]
    named = path.rename(tmp_path / "joy.tsv")
    head, *rows = named.read_text(encoding="utf-8-sig").splitlines()
    named.write_text("\n".join([head.replace("Affect Dimension", "Whatever"), *rows]))
    assert read_gold(named).frame["score"].to_list() == pytest.approx([0, 1 / 3, 2 / 3])


def test_classes_and_scores_side_by_side_are_not_chosen_between(tmp_path):
    head = "ID\tTweet\tIntensity Score\tIntensity Class\r\n"
    (said,) = problems(ordinal(tmp_path, ("0", "1", "2"), "0.5", head=head))
    assert "'Intensity Score' and 'Intensity Class' could each be the score" in said


# ---------------------------------------------------------------- SemEval's own names


def test_the_ordinal_files_have_names_of_their_own(tmp_path):
    for part in ("train", "dev"):
        ordinal(tmp_path, VALENCE, "valence", f"2018-Valence-oc-En-{part}.txt")
        ordinal(tmp_path, ANGER, "anger", f"2018-EI-oc-Es-anger-{part}.txt")
    found = semeval_files(tmp_path, "en", "valence", kind="oc")
    assert found.train.name == "2018-Valence-oc-En-train.txt"
    assert found.test is None
    assert semeval_files(tmp_path, "es", "anger", kind="oc").dev.name.startswith("2018-EI-oc-Es-an")
    with pytest.raises(CorpusError, match=r"no 2018-Valence-reg-En-train\.txt"):
        semeval_files(tmp_path, "en", "valence")
    with pytest.raises(CorpusError, match="no kind 'ord' in SemEval-2018; expected reg or oc"):
        semeval_files(tmp_path, "en", "valence", kind="ord")


@pytest.mark.skipif(not SEMEVAL.is_dir(), reason=f"no SemEval data in {SEMEVAL}")
def test_the_official_valence_classes_are_read_whole():
    parts = semeval_files(SEMEVAL, "en", "valence", kind="oc")
    assert parts.test is not None
    for path, rows in ((parts.train, 1181), (parts.dev, 449), (parts.test, 937)):
        scores = read_gold(path).frame["score"]
        assert scores.len() == rows  # the file's lines without the first
        assert sorted(set(scores)) == pytest.approx([place / 6 for place in range(7)])
