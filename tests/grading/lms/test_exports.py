"""Marks for Canvas and Moodle: right cells, all others as they were, nobody dropped, nothing unmarked as 0."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from graded_class import assigned, submitted
from nbgrader.api import Grade

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading import __main__ as commands
from grading.core import errors
from grading.gradebook import course_folder
from grading.lms import exports, gradefile, roster

TITLES = list(gradefile.best(COURSE))
# ada: all marked. bob: part 6 not read, part 13 not marked, since we failed. eve: 3 points late in part 3.
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz (7),Attention part 03 (11),Attention part 06 (12),Attention total (13)
,,,,,,Manual Posting,,
    Points Possible,,,,,5,10,5,100
"Lovelace, Ada",101,s-101,ada@uni.example,A,4,,1,
"Builder, Bob",102,s-102,bob@uni.example,A,=1+1,9,2,50
"=cmd|' /C calc'!A0",103,s-103,eve@uni.example,B,,10,,
"Student, Test",999,,test,A,,,,
"""
MOODLE = """\
First name,Last name,ID number,Email address,Assignment: Attention part 03 (Real),Attention part 06 (Real),Quiz (Real),\
Last downloaded from this course
Ada,Lovelace,101,Ada@uni.example,-,1.00,3.00,1700000000
Bob,Builder,102,bob@uni.example,9.00,2.00,-,1700000000
"""
ROSTER = """\
student,lms_id,login,email,name
ada,101,ada@uni.example,ada@uni.example,"Lovelace, Ada"
bob,102,bob@uni.example,bob@uni.example,"Builder, Bob"
eve,103,eve@uni.example,eve@uni.example,=HYPERLINK("x")
dan,104,dan@uni.example,dan@uni.example,Dan
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose gradebook has marks of ada, bob, eve and of "=zoe", whom no platform knows."""
    root = tmp_path_factory.mktemp("exports")
    course_folder.configure(root, REPOSITORY)
    with course_folder.gradebook(root) as book:
        assigned(book)
        for student in ("ada", "bob", "eve", "=zoe"):
            for notebook in submitted(book, student).notebooks:
                notebook.late_submission_penalty = 3.0 if (student, notebook.name) == ("eve", "part03") else None
                for grade in notebook.grades:
                    _mark(grade, (student, grade.cell.name))
        book.db.commit()
    return root


def _mark(grade: Grade, where: tuple[str, str]) -> None:
    by_hand = grade.cell.name.endswith("-reasoning")
    grade.needs_manual_grade = where == ("bob", "part06-reasoning")
    if not grade.needs_manual_grade and where != ("bob", "part13-test"):
        grade.auto_score, grade.manual_score = (None, grade.max_score / 2) if by_hand else (grade.max_score, None)


def _marks(root: Path, so_far: bool = False) -> dict[str, dict[str, str]]:
    with course_folder.gradebook(root) as book:
        return exports.marks(book, COURSE, so_far)


def _file(folder: Path, text: str, name: str = "file.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _run(root: Path, folder: Path, platform: str, exported: str = "", people: str = ROSTER, **options: object):
    """The export of a platform's file, and what it says of the file that was written."""
    given = _file(folder, exported, "given.csv") if exported else None
    named = roster.read(_file(folder, people, "roster.csv")) if people else None
    to = folder / "out.csv"
    with course_folder.gradebook(root) as book:
        made = exports.run(exports.PLATFORMS[platform], book, COURSE, to, named, given, **options)
    return made, list(csv.DictReader(to.open(encoding="utf-8"))) if to.exists() else []


def _line(rows: list[dict[str, str]], key: str, value: str) -> dict[str, str]:
    return next(row for row in rows if row[key] == value)


# --- marks


def test_a_part_has_its_points_and_the_total_is_their_sum(root: Path):
    ada = _marks(root)["ada"]
    assert [ada[title] for title in TITLES[:6]] == ["5", "5", "10", "5", "10", "4"]
    assert ada["Attention total"] == "90.5"  # 81 by the tests, half of 19 by hand


def test_what_is_not_marked_is_empty_and_never_0(root: Path):
    bob = _marks(root)["bob"]
    assert (bob["Attention part 06"], bob["Attention part 13"], bob["Attention total"]) == ("", "", "")
    assert bob["Attention part 08"] == "4"


def test_so_far_counts_what_the_tests_gave_but_not_what_nobody_marked(root: Path):
    bob = _marks(root, so_far=True)["bob"]
    assert (bob["Attention part 06"], bob["Attention part 13"]) == ("3", "")
    assert bob["Attention total"] == "84.5"  # 90.5 without 1 of part 6 and 5 of part 13


def test_what_is_off_for_lateness_is_off(root: Path):
    assert _marks(root)["eve"]["Attention part 03"] == "7"


# --- into a platform's own file


def test_a_student_copied_from_our_table_of_marks_into_the_roster_is_found(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "canvas", CANVAS, people="student,lms_id\n'=zoe,101\n")
    assert "=zoe" in made.changes and "=zoe" not in made.unmatched


def test_a_cell_of_the_platform_s_that_a_spreadsheet_would_compute_stays_and_is_listed(root: Path, tmp_path: Path):
    given = CANVAS.replace(",A,", ",=A1,", 1)
    made, rows = _run(root, tmp_path, "canvas", given)
    assert [row["Section"] for row in rows].count("=A1") == 1
    assert made.risky == ["Section =A1", "Quiz (7) =1+1"]


def test_canvas_gets_its_own_file_back_with_our_cells_filled_in(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "canvas", CANVAS)
    assert made.head[:9] == CANVAS.splitlines()[0].split(",")
    assert made.head[9:] == [
        t for t in TITLES if t not in ("Attention part 03", "Attention part 06", "Attention total")
    ]
    ada, bob = _line(rows, "ID", "101"), _line(rows, "ID", "102")
    assert (ada["Attention part 03 (11)"], ada["Attention part 06 (12)"], ada["Attention total (13)"]) == (
        "10",
        "4",
        "90.5",
    )
    assert (ada["Quiz (7)"], ada["Student"], ada["Section"], ada["SIS User ID"]) == ("4", "Lovelace, Ada", "A", "s-101")
    assert (bob["Attention part 03 (11)"], bob["Attention part 01"]) == ("10", "5")


def test_cells_that_we_have_no_mark_for_stay_as_the_platform_has_them(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "canvas", CANVAS)
    bob = _line(rows, "ID", "102")
    assert (bob["Attention part 06 (12)"], bob["Attention total (13)"], bob["Attention part 13"]) == ("2", "50", "")
    assert made.kept == {"bob": ["Attention part 06", "Attention part 13", "Attention total"]}


def test_a_name_with_commas_in_it_stands_for_nobody_else_among_those_who_are_not_marked():
    made = gradefile.Export([], [], short={"T": "total"}, kept={"ada, bob": ["T"], "eve": ["T"]})
    assert "  total: ada, bob; eve" in made.preview()


def test_a_person_called_points_possible_is_a_person_and_gets_no_points_for_it(root: Path, tmp_path: Path):
    mallory = "Points Possible,M,109,mallory@uni.example,-,-,-,1"
    made, rows = _run(root, tmp_path, "moodle", MOODLE.replace("Ada,Lovelace", f"{mallory}\nAda,Lovelace"))
    line = _line(rows, "ID number", "109")
    assert not any(value.strip("-") for name, value in line.items() if "Attention" in name)
    made, rows = _run(root, tmp_path, "canvas", f'{CANVAS}"Points Possible, M",109,,mallory,B,,,,\n')
    assert made.others[-1] == "Points Possible, M (109, mallory)"
    assert _line(rows, "Student", "    Points Possible")["Attention part 05"] == "10"


def test_lines_of_nobody_of_ours_and_those_that_are_no_persons_stay(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "canvas", CANVAS)
    assert made.rows[0][:9] == ["", "", "", "", "", "", "Manual Posting", "", ""]
    points = rows[1]
    assert (points["Attention part 03 (11)"], points["Attention part 05"], points["Student"]) == (
        "10",
        "10",
        "    Points Possible",
    )
    assert set(_line(rows, "ID", "999").values()) == {"Student, Test", "999", "test", "A", ""}
    assert made.others == ["Student, Test (999, test)"]


def test_moodle_gets_its_own_file_back_with_our_cells_filled_in(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "moodle", MOODLE)
    ada, bob = _line(rows, "ID number", "101"), _line(rows, "ID number", "102")
    assert ada["Assignment: Attention part 03 (Real)"] == "10"
    assert (ada["Attention part 06 (Real)"], ada["Quiz (Real)"], ada["Attention total"]) == ("4", "3.00", "90.5")
    assert (bob["Attention part 06 (Real)"], bob["Quiz (Real)"]) == ("2.00", "-")
    assert ada["Last downloaded from this course"] == "1700000000"
    assert made.unmatched == ["=zoe", "eve"]


def test_students_are_found_by_login_or_e_mail_where_the_id_is_unknown(root: Path, tmp_path: Path):
    people = "student,login,email\nada,ADA@uni.example,\nbob,,bob@UNI.example\n"
    made, rows = _run(root, tmp_path, "canvas", CANVAS, people)
    assert list(made.changes) == ["ada"]  # canvas's files have no e-mail
    made, rows = _run(root, tmp_path, "moodle", MOODLE, people)
    assert list(made.changes) == ["bob"]  # this one of moodle's has no usernames
    assert _line(rows, "ID number", "102")["Attention part 01"] == "5"


def test_without_a_roster_our_ids_are_looked_for_in_the_platforms_columns(root: Path, tmp_path: Path):
    made, _ = _run(
        root, tmp_path, "canvas", CANVAS.replace("s-101", "ada").replace("bob@uni.example", "bob"), people=""
    )
    assert list(made.changes) == ["ada", "bob"]
    assert made.unmatched == ["=zoe", "eve"]


@pytest.mark.parametrize("other", ["ADA", "101", "s-101"])
def test_a_line_that_two_students_match_is_filled_for_neither_and_told(other: str, tmp_path: Path):
    exported = tmp_path / "canvas.csv"
    exported.write_text(CANVAS.replace("ada@uni.example", "ada"), encoding="utf-8")
    rows = {student: dict.fromkeys(TITLES, mark) for student, mark in ((other, "9"), ("ada", "1"))}
    made = gradefile.make(gradefile.CANVAS, COURSE, rows, exported=exported)
    line = next(row for row in made.rows if "ada" in row)
    assert line[6:9] == ["", "1", ""] and not made.changes and made.unmatched == [other, "ada"]
    assert made.shared == ["Lovelace, Ada (101, s-101, ada)"] and made.shared[0] not in made.others
    assert any("more than one of our students" in told for told in made.preview())


def test_a_line_of_nobody_s_is_told_next_to_a_shared_one_that_reads_alike(tmp_path: Path):
    exported = tmp_path / "moodle.csv"
    exported.write_text("First name,ID number,Email address,Username\nAda,1,ada@x,\nAda,,1,ada@x\n", encoding="utf-8")
    people = {"ada": roster.Person("ada", lms_id="1"), "bob": roster.Person("bob", email="ada@x")}
    rows = {student: dict.fromkeys(TITLES, "1") for student in people}
    made = gradefile.make(gradefile.MOODLE, COURSE, rows, people, exported)
    assert made.shared == ["Ada (1, ada@x)"] and made.others == ["Ada (1, ada@x)"] and not made.changes


def test_semicolons_stay_semicolons_and_a_byte_order_mark_does_no_harm(root: Path, tmp_path: Path):
    given = "\ufeffID number;Email address;Attention part 03 (Real)\n101;ada@uni.example;\n"
    _run(root, tmp_path, "moodle", given)
    assert (
        (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1].startswith("101;ada@uni.example;10;5;5;5;")
    )


# --- made from the roster


def test_a_file_from_the_roster_alone_has_the_platforms_columns(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "canvas")
    assert made.head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *TITLES]
    assert rows[0]["Student"] == "    Points Possible" and rows[0]["Attention total"] == "100"
    assert [_line(rows, "ID", "101")[name] for name in ("Student", "SIS Login ID")] == [
        "Lovelace, Ada",
        "ada@uni.example",
    ]
    made, rows = _run(root, tmp_path, "moodle")
    assert made.head == ["ID number", "Email address", "Username", *TITLES]
    assert [row["ID number"] for row in rows] == ["101", "102", "103"]


def test_who_is_not_matched_is_listed_and_kept_in_a_file_apart(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture
):
    made, rows = _run(root, tmp_path, "canvas")
    left = list(csv.DictReader((tmp_path / "out-unmatched.csv").open(encoding="utf-8")))
    assert made.unmatched == ["=zoe"]
    assert made.absent == ["dan"]
    assert [(row["student"], row["Attention total"]) for row in left] == [("'=zoe", "90.5")]
    assert len(rows) - 1 + len(left) == 4
    told = capsys.readouterr().out
    assert "without a line in the roster:\n  =zoe" in told
    assert "nothing was submitted:\n  dan" in told


# --- a dry run


def test_a_dry_run_says_what_would_change_and_writes_nothing(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    _run(root, tmp_path, "canvas", CANVAS, dry=True)
    told = capsys.readouterr().out
    assert "ada: 14 new, Attention part 06 1 → 4" in told
    assert "bob: 11 new, Attention part 03 9 → 10" in told
    assert "eve: 14 new, Attention part 03 10 → 7" in told
    assert "  part 06, part 13, total: bob" in told
    assert "Nothing was written." in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given.csv", "roster.csv"]


def test_the_same_marks_again_change_nothing(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    _run(root, tmp_path, "moodle", MOODLE)
    again = (tmp_path / "out.csv").read_text(encoding="utf-8").replace(",10,", ",10.00,")
    made, _ = _run(root, tmp_path, "moodle", again)
    assert made.changes == {}
    assert "  no grade." in capsys.readouterr().out


# --- what a spreadsheet would compute


def test_names_that_a_spreadsheet_would_compute_are_made_text_and_keys_are_told(root: Path, tmp_path: Path):
    made, rows = _run(root, tmp_path, "canvas", CANVAS)
    assert _line(rows, "ID", "103")["Student"] == "'=cmd|' /C calc'!A0"
    assert _line(rows, "ID", "102")["Quiz (7)"] == "=1+1"  # a grade of the platform's: not ours to change
    made, rows = _run(root, tmp_path, "canvas")
    assert _line(rows, "ID", "103")["Student"] == '\'=HYPERLINK("x")'
    made, _ = _run(root, tmp_path, "moodle", people="student,email\nada,+ada@uni.example\nbob,b@uni.example\n")
    assert made.risky == ["Email address +ada@uni.example"]


# --- what an instructor can mend

BAD_ROSTERS = {
    "no column student": ("name,email\nAda,a@x\n", "lacks a column. It needs `student` (our id) and one of"),
    "no key": ("student,name\nada,Ada\n", "lacks a column"),
    "empty": ("", "is empty"),
    "twice": ("student,email\nada,a@x\nada,b@x\n", "line 3: ada is there twice"),
    "shared": ("student,email\nada,a@x\nbob,A@x\n", "line 3: ada and bob share the email a@x"),
    "nobody": ("student,email\n,a@x\n", "line 2: the column student is empty"),
    "short": ("student,email\nada\n", "line 2: 1 fields, but the first line has 2"),
    "quotes": ('student,email\n"ada,a@x\n', "not CSV"),
    "columns twice": ("student,email,email\nada,a@x,b@x\n", "names email twice"),
}


@pytest.mark.parametrize("name", BAD_ROSTERS)
def test_a_bad_roster_is_one_line_that_says_what_to_do(name: str, tmp_path: Path):
    text, said = BAD_ROSTERS[name]
    with pytest.raises(errors.CourseError) as caught:
        roster.read(_file(tmp_path, text))
    assert said in str(caught.value) and "\n" not in str(caught.value) and "file.csv" in str(caught.value)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_roster_in_another_encoding_is_told_how_to_save_it(encoding: str, tmp_path: Path):
    (tmp_path / "r.csv").write_bytes("student,email,name\nada,a@x,Adä\n".encode(encoding))
    with pytest.raises(errors.CourseError, match="not UTF-8 text .*Save it as CSV in UTF-8"):
        roster.read(tmp_path / "r.csv")


@pytest.mark.parametrize(
    ("platform", "given", "said"),
    [
        ("moodle", CANVAS, "is not an export of moodle"),
        ("canvas", CANVAS.replace("Quiz (7)", "Attention part 03 (8)"), "has two columns for Attention part 03"),
        ("canvas", CANVAS.replace(",5,10,5,100", ",5,(read only),5,100"), "Attention part 03 is read only"),
        ("canvas", CANVAS.replace("102,s-102", "101,s-102"), "2 lines have ID 101"),
    ],
    ids=["of-another-platform", "two-columns", "read-only", "two-lines"],
)
def test_a_file_that_cannot_be_filled_is_one_line(platform: str, given: str, said: str, root: Path, tmp_path: Path):
    with pytest.raises(errors.CourseError) as caught:
        _run(root, tmp_path, platform, given)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "out.csv").exists()


def test_without_marks_or_without_anything_to_match_it_says_so(tmp_path: Path):
    with pytest.raises(errors.CourseError, match="no marks yet"):
        gradefile.make(gradefile.CANVAS, COURSE, {})
    with pytest.raises(errors.CourseError, match="name a roster"):
        gradefile.make(gradefile.CANVAS, COURSE, {"ada": {}})


# --- the ways in


def test_nbgraders_own_command_exports(root: Path, tmp_path: Path):
    people, to = _file(tmp_path, ROSTER, "roster.csv"), tmp_path / "moodle.csv"
    done = _nbgrader(
        root, "--exporter=grading.lms.exports.MoodleExporter", f"--MoodleExporter.roster={people}", f"--to={to}"
    )
    assert done.returncode == 0, done.stderr
    assert [row["Attention total"] for row in csv.DictReader(to.open(encoding="utf-8"))] == ["90.5", "", "87.5"]


def test_what_an_instructor_can_mend_ends_nbgraders_command_with_one_line(root: Path):
    exporter = exports.CanvasExporter(roster="nowhere.csv", config=course_folder.config(root))
    with course_folder.gradebook(root) as book, pytest.raises(SystemExit) as caught:
        exporter.export(book)
    assert str(caught.value) == "export: nowhere.csv cannot be read: No such file or directory."


def test_our_command_tells_a_roster_that_is_not_there_in_one_line(capsys: pytest.CaptureFixture):
    assert commands.main(["export", "canvas", "--roster", "nowhere.csv", "--dry-run"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def _nbgrader(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    config = f"--config={REPOSITORY / 'nbgrader_config.py'}"
    command = [sys.executable, "-m", "nbgrader", "export", config, f"--db={course_folder.database(root)}", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
