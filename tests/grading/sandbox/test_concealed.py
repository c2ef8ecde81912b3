"""What lies below the system's folders without being the system's: no notebook sees it."""

import os
from pathlib import Path

import pytest
from kernel_runs import Run, opened
from nbgrader.exchange.default import ExchangeCollect

from grading.sandbox import bubblewrap, concealed

PEERS = "peer-text-48213"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for /usr, with an exchange, a home, a course and a Python of its own below it."""
    system = tmp_path / "usr"
    for place in ("share/nbgrader/exchange/course/inbound/peer", "home/me", "src/course/submitted/peer"):
        (system / place).mkdir(parents=True)
        (system / place / "part01.ipynb").write_text(PEERS)
    (system / "src" / "course" / ".venv" / "lib").mkdir(parents=True)
    (system / "src" / "course" / ".venv" / "lib" / "module.py").touch()
    (system / "share" / "words").touch()
    (system / "src" / "course" / concealed.CONFIGURATION).touch()
    os.chown(system / "home" / "me", os.geteuid() or 1000, -1)
    monkeypatch.setattr(concealed, "EXCHANGE", system / "share" / "nbgrader")
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path.home() / ".cache"))  # with matplotlib's list of fonts
    monkeypatch.setenv("HOME", str(system / "home" / "me"))
    monkeypatch.chdir(system / "src" / "course")
    prefixes, roots = concealed.prefixes(), bubblewrap.interpreter_roots()
    monkeypatch.setattr(concealed, "prefixes", lambda: {*prefixes, str(system / "src" / "course" / ".venv")})
    monkeypatch.setattr(bubblewrap, "interpreter_roots", lambda: [*roots, str(system)])
    return system


def test_no_notebook_sees_the_exchange_the_home_or_the_course_within_the_system_s_folders(system: Path):
    with opened(bare=True) as pool:
        run = Run(
            pool,
            f"import os, pathlib\nsystem = pathlib.Path({str(system)!r})",
            "print(sorted(str(path.relative_to(system)) for path in system.rglob('*') if path.is_file()))",
            """
for place in ('share/nbgrader', 'home/me', 'src/course'):
    try:
        (system / place / 'note').touch()
    except OSError as error:
        print(error.errno)
""",
        )
    assert run.printed.splitlines() == ["['share/words', 'src/course/.venv/lib/module.py']", "30", "30", "30"]


def test_what_is_hidden_within_python_is_hidden_also_by_way_of_a_link_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real, link = tmp_path / "python", tmp_path / "course" / ".venv"  # as where .venv leads to another disk
    for place in ("ours/grading", "lib/numpy"):
        (real / place).mkdir(parents=True)
        (real / place / "module.py").write_text(PEERS)
    link.parent.mkdir()
    link.symlink_to(real)
    prefixes, roots = concealed.prefixes(), bubblewrap.interpreter_roots()
    monkeypatch.setattr(concealed, "PACKAGE", real / "ours" / "grading")
    monkeypatch.setattr(concealed, "prefixes", lambda: {*prefixes, str(real), str(link)})
    monkeypatch.setattr(bubblewrap, "interpreter_roots", lambda: [*roots, str(real), str(link)])
    with opened(bare=True) as pool:
        run = Run(pool, f"import os\nfor path in {str(real)!r}, {str(link)!r}:\n    print(*sorted(os.walk(path)))")
    for path, told in zip((real, link), run.printed.splitlines(), strict=True):
        assert told.count("module.py") == 1 and told.endswith(f"('{path}/ours', [], [])")


def test_a_folder_of_the_system_s_stays_though_it_is_a_home_or_grading_is_started_in_it(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("HOME", "/usr/sbin")  # as Debian's user `daemon` has it
    monkeypatch.chdir("/usr/lib")
    assert {"/usr/sbin", "/usr/lib"}.isdisjoint(concealed.folders(bubblewrap.SYSTEM, []))


def test_a_folder_of_the_system_that_holds_python_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    python = Path(pytest.__file__).resolve().parents[1]  # where packages are installed
    monkeypatch.chdir(python)
    monkeypatch.setattr(concealed, "_own", lambda: [Path.cwd()])
    monkeypatch.setattr(concealed, "prefixes", lambda: {str(tmp_path)})
    assert str(python) not in concealed.folders([str(python.parent)], [])
    assert concealed.folders([str(python.parent)], [python / "numpy"]) == [str(python / "numpy")]


def test_the_exchange_is_hidden_where_nbgrader_has_it_by_default():
    assert concealed.EXCHANGE.is_relative_to("/usr") and Path(ExchangeCollect().root).is_relative_to(concealed.EXCHANGE)
