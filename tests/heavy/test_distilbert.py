"""`distilbert-sst2`: the signed probability of a small DistilBERT, built, saved and opened here."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems import LISTED, Options, Scale, ask, open_system

pytestmark = pytest.mark.heavy

WORDS = [
    "she",
    "he",
    "feels",
    "angry",
    "glad",
    "sad",
    "my",
    "mother",
    "father",
    "was",
    "awful",
    ".",
]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TEXTS = [
    *(f"{who} {how} {what}." for who in ("She", "My father", "He") for how in ("feels", "was")
      for what in ("angry", "glad", "sad")),
    "", "My mother was awful. " * 4,
]  # fmt: skip
HUB = "distilbert/distilbert-base-uncased-finetuned-sst-2-english"


def build(folder, labels=("NEGATIVE", "POSITIVE"), **settings):
    """A two-layer DistilBERT with random weights and a WordPiece vocabulary of its own, saved."""
    import torch
    from transformers import (
        BertTokenizerFast,
        DistilBertConfig,
        DistilBertForSequenceClassification,
    )

    torch.manual_seed(5)
    config = DistilBertConfig(
        vocab_size=len(VOCABULARY), dim=32, n_layers=2, n_heads=2, hidden_dim=64,
        max_position_embeddings=64, initializer_range=0.5, num_labels=len(labels),
        id2label=dict(enumerate(labels)), label2id={name: at for at, name in enumerate(labels)},
        **settings,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    model = DistilBertForSequenceClassification(config).eval()
    with torch.no_grad():  # so that half of the texts get the first label
        logits = torch.cat([model(**row).logits for row in tokenized(tokenizer, TEXTS)])
        model.classifier.bias -= logits.median(dim=0).values
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer, model


def tokenized(tokenizer, texts):
    return [tokenizer(text, return_tensors="pt", return_token_type_ids=False) for text in texts]


def chances(tokenizer, model, texts):
    """What torch gives, text by text."""
    import torch

    with torch.inference_mode():
        logits = torch.cat([model(**row).logits for row in tokenized(tokenizer, texts)])
    return logits.softmax(-1).numpy().astype(float)


def signed(p, positive=1):
    """As published: the label's probability, negated where the label is negative."""
    values = p.max(axis=1)
    return np.where(p.argmax(axis=1) == positive, values, -values)


@pytest.fixture(scope="module")
def polar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sst2")
    return folder, chances(*build(folder), TEXTS)


def test_the_answer_is_the_label_s_probability_with_its_sign(polar):
    folder, p = polar
    system = open_system(f"distilbert-sst2:{folder}")
    expected = signed(p)
    assert min(expected) < -0.5 < 0.5 < max(expected)  # both labels are given
    assert ask(system, TEXTS) == pytest.approx(expected.tolist(), abs=1e-5)
    assert [ask(system, [text])[0] for text in TEXTS] == pytest.approx(expected.tolist(), abs=1e-6)
    assert ask(system, []) == []


def test_the_card_says_what_the_score_is_and_that_it_jumps(polar):
    card = open_system(f"distilbert-sst2:{polar[0]}").card
    assert card.scale == Scale(-1.0, 1.0)
    assert card.task == "valence"
    means, jump, *rest = card.notes
    assert (
        means
        == "the score is P(POSITIVE) where that label is at least as likely, else −P(NEGATIVE)"
    )
    assert "jumps from −0.5 to 0.5" in jump
    assert rest == ["texts past 64 tokens are cut"]
    plain = open_system(f"hf:{polar[0]}").card
    assert card.weights == plain.weights
    assert card.settings["means"] != plain.settings["means"]
    assert card.fingerprint != plain.fingerprint


def test_the_labels_may_stand_the_other_way_round_or_be_explained(tmp_path):
    p = chances(*build(tmp_path / "a", ("pos", "neg")), TEXTS)
    system = open_system(f"distilbert-sst2:{tmp_path / 'a'}")
    assert ask(system, TEXTS) == pytest.approx(signed(p, positive=0).tolist(), abs=1e-5)
    p = chances(*build(tmp_path / "b", ("LABEL_0", "LABEL_1")), TEXTS)
    with pytest.raises(SystemFailure, match=r"\?labels=LABEL_0:0,LABEL_1:1"):
        open_system(f"distilbert-sst2:{tmp_path / 'b'}")
    system = open_system(f"distilbert-sst2:{tmp_path / 'b'}?labels=LABEL_0:-1,LABEL_1:4")
    assert ask(system, TEXTS) == pytest.approx(signed(p).tolist(), abs=1e-5)
    assert system.card.scale == Scale(-1.0, 1.0)


def test_a_tie_is_positive(tmp_path):
    import torch
    from safetensors.torch import load_file, save_file

    build(tmp_path)
    path = tmp_path / "model.safetensors"
    weights = load_file(path)
    even = {name: torch.zeros_like(weights[name]) for name in weights if "classifier" in name}
    save_file(weights | even, path, metadata={"format": "pt"})
    assert ask(open_system(f"distilbert-sst2:{tmp_path}"), ["She was glad."]) == [0.5]


@pytest.mark.parametrize(
    ("labels", "settings"),
    [
        (("negative", "neutral", "positive"), {}),
        (("anger", "joy"), {}),
        (("NEGATIVE", "POSITIVE"), {"problem_type": "multi_label_classification"}),
        (("LABEL_0",), {}),
    ],
    ids=["three labels", "emotions", "a probability each", "one number"],
)
def test_what_has_not_two_poles_is_refused(labels, settings, tmp_path):
    build(tmp_path, labels, **settings)
    with pytest.raises(SystemFailure) as failure:
        open_system(f"distilbert-sst2:{tmp_path}")
    said = str(failure.value)
    assert f"has the labels {', '.join(labels)}; expected two, negative and positive" in said
    assert "use hf:PATH" in said


def test_it_answers_valence_and_nothing_else(polar):
    for spec in ("distilbert-sst2", f"distilbert-sst2:{polar[0]}"):
        with pytest.raises(
            TiltmeterError, match="distilbert-sst2 answers valence; 'joy' was asked"
        ):
            open_system(spec, Options(task="joy"))


# ---------------------------------------------------------------- the published weights


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """An empty cache, and a hub where nobody listens."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    return tmp_path / "hub"


@pytest.mark.usefixtures("hub")
def test_without_the_weights_one_quick_message_asks_for_a_path():
    with pytest.raises(SystemFailure) as failure:
        open_system("distilbert-sst2")
    assert f"distilbert-sst2:PATH, a folder with the weights of {HUB}" in str(failure.value)
    assert "\n" not in str(failure.value)
    assert not LISTED["distilbert-sst2"].ready
    assert LISTED["distilbert-sst2"].install == f"hf download {HUB}"


def test_the_weights_in_the_local_cache_need_no_network(hub, polar):
    folder, p = polar
    cached = hub / f"models--{HUB.replace('/', '--')}"
    shutil.copytree(folder, cached / "snapshots" / "0123abcd")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("0123abcd")
    listing = LISTED["distilbert-sst2"]
    assert listing.ready
    assert listing.install == ""
    system = open_system("distilbert-sst2")
    assert ask(system, TEXTS) == pytest.approx(signed(p).tolist(), abs=1e-5)
    card = system.card
    assert (card.name, card.languages) == (listing.name, listing.languages)
    assert card.licence == listing.licence == "Apache-2.0"


def test_the_command_says_it_in_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tiltmeter", "try", "distilbert-sst2:./nowhere", "{She|He} was."],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "is not there: no folder nowhere" in " ".join(done.stderr.split())


def test_a_folder_that_is_no_model_is_told(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "neg", "1": "pos"}}))
    with pytest.raises(SystemFailure, match=r"has neither .*safetensors nor model\.onnx"):
        open_system(f"distilbert-sst2:{tmp_path}")
