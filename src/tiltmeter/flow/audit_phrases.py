"""How an audit's groups are spoken of, from its folder alone."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.corpora import Axis, corpus_names, load_corpus
from tiltmeter.flow.audit_folder import AuditFolder


def phrases_of_audit(audit: AuditFolder) -> dict[tuple[str, str, str], str]:
    """How each group's sentences are spoken of: as the corpus says, where it is one of ours."""
    return {
        (name, axis.name, group): axis.phrase(group)
        for name in audit.corpora
        for axis in _axes(audit, name)
        for group in axis.groups
    }


def _axes(audit: AuditFolder, corpus: str) -> Iterator[Axis]:
    groups = dict[str, dict[str, None]]()
    for one in audit.contrasts(corpus):
        compared = one.groups or (one.first, one.second)
        groups.setdefault(one.axis, {}).update(dict.fromkeys(compared))
    known = load_corpus(corpus).axes if corpus in corpus_names() else ()
    ours = {axis.name: axis for axis in known}
    for name, found in groups.items():
        own = ours.get(name)
        yield own if own and set(found) <= set(own.groups) else Axis(name, tuple(found))
