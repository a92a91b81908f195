"""`[rating.diagram]` read: what may cause what, as arrows between known nodes.

edges = ["gender -> sentiment", "emotion word -> sentiment"]
unobserved = []
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from tiltmeter.corpora.build_lists import is_text, unknown_keys
from tiltmeter.corpora.rating_plan import EMOTION_WORD, SENTIMENT
from tiltmeter.errors import Problem, did_you_mean

DIAGRAM_KEYS = ("edges", "unobserved")
EXAMPLE = '[rating.diagram] with edges = ["gender -> sentiment"]'
ARROW = "->"

At = Callable[..., str]
Edge = tuple[str, str]


def build_diagram(
    given: object, axes: list[str], at: At, problems: list[Problem]
) -> tuple[tuple[Edge, ...], tuple[str, ...]]:
    """The arrows and the nodes nobody recorded; what is wrong is added to the problems."""
    here = partial(at, "diagram")
    if not isinstance(given, Mapping):
        found = "no diagram" if given is None else f"the diagram is {given!r}"
        problems.append(Problem(here(), f"{found}; expected {EXAMPLE}"))
        return (), ()
    problems += unknown_keys(given, DIAGRAM_KEYS, here)
    hidden = texts("unobserved", given.get("unobserved", []), "nodes", here, problems)
    known = [*axes, EMOTION_WORD, SENTIMENT, *hidden]
    for node, number in Counter(known).items():
        if number > 1:
            what = f"unobserved has {node!r}, which is a node already; name another, or drop it"
            problems.append(Problem(here("unobserved"), what))
    written = texts("edges", given.get("edges", []), "arrows", here, problems)
    if not written:
        problems.append(Problem(here("edges"), f"the diagram is empty; expected {EXAMPLE}"))
    edges: list[Edge] = []
    for text in written:
        wrong = list(_bad_edge(text, known, edges, here(f'"{text}"')))
        problems += wrong
        if not wrong:
            edges.append(_ends(text))
    return tuple(edges), tuple(hidden)


def _ends(text: str) -> Edge:
    cause, _, effect = text.partition(ARROW)
    return cause.strip(), effect.strip()


def _bad_edge(text: str, known: list[str], before: list[Edge], where: str) -> Iterator[Problem]:
    cause, effect = _ends(text)
    if not (cause and effect) or ARROW in effect or cause == effect:
        what = f'{text!r} is no arrow; expected "cause -> effect", as in "gender -> sentiment"'
        yield Problem(where, what)
        return
    for node in (cause, effect):
        if node not in known:
            near = did_you_mean(node, known) or f"known are {', '.join(known)}"
            what = f"{text!r} has the node {node!r}: {near} (nodes nobody recorded: unobserved)"
            yield Problem(where, what)
    if (cause, effect) in before:
        yield Problem(where, f"{text!r} stands twice; keep one")


def unexplained(by: tuple[str, ...], edges: tuple[Edge, ...], where: str) -> Iterator[Problem]:
    """Words given by an axis depend on it, so arrows must lead from it to the word."""
    for axis in by if edges else ():
        if EMOTION_WORD not in _effects(axis, edges):
            what = f"words are assigned by {axis!r}, and no arrow of the diagram says so"
            yield Problem(where, f'{what}; add "{axis} {ARROW} {EMOTION_WORD}"')


def _effects(cause: str, edges: tuple[Edge, ...]) -> set[str]:
    """Every node that arrows lead to from a cause."""
    found: set[str] = set()
    ahead = [cause]
    while ahead:
        here = ahead.pop()
        new = {effect for start, effect in edges if start == here} - found
        found |= new
        ahead += new
    return found


def texts(key: str, given: object, what: str, at: At, problems: list[Problem]) -> list[str]:
    """A list of texts; anything else is a problem, and none."""
    if isinstance(given, list) and all(map(is_text, given)):
        return given
    problems.append(Problem(at(key), f"{key} is {given!r}; expected a list of {what}"))
    return []
