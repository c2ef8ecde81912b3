"""Whose a submission is, where the system can't look names up for a moment."""

import pwd

import pytest

from grading.classroom.service import accounts
from grading.submission import exchange_folder

ADA, BEN = 12345, 23456


class System:
    """The names that the system finds now, and a clock."""

    def __init__(self) -> None:
        self.names, self.now_s, self.asked = {ADA: "ada"}, 1000.0, []

    def getpwuid(self, number: int) -> pwd.struct_passwd:
        self.asked.append(number)
        if number not in self.names:
            raise KeyError(f"getpwuid(): uid not found: {number}")
        return pwd.struct_passwd((self.names[number], "x", number, number, "", "", ""))


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    made = System()
    monkeypatch.setattr(pwd, "getpwuid", made.getpwuid)
    monkeypatch.setattr(accounts.time, "monotonic", lambda: made.now_s)
    return made


def test_an_account_keeps_its_name_while_names_can_t_be_looked_up_and_one_that_is_removed_loses_it(system: System):
    known = accounts.Accounts((said := []).append)
    assert known.name(ADA) == "ada"
    system.names.clear()
    for _ in range(int(accounts.PATIENCE_S)):
        assert known.name(ADA) == "ada"
        system.now_s += 1
    assert known.name(ADA) == exchange_folder.NAMELESS and not said
    system.names[ADA] = "anna"
    assert known.name(ADA) == "anna"


def test_an_account_that_never_had_a_name_has_none_once_that_was_so_for_long_and_it_is_said_once(system: System):
    known = accounts.Accounts((said := []).append)
    assert known.name(BEN) is None and known.name(BEN + 1) is None
    assert said == [
        "the system has no name for the account 23456 now, so nobody knows whose its submission is: it waits for up to "
        "10 minutes"
    ]
    system.now_s += accounts.PATIENCE_S - 1
    assert known.name(BEN) is None
    system.names[BEN] = "ben"
    assert known.name(BEN) == "ben"
    system.now_s += 1
    assert known.name(BEN + 1) == exchange_folder.NAMELESS
    assert known.name(None) == exchange_folder.NAMELESS


def test_all_accounts_without_a_name_count_as_one_and_each_is_asked_for_now_and_then(system: System):
    known = accounts.Accounts(lambda line: None)
    for _ in range(3):
        assert [known.with_others(number) for number in (ADA, BEN, BEN + 1)] == [ADA, *[exchange_folder.NOBODY] * 2]
    assert system.asked == [ADA, BEN, BEN + 1]
    system.names[BEN] = "ben"
    system.now_s += accounts.ASK_AGAIN_S
    assert known.with_others(BEN) == BEN and known.with_others(BEN + 1) == exchange_folder.NOBODY
