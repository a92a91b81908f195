"""A Hugging Face text classifier or regressor as a system: `hf:PATH_OR_NAME`.

Weights come from safetensors only, and no code of the model's own is ever run. A folder with an
ONNX model and no safetensors goes to ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.labels import split_labels
from tiltmeter.systems.model_folder import (
    BATCH,
    Head,
    in_order,
    model_card,
    read_folder,
    read_head,
)
from tiltmeter.systems.onnx import onnx_folder
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import Answer, Pace, System
from tiltmeter.vectors import Folder, find_model, find_onnx, load_transformer, no_safetensors

CLASSIFIER = "AutoModelForSequenceClassification"
EXPECTED = "a model fine-tuned for text classification or regression"


def transformer(target: str, options: Options) -> System:
    """A model from a local folder, or by its name on the hub."""
    name = f"hf:{target}"
    place, given = split_labels(name, target)
    folder = read_folder(name, find_model(name, place, SystemFailure))
    return open_folder(folder, read_head(folder, options, given), options)


def open_folder(folder: Folder, head: Head, options: Options) -> System:
    """The model in a folder whose outputs mean what the head says."""
    safe = sorted(folder.path.glob("*.safetensors"))
    neural = find_spec("torch") and find_spec("transformers")
    if (model := find_onnx(folder.path)) and not (safe and neural):
        return onnx_folder(folder, model, options, head)
    if not safe:
        raise SystemFailure(folder.name, no_safetensors(folder.path))
    if not neural:
        raise MissingExtraError(f"what {folder.name!r} needs, PyTorch and Transformers,", "neural")
    return _opened(folder, safe, options, head)


def _opened(folder: Folder, safe: Sequence[Path], options: Options, head: Head) -> System:
    import transformers

    model = load_transformer(folder, CLASSIFIER, "logits", expected=EXPECTED)
    card = model_card(
        folder,
        head,
        options,
        version=f"transformers {transformers.__version__}",
        weights=folder.digest(safe),
        longest=model.longest,
    )

    def answer(texts: Sequence[str]) -> list[Answer]:
        return in_order(model.batches(texts), head, len(texts))

    return System(card, answer, Pace(BATCH, one_by_one=False))
