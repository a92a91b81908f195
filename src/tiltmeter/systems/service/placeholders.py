"""The texts set into a request: placeholders are replaced in the structure, never in its JSON.

`"{text}"` is one text, alone or inside a longer string; `"{texts}"`, always alone, is the list of
a batch; `${NAME}` is a variable of the environment, filled in once, before any text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

TEXT, TEXTS = "{text}", "{texts}"
VARIABLE = re.compile(r"\$\{([^}]*)\}")


def leaves(template: object, where: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a template and where it stands, as `messages[0].content`."""
    match template:
        case Mapping():
            for key, value in template.items():
                yield from leaves(value, f"{where}.{key}" if where else str(key))
        case list():
            for number, value in enumerate(template):
                yield from leaves(value, f"{where}[{number}]")
        case str():
            yield where, template


def with_texts(template: Any, texts: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """The template with its placeholders replaced; `{text}` stands for the first text.

    >>> with_texts({"q": "Rate: {text}", "all": "{texts}"}, ['a "quoted" text'])
    {'q': 'Rate: a "quoted" text', 'all': ['a "quoted" text']}
    """
    match template:
        case Mapping():
            return {key: with_texts(value, texts) for key, value in template.items()}
        case list():
            return [with_texts(value, texts) for value in template]
        case str() if template == TEXTS:
            return list(texts)
        case str():
            return template.replace(TEXT, texts[0])
        case _:
            return template


def variables(template: object) -> Iterator[tuple[str, str]]:
    """The names of the variables a template asks for, and where."""
    for where, leaf in leaves(template):
        yield from ((where, name) for name in VARIABLE.findall(leaf))


def with_variables(template: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The template with its variables filled in from the environment, which has them all."""
    match template:
        case Mapping():
            return {key: with_variables(value) for key, value in template.items()}
        case list():
            return [with_variables(value) for value in template]
        case str():
            return VARIABLE.sub(lambda found: os.environ[found[1]].strip(), template)
        case _:
            return template
