"""Pre-trained text models: found on disk or on the hub, opened safely, run in batches.

Shared by encoders and by the systems that classify. Of a model's weights only safetensors and ONNX
are ever fetched or opened: no pickle, and no code of the model's own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.files import LARGEST_TEXT, expand_home, file_digest, is_file, is_folder, read_capped

Failure = Callable[[str, str], TiltmeterError]
"""Makes an error of a name and what is wrong: `SystemFailure` for a system."""
FETCHED = (".json", ".txt", ".model", ".safetensors")
HUB_SECONDS = 5.0
"""How long the hub has to answer whether it knows a name."""
ONNX_PLACES = ("model.onnx", "onnx/model.onnx")
TOKENIZER_FILES = ("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "*.model")
TEXTS_AT_ONCE = 64
"""How many texts of like length go through a model at once."""
TOKENS_AT_ONCE = 256
"""How many tokens at most, padding included: enough for a core to be busy, and little is padded."""
UNLIMITED = 100_000
"""Tokenizers that know no limit say something astronomical."""
OFFSET_POSITIONS = ("roberta", "camembert", "mpnet", "longformer", "bertweet", "ernie_m")
"""Kinds of models that keep their first position numbers for padding."""
SHOWN_TEXT = 80
NUMBERED = 'expected labels by number, as in {"0": "negative", "1": "positive"}'
MOST_LABELS = 10_000
TOKENS_ON_GPU = 16_384
ONNX_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""A model's inputs, and what the tokenizer calls them."""

log = logging.getLogger(__name__)


def find_model(name: str, place: str, failure: Failure, example: str = "hf:./my-model") -> Path:
    """The folder of a model: the path itself, else the hub's copy on this machine, else fetched."""
    path = expand_home(place)
    if is_folder(path):
        return path
    if is_file(path):
        raise failure(name, f"is a file; expected the folder that holds it, {path.parent}")
    if place.startswith((".", "/", "~")) or place.count("/") > 1 or not place:
        raise failure(name, f"is not there: no folder {path}")
    if find_spec("huggingface_hub") is None:
        raise MissingExtraError(f"what {name!r} needs, Hugging Face's hub,", "neural")
    from huggingface_hub import snapshot_download

    with contextlib.suppress(OSError, ValueError):
        cached = Path(snapshot_download(place, local_files_only=True))
        if find_onnx(cached) or any(cached.glob("*.safetensors")):
            return cached
    try:
        with no_hub_progress():
            # Fetch a model's own files one by one
            # snapshot_download would wait for ever for a hub that is there and says nothing.
            from huggingface_hub import HfApi, hf_hub_download

            found = HfApi().model_info(place, timeout=HUB_SECONDS)
            names = [file.rfilename for file in found.siblings or () if "/" not in file.rfilename]
            wanted = [each for each in names if each.endswith(FETCHED)]
            if "config.json" not in wanted:
                raise FileNotFoundError(f"{place} has no config.json on the hub")
            pickles = [each for each in names if each.endswith(".bin")]
            if pickles and not any(each.endswith(".safetensors") for each in wanted):
                raise failure(name, only_pickles(pickles))
            paths = [
                Path(hf_hub_download(place, each, etag_timeout=HUB_SECONDS)) for each in wanted
            ]
            if len({path.parent for path in paths}) > 1:
                raise FileNotFoundError(f"{place} changed while it was being fetched; try again")
            return paths[0].parent
    except TiltmeterError:
        raise
    except Exception as error:
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") else ""
        what = (
            f"is neither a folder here nor in the local Hugging Face cache, and the hub could not "
            f"be asked for it{offline}: {(str(error).splitlines() or [''])[0]}; pass a local path, "
            f"as in {example}"
        )
        raise failure(name, what) from error


def find_onnx(path: Path) -> Path | None:
    """The ONNX model of a folder, if it has one."""
    return next((path / place for place in ONNX_PLACES if (path / place).is_file()), None)


def no_safetensors(path: Path) -> str:
    """What to say of a folder without weights that can be opened safely."""
    pickles = [found.name for found in sorted(path.glob("*.bin"))]
    return (
        only_pickles(pickles) if pickles else f"has neither *.safetensors nor model.onnx in {path}"
    )


def only_pickles(names: list[str]) -> str:
    """What to say of a model whose weights are pickles."""
    return (
        f"has its weights in {', '.join(names[:3])}, a pickle, which can run any code when it is "
        "opened, so Tiltmeter does not; where you trust it, load it with Transformers and call "
        "model.save_pretrained(FOLDER), which writes safetensors"
    )


@contextlib.contextmanager
def no_hub_progress() -> Iterator[None]:
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


# ---------------------------------------------------------------- a model's folder


class Batch(NamedTuple):
    """What a model gave to some texts."""

    places: list[int]
    """Where these texts stand among those that were asked about."""
    outputs: NDArray[np.float32]
    """(texts, …)"""
    mask: NDArray[np.int64]
    """(texts, tokens): 1 for a token of the text, 0 for padding."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model's folder and its configuration."""

    name: str
    path: Path
    config: Mapping[str, Any]
    failure: Failure = field(repr=False)

    @property
    def labels(self) -> list[str]:
        """The labels of a classifier, in the order of its outputs."""
        named, count = self.config.get("id2label") or {}, self.config.get("num_labels", 2)
        if not isinstance(named, Mapping) or not all(map(str.isdecimal, named)):
            raise self.refusal(f"has an id2label in config.json that is {named!r:.80}; {NUMBERED}")
        if not isinstance(count, int) or not 0 < count <= MOST_LABELS:
            raise self.refusal(f"has num_labels {count!r:.80} in config.json; expected how many")
        if named:
            return [str(label) for _, label in sorted(named.items(), key=lambda pair: int(pair[0]))]
        return [f"LABEL_{at}" for at in range(count)]

    def refusal(self, what: str) -> Exception:
        """The error that says what is wrong with this model."""
        return self.failure(self.name, what)

    def longest(self, tokenizer_limit: int | None) -> int | None:
        """How many tokens a text may have: the least of what tokenizer and positions allow."""
        positions = self.config.get("max_position_embeddings")
        kind = str(self.config.get("model_type", ""))
        if isinstance(positions, int) and any(word in kind for word in OFFSET_POSITIONS):
            positions -= 2
        limits = [limit for limit in (tokenizer_limit, positions) if isinstance(limit, int)]
        return min((limit for limit in limits if 0 < limit < UNLIMITED), default=None)

    def digest(self, models: Sequence[Path]) -> str:
        """SHA-256 of the model's files, its configuration and its tokenizer."""
        found = {path for pattern in TOKENIZER_FILES for path in self.path.glob(pattern)}
        whole = hashlib.sha256()
        for path in sorted({*models, *found, self.path / "config.json"}):
            if path.is_file():
                whole.update(path.relative_to(self.path).as_posix().encode() + b"\0")
                whole.update(bytes.fromhex(file_digest(path)))
        return whole.hexdigest()


def read_model_folder(name: str, path: Path, failure: Failure) -> ModelFolder:
    """A model's folder with its config.json."""
    config = path / "config.json"
    try:
        found = json.loads(read_capped(config, LARGEST_TEXT))
    except FileNotFoundError:
        what = f"has no config.json in {path}; expected a folder as save_pretrained writes it"
        raise failure(name, what) from None
    except (OSError, ValueError, RecursionError) as error:
        raise failure(name, f"has a config.json that cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise failure(name, f"has a config.json that holds no settings: {config}")
    return ModelFolder(name, path, found, failure)


def like_lengths(
    lengths: Sequence[int], size: int = TEXTS_AT_ONCE, tokens: int = TOKENS_AT_ONCE
) -> Iterator[list[int]]:
    """Positions in batches of like length, longest first; a batch is at least one text.

    >>> list(like_lengths([3, 9, 4, 8], size=2))
    [[1, 3], [2, 0]]
    >>> list(like_lengths([3, 9, 4, 8], tokens=12))
    [[1], [3], [2, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
    start = 0
    while start < len(order):
        stop = start + max(1, min(size, tokens // max(1, lengths[order[start]])))
        yield order[start:stop]
        start = stop


# ---------------------------------------------------------------- Transformers


class TextModel:
    """A model in memory that answers texts in batches of like length."""

    def __init__(self, folder: ModelFolder, tokenizer: Any, limit: int | None) -> None:  # noqa: ANN401
        self.name, self.tokenizer, self.texts_at_once = folder.name, tokenizer, TEXTS_AT_ONCE
        self.longest, self.warned = folder.longest(limit), False

    def too_long(self, texts: Sequence[str], lengths: Iterable[int]) -> bool:
        """Whether a text must be cut; the first one is said once, in the log."""
        longest = self.longest or UNLIMITED
        cut = next((at for at, length in enumerate(lengths) if length > longest), None)
        if self.longest is None or cut is None:
            return False
        if not self.warned:
            first = texts[cut][:SHOWN_TEXT]
            log.warning("%r cut a text that is too long for it: %r…", self.name, first)
        self.warned = True
        return True


class Transformer(TextModel):
    """A tokenizer and a model of Transformers."""

    def __init__(self, folder: ModelFolder, tokenizer: Any, model: Any, output: str) -> None:  # noqa: ANN401
        super().__init__(folder, tokenizer, tokenizer.model_max_length)
        self.model, self.output = model, output
        if tokenizer.pad_token_id is None:  # nothing to fill a shorter text up with
            self.texts_at_once = 1

    def subwords(self, text: str) -> list[str]:
        """The pieces that a text is cut into, as the tokenizer writes them."""
        return list(self.tokenizer.tokenize(text))

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """The model's outputs, a batch at a time, longest texts first."""
        if not texts:
            return
        encoded = dict(self.tokenizer(list(texts), truncation=False, verbose=False))
        if self.too_long(texts, map(len, encoded["input_ids"])):
            encoded = dict(self.tokenizer(list(texts), truncation=True, max_length=self.longest))

        def outputs(places: list[int]) -> Batch:
            import torch

            rows = {key: [encoded[key][at] for at in places] for key in encoded}
            with torch.inference_mode():
                padded = self.tokenizer.pad(rows, return_tensors="pt").to(self.model.device)
                found = getattr(self.model(**padded), self.output).float().cpu().numpy()
                return Batch(places, found, padded["attention_mask"].cpu().numpy())

        device = self.model.device.type
        tokens = TOKENS_AT_ONCE if device == "cpu" else TOKENS_ON_GPU
        lengths = [len(ids) for ids in encoded["input_ids"]]
        yield from run_batches(
            outputs, list(like_lengths(lengths, self.texts_at_once, tokens)), device
        )


def load_transformer(
    folder: ModelFolder, auto: str, output: str, *, expected: str, unread: str = ""
) -> Transformer:
    """Load a model in float32, ready to answer: every weight trained, none made up.

    `auto` is the class of Transformers that opens it, `output` what is read of its answer;
    weights whose name holds `unread` do not change that, so they may be missing.
    """
    import torch
    import transformers

    safely = {"local_files_only": True, "trust_remote_code": False}
    try:
        with quiet_transformers():
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, **safely)
            model, info = getattr(transformers, auto).from_pretrained(
                folder.path, use_safetensors=True, output_loading_info=True, **safely
            )
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        what = f"cannot be loaded by Transformers: {type(error).__name__}: {first}"
        raise folder.refusal(what) from error
    missing = sorted(info.get("missing_keys", ()))
    if absent := [name for name in missing if not (unread and unread in name)]:
        what = (
            f"has no trained weights for {', '.join(absent[:4])}: Transformers would make them up "
            f"at random; expected {expected}"
        )
        raise folder.refusal(what)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return Transformer(folder, tokenizer, model.float().eval().to(device), output)


def run_batches(
    work: Callable[[list[int]], Batch], batches: Sequence[list[int]], device: str
) -> Iterator[Batch]:
    """Batches through a model, in order: on processors each core takes its own.

    PyTorch would put all cores on one batch, where each waits for the others at every layer: a
    little slower on a machine of one's own, and many times slower on one that others use too.
    """
    import torch

    cores = torch.get_num_threads()
    if device != "cpu" or cores == 1 or len(batches) == 1:
        yield from map(work, batches)
        return
    try:
        with ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield from pool.map(work, batches)
    finally:
        torch.set_num_threads(cores)


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep Transformers' bars, reports and advice off the user's terminal meanwhile."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with no_hub_progress():
            yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()


# ---------------------------------------------------------------- ONNX Runtime


class OnnxModel(TextModel):
    """A tokenizer and an ONNX session."""

    def __init__(self, folder: ModelFolder, model: Path, output: str) -> None:
        from tokenizers import Tokenizer

        path = folder.path / "tokenizer.json"
        if not path.is_file():
            what = f"has an ONNX model but no tokenizer.json in {folder.path}"
            raise folder.refusal(f"{what}; save its tokenizer there")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            raise folder.refusal(f"has an unreadable tokenizer.json: {error}") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        import onnxruntime

        known = ("CUDAExecutionProvider", "CPUExecutionProvider")
        there = [name for name in known if name in onnxruntime.get_available_providers()]
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(str(model), settings, providers=there)
        except Exception as error:
            what = f"cannot be loaded by ONNX Runtime: {(str(error).splitlines() or [''])[0]}"
            raise folder.refusal(what) from error
        self.inputs = {field.name: field.type for field in session.get_inputs()}
        if foreign := [name for name in self.inputs if name not in ONNX_INPUTS]:
            what = f"asks for {', '.join(foreign)}; expected a model of {', '.join(ONNX_INPUTS)}"
            raise folder.refusal(what)
        super().__init__(folder, tokenizer, None)
        outputs = [field.name for field in session.get_outputs()]
        self.session, self.output = session, output if output in outputs else outputs[0]
        self.padding = int(folder.config.get("pad_token_id") or 0)

    def subwords(self, text: str) -> list[str]:
        """The pieces that a text is cut into, as the tokenizer writes them."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).tokens)

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """The model's outputs, a batch at a time, longest texts first."""
        encoded = self.tokenizer.encode_batch(list(texts))
        if self.too_long(texts, (len(one.ids) for one in encoded)):
            self.tokenizer.enable_truncation(self.longest)
            encoded = self.tokenizer.encode_batch(list(texts))
            self.tokenizer.no_truncation()
        for places in like_lengths([len(one.ids) for one in encoded], self.texts_at_once):
            rows = [encoded[at] for at in places]
            fed = {
                name: _pad(
                    [getattr(row, ONNX_INPUTS[name]) for row in rows],
                    self.padding if name == "input_ids" else 0,
                    np.int32 if "int32" in kind else np.int64,
                )
                for name, kind in self.inputs.items()
            }
            mask = _pad([row.attention_mask for row in rows], 0, np.int64)
            yield Batch(places, self.session.run([self.output], fed)[0], mask)


def check_onnx(name: str) -> None:
    """Raise unless ONNX Runtime is installed."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise MissingExtraError(f"what {name!r} needs, ONNX Runtime,", "neural")


def _pad(rows: Sequence[Sequence[int]], fill: int, kind: type) -> NDArray[Any]:
    padded: NDArray[Any] = np.full((len(rows), max(len(row) for row in rows)), fill, dtype=kind)
    for to, values in zip(padded, rows, strict=True):
        to[: len(values)] = values
    return padded
