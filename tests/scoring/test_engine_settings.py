"""What may be said of the engine, and what is told where Ray is not installed."""

import pytest

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.scoring import Settings, run
from tiltmeter.scoring.ray import block_size


@pytest.fixture
def with_ray(monkeypatch):
    monkeypatch.setattr(run, "find_spec", lambda _: object())


def test_this_machine_is_the_engine_unless_another_is_named():
    assert Settings().engine == "local"


def test_an_engine_that_is_none_is_refused():
    with pytest.raises(TiltmeterError, match=r"^engine is local or ray; found 'spark'"):
        Settings(engine="spark")


@pytest.mark.parametrize(
    "given", [{"ray_address": "head:6379"}, {"shards": "s3://bucket"}, {"ray_gpus": 0.5}]
)
def test_what_is_for_ray_needs_ray(given):
    (name,) = given
    with pytest.raises(TiltmeterError, match=f"^{name} is for engine ray") as refused:
        Settings(**given)
    option = f"--{name.replace('_', '-')}"
    assert refused.value.for_command_line.startswith(f"{option} is for --engine ray")


@pytest.mark.usefixtures("with_ray")
@pytest.mark.parametrize("gpus", [-1.0, float("nan")])
def test_gpus_are_a_number_from_0_up(gpus):
    with pytest.raises(TiltmeterError, match=r"^ray_gpus is a number from 0 up"):
        Settings(engine="ray", ray_gpus=gpus)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(run, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tiltmeter\[ray\]'") as caught:
        Settings(engine="ray")
    assert caught.value.exit_code == 2


def test_blocks_hold_whole_batches_and_seconds_of_work():
    # 1,000,000 texts, 2 workers, 4 blocks each: 125,000, but at most 32 batches of 256 = 8,192.
    assert block_size(1_000_000, 256, 2) == 8192
    # 8,640 / (2 × 4) = 1,080, up to whole batches of 256: 5 × 256 = 1,280.
    assert block_size(8640, 256, 2) == 1280
    # A service that takes one text at a time: 256 of them.
    assert block_size(8640, 1, 1) == 256
