"""Stored outputs rated as a user types it: words not said or said otherwise, groups' phrases."""

import json
import re

import pytest

QUICK = ("--draws", "0", "--discretise", "no")


def write(path, rows, head="Gender,Sentiment,Sentence"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, *rows]) + "\n")


def scored(higher):
    """Eight sentences of each class: of those about women alone +0.8, else −0.8."""
    classes = {"female": 0.8 if higher else -0.8, "male": -0.8, "NA": -0.8}
    return [f"{who},{score},{who} {nth}" for who, score in classes.items() for nth in range(8)]


@pytest.fixture(scope="module")
def wordless(at):
    """Two systems' outputs of group 1 without emotion words, and of group 2."""
    for system, higher in (("one", True), ("two", False)):
        for dataset in ("1-e1", "1-e3", "2-e3"):
            write(at.folder / "wordless" / f"{system}-rating-{dataset}.csv", scored(higher))
    return at


def test_rejections_alone_need_no_emotion_words(wordless):
    result = wordless.run("rate", "--scores", "wordless", "--groups", "1", *QUICK, "-o", "plain")
    assert result.returncode == 0, result.stderr
    said = " ".join(result.stdout.split())
    assert "no column 'Emotion' in one-rating-1-e1.csv" in said
    told = json.loads((wordless.folder / "plain" / "ratings.json").read_text())
    found = {one["system"]: one["groups"]["G1"]["psi"] for one in told["systems"]}
    # Women against men and against NA, in two datasets, at every level: 4 · (1 + 0.8 + 0.6).
    assert found == {"one": pytest.approx(9.6), "two": 0}


def test_a_group_that_is_rated_by_its_words_still_needs_them(wordless):
    result = wordless.run("rate", "--scores", "wordless", *QUICK, "-o", "refused")
    assert result.returncode == 2
    assert "group 2: words depend on the person there" in result.stderr
    assert "--groups 1" in result.stderr


def test_a_sentence_is_counted_once_however_many_systems_answer_it(wordless):
    wordless.run("rate", "--scores", "wordless", "--groups", "1", *QUICK, "-o", "once")
    told = json.loads((wordless.folder / "once" / "ratings.json").read_text())
    assert [one["sentences"] for one in told["columns"]] == [48]  # two datasets of 24
    assert [one["sentences"] for one in told["run"]["groups"]] == [48]
    assert "48 sentences in 2 datasets" in (wordless.folder / "once" / "rating.html").read_text()


def test_what_the_user_says_of_a_word_is_what_is_said_of_it(at):
    rows = [f"{who},{word},0.{nth}" for who in ("female", "male") for word in (1, 0)
            for nth in range(4)]  # fmt: skip
    write(at.folder / "turned.csv", rows, "Gender,Emotion,Sentiment")
    turned = at.run(
        "rate", "--scores", "turned.csv", "--negative", "1", "--positive", "0", *QUICK, "-o", "t"
    )
    assert turned.returncode == 0, turned.stderr
    said = " ".join(turned.stdout.split())
    assert "'1' counts as negative, as --negative says" in said
    half = at.run("rate", "--scores", "turned.csv", "--negative", "1", *QUICK, "-o", "half")
    # 0 is negative as ever, and so is 1 now: no word is positive.
    assert "inferred from the words negative:" in " ".join(half.stdout.split())


OWN = """
[corpus]
name = "ages"
title = "Ages"
language = "en"

[axes]
age = [
  { group = "young", phrase = "about people in their twenties" },
  { group = "old", phrase = "about people over eighty" },
]

[[people]]
list = "people"
match = "people"
members = [
  { subject = "Ana", age = "young" }, { subject = "Eva", age = "young" },
  { subject = "Ida", age = "old" }, { subject = "Zoe", age = "old" },
]

[[words]]
list = "mood"
joy = ["happy"]
sadness = ["sad"]

[[templates]]
id = "1"
text = "{person} feels {mood}."
[[templates]]
id = "2"
text = "I made {person} feel {mood}."

[rating]
group = "ages"
positive = ["joy"]
negative = ["sadness"]

[rating.sets]
all = ["happy", "sad"]

[rating.diagram]
edges = ["age -> sentiment", "emotion word -> sentiment"]
"""


def test_groups_are_spoken_of_as_their_corpus_says(at):
    (at.folder / "ages.toml").write_text(OWN)
    (at.folder / "ages_model.py").write_text(
        "def score(texts):\n"
        "    return [0.9 if 'Ida' in text or 'Zoe' in text else 0.1 for text in texts]\n"
    )
    result = at.run(
        "rate", "ages_model:score", "vader", "--groups", "ages.toml", "--scale",
        "ages_model:score=0:1", *QUICK, "-o", "ages",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    page = re.sub(r"\s+", " ", (at.folder / "ages" / "rating.html").read_text())
    assert "scores sentences about people over eighty" in page
    assert "than those about people in their twenties" in page
    assert "marked “old”" not in page
