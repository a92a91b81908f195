"""`tiltmeter systems`: what can be audited by name, and what is ready here."""

from __future__ import annotations

from typing import Annotated

import typer

KINDS = (
    ("module:callable", "your own Python function; ./file.py:callable too"),
    ("scores.csv", "scores made elsewhere, or a folder of them"),
    ("https://…", "a service with a guessed form; service.toml describes any other"),
    ("openai:MODEL", "an OpenAI-compatible chat model, with --base-url"),
    ("hf:PATH", "a Transformers or ONNX model"),
    ("distilbert-sst2:PATH", "a classifier of two polarities, by signed probability"),
    ("MODEL/", "a model that tiltmeter train made, or a folder of them"),
    ("sklearn:FILE.skops", "a scikit-learn pipeline"),
    ("cmd:PROGRAM", "a program that reads and writes JSON lines"),
    ("tilted:gender=0.03", "a control with a planted tilt"),
)
"""What else can be audited, by the form of its spec."""


def systems(
    ready: Annotated[bool, typer.Option("--ready", help="Only what is installed.")] = False,
) -> None:
    """List the systems Tiltmeter knows by name, with licences and how to install the rest.

    Example: tiltmeter systems --ready
    """
    from tiltmeter.cli.console import facts, say, table
    from tiltmeter.systems import LISTED, SYSTEMS

    listed = [one for one in LISTED.values() if one.ready or not ready]
    table(
        ("name", "languages", "tasks", "licence", "ready"),
        (
            (
                one.name,
                ", ".join(one.languages) or "any",
                "all five" if len(one.tasks) > 1 else one.tasks[0],
                one.licence,
                "yes" if one.ready else "no",
            )
            for one in listed
        ),
    )
    say()
    facts((one.name, one.what) for one in listed)
    lines = sorted({one.install for one in listed if one.install})
    for line in lines:
        say(f"To install what is not ready: {line}")
    if plug_ins := [name for name in SYSTEMS if name not in LISTED]:
        say(f"From plug-ins: {', '.join(plug_ins)}")
    say()
    facts(KINDS)
