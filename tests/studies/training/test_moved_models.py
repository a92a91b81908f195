"""A trained model on another machine: its encoder is found, or it is said what is missing."""

import json
import shutil

import pytest

from labelled_days import write_semeval, write_vectors
from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.studies.training.run import train
from tiltmeter.systems import open_system

TEXTS = ["my sister had a sunny day", "a grey day"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_semeval(tmp_path_factory.mktemp("semeval"))


@pytest.fixture
def made(data, tmp_path):
    vectors = write_vectors(tmp_path / "days.txt")
    model = train("embedding-mlp", tmp_path / "m", task="joy", data=data, vectors=str(vectors))
    return model.folder, vectors


def test_vectors_put_into_the_model_s_folder_are_found(made, tmp_path):
    folder, vectors = made
    before = open_system(str(folder)).answer(TEXTS)
    away = tmp_path / "elsewhere" / "m"
    shutil.copytree(folder, away)
    shutil.move(vectors, away / vectors.name)
    assert open_system(str(away)).answer(TEXTS) == before


def test_vectors_that_are_gone_are_asked_for(made):
    folder, vectors = made
    vectors.unlink()
    with pytest.raises(SystemFailure, match=r"cannot open the encoder .* put it where it was, or"):
        open_system(str(folder))


def test_other_vectors_under_the_same_name_are_refused(made):
    folder, vectors = made
    vectors.write_text(vectors.read_text().replace("sister 0 1", "sister 0 2"))
    with pytest.raises(SystemFailure, match=r"another .* than the one that is here"):
        open_system(str(folder))


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (None, "does not say which encoders"),
        ([], "does not say which encoders"),
        ([{"spec": 3}], "spec is 3; expected text"),
        ("glove", "encoders is .glove.; expected a list"),
    ],
)
def test_a_card_that_lost_its_encoders_is_said_to_be_broken(made, told, what):
    folder, _ = made
    card = json.loads((folder / "model.json").read_text())
    card["encoders"] = told
    (folder / "model.json").write_text(json.dumps(card))
    with pytest.raises(SystemFailure, match=what):
        open_system(str(folder))


@pytest.mark.parametrize(
    ("recipe", "given", "what"),
    [
        ("svm-tfidf", {"vectors": "glove-6b-50d"}, "svm-tfidf takes no vectors"),
        ("embedding-mlp", {"encoder": "bert+"}, "embedding-mlp takes no encoder"),
        ("embedding-mlp", {"vectors": "nowhere.vec"}, "nowhere.vec"),
        ("encoder-mlp", {"encoder": "fast-universal-sentence-encodr"}, "did you mean"),
        ("encoder-mlp", {"encoder": "hf:./nowhere"}, "nowhere"),
    ],
)
def test_what_texts_are_read_through_must_fit_and_be_there(data, tmp_path, recipe, given, what):
    with pytest.raises(TiltmeterError, match=what):
        train(recipe, tmp_path / "m", task="joy", data=data, **given)
    assert not (tmp_path / "m").exists()


def test_a_language_that_nothing_out_of_the_box_reads_is_said_to_be_so(data, tmp_path):
    for part in ("train", "dev"):
        english = (data / f"2018-EI-reg-En-joy-{part}.txt").read_text(encoding="utf-8-sig")
        spanish = english.replace("my ", "la ").replace(" had a ", " y el ")
        (tmp_path / f"2018-EI-reg-Es-joy-{part}.txt").write_text(spanish)
    with pytest.raises(TiltmeterError, match="nothing to read 'es' through out of the box"):
        train("embedding-mlp", tmp_path / "m", task="joy", language="es", data=tmp_path)


def test_texts_in_another_language_than_said_are_refused(tmp_path):
    text = "this is the day that you and my sister had in the sun and it was for you"
    rows = [f"{text} {nth},{nth / 50}" for nth in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["text,score", *rows]))
    files = {"train_file": tmp_path / "t.csv", "dev_file": tmp_path / "t.csv"}
    for language in ("es", "ar"):
        with pytest.raises(TiltmeterError, match=f"reads like en; --language is {language}"):
            train("svm-tfidf", tmp_path / "m", task="joy", language=language, **files)
    train("svm-tfidf", tmp_path / "m", task="joy", language="en", **files)


def test_vectors_named_by_a_relative_path_are_found_from_any_folder(data, tmp_path, monkeypatch):
    write_vectors(tmp_path / "days.txt")
    monkeypatch.chdir(tmp_path)
    made = train("embedding-mlp", "m", task="joy", data=data, vectors="days.txt")
    monkeypatch.chdir("/")
    assert made.card["encoders"][0]["spec"] == str((tmp_path / "days.txt").resolve())
    assert open_system(str(tmp_path / "m")).answer(TEXTS)
