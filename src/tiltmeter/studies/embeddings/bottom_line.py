"""The bottom line of a study of embeddings: one sentence for the page and the terminal.

Which embedding to take and what is not decided, by the rule of `choice`; of one embedding, on how
many lists terms are more uneven than ordinary words.
"""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.numbers import count
from tiltmeter.report.phrases import called, listed
from tiltmeter.studies.embeddings.choice import (
    MARGIN,
    Choice,
    Knowledge,
    Outcome,
    UndecidedBy,
    choice,
    known_of,
    knows_less,
    uneven_lists,
)
from tiltmeter.studies.embeddings.numbers import effect_texts, per_cent
from tiltmeter.studies.embeddings.study import Embeddings, rows_of

NAME = 40
"""Letters of a name in a sentence."""
KNOWN = {
    "accuracy": "good told from bad", "analogies": "analogies answered",
    "similarity": "similarity to people’s judgements",
}  # fmt: skip


def bottom_line(study: Embeddings, found: Choice | None = None) -> str:
    """Which embedding to take and what is not decided; of one, where it goes beyond ordinary words.

    The rule is that of `choice`.
    """
    found = found or choice(study)
    known = [*found.left, *found.less_even]
    if not study.lists:
        return "No list of words for people was assessed, so nothing is decided."
    if not known:
        return "Not known: every list is refused."
    if len(known) == 1:
        refused = f" Refused: {listed(found.refused)}." if found.refused else ""
        return f"{_one_embedding(study, known[0])}{refused}"
    said = {
        Outcome.TAKE: _take, Outcome.KNOWS_LESS: _knows_less, Outcome.BY_LIST: _by_list,
        Outcome.ALIKE: _alike, Outcome.OPEN: _open, Outcome.ALONE: _nothing_shared,
    }[found.outcome](study, found)  # fmt: skip
    return f"{said} Refused: {listed(found.refused)}." if found.refused else said


def _one_embedding(study: Embeddings, name: str) -> str:
    """On how many lists terms are more uneven than ordinary words."""
    more, judged = uneven_lists(study, name)
    if not judged:
        return "Not decided: what ordinary words get is not known, and no words are quite even."
    lists = count(len(judged), "list")
    if not more:
        where = f"any of {lists}" if len(judged) > 1 else _titles(study, judged)
        return (
            f"No difference from ordinary words detected on {where}; that does not show evenness."
        )
    where = _titles(study, more)
    if len(judged) == 1:
        return f"More uneven than ordinary words on {where}."
    return f"More uneven than ordinary words on {len(more)} of {lists}: {where}."


def _take(study: Embeddings, found: Choice) -> str:
    taken = str(found.taken)
    others = [one for one in (*found.left, *found.less_even) if one != taken]
    more, _ = uneven_lists(study, taken)
    beyond_them = "exceeding ordinary words"
    if len(others) > 1:
        said = f"Take {called(taken, NAME)}: more even than each other one on a list or more."
    else:
        lists = _titles(study, found.lists_for(taken, others[0]))
        said = f"Take {called(taken, NAME)}: more even on {lists}."
        if undecided := found.undecided_between(taken, others[0]):
            said += f" Not decided: {_titles(study, undecided)}"
            said += f", {beyond_them}." if undecided == more else "."
            more = [] if undecided == more else more
    if more:
        said += f" Still {beyond_them}: {_titles(study, more)}."
    return f"{said} {_refused_lists(study, found)}".rstrip()


def _refused_lists(study: Embeddings, found: Choice) -> str:
    """Of two embeddings, the lists that one of them refuses."""
    known = [*found.left, *found.less_even]
    lists = [
        row["list"] for row in rows_of(study.rnsb)
        if row["rnsb"] is None and row["embedding"] in known
    ]  # fmt: skip
    if len(known) != 2 or not lists:
        return ""
    return f"Refused: {_titles(study, list(dict.fromkeys(lists)))}."


def _knows_less(study: Embeddings, found: Choice) -> str:
    taken, other = str(found.taken), str(found.knows_more)
    knowledge = known_of(study)
    measure = knows_less(knowledge, taken, other) or "accuracy"
    own, its = knowledge[taken][measure], knowledge[other][measure]
    return (
        f"Not decided: {called(taken, NAME)} is the most even, on "
        f"{_titles(study, found.lists_for(taken, other))}, but knows less than "
        f"{called(other, NAME)}: {KNOWN[measure]} {known_text(own)} against {known_text(its)}."
    )


def _by_list(study: Embeddings, found: Choice) -> str:
    one, other = next(
        (each.first, each.second) for each in found.comparisons
        if found.lists_for(each.first, each.second) and found.lists_for(each.second, each.first)
    )  # fmt: skip
    said = (
        f"It depends on the words: {called(one, NAME)} is more even on "
        f"{_titles(study, found.lists_for(one, other))}, {called(other, NAME)} on "
        f"{_titles(study, found.lists_for(other, one))}."
    )
    return f"{said} {_leave_out(found)}".rstrip()


def _alike(_: Embeddings, found: Choice) -> str:
    return (
        f"{listed(found.left)} are alike within {MARGIN:g} on every list: evenness is no reason to "
        f"prefer one. {_leave_out(found)}"
    ).rstrip()


def _open(study: Embeddings, found: Choice) -> str:
    reasons = {one.why for one in found.comparisons}
    if reasons == {UndecidedBy.NO_INTERVAL}:
        return "Not decided: these numbers have no intervals."
    if found.less_even:
        return f"{_leave_out(found)} Not decided between {listed(found.left)}."
    lists = list(dict.fromkeys(one.of for one in found.comparisons))
    where = f"any of {len(lists)} lists" if len(lists) > 1 else _titles(study, lists)
    who = "neither is" if len(found.left) == 2 else f"none of {len(found.left)} is"
    said = f"Not decided: {who} surely more even on {where}."
    if refused := _refused_lists(study, found):
        said += f" {refused}"
    ordinary = [one.of for one in found.comparisons if one.why is UndecidedBy.ORDINARY]
    if ordinary:
        where = _titles(study, list(dict.fromkeys(ordinary)))
        said += f" On {where} they differ, but ordinary words differ as much."
    return said


def _nothing_shared(_: Embeddings, found: Choice) -> str:
    return f"Not decided: {listed(found.left)} have no list in common."


def _leave_out(found: Choice) -> str:
    if not found.less_even:
        return ""
    return f"Leave out {listed(found.less_even)}: another is more even."


def _titles(study: Embeddings, lists: Sequence[str]) -> str:
    return listed([study.lists.get(of, of) for of in lists], most=4)


def known_text(one: Knowledge) -> str:
    """How well vectors do, in words."""
    if one.measure == "similarity":
        return effect_texts(one.value, None, None)[0]
    return per_cent(one.value)
