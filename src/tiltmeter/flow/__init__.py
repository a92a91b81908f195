"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page.

Each name is imported when it is first used: `tiltmeter try` need not wait for every report's pages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltmeter.flow.asking import ScoreRun
    from tiltmeter.flow.assessing import skill
    from tiltmeter.flow.auditing import Audit, audit
    from tiltmeter.flow.embedding import Embeddings, assess_embeddings
    from tiltmeter.flow.forecasting import Forecast, forecast
    from tiltmeter.flow.grid import Grid, Watch, train_grid
    from tiltmeter.flow.grid_cells import Cell
    from tiltmeter.flow.rating import Ratings, rate, rated_sentences
    from tiltmeter.flow.reproducing import reproduce
    from tiltmeter.flow.runs import Run, score
    from tiltmeter.flow.stated import Skill
    from tiltmeter.flow.subjects import Spec, Specs
    from tiltmeter.flow.training import Trained, train
    from tiltmeter.flow.trying import Tried, try_sentence, variants

__all__ = [
    "Audit",
    "Cell",
    "Embeddings",
    "Forecast",
    "Grid",
    "Ratings",
    "Run",
    "ScoreRun",
    "Skill",
    "Spec",
    "Specs",
    "Trained",
    "Tried",
    "Watch",
    "assess_embeddings",
    "audit",
    "forecast",
    "rate",
    "rated_sentences",
    "reproduce",
    "score",
    "skill",
    "train",
    "train_grid",
    "try_sentence",
    "variants",
]

_HOMES = {
    "Audit": "auditing",
    "Cell": "grid_cells",
    "Embeddings": "embedding",
    "Forecast": "forecasting",
    "Grid": "grid",
    "Ratings": "rating",
    "Run": "runs",
    "ScoreRun": "asking",
    "Skill": "stated",
    "Spec": "subjects",
    "Specs": "subjects",
    "Trained": "training",
    "Tried": "trying",
    "Watch": "grid",
    "assess_embeddings": "embedding",
    "audit": "auditing",
    "forecast": "forecasting",
    "rate": "rating",
    "rated_sentences": "rating",
    "reproduce": "reproducing",
    "score": "runs",
    "skill": "assessing",
    "train": "training",
    "train_grid": "grid",
    "try_sentence": "trying",
    "variants": "trying",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltmeter.flow' has no attribute {name!r}")
    return getattr(import_module(f"tiltmeter.flow.{_HOMES[name]}"), name)
