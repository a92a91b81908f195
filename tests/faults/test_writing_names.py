"""Names that would lead out of a folder, stand for another file, or never end."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valid_samples import SCORES, SENTENCES, STARTER, TEXT_SCORES, written

from command_line import tiltmeter
from tiltmeter.corpora import load_corpus, read_gold, read_rating_results, read_system_metadata
from tiltmeter.errors import TiltmeterError
from tiltmeter.report.phrases import DEVICES, unique_slugs
from tiltmeter.studies.audit.run import audit
from tiltmeter.studies.rating.run import rate
from tiltmeter.studies.versions.compare import compare
from tiltmeter.systems import read_scores

ODD_NAMES = [
    *("a/b", "..", "../../up", "/etc/passwd", "CON", "nul.txt", "", " ", ".", "-rf", "~", "con"),
    *("Same", "same", "SAME", "n" * 300, "n" * 300 + "x", "a\nb", "a\x1b[31mb", "\u202egnp.exe"),
    *(
        "index",
        "run.json",
        "a\\b",
        "C:\\x",
        "%2e%2e%2f",
        "é",
        "e\u0301",
        "漢字",
        "\u200b",
        "a:b|c?*",
    ),
]


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(ODD_NAMES)), unique=True))
def test_every_name_gets_a_file_of_its_own_that_stays_where_it_is(names):
    slugs = unique_slugs(names)
    assert list(slugs) == names
    assert len({slug.casefold() for slug in slugs.values()}) == len(names)
    for slug in slugs.values():
        assert slug.isascii()
        assert slug.replace("-", "").isalnum()
        assert slug not in (*DEVICES, "index")
        assert len(slug) < 100


def listing(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_an_audit_of_odd_names_writes_into_its_folder_alone(tmp_path):
    (tmp_path / "corpus.toml").write_bytes(STARTER)
    corpus = load_corpus(tmp_path / "corpus.toml")
    sentences = corpus.sentences()
    rng = np.random.default_rng(1)
    scores = {
        name: sentences.select("id", pl.Series("score", rng.uniform(size=sentences.height)))
        for name in ODD_NAMES
        if name.strip()
    }
    before = listing(tmp_path)
    audit(scores, corpus).report(tmp_path / "in" / "out", individual=True, figures=True)
    assert {name.split("/")[0] for name in listing(tmp_path) - before} == {"in"}
    index = pl.read_csv(tmp_path / "in" / "out" / "individual" / "index.csv")
    assert index["file"].n_unique() == index.height == len(scores)
    for name in index["file"]:
        assert (tmp_path / "in" / "out" / "individual" / name).is_file()
    told = json.loads((tmp_path / "in" / "out" / "run.json").read_text(encoding="utf-8"))
    assert all(len(Path(one["file"]).name) < 256 for one in told["files"])


def test_names_of_three_hundred_letters_everywhere_make_no_name_too_long(tmp_path):
    long = [f"{nth}{'n' * 300}" for nth in range(9)]
    axis = "a" * 300
    rows = [
        {"id": f"{nth}-{who}-{word}", "text": f"{nth} {who} {word}", "corpus": long[0],
         "template": f"{long[1]}{nth}", "person": long[2 + who], axis: long[4 + who],
         "emotion": "joy", "emotion_word": f"{long[7]}{word}"}
        for nth in range(2) for word in range(2) for who in range(3)
    ]  # fmt: skip
    pl.DataFrame(rows).write_ndjson(tmp_path / "long.jsonl")
    corpus = load_corpus(tmp_path / "long.jsonl", axes={axis: (long[4], long[5], long[6])})
    scores = corpus.sentences().select("id", pl.Series("score", np.linspace(0.1, 0.9, 12)))
    audit({long[8]: scores}, corpus, tasks=["joy"]).report(
        tmp_path / "out", individual=True, figures=True
    )
    assert (tmp_path / "out" / "report.html").is_file()


def test_ratings_of_odd_names_write_into_their_folder_alone(tmp_path):
    rows = [
        {"System": name, "Gender": gender, "Emotion": word, "Sentiment": float(nth % 7) / 7}
        for nth, name in enumerate(one for one in ODD_NAMES if one.strip() and one.isprintable())
        for gender in ("female", "male")
        for word in ("happy", "grim")
    ]
    pl.DataFrame(rows).write_ndjson(tmp_path / "stored.jsonl")
    before = listing(tmp_path)
    rate(results=tmp_path / "stored.jsonl", draws=2).report(tmp_path / "in" / "out")
    assert {name.split("/")[0] for name in listing(tmp_path) - before} == {"in"}


def test_no_page_holds_control_characters_of_a_name(tmp_path):
    (tmp_path / "corpus.toml").write_bytes(STARTER)
    corpus, name = load_corpus(tmp_path / "corpus.toml"), "a\x1b[31m\u202eb\x07\x9bc\x08"

    def cheerful(text):
        return 0.9 if "happy" in text else 0.2 + 0.1 * ("She" in text)

    done = audit({name: cheerful}, corpus, store=tmp_path / "store")
    for folder in ("old", "new"):
        done.report(tmp_path / folder, individual=True)
    compare(tmp_path / "old", tmp_path / "new").report(tmp_path / "compared")
    rated = rate({name: cheerful}, groups=["1"], draws=2, store=tmp_path / "store")
    rated.report(tmp_path / "rated")
    pages = {path.name: path.read_text() for path in tmp_path.rglob("*.html")}
    assert {"report.html", "compare.html", "rating.html"} < set(pages)
    assert len(pages) == 4  # and the system's own
    for shown in (*pages.values(), done._repr_html_()):
        assert "a[31mbc" in shown
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]|\\u00[01]", shown)


def test_no_letter_that_turns_a_line_around_reaches_the_terminal(tmp_path):
    """In messages, notes and tables, whatever file or name it is in."""
    turned = "\u202egnp\u2066.\u2028x\x9b"
    table = pl.DataFrame({
        "text": [f"{name} is {word}." for name in ("Ann", "Bob") for word in ("glad", "sad")],
        "frame": ["1", "2", "1", "2"], "team": [f"a{turned}"] * 2 + ["b"] * 2,
    })  # fmt: skip
    table.write_csv(tmp_path / "corpus.csv")
    aside = tmp_path / "store" / ("a" * 32) / f".aside-{turned}"
    aside.parent.mkdir(parents=True)
    aside.touch()
    (tmp_path / f"{turned}.toml").write_text("[corpus]\nname = 3\n")
    commands = [
        (0, "corpus", "show", "corpus.csv", "--axis", "team", "--language", "en"),
        (0, "audit", "vader", "--corpus", "corpus.csv", "--axis", "team", "--language", "en",
         "--measure", "pairs", "-o", "out"),
        (2, "audit", "vader", "--corpus", f"{turned}.toml", "-o", "out"),
        (2, "audit", "vader", "--corpus", f"{turned} not there.csv", "-o", "out"),
        (4, "store", "verify", "--store", "store"),
    ]  # fmt: skip
    for code, *words in commands:
        done = tiltmeter(*words, folder=tmp_path, TILTMETER_STORE=str(tmp_path / "kept"))
        shown = done.stdout + done.stderr
        assert done.returncode == code, shown
        assert "\\u202e" in shown
        assert not re.search(
            r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2066-\u2069]", shown
        )


# ---------------------------------------------------------------- folders of others' files


@pytest.fixture
def folder(tmp_path):
    """A folder as a stranger hands it in: one good file among traps."""
    inside = tmp_path / "handed-in"
    (inside / "team").mkdir(parents=True)
    (inside / "good.csv").write_bytes(written(SCORES, "csv"))
    (inside / "team" / "said.csv").write_bytes(written(TEXT_SCORES, "csv"))
    (tmp_path / "outside.csv").write_bytes(written(SCORES, "csv"))
    (inside / "passwd.csv").symlink_to("/etc/passwd")
    (inside / "outside.csv").symlink_to(tmp_path / "outside.csv")
    (inside / "up.csv").symlink_to("../outside.csv")
    (inside / "loop.csv").symlink_to("loop.csv")
    (inside / "round").symlink_to(".")
    (inside / "away").symlink_to("/")
    (inside / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe.csv")
    (inside / "a\nb\x1b[31m\u202e.csv").write_bytes(written(SCORES, "csv"))
    (inside / ("n" * 250 + ".csv")).write_bytes(written(SCORES, "csv"))
    return inside


def test_a_folder_of_traps_gives_the_good_files_and_a_reason_for_each_other(folder):
    found = read_scores(folder, SENTENCES)
    used = {report.path.name for report in found.reports if not report.set_aside}
    assert used == {"good.csv", "said.csv", "a\nb\x1b[31m\u202e.csv", "n" * 250 + ".csv"}
    reasons = {report.path.name: report.set_aside for report in found.reports if report.set_aside}
    assert reasons["passwd.csv"] == reasons["outside.csv"] == reasons["up.csv"]
    assert "leads out of the folder" in reasons["passwd.csv"]
    assert "not followed" in reasons["round"]
    assert "not followed" in reasons["away"]
    assert "out of the folder" in reasons["zero.csv"]
    assert reasons["pipe.csv"] == "not a plain file, so not opened"
    assert "cannot be read" in reasons["loop.csv"]
    for name in found.scores["system"].unique():
        assert name.isprintable()


@pytest.mark.parametrize("read", [read_gold, read_rating_results])
def test_other_folders_of_traps_end_in_words(read, folder):
    with pytest.raises(TiltmeterError):
        read(folder)


def test_an_extension_of_a_corpus_that_is_no_file_is_refused(tmp_path):
    for base in (
        "../../../../etc/passwd",
        "x" * 300 + ".toml",
        "loop.toml",
        "a\\u0000.toml",
        "/dev",
    ):
        (tmp_path / "mine.toml").write_text(f'[corpus]\nname = "mine"\nextends = "{base}"\n')
        (tmp_path / "loop.toml").unlink(missing_ok=True)
        (tmp_path / "loop.toml").symlink_to("loop.toml")
        with pytest.raises(TiltmeterError):
            load_corpus(tmp_path / "mine.toml")


def test_names_in_a_table_about_systems_are_only_names(tmp_path):
    names = [name for name in ODD_NAMES if name.strip()]
    path = tmp_path / "about.jsonl"
    path.write_text("\n".join(json.dumps({"system": one, "team": one}) for one in names))
    about = read_system_metadata(path)
    assert about.frame["system"].to_list() == [name.strip() for name in names]
    assert listing(tmp_path) == {"about.jsonl"}


def test_a_model_whose_card_names_a_file_elsewhere_is_refused(tmp_path):
    from tiltmeter.systems import open_system

    (tmp_path / "model").mkdir()
    (tmp_path / "secret").write_bytes(b"x")
    card = {"recipe": "r", "kind": "sklearn", "task": "valence", "language": "en",
            "data": {"train": {"rows": 1}}}  # fmt: skip
    for place in ("../secret", "/etc/passwd", "..", "", "a\0b", "x" * 400):
        told = {**card, "weights": {"file": place, "sha256": "0" * 64}}
        (tmp_path / "model" / "model.json").write_text(json.dumps(told))
        with pytest.raises(TiltmeterError, match=r"lacks its weights|other weights"):
            open_system(str(tmp_path / "model"))
