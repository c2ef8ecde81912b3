"""A kernel takes over a shell that was made before the fork, and finds it as if it had made its own."""

import json

import pytest
from kernel_runs import Run, opened

# What the shell, its parts and the process hold, but for what differs between any two kernels or is a notebook's run.
STATE = """
import builtins, gc, json, logging, os, re, sys, threading, warnings

def shown(value, depth=0):
    if isinstance(value, dict) and depth < 3:
        return str(sorted((str(key), shown(one, depth + 1)) for key, one in value.items()))
    if isinstance(value, (list, tuple, set)) and depth < 3:
        return str(sorted(shown(one, depth + 1) for one in value))
    return repr(value) if isinstance(value, (str, int, float, bytes, bool, type(None))) else type(value).__name__

shell = get_ipython()
state = {}
parts = "history_manager Completer magics_manager alias_manager display_formatter display_pub displayhook events"
parts += " prefilter_manager extension_manager payload_manager inspector InteractiveTB SyntaxTB compile hooks kernel"
for owner, held in [("shell", shell), *((part, getattr(shell, part)) for part in parts.split())]:
    traits = vars(held).get("_trait_values", {})
    for name, value in {**vars(held), **traits}.items():
        state[f"{owner}.{name}"] = shown(value)
apart = "config$|_parent_header_global|(last_)?exec(ution)?_result|.*_ns$|.*namespace$|ident|topic|exceptions|ns_table"
apart += "|_kernel_modules"
state = {name: one for name, one in state.items() if not re.match(rf"\\w+[.]({apart}|autocall|_trait)", name)}
state.update(
    environment=shown(dict(os.environ)), path=sys.path, sys=shown({**vars(sys), "modules": 0}),
    builtins=sorted(vars(builtins)), filters=shown(warnings.filters), names=sorted(shell.user_ns_hidden),
    folder=[str(folder) for folder in _dh], here=os.getcwd(), handlers=shown(logging.root.handlers),
    threads=sorted(thread.name for thread in threading.enumerate()),
    whose=[shell.parent is shell.kernel, shell.kernel.shell is shell, sys.modules["__main__"] is shell.user_module],
    mine=[shell.user_ns is globals(), shell.profile_dir is shell.kernel.profile_dir],
)
shared = not any(one is shell for one in gc.get_objects())  # what was there before the fork is no collector's
print(json.dumps({"shared": shared, "state": state}))
"""


@pytest.fixture(scope="module")
def pool():
    with opened() as pool:
        yield pool


def test_a_shell_from_before_the_fork_is_as_one_that_the_kernel_has_made(pool):
    ahead = json.loads(Run(pool, STATE).printed)
    own = json.loads(Run(pool, STATE, arguments=["--InteractiveShell.autocall=0"]).printed)
    assert (ahead["shared"], own["shared"]) == (True, False)
    folders = [state.pop("here") for state in (ahead["state"], own["state"])]
    assert [state.pop("folder") for state in (ahead["state"], own["state"])] == [[folder] for folder in folders]
    assert ahead["state"] == own["state"]
    assert ahead["state"]["whose"] == [True, True, True] and ahead["state"]["mine"] == [True, True]


def test_a_setting_of_the_shell_is_heard(pool):
    run = Run(pool, "1\n2", arguments=["--InteractiveShell.ast_node_interactivity=all"])
    assert [output.data["text/plain"] for output in run.outputs] == ["1", "2"]
    assert len(Run(pool, "1\n2").outputs) == 1


def test_a_setting_before_the_first_output_is_heard_by_what_shows_it(pool):
    run = Run(pool, "%config PlainTextFormatter.max_seq_length=3\nlist(range(9))")
    assert [output.data["text/plain"] for output in run.outputs] == ["[0, 1, 2, ...]"]
