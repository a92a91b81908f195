"""Transformers pipelines in hand as systems: a tiny model built here, asked through the flow."""

import numpy as np
import pytest

import tiltmeter
from tiltmeter.errors import SystemFailure
from tiltmeter.systems import Options, Scale, ask, from_pipeline

pytestmark = pytest.mark.heavy

WORDS = ["she", "he", "feels", "angry", "glad", "sad", "my", "mother", "father", "awful", "."]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TEXTS = ["She feels angry.", "My mother feels awful, and sad.", "Glad.", "My father. " * 60]


def build(folder, labels):
    """A text-classification pipeline around a two-layer BERT with random weights."""
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertTokenizerFast,
        pipeline,
    )

    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(VOCABULARY), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, num_labels=len(labels),
        id2label=dict(enumerate(labels)), label2id={name: at for at, name in enumerate(labels)},
        initializer_range=0.5,
    )  # fmt: skip
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast.from_pretrained(folder, model_max_length=64)
    model = BertForSequenceClassification(config).eval()
    return pipeline("text-classification", model=model, tokenizer=tokenizer, device="cpu")


@pytest.fixture(scope="module")
def pipe(tmp_path_factory):
    return build(tmp_path_factory.mktemp("model"), ["NEGATIVE", "NEUTRAL", "POSITIVE"])


def given(pipe, texts):
    """What the pipeline itself gives: each label's probability, text by text."""
    found = [pipe(text, top_k=None, truncation=True) for text in texts]
    return [{each["label"]: each["score"] for each in one} for one in found]


def test_the_score_weighs_every_label(pipe):
    system = from_pipeline(pipe)
    expected = [one["POSITIVE"] - one["NEGATIVE"] for one in given(pipe, TEXTS)]
    assert np.ptp(expected) > 0.01
    assert [ask(system, [text])[0] for text in TEXTS] == pytest.approx(expected, abs=1e-6)
    assert ask(system, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert system.card.scale == Scale(-1, 1)
    assert ask(system, []) == []


def test_an_audit_takes_a_pipeline(pipe, tmp_path):
    settings = {"store": tmp_path, "sample": 2, "flips": 0}
    audit = tiltmeter.audit({"bert": pipe}, **settings)
    assert set(audit.findings["system"]) == {"bert"}
    again = tiltmeter.audit([pipe, ("bert", pipe)], **settings)
    known = {scored.card.name: scored.known for scored in again.runs[0].scored}
    assert known["bert"] > 0  # the same weights, the same fingerprint: nothing is asked again
    (unnamed,) = (name for name in known if name != "bert")
    assert unnamed.startswith("hf:")


def test_other_weights_are_another_system(pipe, tmp_path):
    import torch

    other = build(tmp_path, ["NEGATIVE", "NEUTRAL", "POSITIVE"])
    assert from_pipeline(other).card.fingerprint == from_pipeline(pipe).card.fingerprint
    with torch.no_grad():
        other.model.classifier.bias += 0.5
    assert from_pipeline(other).card.fingerprint != from_pipeline(pipe).card.fingerprint


def test_one_output_is_the_score_as_the_pipeline_gives_it(tmp_path):
    single = build(tmp_path, ["LABEL_0"])
    system = from_pipeline(single, "one", Options(task="joy"))
    expected = [one["LABEL_0"] for one in given(single, TEXTS)]
    assert ask(system, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert system.card.task == "joy"


def test_labels_without_a_meaning_need_the_user_s_word(tmp_path):
    bare = build(tmp_path, ["LABEL_0", "LABEL_1"])
    with pytest.raises(SystemFailure, match="whose worth cannot be told"):
        from_pipeline(bare)
    told = from_pipeline(bare, labels={"LABEL_0": 0.0, "LABEL_1": 1.0})
    expected = [one["LABEL_1"] for one in given(bare, TEXTS)]
    assert ask(told, TEXTS) == pytest.approx(expected, abs=1e-5)


def test_a_pipeline_for_something_else_is_refused(pipe):
    class Other:
        task, model = "fill-mask", pipe.model

    with pytest.raises(SystemFailure, match="a pipeline for fill-mask; expected one for text-cl"):
        from_pipeline(Other())
