"""What is written to be handed on names no folder of the machine it was made on.

Everything lies in folders whose absolute path has a word of its own in it: home, cache, store,
sentences, scores, gold, vectors, code and output. Commands are given absolute paths; then every
file that they wrote is searched for the word, in text, tables, archives and their names.
"""

import io
import json
import sys
import zipfile
from types import SimpleNamespace

import polars as pl
import pytest

from command_line import tiltmeter

WORD = "machine-of-ada"


def searched(path):
    """All that a file holds, as text."""
    content = path.read_bytes()
    yield content.decode("utf-8", errors="replace")
    if path.suffix == ".parquet":
        yield from _cells(content)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                inside = archive.read(name)
                yield name + inside.decode("utf-8", errors="replace")
                if name.endswith(".parquet"):
                    yield from _cells(inside)


def _cells(content):
    frame = pl.read_parquet(io.BytesIO(content))
    yield frame.select(pl.all().cast(pl.String, strict=False)).write_ndjson()


def leaks(folder):
    """Files that name the machine's folders, each with a little of where."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            for text in searched(path):
                if (at := text.find(WORD)) >= 0:
                    found.append(f"{path.relative_to(folder)}: …{text[max(0, at - 90) : at + 70]}…")
                    break
    return found


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Somebody's machine: inputs in place, and commands that must end well."""
    root = tmp_path_factory.mktemp("m") / WORD
    for name in ("home", "cache", "store", "in", "out", "work"):
        (root / name).mkdir(parents=True)
    inputs(root / "in")
    environment = {
        "HOME": str(root / "home"), "TILTMETER_CACHE": str(root / "cache"),
        "TILTMETER_STORE": str(root / "store"),
    }  # fmt: skip

    def run(*arguments, codes=(0,)):
        done = tiltmeter(*map(str, arguments), folder=root / "work", **environment)
        assert done.returncode in codes, f"{arguments}: {done.stderr or done.stdout}"
        return done

    return SimpleNamespace(root=root, given=root / "in", out=root / "out", run=run)


def inputs(folder):
    sentences = [
        (f"{nth}-{side}", f"{who} feels {word}.", side, who, word)
        for nth, (pair, word) in enumerate(
            (pair, word)
            for word in ("happy", "angry", "sad", "glad")
            for pair in (("my sister", "my brother"), ("my mother", "my father"),
                         ("my aunt", "my uncle"), ("this woman", "this man"))
        )
        for side, who in zip(("female", "male"), pair, strict=True)
    ]  # fmt: skip
    rows = [
        f"{key},{text[0].upper()}{text[1:]},{side},{who},{word},{word},{key.split('-')[0]}"
        for key, text, side, who, word in sentences
    ]
    head = "id,text,gender,person,word,frame,match"
    (folder / "sentences.csv").write_text("\n".join([head, *rows]) + "\n")
    scores = [f"{key},{0.3 + 0.4 * (word in ('happy', 'glad')) + 0.01 * (side == 'female')}"
              for key, _, side, _, word in sentences]  # fmt: skip
    for place in (folder, folder / "teams" / "a", folder / "teams" / "b"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "made.csv").write_text("\n".join(["id,score", *scores]) + "\n")
    (folder / "teams" / "c.csv").write_text("nothing,of,use\n1,2,3\n")
    days = [("lovely", 0.9), ("awful", 0.1), ("good", 0.8), ("bad", 0.2), ("sunny", 0.7)]
    gold = [f"t{n},It is a {w} day number {n}.,{s}" for n, (w, s) in enumerate(6 * days)]
    (folder / "gold.csv").write_text("\n".join(["id,text,score", *gold]) + "\n")
    (folder / "meta.csv").write_text("system,family\nvader,lexicon\nmine,code\n")
    (folder / "mine.py").write_text("def score(texts):\n    return [len(t) / 99 for t in texts]\n")
    (folder / "program.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    one = json.loads(line)\n"
        "    print(json.dumps({'id': one['id'], 'score': len(one['text']) / 99}), flush=True)\n"
    )
    good, bad = ([f"{side}{n}" for n in range(60)] for side in "gb")
    words = {word: (-1.0, n / 60) for n, word in enumerate(good)}
    words |= {word: (1.0, n / 60) for n, word in enumerate(bad)}
    words |= {"sister": (0.2, 0.1), "brother": (-0.2, 0.3), "mother": (0.1, 0.2), "x": (0.0, 0.0)}
    lines = [f"{word} {x} {y} 0.5" for word, (x, y) in words.items()]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    (folder / "lexicon").mkdir()
    (folder / "lexicon" / "positive.txt").write_text("\n".join(good))
    (folder / "lexicon" / "negative.txt").write_text("\n".join(bad))
    (folder / "terms.toml").write_text(
        '[list]\nname = "family"\ntitle = "Family"\nlanguage = "en"\nsource = "ours"\n'
        '[[terms]]\nwords = ["sister", "brother", "mother"]\n'
    )


@pytest.fixture(scope="module")
def audited(machine):
    """Two audits of everything that may be a system, with all that an audit can write."""
    given, out = machine.given, machine.out
    for name in ("audit", "again"):
        machine.run(
            "audit", "vader", given / "mine.py:score",
            f"cmd:{sys.executable} {given / 'program.py'}", given / "made.csv", given / "teams",
            "--corpus", given / "sentences.csv", "--gold", given / "gold.csv",
            "--meta", given / "meta.csv", "--individual", "--pack", out / f"{name}.zip",
            "--gate", "gender<=0.01", "--junit", out / f"{name}.xml",
            "--summary", out / f"{name}.md", "--store", machine.root / "store",
            "--json", out / f"{name}.json", "--scale", "0:1", "-o", out / name, codes=(0, 1, 3),
        )  # fmt: skip
    return machine


def test_audits_packs_gates_and_what_is_made_of_them(audited):
    given, out, run = audited.given, audited.out, audited.run
    run("compare", out / "audit", out / "again", "-o", out / "compare", "--json", out / "c.json")
    run("drift", out / "audit", "vader", "--scale", "0:1", "-o", out / "drift")
    run("drift", out / "audit", given / "mine.py:score", "-o", out / "drift-by-path")
    run(
        "drift",
        out / "audit",
        given / "mine.py:score",
        "--as",
        "mine.py:score",
        "-o",
        out / "drift-2",
    )
    run("gate", out / "audit", "--gate", "gender<=0.01", "--junit", out / "g.xml",
        "--summary", out / "g.md", codes=(0, 1, 3))  # fmt: skip
    run("pack", out / "audit", out / "packed.zip")
    run("verify", out / "packed.zip", "--json", out / "verified.json")
    run("verify", out / "audit.zip", "--json", out / "verified-2.json")
    card = run("card", out / "audit")
    assert WORD not in card.stdout
    run("plan", "--from", out / "audit", "--json", out / "plan.json")
    assert leaks(out) == []


def test_scores_skill_ratings_and_checks(machine):
    given, out, run = machine.given, machine.out, machine.run
    run("score", "vader", given / "mine.py:score", given / "teams", "--corpus",
        given / "sentences.csv", "--scale", "0:1", "--reports", out / "reports.csv",
        "-o", out / "scores.parquet")  # fmt: skip
    run("corpus", "export", given / "sentences.csv", "-o", out / "corpus.parquet")
    run("skill", "vader", given / "mine.py:score", "--gold", given / "gold.csv", "--scale", "0:1",
        "-o", out / "skill.csv", "--json", out / "skill.json")  # fmt: skip
    run("rate", "vader", given / "mine.py:score", "--groups", "1", "--draws", "50", "--scale",
        "0:1", "-o", out / "rating")  # fmt: skip
    run("rate", "textblob", "--groups", "1", "--draws", "50", "--reference",
        out / "rating" / "ratings.json", "-o", out / "rating-2")  # fmt: skip
    run("check-submissions", given / "teams", "--corpus", given / "sentences.csv", "--json",
        out / "checked.json", codes=(0, 2))  # fmt: skip
    assert leaks(out) == []


def test_embeddings_and_what_they_are_linked_to(machine):
    given, out, run = machine.given, machine.out, machine.run
    run("embeddings", given / "vectors.txt", "--lexicon", given / "lexicon", "--terms",
        given / "terms.toml", "--weat", "none", "--resamples", "40",
        "-o", out / "vectors")  # fmt: skip
    run("embeddings", "glove-6b-50d", "--terms", "gender", "--weat", "none", "--resamples", "40",
        "--system", given / "mine.py:score", "-o", out / "glove")  # fmt: skip
    assert leaks(out) == []


def test_a_trained_model_is_audited_without_saying_where_its_vectors_lie(machine):
    given, out, run = machine.given, machine.out, machine.run
    gold = given / "gold.csv"
    run("train", "svm-unigrams", "--train", gold, "--dev", gold, "--test", gold, "--task",
        "valence", "-o", machine.root / "models" / "svm")  # fmt: skip
    run("audit", machine.root / "models" / "svm", "--corpus", given / "sentences.csv", "--measure",
        "pairs", "-o", out / "trained")  # fmt: skip
    assert leaks(out) == []


def test_what_is_given_relative_stays_as_it_was_typed(machine):
    (machine.root / "work" / "code").mkdir()
    (machine.root / "work" / "code" / "own.py").write_text((machine.given / "mine.py").read_text())
    machine.run("audit", "./code/own.py:score", "--corpus", "../in/sentences.csv", "--measure",
                "pairs", "--scale", "0:1", "-o", machine.out / "relative")  # fmt: skip
    told = json.loads((machine.out / "relative" / "run.json").read_text())
    assert told["run"]["systems"][0]["system"] == "./code/own.py:score"
    assert told["environment"]["command"] == (
        "tiltmeter audit ./code/own.py:score --corpus ../in/sentences.csv --measure pairs "
        "--scale 0:1 -o relative"
    )
    assert leaks(machine.out / "relative") == []
