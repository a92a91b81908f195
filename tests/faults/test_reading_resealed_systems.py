"""A folder whose hashes fit, whose systems, corpora or groups are a stranger's paths and URLs."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from audit_folders import reseal
from command_line import tiltmeter
from small_audit import small_corpus, small_folder, uneven
from tiltmeter import audit, drift
from tiltmeter.errors import NamedByFileError, TiltmeterError
from tiltmeter.explore.run import explorer_of
from tiltmeter.studies.rating.run import rate
from tiltmeter.systems import SYSTEMS, Options, is_scores, models_in, open_packaged
from tiltmeter.systems.catalogue import PREFIXES

EVIL = """
import pathlib
pathlib.Path("ran").touch()
def score(texts):
    return [0.5 for _ in texts]
"""
TRAP = """
[system]
url = "{address}/score"
scale = [0, 1]
[request]
headers = {{ Authorization = "Bearer ${{MY_SECRET_TOKEN}}" }}
[answer]
score = "score"
"""
KEYS = {"MY_SECRET_TOKEN": "s3cret-token", "OPENAI_API_KEY": "s3cret-key"}
BASES = {
    "a Python file": "./sent/evil.py:score",
    "a module": "evil:score",
    "a module by its prefix": "python:evil:score",
    "a description": "sent/trap.toml",
    "a description in capitals": "sent/TRAP.TOML",
    "a description by its prefix": "described:sent/trap.toml",
    "a chat model": "openai:gpt",
    "a program": "cmd:touch ran",
    "a service": "{address}/score",
    "a trained model": "sent/model",
    "a trained model by its prefix": "model:sent/model",
    "scikit-learn's": "sklearn:sent/trap.skops",
    "a model of the hub": "hf:sent/model",
    "weights by a packaged name": "distilbert-sst2",
    "weights by a path": "distilbert-sst2:sent/model",
    "quotes": '"./sent/evil.py:score"',
    "capitals": "CMD:touch ran",
    "a file of scores": "sent/scores.csv",
    "a folder called like a control": "random:model",
}
"""What stands behind `base=`; each in several spellings of the whole."""
SPELLINGS = {
    "last": "tilted:gender=0.03,base={base}",
    "first": "tilted:base={base},gender=0.03",
    "spaced": "tilted: gender = 0.03 ,  base =  {base} ",
    "nested": "tilted:base=tilted:base={base},gender=0.03",
}
WHOLE = {
    "nested very deep": "tilted:" + "base=tilted:" * 700 + "base=./sent/evil.py:score",
    "the control in capitals": "TILTED:base=./sent/evil.py:score,gender=0.03",
    "twice": "tilted:base=vader,base=./sent/evil.py:score,gender=0.03",
    "a base of another control": "random:base=./sent/evil.py:score",
    "the key in capitals": "tilted:gender=0.03,BASE=./sent/evil.py:score",
    "a line break": "tilted:gender=0.03,base=\n./sent/evil.py:score",
    "a folder of models": "sent",
    "a Python file": "./sent/evil.py:score",
    "a plug-in's prefix": "stranger:anything",
}


class Service(ThreadingHTTPServer):
    """A service that scores every text 0.5 and remembers what it was sent."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.requests = []
        self.address = f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.path, dict(self.headers), body))
        answer = json.dumps(
            {"score": 0.5, "choices": [{"message": {"content": '{"score": 0.5}'}}]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_):
        pass


OPENED = []
"""Files that Python opened since a test began."""


def note_opened(event, arguments):
    if event == "open":
        OPENED.append(str(arguments[0]))


sys.addaudithook(note_opened)


@pytest.fixture(scope="module")
def service():
    with Service() as server:
        running = threading.Thread(target=server.serve_forever, daemon=True)
        running.start()
        yield server
        server.shutdown()
        running.join()


@pytest.fixture(scope="module")
def attacks(service):
    """The names of systems that a stranger writes into a folder."""
    names = {
        f"{base}, {spelling}": pattern.format(base=spec.format(address=service.address))
        for base, spec in BASES.items()
        for spelling, pattern in SPELLINGS.items()
    }
    return names | WHOLE


ATTACKS = [*(f"{base}, {spelling}" for base in BASES for spelling in SPELLINGS), *WHOLE]


@pytest.fixture(scope="module")
def place(tmp_path_factory, attacks, service):
    """An audit's folder under the attacks' names, and all that they name beside it."""
    where = tmp_path_factory.mktemp("resealed")
    sent = where / "sent"
    (sent / "model").mkdir(parents=True)
    (where / "random:model").mkdir()
    for code in (sent / "evil.py", where / "evil.py"):
        code.write_text(EVIL)
    trap = TRAP.format(address=service.address)
    for name in ("trap.toml", "TRAP.TOML"):
        (sent / name).write_text(trap)
    (sent / "trap.skops").write_bytes(b"PK\x03\x04")
    (sent / "scores.csv").write_text("text,score\n" + "Ann feels glad.,0.5\n")
    for model in (sent / "model", where / "random:model"):
        (model / "model.json").write_text(json.dumps({"kind": "python", "code": EVIL}))
    systems = {"vader": "vader"} | dict.fromkeys(attacks.values(), uneven)
    with pytest.MonkeyPatch.context() as patch:
        small_folder(where, patch, systems=systems)
    (where / "stolen.toml").write_text((where / "sent" / "trap.toml").read_text())
    return where


@pytest.fixture
def nothing_opened(place, service, monkeypatch):
    """In the folder's own place; afterwards nothing that a file names has been opened or called."""
    monkeypatch.chdir(place)
    monkeypatch.syspath_prepend(str(place))
    for name, value in {**KEYS, "OPENAI_BASE_URL": service.address}.items():
        monkeypatch.setenv(name, value)
    OPENED.clear()
    yield
    assert not (place / "ran").exists(), "a stranger's code ran"
    assert "evil" not in sys.modules
    assert service.requests == []
    assert [
        path
        for path in OPENED
        if "sent" in (parts := path.split("/")) or parts[-1] == "stolen.toml"
    ] == []


@pytest.mark.usefixtures("nothing_opened")
@pytest.mark.parametrize("attack", ATTACKS)
def test_drift_opens_no_part_of_a_name_that_only_a_folder_gives(attacks, attack, tmp_path):
    name = attacks[attack].strip()
    with pytest.raises(NamedByFileError) as error:
        drift("out", of=name, store=tmp_path)
    assert error.value.exit_code == 2
    assert repr(name) in str(error.value)
    assert "name the system yourself, as `tiltmeter drift BASELINE SYSTEM`" in str(error.value)


@pytest.mark.usefixtures("nothing_opened")
def test_a_folder_with_one_system_is_refused_on_the_command_line(place, tmp_path, monkeypatch):
    name = "tilted:gender=0.03,base=./sent/evil.py:score"
    out = small_folder(tmp_path, monkeypatch, systems={name: uneven})
    done = tiltmeter("drift", out, "-o", tmp_path / "drift", folder=place, **KEYS)
    assert (done.returncode, name in " ".join(done.stderr.split())) == (2, True), done.stderr
    assert "tiltmeter drift BASELINE SYSTEM" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "drift").exists()


@pytest.mark.usefixtures("nothing_opened")
@pytest.mark.parametrize(
    "words",
    [
        ("compare", "out", "out", "-q", "-o", "{}/compared"),
        ("verify", "out"),
        ("pack", "out", "{}/sent.zip"),
        ("gate", "out", "--gate", "gender<=0.5", "--summary", "{}/summary.md"),
        ("card", "out"),
        ("plan", "--from", "out"),
        ("explain", "vader", "--from", "out", "-q", "-o", "{}/why", "--store", "{}/store"),
    ],
    ids=lambda words: words[0],
)
def test_no_other_command_opens_what_a_folder_names(place, words, tmp_path):
    done = tiltmeter(*(word.format(tmp_path) for word in words), folder=place, **KEYS)
    assert done.returncode in (0, 3), done.stderr


@pytest.mark.usefixtures("nothing_opened")
def test_the_explorer_opens_an_audit_s_answers_and_none_of_its_systems(tmp_path):
    explorer = explorer_of(["vader", "out"], Options(), tmp_path / "store", tmp_path / "add.csv")
    assert [system.name for system in explorer.systems] == ["vader"]
    assert "./sent/evil.py:score" in explorer.audits[0].summary["systems"]
    for system in explorer.systems:
        system.close()


@pytest.mark.usefixtures("nothing_opened")
def test_a_corpus_that_a_folder_names_by_a_path_is_not_read(place, tmp_path, monkeypatch):
    found = audit({"mine": uneven}, small_corpus(tmp_path, "stolen.toml"), store=tmp_path / "store")
    assert found.run.corpora[0].name == "stolen.toml"
    with monkeypatch.context() as patched:
        patched.chdir(tmp_path)
        found.report("out")
    OPENED.clear()
    for words in (("verify",), ("compare", tmp_path / "out"), ("plan", "--from"), ("card",)):
        more = ("-q", "-o", tmp_path / "compared") if words[0] == "compare" else ()
        done = tiltmeter(*words, tmp_path / "out", *more, folder=place)
        assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("nothing_opened")
def test_a_panel_names_none_but_the_paper_s_groups(place, tmp_path):
    panel, heard = tmp_path / "panel", []
    rate(["vader", "random"], groups=["1"], mode="published", draws=0, store=tmp_path / "s").report(
        panel
    )
    group = '[corpus]\nname = "theirs"\nextends = "rating-1"\n[rating]\ngroup = "theirs"\n'
    (place / "sent" / "group.toml").write_text(f'{group}[rating.sets]\ntwo = ["glad", "grim"]\n')
    ratings = json.loads((panel / "ratings.json").read_text())
    ratings["run"]["rating"]["groups"] = ["1", "sent/group.toml"]
    (panel / "ratings.json").write_text(json.dumps(ratings))
    reseal(panel)
    OPENED.clear()

    def listen(texts):
        heard.extend(texts)
        return [0.5 for _ in texts]

    with pytest.raises(NamedByFileError, match=r"sent/group\.toml") as error:
        rate({"mine": listen}, reference=panel, draws=0, store=tmp_path / "s")
    assert heard == []
    assert error.value.for_command_line.endswith("name it yourself with --groups")


CONTROLS = ("vader", "tilted:gender=0.03", "tilted:base=vader,gender=0.03", "random:seed=7")


@pytest.mark.parametrize("name", CONTROLS)
def test_a_folder_in_the_way_changes_nothing_of_what_a_name_opens(name, tmp_path, monkeypatch):
    """A file that names a packaged system means that one, whatever stands where we are."""
    baseline = small_folder(tmp_path, monkeypatch, systems=[name])
    here = tmp_path / "here"
    (here / name).mkdir(parents=True)
    (here / name / "model.json").write_text(json.dumps({"kind": "python", "code": EVIL}))
    (here / name / "findings.json").write_text("{}")
    (here / name / "scores.csv").write_text("text,score\nAnn feels glad.,0.5\n")
    monkeypatch.chdir(here)
    OPENED.clear()
    assert drift(baseline, store=tmp_path / "again").verdict == "steady"
    assert [path for path in OPENED if str(here) in path or path.startswith(name)] == []
    assert not models_in("vader")
    assert not is_scores("vader")


def test_a_system_in_the_explorer_is_no_audit_because_a_folder_has_its_name(tmp_path, monkeypatch):
    (tmp_path / "vader").mkdir()
    (tmp_path / "vader" / "findings.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    explorer = explorer_of(["vader"], Options(), tmp_path / "store", tmp_path / "add.csv")
    assert [system.name for system in explorer.systems] == ["vader"]
    for system in explorer.systems:
        system.close()


def test_the_control_s_own_parser_says_what_is_wrong_with_a_name():
    with pytest.raises(NamedByFileError, match="'trap' is not KEY=VALUE"):
        open_packaged("tilted:trap", Options(), "out", "name it yourself")
    with pytest.raises(TiltmeterError, match="vader answers valence") as error:
        open_packaged("vader", Options(task="joy"), "out", "name it yourself")
    assert not isinstance(error.value, NamedByFileError)


def test_a_plug_in_s_name_may_be_opened_and_its_prefix_may_not(tmp_path, monkeypatch):
    """The package was installed by the user; a prefix would hand it any text of the file."""
    (tmp_path / "their_package.py").write_text(
        "from tiltmeter.systems import Card, Scale, System\n"
        "def system(target, options):\n"
        "    assert not target\n"
        "    return System(Card('theirs', scale=Scale(0.0, 1.0)), lambda texts: [0.5] * len(texts))"
    )
    metadata = tmp_path / "their_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[tiltmeter.systems]\ntheirs = their_package:system\n"
        "[tiltmeter.system_prefixes]\ntheir-prefix = their_package:system\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for registry in (SYSTEMS, PREFIXES):  # what is installed is looked up once a process
        monkeypatch.delitem(vars(registry), "_plug_ins", raising=False)
    try:
        assert open_packaged("theirs", Options(), "out", "").card.name == "theirs"
        base = "tilted:gender=0.03,base=theirs"
        assert open_packaged(base, Options(), "out", "").card.name == base
        for name in ("their-prefix:./x", "theirs:./x", "tilted:base=their-prefix:x,gender=0.03"):
            with pytest.raises(NamedByFileError, match="not packaged with Tiltmeter or a plug-in"):
                open_packaged(name, Options(), "out", "")
    finally:
        for registry in (SYSTEMS, PREFIXES):
            vars(registry).pop("_plug_ins", None)
