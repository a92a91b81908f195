"""Folders and packs whose files were changed and whose hashes were made to fit: none is believed.

A verdict that is shown follows from the answers, or there is one message and exit code 2.
"""

import json
import math
import shutil
import subprocess
import sys

import polars as pl
import pytest

from audit_folders import reseal
from small_audit import members, resealed, small_folder, uneven, write_folder, zipped
from tiltmeter import TiltmeterError, audit, load_corpus
from tiltmeter.cli import main
from tiltmeter.explore.audits import open_audit
from tiltmeter.studies.audit.explain import explain
from tiltmeter.studies.audit.gate import gate_folder
from tiltmeter.studies.audit.verify import model_cards, pack, verify
from tiltmeter.studies.planning.run import plan
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift

WOMEN = ("Ann", "Bea", "Eva", "Fay")
GATE = "gender<=0.01, region<=0.01"
OTHER_VERSION = "0.0.1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return small_folder(tmp_path_factory.mktemp("forged"), patch)


@pytest.fixture(scope="module")
def packed(folder):
    return pack(folder, folder.parent / "audit.zip")


@pytest.fixture
def copied(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copied")
    return tmp_path / "copied"


def change_json(folder, change, *names):
    """Change some JSON files of a folder alike, and make the hashes fit."""
    for name in names:
        values = json.loads((folder / name).read_text())
        change(values)
        (folder / name).write_text(json.dumps(values))
    return reseal(folder)


def change_table(folder, name, **columns):
    path = folder / f"{name}.parquet"
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)
    return reseal(folder)


def forge_verdicts(values):
    for row in values["findings"]:
        if row["verdict"]:
            row["verdict"], row["sentence"] = "even", "Equivalent within 1 point of 100."


def readers(path, folder, tmp_path):
    """Every command that opens an audit, as it is called from Python."""
    return {
        "verify": lambda: verify(path),
        "card": lambda: model_cards(path),
        "gate": lambda: gate_folder(path, GATE),
        "compare": lambda: compare(path, folder),
        "drift": lambda: drift(path, ("mine", uneven), of="mine", store=tmp_path / "store"),
        "explain": lambda: explain(("mine", uneven), path, of="mine", dry_run=True),
        "plan": lambda: plan(folder=path),
        "explore": lambda: open_audit(path),
    }


# ---- forged verdicts


@pytest.mark.parametrize("version", [1, 2, 4, "3", True, None, 3.5])
def test_findings_of_another_schema_are_never_verified(copied, version):
    def forge(values):
        values["schema_version"] = version
        forge_verdicts(values)

    change_json(copied, forge, "findings.json")
    for read in (verify, model_cards, open_audit, lambda path: gate_folder(path, GATE)):
        with pytest.raises(TiltmeterError, match="reads version 3 and no other") as error:
            read(copied)
        assert error.value.exit_code == 2


@pytest.mark.parametrize("name", ["run.json", "manifest.json"])
def test_every_other_file_has_one_schema_too(packed, tmp_path, name):
    files = members(packed)
    values = json.loads(files[name]) | {"schema_version": 7}
    files[name] = json.dumps(values).encode()
    path = tmp_path / "bad.zip"
    if name == "run.json":
        resealed(files, path)
    else:
        zipped(files, path)
    with pytest.raises(TiltmeterError, match=rf"{name} is of schema version 7"):
        verify(path)


def test_a_forged_verdict_is_shown_by_no_command(copied, folder, tmp_path):
    """Whoever judges goes by the answers; whoever would show what is written refuses."""
    change_json(copied, forge_verdicts, "findings.json")
    commands = readers(copied, folder, tmp_path)
    for name in ("verify", "card", "explore"):
        with pytest.raises(TiltmeterError, match="not those that the answers give"):
            commands[name]()
    assert gate_folder(copied, GATE) == gate_folder(folder, GATE)


def test_a_gate_is_held_against_the_answers_whatever_estimates_say(copied, folder):
    change_table(copied, "estimates", value=pl.when(pl.col("measure") == "tilt").then(0.0)
                 .otherwise("value"))  # fmt: skip
    assert gate_folder(copied, GATE) == gate_folder(folder, GATE)
    with pytest.raises(TiltmeterError, match=r"estimates\.parquet is not what the answers give"):
        verify(copied)


def claims_another_version(values):
    values["environment"]["versions"]["tiltmeter"] = OTHER_VERSION


@pytest.mark.parametrize(
    ("column", "value"), [("verdict", "even"), ("value", 0.0), ("p", 0.5), ("n", 3), ("margin", 1)]
)
def test_another_version_excuses_no_verdict_or_number(copied, column, value):
    def forge(values):
        claims_another_version(values)
        for row in values.get("findings", []):
            if row["verdict"]:
                row[column] = value

    change_json(copied, forge, "findings.json", "run.json")
    with pytest.raises(TiltmeterError, match=f"{column} is "):
        verify(copied)


def test_words_of_another_version_are_said_not_to_be_checked(copied, monkeypatch, capsys):
    def forge(values):
        claims_another_version(values)
        for row in values.get("findings", []):
            row["sentence"] = "All is well."

    (copied / "model-cards/mine.md").write_text("All is well.")
    change_json(copied, forge, "findings.json", "run.json")
    found = verify(copied)
    assert found.unchecked_words
    stored = json.loads((copied / "findings.json").read_text())["findings"]
    assert found.not_checked[:2] == (
        f"sentences of findings.json: {len(stored)} of {len(stored)} as tiltmeter 0.0.1 wrote them",
        "model-cards/: 4 of 4 files as tiltmeter 0.0.1 wrote them",
    )
    assert json.loads(found.json)["not_checked"] == list(found.not_checked)
    monkeypatch.setattr(sys, "argv", ["tiltmeter", "verify", str(copied)])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code in (0, None)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"Not verified: the sentences of {len(stored)} findings and 4 model cards" in printed
    assert "All is well" not in "".join(card.markdown for card in model_cards(copied))


def test_groups_of_a_corpus_of_ours_are_spoken_of_as_it_does(tmp_path, monkeypatch):
    """Else *about women* and *about men* could change places in every sentence."""
    found = audit("vader", sample=2, store=tmp_path / "store", measures="pairs")
    folder = write_folder(found, tmp_path / "out", monkeypatch)

    def forge(values):
        phrases = values["run"]["corpora"][0]["axes"][0]["phrases"]
        first, second = phrases
        phrases[first], phrases[second] = phrases[second], phrases[first]

    whole = load_corpus("eec")
    stated = json.loads((folder / "run.json").read_text())["run"]["corpora"][0]
    assert stated["checksum"] == whole.checksum
    change_json(folder, forge, "run.json", "findings.json")
    with pytest.raises(TiltmeterError, match="speaks of its groups otherwise"):
        verify(folder)


def test_sentences_of_a_corpus_of_ours_are_about_whom_it_says(tmp_path, monkeypatch):
    """Else groups could be dealt anew, and every tilt would be gone: the checksum is of texts."""
    found = audit("vader", store=tmp_path / "store", measures="pairs", flips=0)
    folder = write_folder(found, tmp_path / "out", monkeypatch)
    assert verify(folder).findings
    swapped = pl.col("gender").replace({"female": "male", "male": "female"})
    change_table(folder, "sentences", gender=swapped)
    with pytest.raises(TiltmeterError, match="about other people or groups"):
        verify(folder)


def test_a_system_without_a_signal_is_not_made_even_by_a_run_that_did_not_look(
    tmp_path, monkeypatch
):
    found = audit("constant", sample=40, store=tmp_path / "store", measures="pairs", flips=0)
    folder = write_folder(found, tmp_path / "out", monkeypatch)
    assert {one.verdict for one in gate_folder(folder, "*<=0.9").comparisons} == {"no_signal"}
    change_json(
        folder, lambda values: values["run"]["statistics"].update(apart=False),
        "run.json", "findings.json",
    )  # fmt: skip
    for read in (verify, lambda path: gate_folder(path, "*<=0.9")):
        with pytest.raises(TiltmeterError, match=r"statistics\.apart: found False"):
            read(folder)


# ---- genuine folders of another machine


def nudged(path, by):
    """Every number of a table a little different, up and down in turn."""
    frame = pl.read_parquet(path)
    signs = 1 - 2 * (pl.int_range(pl.len()) % 2)
    floats = [name for name in frame.columns if frame[name].dtype == pl.Float64]
    return frame.with_columns(by(pl.col(name), signs).alias(name) for name in floats)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """An audit of people drawn by lot, of a system that moves on one axis only."""
    where = tmp_path_factory.mktemp("drawn")
    corpus = load_corpus("names-us", people=10, frames=4)
    found = audit(["tilted:gender=0.03", "vader"], corpus, store=where / "store")
    with pytest.MonkeyPatch.context() as patched:
        return write_folder(found, where / "out", patched)


@pytest.mark.parametrize(
    "by",
    [
        lambda value, sign: value * (1.0 + sign * 1e-15),
        lambda value, sign: value + sign * 1e-17,
    ],
    ids=["relative", "absolute"],
)
def test_dust_of_another_processor_does_not_alter_a_folder(drawn, tmp_path, by):
    shutil.copytree(drawn, tmp_path / "out")
    path = tmp_path / "out/estimates.parquet"
    nudged(path, by).write_parquet(path)

    def change(values):
        for nth, row in enumerate(values["findings"]):
            for name in ("value", "low", "high", "p", "p_adjusted"):
                if row[name] is not None:
                    row[name] *= 1.0 + (-1) ** nth * 1e-15

    found = verify(change_json(tmp_path / "out", change, "findings.json"))
    assert found.findings > 50


@pytest.mark.parametrize("column", ["value", "se", "low", "high", "p", "statistic", "df"])
def test_a_change_of_a_millionth_is_found(drawn, tmp_path, column):
    shutil.copytree(drawn, tmp_path / "out")
    ratio = column in ("statistic", "df")
    first = pl.int_range(pl.len()) == pl.arg_where(
        (pl.col("measure") == "tilt") & (pl.col("subset") == "names") & (pl.col("se") > 0)
    ).first()  # fmt: skip
    other = pl.col(column) * (1 + 1e-6) if ratio else pl.col(column) + 1e-6
    change_table(tmp_path / "out", "estimates", **{
        column: pl.when(first).then(other).otherwise(column)
    })  # fmt: skip
    with pytest.raises(TiltmeterError, match="is not what the answers give"):
        verify(tmp_path / "out")


def without_cards(run):
    run["files"] = [entry for entry in run["files"] if "model-cards" not in entry["file"]]


def test_a_sentence_may_round_a_number_as_the_other_machine_did(tmp_path, monkeypatch):
    """0.125 points are 0.12 or 0.13 by a last digit: the sentence may be of either."""

    def quarter(texts):
        return [0.5 + 0.00125 * any(name in text for name in WOMEN) for text in texts]

    folder = small_folder(tmp_path, monkeypatch, {"quarter": quarter})
    change_json(folder, without_cards, "run.json")
    path, stated = folder / "estimates.parquet", (folder / "findings.json").read_text()
    ours = next(text for text in ("0.12 points", "0.13 points") if text in stated)
    other = {"0.12 points": "0.13 points", "0.13 points": "0.12 points"}[ours]
    by = 1e-8 if other == "0.13 points" else -1e-8
    below = pl.when(pl.col("value").abs().is_between(0.0012, 0.0013)).then(
        pl.col("value") * (1 + by)
    )
    pl.read_parquet(path).with_columns(value=below.otherwise("value")).write_parquet(path)
    assert verify(reseal(folder)).findings
    (folder / "findings.json").write_text(stated.replace(ours, other))
    assert verify(reseal(folder)).findings
    (folder / "findings.json").write_text(stated.replace(ours, "0.14 points"))
    with pytest.raises(TiltmeterError, match="sentence is"):
        verify(reseal(folder))


@pytest.mark.skipif(shutil.which("taskset") is None, reason="there is no taskset here")
def test_a_genuine_pack_is_verified_on_one_core(drawn, tmp_path):
    packed = pack(drawn, tmp_path / "audit.zip")
    command = ["taskset", "-c", "0", sys.executable, "-m", "tiltmeter", "verify", str(packed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- altered folders: one message, whatever reads them


def written(text):
    return lambda folder: (folder / "findings.json").write_bytes(text)


def replaced(old, new):
    def change(folder):
        path = folder / "findings.json"
        path.write_bytes(path.read_bytes().replace(old, new, 1))

    return change


def no_corpora(folder):
    change_json(
        folder, lambda values: values["run"].update(corpora=[]), "run.json", "findings.json"
    )


def renamed_axis(folder):
    def change(values):
        values["run"]["corpora"][0]["axes"][0]["name"] = "sex"

    change_json(folder, change, "run.json", "findings.json")


def command_is_a_number(folder):
    def change(values):
        values["environment"]["command"] = 7

    change_json(folder, change, "run.json", "findings.json")


def column_renamed(folder):
    path = folder / "sentences.parquet"
    pl.read_parquet(path).rename({"gender": "sex"}).write_parquet(path)


HARMS = {
    "an open brace": written(b"{"),
    "a number alone": written(b"7"),
    "no findings": written(b'{"schema_version": 3, "findings": 7}'),
    "nan": replaced(b'"value": ', b'"value": NaN, "was": '),
    "1e400": replaced(b'"value": ', b'"value": 1e400, "was": '),
    "half a letter": replaced(b'"sentence": "', b'"sentence": "\\ud800'),
    "0xff": replaced(b'"sentence": "', b'"sentence": "\xff'),
    "no corpora": no_corpora,
    "an axis renamed": renamed_axis,
    "a number as the command": command_is_a_number,
    "a column renamed": column_renamed,
    "a score of nobody": lambda folder: change_table(folder, "scores", id=pl.lit("x")),
    "scores without end": lambda folder: change_table(folder, "scores", score=pl.lit(math.inf)),
    "a system nobody names": lambda folder: change_table(folder, "scores", system=pl.lit("x")),
    "an answer changed": lambda folder: change_table(folder, "scores", raw=pl.col("raw") / 2),
    "a group nobody knows": lambda folder: change_table(
        folder, "sentences", gender=pl.lit("somebody")
    ),
    "another sentence": lambda folder: change_table(folder, "sentences", text=pl.lit("Hello.")),
}


@pytest.mark.parametrize("harm", HARMS)
def test_an_altered_folder_is_one_message_to_every_command(copied, folder, tmp_path, harm):
    HARMS[harm](copied)
    reseal(copied)
    for name, read in readers(copied, folder, tmp_path).items():
        with pytest.raises(TiltmeterError) as error:
            read()
        assert str(copied) in str(error.value), name
        assert error.value.exit_code == 2, name
        assert len(str(error.value)) < 2500, name


def test_a_folder_about_one_person_is_one_message_to_compare_and_drift(copied, folder, tmp_path):
    change_table(copied, "sentences", person=pl.lit("Ann"))
    for name in ("compare", "drift"):
        with pytest.raises(TiltmeterError, match=r"can be compared|share no sentences"):
            readers(copied, folder, tmp_path)[name]()


def test_a_number_as_the_command_packs_nothing(copied, tmp_path):
    command_is_a_number(copied)
    with pytest.raises(TiltmeterError, match=r"environment\.command"):
        pack(copied, tmp_path / "audit.zip")
    assert not (tmp_path / "audit.zip").exists()


@pytest.mark.parametrize(
    "file", ["findings.json", "scores.parquet", "estimates.parquet", "sentences.parquet",
             "people.parquet", "model-cards/mine.md"],
)  # fmt: skip
def test_whoever_opens_a_folder_checks_its_digests(copied, folder, tmp_path, file):
    path = copied / file
    path.write_bytes(path.read_bytes() + b" ")
    for name, read in readers(copied, folder, tmp_path).items():
        with pytest.raises(TiltmeterError, match="was altered or damaged") as error:
            read()
        assert f"{file}: is not what was written" in str(error.value), name


def test_every_command_opens_a_pack_as_it_opens_a_folder(packed, folder, tmp_path):
    for name, read in readers(packed, folder, tmp_path).items():
        assert read() is not None, name


def test_the_people_of_a_folder_are_those_that_its_sentences_speak_of(drawn, tmp_path):
    shutil.copytree(drawn, tmp_path / "out")
    change_table(tmp_path / "out", "people", person=pl.lit("x") + pl.col("person"))
    for name, read in readers(tmp_path / "out", drawn, tmp_path).items():
        with pytest.raises(TiltmeterError, match=r"who is not in people\.parquet"):
            read()
        assert name


def test_a_rating_is_not_held_against_an_altered_panel(tmp_path):
    from tiltmeter.studies.rating.panel import read_panel

    (tmp_path / "ratings.json").write_text("{}")
    run = {"schema_version": 2, "tool": "tiltmeter", "complete": True, "run": {}}
    run["files"] = [{"file": "ratings.json", "sha256": "0" * 64}]
    (tmp_path / "run.json").write_text(json.dumps(run))
    for path in (tmp_path, tmp_path / "ratings.json"):
        with pytest.raises(TiltmeterError, match=r"ratings\.json: is not what was written"):
            read_panel(path)
