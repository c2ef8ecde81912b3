"""The folders in the exchange, however many somebody makes there."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grading.classroom.service import inbound
from grading.classroom.service.inbound import account_of


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reads once, in which there is time for some names; those that begin with m are another account's."""
    place, clock, known = tmp_path / "inbound", [0.0], set()
    place.mkdir()

    def now() -> float:
        clock[0] += 1.0
        return clock[0]

    folders = inbound.Inbound(lambda account: account, lambda name: name)
    monkeypatch.setattr(inbound.time, "monotonic", now)
    monkeypatch.setattr(inbound, "account_of", lambda entry: 1 if entry.name.startswith("m") else 2)

    def read(names: float) -> dict[str, int]:
        monkeypatch.setattr(inbound, "READ_S", names - 0.5)  # each name takes a second
        opened = os.open(place, os.O_RDONLY)
        try:
            return folders.read(opened, lambda name: name not in known)
        finally:
            os.close(opened)

    read.place, read.folders, read.known = place, folders, known
    return read


def test_a_look_reads_as_many_names_as_there_is_time_for_and_the_next_one_goes_on(found: Callable[..., dict[str, int]]):
    for number in range(100):
        (found.place / f"a{number}").mkdir()
        (found.place / f"link{number}").symlink_to("nowhere")
    sizes = [len(found(10)) for _ in range(21)]
    assert all(later - earlier <= 10 for earlier, later in zip(sizes, sizes[1:], strict=False))
    assert sizes[0] <= 10 and sizes[-1] == 100
    for number in range(50):
        (found.place / f"a{number}").rmdir()
    for _ in range(40):
        left = found(10)
    assert sorted(left) == sorted(f"a{number}" for number in range(50, 100))


def test_what_an_account_has_too_much_of_is_left_out_until_its_first_ones_have_arrived_and_costs_nobody_else_any(
    found: Callable[..., dict[str, int]], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(inbound, "KEPT", 5)
    monkeypatch.setattr(inbound, "MANY", 50)
    for number in range(100):
        (found.place / f"m{number:02}").mkdir()
    for number in range(9):
        (found.place / f"a{number}").mkdir()
    for _ in range(2):
        read = found(1000)
        mine = sorted(name for name, owner in read.items() if owner == 1)
        assert mine[:5] == [f"m{number:02}" for number in range(5)] and len(mine) <= 10
        assert sorted(name for name, owner in read.items() if owner == 2) == [f"a{number}" for number in range(9)]
        assert found.folders.many == {1: 100}
    found.known.update(f"m{number:02}" for number in range(60))
    read = found(1000)
    assert {f"m{number:02}" for number in range(60, 65)} < read.keys() and found.folders.many == {}


def test_a_folder_that_takes_another_s_name_counts_for_its_own_account(
    found: Callable[..., dict[str, int]], monkeypatch: pytest.MonkeyPatch
):
    (found.place / "a").mkdir()
    assert found(1000) == {"a": 2}
    (found.place / "b").mkdir()
    (found.place / "a").rmdir()
    (found.place / "b").rename(found.place / "a")
    monkeypatch.setattr(inbound, "account_of", lambda entry: 3)
    assert found(1000) == {"a": 3}


def test_another_folder_in_the_place_of_the_one_that_was_being_read_is_read_from_its_beginning(
    found: Callable[..., dict[str, int]], tmp_path: Path
):
    for number in range(20):
        (found.place / f"a{number:02}").mkdir()
    found(5)
    found.place.rename(tmp_path / "away")
    found.place.mkdir()
    (found.place / "new").mkdir()
    assert "new" in found(5) and found(5) == {"new": 2}


def test_a_file_that_takes_the_number_of_an_earlier_look_s_descriptor_hides_no_folder(
    found: Callable[..., dict[str, int]], monkeypatch: pytest.MonkeyPatch
):
    """As connections to the service's page do, which any student may open and close."""
    monkeypatch.setattr(inbound, "account_of", account_of)
    for number in range(20):
        (found.place / f"a{number:02}").mkdir()
    found(5)
    other = os.open(os.devnull, os.O_RDONLY)
    try:
        assert len(found(100)) == 20
    finally:
        os.close(other)


def test_a_folder_that_is_gone_by_now_is_nobody_s(tmp_path: Path):
    (tmp_path / "gone").mkdir()
    (entry,) = os.scandir(tmp_path)
    (tmp_path / "gone").rmdir()
    assert inbound.account_of(entry) is None
