"""A scikit-learn pipeline as a system: `sklearn:model.skops`, loaded without pickle."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tiltmeter.columns import TASKS
from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.files import check_archive, file_digest
from tiltmeter.systems.labels import label_values, split_labels
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SHOWN_TEXT, Answer, Card, Pace, Scale, System

PICKLES = (".pkl", ".pickle", ".joblib")
BATCH = 1024


def pipeline(target: str, options: Options) -> System:
    """A pipeline saved with skops that takes texts."""
    name = f"sklearn:{target}"
    place, given = split_labels(name, target)
    path = Path(place)
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
    if find_spec("sklearn") is None or find_spec("skops") is None:
        raise MissingExtraError(f"what {name!r} needs, scikit-learn and skops,", "learn")
    estimator, notes = load_skops(name, path, options.trust)
    weights = file_digest(path)
    pace = Pace(BATCH, "processes", one_by_one=False)
    return _system(name, estimator, options, given, weights=weights, pace=pace, notes=notes)


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
    pace = Pace(BATCH, one_by_one=False)
    return _system(name, estimator, options, labels or {}, weights=weights, pace=pace)


# ---------------------------------------------------------------- the file


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
        flags = " ".join(f"--trust {kind}" for kind in untrusted)
        what = (
            f"holds types that skops does not know: {', '.join(untrusted)}; if you trust whoever "
            f"made the file, and these do what they should, add {flags}"
        )
        raise SystemFailure(name, what)
    notes = dict.fromkeys(str(warning.message).splitlines()[0] for warning in warned)
    return estimator, tuple(notes)


# ---------------------------------------------------------------- what it answers


def _system(
    name: str,
    estimator: Any,  # noqa: ANN401
    options: Options,
    given: Mapping[str, float],
    *,
    weights: str,
    pace: Pace,
    notes: tuple[str, ...] = (),
) -> System:
    import sklearn

    method, words, task, scale, predict = _read_outputs(name, estimator, options, given)

    def answer(texts: Sequence[str]) -> Sequence[Answer]:
        try:
            return list(predict(list(texts)).ravel().tolist()) if texts else []
        except Exception as error:
            what = f"raised {type(error).__name__}: {error}; expected a pipeline that takes texts"
            raise SystemFailure(name, what, repr(texts[0][:SHOWN_TEXT])) from error

    card = Card(
        name,
        task,
        options.scale_of(name) or scale,
        version=f"scikit-learn {sklearn.__version__}",
        settings={"reads": method, "means": words},
        weights=weights,
        notes=(words, *notes),
    )
    return System(card, answer, pace)


def _read_outputs(
    name: str,
    estimator: Any,  # noqa: ANN401
    options: Options,
    given: Mapping[str, float],
) -> tuple[str, str, str, Scale | None, Callable[[list[str]], Any]]:
    """Which method is asked, what it means in words, the task, the scale, and texts to scores."""
    import numpy as np
    from sklearn.base import is_classifier, is_regressor

    if not hasattr(estimator, "predict") or not (
        is_regressor(estimator) or is_classifier(estimator)
    ):
        what = f"is a {type(estimator).__name__}; expected a fitted regressor or classifier"
        raise SystemFailure(name, what)
    if is_regressor(estimator):
        words, task = "the score is what the regressor predicts", options.task_among(name, TASKS)
        return "predict", words, task, None, estimator.predict
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise SystemFailure(name, "has no classes: it is not fitted; fit it before saving it")
    found = label_values(name, classes.tolist(), options, given, numbers_count=True)
    if hasattr(estimator, "predict_proba"):
        return (
            "predict_proba", str(found), found.task, found.scale,
            lambda texts: estimator.predict_proba(texts) @ found.values,
        )  # fmt: skip
    if len(classes) == 2 and hasattr(estimator, "decision_function"):
        side = 1.0 if found.values[1] > found.values[0] else -1.0
        high = found.labels[1 if side > 0 else 0]
        words = f"the score is the distance from the decision boundary, positive towards {high!r}"
        return (
            "decision_function", words, found.task, None,
            lambda texts: side * estimator.decision_function(texts),
        )  # fmt: skip
    values = dict(zip(found.labels, found.values, strict=True))
    listed = ", ".join(f"{label} = {number:g}" for label, number in values.items())
    words = f"the score is the value of the predicted label: {listed}".replace("-", "−")

    def predicted_value(texts: list[str]) -> Any:  # noqa: ANN401
        return np.array([values[str(label)] for label in estimator.predict(texts).tolist()])

    return "predict", words, found.task, found.scale, predicted_value
