"""A chat model behind an OpenAI-compatible endpoint: one that says back what it is told."""

import logging

import pytest

pytest.importorskip("httpx2", reason="needs the http extra")

import server

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems import Missing, Options, Scale, ask, open_system
from tiltmeter.systems.llm import chat_model, only_number
from tiltmeter.systems.service.connection import Limits

QUICK = Limits(timeout=60.0, retries=1, backoff=0.001)


@pytest.fixture(scope="module")
def at():
    with server.running() as address:
        yield f"{address}/v1"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def model(at, **options):
    return chat_model("small-1", Options(base_url=at, **options), QUICK)


def test_a_local_model_is_asked_without_a_key_at_temperature_0(at):
    system = open_system("openai:small-1", Options(base_url=f"{at}/"))
    assert ask(system, ["0.7"]) == [0.7]
    sent = server.last["chat"]
    assert (sent["model"], sent["temperature"]) == ("small-1", 0)
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert sent["messages"][1]["content"] == "0.7"
    assert server.last["key"] is None
    system.close()


def test_the_prompt_is_the_one_shown_and_asks_for_valence_from_0_to_1(at):
    system = model(at)
    ask(system, ["0.7"])
    prompt = server.last["chat"]["messages"][0]["content"]
    assert "positive or negative" in prompt
    assert "Rate it from 0 to 1: 0 is the most negative, 0.5 neutral, 1 the most positive" in prompt
    assert prompt.endswith("Answer with only a number.")
    assert prompt in system.card.notes[0]
    assert (system.card.name, system.card.scale) == ("openai:small-1", Scale(0, 1))
    system.close()


def test_an_emotion_and_another_scale_change_the_prompt(at):
    system = model(at, task="anger", scale=Scale(-5, 5))
    assert "the anger that the user's message expresses" in system.card.settings["prompt"]
    assert "from -5 to 5: -5 is no anger at all" in system.card.settings["prompt"]
    assert (system.card.task, system.card.scale) == ("anger", Scale(-5, 5))
    system.close()


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("0.7", 0.7),
        (" 0.7\n", 0.7),
        ("Score: 0.7", 0.7),
        ("score=0.7", 0.7),
        ("The rating is **0.7**.", 0.7),
        ("1", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-0.25", -0.25),
        ("−0.25", -0.25),
        ("7e-1", 0.7),
        ("1.2", 1.2),  # outside the scale: kept as it is
        ("0,7", None),
        ("0.7 or 0.8", None),
        ("0.7/1", None),
        ("0.7 out of 1", None),
        ("3:0.7", None),
        ("2-3", None),
        ("70%", None),
        ("gpt-4 speaking", None),
        ("1e999", None),
        ("quite positive", None),
        ("", None),
    ],
)
def test_an_answer_counts_when_it_holds_exactly_one_number(said, number):
    assert only_number(said) == number


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("quite positive", "not one number: quite positive"),
        ("0.7 or 0.8", "not one number: 0.7 or 0.8"),
        ("I'm sorry, I can’t rate that. Call 988.", "the model refused: I'm sorry, I can’t rate"),
        ("refuse:That is unsafe.", "the model refused: That is unsafe."),
        ("   ", "the model said nothing: "),
        ('raw:{"choices": []}', 'this is no chat completion: {"choices": []}'),
        ('raw:{"choices": [{"message": "0.5"}]}', "this is no chat completion: "),
        ('raw:{"choices": [{"message": {"content": 0.5}}]}', "the model said nothing: "),
        ("raw:[", "the answer is not JSON: ["),
    ],
)
def test_an_answer_without_a_rating_is_missing_with_what_was_said(at, said, reason):
    system = model(at)
    first, second = ask(system, [said, "0.5"])
    assert isinstance(first, Missing)
    assert first.reason.startswith(reason)
    assert second == 0.5
    system.close()


def test_answers_outside_the_scale_are_kept(at):
    system = model(at)
    assert ask(system, ["1.07", "-0.18"]) == [1.07, -0.18]
    system.close()


def test_the_server_may_be_named_in_the_environment(at, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", at)
    system = chat_model("small-1", Options(), QUICK)
    assert ask(system, ["0.7"]) == [0.7]
    system.close()


def test_the_official_server_needs_a_key():
    with pytest.raises(SystemFailure, match=r"set the variable OPENAI_API_KEY.*--base-url"):
        open_system("openai:small-1")


def test_the_official_server_is_the_default(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
    system = open_system("openai:small-1")
    assert system.card.settings["url"] == "https://api.openai.com/v1"
    system.close()


@pytest.mark.parametrize(("spec", "base"), [("openai:", None), ("openai:m", "localhost:8000")])
def test_a_model_or_server_without_a_name_is_refused(spec, base):
    with pytest.raises(TiltmeterError, match=r"openai:.*(no model's name|no usable address)"):
        open_system(spec, Options(base_url=base))


def test_the_key_is_sent_and_shown_nowhere(at, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
    system = model(at)
    answers = ask(system, ["0.7", "not one: sk-hunter2", "refuse:sk-hunter2", "raw:sk-hunter2"])
    assert server.last["key"] == "Bearer sk-hunter2"
    assert "HTTP Request" in caplog.text
    assert all("***" in answer.reason for answer in answers[1:])
    assert "hunter2" not in f"{system!r} {answers!r} {caplog.text}"
    system.close()


def test_the_fingerprint_follows_model_server_task_and_scale_and_not_the_key(at, monkeypatch):
    def fingerprint(name="small-1", base=at, **options):
        system = chat_model(name, Options(base_url=base, **options), QUICK)
        system.close()
        return system.card.fingerprint

    first = fingerprint()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
    assert fingerprint() == first
    others = [
        fingerprint("small-2"),
        fingerprint(base=f"{at}/other"),
        fingerprint(task="joy"),
        fingerprint(scale=Scale(0, 10)),
    ]
    assert len({first, *others}) == 5


def test_a_model_that_is_not_there_is_missing_with_what_the_server_said(at):
    system = model(f"{at}/nowhere")
    assert ask(system, ["0.7"]) == [Missing('HTTP 404: {"detail":"Not Found"}')]
    system.close()


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ('{"score": 0.79}', 0.79),
        ('{"score": "0.79"}', 0.79),
        ('```json\n{"score": 0.79}\n```', 0.79),
        ('Here you are:\n```\n{"rating": -0.5}\n```\nI hope this helps.', -0.5),
        ('{"score": 0.79, "confidence": 0.9, "reason": "I cannot be sure"}', 0.79),
        ("```\n0.7\n```", 0.7),
        ('{"joy": 0.2, "anger": 0.7}', None),  # nobody can tell which is meant
        ('{"score": true}', None),
        ('{"score": NaN}', None),
        ('{"score": null}', None),
        ("{}", None),
    ],
)
def test_json_fenced_or_not_counts_where_it_holds_one_rating(at, said, number):
    system = model(at)
    (found,) = ask(system, [said])
    assert found == number if number is not None else isinstance(found, Missing)
    system.close()


@pytest.mark.parametrize(
    ("parse", "said", "number"),
    [
        ("result.score", '{"result": {"score": 0.4}, "n": 3}', 0.4),
        ("max([a, b])", '```json\n{"a": 0.1, "b": 0.3}\n```', 0.3),
        ("result.score", "0.4", None),
        (r"Score: ([-0-9.]+)", "Step 1 of 2. Score: -0.4", -0.4),
        (r"(?P<score>\d\.\d)(/\d)?$", "2 words, 0.7/1", 0.7),
        (r"Score: (\w+)", "Score: high", None),
    ],
)
def test_parse_says_where_the_number_stands(at, parse, said, number):
    system = model(at, parse=parse)
    (found,) = ask(system, [said])
    assert found == number if number is not None else isinstance(found, Missing)
    assert system.card.settings["parse"] == parse
    assert parse in system.card.notes[1]
    assert system.card.fingerprint != model(at).card.fingerprint
    system.close()


@pytest.mark.parametrize("parse", [r"Score: [0-9.]+", r"(a)(b) \d", "Score: ([0-9", ""])
def test_a_parse_that_is_neither_is_one_message(at, parse):
    with pytest.raises(TiltmeterError, match=r"^parse is .*expected a JMESPath.*one group"):
        model(at, parse=parse)


def test_a_temperature_is_sent_as_said_or_not_at_all(at):
    for given, fields in ((0, {"temperature": 0}), (0.2, {"temperature": 0.2}), (None, {})):
        system = model(at, temperature=given)
        ask(system, ["0.7"])
        sent = server.last["chat"]
        assert {name: sent[name] for name in ("temperature",) if name in sent} == fields
        system.close()
    prints = {model(at, temperature=given).card.fingerprint for given in (0, 0.2, None)}
    assert len(prints) == 3


def test_a_path_to_a_list_says_what_to_add(at):
    system = model(at, parse="ratings[*].score")
    (answer,) = ask(system, ['{"ratings": [{"score": 0.4}]}'])
    assert isinstance(answer, Missing)
    assert "gave a list" in answer.reason
    assert "`ratings[*].score | [0]`" in answer.reason
    system.close()
    system = model(at, parse="ratings[*].score | [0]")
    assert ask(system, ['{"ratings": [{"score": 0.4}]}']) == [0.4]
    system.close()


def test_a_model_is_told_the_users_own_prompt(at):
    system = model(at, prompt=" How glad is the writer, from 1 to 7?\n")
    assert ask(system, ["6"]) == [6.0]
    told, text = server.last["chat"]["messages"]
    assert told == {"role": "system", "content": "How glad is the writer, from 1 to 7?"}
    assert text == {"role": "user", "content": "6"}
    assert system.card.scale is None  # nothing says what the prompt asks for
    assert "How glad is the writer" in system.card.notes[0]
    assert system.card.fingerprint != model(at).card.fingerprint
    system.close()
    assert model(at, prompt="How glad?", scale=Scale(1, 7)).card.scale == Scale(1, 7)


def test_a_prompt_with_a_place_for_the_text_is_one_message(at):
    system = model(at, prompt="{text}")
    assert ask(system, ["0.4"]) == [0.4]
    assert server.last["chat"]["messages"] == [{"role": "user", "content": "0.4"}]
    system.close()


@pytest.mark.parametrize("prompt", ["", " \n", "x" * 100_001])
def test_a_prompt_that_says_nothing_or_too_much_is_refused(at, prompt):
    with pytest.raises(TiltmeterError, match=r"^prompt (is empty|has 100,001 letters); expected"):
        model(at, prompt=prompt)
