"""Reports in which every string that a user, a file or a server can supply is an attack.

Each string has a number of its own, so that a test can say which one came alive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.scoring import Settings
from tiltmeter.studies.audit.run import audit
from tiltmeter.studies.embeddings.run import assess_embeddings
from tiltmeter.studies.rating.run import rate
from tiltmeter.systems import Card, Missing, System

PLAIN = "plain{n}"
"""In place of the attacks: what a harmless report of the same shape is made of."""
ATTACKS = (
    "x{n}<img src=x onerror=window.__pwned={n}>",
    'x{n}"><svg onload=window.__pwned={n}>',
    "x{n}</script><script>window.__pwned={n}</script>",
    "x{n}' onmouseover='window.__pwned={n}",
    "x{n}</title></style><iframe src=javascript:window.__pwned={n}>",
    "x{n}]]><a href=javascript:window.__pwned={n}>&#x3c;img&#x3e;",
    "x{n}--><base href=//evil.example/><link rel=stylesheet href=//evil.example/{n}.css>",
    "{{7*191}}${7*191}{n}<%= 7*191 %>",
    "=HYPERLINK(1){n}\\input{/etc/passwd}\\write18{id}$x^2_{}%",
)


@dataclass
class Strings:
    """A different string for every place, an attack or a harmless one."""

    hostile: bool
    made: list[str] = field(default_factory=list)
    _numbers: Any = field(default_factory=lambda: count(1))

    def __call__(self, without: str = "", start: str = "") -> str:
        """The next one, without characters that cannot stand in its place."""
        number = next(self._numbers)
        text = ATTACKS[number % len(ATTACKS)] if self.hostile else PLAIN
        text = start + text.replace("{n}", str(number))
        for mark in without:
            text = text.replace(mark, "\u00b7")
        self.made.append(text)
        return text

    def some(self, many: int, without: str = "") -> list[str]:
        """As many."""
        return [self(without) for _ in range(many)]


FILE, WORD, SLOT, AXIS = "/", " \t", "{}", "+*:"
"""What no file name, no word of vectors, no template and no axis can hold."""


def toml(**values: object) -> list[str]:
    """Lines of TOML; JSON's texts and lists are TOML's too."""
    return [f"{json.dumps(key)} = {_value(value)}" for key, value in values.items()]


def _value(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(toml(**value))} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)


def template_corpus(folder: Path, of: Strings) -> Path:
    """A corpus of templates: title, provenance, groups, phrases, people, emotions and words."""
    axis, pool, groups = of(AXIS, "a"), of(), of.some(2)
    people = [
        toml(list=of(), match=pool, members=of.some(3, SLOT), note=of(), source=of(), **{axis: one})
        for one in groups
    ]
    lines = [
        "[corpus]",
        *toml(name=of(), title=of(), language="en", source=of(), licence=of(), note=of()),
        "[axes]",
        *toml(**{axis: [{"group": one, "phrase": of()} for one in groups]}),
        *(line for one in people for line in ("[[people]]", *one)),
        "[[words]]",
        *toml(list="state", **{of(): of.some(2, SLOT), of(): of.some(2, SLOT)}),
        *("[[templates]]", *toml(id="1", text=f"{{person}} says {of(SLOT)} {{state}}."), ""),
        *("[[templates]]", *toml(id="2", text=f"{of(SLOT)} for {{person}}.", note=of()), ""),
    ]
    path = folder / f"{of(FILE)}.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def table_corpus(folder: Path, of: Strings) -> Corpus:
    """A corpus of a table, in which every cell is the user's."""
    axis = of(AXIS, "a")
    groups, people = of.some(2), of.some(2)
    matches, templates, emotions, words = of.some(1), of.some(2), of.some(2), of.some(2)
    rows = [
        {
            "id": of(), "text": f"{people[who]} {words[which]} {templates[which]} {nth}",
            "corpus": "", "template": templates[which], "person": people[who],
            axis: groups[who], "emotion": emotions[which], "emotion_word": words[which],
            "frame": f"{templates[which]}{nth}", "match": matches[0], "language": "en",
        }
        for which in (0, 1) for nth in range(3) for who in (0, 1)
    ]  # fmt: skip
    name = of()
    path = folder / f"{of(FILE)}.jsonl"
    lines = (json.dumps({**row, "corpus": name, "edition": "corrected"}) for row in rows)
    path.write_text("\n".join(lines), encoding="utf-8")
    return load_corpus(path, axes={axis: tuple(groups)})


def answering(of: Strings, name: str, seed: int, silent: Sequence[int] = ()) -> System:
    """A system whose card is hostile, and what it says instead of some scores."""
    rng = np.random.default_rng(seed)
    reasons = of.some(len(silent))

    def answer(texts: Sequence[str]) -> list[Any]:
        scores = list(rng.uniform(0.2, 0.8, len(texts)))
        for at, reason in zip(silent, reasons, strict=True):
            scores[at % len(scores)] = Missing(reason)
        return scores

    card = Card(name, "valence", None, ("en",), of(), of(), {of(): of()}, notes=(of(), of()))
    return System(card, answer)


def audited(folder: Path, of: Strings) -> Path:
    """An audit of two corpora: systems, what they say, gold, what is known of them, the command."""
    names = of.some(3)
    gold = folder / f"{of(FILE)}.csv"
    texts = of.some(8)
    frame = pl.DataFrame({"text": texts, "score": np.linspace(0, 1, 8), of(): ["a"] * 8})
    frame.write_csv(gold)
    meta = pl.DataFrame({"system": names, of(): of.some(3), of(): [f"{of()};{of()}"] * 3})
    systems = {
        name: answering(of, of(), nth, (0, 3) if nth == 1 else ()) for nth, name in enumerate(names)
    }
    found = audit(
        systems,
        [template_corpus(folder, of), table_corpus(folder, of)],
        gold=gold,
        meta=meta,
        settings=Settings(max_missing=1.0),
        store=folder / "store",
        command=f"tiltmeter audit {of()}",
    )
    out = folder / "audit"
    found.report(out, individual=True, figures=True)
    (out / "notebook.html").write_text(found._repr_html_(), encoding="utf-8")
    return out


def rated(folder: Path, of: Strings) -> Path:
    """A rating of stored outputs: systems, groups, emotion words and texts of a file."""
    good, bad = of.some(2), of.some(2)
    people = {"female": of.some(4), "male": of.some(4)}
    rng = np.random.default_rng(5)
    rows = [
        {"System": name, "Gender": gender, "Emotion": word, "Sentiment": float(rng.uniform()),
         "Sentence": f"{person} {word}"}
        for name in of.some(3) for gender, named in people.items() for person in named
        for word in (*good, *bad)
    ]  # fmt: skip
    path = folder / "stored.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = rate(
        results=path, positive=good, negative=bad, draws=3, mode="corrected",
        command=f"tiltmeter rate {of()}", tasks=["valence"],
    )  # fmt: skip
    out = folder / "rating"
    found.report(out)
    return out


def embedded(folder: Path, of: Strings) -> Path:
    """A study of embeddings: the file, lists of terms, a lexicon, tests and a direction."""
    groups = of.some(3)
    terms = {group: of.some(3, WORD) for group in groups}
    good, bad, sets = of.some(12, WORD), of.some(12, WORD), [of.some(3, WORD) for _ in range(2)]
    rng = np.random.default_rng(9)
    words = [word for several in (*terms.values(), good, bad, *sets) for word in several]
    vectors = {word: rng.normal(0, 1, 5) + (3 if word in bad else 0) for word in words}
    file = folder / f"{of(FILE)}.txt"
    lines = (f"{word} {' '.join(f'{n:.3f}' for n in row)}" for word, row in vectors.items())
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = folder / f"{of(FILE)}.toml"
    told = ["[list]", *toml(name=of(), title=of(), source=of(), note=of())]
    for group, several in terms.items():
        told += ["[[terms]]", *toml(group=group, words=several)]
    listed.write_text("\n".join(told), encoding="utf-8")
    lexicon = folder / f"{of(FILE)}.toml"
    told = ["[lexicon]", *toml(name=of(), title=of(), positive=good, negative=bad, source=of())]
    lexicon.write_text("\n".join(told), encoding="utf-8")
    tests = folder / f"{of(FILE)}.toml"
    told = ["[list]", *toml(name=of(), title=of()), "[[tests]]"]
    told += toml(name=of(), title=of(), first=sets[0], second=sets[1], good=good[:3], bad=bad[:3],
                 first_name=of(), second_name=of(), good_name=of(), bad_name=of())  # fmt: skip
    tests.write_text("\n".join(told), encoding="utf-8")
    direction = folder / f"{of(FILE)}.toml"
    told = ["[direction]", *toml(name=of(), title=of(), first_name=of(), second_name=of(),
            pairs=[list(pair) for pair in zip(*sets, strict=True)], neutral=good[:4])]  # fmt: skip
    direction.write_text("\n".join(told), encoding="utf-8")
    found = assess_embeddings(
        [file], terms=[listed], lexicon=[lexicon], tests=[tests], directions=[direction],
        mitigate=["hard"], resamples=40, command=f"tiltmeter embeddings {of()}",
    )  # fmt: skip
    out = folder / "embeddings"
    found.report(out)
    return out


REPORTS = {"audit": audited, "rating": rated, "embeddings": embedded}
