"""A small real Transformers classifier, built here since no model can be downloaded."""

from __future__ import annotations

from pathlib import Path

WORDS = 2000


def save_classifier(folder: Path) -> Path:
    """Build a four-layer BERT with two labels and random weights, and save it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *letters]
    vocabulary += [f"##{letter}" for letter in letters]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=WORDS, hidden_size=128, num_hidden_layers=4, num_attention_heads=4,
        intermediate_size=512, id2label={0: "NEGATIVE", 1: "POSITIVE"},
        label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
