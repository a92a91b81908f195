"""A folder or pack that somebody sent: opening it runs no code and calls no service."""

import sys

import pytest
from strangers import counting_server, lay_model, lay_traps

from small_audit import small_folder, uneven
from tiltmeter import TiltmeterError
from tiltmeter.cli import main
from tiltmeter.studies.audit.verify import pack
from tiltmeter.studies.versions.drift import drift


@pytest.fixture(scope="module")
def caller():
    with counting_server() as server:
        yield server


@pytest.fixture(scope="module")
def sent(tmp_path_factory, caller):
    """A folder whose systems are called what would run, and beside it all that it names."""
    where, (address, _) = tmp_path_factory.mktemp("sent"), caller
    lay_traps(where, address)
    (where / "tilted:trap.toml").write_text((where / "trap.toml").read_text())
    for model in ("random:model", "tilted:models/one"):
        lay_model(where / model)
    names = [
        "cmd:touch ran", "./trap.py:score", "trap:score", "trap.toml", "model", "hf:model",
        "sklearn:trap.skops", "openai:gpt", address, address.replace("http", "https"),
        "tilted:trap.toml", "random:model", "tilted:models", "distilbert-sst2",
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        out = small_folder(where, patch, systems=dict.fromkeys(names, uneven))
    pack(out, where / "sent.zip")
    return where, names


@pytest.fixture
def nothing_ran(sent, caller, monkeypatch):
    """In the folder's own place; afterwards nothing of what it names has run or been called."""
    where, _ = sent
    monkeypatch.chdir(where)
    monkeypatch.syspath_prepend(str(where))
    yield
    assert not (where / "ran").exists()
    assert "trap" not in sys.modules
    assert caller[1] == []


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("nth", range(14))
def test_drift_opens_no_system_that_only_a_folder_names(sent, nth, tmp_path):
    name = sent[1][nth]
    with pytest.raises(TiltmeterError, match="a folder may not say what is run or called") as error:
        drift("out", of=name, store=tmp_path)
    assert repr(name) in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize(
    "words",
    [
        ("compare", "out", "out"),
        ("verify", "out"),
        ("verify", "sent.zip"),
        ("gate", "out", "--gate", "gender<=0.5"),
        ("gate", "sent.zip", "--gate", "gender<=0.5"),
        ("card", "out"),
        ("card", "sent.zip"),
        ("plan", "--from", "out"),
        ("pack", "out", "again.zip"),
    ],
    ids=" ".join,
)
def test_opening_what_somebody_sent_runs_nothing(words, monkeypatch, tmp_path, capsys):
    more = {"compare": ("-o", str(tmp_path / "compared"), "-q")}.get(words[0], ())
    monkeypatch.setattr(sys, "argv", ["tiltmeter", *words, *more])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code in (0, None, 3), capsys.readouterr().err


@pytest.mark.usefixtures("nothing_ran")
def test_a_packaged_system_is_asked_again_by_its_name(tmp_path, monkeypatch):
    where = tmp_path / "own"
    where.mkdir()
    out = small_folder(where, monkeypatch, systems=["vader"])
    assert drift(out, store=tmp_path / "store").verdict == "steady"
