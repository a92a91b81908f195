"""A service described in a TOML file, asked over a real connection to a real server."""

import logging
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("httpx2", reason="needs the http extra")

import server
from msgspec import structs

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems import Missing, Options, Scale, ask, open_system
from tiltmeter.systems.service.description import Description, with_texts

DOCUMENT = Path(__file__).parents[2] / "docs" / "systems.md"
LIMITS = "[limits]\nbackoff = 0.001\ntimeout = 2\n"


@pytest.fixture(scope="module")
def at():
    with server.running() as address:
        yield address


@pytest.fixture
def described(at, tmp_path):
    """Writes a description, with the server's address for AT/, and opens it."""
    opened = []

    def describe(text, options=None, limits=LIMITS):
        path = tmp_path / "my-system.toml"
        path.write_text(text.replace("AT/", f"{at}/") + "\n" + limits, encoding="utf-8")
        opened.append(open_system(str(path), options))
        return opened[-1]

    yield describe
    for system in opened:
        system.close()


def problems(described, text, limits=LIMITS):
    with pytest.raises(SystemFailure) as failure:
        described(text, limits=limits)
    return str(failure.value)


SHORT = """
[system]
url = "AT/score"
[answer]
score = "score"
"""

FULL = """
[system]
name = "ours"
url = "AT/batch"
method = "post"
task = "joy"
languages = ["en", "es"]
scale = [0, 5]
licence = "MIT"
version = "2024-05"
[request]
batch = 3
body = { texts = "{texts}", model = "small" }
headers = { X-Model = "small" }
[answer]
score = "results[].score"
[limits]
concurrency = 2
timeout = 5
retries = 1
backoff = 0.001
price = 0.6
"""


def test_a_short_description_is_enough(described):
    system = described(SHORT)
    assert ask(system, ["four", "sevens."]) == [0.04, 0.07]
    assert system.card.name == "my-system"
    assert (system.card.task, system.card.scale) == ("valence", None)
    assert (system.pace.batch, system.pace.workers) == (1, 4)


def test_a_full_description_fills_the_card_and_the_pace(described):
    card, pace = (system := described(FULL, limits="")).card, system.pace
    assert (card.name, card.task, card.version, card.licence) == ("ours", "joy", "2024-05", "MIT")
    assert (card.scale, card.languages) == (Scale(0, 5), ("en", "es"))
    assert card.price == pytest.approx(0.2)  # 0.6 a request, three texts in each
    assert (pace.batch, pace.parallel, pace.workers, pace.one_by_one) == (3, "threads", 2, False)


def test_batches_are_cut_and_come_back_in_order(described):
    system = described(FULL, limits="")
    texts = ["x" * length for length in (5, 1, 4, 2, 3)]
    assert ask(system, texts) == [0.05, 0.01, 0.04, 0.02, 0.03]
    assert server.last["batch"] == ["xx", "xxx"]  # three, then the two that are left


def test_order_is_kept_when_several_threads_ask_batches(described):
    system = described(FULL, limits="")
    texts = [["x" * (3 * part + number) for number in range(3)] for part in range(20)]
    with ThreadPoolExecutor(6) as pool:
        answers = [
            answer for got in pool.map(lambda part: ask(system, part), texts) for answer in got
        ]
    assert answers == [length / 100 for length in range(60)]


def test_a_get_puts_the_text_into_the_query_beside_what_the_address_has(described):
    text = SHORT.replace("AT/score", "AT/score?lang=es").replace('"score"', '"result.score"')
    system = described(
        text.replace("[answer]", 'method = "GET"\n[request]\nquery = { q = "{text}" }\n[answer]')
    )
    assert ask(system, ["a&b=c d", "é"]) == [0.07, 0.01]
    assert server.last["lang"] == "es"


def test_texts_are_set_into_the_structure_and_cannot_break_out_of_it(described):
    system = described(
        SHORT.replace("AT/score", "AT/keep")
        + """
[request]
body = '{"in": [{"q": "Rate this: {text}!", "n": 1}], "deep": {"t": "{text}"}, "flag": true}'
"""
    )
    text = 'a "quoted", {text} ${HOME} \\ text'
    assert ask(system, [text]) == [0.5]
    assert server.last["kept"] == {
        "in": [{"q": f"Rate this: {text}!", "n": 1}],
        "deep": {"t": text},
        "flag": True,
    }


def test_a_text_that_holds_a_placeholder_is_left_alone():
    assert with_texts({"a": "{text}", "b": "{texts}"}, ["{texts}"]) == {
        "a": "{texts}",
        "b": ["{texts}"],
    }


# --- reading the answer ---


LABELS = """
[system]
url = "AT/echo"
[answer]
score = "label"
labels = { POSITIVE = 1, NEGATIVE = -1, 0 = 0 }
"""


def test_labels_stand_for_numbers(described):
    system = described(LABELS)
    answers = ask(system, ['{"label": "NEGATIVE"}', '{"label": 0}', '{"label": "MIXED"}', "{}"])
    assert answers == [
        -1.0,
        0.0,
        Missing(
            "the label 'MIXED' is none of POSITIVE, NEGATIVE, 0; "
            'the server answered {"label": "MIXED"}'
        ),
        Missing("there is no label at `label`; the server answered {}"),
    ]
    assert system.card.scale == Scale(-1, 1)
    assert "NEGATIVE = −1" in system.card.notes[1]


def test_a_label_with_its_probability_is_a_signed_probability(described):
    system = described(LABELS + 'confidence = "p"\n')
    answers = ask(system, ['{"label": "NEGATIVE", "p": 0.75}', '{"label": "POSITIVE", "p": 75}'])
    assert answers[0] == -0.75
    assert answers[1].reason.startswith("the confidence 75 is not within 0 to 1")


def test_labels_in_batches_are_read_side_by_side(described):
    system = described(
        """
[system]
url = "AT/keep"
[request]
batch = 2
body = { texts = "{texts}" }
[answer]
score = "[`\\"up\\"`, `\\"down\\"`]"
labels = { up = 2, down = -2 }
confidence = "[`0.5`, `0.25`]"
"""
    )
    assert ask(system, ["a", "b"]) == [1.0, -0.5]
    assert system.card.scale == Scale(-2, 2)


@pytest.mark.parametrize(
    ("path", "score", "reason"),
    [
        ("short", "results[].score", "`results[].score` gave 2 values for 3 texts"),
        ("batch", "results[0].score", "`results[0].score` gave no list"),
        ("batch", "length(results[0].score)", "does not fit the answer"),
    ],
)
def test_a_batch_that_cannot_be_matched_to_its_texts_is_missing(described, path, score, reason):
    system = described(
        FULL.replace("/batch", f"/{path}").replace("results[].score", score), None, ""
    )
    answers = ask(system, ["a", "b", "c"])
    assert len(set(answers)) == 1
    assert reason in answers[0].reason
    assert '{"results":[{"score":' in answers[0].reason


def test_one_bad_score_in_a_batch_leaves_the_others(described):
    text = '[{"s": 0.5}, {"s": null}, {"s": "NaN"}]'
    body = f"body = {{ text = '{text}', texts = \"{{texts}}\" }}"
    system = described(
        f'[system]\nurl = "AT/echo"\n[request]\nbatch = 3\n{body}\n[answer]\nscore = "[*].s || @"'
    )
    answers = ask(system, ["a", "b", "c"])  # [*].s drops nulls, so two values for three texts
    assert "gave 2 values for 3 texts" in answers[0].reason
    system = described(
        f'[system]\nurl = "AT/echo"\n[request]\nbatch = 3\n{body}\n'
        '[answer]\nscore = "[[0].s, [1].s, [2].s]"'
    )
    answers = ask(system, ["a", "b", "c"])
    assert answers[0] == 0.5
    assert answers[1].reason.startswith("there is no score")
    assert "is nan" in answers[2].reason


# --- what the user says beside it ---


def test_the_users_scale_wins_and_another_task_is_refused(described):
    assert described(FULL, Options(scale={"ours": "0:1"}), "").card.scale == Scale(0, 1)
    assert described(FULL, Options(scale=Scale(0, 1)), "").card.scale == Scale(0, 5)  # its own
    with pytest.raises(TiltmeterError, match="ours answers joy; 'fear' was asked for"):
        described(FULL, Options(task="fear"), "")


# --- mistakes ---


def test_every_mistake_is_listed_at_once_with_file_and_key(described):
    message = problems(
        described,
        """
headers = { A = "b" }
[system]
nmae = "x"
url = "ftp://x"
task = "angre"
scale = [1, 0]
method = "DELETE"
batch = 3
languages = "en"
[request]
batch = 0
body = "{not json"
[answer]
score = "a..b"
labels = { up = "high" }
[limit]
x = 1
""",
        "[limits]\nretries = -1\ntimeout = 0\nconcurrency = true\nprice = nan\n",
    )
    assert message.count("\n") == 17
    for expected in (
        "my-system.toml:2: the key 'headers' belongs under [request]",
        "my-system.toml:4: unknown key 'nmae' in [system]: did you mean 'name'?",
        "my-system.toml:5: url: expected an address, http://HOST or https://HOST",
        "my-system.toml:6: task is 'angre': did you mean 'anger'?",
        "my-system.toml:7: scale is [1.0, 0.0]; expected [LOW, HIGH], as in [-1, 1]",
        "my-system.toml:8: method is 'DELETE'; expected POST, GET, PUT",
        "my-system.toml:9: the key 'batch' belongs under [request]",
        'my-system.toml:10: languages is \'en\'; expected a list of texts, as in ["en", "es"]',
        "my-system.toml:12: batch is 0; expected a whole number from 1",
        "my-system.toml:13: body: expected a table, or a text holding JSON",
        "my-system.toml:15: score: expected a JMESPath expression",
        "my-system.toml:16: labels.up is 'high'; expected a number",
        "my-system.toml:17: unknown section 'limit': did you mean 'limits'?",
        "retries is -1; expected a whole number from 0",
        "timeout is 0; expected a number of seconds above 0",
        "concurrency is True; expected a whole number from 1",
        "price is nan; expected a number from 0",
    ):
        assert expected in message


def test_what_is_needed_and_absent_is_said_with_an_example(described):
    message = problems(described, '[system]\nname = "x"\n[answer]')
    assert '[system] needs url, for instance url = "https://host/score"' in message
    assert '[answer] needs score, for instance score = "sentiment.score"' in message


def test_a_value_that_may_be_a_secret_is_not_repeated(described):
    text = SHORT.replace('"AT/score"', '["http://me:hunter2@host"]')
    message = problems(described, f"{text}[request]\nheaders = {{ X-Key = 1234567 }}")
    assert "headers.X-Key is not as it should be; expected a text" in message
    assert "hunter2" not in message
    assert "1234567" not in message


@pytest.mark.parametrize(
    ("request_keys", "reason"),
    [
        ('body = { a = "b" }', "[request] body: the text is nowhere in it"),
        ('body = { a = "x {texts}" }', '[request] body.a: "{texts}" is a list and stands alone'),
        ('query = { a = "{texts}" }', '[request] query.a: "{texts}" is a list'),
        ('body = { a = "{text}", b = ["{texts}"] }', 'use either "{text}" or "{texts}", not both'),
        ('batch = 2\nbody = { a = "{text}" }', 'a batch of 2 needs "{texts}" in the body'),
        ("body = { a = 2020-01-01 }", "holds a date or time, which JSON has not"),
        ("query = { a = 1 }", "query.a is not as it should be; expected a text"),
        ('headers = { X = "${NO_SUCH_VARIABLE}" }', "no variable 'NO_SUCH_VARIABLE'"),
        ('headers = { X = "${}" }', "no variable ''"),
    ],
)
def test_a_request_that_cannot_work_is_refused(described, request_keys, reason):
    assert reason in problems(described, f"{SHORT}[request]\n{request_keys}")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("AT/score", "AT/${HOST}", "write the address out"),
        ("AT/score", "score.example.org", "expected an address"),
        ('"AT/score"', '"AT/score"\nmethod = "GET"', "the text is nowhere in it"),
        ('score = "score"', 'score = "s"\nconfidence = "c"', "a confidence goes with labels"),
        ("[answer]", "answer = 1\n[ans]", "unknown section 'ans'"),
        ("[system]", "[system", "is not valid TOML"),
    ],
)
def test_a_description_that_cannot_work_is_refused(described, old, new, reason):
    assert reason in problems(described, SHORT.replace(old, new))


def test_a_get_with_a_body_is_refused(described):
    text = SHORT.replace("[answer]", 'method = "GET"\n[request]\nbody = { a = "{text}" }\n[answer]')
    assert "a GET has no body" in problems(described, text)


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(SystemFailure, match=r"none\.toml.*No such file"):
        open_system(str(tmp_path / "none.toml"))
    (tmp_path / "latin.toml").write_bytes(b"[system]\nname = '\xe9'")
    with pytest.raises(SystemFailure, match=r"latin\.toml.*not UTF-8"):
        open_system(str(tmp_path / "latin.toml"))


# --- secrets ---


LOCKED = """
[system]
url = "AT/locked"
[request]
headers = { Authorization = "Bearer ${MY_KEY}", X-Token = "literal-secret" }
query = { key = "${MY_KEY}", password = "other-secret" }
body = { text = "{text}", auth = { token = "third-secret" } }
[answer]
score = "score"
"""
SECRETS = ("hunter", "literal-secret", "other-secret", "third-secret")


def test_variables_are_sent_and_shown_nowhere(described, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", "hunter2\n")
    system = described(LOCKED)
    assert ask(system, ["four"]) == [0.04]
    shown = f"{system!r} {system.card!r} {caplog.text}"
    assert "HTTP Request" in caplog.text
    assert "${MY_KEY}" not in system.card.settings["query"].values()  # named key: struck out
    for secret in SECRETS:
        assert secret not in shown


def test_a_refused_key_is_said_with_advice_and_not_repeated(described, monkeypatch):
    monkeypatch.setenv("MY_KEY", "hunter3")
    with pytest.raises(SystemFailure, match=r"check the key.*HTTP 401.*no, \*\*\*") as failure:
        ask(described(LOCKED), ["four"])
    for secret in SECRETS:
        assert secret not in str(failure.value)


@pytest.mark.parametrize("code", ["400", "500", "200"])
def test_a_server_that_repeats_what_it_was_sent_gives_no_secret_away(described, monkeypatch, code):
    monkeypatch.setenv("MY_KEY", "hunter2")
    text = LOCKED.replace("/locked", "/tell-all").replace("auth =", f"code = {code}, auth =")
    (answer,) = ask(described(text), ["four"])
    assert "***" in answer.reason
    for secret in SECRETS:
        assert secret not in answer.reason


def test_a_score_or_label_that_is_a_secret_is_struck_out(described, monkeypatch):
    monkeypatch.setenv("MY_KEY", "hunter2")
    headers = '[request]\nheaders = { A = "${MY_KEY}" }\n'
    number = described(SHORT.replace("/score", "/echo") + headers)
    label = described(LABELS + headers)
    assert "hunter2" not in ask(number, ['{"score": "hunter2"}'])[0].reason
    assert "hunter2" not in ask(label, ['{"label": "hunter2"}'])[0].reason


def test_a_missing_variable_is_named_and_a_wrong_header_is_not_repeated(described, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    message = problems(described, LOCKED)
    assert "[request] headers.Authorization: the environment has no variable 'MY_KEY'" in message
    assert "literal-secret" not in message
    monkeypatch.setenv("MY_KEY", "hunter2\nX-Other: 1")
    with pytest.raises(SystemFailure, match="a header holds characters") as failure:
        ask(described(LOCKED), ["four"])
    assert "hunter2" not in str(failure.value)


def test_the_fingerprint_follows_what_changes_answers_and_no_secret(described, monkeypatch):
    def fingerprint(old="", new="", key="hunter2"):
        monkeypatch.setenv("MY_KEY", key)
        return described(LOCKED.replace(old, new) if old else LOCKED).card.fingerprint

    first = fingerprint()
    assert fingerprint(key="hunter3") == first
    assert fingerprint("literal-secret", "new-secret") == first
    assert fingerprint("third-secret", "new-secret") == first
    assert fingerprint('"score"', '"other"') != first
    assert fingerprint('text = "{text}"', 'text = "Rate {text}"') != first
    assert fingerprint("/locked", "/score") != first
    assert fingerprint("[request]", 'version = "2"\n[request]') != first


# --- the document ---


def test_the_document_tells_of_every_key():
    told = DOCUMENT.read_text(encoding="utf-8")
    for section in structs.fields(Description):
        assert f"`[{section.name}]`" in told
        for key in structs.fields(section.type):
            assert f"| `{key.name}` |" in told, (section.name, key.name)


def test_every_example_in_the_document_opens(tmp_path, monkeypatch):
    examples = re.findall(r"^```toml\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.S | re.M)
    assert len(examples) >= 4
    for example in examples:
        for name in re.findall(r"\$\{(\w+)\}", example):
            monkeypatch.setenv(name, "a-key")
        path = tmp_path / "example.toml"
        path.write_text(example, encoding="utf-8")
        system = open_system(str(path))
        assert system.card.settings["score"]
        system.close()


def test_parse_reads_the_number_in_what_the_path_gives(described):
    echoed = SHORT.replace("AT/score", "AT/echo").replace('score = "score"', 'score = "said"')
    prose = """[request]\nbody = { text = '{"said": "I say 2 things. Score: 0.4 of {text}"}' }\n"""
    system = described(echoed + prose, Options(parse="Score: ([0-9.]+)"))
    assert ask(system, ["any"]) == [0.4]
    assert system.card.settings["parse"] == "Score: ([0-9.]+)"
    assert "--parse Score: ([0-9.]+)" in system.card.notes[1]
    (missing,) = ask(described(echoed + prose, Options(parse="Rating: ([0-9.]+)")), ["any"])
    assert "--parse Rating: ([0-9.]+) finds no number in 'I say 2 things." in missing.reason
    (missing,) = ask(described(SHORT, Options(parse="result.score")), ["0.5"])
    assert "--parse result.score finds no number in" in missing.reason


def test_parse_beside_labels_is_refused(described):
    labels = SHORT + "labels = { good = 1, bad = 0 }\n"
    with pytest.raises(TiltmeterError, match=r"parse reads a number, and .* has labels"):
        described(labels, Options(parse="score"))


def test_a_path_to_a_list_says_what_to_add(described):
    many = SHORT.replace('score = "score"', 'score = "[score]"')
    (missing,) = ask(described(many), ["0.5"])
    assert "`[score]` gave a list; for its first value add ` | [0]`" in missing.reason
    (score,) = ask(described(many.replace("[score]", "[score] | [0]")), ["0.5"])
    assert isinstance(score, float)
