"""A Hugging Face text classifier or regressor as a system: `hf:PATH_OR_NAME`.

Weights come from safetensors only, and no code of the model's own is ever run. A folder with an
ONNX model and no safetensors goes to ONNX Runtime.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.labels import split_labels
from tiltmeter.systems.model_folder import (
    BATCH,
    TOGETHER,
    Cuts,
    Folder,
    Head,
    in_batches,
    model_card,
    read_folder,
    read_head,
)
from tiltmeter.systems.onnx import find_onnx, onnx_folder
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import Answer, Pace, System

FETCHED = (".json", ".txt", ".model", ".safetensors")
SECONDS = 5.0
"""How long the hub has to answer whether it knows a name."""


def transformer(target: str, options: Options) -> System:
    """A model from a local folder, or by its name on the hub."""
    name = f"hf:{target}"
    place, given = split_labels(name, target)
    path = _find(name, place)
    folder = read_folder(name, path)
    safe = sorted(path.glob("*.safetensors"))
    neural = find_spec("torch") and find_spec("transformers")
    if (model := find_onnx(path)) and not (safe and neural):
        return onnx_folder(folder, model, options, given)
    if not safe:
        raise SystemFailure(name, _no_safetensors(path))
    if not neural:
        raise MissingExtraError(f"what {name!r} needs, PyTorch and Transformers,", "neural")
    return _opened(folder, safe, options, read_head(folder, options, given))


def _opened(folder: Folder, safe: Sequence[Path], options: Options, head: Head) -> System:
    import transformers

    with _quiet():
        tokenizer, model = _load(folder)
    longest = folder.longest(tokenizer.model_max_length)
    version = f"transformers {transformers.__version__}"
    weights = folder.digest(safe)
    card = model_card(folder, head, options, version=version, weights=weights, longest=longest)
    answering = _Answering(tokenizer, model, head, longest, Cuts(folder.name))
    return System(card, answering.answer, Pace(BATCH, one_by_one=False))


# ---------------------------------------------------------------- finding and loading


def _find(name: str, place: str) -> Path:
    """The folder of a model: the path itself, else the hub's copy on this machine, else fetched."""
    path = Path(place).expanduser()
    if path.is_dir():
        return path
    if path.is_file():
        raise SystemFailure(name, f"is a file; expected the folder that holds it, {path.parent}")
    if place.startswith((".", "/", "~")) or place.count("/") > 1 or not place:
        raise SystemFailure(name, f"is not there: no folder {path}")
    if find_spec("huggingface_hub") is None:
        raise MissingExtraError(f"what {name!r} needs, Hugging Face's hub,", "neural")
    return _from_hub(name, place)


def _from_hub(name: str, place: str) -> Path:
    from huggingface_hub import snapshot_download

    with contextlib.suppress(OSError, ValueError):
        cached = Path(snapshot_download(place, local_files_only=True))
        if find_onnx(cached) or any(cached.glob("*.safetensors")):
            return cached
    try:
        with _no_bars():
            return _fetched(place)
    except Exception as error:
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") else ""
        what = (
            f"is neither a folder here nor in the local Hugging Face cache, and the hub could not "
            f"be asked for it{offline}: {(str(error).splitlines() or [''])[0]}; pass a local path, "
            "as in hf:./my-model"
        )
        raise SystemFailure(name, what) from error


def _fetched(place: str) -> Path:
    """Fetch a model's own files one by one."""
    # snapshot_download would wait for ever for a hub that is there and says nothing.
    from huggingface_hub import HfApi, hf_hub_download

    found = HfApi().model_info(place, timeout=SECONDS)
    names = [file.rfilename for file in found.siblings or () if "/" not in file.rfilename]
    wanted = [name for name in names if name.endswith(FETCHED)]
    if "config.json" not in wanted:
        raise FileNotFoundError(f"{place} has no config.json on the hub")
    paths = [Path(hf_hub_download(place, name, etag_timeout=SECONDS)) for name in wanted]
    if len({path.parent for path in paths}) > 1:
        raise FileNotFoundError(f"{place} changed while it was being fetched; try again")
    return paths[0].parent


def _no_safetensors(path: Path) -> str:
    pickles = ", ".join(found.name for found in sorted(path.glob("*.bin"))[:3])
    if not pickles:
        return f"has neither *.safetensors nor model.onnx in {path}"
    return (
        f"has its weights in {pickles}, a pickle, which can run any code when it is opened, so "
        "Tiltmeter does not; where you trust it, load it with Transformers and call "
        "model.save_pretrained(FOLDER), which writes safetensors"
    )


def _load(folder: Folder) -> tuple[Any, Any]:
    """The tokenizer and the model, in float32, ready to answer; both trained, neither guessed."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    safely = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, **safely)
        model, info = AutoModelForSequenceClassification.from_pretrained(
            folder.path, use_safetensors=True, output_loading_info=True, **safely
        )
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        what = f"cannot be loaded by Transformers: {type(error).__name__}: {first}"
        raise SystemFailure(folder.name, what) from error
    absent = sorted(info.get("missing_keys", ()))
    if absent:
        what = (
            f"has no trained weights for {', '.join(absent[:4])}: Transformers would make them up "
            "at random; expected a model fine-tuned for text classification or regression"
        )
        raise SystemFailure(folder.name, what)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return tokenizer, model.float().eval().to(device)


@contextlib.contextmanager
def _no_bars() -> Iterator[None]:
    """Keep the hub's progress bars off the user's terminal for as long as this lasts."""
    from huggingface_hub.utils import are_progress_bars_disabled as disabled
    from huggingface_hub.utils import disable_progress_bars, enable_progress_bars

    shown = not disabled()
    disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            enable_progress_bars()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Transformers' bars, reports and advice off the user's terminal, likewise."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with _no_bars():
            yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()


# ---------------------------------------------------------------- answering


class _Answering:
    """A tokenizer and a model that answer texts in batches of like length."""

    def __init__(
        self,
        tokenizer: Any,  # noqa: ANN401 - Transformers' own
        model: Any,  # noqa: ANN401 - Transformers' own
        head: Head,
        longest: int | None,
        cuts: Cuts,
    ) -> None:
        self.tokenizer, self.model, self.head = tokenizer, model, head
        self.longest, self.cuts = longest, cuts
        # Without a padding token there is nothing to fill a shorter text up with.
        self.together = TOGETHER if tokenizer.pad_token_id is not None else 1

    def answer(self, texts: Sequence[str]) -> list[Answer]:
        """One score a text, in the texts' order."""
        if not texts:
            return []
        encoded = self._encoded(list(texts))
        lengths = [len(ids) for ids in encoded["input_ids"]]

        def scores(batch: list[int]) -> list[float]:
            rows = {key: [encoded[key][at] for at in batch] for key in encoded}
            return self.head.scores(self._outputs(rows))

        return in_batches(lengths, scores, self.together)

    def _encoded(self, texts: list[str]) -> dict[str, list[list[int]]]:
        whole = self.tokenizer(texts, truncation=False, verbose=False)
        if self.longest is None:
            return dict(whole)
        lengths = [len(ids) for ids in whole["input_ids"]]
        too_long = [at for at, length in enumerate(lengths) if length > self.longest]
        if not too_long:
            return dict(whole)
        self.cuts.note(texts, too_long)
        return dict(self.tokenizer(texts, truncation=True, max_length=self.longest))

    def _outputs(self, rows: dict[str, list[list[int]]]) -> Any:  # noqa: ANN401 - an array
        import torch

        with torch.inference_mode():
            padded = self.tokenizer.pad(rows, return_tensors="pt").to(self.model.device)
            return self.model(**padded).logits.float().cpu().numpy()
