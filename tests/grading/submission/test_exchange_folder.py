"""Folders in the exchange: which ones anybody could replace, and whose the course's own may be."""

import os
from pathlib import Path

import pytest

from grading.core import errors
from grading.submission import exchange_folder


@pytest.mark.parametrize(("mode", "may"), [(0o777, True), (0o1777, False), (0o755, False), (0o775, False)])
def test_everybody_may_replace_what_lies_where_all_may_write_and_there_is_no_sticky_bit(
    mode: int, may: bool, tmp_path: Path
):
    (exchange := tmp_path / "exchange").mkdir()
    exchange.chmod(mode)
    assert exchange_folder.anybody_may_replace(exchange / "course") == may


def test_a_folder_may_be_the_grader_s_root_s_or_of_whoever_has_the_course_and_where_instructors_share_it_anybody_s(
    tmp_path: Path,
):
    if os.geteuid() != 0:
        pytest.skip("only root may give a folder to another account")
    root, folder = tmp_path / "root", tmp_path / "exchange" / "course"
    root.mkdir()
    (folder / "inbound").mkdir(parents=True)
    os.chown(root, 12345, -1)
    for owner, fine in ((0, True), (12345, True), (54321, False)):
        os.chown(folder, owner, -1)
        with exchange_folder.opened_within(folder, "inbound", exchange_folder.instructors(root, groupshared=True)):
            pass
        try:
            with exchange_folder.opened_within(folder, "inbound", exchange_folder.instructors(root, groupshared=False)):
                assert fine
        except errors.CourseError:
            assert not fine
