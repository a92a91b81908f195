"""A scikit-learn pipeline as a system: `sklearn:model.skops`, loaded without pickle."""

from __future__ import annotations

import hashlib
import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.files import check_archive
from tiltmeter.systems.labels import Worth, split_labels, worth
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SHOWN_TEXT, TASKS, Answer, Card, Pace, Scale, System

PICKLES = (".pkl", ".pickle", ".joblib")
BATCH = 1024


def pipeline(target: str, options: Options) -> System:
    """A pipeline saved with skops that takes texts."""
    name = f"sklearn:{target}"
    place, given = split_labels(name, target)
    path = _readable(name, Path(place))
    if find_spec("sklearn") is None or find_spec("skops") is None:
        raise MissingExtraError(f"what {name!r} needs, scikit-learn and skops,", "learn")
    estimator, notes = load_skops(name, path, options.trust)
    weights = hashlib.sha256(path.read_bytes()).hexdigest()
    pace = Pace(BATCH, "processes", one_by_one=False)
    reading = _read(name, estimator, options, given)
    return _system(name, reading, options, weights, notes, pace)


def from_estimator(
    estimator: object,
    name: str | None = None,
    options: Options | None = None,
    labels: Mapping[str, float] | None = None,
) -> System:
    """A fitted estimator in hand as a system, for use from Python; it stays in this process."""
    name, options = name or f"sklearn:{type(estimator).__name__}", options or Options()
    if find_spec("sklearn") is None:
        raise MissingExtraError(f"what {name!r} needs, scikit-learn,", "learn")
    import joblib

    try:
        weights = str(joblib.hash(estimator))
    except Exception:  # what cannot be hashed is new every time, so no stored score is reused
        weights = uuid.uuid4().hex
    reading = _read(name, estimator, options, labels or {})
    return _system(name, reading, options, weights, (), Pace(BATCH, one_by_one=False))


# ---------------------------------------------------------------- the file


def _readable(name: str, path: Path) -> Path:
    if path.suffix.lower() in PICKLES:
        what = (
            "is a pickle, which can run any code when it is opened, so Tiltmeter does not; where "
            "you trust it, convert it: python -c 'import joblib, skops.io; "
            f'skops.io.dump(joblib.load("{path}"), "{path.with_suffix(".skops")}")\''
        )
        raise SystemFailure(name, what)
    if not path.is_file():
        beside = ", ".join(found.name for found in sorted(path.parent.glob("*.skops"))[:8])
        where = f"{path.parent} holds {beside}" if beside else f"{path.parent} holds no .skops file"
        raise SystemFailure(name, f"is not there: no file {path}; {where}")
    return path


def load_skops(name: str, path: Path, trust: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """The estimator in a skops file, and what scikit-learn warned of while it was read."""
    import skops.io

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            check_archive(path)
            unknown = skops.io.get_untrusted_types(file=path)
            untrusted = [kind for kind in unknown if kind not in trust]
            if not untrusted:
                estimator = skops.io.load(path, trusted=unknown)
        except Exception as error:
            what = f"cannot be read as a skops file: {type(error).__name__}: {error}"
            raise SystemFailure(name, what) from error
    if untrusted:
        raise SystemFailure(name, _untrusted(untrusted))
    notes = dict.fromkeys(str(warning.message).splitlines()[0] for warning in warned)
    return estimator, tuple(notes)


def _untrusted(kinds: Sequence[str]) -> str:
    flags = " ".join(f"--trust {kind}" for kind in kinds)
    return (
        f"holds types that skops does not know: {', '.join(kinds)}; if you trust whoever made the "
        f"file, and these do what they should, add {flags}"
    )


# ---------------------------------------------------------------- what it answers


@dataclass(frozen=True, slots=True)
class Reading:
    """How an estimator's answers become scores, and the same in words."""

    answer: Callable[[list[str]], Sequence[Answer]]
    method: str
    words: str
    task: str
    scale: Scale | None = None


def _system(
    name: str, reading: Reading, options: Options, weights: str, notes: tuple[str, ...], pace: Pace
) -> System:
    import sklearn

    card = Card(
        name,
        reading.task,
        options.scale_of(name) or reading.scale,
        version=f"scikit-learn {sklearn.__version__}",
        settings={"reads": reading.method, "means": reading.words},
        weights=weights,
        notes=(reading.words, *notes),
    )
    return System(card, _guarded(name, reading.answer), pace)


def _read(name: str, estimator: Any, options: Options, given: Mapping[str, float]) -> Reading:  # noqa: ANN401
    from sklearn.base import is_classifier, is_regressor

    if not hasattr(estimator, "predict"):
        what = f"is a {type(estimator).__name__}; expected a fitted regressor or classifier"
        raise SystemFailure(name, what)
    if is_regressor(estimator):
        words, task = "the score is what the regressor predicts", options.task_among(name, TASKS)
        return Reading(lambda texts: _flat(estimator.predict(texts)), "predict", words, task)
    if not is_classifier(estimator):
        what = f"is a {type(estimator).__name__}; expected a fitted regressor or classifier"
        raise SystemFailure(name, what)
    labels = getattr(estimator, "classes_", None)
    if labels is None:
        raise SystemFailure(name, "has no classes: it is not fitted; fit it before saving it")
    value = worth(name, labels.tolist(), options, given, numbers_count=True)
    if hasattr(estimator, "predict_proba"):
        return _expected(estimator, value)
    if len(labels) == 2 and hasattr(estimator, "decision_function"):
        return _distance(estimator, value)
    return _predicted(estimator, value)


def _expected(estimator: Any, value: Worth) -> Reading:  # noqa: ANN401
    """Σ p(label) · value."""

    def answer(texts: list[str]) -> Sequence[Answer]:
        return _flat(estimator.predict_proba(texts) @ value.values)

    return Reading(answer, "predict_proba", str(value), value.task, value.scale)


def _distance(estimator: Any, value: Worth) -> Reading:  # noqa: ANN401
    """The distance from the boundary of a classifier that gives no probabilities."""
    side = 1.0 if value.values[1] > value.values[0] else -1.0
    high = value.labels[1 if side > 0 else 0]
    words = f"the score is the distance from the decision boundary, positive towards {high!r}"

    def answer(texts: list[str]) -> Sequence[Answer]:
        return _flat(side * estimator.decision_function(texts))

    return Reading(answer, "decision_function", words, value.task)


def _predicted(estimator: Any, value: Worth) -> Reading:  # noqa: ANN401
    """The value of the one label predicted, where there is neither probability nor distance."""
    values = dict(zip(value.labels, value.values, strict=True))
    said = ", ".join(f"{label} = {number:g}" for label, number in values.items())
    words = f"the score is the value of the predicted label: {said}".replace("-", "−")

    def answer(texts: list[str]) -> Sequence[Answer]:
        return [values[str(label)] for label in estimator.predict(texts).tolist()]

    return Reading(answer, "predict", words, value.task, value.scale)


def _flat(found: Any) -> list[Answer]:  # noqa: ANN401 - an array of whatever shape
    return list(found.ravel().tolist())


def _guarded(
    name: str, answer: Callable[[list[str]], Sequence[Answer]]
) -> Callable[[Sequence[str]], Sequence[Answer]]:
    """The same answers; what an estimator raises becomes a message that names it."""

    def guarded(texts: Sequence[str]) -> Sequence[Answer]:
        try:
            return answer(list(texts)) if texts else []
        except Exception as error:
            what = f"raised {type(error).__name__}: {error}; expected a pipeline that takes texts"
            raise SystemFailure(name, what, repr(texts[0][:SHOWN_TEXT])) from error

    return guarded
