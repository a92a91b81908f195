"""Where a model's folder is: a path, the hub's copy on this machine, or fetched from the hub.

Shared by systems and encoders. Only safetensors are ever fetched, no pickle and no code.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.files import at_home, is_file, is_folder

Failure = Callable[[str, str], TiltmeterError]
"""Makes an error of a name and what is wrong: `SystemFailure` for a system."""
FETCHED = (".json", ".txt", ".model", ".safetensors")
SECONDS = 5.0
"""How long the hub has to answer whether it knows a name."""
ONNX_PLACES = ("model.onnx", "onnx/model.onnx")


def encoder_failure(name: str, what: str) -> TiltmeterError:
    """What to say of an encoder that cannot be opened or used.

    >>> str(encoder_failure("bert+", "is not there"))
    "the encoder 'bert+' is not there"
    """
    return TiltmeterError(f"the encoder {name!r} {what}")


def find_model(name: str, place: str, failure: Failure, example: str = "hf:./my-model") -> Path:
    """The folder of a model: the path itself, else the hub's copy on this machine, else fetched."""
    path = at_home(place)
    if is_folder(path):
        return path
    if is_file(path):
        raise failure(name, f"is a file; expected the folder that holds it, {path.parent}")
    if place.startswith((".", "/", "~")) or place.count("/") > 1 or not place:
        raise failure(name, f"is not there: no folder {path}")
    if find_spec("huggingface_hub") is None:
        raise MissingExtraError(f"what {name!r} needs, Hugging Face's hub,", "neural")
    return _from_hub(name, place, failure, example)


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


def _from_hub(name: str, place: str, failure: Failure, example: str) -> Path:
    from huggingface_hub import snapshot_download

    with contextlib.suppress(OSError, ValueError):
        cached = Path(snapshot_download(place, local_files_only=True))
        if find_onnx(cached) or any(cached.glob("*.safetensors")):
            return cached
    try:
        with without_bars():
            return _fetched(name, place, failure)
    except TiltmeterError:
        raise
    except Exception as error:
        _not_to_be_had(name, error, failure, example)


def _not_to_be_had(name: str, error: Exception, failure: Failure, example: str) -> NoReturn:
    offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") else ""
    what = (
        f"is neither a folder here nor in the local Hugging Face cache, and the hub could not "
        f"be asked for it{offline}: {(str(error).splitlines() or [''])[0]}; pass a local path, "
        f"as in {example}"
    )
    raise failure(name, what) from error


def _fetched(name: str, place: str, failure: Failure) -> Path:
    """Fetch a model's own files one by one."""
    # snapshot_download would wait for ever for a hub that is there and says nothing.
    from huggingface_hub import HfApi, hf_hub_download

    found = HfApi().model_info(place, timeout=SECONDS)
    names = [file.rfilename for file in found.siblings or () if "/" not in file.rfilename]
    wanted = [each for each in names if each.endswith(FETCHED)]
    if "config.json" not in wanted:
        raise FileNotFoundError(f"{place} has no config.json on the hub")
    pickles = [each for each in names if each.endswith(".bin")]
    if pickles and not any(each.endswith(".safetensors") for each in wanted):
        raise failure(name, only_pickles(pickles))
    paths = [Path(hf_hub_download(place, each, etag_timeout=SECONDS)) for each in wanted]
    if len({path.parent for path in paths}) > 1:
        raise FileNotFoundError(f"{place} changed while it was being fetched; try again")
    return paths[0].parent


@contextlib.contextmanager
def without_bars() -> Iterator[None]:
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
