"""A rating group: its sentences, their scores, and the causal diagram (backdoor criterion)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.causal import Array, Index

if TYPE_CHECKING:
    from networkx import DiGraph


# ---- the causal diagram of a rating group, and what must be adjusted for: the backdoor criterion
# Pearl (2009), §3.3: a set Z serves for the effect of X on Y if it holds no descendant of X and
# separates X from Y in the diagram without X's outgoing arrows. Z is found, not assumed.

WORD, SENTIMENT = "emotion word", "sentiment"
"""The two nodes of every diagram; the others are attributes of people, or what nobody recorded."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What to adjust for, or why adjusting cannot tell an effect."""

    of: str
    """The cause whose effect on sentiment is asked for."""
    strata: tuple[str, ...] = ()
    """Attributes whose classes are held fixed; none where nothing confounds."""
    reason: str = ""
    """Why the effect is not identifiable; empty where it is."""

    @property
    def identifiable(self) -> bool:
        """Whether some set of recorded attributes serves."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Diagram:
    """Arrows from causes to effects; nodes that nobody recorded are named."""

    edges: tuple[tuple[str, str], ...]
    unobserved: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every node, in the order the arrows name them."""
        return tuple(dict.fromkeys(node for edge in self.edges for node in edge))

    def adjustment(self, cause: str, recorded: Iterable[str]) -> Adjustment:
        """The smallest set of recorded attributes that shuts every backdoor path to sentiment.

        >>> confounded = (("gender", WORD), ("gender", SENTIMENT), (WORD, SENTIMENT))
        >>> Diagram(confounded).adjustment(WORD, ["gender"])
        Adjustment(of='emotion word', strata=('gender',), reason='')
        >>> hidden = (("mood", WORD), ("mood", SENTIMENT), (WORD, SENTIMENT))
        >>> Diagram(hidden, ("mood",)).adjustment(WORD, ["gender"]).reason
        'not identifiable: mood was not recorded, and emotion word ← mood → sentiment stays open'
        """
        import networkx as nx

        graph = self._graph()
        if cause not in graph or SENTIMENT not in graph:
            return Adjustment(cause)
        below = nx.descendants(graph, cause)
        without = graph.copy()
        without.remove_edges_from(list(graph.out_edges(cause)))
        known = [node for node in recorded if node in graph and node not in self.unobserved]
        may = {node for node in known if node not in below and node != cause}
        found = nx.find_minimal_d_separator(without, {cause}, {SENTIMENT}, restricted=may)
        if found is None:
            return Adjustment(cause, reason=_why_not(without, cause, set(known), may))
        return Adjustment(cause, tuple(node for node in known if node in found))

    def causes(self, first: str, second: str) -> bool:
        """Whether a way of arrows leads from one node to another."""
        import networkx as nx

        graph = self._graph()
        return first in graph and second in graph and nx.has_path(graph, first, second)

    def _graph(self) -> DiGraph[str]:
        import networkx as nx

        graph: DiGraph[str] = nx.DiGraph(self.edges)
        if not nx.is_directed_acyclic_graph(graph):
            ring = [edge[0] for edge in nx.find_cycle(graph)]
            way = " → ".join([*ring, ring[0]])
            raise TiltmeterError(
                f"the causal diagram runs in a circle: {way}; leave out one of its arrows"
            )
        return graph


def _why_not(graph: Any, cause: str, known: set[str], may: set[str]) -> str:  # noqa: ANN401
    """A backdoor path that stays open with everything held fixed that could be."""
    import networkx as nx

    held = may & (nx.ancestors(graph, cause) | nx.ancestors(graph, SENTIMENT))
    way = _open_path(graph, cause, held)
    met = [here for before, here, after in _met(graph, way) if before and after]
    hidden = [node for node in way[1:-1] if node not in known and node not in met]
    lacking = ", ".join(hidden) + (" was" if len(hidden) == 1 else " were")
    found = f"{lacking} not recorded, and " if hidden else ""
    fixed = f" with {', '.join(sorted(held))} held fixed" if met else ""
    return f"not identifiable: {found}{_drawn(graph, way)} stays open{fixed}"


def _open_path(graph: Any, cause: str, held: set[str]) -> Sequence[str]:  # noqa: ANN401
    """The shortest path between cause and sentiment that is open with some nodes held fixed."""
    import networkx as nx

    above = held.union(*(nx.ancestors(graph, node) for node in held))
    for longest in range(1, len(graph)):
        for way in nx.all_simple_paths(graph.to_undirected(), cause, SENTIMENT, cutoff=longest):
            if all(
                here in above if before and after else here not in held
                for before, here, after in _met(graph, way)
            ):
                return list(way)
    return [cause, SENTIMENT]


def _met(graph: Any, way: Sequence[str]) -> Iterator[tuple[bool, str, bool]]:  # noqa: ANN401
    """Every node within a path, and whether the arrows before and after it point at it."""
    for before, here, after in zip(way, way[1:], way[2:], strict=False):
        yield graph.has_edge(before, here), here, graph.has_edge(after, here)


def _drawn(graph: Any, way: Sequence[str]) -> str:  # noqa: ANN401
    said = way[0]
    for here, there in pairwise(way):
        said += f" → {there}" if graph.has_edge(here, there) else f" ← {there}"
    return said


# ---- a rating group: sentences that its datasets are drawn from, their scores, and the diagram


NOT_SAID = "NA"
"""The class of people of whom the attribute is not said."""
ENOUGH_PEOPLE = 5
"""People of a class from which resampling or dealing them tells something."""
POLARITIES = ("negative", "positive")


@dataclass(frozen=True, eq=False, slots=True)
class RatingDataset:
    """Which of a group's sentences are in a dataset: row 0, and drawn anew in the rows after it."""

    name: str
    words: str
    rows: Index
    """(draws, sentences): numbers of sentences. One draw where nothing is assigned at random."""


@dataclass(frozen=True, eq=False)
class RatingGroup:
    """Datasets that share one causal diagram."""

    name: str
    axes: tuple[str, ...]
    """The attributes of people, in the order in which composite classes name them."""
    diagram: Diagram
    sentences: pl.DataFrame
    """Sentences a dataset may hold: the axes, emotion_word, polarity; person, template if known."""
    scores: Array
    """(submissions, sentences) on −1..1; NaN where there is no answer."""
    datasets: tuple[RatingDataset, ...]
    scales: tuple[tuple[float, float], ...] = ()
    """The ends of each submission's own scale; −1..1 where none is given."""

    @property
    def size(self) -> int:
        """How many sentences there are for a system: the most, where each has its own rows."""
        return self._many(np.arange(self.sentences.height))

    def size_of(self, dataset: RatingDataset, among: NDArray[np.bool_] | None = None) -> int:
        """How many sentences a dataset has for a system, of all or of some."""
        return self._many(
            dataset.rows[0] if among is None else dataset.rows[0][among[dataset.rows[0]]]
        )

    def _many(self, rows: Index) -> int:
        """How many sentences some rows of `sentences` are for a system."""
        return rows.size

    def of_scores(self, by_submission: NDArray[Any]) -> NDArray[Any]:
        """A number for each submission, laid beside its scores."""
        return by_submission[:, np.newaxis]

    def every(self, there: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(submissions,): what is true of all scores of each, of a mark for every score."""
        return np.asarray(there.all(axis=1))

    def answered(self, submission: int) -> bool:
        """Whether a submission answered any sentence."""
        return not self.every(np.isnan(self.scores))[submission]

    def own_scores(self, scores: Array) -> Array:
        """Scores on −1..1, laid out as `self.scores`, as they were on the submissions' scales."""
        if not self.scales:
            return scores
        low, high = (self.of_scores(end) for end in np.array(self.scales, dtype=np.float64).T)
        own: Array = low + (scores + 1) / 2 * (high - low)
        return own

    @cached_property
    def adjustment(self) -> Adjustment:
        """What to adjust for to tell the effect of emotion words."""
        return self.diagram.adjustment(WORD, self.axes)

    @property
    def confounded(self) -> bool:
        """Whether who is spoken of has to do with which words are said."""
        return bool(self.adjustment.strata) or not self.adjustment.identifiable

    @cached_property
    def polarity(self) -> Index:
        """0 for a sentence with a negative word, 1 for one with a positive word."""
        return self.sentences["polarity"].replace_strict(POLARITIES, (0, 1)).to_numpy()

    def fewest_people(self, axes: Sequence[str]) -> int:
        """How many people the smallest class of some attributes has; 0 where nobody is told."""
        return self.fewest_in(self.classes(axes)[1])

    def fewest_in(self, place: Index) -> int:
        """The same of classes by number, −1 for sentences of none."""
        if "person" not in self.sentences.columns:
            return 0
        people = strata_of(self, ("person",))
        there = np.unique(place[place >= 0])
        return min((np.unique(people[place == one]).size for one in there), default=0)

    def classes(self, axes: Sequence[str]) -> tuple[list[str], Index]:
        """The classes of some attributes taken together, and which one each sentence is in.

        In the order of appearance, people of whom nothing is said last.
        """
        return classes_of(self.sentences, axes)


def classes_of(sentences: pl.DataFrame, axes: Sequence[str]) -> tuple[list[str], Index]:
    """Composite classes: `European American male`; NA where none of the attributes is said.

    >>> table = pl.DataFrame({"race": ["Arab", None, "Anglo"], "gender": ["female", None, "male"]})
    >>> classes_of(table, ["race", "gender"])
    (['Arab female', 'Anglo male', 'NA'], array([0, 2, 1]))
    """
    if not axes:
        return [""], np.zeros(sentences.height, np.int64)
    said = pl.concat_str([pl.col(axis).fill_null(NOT_SAID) for axis in axes], separator=" ")
    nobody = pl.all_horizontal(pl.col(list(axes)).is_null())
    names = sentences.select(pl.when(nobody).then(pl.lit(NOT_SAID)).otherwise(said).alias("class"))
    present = names["class"].unique(maintain_order=True).to_list()
    ordered = sorted(present, key=lambda name: name == NOT_SAID)
    place = names["class"].replace_strict(ordered, range(len(ordered)), return_dtype=pl.Int64)
    return ordered, place.to_numpy()


def strata_of(group: RatingGroup, columns: Sequence[str]) -> Index:
    """Which sentences share the values of some columns: a number each."""
    if not columns:
        return np.zeros(group.sentences.height, np.int64)
    alike = pl.struct(*columns).rank("dense").cast(pl.Int64) - 1
    return group.sentences.select(alike).to_series().to_numpy()


def resampled_within(group: RatingGroup, *within: str) -> Index:
    """Among which sentences single ones are resampled: of a class; of a word where all are said.

    `within` names further columns whose values are kept apart.
    """
    words = () if group.confounded else ("emotion_word",)
    return strata_of(group, (*group.axes, *words, *within))


def dealt_within(group: RatingGroup, *within: str) -> Index:
    """Among which sentences classes are dealt: of a template, if told, with a word or polarity.

    Scores that go by template and word alone then stand apart by no chance.
    """
    template = ("template",) if "template" in group.sentences.columns else ()
    word = "polarity" if group.confounded else "emotion_word"
    return strata_of(group, (*template, word, *within))


def places(numbers: Index) -> Iterator[tuple[int, Index]]:
    """Each number that occurs, in order, and where.

    >>> [(number, here.tolist()) for number, here in places(np.array([7, 2, 7]))]
    [(2, [1]), (7, [0, 2])]
    """
    order = np.argsort(numbers, kind="stable")
    found, starts = np.unique(numbers[order], return_index=True)
    parts = np.split(order, starts[1:])
    yield from zip(found.tolist(), parts if found.size else (), strict=True)
