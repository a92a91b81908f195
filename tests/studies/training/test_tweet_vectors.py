"""Word vectors made of the training tweets for a grid: what they are made of, kept and called."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

from labelled_days import SPANISH, write_semeval, write_spanish, write_vectors
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.training.grid import train_grid
from tiltmeter.studies.training.reproduce import reproduce
from tiltmeter.studies.training.run import train
from tiltmeter.systems import open_system

NAME = "training tweets, 16d, PPMI + SVD"
"""17 words are seen, so that 16 dimensions are the most there can be."""
TEXTS = ["mi hermana tuvo un soleado día", "mi hermano tuvo un gris día"]


def asked(data, models, **more):
    return train_grid(data, models, recipes=["embedding-mlp"], **more)


def add_texts(data, part, *texts, task="joy"):
    """Put texts into a part, each with a score in the middle."""
    path = data / f"2018-EI-reg-Es-{task}-{part}.txt"
    lines = [f"new-{part}-{nth}\t{text}\t{task}\t0.5\n" for nth, text in enumerate(texts)]
    path.write_text(path.read_text(encoding="utf-8") + "".join(lines), encoding="utf-8")


def held(models):
    with np.load(models / "es" / "tweets.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    return write_spanish(folder, "joy")


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """A grid of two tasks, and the data it was trained on."""
    folder = tmp_path_factory.mktemp("spanish")
    return folder, asked(write_spanish(folder, "joy", "fear"), folder / "grid" / "models")


def test_a_language_without_word_vectors_gets_some_of_its_training_tweets(standing):
    _, grid = standing
    assert (grid.trained, grid.failed) == (2, {})
    assert grid.skill["system"].unique().to_list() == ["embedding-mlp-es"]
    assert set(held(grid.folder)["words"]) == set(SPANISH.values())
    assert grid.skill["test_pearson"].min() > 0.7


def test_card_table_and_audit_say_what_they_are(standing):
    _, grid = standing
    called = str(held(grid.folder)["name"])
    assert called.startswith("vectors of ")
    assert called.endswith(NAME)
    card = json.loads((grid.models[0] / "model.json").read_text())
    assert [one["name"] for one in card["encoders"]] == [called]
    assert pl.read_csv(grid.folder / "skill.csv")["read_through"].to_list() == [called] * 2
    notes = open_system(str(grid.models[0])).card.notes
    assert f"reads texts through {called}" in notes


def test_what_stands_is_kept_also_by_a_narrowed_run(standing):
    data, grid = standing
    before = (grid.folder / "es" / "tweets.npz").stat()
    again = asked(data, grid.folder, tasks=["joy"])
    assert (again.trained, again.kept) == (0, 1)
    after = (grid.folder / "es" / "tweets.npz").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_other_training_texts_make_other_vectors_and_train_anew(data, tmp_path):
    models = tmp_path / "models"
    asked(data, models)
    before = held(models)
    add_texts(data, "train", "un día lluvioso", "mi día lluvioso")
    assert asked(data, models).trained == 1
    assert set(held(models)["words"]) - set(before["words"]) == {"lluvioso"}


def test_a_damaged_file_is_made_again_and_is_the_same(data, tmp_path):
    models = tmp_path / "models"
    asked(data, models)
    path = models / "es" / "tweets.npz"
    whole = path.read_bytes()
    path.write_bytes(whole[:-400])
    assert asked(data, models).trained == 0
    assert path.read_bytes() == whole


def test_no_text_of_any_dev_or_test_part_is_learned_from(tmp_path):
    write_spanish(tmp_path, "joy", "fear")
    # Both words stand twice in the train part for joy; those of the first text are test texts of
    # fear, whose other spelling is the same words, and those of the second dev texts of fear.
    add_texts(tmp_path, "train", "examen secreto examen", "ensayo secreto ensayo", "un otro otro")
    add_texts(tmp_path, "test-gold", "¡Examen secreto, EXAMEN!", task="fear")
    add_texts(tmp_path, "dev", "ensayo secreto ensayo", task="fear")
    asked(tmp_path, tmp_path / "models", tasks=["joy"])
    assert set(held(tmp_path / "models")["words"]) - set(SPANISH.values()) == {"otro"}


def test_vectors_that_are_given_win(data, tmp_path):
    vectors = write_vectors(tmp_path / "days.txt")
    for english, spanish in SPANISH.items():
        vectors.write_text(vectors.read_text().replace(f"{english} ", f"{spanish} "))
    grid = asked(data, tmp_path / "models", vectors={"es": str(vectors)})
    assert grid.skill["read_through"].to_list() == ["days.txt"]
    assert not (tmp_path / "models" / "es" / "tweets.npz").exists()


def test_tweets_can_be_asked_for_in_english_too(tmp_path):
    data = write_semeval(tmp_path)
    grid = asked(data, tmp_path / "models", vectors={"en": "tweets"})
    assert grid.skill["read_through"][0].endswith(NAME)


def test_a_single_training_says_where_they_are_to_be_had(data, tmp_path):
    told = {"task": "joy", "language": "es", "data": data}
    with pytest.raises(TiltmeterError, match="made for a grid; train with train_grid"):
        train("embedding-mlp", tmp_path / "m", vectors="tweets", **told)
    with pytest.raises(TiltmeterError, match="or let train_grid make some of the tweets"):
        train("embedding-mlp", tmp_path / "m", **told)


def test_too_few_words_fail_the_cells_that_read_through_them_and_no_other(tmp_path):
    for part, first in (("train", 0), ("dev", 40)):
        rows = [("ID", "Tweet", "Affect Dimension", "Intensity Score")]
        for nth in range(first, first + 40):
            rows.append(
                (f"x-{nth}", f"{('de la', 'el que')[nth % 2]} {nth}", "joy", f"{nth % 7 / 7}")
            )
        path = tmp_path / f"2018-EI-reg-Es-joy-{part}.txt"
        path.write_text("".join("\t".join(row) + "\n" for row in rows))
    grid = train_grid(tmp_path, tmp_path / "models", recipes=["embedding-mlp", "svm-unigrams"])
    assert grid.skill["recipe"].to_list() == ["svm-unigrams"]
    what = "the 40 training texts hold 4 words seen 2 times or more"
    assert what in grid.failed["es joy embedding-mlp"]


def test_a_grid_that_was_moved_still_answers(standing, tmp_path):
    _, grid = standing
    before = open_system(str(grid.models[0])).answer(TEXTS)
    shutil.copytree(grid.folder, tmp_path / "moved")
    grid.folder.rename(grid.folder.with_name("away"))
    try:
        there = tmp_path / "moved" / grid.models[0].relative_to(grid.folder)
        assert open_system(str(there)).answer(TEXTS) == before
    finally:
        grid.folder.with_name("away").rename(grid.folder)


def test_the_results_page_says_what_the_vectors_are(standing, tmp_path):
    data, _ = standing
    reproduce(
        data, tmp_path / "out", recipes=["embedding-mlp"], tasks=["joy"], store=tmp_path / "s"
    )
    page = (tmp_path / "out" / "results.html").read_text()
    assert "made of the few thousand training tweets themselves" in page
    assert "reads texts through vectors of" in (tmp_path / "out" / "es" / "report.html").read_text()
