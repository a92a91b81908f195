"""A folder with `model.onnx` and `tokenizer.json`, run in batches of like length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import MissingExtraError
from tiltmeter.vectors.model_folder import TOGETHER, Batch, Cuts, Folder, alike

FIELDS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""A model's inputs, and what the tokenizer calls them."""


class OnnxModel:
    """A tokenizer and an ONNX session that answer texts in batches of like length."""

    def __init__(self, folder: Folder, model: Path, output: str) -> None:
        self.tokenizer, self.session = _tokenizer(folder), _session(folder, model)
        self.longest, self.cuts = folder.longest(None), Cuts(folder.name)
        self.together = TOGETHER
        outputs = [field.name for field in self.session.get_outputs()]
        self.output = output if output in outputs else outputs[0]
        self.inputs = {field.name: field.type for field in self.session.get_inputs()}
        self.padding = int(folder.config.get("pad_token_id") or 0)

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """The model's outputs, a batch at a time, longest texts first."""
        encoded = self._encoded(list(texts))
        for places in alike([len(one.ids) for one in encoded], self.together):
            yield self._outputs(places, [encoded[at] for at in places])

    def _encoded(self, texts: list[str]) -> Sequence[Any]:
        encoded: Sequence[Any] = self.tokenizer.encode_batch(texts)
        limit = self.longest
        if limit and (cut := [at for at, one in enumerate(encoded) if len(one.ids) > limit]):
            self.cuts.note(texts, cut)
            self.tokenizer.enable_truncation(limit)
            encoded = self.tokenizer.encode_batch(texts)
            self.tokenizer.no_truncation()
        return encoded

    def _outputs(self, places: list[int], rows: Sequence[Any]) -> Batch:
        fed = {
            name: _padded(
                [getattr(row, FIELDS[name]) for row in rows],
                self.padding if name == "input_ids" else 0,
                np.int32 if "int32" in kind else np.int64,
            )
            for name, kind in self.inputs.items()
        }
        mask = _padded([row.attention_mask for row in rows], 0, np.int64)
        return Batch(places, self.session.run([self.output], fed)[0], mask)


def check_onnx(name: str) -> None:
    """Raise unless ONNX Runtime is installed."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise MissingExtraError(f"what {name!r} needs, ONNX Runtime,", "neural")


def _padded(rows: Sequence[Sequence[int]], fill: int, kind: type) -> NDArray[Any]:
    padded: NDArray[Any] = np.full((len(rows), max(len(row) for row in rows)), fill, dtype=kind)
    for to, values in zip(padded, rows, strict=True):
        to[: len(values)] = values
    return padded


def _tokenizer(folder: Folder) -> Any:  # noqa: ANN401 - a tokenizers.Tokenizer
    from tokenizers import Tokenizer

    path = folder.path / "tokenizer.json"
    if not path.is_file():
        what = f"has an ONNX model but no tokenizer.json in {folder.path}; save its tokenizer there"
        raise folder.refusal(what)
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise folder.refusal(f"has an unreadable tokenizer.json: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _session(folder: Folder, model: Path) -> Any:  # noqa: ANN401 - an InferenceSession
    import onnxruntime

    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    there = [name for name in wanted if name in onnxruntime.get_available_providers()]
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(model), settings, providers=there)
    except Exception as error:
        what = f"cannot be loaded by ONNX Runtime: {(str(error).splitlines() or [''])[0]}"
        raise folder.refusal(what) from error
    foreign = [field.name for field in session.get_inputs() if field.name not in FIELDS]
    if foreign:
        what = f"asks for {', '.join(foreign)}; expected a model of {', '.join(FIELDS)}"
        raise folder.refusal(what)
    return session
