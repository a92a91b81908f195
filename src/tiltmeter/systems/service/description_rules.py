"""What must hold between the keys of a description, and in the environment it asks for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tiltmeter.errors import Problem
from tiltmeter.systems.service.description import Sections
from tiltmeter.systems.service.placeholders import TEXT, TEXTS, leaves, variables


def asks_for_texts(template: object) -> bool:
    """True where a placeholder for a text stands somewhere in a template."""
    return any(TEXT in leaf or TEXTS in leaf for _, leaf in leaves(template))


def contradictions(path: Path, sections: Sections) -> Iterator[Problem]:
    """What is wrong between keys that are each right, and with the environment."""
    yield from _placeholders(path, sections)
    answer = sections["answer"]
    if "confidence" in answer and "labels" not in answer:
        what = "a confidence goes with labels; write labels = { POSITIVE = 1, NEGATIVE = -1 }"
        yield Problem(f"{path}: [answer] confidence", what)
    if "${" in sections["system"].get("url", ""):
        what = "variables stand in headers, query or body only; write the address out"
        yield Problem(f"{path}: [system] url", what)
    for where, name in variables(sections["request"]):
        if not name.isidentifier() or name not in os.environ:
            what = f"the environment has no variable {name!r}; set it before you run Tiltmeter"
            yield Problem(f"{path}: [request] {where}", what)


def _placeholders(path: Path, sections: Sections) -> Iterator[Problem]:
    request, batch = sections["request"], sections["request"].get("batch", 1)
    templates = {key: request[key] for key in ("body", "query") if key in request}
    get = sections["system"].get("method") == "GET"
    if get and "body" in request:
        yield Problem(f"{path}: [request] body", "a GET has no body; use query instead")
    if not asks_for_texts(templates) and ("body" in request or get):
        where = "query" if get else "body"
        what = f'the text is nowhere in it; write "{TEXT}" where it belongs'
        yield Problem(f"{path}: [request] {where}", what)
    found = dict(leaves(templates))
    for where, leaf in found.items():
        if TEXTS in leaf and (leaf != TEXTS or where.startswith("query")):
            what = f'"{TEXTS}" is a list and stands alone, in the body'
            yield Problem(f"{path}: [request] {where}", what)
    if TEXTS in found.values() and any(TEXT in leaf for leaf in found.values()):
        yield Problem(f"{path}: [request]", f'use either "{TEXT}" or "{TEXTS}", not both')
    elif batch > 1 and asks_for_texts(templates) and TEXTS not in found.values():
        what = f'a batch of {batch} needs "{TEXTS}" in the body'
        yield Problem(f"{path}: [request] batch", what)
