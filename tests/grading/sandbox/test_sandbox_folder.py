"""A sandbox's folder is whole, or not there."""

import os
from pathlib import Path

import pytest

from grading.sandbox import sandbox_folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_any_user_may_enter_a_sandbox_s_folder_whatever_the_umask_but_see_nothing_on_its_disk(temporary: Path):
    before = os.umask(0o077)
    try:
        base = sandbox_folder.make()
    finally:
        os.umask(before)
    assert base.parent == temporary
    modes = {path.name: path.stat().st_mode & 0o777 for path in (base, *base.iterdir())}
    assert modes == {base.name: 0o711, "stage": 0o711, "disk": 0o700}


@pytest.mark.parametrize("deed", ["mkdir", "chmod"])
def test_where_there_is_no_room_nothing_is_left(deed: str, temporary: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, deed, full)
    with pytest.raises(OSError, match="no space left"):
        sandbox_folder.make()
    assert list(temporary.iterdir()) == []
