"""A Transformers model that takes texts in batches of like length.

Only safetensors are opened, and no code of the model's own is ever run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tiltmeter.vectors.hub import without_bars
from tiltmeter.vectors.model_folder import TOGETHER, TOKENS, Batch, Cuts, Folder, alike

TOKENS_ON_GPU = 16_384


class Transformer:
    """A tokenizer and a model that answer texts in batches of like length."""

    def __init__(self, folder: Folder, tokenizer: Any, model: Any, output: str) -> None:  # noqa: ANN401
        self.tokenizer, self.model, self.output = tokenizer, model, output
        self.longest = folder.longest(tokenizer.model_max_length)
        self.cuts = Cuts(folder.name)
        # Without a padding token there is nothing to fill a shorter text up with.
        self.together = TOGETHER if tokenizer.pad_token_id is not None else 1

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """The model's outputs, a batch at a time, longest texts first."""
        if not texts:
            return
        encoded = self._encoded(list(texts))
        lengths = [len(ids) for ids in encoded["input_ids"]]

        def outputs(places: list[int]) -> Batch:
            rows = {key: [encoded[key][at] for at in places] for key in encoded}
            return self._outputs(places, rows)

        device = self.model.device.type
        tokens = TOKENS if device == "cpu" else TOKENS_ON_GPU
        yield from side_by_side(outputs, list(alike(lengths, self.together, tokens)), device)

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

    def _outputs(self, places: list[int], rows: dict[str, list[list[int]]]) -> Batch:
        import torch

        with torch.inference_mode():
            padded = self.tokenizer.pad(rows, return_tensors="pt").to(self.model.device)
            outputs = getattr(self.model(**padded), self.output).float().cpu().numpy()
            return Batch(places, outputs, padded["attention_mask"].cpu().numpy())


def load_transformer(
    folder: Folder, auto: str, output: str, *, expected: str, unread: str = ""
) -> Transformer:
    """Load a model in float32, ready to answer: every weight trained, none made up.

    `auto` is the class of Transformers that opens it, `output` what is read of its answer;
    weights whose name holds `unread` do not change that, so they may be missing.
    """
    import torch

    with quiet():
        tokenizer, model, absent = _loaded(folder, auto)
    absent = [name for name in absent if not (unread and unread in name)]
    if absent:
        what = (
            f"has no trained weights for {', '.join(absent[:4])}: Transformers would make them up "
            f"at random; expected {expected}"
        )
        raise folder.refusal(what)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return Transformer(folder, tokenizer, model.float().eval().to(device), output)


def _loaded(folder: Folder, auto: str) -> tuple[Any, Any, list[str]]:
    """The tokenizer, the model, and the names of the weights its files lack."""
    import transformers

    safely = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, **safely)
        model, info = getattr(transformers, auto).from_pretrained(
            folder.path, use_safetensors=True, output_loading_info=True, **safely
        )
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        what = f"cannot be loaded by Transformers: {type(error).__name__}: {first}"
        raise folder.refusal(what) from error
    return tokenizer, model, sorted(info.get("missing_keys", ()))


def side_by_side(
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
def quiet() -> Iterator[None]:
    """Keep Transformers' bars, reports and advice off the user's terminal meanwhile."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with without_bars():
            yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()
