"""The explorer's server: right scores, no other's page, bounded requests, slow and dead systems."""

import json
import re
import socket
import threading

import pytest

import tiltmeter
from command_line import in_own_process
from explorer_server import TOKEN, live_function, served
from tiltmeter.corpora import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.explore.live import LiveState, LiveSystem, live_systems, open_all
from tiltmeter.explore.requests import LONGEST_TEXT, MOST_BYTES, CorpusSentence
from tiltmeter.explore.session import add_sentences
from tiltmeter.scoring import Store
from tiltmeter.scoring.store import answer_frame
from tiltmeter.studies.explain.knowledge import near_words
from tiltmeter.systems import Card, Missing, Options, Scale, System


@pytest.fixture(scope="module")
def vader(tmp_path_factory):
    with served(["vader"], tmp_path_factory.mktemp("explorer")) as server:
        yield server


def test_scores_are_those_of_try(vader):
    tried = tiltmeter.try_sentence("vader", "My {sister|brother} feels angry.")
    scores, events = vader.score(*tried.texts)
    assert [scores["vader"][text] for text in tried.texts] == list(tried.answers)
    assert events[-1] == {"done": True}
    assert events[0]["scale"] == {"low": -1.0, "high": 1.0, "known": "declared"}


def test_a_sentence_is_read_swapped_and_given_a_place_for_names(vader):
    (reading,) = vader.post("/api/read", text="Adam lost his keys.")
    assert reading["swapped"] == "Amanda lost her keys."
    assert reading["frame"]["female"] == ["", " lost her keys."]
    (reading,) = vader.post("/api/read", text="I saw her duck.")
    assert "may stand for" in reading["no_swap"]
    assert reading["mentions"][0]["choices"] == ["him", "his", "nobody"]
    (reading,) = vader.post("/api/read", text="I saw her duck.", decisions={"6": "his"})
    assert reading["swapped"] == "I saw his duck."


def test_every_name_is_put_into_the_sentence_with_agreement(vader):
    events = vader.post("/api/names", text="He hates his job.")
    raw = [one for event in events if "raw" in event for one in event["raw"]]
    names = vader.explorer.names
    assert len(raw) == len(names) == 40
    text = f"{names[0].name} hates {'her' if names[0].gender == 'female' else 'his'} job."
    assert vader.score(text)[0]["vader"][text] == raw[0]


def test_why_says_what_each_word_adds_and_whether_the_lexicon_has_it(vader):
    (event, _) = vader.post("/api/why", text="Adam feels furious.")
    effects = {one["word"]["text"]: one for one in event["why"]["effects"]}
    assert effects["furious"]["effect"] < -0.1
    assert effects["furious"]["lexicon"] == -2.7
    assert effects["Adam"] == {
        "word": {"start": 0, "text": "Adam"}, "effect": 0.0, "is_name": True, "lexicon": None,
    }  # fmt: skip
    assert event["why"]["names_alone"] == {"Adam": 0.5}
    assert event["asked"] == 5  # the text, three words left out of which one is the name, the name


def test_why_shows_what_can_be_read_of_a_system_without_asking_it(tmp_path):
    """glove-lexicon reads vectors that we read too: words near a name, by their cosine."""
    with served(["glove-lexicon", "vader"], tmp_path) as server:
        events = server.post("/api/why", text="Latoya feels sad.")
    facts = {event["system"]: event["facts"] for event in events if "why" in event}
    near = near_words("glove-6b-50d", ["Latoya"])["Latoya"]
    assert facts["vader"] == []
    (said,) = facts["glove-lexicon"]
    assert said.startswith(f"Words near Latoya: {near[0].word} ({near[0].cosine:.2f}, rated ")


def test_answers_are_stored_like_any_other_scores(tmp_path):
    with served(["vader"], tmp_path) as server:
        server.score("This is stored.")
        card = server.explorer.systems[0].system.card
    rows, _ = Store(tmp_path / "store").read(card.fingerprint)
    assert "This is stored." in rows["text"].to_list()


def test_what_is_free_is_asked_though_the_store_has_an_answer_of_before(tmp_path):
    (vader,) = live_systems(["vader"], Options(), Store(tmp_path / "store"))
    open_all([vader])
    stale = answer_frame(["This is awful."], [0.99], 0)
    Store(tmp_path / "store").write(vader.system.card, stale)
    with served(["vader"], tmp_path) as server:
        assert server.score("This is awful.")[0]["vader"]["This is awful."] < 0


def test_what_has_a_price_begins_with_its_stored_answers_and_says_how_many(tmp_path):
    def opens():
        card = Card("priced", scale=Scale(0.0, 1.0), price=0.01)
        return System(card, lambda texts: [0.25] * len(texts))

    store = Store(tmp_path / "kept")
    store.write(opens().card, answer_frame(["Asked before."], [0.75], 0))
    with served([LiveSystem("priced", opens, store, None)], tmp_path) as server:
        scores, _ = server.score("Asked before.", "Asked now.")
        assert scores["priced"] == {"Asked before.": 0.75, "Asked now.": 0.25}
        (status,) = json.loads(server.ask("GET", "/api/status")[2])["systems"]
        assert status["stored"] == 1


def test_a_text_that_could_not_be_asked_has_its_reason_and_the_others_their_scores(tmp_path):
    def opens():
        def answer(texts):
            return [Missing("timed out", True) if "slow" in text else 0.5 for text in texts]

        return System(Card("half", scale=Scale(0.0, 1.0)), answer)

    with served([LiveSystem("half", opens, None, None)], tmp_path) as server:
        scores, (event, _) = server.score("quick", "slow one")
        assert scores["half"] == {"quick": 0.5, "slow one": None}
        assert event["reasons"] == [None, "timed out"]


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Host": "evil.example"}, "not the address"),
        ({"Host": "evil.example:80", "X_Tiltmeter_Token": TOKEN}, "not the address"),
        ({"Origin": "http://evil.example"}, "its own page alone"),
        ({"Origin": "null"}, "its own page alone"),
        ({"Sec_Fetch_Site": "cross-site"}, "its own page alone"),
        ({"X_Tiltmeter_Token": None}, "lacks its token"),
        ({"X_Tiltmeter_Token": "guessed"}, "lacks its token"),
    ],
    ids=str,
)
def test_only_the_page_itself_is_answered(vader, headers, why):
    for method, path in (("POST", "/api/score"), ("GET", "/api/start"), ("GET", "/")):
        status, _, text = vader.ask(method, path, {"texts": ["x"]}, **headers)
        assert status == 403
        assert why in text
        assert TOKEN not in text


def test_the_page_needs_the_token_of_the_link_and_runs_its_own_script_alone(vader):
    assert vader.ask("GET", "/", X_Tiltmeter_Token=None)[0] == 403
    status, headers, text = vader.ask("GET", f"/?token={TOKEN}", X_Tiltmeter_Token=None)
    assert status == 200
    assert "unsafe" not in headers["content-security-policy"]
    assert "script-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert not any("access-control" in name.lower() for name in headers)
    assert "<script>" not in text
    assert "style=" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../live.py", "/static/%2e%2e/live.py", "/static/..%2flive.py", "/static/%00",
        "/static/script/main.js", "/static//etc/passwd", "/../../etc/passwd", "/static/index.html",
    ],
)  # fmt: skip
def test_no_address_opens_a_file_but_the_page_s_own(vader, path):
    status, _, text = vader.ask("GET", path)
    assert status in (400, 404)
    assert "import" not in text
    assert "root:" not in text


def test_what_is_too_large_or_of_another_shape_is_refused_and_the_server_goes_on(vader):
    status, _, text = vader.ask("POST", "/api/score", json.dumps({"texts": ["x" * 10_000_000]}))
    assert status in (400, 413)
    assert f"{MOST_BYTES:,}" in text
    for body, why in [
        ({"texts": ["x" * (LONGEST_TEXT + 1)]}, "5000"),
        ({"texts": ["x"] * 201}, "200"),
        ({"texts": "x"}, "array"),
        ({"texts": ["x"], "path": "/etc/passwd"}, "path"),
        ({"texts": ["x"], "systems": ["os:system"]}, "no system 'os:system'"),
    ]:
        status, _, text = vader.ask("POST", "/api/score", body)
        assert (status, why in text) == (400, True), text
    assert vader.ask("POST", "/api/score", b"\xff{")[0] == 400
    assert vader.ask("PUT", "/api/score")[0] == 405
    assert vader.score("still here")[0]


def test_a_slow_system_is_said_to_be_waited_for_and_holds_up_no_other(tmp_path):
    go = threading.Event()

    def slow(_):
        go.wait(60)
        return 0.25

    systems = [live_function("slow", slow), live_function("quick", lambda _: 0.75)]
    with served(systems, tmp_path) as server:
        done = threading.Timer(2.5, go.set)
        done.start()
        scores, events = server.score("a text")
    assert events[0]["system"] == "quick"
    assert any(event.get("waiting") and event["system"] == "slow" for event in events)
    assert scores == {"quick": {"a text": 0.75}, "slow": {"a text": 0.25}}


def test_a_system_that_dies_is_named_with_the_reason_and_recovers(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.explore.live.RETRY_AFTER", 0.0)
    broken = threading.Event()

    def fragile(_):
        if broken.is_set():
            raise ConnectionError("the model is gone")
        return 0.5

    with served(
        [live_function("fragile", fragile), live_function("sound", len)], tmp_path
    ) as server:
        assert server.score("one")[0]["fragile"] == {"one": 0.5}
        broken.set()
        scores, events = server.score("two")
        assert scores == {"sound": {"two": 3}}
        (down,) = [event["down"] for event in events if "down" in event]
        assert "the model is gone" in down
        assert server.explorer.systems[0].state is LiveState.DOWN
        broken.clear()
        assert server.score("two")[0]["fragile"] == {"two": 0.5}
        assert server.explorer.systems[0].state is LiveState.READY


def test_kept_sentences_are_a_corpus_that_opens(vader):
    path = vader.explorer.corpus
    for nth, (woman, man) in enumerate(
        [("She sings.", "He sings."), ("My aunt, “Z”", "My uncle, “Z”")], 1
    ):
        sentences = [{"text": woman, "gender": "female"}, {"text": man, "gender": "male"}]
        (said,) = vader.post("/api/corpus", sentences=sentences)
        assert said == {"file": "explored.csv", "rows": 2 * nth}
    corpus = load_corpus(path)
    assert [axis.name for axis in corpus.axes] == ["gender"]
    assert corpus.sentences()["frame"].n_unique() == 2
    path.write_text("other,columns\n1,2\n")
    status, _, text = vader.ask("POST", "/api/corpus", {"sentences": sentences})
    assert (status, "other columns" in text) == (400, True)
    assert path.read_text() == "other,columns\n1,2\n"
    path.unlink()


def test_a_kept_sentence_computes_nothing_and_the_corpus_still_opens(tmp_path):
    texts = [
        ("=LINK(1) she", "=LINK(1) he"), ("-she", "'=he"), ("\0She sings.", "He \0smiles."),
        ("She,\r\n“sings”", 'He,\r"sings"'), ("@she\t", "+he"), ("\u202eShe", "\u202eHe"),
    ]  # fmt: skip
    path = tmp_path / "explored.csv"
    for woman, man in texts:
        add_sentences(path, [CorpusSentence(woman, "female"), CorpusSentence(man, "male")])
    kept = path.read_text("utf-8")
    assert "\0" not in kept
    assert not re.search(r'^"?[=+@-]', kept, re.MULTILINE)
    expected = [text.replace("\0", "") for pair in texts for text in pair]
    assert load_corpus(path).sentences()["text"].to_list() == expected


@pytest.mark.parametrize("text", ["", "  \n", "\0"])
def test_an_empty_sentence_is_not_kept(text, tmp_path):
    path = tmp_path / "explored.csv"
    with pytest.raises(TiltmeterError, match="without letters"):
        add_sentences(path, [CorpusSentence("She.", "female"), CorpusSentence(text, "male")])
    assert not path.exists()


def test_many_at_once_are_all_answered(vader):
    found = [None] * 40

    def ask(nth):
        text = f"Person {nth} feels {'great' if nth % 2 else 'awful'}."
        found[nth] = vader.score(text)[0]["vader"][text]

    threads = [threading.Thread(target=ask, args=(nth,)) for nth in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all((raw > 0) == bool(nth % 2) for nth, raw in enumerate(found))


def test_the_command_says_what_it_cannot_open_before_it_shows_a_page(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, why in [
            (["vadre"], "did you mean 'vader'"),
            (["vader", "--port", port], f"port {port} cannot be had"),
            (["./missing.py:score"], "missing.py"),
        ]:
            done = in_own_process("explore", *words, "--no-browser", folder=tmp_path)
            assert (done.returncode, why in done.stderr) == (2, True), done.stderr
            assert "Traceback" not in done.stderr


def test_a_system_that_cannot_be_reached_is_down_and_the_page_is_served(tmp_path):
    dead, vader = live_systems(["http://127.0.0.1:9/score", "vader"], Options(), None)
    open_all([dead, vader])
    assert vader.state is LiveState.READY
    with served([dead, vader], tmp_path) as server:
        scores, events = server.score("She sings.")
        assert list(scores) == ["vader"]
        assert any("down" in event for event in events)
