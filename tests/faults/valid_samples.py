"""A valid file for every reader: what is damaged, cut and spliced in test_reading_anything.py.

The next reader is one line in `READERS`: its name, the function that reads a path, and the files
it needs, the first of which is damaged.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shlex
import struct
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path

import numpy as np
import polars as pl

from tiltmeter.corpora import (
    load_analogies,
    load_corpus,
    load_direction,
    load_lexicon,
    load_rating_group,
    load_similarities,
    load_terms,
    load_word_tests,
    read_gold,
    read_rating_results,
    read_shares,
    read_system_metadata,
)
from tiltmeter.report.folder import check_folder, marked, remove_stale
from tiltmeter.scoring import Store
from tiltmeter.studies.rating.panel import read_panel
from tiltmeter.studies.training import grid
from tiltmeter.studies.training import word_vectors as tweet_vectors
from tiltmeter.systems import Card, ask, open_system, read_scores
from tiltmeter.systems.glove_lexicon import Weights, load_or_fit
from tiltmeter.systems.gru import CLASSES, VOCABULARY, network_shapes, read_network
from tiltmeter.systems.service.connection import Limits, Reply, Service, fetch
from tiltmeter.systems.service.redaction import secrets
from tiltmeter.systems.service.score_extractor import ScoreExtractor
from tiltmeter.vectors import open_encoder, open_vectors, read_model_folder
from tiltmeter.vectors.cache import Shards
from tiltmeter.vectors.encoder import encoder_failure

Files = Mapping[str, bytes]
MOST_SENTENCES = 20_000
"""A damaged corpus may multiply its lists; more sentences than these are not written out."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Something that reads a file, and files it can read; the first of them is damaged."""

    name: str
    read: Callable[[Path], object]
    files: Callable[[], Files]

    @property
    def file(self) -> str:
        """The name of the file that is damaged."""
        return next(iter(self.files()))


# ---------------------------------------------------------------- corpora and tables

STARTER = resources.files("tiltmeter.corpora").joinpath("starter.toml").read_bytes()
RATING = resources.files("tiltmeter.corpora").joinpath("data/rating-1.toml").read_bytes()
SENTENCES = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "text": ["She feels angry.", "He feels angry.", "She is glad.", "He is glad."],
        "template": ["1", "1", "2", "2"],
        "person": ["she", "he", "she", "he"],
        "gender": ["female", "male", "female", "male"],
        "emotion": ["anger", "anger", "joy", "joy"],
        "emotion_word": ["angry", "angry", "glad", "glad"],
    }
)
PUBLISHED = pl.DataFrame(
    {
        "ID": ["2018-En-mystery-05498", "2018-En-mystery-11722"],
        "Sentence": ["Alonzo feels angry.", "Jack feels angry."],
        "Template": ["<person subject> feels <emotion word>."] * 2,
        "Person": ["Alonzo", "Jack"],
        "Gender": ["male"] * 2,
        "Race": ["African-American", "European"],
        "Emotion": ["anger"] * 2,
        "Emotion word": ["angry"] * 2,
    }
)
GOLD = pl.DataFrame(
    {"ID": ["a", "b", "c", "d"], "text": ["so", "good", "bad", "ok"], "score": [0.1, 0.9, 0.2, 0.5]}
)
SEMEVAL = (
    b"ID\tTweet\tAffect Dimension\tIntensity Score\n"
    b'2018-En-1\tso "good\tjoy\t0.9\n2018-En-2\tbad\tjoy\t0.1\n2018-En-3\tmeh\tjoy\t0.4\n'
)
ABOUT = pl.DataFrame({"system": ["a", "b"], "team": ["x", "y"], "features": ["w;v", "w"]})
SHARES = pl.DataFrame({"gender": ["female", "male", "NA"], "positive": [0.9, 0.1, 0.5]})
OUTPUTS = pl.DataFrame(
    {
        "Sentence": ["she is happy", "he is grim", "she is grim", "he is happy"],
        "Gender": ["female", "male", "female", "male"],
        "Emotion": ["happy", "grim", "grim", "happy"],
        "Sentiment": [0.5, -0.25, 0.75, 1.0],
    }
)
SCORES = pl.DataFrame({"id": ["1", "2", "3", "4"], "score": [0.5, -0.25, 0.125, 1.0]})
TEXT_SCORES = pl.DataFrame({"Sentence": SENTENCES["text"], "valence": [0.5, 0.25, 0.125, 1.0]})


def written(frame: pl.DataFrame, ending: str) -> bytes:
    """A frame as the bytes of a file."""
    file = io.BytesIO()
    write = {
        "csv": frame.write_csv,
        "tsv": partial(frame.write_csv, separator="\t"),
        "txt": partial(frame.write_csv, separator="\t"),
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "xlsx": partial(write_workbook, frame),
    }[ending]
    write(file)
    return file.getvalue()


def write_workbook(frame: pl.DataFrame, file: io.BytesIO) -> None:
    """A frame as the first sheet of a workbook."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (frame.columns, *frame.rows()):
        book.active.append(list(row))
    book.save(file)


def sentences_of(corpus: object) -> None:
    """Write a corpus out, as every command does that uses it."""
    if corpus.size <= MOST_SENTENCES:  # type: ignore[attr-defined]
        corpus.sentences()  # type: ignore[attr-defined]


def tables(
    name: str, read: Callable[[Path], object], frame: pl.DataFrame, stem: str, *endings: str
) -> list[Reader]:
    """A reader of tables with a file of each format."""
    return [
        Reader(
            f"{name} .{ending}",
            read,
            cache(lambda ending=ending: {f"{stem}.{ending}": written(frame, ending)}),
        )
        for ending in endings
    ]


# ---------------------------------------------------------------- files of words

TERMS = b"""[list]
name = "faiths"
title = "Faiths"
language = "en"
source = "ours"
review = "unreviewed"

[[terms]]
group = "Sikh"
words = ["Sikh", "Khalsa"]
also = { Sikh = ["Sikhs"] }

[[terms]]
group = "Jain"
words = ["Jain"]
"""
LEXICON = b"""[lexicon]
name = "mine"
title = "Mine"
positive = ["good", "fine", "glad", "happy", "kind", "warm", "calm", "fair", "bright", "dear"]
negative = ["bad", "sad", "grim", "awful", "cruel", "cold", "vile", "poor", "dire", "foul"]
"""
GOOD = b"good fine glad happy kind warm calm fair bright dear".split()
BAD = b"bad sad grim awful cruel cold vile poor dire foul".split()
WEAT = b"""[list]
name = "mine"

[[tests]]
name = "one"
first = ["rose", "tulip"]
second = ["ant", "wasp"]
good = ["love", "peace"]
bad = ["war", "hate"]
published = 1.5
"""
DIRECTION = b"""[direction]
name = "mine"
first_name = "women"
second_name = "men"
pairs = [["she", "he"], ["her", "his"], ["woman", "man"]]
neutral = ["engineer", "nurse"]
"""
ANALOGIES = b"""[list]
name = "mine"

[[sections]]
name = "capitals"
pairs = [["Paris", "France"], ["Rome", "Italy"]]
"""
QUESTIONS = b": capitals\nParis France Rome Italy\nRome Italy Paris France\n"
SIMILAR = b"Word 1\tWord 2\tHuman (mean)\nlove\tsex\t6.77\ntiger\tcat\t7.35\nbook\tpaper\t7.46\n"
WORTH = b"\n".join([b"word\tscore", *(b"%s\t2.5" % w for w in GOOD), *(b"%s\t-2" % w for w in BAD)])
SIDES = {"positive.txt": b"; a list\n" + b"\n".join(GOOD), "negative.txt": b"\n".join(BAD)}

# ---------------------------------------------------------------- systems

DESCRIPTION = b"""[system]
name = "mine"
url = "http://127.0.0.1:9/score"
task = "valence"
languages = ["en"]
scale = [-1, 1]

[request]
body = { text = "{text}", options = [1, { deep = true }] }
headers = { X-Thing = "yes" }

[answer]
score = "result[0].score"

[limits]
concurrency = 2
timeout = 1.5
retries = 0
"""
ANSWER = b'{"result": [{"score": 0.5, "label": "good", "sure": 0.75}], "took": 12}'
PRINTED = b'{"id": 1, "score": 0.5}\n{"id": 2, "score": -0.25}\n'
JMESPATH = b"result[?label == 'good'] | [0].score"
CARD = {
    "schema_version": 1, "recipe": "svm-unigrams", "kind": "sklearn", "task": "valence",
    "language": "en", "name": "tiny", "weights": {"file": "pipeline.skops", "sha256": ""},
    "data": {"train": {"rows": 4}},
}  # fmt: skip


@cache
def skops_bytes() -> bytes:
    """A small fitted pipeline."""
    import skops.io
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(), Ridge()).fit(["good", "bad", "so good"], [1, 0, 0.9])
    return skops.io.dumps(model)


def trained_files() -> Files:
    """A trained model's folder, its card first."""
    digest = hashlib.sha256(skops_bytes()).hexdigest()
    card = {**CARD, "weights": {"file": "pipeline.skops", "sha256": digest}}
    return {"model.json": json.dumps(card).encode(), "pipeline.skops": skops_bytes()}


def weights_files() -> Files:
    """The same, its weights first."""
    return dict(reversed(trained_files().items()))


@cache
def gru_files() -> Files:
    """A network of two words."""
    from safetensors.numpy import save

    rng = np.random.default_rng(0)
    sizes = network_shapes(2, 3, 2)
    arrays = {key: rng.normal(size=shape).astype(np.float32) for key, shape in sizes.items()}
    assert CLASSES
    return {"gru.safetensors": save(arrays, {VOCABULARY: json.dumps(["good", "bad"])})}


def gru_card_files() -> Files:
    """A trained GRU's folder, its card first."""
    (name, data) = next(iter(gru_files().items()))
    weights = {"file": name, "sha256": hashlib.sha256(data).hexdigest()}
    card = {**CARD, "kind": "gru", "weights": weights, "settings": {"answer": "class"}}
    return {"model.json": json.dumps(card).encode(), name: data}


@cache
def features_files() -> Files:
    """A trained model that reads texts through word vectors of its own folder, its card first."""
    import skops.io
    from sklearn.linear_model import Ridge

    head = skops.io.dumps(Ridge().fit(np.eye(3), [0.1, 0.5, 0.9]))
    weights = {"file": "head.skops", "sha256": hashlib.sha256(head).hexdigest()}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "words.txt").write_bytes(GLOVE)
        digest = open_encoder("words.txt", language="en", beside=Path(folder)).digest
    encoders = [{"spec": "words.txt", "digest": digest, "name": "w"}]
    card = {**CARD, "kind": "features", "weights": weights, "encoders": encoders}
    return {"model.json": json.dumps(card).encode(), "head.skops": head, "words.txt": GLOVE}


def answers(path: Path) -> None:
    """A service's answer read through the whole way of a reply, as a number and as a label."""
    import httpx2

    data = path.read_bytes()

    async def parts() -> AsyncIterator[bytes]:
        yield data

    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=parts()))
    client = httpx2.AsyncClient(transport=transport)
    service = Service("mine", "http://127.0.0.1:9/", client, Limits(retries=0), secrets([]))
    reply = fetch(service, "POST", {"text": "so"})
    service.close()
    if isinstance(reply, Reply):
        for many in (False, True):
            ScoreExtractor("result[0].score", many=many).extract(reply, 2)
            labels = {"good": 1.0, "bad": 0.0}
            ScoreExtractor("result[].label", labels, "sum(result[].sure)").extract(reply, 1)


def described(path: Path) -> None:
    """A described service opened and closed; nothing is sent."""
    open_system(str(path)).close()


def score_path(path: Path) -> None:
    """A JMESPath as a description holds it, then used on an answer."""
    expression = path.read_bytes().decode(errors="replace")
    told = DESCRIPTION.decode().replace('"result[0].score"', json.dumps(expression))
    beside = path.with_suffix(".toml")
    beside.write_text(told.replace("\x7f", ""), encoding="utf-8")
    described(beside)
    reply = Reply(json.loads(ANSWER), "…", secrets([]))
    ScoreExtractor(expression).extract(reply, 1)


def scores_of(path: Path) -> object:
    """Scores made elsewhere, joined to the sentences."""
    return read_scores(path, SENTENCES)


def trained(path: Path) -> None:
    """A trained model opened, and asked where it opens."""
    ask(open_system(str(path.parent)), ["so good", ""])


def program(path: Path) -> None:
    """A program whose answers stand in a file."""
    waits = ["sh", "-c", f"read text; cat {shlex.quote(str(path))}"]
    system = open_system(f"cmd:{shlex.join(waits)}")
    try:
        ask(system, ["so good", "so bad"])
    finally:
        system.close()


def estimator(path: Path) -> None:
    """A pipeline opened, and asked where it opens."""
    ask(open_system(f"sklearn:{path}"), ["so good", ""])


# ---------------------------------------------------------------- vectors

WORDS = ("she", "he", "good", "bad", "new_york")
ROWS = np.arange(15, dtype=np.float32).reshape(5, 3) / 8
GLOVE = b"".join(
    f"{word} {' '.join(map(str, row))}\n".encode()
    for word, row in zip(WORDS, ROWS.tolist(), strict=True)
)
HEADED = b"5 3\n" + GLOVE
WORD2VEC = b"5 3\n" + b"".join(
    word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, ROWS, strict=True)
)
NUMBERBATCH = b"5 3\n" + b"".join(b"/c/en/" + line + b"\n" for line in GLOVE.splitlines())


def numpy_bytes(save: Callable[..., None], **arrays: object) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def npz_bytes(save: Callable[..., None] = np.savez) -> bytes:
    return numpy_bytes(save, words=np.array(WORDS), vectors=ROWS, name=np.array("mine"))


def fasttext_bytes() -> bytes:
    """A model of five words and four buckets."""
    settings = (3, 5, 1, 1, 5, 1, 1, 1, 4, 3, 6, 100)
    head = struct.pack("<2i12id3i2q", 793712314, 12, *settings, 1e-4, 5, 5, 0, 100, -1)
    entries = b"".join(word.encode() + b"\0" + struct.pack("<qb", 7, 0) for word in WORDS)
    matrix = np.arange(27, dtype="<f4").tobytes()
    return head + entries + struct.pack("<?2q", False, 9, 3) + matrix


def gensim_bytes() -> bytes:
    """A KeyedVectors as gensim 4 pickles it, written without gensim."""
    import pickle
    import sys
    import types

    name = "gensim.models.keyedvectors"
    module = types.ModuleType(name)
    module.KeyedVectors = type("KeyedVectors", (), {"__module__": name})  # type: ignore[attr-defined]
    named = {"gensim": types.ModuleType("gensim"), "gensim.models": types.ModuleType("m")}
    sys.modules.update(named | {name: module})
    try:
        held = module.KeyedVectors()
        held.__dict__.update(
            vectors=ROWS,
            index_to_key=list(WORDS),
            key_to_index={word: row for row, word in enumerate(WORDS)},
        )
        return pickle.dumps(held, 4)
    finally:
        for each in (*named, name):
            del sys.modules[each]


VECTOR_FRAME = pl.DataFrame({"word": list(WORDS), "vector": ROWS.tolist()})
WIDE_FRAME = pl.DataFrame({"word": list(WORDS)}).hstack(pl.DataFrame(ROWS, ["a", "b", "c"]))


def vectors(path: Path) -> None:
    """Word vectors opened, and some of their words looked up."""
    found = open_vectors(str(path))
    found.lookup([*WORDS, "nobody", "…"])
    assert found.digest
    assert isinstance(found.notes, tuple)


def vector_files(name: str, data: bytes | Callable[[], bytes], **beside: bytes) -> Reader:
    made = data if callable(data) else lambda: data
    more = {key.replace("_", "."): value for key, value in beside.items()}
    return Reader(f"vectors {name}", vectors, cache(lambda: {name: made(), **more}))


# ---------------------------------------------------------------- what we wrote ourselves

STORED = Card("mine", "valence")


@cache
def store_files() -> Files:
    """A store of one system: shard, card and pace."""
    rows = pl.DataFrame(
        {"text": ["a", "b"], "repeat": [0, 0], "raw": [0.5, None], "reason": [None, "silent"]},
        schema={"text": pl.String, "repeat": pl.Int64, "raw": pl.Float64, "reason": pl.String},
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        store.write(STORED, rows)
        store.write(STORED, rows.with_columns(pl.col("text") + "!"), block="k-0")
        store.note_pace(STORED, 10, 0.5)
        found = sorted(Path(folder).rglob("*"))
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in found
            if path.is_file()
        }


def stored(path: Path) -> None:
    """Everything a store is asked."""
    store = Store(path.parent.parent)
    store.read(STORED.fingerprint)
    store.blocks(STORED.fingerprint)
    store.entries()
    store.verify()
    store.pace(STORED)
    store.keep_card(STORED)


def store_reader(what: str, part: str) -> Reader:
    def files() -> Files:
        first = next(name for name in store_files() if part in name)
        return {first: store_files()[first], **store_files()}

    return Reader(f"store {what}", stored, cache(files))


def features(path: Path) -> None:
    """Kept rows of an encoder."""
    shards = Shards(path.parent, 3)
    shards.take([b"k" * 32, b"l" * 32], np.empty((2, 3), np.float32))
    shards.tidy()


def features_bytes() -> bytes:
    keys = np.frombuffer(b"k" * 32 + b"l" * 32, np.uint8).reshape(2, 32)
    return numpy_bytes(np.savez, keys=keys, rows=np.ones((2, 3), np.float32))


def logistic_bytes() -> bytes:
    return numpy_bytes(np.savez, slopes=np.ones(3), intercept=np.float64(0.5))


RATINGS = {
    "schema_version": 2, "environment": {}, "levels": 3,
    "run": {
        "rating": {"mode": "corrected", "edition": "corrected", "raw": "die", "k": 1, "seed": 0,
                   "multiplicity": "none", "groups": ["1"]},
        "groups": [{"group": "1", "checksum": "0"}],
    },
    "confidence": [0.9, 0.75], "weights": [1.0, 0.8], "repeats": 0,
    "columns": [{"column": "G1", "measure": "wrs"}],
    "systems": [
        {"system": "a", "task": "valence", "variant": "continuous", "overall": 1,
         "groups": {"G1": {"psi": 0.5, "x": False, "rating": 1}}},
        {"system": "b", "task": "valence", "variant": "continuous", "overall": 2,
         "groups": {"G1": {"psi": 1.5, "x": False, "rating": 2}}},
    ],
}  # fmt: skip
RUN = {
    "tool": "tiltmeter", "schema_version": 1, "complete": True,
    "files": [{"file": "tables/a.csv", "sha256": "0" * 64}, {"file": "report.html", "sha256": ""}],
}  # fmt: skip


def results_folder(path: Path) -> None:
    """A folder of results that is written into again."""
    check_folder(path.parent, force=True)
    remove_stale(path.parent, marked(path.parent), ["report.html"])


def standing_card(path: Path) -> object:
    """A cell of a grid that may stand already."""
    job = grid.TrainingJob(grid.RECIPES["svm-tfidf"], "en", "joy")
    return grid.standing_card(path.parent, job, {})


CELL = {"weights": {"file": "w", "sha256": hashlib.sha256(b"").hexdigest()}, "data": {}}
GRID_TABLE = b"folder,language,task,recipe,seconds\nen/svm,en,valence,svm-tfidf,1.5\n"

# ---------------------------------------------------------------- all of them

TABLES = ("csv", "tsv", "jsonl", "parquet")
TOML = {
    "corpus .toml": (lambda path: sentences_of(load_corpus(path)), "corpus.toml", STARTER),
    "rating group .toml": (lambda path: sentences_of(load_rating_group(path)), "g.toml", RATING),
    "terms .toml": (load_terms, "terms.toml", TERMS),
    "lexicon .toml": (lambda path: load_lexicon([path]), "lexicon.toml", LEXICON),
    "word tests .toml": (load_word_tests, "weat.toml", WEAT),
    "direction .toml": (load_direction, "direction.toml", DIRECTION),
    "analogies .toml": (load_analogies, "analogies.toml", ANALOGIES),
    "description .toml": (described, "service.toml", DESCRIPTION),
}
JSON = {
    "service's answer": (answers, "answer.json", ANSWER),
    "ratings.json": (read_panel, "ratings.json", json.dumps(RATINGS).encode()),
    "run.json": (results_folder, "run.json", json.dumps(RUN).encode()),
    "cell of a grid": (standing_card, "model.json", json.dumps(CELL).encode()),
    "config.json": (
        lambda path: read_model_folder("mine", path.parent, encoder_failure).labels,
        "config.json",
        b'{"id2label": {"0": "neg", "1": "pos"}, "max_position_embeddings": 512}',
    ),
}
PLAIN = {
    "gold .txt": (read_gold, "V-reg-En.txt", SEMEVAL),
    "similarities": (load_similarities, "wordsim353.tsv", SIMILAR),
    "analogies .txt": (load_analogies, "questions-words.txt", QUESTIONS),
    "lexicon table": (lambda path: load_lexicon([path]), "worth.txt", WORTH),
    "score path": (score_path, "path.jmespath", JMESPATH),
    "grid's table": (lambda path: grid.other_rows(path.parent, []), grid.TABLE, GRID_TABLE),
    "logistic weights": (
        lambda path: load_or_fit(path, lambda: Weights(np.ones(1), 0.0)),
        "w.npz",
        logistic_bytes(),
    ),
    "kept features": (features, "shard.npz", features_bytes()),
    "tweet vectors": (tweet_vectors.vectors_source, "tweets.npz", npz_bytes()),
    "pipeline .skops": (estimator, "pipeline.skops", skops_bytes),
}


def single(name: str, read: Callable[[Path], object], file: str, data: object) -> Reader:
    made = data if callable(data) else lambda: data
    return Reader(name, read, cache(lambda: {file: made()}))


READERS: list[Reader] = [
    *(single(name, *told) for name, told in (TOML | JSON | PLAIN).items()),
    *tables("corpus", lambda p: sentences_of(load_corpus(p)), SENTENCES, "mine", *TABLES, "xlsx"),
    *tables("published corpus", lambda p: sentences_of(load_corpus(p)), PUBLISHED, "eec", "csv"),
    *tables("gold", read_gold, GOLD, "gold", *TABLES),
    *tables("about systems", read_system_metadata, ABOUT, "about", *TABLES),
    *tables("shares", read_shares, SHARES, "shares", *TABLES),
    *tables("stored outputs", read_rating_results, OUTPUTS, "sys_g2_e3", *TABLES),
    *tables("scores", scores_of, SCORES, "scores", *TABLES, "txt", "xlsx"),
    *tables("scores by text", scores_of, TEXT_SCORES, "said", *TABLES),
    Reader("lexicon folder", lambda path: load_lexicon([path.parent]), lambda: SIDES),
    single("program's answers", program, "answers.jsonl", PRINTED),
    Reader("model.json", trained, trained_files),
    Reader("model.json of a GRU", trained, cache(gru_card_files)),
    Reader("model.json of features", trained, features_files),
    Reader("GRU .safetensors", lambda path: read_network("mine", path), gru_files),
    store_reader("shard", "."),
    store_reader("block", "-block-"),
    store_reader("card.json", "card.json"),
    store_reader("pace.json", "pace.json"),
    vector_files("glove.txt", GLOVE),
    vector_files("headed.vec", HEADED),
    vector_files("numberbatch.txt", NUMBERBATCH),
    vector_files("glove.txt.gz", lambda: gzip.compress(GLOVE, mtime=0)),
    vector_files("word2vec.bin", WORD2VEC),
    vector_files("word2vec.bin.gz", lambda: gzip.compress(WORD2VEC, mtime=0)),
    vector_files("fasttext.bin", fasttext_bytes),
    vector_files(
        "rows.npy",
        lambda: numpy_bytes(partial(np.save, arr=ROWS)),
        rows_txt="\n".join(WORDS).encode(),
    ),
    vector_files("arrays.npz", npz_bytes),
    vector_files("packed.npz", lambda: npz_bytes(np.savez_compressed)),
    vector_files("lists.parquet", lambda: written(VECTOR_FRAME, "parquet")),
    vector_files("wide.parquet", lambda: written(WIDE_FRAME, "parquet")),
    vector_files("some.kv", gensim_bytes),
]
