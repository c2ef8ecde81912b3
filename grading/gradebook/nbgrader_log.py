"""What nbgrader says of a step that failed."""

import re

_STEP = re.compile(r"(Converting notebook|Writing \d+ bytes to) .*?([^/\\]+\.ipynb)$", re.MULTILINE)
_ERROR = re.compile(r"[\w.]+(Error|Exception|Entry)\b|SystemExit(:|$)")
_EXIT = "SystemExit"  # a program's last line after sys.exit(), with what that was given to say, or nothing


def last_error(result: dict) -> str:
    """The line of nbgrader's log or traceback that says most: the last that names an error."""
    lines = [line.strip() for line in f"{result.get('error', '')}\n{result.get('log', '')}".splitlines()]
    named = [line for line in lines if _ERROR.match(line) and not line.startswith("nbgrader.converters.base.")]
    said = (named or [line for line in lines if line] or ["no reason given"])[-1]
    if said == _EXIT:
        return "nbgrader_config.py, or what it names, calls sys.exit(). Take that out."
    return said.removeprefix(f"{_EXIT}: ")


def was_stopped(result: dict) -> bool:
    """Whether a step failed because somebody pressed Ctrl-C, which nbgrader takes for an error like any other."""
    return result.get("error", "").rstrip().endswith("\nKeyboardInterrupt")


def notebook(result: dict) -> str:
    """The name of the notebook at which a step failed; empty if its log names none that was begun and not written."""
    steps = _STEP.findall(result.get("log", ""))
    return steps[-1][1] if steps and steps[-1][0].startswith("Converting") else ""
