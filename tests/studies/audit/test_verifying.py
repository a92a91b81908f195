"""A pack verified: the findings follow from the answers, or the message says which do not."""

import io
import json
import re
from itertools import count

import polars as pl
import pytest

from small_audit import (
    members,
    resealed,
    small_corpus,
    small_folder,
    small_pack,
    uneven,
    write_folder,
)
from tiltmeter import TiltmeterError, audit, load_corpus
from tiltmeter.errors import IncompleteError
from tiltmeter.scoring import Settings
from tiltmeter.scoring.provenance import versions_here
from tiltmeter.studies.audit.gate import gate_folder
from tiltmeter.studies.audit.verify import model_cards, pack, verify, verify_findings
from tiltmeter.systems import Missing


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return small_pack(tmp_path_factory.mktemp("verifying"), patch)


def seen(path, **options):
    return {one.what: one.seen for one in verify(path, **options).checks}


def as_parquet(frame):
    held = io.BytesIO()
    frame.write_parquet(held)
    return held.getvalue()


def changed(packed, to, name, change):
    """The pack with one file changed, and everything that lists it made to fit."""
    files = members(packed)
    return resealed({**files, name: change(files[name])}, to)


def of_json(change):
    def changed(data):
        told = json.loads(data)
        change(told)
        return json.dumps(told).encode()

    return changed


def of_table(**columns):
    return lambda data: as_parquet(pl.read_parquet(io.BytesIO(data)).with_columns(**columns))


def test_a_pack_as_it_was_made_is_verified_to_the_byte(packed):
    found = verify(packed)
    told = {one.what: one.seen for one in found.checks}
    stored = json.loads(members(packed)["findings.json"])["findings"]
    assert found.findings == len(stored) > 20
    assert told["findings"] == f"{len(stored):,} recomputed from the answers: the same to the byte"
    assert told["answers"].startswith("64, none of them missing")  # 32 sentences, two systems
    assert told["model cards"].startswith("4 files")
    assert told["versions"] == "the same here as where the audit was made"


def test_so_is_the_folder_it_was_made_of(packed):
    folder = packed.parent / "out"
    (folder / "notes.txt").write_text("mine")
    told = seen(folder)
    (folder / "notes.txt").unlink()
    assert told["findings"].endswith("the same to the byte")
    assert told["besides"] == "not part of the results: notes.txt"
    assert told["fingerprint"] == verify(packed).fingerprint


def test_every_check_is_told_as_it_is_done(packed):
    heard = []
    found = verify(packed, told=heard.append)
    assert tuple(heard) == found.checks


def test_the_fingerprint_noted_down_is_held_against_the_pack(packed):
    good = verify(packed).fingerprint
    assert verify(packed, fingerprint=good.upper()).fingerprint == good
    with pytest.raises(TiltmeterError, match="this is another pack: its fingerprint is"):
        verify(packed, fingerprint="0" * 64)


def test_one_changed_score_is_found(packed, tmp_path):
    first = pl.int_range(pl.len()) == 0
    bad = changed(
        packed, tmp_path / "bad.zip", "scores.parquet",
        of_table(score=pl.when(first).then(pl.col("score") + 0.001).otherwise("score")),
    )  # fmt: skip
    with pytest.raises(TiltmeterError, match=r"the answer to 0 is .*, and its score .*; expected"):
        verify(bad)


def test_one_changed_answer_changes_findings_that_are_named(packed, tmp_path):
    """A forger who changes an answer, its score and every hash still meets the findings."""
    first = pl.int_range(pl.len()) == 0
    bad = changed(
        packed, tmp_path / "bad.zip", "scores.parquet",
        of_table(
            raw=pl.when(first).then(pl.col("raw") + 0.01).otherwise("raw"),
            score=pl.when(first).then(pl.col("score") + 0.01).otherwise("score"),
        ),
    )  # fmt: skip
    with pytest.raises(TiltmeterError, match="not those that the answers give") as error:
        verify(bad)
    assert "mine, valence, small, gender, female-male, all, mean_difference" in str(error.value)


def stored_in(packed):
    return json.loads(members(packed)["findings.json"])["findings"]


def test_one_changed_finding_is_named_with_what_the_answers_give(packed, tmp_path):
    def change(told):
        row = next(one for one in told["findings"] if one["verdict"] == "undecided")
        row["verdict"], row["value"] = "even", 0.0

    bad = changed(packed, tmp_path / "bad.zip", "findings.json", of_json(change))
    with pytest.raises(TiltmeterError, match="not those that the answers give") as error:
        verify(bad)
    assert "verdict is 'even' there; the answers give 'undecided'" in str(error.value)
    assert "value is 0.0 there; the answers give" in str(error.value)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("significance", "up"), ("margin", 0.5), ("sentence", "All is well."), ("rule", "none"),
        ("p_adjusted", 0.123), ("family", 1), ("low", None), ("n", 3), ("system", "other"),
    ],
)  # fmt: skip
def test_no_part_of_a_finding_can_be_changed(packed, column, value):
    rows = stored_in(packed)
    at = next(n for n, one in enumerate(rows) if one["verdict"] and one[column] != value)
    altered = [*rows[:at], {**rows[at], column: value}, *rows[at + 1 :]]
    assert verify_findings(rows, rows, same=True).endswith("the same to the byte")
    with pytest.raises(TiltmeterError, match=f"finding {rows[at]['id']} .*: {column} is "):
        verify_findings(altered, rows, same=True)


def test_a_finding_left_out_or_added_is_named(packed):
    rows = stored_in(packed)
    with pytest.raises(TiltmeterError, match="follows from the answers, and is not stored"):
        verify_findings(rows[1:], rows, same=True)
    with pytest.raises(TiltmeterError, match="is stored, and does not follow from the answers"):
        verify_findings([*rows, {**rows[0], "id": "more"}], rows, same=True)
    with pytest.raises(TiltmeterError, match="a finding stands there twice"):
        verify_findings([*rows, rows[0]], rows, same=True)


def test_an_estimate_that_was_changed_is_found(packed, tmp_path):
    bad = changed(
        packed, tmp_path / "bad.zip", "estimates.parquet",
        of_table(se=pl.when(pl.col("measure") == "tilt").then(pl.col("se") / 2).otherwise("se")),
    )  # fmt: skip
    with pytest.raises(TiltmeterError, match=r"estimates\.parquet is not what the answers give"):
        verify(bad)


def test_a_sentence_that_was_changed_does_not_have_the_checksum(packed, tmp_path):
    bad = changed(
        packed, tmp_path / "bad.zip", "sentences.parquet",
        of_table(text=pl.col("text").str.replace("glad", "merry")),
    )  # fmt: skip
    with pytest.raises(TiltmeterError, match="small: the checksum of its sentences is"):
        verify(bad)


def test_a_model_card_that_was_changed_is_named(packed, tmp_path):
    bad = changed(
        packed, tmp_path / "bad.zip", "model-cards/mine.md",
        lambda text: text + b"And more.",
    )  # fmt: skip
    with pytest.raises(TiltmeterError, match=r"model-cards/mine\.md: is not the card"):
        verify(bad)


def statistics(**said):
    """Both files that tell of the run, with other statistics."""
    return of_json(lambda told: told["run"]["statistics"].update(said))


def test_other_statistics_than_those_used_do_not_give_the_findings(packed, tmp_path):
    files = members(packed)
    for name in ("run.json", "findings.json"):
        files[name] = statistics(correction="holm", level=0.2)(files[name])
    with pytest.raises(TiltmeterError, match="not those that the answers give"):
        verify(resealed(files, tmp_path / "bad.zip"))


def test_two_files_that_tell_of_different_runs_are_refused(packed, tmp_path):
    bad = changed(packed, tmp_path / "bad.zip", "findings.json", statistics(level=0.2))
    with pytest.raises(TiltmeterError, match="do not tell of the same run"):
        verify(bad)


def both(packed, to, change):
    files = members(packed)
    for name in ("run.json", "findings.json"):
        files[name] = of_json(change)(files[name])
    return resealed(files, to)


def test_a_run_that_states_too_little_is_refused(packed, tmp_path):
    bad = both(packed, tmp_path / "bad.zip", lambda told: told["run"]["corpora"][0].pop("axes"))
    with pytest.raises(TiltmeterError, match=r"does not state corpora\[0\]\.axes") as error:
        verify(bad)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["run"].update(corpora="eec"),
        lambda told: told["run"].update(statistics=[]),
        lambda told: told["run"]["corpora"][0].update(axes=[1]),
        lambda told: told["run"]["systems"][0].update(scale_ends=["a", "b"]),
        lambda told: told["run"]["systems"][0].update(scale_ends=[1, 1]),
        lambda told: told["run"]["systems"][0].update(repeats="many"),
        lambda told: told["run"]["systems"].pop(),
        lambda told: told["run"]["statistics"].update(margins=None),
        lambda told: told["run"]["statistics"].update(correction="none at all"),
    ],
)
def test_a_run_that_no_audit_wrote_is_one_message(packed, tmp_path, change):
    with pytest.raises(TiltmeterError, match=r"bad\.zip: "):
        verify(both(packed, tmp_path / "bad.zip", change))


def test_every_mistake_in_a_run_is_said_at_once_with_its_line(packed, tmp_path):
    def change(told):
        run = told["run"]
        run["statistics"] |= {"level": 2, "margins": {"gender": 0.1}, "flips": "many"}
        run["corpora"][0]["axes"][0]["groups"] = ["female"]
        run["systems"][1] |= {"scale_ends": [1, 0], "control": "odd", "missing": -1}

    bad = both(packed, tmp_path / "bad.zip", change)
    for read in (verify, lambda path: gate_folder(path, "gender<=0.5"), model_cards):
        with pytest.raises(TiltmeterError, match="says what no audit does: it was") as error:
            read(bad)
        assert error.value.exit_code == 2
        said = str(error.value).split("\n")[1:]
        places = [line.split(": ")[1] for line in said]
        assert places == [
            "run.corpora[0].axes[0].groups", "run.systems[1].missing", "run.systems[1].control",
            "run.systems[1].scale_ends", "run.statistics.level", "run.statistics.flips",
            "run.statistics.margins",
        ]  # fmt: skip
        lines = members(bad)["run.json"].decode().split("\n")
        for line in said:
            at, key = re.match(r"  run\.json:(\d+): run\..*?(\w+): ", line).groups()
            assert f'"{key}": ' in lines[int(at) - 1]


def test_another_version_may_word_it_otherwise_but_not_decide_otherwise(packed, tmp_path):
    def older(told):
        told["environment"]["versions"]["tiltmeter"] = "0.0.1"
        for one in told.get("findings", []):
            one["sentence"] = f"In short: {one['sentence']}"

    told = seen(both(packed, tmp_path / "old.zip", older))
    here = versions_here()["tiltmeter"]
    assert told["versions"] == f"tiltmeter 0.0.1 there, {here} here"
    assert "every verdict is the same, and every number within 1e-9" in told["findings"]
    assert "are worded otherwise by this version" in told["findings"]
    assert "model cards" not in told

    def decided(told):
        older(told)
        for one in told.get("findings", []):
            one["verdict"] = one["verdict"] and "even"

    with pytest.raises(TiltmeterError, match="verdict is 'even' there"):
        verify(both(packed, tmp_path / "worse.zip", decided))


def test_numbers_may_differ_in_the_last_digit_and_no_further(packed):
    rows = stored_in(packed)
    near, far = ([{**rows[0], "value": rows[0]["value"] + by}, *rows[1:]] for by in (5e-10, 5e-9))
    assert "1 differ in their last digits" in verify_findings(near, rows, same=True)
    with pytest.raises(TiltmeterError, match="value is"):
        verify_findings(far, rows, same=True)


@pytest.mark.parametrize(
    ("systems", "options"),
    [
        ({"far": lambda texts: [5.0 * one - 3 for one in uneven(texts)]}, {}),  # no scale known
        ({"mine": uneven}, {"mode": "published", "measures": "pairs"}),
        ({"mine": uneven}, {"measures": "regression", "errors": "mixed"}),
        ({"mine": uneven}, {"formula": "gender + template", "reference": {"gender": "female"}}),
        ({"mine": uneven}, {"correction": "bh", "family": 50, "level": 0.1, "subset": "emotion"}),
        ({"mine": uneven}, {"margin": {"gender": 0.05}, "seed": 7, "flips": 0, "tasks": ["joy"]}),
        ({"mine": uneven}, {"sample": 3, "seed": 3, "no_reference": True}),
        ({"mine": uneven}, {"stream": True}),
    ],
    ids=["no scale", "published", "mixed", "formula", "rule", "margins", "sample", "in parts"],
)
def test_every_kind_of_audit_can_be_recomputed(tmp_path, monkeypatch, systems, options):
    folder = small_folder(tmp_path, monkeypatch, systems, **options)
    told = seen(pack(folder, tmp_path / "audit.zip"))
    assert "the same to the byte" in told["findings"] or "stream" in options
    assert "the same within 1e-9" in told["estimates"]


def test_repeats_missing_answers_and_their_reasons_are_recomputed(tmp_path, monkeypatch):
    rounds = count()

    def answering(texts):
        shift = 0.01 * (next(rounds) % 3)
        return [
            Missing("shy") if one == "Ann feels glad." else uneven([one])[0] + shift
            for one in texts
        ]

    folder = small_folder(
        tmp_path, monkeypatch, {"shy": answering}, settings=Settings(repeats=3, max_missing=0.5)
    )
    told = seen(folder)
    assert told["answers"].startswith("96, 3 of them missing")  # 32 sentences, three times
    assert told["findings"].endswith("the same to the byte")


def test_several_corpora_with_axes_of_their_own_are_recomputed(tmp_path, monkeypatch):
    other = tmp_path / "other.csv"
    rows = [
        {"text": f"{who} is {word}.", "age": age, "person": who, "template": "t", "frame": word}
        for word in ("here", "there", "glad", "sad")
        for who, age in (("Old Tom", "old"), ("Old Kim", "old"), ("Young Tom", "young"))
    ]
    pl.DataFrame(rows).write_csv(other)
    corpora = [small_corpus(tmp_path), load_corpus(other, axes={"age": ("old", "young")})]
    found = audit({"mine": uneven}, corpora, store=tmp_path / "store")
    told = verify(write_folder(found, tmp_path / "out", monkeypatch)).checks
    assert [one.seen[:6] for one in told if one.what == "sentences"] == ["small:", "other:"]
    assert "the same to the byte" in next(one.seen for one in told if one.what == "findings")


def test_a_sample_of_a_corpus_we_know_is_looked_up_there(tmp_path, monkeypatch):
    found = audit("vader", sample=8, store=tmp_path / "store")
    told = seen(write_folder(found, tmp_path / "out", monkeypatch))
    assert told["sentences"].endswith("of the corpus of that name in this Tiltmeter")


def test_skill_is_said_not_to_be_recomputed(tmp_path, monkeypatch):
    gold = pl.DataFrame(
        {"text": ["a" * n for n in range(1, 10)], "score": [n / 9 for n in range(9)]}
    )
    found = audit({"mine": uneven}, small_corpus(tmp_path), store=tmp_path / "s", gold=gold)
    told = verify(write_folder(found, tmp_path / "out", monkeypatch)).checks
    assert "### Skill\n\n- valence: Pearson" in (tmp_path / "out/model-cards/mine.md").read_text()
    left = [one.seen for one in told if one.what == "not checked"]
    assert "pearson, spearman: the answers to labelled texts are not in the pack" in left


def test_a_pack_too_large_to_be_held_is_exit_4(packed, monkeypatch):
    monkeypatch.setattr("tiltmeter.studies.audit.stored_audit.MOST_ANSWERS", 50)
    with pytest.raises(IncompleteError, match="64 rows; at most 50 are read again"):
        verify(packed)
