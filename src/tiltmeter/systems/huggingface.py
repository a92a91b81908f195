"""Hugging Face classifiers and regressors of texts: `hf:PATH_OR_NAME`, or a pipeline in hand.

Weights come from safetensors only, and no code of the model's own is ever run. A folder with an
ONNX model and no safetensors goes to ONNX Runtime.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tiltmeter.columns import TASKS
from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.catalogue import LISTED
from tiltmeter.systems.labels import LabelValues, label_values, split_labels
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    SHOWN_TEXT,
    SIGNED,
    UNIT,
    VALENCE,
    Answer,
    Card,
    Missing,
    Pace,
    System,
)
from tiltmeter.vectors import (
    ModelFolder,
    OnnxModel,
    check_onnx,
    find_model,
    find_onnx,
    load_transformer,
    no_safetensors,
    read_model_folder,
)

if TYPE_CHECKING:
    import numpy as np

BATCH = 512
CLASSIFIER = "AutoModelForSequenceClassification"
EXPECTED = "a model fine-tuned for text classification or regression"


@dataclass(frozen=True, slots=True)
class OutputMeaning:
    """What a model's outputs mean: one plain number, or labels with their values."""

    labels: LabelValues | None
    task: str
    independent: bool = False
    """True where each label has a probability of its own and they need not sum to 1."""

    def __str__(self) -> str:
        return str(self.labels) if self.labels else "the score is the model's one output as it is"

    def scores(self, outputs: np.ndarray[Any, Any]) -> list[float]:
        """Scores from a model's outputs, shape (texts, labels): Σ p(label) · value."""
        import numpy as np

        if self.labels is None:
            return list(outputs[:, 0].astype(float).tolist())
        outputs = outputs.astype(np.float32)
        if self.independent:
            chances = 1 / (1 + np.exp(-outputs))
        else:
            chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
        return list((chances.astype(float) @ np.array(self.labels.values)).tolist())


def transformer(target: str, options: Options) -> System:
    """A model from a local folder, or by its name on the hub."""
    name = f"hf:{target}"
    place, given = split_labels(name, target)
    folder = read_model_folder(name, find_model(name, place, SystemFailure), SystemFailure)
    return _open_folder(folder, _read_meaning(folder, options, given), options)


def _read_meaning(
    folder: ModelFolder, options: Options, given: Mapping[str, float]
) -> OutputMeaning:
    """What the configuration says of the outputs."""
    labels, kind = folder.labels, folder.config.get("problem_type")
    if len(labels) == 1 and not given:
        return OutputMeaning(None, options.task_among(folder.name, TASKS))
    if kind == "regression":
        what = f"gives {len(labels)} numbers to a text ({', '.join(labels)}); expected one"
        raise SystemFailure(folder.name, what)
    found = label_values(folder.name, labels, options, given)
    independent = kind == "multi_label_classification"
    if independent and found.counted > 1:
        what = (
            f"gives each of its labels a probability of its own ({', '.join(labels)}); choose one "
            "with ?labels=, 1 for it and 0 for the others"
        )
        raise SystemFailure(folder.name, what)
    return OutputMeaning(found, found.task, independent)


def _open_folder(folder: ModelFolder, meaning: OutputMeaning, options: Options) -> System:
    """The model in a folder, with Transformers, or with ONNX Runtime where it must be."""
    safe = sorted(folder.path.glob("*.safetensors"))
    neural = find_spec("torch") and find_spec("transformers")
    onnx = find_onnx(folder.path)
    model: Any
    if onnx and not (safe and neural):
        check_onnx(folder.name)
        import onnxruntime

        model = OnnxModel(folder, onnx, "logits")
        version, weights = (
            f"onnxruntime {onnxruntime.__version__}",
            sorted(onnx.parent.glob("*.onnx*")),
        )
    elif not safe:
        raise SystemFailure(folder.name, no_safetensors(folder.path))
    elif not neural:
        raise MissingExtraError(f"what {folder.name!r} needs, PyTorch and Transformers,", "neural")
    else:
        import transformers

        model = load_transformer(folder, CLASSIFIER, "logits", expected=EXPECTED)
        version, weights = f"transformers {transformers.__version__}", safe
    labels = len(meaning.labels.labels) if meaning.labels else 1

    def answer(texts: Sequence[str]) -> list[Answer]:
        """Answers in the texts' own order from batches of like length."""
        answers: list[Answer] = [0.0] * len(texts)
        for batch in model.batches(texts):
            found, expected = batch.outputs.shape, (len(batch.places), labels)
            if found != expected:
                what = f"gives outputs of shape {found} to {expected[0]} texts"
                raise SystemFailure(folder.name, f"{what}; expected {labels} each")
            for at, score in zip(batch.places, meaning.scores(batch.outputs), strict=True):
                answers[at] = score
        return answers

    longest = model.longest
    cut = (f"texts past {longest:,} tokens are cut",) if longest else ()
    scale = meaning.labels.scale if meaning.labels else None
    card = Card(
        folder.name,
        meaning.task,
        options.scale_of(folder.name, scale),
        version=version,
        settings={"means": str(meaning), "longest": longest},
        weights=folder.digest(weights),
        notes=(str(meaning), *cut),
    )
    return System(card, answer, Pace(BATCH, one_by_one=False), subwords=model.subwords)


# ---------------------------------------------------------------- distilbert-sst2

DISTILBERT = "distilbert-sst2"
DISTILBERT_HUB = LISTED[DISTILBERT].weights
JUMP = "the score jumps from −0.5 to 0.5 at the boundary, which magnifies differences there"


def distilbert_sst2(target: str, options: Options) -> System:
    """The published model from the hub, or any classifier of two polarities from a folder.

    Rating 2023, §3.1: the answer is the likelier label's probability, negated for the negative one.

        s = p(positive)   where p(positive) ≥ p(negative)
            −p(negative)  else

    It is never between −0.5 and 0.5. Where two sentences lie on either side of the boundary, a
    hair's breadth of probability becomes the whole of that gap. `hf:PATH` gives p(positive) itself.
    """
    options.task_among(DISTILBERT, (VALENCE,))
    name = f"{DISTILBERT}:{target}" if target else DISTILBERT
    place, given = split_labels(name, target)
    example = f"{DISTILBERT}:PATH, a folder with the weights of {DISTILBERT_HUB}"
    path = find_model(name, place or DISTILBERT_HUB, SystemFailure, example)
    folder = read_model_folder(name, path, SystemFailure)
    meaning = _read_meaning(folder, options, given)
    labels = meaning.labels
    two = labels is not None and len(labels.labels) == 2
    if labels is None or not two or meaning.independent or meaning.task != VALENCE:
        what = f"has the labels {', '.join(folder.labels)}; expected two, negative and positive"
        raise SystemFailure(folder.name, f"{what}; for other models use hf:PATH")
    # The two labels are worth 0 and 1, so that the score is p(positive)
    highest = max(labels.values)
    values = tuple(float(value == highest) for value in labels.values)
    poles = replace(labels, values=values, scale=UNIT)
    system = _open_folder(folder, OutputMeaning(poles, VALENCE), options)

    def answer(texts: Sequence[str]) -> list[Answer]:
        """From p(positive) to the signed probability; p(negative) is the rest."""
        found = system.answer(texts)
        return [one if isinstance(one, Missing) or one >= 0.5 else one - 1 for one in found]

    high = poles.values.index(1.0)
    more, less = poles.labels[high], poles.labels[1 - high]
    means = f"the score is P({more}) where that label is at least as likely, else −P({less})"
    published = LISTED.get(name)  # languages and licence are known of the published model only
    card = replace(
        system.card,
        scale=options.scale_of(name, SIGNED),
        languages=published.languages if published else (),
        licence=published.licence if published else "",
        settings={**system.card.settings, "means": means},
        notes=(means, JUMP, *system.card.notes[1:]),
    )
    return replace(system, card=card, answer=answer)


# ---------------------------------------------------------------- a pipeline in hand

PIPELINE_TASKS = ("text-classification", "sentiment-analysis")
PIPELINE_BATCH = 32
"""Texts that go through the model at once."""


def from_pipeline(
    pipe: Any,  # noqa: ANN401 - Transformers' own
    name: str | None = None,
    options: Options | None = None,
    labels: Mapping[str, float] | None = None,
) -> System:
    """A text-classification pipeline as a system, which answers as it would itself.

    The score is Σ p(label) · value, or the one number that it gives.
    """
    import transformers

    options, config = options or Options(), pipe.model.config
    name = name or f"hf:{getattr(pipe.model, 'name_or_path', '') or type(pipe.model).__name__}"
    if pipe.task not in PIPELINE_TASKS:
        what = f"is a pipeline for {pipe.task}; expected one for text-classification"
        raise SystemFailure(name, what)
    named = [str(config.id2label[at]) for at in sorted(config.id2label, key=lambda at: int(at))]
    plain = len(named) == 1 and not labels
    found = None if plain else label_values(name, named, options, labels or {})
    values = dict(zip(found.labels, found.values, strict=True)) if found else {}
    # Without a padding token there is nothing to fill a shorter text up with.
    alone = getattr(pipe.tokenizer, "pad_token_id", None) is None

    def answer(texts: Sequence[str]) -> list[Answer]:
        if not texts:
            return []
        size = 1 if alone else PIPELINE_BATCH
        try:
            given = pipe(list(texts), top_k=None, truncation=True, batch_size=size)
        except Exception as error:
            what = f"raised {type(error).__name__}: {error}"
            raise SystemFailure(name, what, repr(texts[0][:SHOWN_TEXT])) from error
        if not values:
            return [float(one[0]["score"]) for one in given]
        return [float(sum(each["score"] * values[each["label"]] for each in one)) for one in given]

    words = str(found) if found else "the score is the one number the pipeline gives"
    card = Card(
        name,
        found.task if found else options.task_among(name, TASKS),
        options.scale_of(name, found.scale if found else None),
        version=f"transformers {transformers.__version__}",
        settings={"means": words},
        weights=_digest(pipe),
        notes=(words, "texts that are too long for the model are cut"),
    )
    return System(card, answer, Pace(one_by_one=False), subwords=pipe.tokenizer.tokenize)


def _digest(pipe: Any) -> str:  # noqa: ANN401
    """SHA-256 of weights, configuration and tokenizer; what cannot be read is new every time."""
    import torch

    whole = hashlib.sha256()
    try:
        for name, tensor in sorted(pipe.model.state_dict().items()):
            flat = tensor.detach().cpu().contiguous().reshape(-1)
            whole.update(name.encode() + b"\0" + flat.view(torch.uint8).numpy().tobytes())
        whole.update(pipe.model.config.to_json_string().encode())
        tokenizer = json.loads(pipe.tokenizer.backend_tokenizer.to_str())
        for remembered in ("truncation", "padding"):  # of the tokenizer's last call
            tokenizer.pop(remembered, None)
        whole.update(json.dumps(tokenizer).encode())
    except Exception:
        return uuid.uuid4().hex
    return whole.hexdigest()
