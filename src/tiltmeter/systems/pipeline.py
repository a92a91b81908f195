"""A Transformers pipeline in hand as a system, for use from Python; it answers as it would itself.

For a model in a folder or on the hub see `huggingface`.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.labels import Worth, worth
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SHOWN_TEXT, TASKS, Answer, Card, Pace, System

CLASSIFIES = ("text-classification", "sentiment-analysis")
REMEMBERED = ("truncation", "padding")
TOGETHER = 32
"""Texts that go through the model at once."""


def from_pipeline(
    pipe: Any,  # noqa: ANN401 - Transformers' own
    name: str | None = None,
    options: Options | None = None,
    labels: Mapping[str, float] | None = None,
) -> System:
    """A text-classification pipeline as a system: Σ p(label) · value, or its one number."""
    import transformers

    options, config = options or Options(), pipe.model.config
    name = name or f"hf:{getattr(pipe.model, 'name_or_path', '') or type(pipe.model).__name__}"
    if pipe.task not in CLASSIFIES:
        what = f"is a pipeline for {pipe.task}; expected one for text-classification"
        raise SystemFailure(name, what)
    named = [str(label) for _, label in sorted(config.id2label.items(), key=_place)]
    plain = len(named) == 1 and not labels
    value = None if plain else worth(name, named, options, labels or {})
    task = value.task if value else options.task_among(name, TASKS)
    words = str(value) if value else "the score is the one number the pipeline gives"
    card = Card(
        name,
        task,
        options.scale_of(name) or (value.scale if value else None),
        version=f"transformers {transformers.__version__}",
        settings={"means": words},
        weights=_digest(pipe),
        notes=(words, "texts that are too long for the model are cut"),
    )
    return System(card, _answer(name, pipe, value), Pace(one_by_one=False))


def _place(labelled: tuple[object, object]) -> int:
    return int(str(labelled[0]))


def _answer(
    name: str,
    pipe: Any,  # noqa: ANN401
    value: Worth | None,
) -> Callable[[Sequence[str]], list[Answer]]:
    values = dict(zip(value.labels, value.values, strict=True)) if value else {}
    # Without a padding token there is nothing to fill a shorter text up with.
    together = 1 if getattr(pipe.tokenizer, "pad_token_id", None) is None else TOGETHER

    def answer(texts: Sequence[str]) -> list[Answer]:
        if not texts:
            return []
        try:
            found = pipe(list(texts), top_k=None, truncation=True, batch_size=together)
        except Exception as error:
            what = f"raised {type(error).__name__}: {error}"
            raise SystemFailure(name, what, repr(texts[0][:SHOWN_TEXT])) from error
        return [_score(given, values) for given in found]

    return answer


def _score(given: Sequence[Mapping[str, Any]], values: Mapping[str, float]) -> float:
    """Σ p(label) · value over all labels; the one number where there are no labels to weigh."""
    if not values:
        return float(given[0]["score"])
    return float(sum(each["score"] * values[each["label"]] for each in given))


def _digest(pipe: Any) -> str:  # noqa: ANN401
    """SHA-256 of weights, configuration and tokenizer; what cannot be read is new every time."""
    import torch

    whole = hashlib.sha256()
    try:
        for name, tensor in sorted(pipe.model.state_dict().items()):
            flat = tensor.detach().cpu().contiguous().reshape(-1)
            whole.update(name.encode() + b"\0" + flat.view(torch.uint8).numpy().tobytes())
        whole.update(pipe.model.config.to_json_string().encode())
        whole.update(_tokenizer(pipe.tokenizer).encode())
    except Exception:
        return uuid.uuid4().hex
    return whole.hexdigest()


def _tokenizer(tokenizer: Any) -> str:  # noqa: ANN401
    """All that a tokenizer is, without what it only remembers of its last call."""
    whole = json.loads(tokenizer.backend_tokenizer.to_str())
    return json.dumps({name: part for name, part in whole.items() if name not in REMEMBERED})
