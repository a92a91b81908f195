"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page."""

from tiltmeter.flow.asking import Forecast, ScoreRun, forecast, score
from tiltmeter.flow.assessing import skill
from tiltmeter.flow.auditing import Audit, audit
from tiltmeter.flow.embedding import Embeddings, assess_embeddings
from tiltmeter.flow.grid import Grid, Watch, train_grid
from tiltmeter.flow.grid_cells import Cell
from tiltmeter.flow.rating import Ratings, rate, rated_sentences
from tiltmeter.flow.reproducing import reproduce
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
