"""The causal diagram of a rating group, and what must be adjusted for: the backdoor criterion.

Pearl (2009), §3.3: a set Z serves for the effect of X on Y if it holds no descendant of X and
separates X from Y in the diagram without X's outgoing arrows. Z is found, not assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import TiltmeterError

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
    """A backdoor path that stays open with everything held fixed that could be."""
    import networkx as nx

    held = allowed & (nx.ancestors(graph, cause) | nx.ancestors(graph, SENTIMENT))
    path = _open_path(graph, cause, held)
    colliders = [node for before, node, after in _inner_nodes(graph, path) if before and after]
    hidden = [node for node in path[1:-1] if node not in known and node not in colliders]
    lacking = ", ".join(hidden) + (" was" if len(hidden) == 1 else " were")
    found = f"{lacking} not recorded, and " if hidden else ""
    fixed = f" with {', '.join(sorted(held))} held fixed" if colliders else ""
    drawn = path[0] + "".join(
        f" → {there}" if graph.has_edge(here, there) else f" ← {there}"
        for here, there in pairwise(path)
    )
    return f"not identifiable: {found}{drawn} stays open{fixed}"


def _open_path(graph: Any, cause: str, held: set[str]) -> Sequence[str]:  # noqa: ANN401
    """The shortest path between cause and sentiment that is open with some nodes held fixed."""
    import networkx as nx

    above = held.union(*(nx.ancestors(graph, node) for node in held))
    for longest in range(1, len(graph)):
        for path in nx.all_simple_paths(graph.to_undirected(), cause, SENTIMENT, cutoff=longest):
            if all(
                node in above if before and after else node not in held
                for before, node, after in _inner_nodes(graph, path)
            ):
                return list(path)
    return [cause, SENTIMENT]


def _inner_nodes(
    graph: Any,  # noqa: ANN401
    path: Sequence[str],
) -> Iterator[tuple[bool, str, bool]]:
    """Every node within a path, and whether the arrows before and after it point at it."""
    for before, here, after in zip(path, path[1:], path[2:], strict=False):
        yield graph.has_edge(before, here), here, graph.has_edge(after, here)
