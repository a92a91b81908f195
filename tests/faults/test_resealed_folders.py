"""Folders whose hashes were made to fit, opened by every command: nothing runs, nothing is forged.

A case is a number (`folder_readers.make_case`); `tests/faults/test_resealed_folders.py 417 58`
opens those of some numbers again, and `0-1000` all of them.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from folder_readers import Case, Worker, faults_of, honest_case, make_case, opened_worker, prepare
from resealed import AUDITS, PANEL, make_seeds
from strangers import counting_server

QUICK = (
    *(22, 127),  # a system that a folder names: a module beside it, a service with a key
    *(388, 861),  # verdicts forged, as of an older schema; shown by the explorer
    *(50, 632, 158),  # a pipe, a link to another folder, hashes that do not fit
    *(82, 123, 205, 287, 369, 410, 451, 492, 533, 574, 615, 656, 697, 738, 779, 820, 902, 943),
)
"""The numbers of 25 cases, of changes of every kind."""
ALL, BLOCK = 1000, 50


@dataclass
class Desk:
    """Where folders are opened: the folders as they were left, a worker, a server that counts."""

    place: Path
    seeds: dict[str, dict[str, bytes]]
    worker: Worker
    address: str
    calls: list[object]

    def folder(self, name: str) -> Path:
        """A folder for a case, with what its folder may name beside it."""
        folder = self.place / name
        folder.mkdir()
        prepare(folder, self.address)
        return folder

    def open(self, case: Case, folder: Path) -> list[str]:
        """What was wrong, if anything."""
        return faults_of(case, self.worker, folder, self.place / "honest", self.calls)

    def case(self, number: int) -> tuple[Case, list[str]]:
        """The case of a number, and what was wrong."""
        folder = self.folder(f"case-{number}")
        case = make_case(number, self.seeds, folder)
        return case, self.open(case, folder)


@contextmanager
def opened_desk(place: Path) -> Iterator[Desk]:
    """Everything that cases share."""
    (place / "honest").mkdir()
    seeds = make_seeds(place / "honest")
    with opened_worker() as worker, counting_server() as (address, calls):
        yield Desk(place, seeds, worker, address, calls)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with opened_desk(tmp_path_factory.mktemp("desk")) as desk:
        yield desk


@pytest.mark.parametrize("seed", [*AUDITS, PANEL])
def test_a_folder_as_it_was_left_is_opened_by_every_command(desk, seed):
    """What the oracles would miss if nothing were opened, or no verdict were stated."""
    case = honest_case(seed, desk.seeds)
    assert desk.open(case, desk.folder(f"honest-{seed}")) == []


def test_a_pack_as_it_was_made_is_opened_by_every_command(desk):
    case = honest_case("eec", desk.seeds, packed=True)
    assert desk.open(case, desk.folder("honest-pack")) == []


@pytest.mark.parametrize("number", QUICK)
def test_a_resealed_folder_forges_nothing(desk, number):
    case, faults = desk.case(number)
    assert not faults, f"{case}\n" + "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ALL, BLOCK))
def test_a_thousand_resealed_folders_forge_nothing(desk, start):
    wrong = []
    for number in range(start, start + BLOCK):
        case, faults = desk.case(number)
        wrong += [f"{case}: {fault}" for fault in faults]
    assert not wrong, "\n".join(wrong)


def main(words: list[str]) -> None:
    """Open the cases of some numbers, and print what was wrong with each."""
    numbers = list[int]()
    for word in words:
        first, _, end = word.partition("-")
        numbers += range(int(first), int(end or int(first) + 1))
    with tempfile.TemporaryDirectory() as place, opened_desk(Path(place)) as desk:
        for number in numbers:
            case, faults = desk.case(number)
            print(case, "|", ", ".join(opening.name for opening in case.openings), flush=True)
            for fault in faults:
                print("   ", fault, flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main(sys.argv[1:])
