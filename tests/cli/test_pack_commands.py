"""`tiltmeter pack`, `verify` and `card` as a user runs them."""

import json

import pytest

from small_audit import members, small_folder, zipped
from tiltmeter.studies.audit.verify import pack

pytestmark = pytest.mark.usefixtures("_out")


@pytest.fixture(scope="module")
def _out(at):
    """An audit's folder, out, in the place where commands run."""
    with pytest.MonkeyPatch.context() as patch:
        small_folder(at.folder, patch)


def test_a_folder_is_packed_verified_and_told(at):
    packed = at.run("pack", "out", "audit.zip")
    assert (packed.returncode, packed.stderr) == (0, "")
    first, second, third = packed.stdout.splitlines()
    assert first.startswith("Packed into audit.zip (0.")
    assert third == "Note it down elsewhere. To verify: tiltmeter verify audit.zip"
    fingerprint = second.removeprefix("fingerprint ")
    done = at.run("verify", "audit.zip", "--fingerprint", fingerprint)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"fingerprint    {fingerprint}" in done.stdout.splitlines()
    assert "Verified: " in done.stdout
    assert done.stdout.endswith(
        "This does not show that the answers came from the systems named, nor that what\n"
        "is said of them (version, licence, notes) is so.\n"
    )


def test_what_was_checked_can_be_had_as_json(at):
    done = at.run("verify", "out", "--json", "-")
    told = json.loads(done.stdout)
    assert told["verified"] is True
    assert [one["what"] for one in told["checks"]][:2] == ["files", "fingerprint"]


def test_a_file_that_was_changed_is_named_with_exit_2(at):
    files = members(pack(at.folder / "out", at.folder / "good.zip"))
    zipped({**files, "report.html": b"better"}, at.folder / "bad.zip")
    done = at.run("verify", "bad.zip")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: bad.zip: was altered or damaged:\n"
        "  report.html: is not what was written: its SHA-256 differs\n"
    )


def test_a_card_is_printed_for_one_system_or_all(at):
    one = at.run("card", "out", "--system", "mine")
    assert one.stdout == (at.folder / "out/model-cards/mine.md").read_text()
    every = at.run("card", "out")
    assert every.stdout.count("## Assessment of tilt with Tiltmeter\n") == 2
    metadata = at.run("card", "out", "--system", "vader", "--yaml")
    assert metadata.stdout == (at.folder / "out/model-cards/vader.yaml").read_text()
    wrong = at.run("card", "out", "--system", "vadr")
    assert wrong.returncode == 2
    assert "did you mean 'vader'?" in wrong.stderr
