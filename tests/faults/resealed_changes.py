"""What somebody may change in a folder before the hashes are made to fit: a function a change.

Each changes a `Sent` in place by a generator of random numbers, and says what it did. The same
generator gives the same change.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from damaged_bytes import ODD, TOKENS, changed, places
from resealed import FINDINGS, MANIFEST, PANEL, RATINGS, RUN, Sent, link_to, list_file, put_pipe
from resealed import raw as put

Rng = np.random.Generator
Change = Callable[[Sent, Rng, Path], str]
CHANGES: list[Change] = []
"""Every change, in the order of the cases."""


def change(function: Change) -> Change:
    """List a change."""
    CHANGES.append(function)
    return function


def pick(rng: Rng, choices: Any) -> Any:
    """One of some choices."""
    choices = list(choices)
    return choices[int(rng.integers(len(choices)))]


def document(sent: Sent, rng: Rng) -> str:
    """The name of a JSON file of the folder."""
    names = [RUN, RUN, RATINGS, RATINGS] if sent.seed == PANEL else [RUN, RUN, RUN, FINDINGS]
    name = pick(rng, names + [MANIFEST] * sent.packed)
    if name == MANIFEST and name not in sent.trees:
        files = [{"file": key, "bytes": len(data), "sha256": "0" * 64}
                 for key, data in sorted(sent.files.items())]  # fmt: skip
        sent.put_tree(name, {"schema_version": 1, "tool": "tiltmeter", "fingerprint": "0" * 64,
                             "files": files})  # fmt: skip
    return name


def place_in(tree: Any, rng: Rng) -> tuple[Any, ...]:
    """A place in a tree: as often in its first levels as deep in a list of findings or files."""
    every = [place for place in places(tree) if "odd key" not in place]
    near = [place for place in every if place[0] != "files" and len(place) <= 4]
    return pick(rng, near if near and rng.random() < 0.6 else every)


def at(tree: Any, place: tuple[Any, ...]) -> Any:
    """What stands at a place of a tree."""
    for step in place:
        tree = tree[step]
    return tree


def replace_somewhere(sent: Sent, rng: Rng, values: Any) -> str:
    """Replace a value somewhere in a JSON file."""
    name = document(sent, rng)
    tree = sent.tree(name)
    place, value = place_in(tree, rng), pick(rng, values)
    sent.put_tree(name, changed(tree, place, value))
    return f"{name} {'.'.join(map(str, place))} := {value!r:.60}"


# ---------------------------------------------------------------- JSON


@change
def drop_key(sent: Sent, rng: Rng, _: Path) -> str:
    name = document(sent, rng)
    tree = sent.tree(name)
    place = place_in(tree, rng)
    del at(tree, place[:-1])[place[-1]]
    return f"{name} {'.'.join(map(str, place))} dropped"


@change
def rename_key(sent: Sent, rng: Rng, _: Path) -> str:
    name = document(sent, rng)
    tree = sent.tree(name)
    place = pick(rng, [p for p in places(tree) if isinstance(p[-1], str) and p[-1] != "odd key"])
    parent, key = at(tree, place[:-1]), place[-1]
    parent[pick(rng, (key.upper(), f" {key}", f"{key}\u202e", "__proto__", ""))] = parent.pop(key)
    return f"{name} {'.'.join(map(str, place))} renamed"


@change
def repeat_key(sent: Sent, rng: Rng, _: Path) -> str:
    name = document(sent, rng)
    tree = sent.tree(name)
    place = pick(rng, [p for p in places(tree) if isinstance(p[-1], str) and p[-1] != "odd key"])
    value = json.dumps(at(tree, place))
    other = pick(rng, ("null", '"even"', "[]", "0", value))
    sent.put_tree(name, changed(tree, place, put(f'{other}, "{place[-1]}": {value}'.encode())))
    return f"{name} {'.'.join(map(str, place))} stands twice, first as {other:.30}"


@change
def retype_value(sent: Sent, rng: Rng, _: Path) -> str:
    name = document(sent, rng)
    tree = sent.tree(name)
    place = place_in(tree, rng)
    value = at(tree, place)
    other = pick(rng, ([value], str(value)[:2000], {"a": value}, None, True, 0))
    sent.put_tree(name, changed(tree, place, other))
    return f"{name} {'.'.join(map(str, place))} is a {type(other).__name__}"


@change
def put_odd_number(sent: Sent, rng: Rng, _: Path) -> str:
    numbers = [b"1e400", b"-1e400", b"NaN", b"Infinity", b"9" * 400, b"9" * 5000, b"-1", b"1e308"]
    numbers += [b"18446744073709551616", b"4611686018427387904", b"0.5", b"-0.0", b"1e-320"]
    name = document(sent, rng)
    tree = sent.tree(name)
    numeric = [
        place for place in places(tree)
        if place[-1] != "odd key" and isinstance(at(tree, place), int | float)
    ]  # fmt: skip
    place, number = pick(rng, numeric), pick(rng, numbers)
    sent.put_tree(name, changed(tree, place, put(number)))
    return f"{name} {'.'.join(map(str, place))} := {number[:24].decode()}"


@change
def put_odd_value(sent: Sent, rng: Rng, _: Path) -> str:
    return replace_somewhere(sent, rng, [value for value in ODD if not isinstance(value, date)])


@change
def nest_deeply(sent: Sent, rng: Rng, _: Path) -> str:
    deep = [b"[" * 900 + b"]" * 900, b"[" * 100_000, b'{"a":' * 3000 + b"1" + b"}" * 3000]
    return replace_somewhere(sent, rng, [put(text) for text in deep])


@change
def break_text(sent: Sent, rng: Rng, _: Path) -> str:
    texts = [b'"\\ud800"', b'"\xff\xfe"', b'"a\\u0000b"', '"\u202egnp.exe"'.encode()]
    texts += [b'"\\u001b[2J\\u001b]0;x\\u0007"', b'"' + b"x" * 200_000 + b'"', b'"\\udfff\\ud800"']
    return replace_somewhere(sent, rng, [put(text) for text in texts])


@change
def empty_list(sent: Sent, rng: Rng, _: Path) -> str:
    name = document(sent, rng)
    tree = sent.tree(name)
    lists = [p for p in places(tree) if p[-1] != "odd key" and isinstance(at(tree, p), list | dict)]
    place = pick(rng, lists)
    at(tree, place).clear()
    return f"{name} {'.'.join(map(str, place))} emptied"


@change
def repeat_item(sent: Sent, rng: Rng, _: Path) -> str:
    name = document(sent, rng)
    tree = sent.tree(name)
    lists = [p for p in places(tree) if isinstance(p[-1], str) and p[-1] != "odd key"
             and isinstance(at(tree, p), list) and at(tree, p)]  # fmt: skip
    place = pick(rng, lists)
    at(tree, place).append(at(tree, place)[0])
    return f"{name} {'.'.join(map(str, place))} has an item twice"


@change
def put_unknown_word(sent: Sent, rng: Rng, _: Path) -> str:
    words = ("", "none", "tilted", "published", "corrected", "inferred", "declared", "holm", "en")
    name = document(sent, rng)
    tree = sent.tree(name)
    texts = [p for p in places(tree) if p[-1] != "odd key" and isinstance(at(tree, p), str)]
    place, word = pick(rng, texts), pick(rng, words)
    sent.put_tree(name, changed(tree, place, word))
    return f"{name} {'.'.join(map(str, place))} := {word!r}"


@change
def replace_document(sent: Sent, rng: Rng, _: Path) -> str:
    contents = [b"", b"{", b"[]", b"null", b"NaN", b"1e400", b'"\\ud800"', b"\xff", b"{}", b"0"]
    contents += [b'{"findings": NaN}', b'{"findings": [1e400]}', b'{"findings": ["\\ud800"]}']
    contents += [b"[" * 200_000, b"\xef\xbb\xbf{}", b'{"a":' * 100_000]
    name, content = document(sent, rng), pick(rng, contents)
    sent.put_bytes(name, content)
    return f"{name} is {content[:30]!r}"


@change
def damage_bytes(sent: Sent, rng: Rng, _: Path) -> str:
    name = pick(rng, [RUN, FINDINGS, RATINGS, *(f"{table}.parquet" for table in sent.tables)])
    name = name if name in sent.files else RUN
    data = sent.files[name]
    here = int(rng.integers(len(data)))
    cut = pick(rng, ("cut", "flipped", "stuffed"))
    if cut == "cut":
        data = data[:here]
    elif cut == "flipped":
        data = data[:here] + bytes([data[here] ^ (1 << int(rng.integers(8)))]) + data[here + 1 :]
    else:
        data = data[:here] + pick(rng, TOKENS) + data[here:]
    sent.put_bytes(name, data)
    return f"{name} {cut} at {here}"


# ---------------------------------------------------------------- findings that do not follow


def findings_of(sent: Sent) -> list[dict[str, Any]]:
    """The findings, to be changed in place."""
    findings = sent.tree(FINDINGS)["findings"]
    assert isinstance(findings, list)
    return findings


def forge(sent: Sent, rng: Rng) -> str:
    """Change verdicts and the sentences that state them."""
    judged = [row for row in findings_of(sent) if row["verdict"]]
    word = pick(rng, ("even", "tilted", "undecided", "surely fair"))
    for row in judged:
        row["sentence"] = row["sentence"].replace(row["verdict"].capitalize(), word.capitalize())
        row["verdict"] = word
    return f"{len(judged)} verdicts := {word}"


@change
def forge_verdicts(sent: Sent, rng: Rng, _: Path) -> str:
    return forge(sent, rng) if FINDINGS in sent.files else forge_panel(sent, rng)


def forge_panel(sent: Sent, rng: Rng) -> str:
    """Change the raw scores and ratings of a panel."""
    for system in sent.tree(RATINGS)["systems"]:
        for cell in system["groups"].values():
            cell["psi"], cell["rating"] = pick(rng, ((0.0, 1), (1e9, 3), (None, None), (5.0, 99)))
    return "every raw score and rating of the panel"


@change
def forge_sentences(sent: Sent, rng: Rng, _: Path) -> str:
    if FINDINGS not in sent.files:
        return forge_panel(sent, rng)
    row = pick(rng, findings_of(sent))
    old, new = pick(rng, (("women", "men"), ("higher", "lower"), ("vader", "the best of all")))
    row["sentence"] = row["sentence"].replace(old, new) + pick(rng, ("", " It is fair."))
    return f"a sentence with {new!r}"


@change
def forge_numbers(sent: Sent, rng: Rng, _: Path) -> str:
    if FINDINGS not in sent.files:
        return forge_panel(sent, rng)
    row = pick(rng, findings_of(sent))
    name = pick(rng, ("value", "low", "high", "p", "p_adjusted", "n", "family", "margin"))
    row[name] = pick(rng, (0, 0.001, -0.5, 1, None, 1e300))
    return f"a finding's {name} := {row[name]}"


@change
def drop_finding(sent: Sent, rng: Rng, _: Path) -> str:
    if FINDINGS not in sent.files:
        return forge_panel(sent, rng)
    findings = findings_of(sent)
    judged = [place for place, row in enumerate(findings) if row["verdict"]]
    del findings[pick(rng, judged)]
    return "a verdict left out"


@change
def claim_another_schema(sent: Sent, rng: Rng, _: Path) -> str:
    name = FINDINGS if FINDINGS in sent.files else RATINGS
    version = pick(rng, (1, 1, 1, 0, -1, 3, 99, True, "2", None, 1.5))
    sent.tree(name)["schema_version"] = version
    if name == RATINGS:
        return f"{name} schema_version := {version!r}"
    return f"schema_version := {version!r}, {forge(sent, rng)}"


@change
def claim_another_version(sent: Sent, rng: Rng, folder: Path) -> str:
    environment = sent.tree(RUN)["environment"]
    name = pick(rng, ("tiltmeter", "tiltmeter", "numpy", "polars"))
    environment["versions"][name] = pick(rng, ("0.0.9", "9.9.9", "", "$(touch ran)", "\u202e1.0"))
    forging = pick(rng, (forge_verdicts, forge_sentences, forge_numbers, drop_finding))
    return f"made by another {name}; {forging(sent, rng, folder)}"


@change
def forge_estimates(sent: Sent, rng: Rng, folder: Path) -> str:
    if "estimates" not in sent.tables:
        return forge_panel(sent, rng)
    tilts = pl.col("measure").str.starts_with("tilt")
    factor = pick(rng, (0.0, 0.01, 10.0))
    names = pick(rng, (["value", "low", "high", "se"], ["low", "high"], ["se"], ["value"]))
    columns = [pl.when(tilts).then(pl.col(name) * factor).otherwise(name).alias(name)
               for name in names]  # fmt: skip
    sent.put_table("estimates", sent.table("estimates").with_columns(columns), folder)
    return f"tilts' {', '.join(names)} × {factor}"


@change
def forge_cards(sent: Sent, rng: Rng, _: Path) -> str:
    cards = [name for name in sent.files if name.startswith("model-cards/")]
    if not cards:
        return forge_panel(sent, rng)
    name = pick(rng, cards)
    sent.put_bytes(name, sent.files[name].replace(b"undecided", b"even") + b"\nNo tilt.\n")
    return f"{name} rewritten"


# ---------------------------------------------------------------- what would run or be read

SPECS = (
    "tilted:gender=0.03,base=./trap.py:score", "tilted:base=trap.toml,gender=0.03",
    "tilted:gender=0.03,base=openai:gpt", "tilted:gender=0.03,base=cmd:touch ran",
    "tilted:gender=0.03,base=tilted:gender=0.01,base=trap:score", "trap:score", "./trap.py:score",
    "trap.toml", "cmd:touch ran", "hf:model", "sklearn:trap.skops", "model", "URL",
    "random:./trap.py:score", "TILTED:gender=0.03,base=URL", "tilted: base = model , gender=0.03",
    "constant:base=URL", "../sent/trap.py:score", "tilted:gender=0.03,base=sent",
)  # fmt: skip


def rename_system(sent: Sent, old: str, new: str, folder: Path) -> None:
    """Call a system otherwise in every file of a folder."""
    sent.renamed[old] = new
    for name in (RUN, FINDINGS, RATINGS):
        if name in sent.files:
            sent.put_tree(name, _replaced(sent.tree(name), old, new))
    for name in sent.tables:
        frame = sent.table(name)
        if "system" in frame.columns:
            sent.put_table(name, frame.with_columns(pl.col("system").replace(old, new)), folder)


def _replaced(tree: Any, old: str, new: str) -> Any:
    if isinstance(tree, dict):
        return {key: _replaced(value, old, new) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_replaced(value, old, new) for value in tree]
    return new if tree == old else tree


@change
def swap_system_spec(sent: Sent, rng: Rng, folder: Path) -> str:
    spec = pick(rng, SPECS).replace("URL", (folder / "address").read_text())
    rename_system(sent, "vader", spec, folder)
    return f"the system is {spec}"


@change
def swap_system_again(sent: Sent, rng: Rng, folder: Path) -> str:
    base = pick(rng, SPECS).replace("URL", (folder / "address").read_text())
    spec = pick(rng, ("tilted:base={},gender=0.03", "tilted:gender=0.01,noise=0.1,base={}"))
    rename_system(sent, "vader", spec.format(base), folder)
    return f"the system is {spec.format(base)}"


@change
def lead_elsewhere(sent: Sent, rng: Rng, _: Path) -> str:
    path = pick(
        rng, ("../victim/kept.txt", "/etc/passwd", "../../trap.toml", "trap.py", "/dev/zero")
    )
    run = sent.tree(RUN)
    place = pick(rng, ("files", "corpus", "title", "edition", "gold", "larger", "from files"))
    facts = run.get("run")
    if place == "files" or sent.seed == PANEL or not isinstance(facts, dict):
        pick(rng, run["files"])["file"] = path
    elif place in ("corpus", "title", "edition"):
        facts["corpora"][0][{"corpus": "name"}.get(place, place)] = path
    elif place == "gold":
        facts["gold"] = {"name": path, "files": [{"file": path}], "rank_by": path}
    elif place == "larger":
        facts["larger"] = [{"corpus": facts["corpora"][0]["name"], "axes": ["gender"], "ask": path,
                            "people": None, "sentences": 9}]  # fmt: skip
    else:
        facts["scores_from_files"] = [path]
    return f"{place} leads to {path}"


@change
def forge_command(sent: Sent, rng: Rng, _: Path) -> str:
    commands = ("$(touch ran)", "tiltmeter audit `touch ran`", 7, None, ["touch", "ran"], "\n", "'",
                "tiltmeter audit x; touch ran", put(b'"\\u001b[2J"'), "\u202ex", "x" * 100_000,
                "tiltmeter audit --api-key=sk-0123456789abcdef0123456789")  # fmt: skip
    command = pick(rng, commands)
    sent.tree(RUN)["environment"]["command"] = command
    return f"the command is {command!r:.50}"


# ---------------------------------------------------------------- what the findings are judged by


def audit_facts(sent: Sent) -> Any:
    """The run of an audit; of a panel, its terms."""
    return sent.tree(RUN)["run"]


@change
def change_scale(sent: Sent, rng: Rng, folder: Path) -> str:
    if sent.seed == PANEL:
        return put_odd_value(sent, rng, folder)
    system = pick(rng, audit_facts(sent)["systems"])
    ends = pick(rng, ([-100, 100], [0, 1], [-1, 1e9], None, [1, 0], [-0.1, 0.1], [0, 1e-300]))
    system["scale_ends"] = ends
    system["scale_known"] = pick(rng, ("declared", "inferred", "unbounded", "certain"))
    return f"scale {ends}, {system['scale_known']}"


@change
def change_statistics(sent: Sent, rng: Rng, folder: Path) -> str:
    if sent.seed == PANEL:
        return put_odd_value(sent, rng, folder)
    statistics = audit_facts(sent)["statistics"]
    key, value = pick(rng, (
        ("margins", {"default": 0.9}), ("margins", {"default": 1e-9}), ("margins", {"gender": 0.5}),
        ("margins", {"default": 0.01, "nobody": 0.5}), ("level", 0.999), ("level", 1e-300),
        ("correction", "holm"), ("correction", "none at all"), ("mode", "published"),
        ("mode", "other"), ("measures", ["regression"]), ("measures", []), ("measures", ["pears"]),
        ("subset", "neutral"), ("subset", "emotion:nothing"), ("reference", {"gender": "nobody"}),
        ("reference", {"nobody": "male"}), ("flips", 1000), ("formula", "gender ** race"),
        ("family", 1), ("family_given", True), ("apart", False), ("apart", None),
        ("all_pairs", True), ("thresholds", []), ("thresholds", [0.9, 0.1]), ("test", "none"),
        ("seed", 2**63), ("everywhere", True),
    ))  # fmt: skip
    statistics[key] = value
    return f"statistics.{key} := {value!r}"


@change
def set_system_aside(sent: Sent, rng: Rng, folder: Path) -> str:
    if sent.seed == PANEL:
        return put_odd_value(sent, rng, folder)
    system = pick(rng, audit_facts(sent)["systems"])
    key, value = pick(rng, (("control", "no tilt"), ("control", "planted"), ("languages", ["xx"]),
                            ("languages", []), ("missing", 99), ("outside", 99), ("repeats", 2),
                            ("noise", 5.0), ("control", None)))  # fmt: skip
    system[key] = value
    return f"a system's {key} := {value!r}"


@change
def empty_part_of_run(sent: Sent, rng: Rng, folder: Path) -> str:
    if sent.seed == PANEL:
        return empty_list(sent, rng, folder)
    facts = audit_facts(sent)
    part = pick(rng, ("corpora", "systems", "axes", "groups", "phrases", "regression"))
    if part in ("corpora", "systems"):
        facts[part] = []
    elif part == "regression":
        facts.pop("regression", None)
    elif part == "axes":
        facts["corpora"][0]["axes"] = []
    else:
        facts["corpora"][0]["axes"][0][part] = {} if part == "phrases" else []
    return f"{part} emptied"


@change
def rename_axis(sent: Sent, rng: Rng, folder: Path) -> str:
    old, new = "gender", pick(rng, ("sex", "race", "region", "person", "id", "text", "", "a+b:c"))
    where = pick(rng, ("run.json", "everywhere", "estimates", "sentences"))
    for name in (RUN, FINDINGS, RATINGS):
        if name in sent.files and where in (RUN, "everywhere"):
            sent.put_tree(name, _replaced(sent.tree(name), old, new))
    for name in sent.tables:
        frame = sent.table(name)
        if where in (name, "everywhere") and old in frame.columns and new not in frame.columns:
            sent.put_table(name, frame.rename({old: new}), folder)
        if where in (name, "everywhere") and "axis" in frame.columns:
            sent.put_table(name, frame.with_columns(pl.col("axis").replace(old, new)), folder)
    return f"{old} is {new!r} in {where}"


# ---------------------------------------------------------------- tables


def change_table(
    sent: Sent, rng: Rng, folder: Path, edit: Callable[[pl.DataFrame], pl.DataFrame], *names: str
) -> str:
    """Edit a table of the folder, one of these or any."""
    known = [name for name in names if name in sent.tables] or sent.tables
    name = pick(rng, known)
    sent.put_table(name, edit(sent.table(name)), folder)
    return name


@change
def drop_column(sent: Sent, rng: Rng, folder: Path) -> str:
    column = rng.random()

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.drop(frame.columns[int(column * frame.width)])

    return f"{change_table(sent, rng, folder, edit)}: column {column:.2f} dropped"


@change
def rename_column(sent: Sent, rng: Rng, folder: Path) -> str:
    column = rng.random()
    new = pick(rng, ("", "ID", "=x", "x" * 300, "a\nb", "\u202eid", "score "))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.rename({frame.columns[int(column * frame.width)]: new})

    return f"{change_table(sent, rng, folder, edit)}: column {column:.2f} is {new!r:.20}"


@change
def retype_column(sent: Sent, rng: Rng, folder: Path) -> str:
    column = rng.random()
    kind = pick(
        rng, (pl.String, pl.Int8, pl.Boolean, pl.Float32, pl.Categorical, pl.Binary, pl.List)
    )

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        name = frame.columns[int(column * frame.width)]
        if kind is pl.List:
            return frame.with_columns(pl.concat_list(name).alias(name))
        text = pl.col(name).cast(pl.String, strict=False)
        cast = text if kind in (pl.Categorical, pl.Binary, pl.String) else pl.col(name)
        if kind is pl.Boolean:
            return frame.with_columns(pl.lit(True).alias(name))
        return frame.with_columns(cast.cast(kind, strict=False).alias(name))

    return f"{change_table(sent, rng, folder, edit)}: column {column:.2f} as {kind}"


@change
def put_nulls(sent: Sent, rng: Rng, folder: Path) -> str:
    column, every = rng.random(), bool(rng.integers(2))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        name = frame.columns[int(column * frame.width)]
        hit = pl.lit(True) if every else pl.int_range(pl.len()) % 7 == 3
        return frame.with_columns(pl.when(~hit).then(name).alias(name))

    return f"{change_table(sent, rng, folder, edit)}: column {column:.2f} null"


@change
def put_number_into_table(sent: Sent, rng: Rng, folder: Path) -> str:
    value = pick(rng, (np.nan, np.inf, -np.inf, 1e308, 1e101, -1e99, 7.5, -7.5))
    column, rows = rng.random(), pick(rng, (1, 5, 10**9))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        names = [name for name, kind in frame.schema.items() if kind == pl.Float64]
        name = names[int(column * len(names))]
        hit = pl.int_range(pl.len()) < rows
        return frame.with_columns(pl.when(hit).then(pl.lit(value)).otherwise(name).alias(name))

    tables = ("scores", "estimates", "people")
    return f"{change_table(sent, rng, folder, edit, *tables)}: {value} in {rows} rows"


@change
def repeat_rows(sent: Sent, rng: Rng, folder: Path) -> str:
    rows = pick(rng, (1, 3, 10**6))
    return (
        f"{change_table(sent, rng, folder, lambda f: pl.concat([f, f.head(rows)]))}: {rows} twice"
    )


@change
def drop_rows(sent: Sent, rng: Rng, folder: Path) -> str:
    start = int(rng.integers(5))
    return f"{change_table(sent, rng, folder, lambda f: f.slice(start, f.height // 2))}: half of it"


@change
def shuffle_rows(sent: Sent, rng: Rng, folder: Path) -> str:
    seed = int(rng.integers(1000))
    edited = change_table(
        sent, rng, folder, lambda f: f.sample(fraction=1, shuffle=True, seed=seed)
    )
    return f"{edited}: rows shuffled"


@change
def empty_table(sent: Sent, rng: Rng, folder: Path) -> str:
    return f"{change_table(sent, rng, folder, lambda frame: frame.head(0))}: no rows"


@change
def put_other_name(sent: Sent, rng: Rng, folder: Path) -> str:
    column, rows = rng.random(), pick(rng, (1, 10**9))
    name = pick(
        rng, ("nobody", "", "vader ", "\u202ex", "female-female", "../../x", "eec-es", "=1")
    )

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        texts = [key for key, kind in frame.schema.items() if kind == pl.String]
        key = texts[int(column * len(texts))]
        hit = pl.int_range(pl.len()) < rows
        return frame.with_columns(pl.when(hit).then(pl.lit(name)).otherwise(key).alias(key))

    return f"{change_table(sent, rng, folder, edit)}: text {column:.2f} := {name!r} in {rows} rows"


@change
def add_column(sent: Sent, rng: Rng, folder: Path) -> str:
    name = pick(rng, ("age", "", "=x", "score_right", "text_first", "literal", "index"))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(pl.lit("young").alias(name))

    return f"{change_table(sent, rng, folder, edit)}: column {name!r} added"


@change
def change_answers(sent: Sent, rng: Rng, folder: Path) -> str:
    columns = pick(rng, (["raw"], ["score"], ["raw", "score"]))
    shift, share = pick(rng, (0.02, -0.3)), pick(rng, (0.5, 1.0, 0.02))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        hit = pl.int_range(pl.len()) < share * pl.len()
        there = [name for name in columns if name in frame.columns]
        return frame.with_columns(
            pl.when(hit).then(pl.col(name) + shift).otherwise(name).alias(name) for name in there
        )

    edited = change_table(sent, rng, folder, edit, "scores")
    return f"{edited}: {' and '.join(columns)} {shift:+} in {share:.0%}"


@change
def swap_groups(sent: Sent, rng: Rng, folder: Path) -> str:
    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        if "gender" not in frame.columns:
            return frame.reverse()
        swap = {"female": "male", "male": "female"}
        return frame.with_columns(pl.col("gender").replace(swap))

    return f"{change_table(sent, rng, folder, edit, 'sentences')}: women and men swapped"


@change
def change_sentences(sent: Sent, rng: Rng, folder: Path) -> str:
    key = pick(rng, ("text", "person", "match", "frame", "template", "emotion", "id", "edition"))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        if key not in frame.columns:
            return frame
        hit = pl.int_range(pl.len()) % 11 == 2
        other = pl.col(key) + pick(rng, (" x", "\n", "\0", "\u202e"))
        return frame.with_columns(pl.when(hit).then(other).otherwise(key).alias(key))

    return f"{change_table(sent, rng, folder, edit, 'sentences')}: some {key} changed"


@change
def change_people(sent: Sent, rng: Rng, folder: Path) -> str:
    key = pick(rng, ("weight", "probability", "frames", "bearers", "match", "person", "family"))
    value = pick(rng, (0, -1, 1e9, 0.5, None))

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        if key not in frame.columns:
            return frame.reverse()
        kind = frame.schema[key]
        hit = pl.int_range(pl.len()) % 3 == 0
        new = pl.lit(value).cast(pl.Float64).cast(kind, strict=False)
        return frame.with_columns(pl.when(hit).then(new).otherwise(key).alias(key))

    return f"{change_table(sent, rng, folder, edit, 'people')}: {key} := {value}"


BOMB_ROWS = 30_000_000


@cache
def _bomb(row: str, folder: Path) -> bytes:
    """Millions of one row, in half a megabyte."""
    frame = pl.DataFrame(json.loads(row)).lazy()
    path = folder / "bomb.parquet"
    part = pl.concat([frame] * 1000).collect()
    pl.concat([pl.concat([part] * 1000).lazy()] * (BOMB_ROWS // 10**6)).sink_parquet(path)
    return path.read_bytes()


@change
def repeat_rows_without_end(sent: Sent, rng: Rng, folder: Path) -> str:
    names = [name for name in ("scores", "sentences", "people") if name in sent.tables]
    name = pick(rng, [name for name in names if sent.table(name).height])
    row = json.dumps(sent.table(name).head(1).to_dicts())
    sent.put_bytes(f"{name}.parquet", _bomb(row, folder.parent))
    return f"{name}: {BOMB_ROWS:,} rows in {len(sent.files[f'{name}.parquet']):,} bytes"


# ---------------------------------------------------------------- files


@change
def add_file(sent: Sent, rng: Rng, folder: Path) -> str:
    trap = (folder / "trap.py").read_bytes()
    name, data = pick(rng, (
        ("model.json", json.dumps({"kind": "python", "code": trap.decode()}).encode()),
        ("trap.py", trap), ("sitecustomize.py", trap), ("conftest.py", trap), ("polars.py", trap),
        ("tables/=cmd.csv", b"=1+1\n"), ("scores.csv", b"text,score\na,1\n"), ("x" * 200, b""),
        ("pyproject.toml", b"[tool.tiltmeter]\nsystems = ['cmd:touch ran']\n"),
        ("explored.csv", b"text\n=1+1\n"), ("a\u202eb", b""), (".hidden", b""),
        ("ratings.json", b"{}"), ("embeddings.json", b"{}"), ("findings.json.bak", b"{}"),
    ))  # fmt: skip
    sent.put_bytes(name, data)
    if listed := bool(rng.integers(2)):
        list_file(sent, name)
    return f"{name[:30]!r} added{', listed' * listed}"


@change
def remove_file(sent: Sent, rng: Rng, _: Path) -> str:
    name = pick(rng, sent.files)
    del sent.files[name]
    sent.trees.pop(name, None)
    delisted = bool(rng.integers(2)) and name != RUN
    if delisted:
        run = sent.tree(RUN)
        run["files"] = [entry for entry in run["files"] if entry["file"] != name]
    sent.touch(name)
    return f"{name} removed{' and taken off the list' * delisted}"


@change
def link_file(sent: Sent, rng: Rng, folder: Path) -> str:
    name = pick(rng, (RUN, FINDINGS, "report.html", "scores.parquet", "sentences.parquet", RATINGS))
    name = name if name in sent.files else RUN
    target = pick(rng, ("../victim/kept.txt", "/dev/zero", "/etc/passwd", "nowhere", "copy"))
    if target == "copy":  # a link to what it was, elsewhere
        (folder / "copy").write_bytes(sent.seal()[name])
        target = "../copy"
    sent.odd[name] = link_to(target)
    sent.touch(name)
    return f"{name} → {target}"


@change
def link_folder(sent: Sent, rng: Rng, _: Path) -> str:
    name = pick(rng, ("tables", "model-cards", "figures", "individual"))
    target = pick(rng, ("../victim", "/etc", ".", "nowhere"))
    for inside in [file for file in sent.files if file.startswith(f"{name}/")]:
        del sent.files[inside]
    sent.odd[name] = link_to(target)
    return f"{name} → {target}"


@change
def put_pipe_for_file(sent: Sent, rng: Rng, _: Path) -> str:
    name = pick(rng, (RUN, FINDINGS, "scores.parquet", "people.parquet", RATINGS, "report.html"))
    name = name if name in sent.files else RUN
    sent.odd[name] = put_pipe
    sent.touch(name)
    return f"{name} is a pipe"


@change
def put_folder_for_file(sent: Sent, rng: Rng, _: Path) -> str:
    name = pick(rng, sent.files)
    sent.odd[name] = lambda path: path.mkdir()
    sent.touch(name)
    return f"{name} is a folder"


# ---------------------------------------------------------------- hashes that do not fit

QUIET_CHANGES = (forge_verdicts, forge_numbers, change_answers, forge_estimates, shuffle_rows)


@change
def leave_hashes(sent: Sent, rng: Rng, folder: Path) -> str:
    edit = pick(rng, QUIET_CHANGES)
    description = edit(sent, rng, folder)
    sent.sealed, sent.mirrored = False, False
    return f"hashes as they were: {description}"
