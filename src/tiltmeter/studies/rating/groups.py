"""A rating group: causal diagram, sentences, scores, datasets, and the columns that it gives.

What a column must be adjusted for follows from the diagram by the backdoor criterion (Pearl 2009,
§3.3): a set Z serves for the effect of X on Y if it holds no descendant of X and separates X from Y
in the diagram without X's outgoing arrows. Z is found, not assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.causal import Array, Index

if TYPE_CHECKING:
    from networkx import DiGraph

WORD, SENTIMENT = "emotion word", "sentiment"
"""The two nodes of every diagram; the others are attributes of people, or what nobody recorded."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What to adjust for, or why no adjustment identifies the effect."""

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
        backdoor = graph.copy()
        backdoor.remove_edges_from(list(graph.out_edges(cause)))
        known = [node for node in recorded if node in graph and node not in self.unobserved]
        allowed = {node for node in known if node not in below and node != cause}
        found = nx.find_minimal_d_separator(backdoor, {cause}, {SENTIMENT}, restricted=allowed)
        if found is None:
            return Adjustment(cause, reason=_why_not(backdoor, cause, set(known), allowed))
        return Adjustment(cause, tuple(node for node in known if node in found))

    def causes(self, first: str, second: str) -> bool:
        """Whether a path of arrows leads from one node to another."""
        import networkx as nx

        graph = self._graph()
        return first in graph and second in graph and nx.has_path(graph, first, second)

    def _graph(self) -> DiGraph[str]:
        import networkx as nx

        graph: DiGraph[str] = nx.DiGraph(self.edges)
        if not nx.is_directed_acyclic_graph(graph):
            ring = [edge[0] for edge in nx.find_cycle(graph)]
            raise TiltmeterError(
                f"the causal diagram runs in a circle: {' → '.join([*ring, ring[0]])}; "
                "leave out one of its arrows"
            )
        return graph


def _why_not(graph: Any, cause: str, known: set[str], allowed: set[str]) -> str:  # noqa: ANN401
    """The shortest backdoor path that stays open with everything held fixed that could be."""
    import networkx as nx

    held = allowed & (nx.ancestors(graph, cause) | nx.ancestors(graph, SENTIMENT))
    above = held.union(*(nx.ancestors(graph, node) for node in held))

    def inner_nodes(path: Sequence[str]) -> Iterator[tuple[str, bool]]:
        """Every node within a path, and whether the arrows on both sides point at it."""
        for before, here, after in zip(path, path[1:], path[2:], strict=False):
            yield here, graph.has_edge(before, here) and graph.has_edge(after, here)

    path = next(
        (
            path
            for longest in range(1, len(graph))
            for path in nx.all_simple_paths(graph.to_undirected(), cause, SENTIMENT, longest)
            if all(
                node in above if collider else node not in held
                for node, collider in inner_nodes(path)
            )
        ),
        [cause, SENTIMENT],
    )
    colliders = [node for node, collider in inner_nodes(path) if collider]
    hidden = [node for node in path[1:-1] if node not in known and node not in colliders]
    lacking = ", ".join(hidden) + (" was" if len(hidden) == 1 else " were")
    found = f"{lacking} not recorded, and " if hidden else ""
    fixed = f" with {', '.join(sorted(held))} held fixed" if colliders else ""
    drawn = path[0] + "".join(
        f" → {there}" if graph.has_edge(here, there) else f" ← {there}"
        for here, there in pairwise(path)
    )
    return f"not identifiable: {found}{drawn} stays open{fixed}"


NOT_SAID = "NA"
"""The class of people of whom the attribute is not said."""
GENDER = "gender"
"""The attribute of which NA, people of whom it is not said, is a class like others."""
ENOUGH_PEOPLE = 5
"""People of a class from which resampling or permuting them tells something."""
POLARITIES = ("negative", "positive")


class Measure(StrEnum):
    """What a column's raw score is: rejections, impact of an adjustment, or change of an effect."""

    WRS = "wrs"
    DIE = "die"
    ATE = "ate"


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

    def count_sentences(self, rows: Index | None = None) -> int:
        """How many sentences some rows are for a system, or all; the most, where systems differ."""
        return self.sentences.height if rows is None else rows.size

    def by_score(self, by_submission: NDArray[Any]) -> NDArray[Any]:
        """A number for each submission, in the shape of its scores."""
        return by_submission[:, np.newaxis]

    def all_by_submission(self, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(submissions,): whether a mark is set on all scores of each."""
        return np.asarray(marks.all(axis=1))

    def own_scores(self) -> Array:
        """The scores as they were on the submissions' own scales."""
        if not self.scales:
            return self.scores
        low, high = (self.by_score(end) for end in np.array(self.scales, dtype=np.float64).T)
        own: Array = low + (self.scores + 1) / 2 * (high - low)
        return own

    @cached_property
    def adjustment(self) -> Adjustment:
        """What to adjust for to identify the effect of emotion words."""
        return self.diagram.adjustment(WORD, self.axes)

    @property
    def confounded(self) -> bool:
        """Whether who is spoken of has to do with which words are said."""
        return bool(self.adjustment.strata) or not self.adjustment.identifiable

    @cached_property
    def polarity(self) -> Index:
        """0 for a sentence with a negative word, 1 for one with a positive word."""
        return self.sentences["polarity"].replace_strict(POLARITIES, (0, 1)).to_numpy()

    def classes(self, axes: Sequence[str]) -> tuple[list[str], Index]:
        """The classes of some attributes taken together, and which one each sentence is in."""
        return classes_of(self.sentences, axes)

    def strata(self, columns: Sequence[str]) -> Index:
        """Which sentences share the values of some columns: a number each."""
        if not columns:
            return np.zeros(self.sentences.height, np.int64)
        alike = pl.struct(*columns).rank("dense").cast(pl.Int64) - 1
        return self.sentences.select(alike).to_series().to_numpy()

    def resampling_strata(self, *more: str) -> Index:
        """Among which sentences single ones are resampled: of a class; of a word if all are said.

        `more` names further columns whose values are kept apart.
        """
        words = () if self.confounded else ("emotion_word",)
        return self.strata((*self.axes, *words, *more))

    def permutation_strata(self, *more: str) -> Index:
        """Among which sentences classes are permuted: of a template, if known, with a word.

        With a polarity where words are assigned. Scores that go by template and word alone then
        differ between classes by no chance.
        """
        template = ("template",) if "template" in self.sentences.columns else ()
        word = "polarity" if self.confounded else "emotion_word"
        return self.strata((*template, word, *more))

    def fewest_people(self, place: Index) -> int:
        """How many people the smallest class has, by class number, −1 for none; 0 if unnamed."""
        if "person" not in self.sentences.columns:
            return 0
        people = self.strata(("person",))
        there = np.unique(place[place >= 0])
        return min((np.unique(people[place == one]).size for one in there), default=0)


def classes_of(sentences: pl.DataFrame, axes: Sequence[str]) -> tuple[list[str], Index]:
    """Composite classes in the order of appearance; NA, where no attribute is said, comes last.

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


def positions(numbers: Index) -> Iterator[tuple[int, Index]]:
    """Each number that occurs, in order, and where.

    >>> [(number, here.tolist()) for number, here in positions(np.array([7, 2, 7]))]
    [(2, [1]), (7, [0, 2])]
    """
    order = np.argsort(numbers, kind="stable")
    found, starts = np.unique(numbers[order], return_index=True)
    parts = np.split(order, starts[1:])
    yield from zip(found.tolist(), parts if found.size else (), strict=True)


@dataclass(frozen=True, eq=False)
class RatingColumn:
    """A column of the rating table: G1, or G3-R where a group has several attributes."""

    name: str
    group: RatingGroup
    axes: tuple[str, ...]
    """The attribute whose classes are compared; several: their combinations."""
    measure: Measure
    adjustment: Adjustment
    without_na: bool = False
    """Whether people of whom the attribute is not said are left out of the comparison."""

    @property
    def attribute(self) -> str:
        """The attribute in words: gender, race × gender."""
        return " × ".join(self.axes)

    @cached_property
    def classes(self) -> tuple[list[str], Index]:
        """The classes that scores are summed over, and which of them each sentence is in.

        Those compared, or held fixed where words are assigned. −1 for a sentence left out.
        """
        axes = self.axes if self.measure == Measure.WRS else self.adjustment.strata
        names, place = self.group.classes(axes)
        if not self.without_na or NOT_SAID not in names:
            return names, place
        return names[:-1], np.where(place == len(names) - 1, -1, place)  # NA is the last

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Which sentences the column is about."""
        return self.classes[1] >= 0

    @cached_property
    def kinds(self) -> tuple[int, Index]:
        """What else: strata held fixed, or the two polarities; how many, and which each is of."""
        if self.measure != Measure.WRS:
            return 2, self.group.polarity
        strata, stratum = self.group.classes(self.adjustment.strata)
        return len(strata), stratum

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two classes that can be compared: some stratum held fixed has people of both."""
        names, place = self.classes
        many, stratum = self.kinds
        there = np.zeros((len(names), many), dtype=bool)
        there[place[self.compared], stratum[self.compared]] = True
        both = combinations(range(len(names)), 2)
        return [(one, two) for one, two in both if (there[one] & there[two]).any()]

    @property
    def about_na(self) -> str:
        """What is compared with people of whom the attribute is not said, in plain words.

        Empty where the column is about all attributes or nobody's is unsaid.
        """
        names, place = self.group.classes(self.axes)
        others = tuple(axis for axis in self.group.axes if axis not in self.axes)
        if self.measure != Measure.WRS or not others or NOT_SAID not in names:
            return ""
        own, other = self.attribute, " and ".join(others)
        unsaid = self.group.sentences.filter(pl.Series(place == len(names) - 1))
        neither = all(unsaid[axis].null_count() == unsaid.height for axis in others)
        called = f"{own} ({self.name})"

        def beside(axes: tuple[str, ...]) -> str:
            return f"{' and '.join(axes)} ({short_name(self.group.name, axes, self.group.axes)})"

        if self.without_na:
            why = f": of NA, people of whom no {own} is said, no {other} is said either"
            said = f"{called} compares {' and '.join(self.classes[0])} only{why if neither else ''}"
            also = f" and {beside((GENDER,))}" if GENDER in others else ""
            return f"{said}; they are left to {beside(self.group.axes)}{also}"
        if not neither:
            return ""
        said = f"{called} also compares with NA, people of whom no {own} and no {other} is said"
        return f"{said}: a system that goes by {other} alone gets a raw score there too"

    @property
    def sentence(self) -> str:
        """What is adjusted for, in plain words, and the plain backdoor that it shuts."""
        if not self.adjustment.identifiable:
            return self.adjustment.reason
        of, diagram = self.adjustment.of, self.group.diagram
        cause = " and ".join(self.axes) if self.measure == Measure.WRS else f"the {of}"
        held = " and ".join(self.adjustment.strata)
        if not held:
            return f"nothing confounds the effect of {cause} on sentiment: no adjustment is needed"
        behind = [
            axis
            for axis in self.adjustment.strata
            if diagram.causes(axis, of) and diagram.causes(axis, SENTIMENT)
        ]
        path = f": {of} ← {', '.join(behind)} → {SENTIMENT}" if behind else ""
        return f"the effect of {cause} on sentiment is told with {held} held fixed{path}"

    @property
    def row(self) -> dict[str, Any]:
        """What the column is of, as the study's table of columns says it."""
        group, sizes, sets = self.group, [], []
        for dataset in group.datasets:
            rows = dataset.rows[0]
            sizes.append(group.count_sentences(rows[self.compared[rows]]))
            drawn = np.zeros(group.sentences.height, dtype=bool)
            drawn[dataset.rows] = True
            words = group.sentences["emotion_word"].filter(pl.Series(drawn)).unique().sort()
            sets.append(f"{dataset.words}: {', '.join(words)}")
        return {
            "column": self.name,
            "group": group.name,
            "attribute": self.attribute,
            "measure": self.measure,
            "adjustment": ", ".join(self.adjustment.strata),
            "identifiable": self.adjustment.identifiable,
            "sentence": self.sentence,
            "edges": [f"{cause} -> {effect}" for cause, effect in group.diagram.edges],
            "unobserved": list(group.diagram.unobserved),
            "sentences": sum(sizes),
            "datasets": [dataset.name for dataset in group.datasets],
            "sets": sets,
            "about_na": self.about_na,
        }


def columns_of(group: RatingGroup, raw: str, *, published: bool = False) -> list[RatingColumn]:
    """The columns a group gives: one where words are assigned, else one an attribute and all.

    Beside gender, people of whom nothing is said are no class of another attribute: a race held
    against them is women and men held against people without a gender, and a system that goes by
    gender alone would be found to go by race. As published they are one.
    """
    if group.confounded:
        name = short_name(group.name, (), group.axes)
        return [RatingColumn(name, group, group.axes, Measure(raw), group.adjustment)]
    several: list[tuple[str, ...]] = [(axis,) for axis in group.axes]
    if len(group.axes) > 1:
        several.append(group.axes)
    columns = []
    for axes in several:
        found = [group.diagram.adjustment(axis, group.axes) for axis in axes]
        strata = (axis for one in found for axis in one.strata if axis not in axes)
        # of several attributes together what each must be adjusted for, if all can be
        together = Adjustment(" and ".join(axes), tuple(dict.fromkeys(strata)))
        adjustment = next((one for one in found if not one.identifiable), together)
        alone = len(several) > 1 and len(axes) == 1 and axes != (GENDER,)
        name = short_name(group.name, axes, group.axes)
        columns.append(
            RatingColumn(name, group, axes, Measure.WRS, adjustment, alone and not published)
        )
    return columns


def short_name(group: str, axes: tuple[str, ...], every: tuple[str, ...]) -> str:
    """G1; G3-R, G3-G and G3-RG where there are several attributes; a user's group by its name.

    >>> short_name("3", ("race",), ("race", "gender")), short_name("mine", ("age",), ("age", "sex"))
    ('G3-R', 'mine-A')
    """
    called = f"G{group}" if group.isdigit() else group
    if not axes or len(every) == 1:
        return called
    initials = {axis: axis[:1].upper() for axis in every}
    if len(set(initials.values())) < len(every):
        return f"{called}-{'+'.join(axes)}"
    return f"{called}-{''.join(initials[axis] for axis in axes)}"
