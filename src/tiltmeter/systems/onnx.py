"""A folder with `model.onnx`, `tokenizer.json` and `config.json`, run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.model_folder import (
    BATCH,
    Cuts,
    Folder,
    Head,
    in_batches,
    model_card,
    read_head,
)
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import Answer, Pace, System

PLACES = ("model.onnx", "onnx/model.onnx")
FIELDS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""A model's inputs, and what the tokenizer calls them."""


def find_onnx(path: Path) -> Path | None:
    """The ONNX model of a folder, if it has one."""
    return next((path / place for place in PLACES if (path / place).is_file()), None)


def onnx_folder(
    folder: Folder, model: Path, options: Options, given: Mapping[str, float]
) -> System:
    """A text classifier or regressor in ONNX."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise MissingExtraError(f"what {folder.name!r} needs, ONNX Runtime,", "neural")
    import onnxruntime

    head = read_head(folder, options, given)
    tokenizer = _tokenizer(folder)
    session = _session(folder, model)
    longest = folder.longest(None)
    beside = sorted(model.parent.glob("*.onnx*"))
    card = model_card(
        folder,
        head,
        options,
        version=f"onnxruntime {onnxruntime.__version__}",
        weights=folder.digest(beside),
        longest=longest,
    )
    answering = _Answering(folder, tokenizer, session, head, longest)
    return System(card, answering.answer, Pace(BATCH, one_by_one=False))


def _tokenizer(folder: Folder) -> Any:  # noqa: ANN401 - a tokenizers.Tokenizer
    from tokenizers import Tokenizer

    path = folder.path / "tokenizer.json"
    if not path.is_file():
        what = f"has an ONNX model but no tokenizer.json in {folder.path}; save its tokenizer there"
        raise SystemFailure(folder.name, what)
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise SystemFailure(folder.name, f"has an unreadable tokenizer.json: {error}") from error
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
        raise SystemFailure(folder.name, what) from error
    foreign = [field.name for field in session.get_inputs() if field.name not in FIELDS]
    if foreign:
        what = f"asks for {', '.join(foreign)}; expected a model of {', '.join(FIELDS)}"
        raise SystemFailure(folder.name, what)
    return session


class _Answering:
    """A tokenizer and an ONNX session that answer texts in batches of like length."""

    def __init__(
        self,
        folder: Folder,
        tokenizer: Any,  # noqa: ANN401 - a tokenizers.Tokenizer
        session: Any,  # noqa: ANN401 - an InferenceSession
        head: Head,
        longest: int | None,
    ) -> None:
        self.folder, self.tokenizer, self.session, self.head = folder, tokenizer, session, head
        self.longest, self.cuts = longest, Cuts(folder.name)
        outputs = [field.name for field in session.get_outputs()]
        self.output = "logits" if "logits" in outputs else outputs[0]
        self.inputs = {field.name: field.type for field in session.get_inputs()}
        self.padding = int(folder.config.get("pad_token_id") or 0)

    def answer(self, texts: Sequence[str]) -> list[Answer]:
        """One score a text, in the texts' order."""
        encoded = self.tokenizer.encode_batch(list(texts))
        limit = self.longest
        if limit and (cut := [at for at, one in enumerate(encoded) if len(one.ids) > limit]):
            self.cuts.note(texts, cut)
            self.tokenizer.enable_truncation(limit)
            encoded = self.tokenizer.encode_batch(list(texts))
            self.tokenizer.no_truncation()

        def scores(batch: list[int]) -> list[float]:
            return self._scores([encoded[at] for at in batch])

        return in_batches([len(one.ids) for one in encoded], scores)

    def _scores(self, rows: Sequence[Any]) -> list[float]:
        import numpy as np

        width = max(len(row.ids) for row in rows)
        fed = {}
        for name, kind in self.inputs.items():
            fill = self.padding if name == "input_ids" else 0
            type_ = np.int32 if "int32" in kind else np.int64
            padded = np.full((len(rows), width), fill, dtype=type_)
            for row, values in zip(
                padded, (getattr(one, FIELDS[name]) for one in rows), strict=True
            ):
                row[: len(values)] = values
            fed[name] = padded
        found = self.session.run([self.output], fed)[0]
        labels = len(self.head.worth.labels) if self.head.worth else 1
        if found.shape != (len(rows), labels):
            what = (
                f"gives outputs of shape {found.shape} to {len(rows)} texts; expected {labels} each"
            )
            raise SystemFailure(self.folder.name, what)
        return self.head.scores(found)
