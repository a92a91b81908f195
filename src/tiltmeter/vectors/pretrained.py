"""A folder with a pre-trained model as an encoder: frozen, its tokens' vectors pooled.

The model is loaded when the first text is encoded, so that rows that are kept already cost nothing.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np

from tiltmeter.errors import MissingExtraError
from tiltmeter.vectors.encoder import Encoder, Rows
from tiltmeter.vectors.hub import encoder_failure, find_onnx, no_safetensors
from tiltmeter.vectors.model_folder import Batch, Folder, read_model_folder
from tiltmeter.vectors.onnx import OnnxModel, check_onnx
from tiltmeter.vectors.pooling import POOLINGS
from tiltmeter.vectors.transformer import load_transformer

WIDTHS = ("hidden_size", "dim", "d_model", "n_embd", "emb_dim")
"""What configurations call the length of a token's vector."""
HIDDEN = "last_hidden_state"


class Running(Protocol):
    """A model in memory."""

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Its outputs, a batch at a time."""


def folder_encoder(name: str, path: Path, pooling: str) -> Encoder:
    """A folder as `save_pretrained` writes it, or one with an ONNX model, as an encoder."""
    folder = read_model_folder(name, path, encoder_failure)
    if folder.config.get("is_encoder_decoder"):
        raise folder.refusal("is a model with a decoder; expected an encoder alone")
    files, load = _weights(folder)
    longest = folder.longest(_tokenizer_limit(folder))
    made = f"{folder.digest(files)}\n{pooling}\ncut at {longest}"
    width = _width(folder)
    return Encoder(
        name,
        width,
        hashlib.sha256(made.encode()).hexdigest(),
        _pooled(folder, cache(load), pooling, width),
        notes=(f"texts past {longest:,} tokens are cut",) if longest else (),
        settings={"spec": name, "pooling": pooling},
    )


def _weights(folder: Folder) -> tuple[list[Path], Callable[[], Running]]:
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
    return safe, lambda: _load(folder)


def _load(folder: Folder) -> Running:
    expected = "the weights of an encoder such as BERT"
    # The pooler makes another output than the one that is read, and many models come without it.
    found = load_transformer(folder, "AutoModel", HIDDEN, expected=expected, unread="pooler.")
    found.tokenizer.padding_side = "right"
    return found


def _load_onnx(folder: Folder, model: Path) -> Running:
    found = OnnxModel(folder, model, HIDDEN)
    if _quantised_on_the_way(model):
        found.together = 1  # its rounding would depend on what else is in the batch
    return found


def _quantised_on_the_way(model: Path) -> bool:
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        return whole.find(b"DynamicQuantize") >= 0


def _pooled(
    folder: Folder, model: Callable[[], Running], pooling: str, width: int
) -> Callable[[Sequence[str]], Rows]:
    pool = POOLINGS[pooling]

    def encode(texts: Sequence[str]) -> Rows:
        rows = np.empty((len(texts), width), np.float32)
        for places, hidden, mask in model().batches(texts) if len(texts) else ():
            if hidden.ndim != 3 or hidden.shape[2] != width:
                what = f"gives outputs of shape {hidden.shape} to {len(places)} texts"
                raise folder.refusal(f"{what}; expected (texts, tokens, {width})")
            rows[places] = pool(hidden, mask)
        return rows

    return encode


def _width(folder: Folder) -> int:
    found = next((folder.config[key] for key in WIDTHS if key in folder.config), None)
    if not isinstance(found, int):
        what = f"has a config.json without {WIDTHS[0]}; expected that of a text encoder"
        raise folder.refusal(what)
    return found


def _tokenizer_limit(folder: Folder) -> int | None:
    """How many tokens the tokenizer's own settings allow."""
    try:
        told = json.loads((folder.path / "tokenizer_config.json").read_text(encoding="utf-8"))
        found = told.get("model_max_length")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int) else None
