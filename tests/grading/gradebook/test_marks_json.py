"""Marks as JSON: what the gradebook and the reports say, in the documented form; nothing becomes a 0 by accident."""

import json
from pathlib import Path

import graded_class
import jsonschema
import pytest

from attention.course import COURSE, PARTS
from dev.packages import REPOSITORY
from grading.core import cells
from grading.core.course import Part
from grading.gradebook import course_folder, marks_json
from grading.submission.notices import Notice

SCHEMAS = REPOSITORY / "docs" / "schemas"
LOST = "exact"


def mixed(part: Part, notebook: dict) -> dict | None:
    """Loses an item of part 3, breaks a rule in part 5, submits no part 14, and writes nothing in part 6."""
    if part.number == 14:
        return None
    if part.number == 6:
        graded_class.cell(notebook, "-reasoning")["source"] = f"{cells.TEXT_STUB}\n"
    if part.number == 8:
        graded_class.cell(notebook, "-reasoning")["source"] = "It has a head of its own."
    if part.number == 3:
        return graded_class.report(notebook, part, {LOST: "divided by what?"})
    return graded_class.report(notebook, part, breach="imports scipy.") if part.number == 5 else notebook


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """The document about three students, of whom the last is in no gradebook."""
    root = tmp_path_factory.mktemp("json")
    graded_class.entered(root, {"ada": lambda _, notebook: notebook, "bob": mixed})
    notice = Notice("bob", "part03", "the test cell was deleted.")
    with course_folder.gradebook(root) as book:
        ada = book.find_grade("part06-reasoning", "part06", COURSE.name, "ada")
        ada.manual_score, ada.needs_manual_grade = 1.5, False
        bob = book.find_grade("part09-reasoning", "part09", COURSE.name, "bob")
        bob.needs_manual_grade = True
        for stem in ("part06", "part08"):
            bob = book.find_grade(f"{stem}-reasoning", stem, COURSE.name, "bob")
            bob.manual_score, bob.needs_manual_grade = 0.0, False
        lost = book.find_grade("part13-test", "part13", COURSE.name, "bob")
        lost.auto_score = None
        book.db.commit()
        document = marks_json.document(book, COURSE, root, ["ada", "bob", "eve"], [notice], {"eve": "not graded. Why."})
    return json.loads(json.dumps(document))


def student(found: dict, name: str) -> dict:
    """What the document says of a student."""
    return next(each for each in found["students"] if each["student"] == name)


def test_it_has_the_documented_form_which_admits_no_other(found: dict):
    schema = json.loads((SCHEMAS / "marks-1.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    found = json.loads(json.dumps(found))
    found["students"][0]["parts"][0]["mark"] = "5"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema)


def test_the_schema_names_this_version(found: dict):
    assert (found["schema"], found["version"]) == ("grading.marks", 1)
    assert (marks_json.SCHEMA, marks_json.VERSION) == ("grading.marks", 1)


def test_the_course_says_what_each_part_is_worth(found: dict):
    assert found["course"]["points"] == 100 and len(found["course"]["parts"]) == 14
    assert found["course"]["parts"][8] == {
        "part": 9,
        "notebook": "part09",
        "title": PARTS[9].title,
        "points": 10,
        "by_hand": 5,
    }


def test_marks_and_items_are_those_of_the_gradebook_and_the_report(found: dict):
    ada, bob = student(found, "ada"), student(found, "bob")
    assert ada["total"] == 82.5 and ada["parts"][5]["written"] == 1.5
    three = bob["parts"][2]
    lost = next(item for item in three["items"] if item["what"] == LOST)
    assert lost["won"] == 0 and lost["found"] == "divided by what?"
    assert three["mark"] == pytest.approx(sum(item["won"] for item in three["items"]))
    assert bob["parts"][4]["breach"] == "imports scipy." and bob["parts"][4]["items"] == []


def test_what_is_not_marked_is_null_and_never_0(found: dict):
    bob = student(found, "bob")
    thirteen, fourteen = bob["parts"][12], bob["parts"][13]
    assert (thirteen["state"], thirteen["mark"], thirteen["tests"]) == ("unmarked", None, None)
    assert (fourteen["state"], fourteen["mark"]) == ("missing", 0)
    assert bob["parts"][8]["state"] == "unread" and bob["parts"][8]["written"] is None
    assert not bob["complete"]


def test_a_blank_written_answer_differs_from_one_that_has_earned_nothing(found: dict):
    parts = {part["part"]: part for part in student(found, "bob")["parts"]}
    six, eight = parts[6], parts[8]
    assert (six["written"], six["answered"]) == (0, False) and (eight["written"], eight["answered"]) == (0, True)
    assert [number for number, part in parts.items() if "answered" in part] == [6, 8, 9, 11, 12], "14 is not there"
    assert not any("answered" in part for part in student(found, "eve")["parts"])
    schema = json.loads((SCHEMAS / "marks-1.json").read_text(encoding="utf-8"))
    described = schema["properties"]["students"]["items"]["properties"]["parts"]["items"]
    assert "answered" in described["properties"] and "answered" not in described["required"]


def test_somebody_who_was_not_graded_is_there_with_the_reason(found: dict):
    eve = student(found, "eve")
    assert eve["problem"] == "not graded. Why." and not eve["complete"]
    assert {part["mark"] for part in eve["parts"]} == {None}


def test_notices_are_where_the_student_is(found: dict):
    assert student(found, "bob")["notices"] == [{"about": "part03", "text": "the test cell was deleted."}]
    assert student(found, "ada")["notices"] == []


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.name)
def test_each_schema_is_one_and_every_field_says_what_it_means(path: Path):
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert path.stem == f"{schema['properties']['schema']['const'].removeprefix('grading.')}-1"
