"""What hostile or careless hands do to training: every refusal is one message, nothing is lost."""

import hashlib
import json
import shutil

import numpy as np
import polars as pl
import pytest

from labelled_days import write_labelled, write_semeval, write_vectors
from tiltmeter.cli.train import settings_text, skill_text
from tiltmeter.errors import OutputError, SystemFailure, TiltmeterError
from tiltmeter.studies.training.grid import train_grid
from tiltmeter.studies.training.recipes import check_place
from tiltmeter.studies.training.run import train
from tiltmeter.systems import Options, open_system


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled")
    train_file = write_labelled(folder / "train.txt", 60, 1)
    return {"train_file": train_file, "dev_file": write_labelled(folder / "dev.txt", 30, 2)}


@pytest.fixture(scope="module")
def model(files, tmp_path_factory):
    return train("svm-unigrams", tmp_path_factory.mktemp("m") / "model", task="joy", **files).folder


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "model")


def write_rows(path, rows):
    pl.DataFrame(rows, ["text", "score"], orient="row").write_csv(path)
    return path


def edited(folder, **changes):
    card = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(card | changes))
    return folder


# ---------------------------------------------------------------- where it goes


def test_what_stands_beside_a_model_is_never_lost(copy, files):
    (copy / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match=r"holds 'thesis.txt' beside a trained model"):
        train("svm-unigrams", copy, task="joy", **files)
    assert (copy / "thesis.txt").read_text() == "years of work"
    assert (copy / "pipeline.skops").is_file()


def test_the_folder_one_is_in_is_refused_and_stays(copy, files, monkeypatch):
    monkeypatch.chdir(copy)
    with pytest.raises(OutputError, match="is the folder you are in"):
        train("svm-unigrams", ".", task="joy", **files)
    assert {"model.json", "pipeline.skops"} <= {path.name for path in copy.iterdir()}


def test_a_link_to_a_model_stays_a_link(copy, files, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(copy)
    before = (copy / "model.json").stat().st_ino
    train("svm-unigrams", link, task="joy", **files)
    assert link.is_symlink()
    assert (copy / "model.json").stat().st_ino != before


def test_an_old_model_comes_back_when_the_new_one_cannot_be_put(copy, files, monkeypatch):
    before = (copy / "model.json").read_bytes()
    renamed = type(copy).replace

    def failing(self, target):
        if self.name == "new" and self.parent.name.startswith("."):
            raise OSError(28, "No space left on device")
        return renamed(self, target)

    monkeypatch.setattr(type(copy), "replace", failing)
    with pytest.raises(OutputError, match="No space left"):
        train("svm-unigrams", copy, task="joy", **files)
    assert (copy / "model.json").read_bytes() == before
    assert [path.name for path in copy.parent.iterdir()] == ["model"]


def test_a_place_below_a_file_is_refused_before_training(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="is a file; expected a folder"):
        check_place(tmp_path / "file" / "model")


def test_a_grid_says_so_too_and_only_once(tmp_path):
    data = write_semeval(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="is a file"):
        train_grid(data, tmp_path / "file" / "models", recipes=["svm-unigrams"])


# ---------------------------------------------------------------- what it learns from


def test_texts_without_words_are_refused(files, tmp_path):
    emoji = write_rows(tmp_path / "e.csv", [("😀" * n, n % 9 / 10) for n in range(1, 40)])
    with pytest.raises(TiltmeterError, match="39 texts of the train part hold no word;"):
        train("svm-unigrams", tmp_path / "m", task="joy", **files | {"train_file": emoji})


def test_texts_whose_words_all_differ_are_refused_by_tfidf(files, tmp_path):
    once = write_rows(tmp_path / "o.csv", [(f"w{n}x z{n}y", n % 9 / 10) for n in range(40)])
    with pytest.raises(TiltmeterError, match="no word that stands in 2 of them"):
        train("svm-tfidf", tmp_path / "m", task="joy", **files | {"train_file": once})


@pytest.mark.parametrize("part", ["train_file", "dev_file", "test_file"])
def test_scores_outside_0_to_1_are_named_with_file_and_line_in_every_part(files, tmp_path, part):
    rows = [(f"a kind day {n}", n / 40) for n in range(40)] + [("a cold day", 1.5)]
    given = files | {part: write_rows(tmp_path / "out.csv", rows)}
    # line 1 has the names, so the 41st row stands in line 42
    with pytest.raises(TiltmeterError, match=r"out\.csv:42: found 1\.5 for the score"):
        train("svm-unigrams", tmp_path / "m", task="joy", **given)
    assert not (tmp_path / "m").exists()


def test_another_task_may_lie_on_another_scale(files, tmp_path):
    texts = [f"a {'kind' if n % 2 else 'cold'} day {n}" for n in range(40)]
    table = {
        "text": texts,
        "joy": [n % 2 for n in range(40)],
        "anger": [3.0 * n for n in range(40)],
    }
    pl.DataFrame(table).write_csv(tmp_path / "wide.csv")
    made = train(
        "svm-unigrams", tmp_path / "m", task="joy", **files | {"train_file": tmp_path / "wide.csv"}
    )
    assert made.card["data"]["train"]["rows"] == 40


def test_texts_that_stand_in_two_parts_are_counted_on_the_card(files, tmp_path):
    made = train("svm-unigrams", tmp_path / "m", task="joy", **files, test_file=files["dev_file"])
    found = made.card["data"]
    assert found["test"]["texts_seen_before"] == found["test"]["rows"]
    assert found["train"]["texts_seen_before"] == 0


def test_rows_without_a_score_are_counted_on_the_card(files, tmp_path):
    rows = [(f"a {'kind' if n % 2 else 'cold'} day {n}", n % 2) for n in range(40)]
    given = write_rows(tmp_path / "t.csv", [*rows, ("a bright day", None)])
    made = train("svm-unigrams", tmp_path / "m", task="joy", **files | {"train_file": given})
    assert (made.card["data"]["train"]["rows"], made.card["data"]["train"]["rows_left_out"]) == (
        40,
        1,
    )


def test_a_text_with_many_scores_is_not_told_at_length(files, tmp_path):
    same = write_rows(tmp_path / "s.csv", [("one day", n / 60) for n in range(60)])
    with pytest.raises(TiltmeterError, match="and others") as caught:
        train("svm-unigrams", tmp_path / "m", task="joy", **files | {"train_file": same})
    assert len(str(caught.value)) < 400


# ---------------------------------------------------------------- what was asked for


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_that_no_library_takes_is_refused(files, tmp_path, seed):
    with pytest.raises(TiltmeterError, match=f"found {seed} for the seed; expected 0 to"):
        train("svm-unigrams", tmp_path / "m", task="joy", seed=seed, **files)
    with pytest.raises(TiltmeterError, match="for the seed"):
        train_grid(write_semeval(tmp_path), tmp_path / "g", seed=seed)


@pytest.mark.parametrize("language", ["EN", "English", "../x", "e"])
def test_a_language_is_a_code(files, tmp_path, language):
    with pytest.raises(TiltmeterError, match="expected a code in small letters"):
        train("svm-unigrams", tmp_path / "m", task="joy", language=language, **files)


def test_a_pooling_that_would_do_nothing_is_refused(files, tmp_path):
    with pytest.raises(TiltmeterError, match="svm-unigrams takes no pooling"):
        train("svm-unigrams", tmp_path / "m", task="joy", pooling="mean", **files)


def test_word_vectors_and_sentence_encoders_are_not_taken_for_each_other(files, tmp_path):
    vectors = str(write_vectors(tmp_path / "v.txt"))
    with pytest.raises(TiltmeterError, match="takes a sentence encoder"):
        train("encoder-mlp", tmp_path / "m", task="joy", encoder=vectors, **files)
    with pytest.raises(TiltmeterError, match="takes word vectors"):
        train("embedding-mlp", tmp_path / "m", task="joy", vectors="lexicons", **files)


def test_a_grid_of_which_nothing_came_is_an_empty_table(tmp_path):
    data = write_semeval(tmp_path)
    (data / "2018-EI-reg-En-joy-train.txt").write_text(
        "ID\tTweet\tAffect Dimension\tIntensity Score\nx\thello\tjoy\tmuch\n"
    )
    done = train_grid(data, tmp_path / "grid", recipes=["svm-unigrams"])
    assert done.skill.is_empty()
    assert "found 'much'" in done.failed["en joy svm-unigrams"]
    assert done.models == ()


def test_vectors_that_are_missing_for_a_language_are_what_a_grid_asks_for(tmp_path, monkeypatch):
    from tiltmeter.studies.training import grid as grid_cells

    monkeypatch.setattr(grid_cells, "GLOVE", "no_such_package")
    data = write_semeval(tmp_path)
    with pytest.raises(TiltmeterError, match=r"can be trained here: .*--vectors en=FILE"):
        train_grid(data, tmp_path / "g", recipes=["embedding-mlp"])


def test_answers_that_hardly_differ_are_never_chosen_however_well_they_correlate():
    from tiltmeter.studies.training.recipes import agreement

    gold = np.linspace(0, 1, 50)
    assert agreement(0.5 + 1e-6 * gold, gold) == -1
    assert agreement(0.5 + 1e-2 * gold, gold) == pytest.approx(1)


# ---------------------------------------------------------------- what it says


def test_three_texts_have_a_correlation_and_no_interval():
    found = {"n": 3, "pearson": -0.5, "pearson_low": None, "pearson_high": None, "spearman": -0.5}
    assert skill_text(found) == "Pearson −0.500, Spearman −0.500, 3 texts"


def test_settings_in_a_line():
    assert settings_text({"settings": {"C": 0.1}}) == "C 0.1"


# ---------------------------------------------------------------- a card changed by hand


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weights": ["pipeline.skops"]}, "weights is \\[.pipeline.skops.\\]; expected an object"),
        ({"weights": None}, "weights is None; expected an object"),
        ({"kind": ["sklearn"]}, r"kind is \['sklearn'\]; expected text"),
        ({"language": None}, "language is None; expected text"),
        ({"name": ["a"]}, r"name is \['a'\]; expected text"),
        ({"name": "\ud800"}, "surrogates not allowed"),
        ({"recipe": {"a": 1}}, "recipe is {'a': 1}; expected text"),
        ({"data": []}, "data is \\[\\]; expected an object"),
        ({"data": {"train": {"rows": "many"}}}, "rows is 'many'; expected a whole number"),
    ],
)
def test_a_card_with_the_wrong_kind_of_thing_in_it_is_refused(copy, changes, said):
    with pytest.raises(SystemFailure, match=rf"has a model\.json that cannot be used.*\n.*{said}"):
        open_system(str(edited(copy, **changes)), Options())


def test_weights_are_looked_for_in_the_models_folder_only(copy):
    odd = {"file": "../../../../etc/passwd", "sha256": "0"}
    with pytest.raises(SystemFailure, match=r"no file .*model/passwd"):
        open_system(str(edited(copy, weights=odd)), Options())


def test_weights_that_are_no_estimator_are_refused(copy):
    import skops.io

    data = skops.io.dumps([1, 2])
    (copy / "pipeline.skops").write_bytes(data)
    told = {"file": "pipeline.skops", "sha256": hashlib.sha256(data).hexdigest()}
    with pytest.raises(SystemFailure, match="is a list; expected a fitted regressor"):
        open_system(str(edited(copy, weights=told)), Options())


def test_a_head_that_is_no_regressor_is_told_when_it_is_asked(files, tmp_path):
    import skops.io
    from sklearn.linear_model import Ridge

    vectors = str(write_vectors(tmp_path / "v.txt"))
    folder = train("embedding-mlp", tmp_path / "m", task="joy", vectors=vectors, **files).folder
    data = skops.io.dumps(Ridge())
    (folder / "head.skops").write_bytes(data)
    told = {"file": "head.skops", "sha256": hashlib.sha256(data).hexdigest()}
    system = open_system(str(edited(folder, weights=told)), Options())
    with pytest.raises(SystemFailure, match="holds a Ridge that raised NotFittedError"):
        system.answer(["a kind day"])


def test_a_part_of_a_model_is_not_said_to_be_missing(copy):
    with pytest.raises(TiltmeterError, match="is part of a trained model; name its folder"):
        open_system(str(copy / "model.json"), Options())


# ---------------------------------------------------------------- numbers


def test_the_cards_skill_is_that_of_the_answers_on_test(files, tmp_path):
    test = write_labelled(tmp_path / "test.txt", 40, 3)
    made = train("svm-tfidf", tmp_path / "m", task="joy", **files, test_file=test)
    rows = [line.split("\t") for line in test.read_text(encoding="utf-8-sig").splitlines()[1:]]
    said = np.array(open_system(str(made.folder), Options()).answer([row[1] for row in rows]))
    gold = np.array([float(row[3]) for row in rows])
    assert made.card["skill"]["test"]["pearson"] == pytest.approx(
        np.corrcoef(said, gold)[0, 1], abs=1e-6
    )
    assert made.card["skill"]["test"]["mae"] == pytest.approx(np.abs(said - gold).mean(), abs=1e-6)


def test_test_changes_nothing_of_the_model(files, tmp_path):
    texts = ["my sister had a kind day", "my brother had a cold day"]
    answers = []
    for seed in (3, 4):
        test = write_labelled(tmp_path / f"test{seed}.txt", 40, seed)
        made = train("svm-tfidf", tmp_path / f"m{seed}", task="joy", **files, test_file=test)
        answers.append(list(open_system(str(made.folder), Options()).answer(texts)))
    assert answers[0] == answers[1]


def test_texts_that_differ_in_no_word_they_share_are_said_to_teach_nothing(tmp_path):
    # Every text has the same words but a number of its own: tf-idf tells none from another.
    rows = [f"my sister day {nth},0.{nth % 9}" for nth in range(1, 31)]
    (tmp_path / "same.csv").write_text("\n".join(["text,score", *rows]))
    files = {"train_file": tmp_path / "same.csv", "dev_file": tmp_path / "same.csv"}
    with pytest.raises(TiltmeterError, match="nothing can be learned from the 30 texts"):
        train("svm-tfidf", tmp_path / "m", task="joy", **files)
    assert not (tmp_path / "m").exists()
