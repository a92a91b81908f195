"""A folder with `model.onnx`, `tokenizer.json` and `config.json` as a system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.model_folder import BATCH, Head, in_order, model_card
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import Answer, Pace, System
from tiltmeter.vectors import Batch, Folder, OnnxModel, check_onnx


def onnx_folder(folder: Folder, model: Path, options: Options, head: Head) -> System:
    """A text classifier or regressor in ONNX."""
    check_onnx(folder.name)
    import onnxruntime

    running = OnnxModel(folder, model, "logits")
    card = model_card(
        folder,
        head,
        options,
        version=f"onnxruntime {onnxruntime.__version__}",
        weights=folder.digest(sorted(model.parent.glob("*.onnx*"))),
        longest=running.longest,
    )

    def answer(texts: Sequence[str]) -> list[Answer]:
        return in_order(_checked(folder, head, running.batches(texts)), head, len(texts))

    return System(card, answer, Pace(BATCH, one_by_one=False))


def _checked(folder: Folder, head: Head, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Batches whose outputs are one number a label."""
    labels = len(head.worth.labels) if head.worth else 1
    for batch in batches:
        found, texts = batch.outputs.shape, len(batch.places)
        if found != (texts, labels):
            what = f"gives outputs of shape {found} to {texts} texts; expected {labels} each"
            raise SystemFailure(folder.name, what)
        yield batch
