"""Whether an installed package still has what a module of ours relies on, by name: see the tables in `TABLES`."""

import datetime
import importlib
import importlib.metadata
import importlib.util
import inspect
import io
import logging
import platform
import re
import sys
import textwrap
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import CodeType
from unittest import mock

from attention import private_apis as of_the_course
from grading.core import private_apis as of_the_engine
from grading.core.private_use import Use
from grading.sandbox import private_apis as of_the_sandbox

ROOT = Path(__file__).resolve().parents[2]
# By the package whose modules each lists, a package's own before those of the package that it is in.
TABLES = {"attention": of_the_course, "grading.sandbox": of_the_sandbox, "grading": of_the_engine}
USES = tuple(use for table in TABLES.values() for use in table.USES)

Check = Callable[[object], str | None]  # what is wrong with what a name stands for, or None


class Gone(Exception):
    """There is nothing of this name."""


def resolved(name: str) -> object:
    """What a dotted name stands for; None for an attribute that a class gives its instances. Gone if there is none."""
    if _is_module(name):
        return importlib.import_module(name)
    place, _, last = name.rpartition(".")
    if not place:
        raise Gone(name)
    owner = resolved(place)
    if hasattr(owner, last):
        return getattr(owner, last)
    if isinstance(owner, type) and any(_assigns(ancestor, last) for ancestor in owner.__mro__[:-1]):
        return None
    raise Gone(name)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def _assigns(owner: type, name: str) -> bool:
    """Whether a class's source assigns self.NAME, or declares it."""
    return re.search(rf"\b(self\.{name}\b[^=\n]*=|{name}:)", inspect.getsource(owner)) is not None


def mentioned(name: str) -> set[object]:
    """The names and constants in the code of a function."""
    found: set[object] = set()
    waiting: list[object] = [inspect.unwrap(resolved(name)).__code__]
    while waiting:
        match waiting.pop():
            case CodeType() as code:
                waiting += [*code.co_names, *code.co_consts]
            case tuple() | frozenset() as several:
                waiting += several
            case one:
                found.add(one)
    return found


def takes(*names: str) -> Check:
    """The function takes these arguments, by these names."""

    def check(found: object) -> str | None:
        given = list(inspect.signature(found).parameters)
        return None if given == list(names) else f"takes ({', '.join(given)}), not ({', '.join(names)})"

    return check


def source(digest: str) -> Check:
    """The function's source is the one that ours was copied from, or written in place of."""

    def check(found: object) -> str | None:
        given = sha256(textwrap.dedent(inspect.getsource(found)).encode()).hexdigest()[:12]
        return None if given == digest else f"has another source (its digest is {given}, not {digest}); compare ours"

    return check


def used_by(place: str, *names: str) -> Check:
    """The function at `place` mentions these names."""

    def check(_: object) -> str | None:
        missing = [name for name in names if name not in mentioned(place)]
        return f"is not what we think: {place} no longer mentions {', '.join(missing)}" if missing else None

    return check


def gives(what: str, test: Callable[[object], object]) -> Check:
    """A trial of what we rely on comes out true."""
    return lambda found: None if test(found) else f"no longer {what}"


def captured(capture_log: Callable) -> bool:
    class Converter:
        log = logging.getLogger("a converter")

        def start(self):
            self.log.error("This failed.")
            raise ValueError("and why")

    Converter.log.propagate = False
    result = capture_log(Converter())
    return not result["success"] and "This failed." in result["log"] and "ValueError: and why" in result["error"]


def resources_are_ours(from_filename: Callable) -> bool:
    from nbconvert.exporters import NotebookExporter

    notebook = ROOT / "release" / "attention" / "part01.ipynb"
    _, resources = from_filename(NotebookExporter(), str(notebook))
    wanted = {"name": "part01", "path": str(notebook.parent)}
    return {**resources["metadata"], **wanted} == resources["metadata"] and len(resources["metadata"]) == 3


def shown_by(method: str, text: str) -> Check:
    """Markdown of this kind is shown by this method of the renderer."""

    def reached(_: object) -> bool:
        renderer, markdown = map(resolved, (RENDERER, MARKDOWN))
        ours = type("Ours", (renderer,), {method: lambda *_, **__: "REACHED"})
        return "REACHED" in markdown(renderer=ours(escape=True)).render(text)

    return gives(f"shows {text!r} by this method", reached)


def read_by(name: str, method: str, text: str) -> Check:
    """What looks like this is read by this method of a parser of Markdown."""

    def reached(_: object) -> bool:
        read: list[object] = []
        ours = type("Ours", (resolved(f"{PARSERS}.Math{name}Parser"),), {method: lambda *given: read.append(given)})
        renderer, markdown = map(resolved, (RENDERER, MARKDOWN))
        return "&lt;a" in markdown(renderer(escape=True), **{name.lower(): ours()}).render(text) and bool(read)

    return gives(f"reads {text!r} by this method, and as text where that gives nothing", reached)


def reads_a_subclass(guard: type) -> bool:
    import torch

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_: object) -> object:
            raise AssertionError("code of the subclass has run")

    value = torch.ones(2).as_subclass(Loud)
    with guard():
        return torch.Tensor.detach(value).as_subclass(torch.Tensor).tolist() == [1.0, 1.0]


def refuses(words: str) -> Check:
    """An allocation of 2**60 numbers fails with these words."""

    def refused(empty: Callable) -> bool:
        try:
            empty(2**60)
        except RuntimeError as error:
            return words in str(error)
        return False

    return gives(f"fails with {words!r} where there is no memory", refused)


def too_large() -> MemoryError:
    import numpy as np

    try:
        np.empty(2**60, np.uint8)
    except MemoryError as error:
        return error
    raise AssertionError("this machine has 2**60 bytes of memory")


def linked(_: object) -> bool:
    from grading.pages import safe_html

    link = f'<a href="https://example.org/" rel="{safe_html.REL}">'
    kept = safe_html.reduced('<a href="javascript:alert()">a</a> <a href="https://example.org/">b</a>')
    return kept == f"<a>a</a> {link}b</a>"


def formgrader(templates: str) -> bool:
    page, fields = (Path(templates) / "formgrade" / name for name in ("index.html.j2", "formgrade_macros.html.j2"))
    scripts = [Path(templates).parent / "static" / "js" / f"{name}.js" for name in ("formgrade", "formgrade_models")]
    theirs = "".join(path.read_text(encoding="utf-8") for path in (page, fields, *scripts))
    ours = (
        "block footer",
        "-comment",
        "_extra_credit",
        "panel-footer",
        "var base_url",
        "nextAssignment",
        "prevAssignment",
    )
    kept = ("this.grades = new Grades", "this.comments = new Comments", '"request", this.animateSaving')
    return all(
        text in theirs
        for text in (*ours, *kept, ".loaded = true", '"change .score": "save"', '"change .comment": "save"')
    )


def tables(found: dict) -> bool:
    from grading.gradebook import snapshot

    return all("id" in found[table].columns for table in (*snapshot.SHARED, *snapshot.STUDENTS))


def finds_source(cache: dict) -> bool:
    text, names = "def f():\n    return 1\n", {}
    cache["<a test>"] = (len(text), None, text.splitlines(keepends=True), "<a test>")
    exec(compile(text, "<a test>", "exec"), names)
    return inspect.getsource(names["f"]) == text


def says_that_a_file_is_no_modules(files: dict) -> bool:
    names, looked_at = {}, []
    exec(compile("def f(): yield sys._getframe()", "/no/such/file.py", "exec"), {"sys": sys}, names)
    files["/no/such/file.py"] = ""

    class Modules(dict):
        def copy(self) -> dict:
            looked_at.append(self)
            return super().copy()

    with mock.patch.object(inspect.sys, "modules", Modules(sys.modules)):
        found = inspect.getmodule(next(names["f"]()))
    del files["/no/such/file.py"]
    return found is None and not looked_at


def opens_by_io(get_font: Callable) -> bool:
    from matplotlib.font_manager import findfont

    path = findfont("DejaVu Sans")
    with mock.patch.object(io, "open", wraps=io.open) as opened:
        font = get_font.__wrapped__(((path, 0),), _kerning_factor=None, thread_id=0, enable_last_resort=False)
    return font.fname == path and opened.mock_calls[0] == mock.call(path, "rb")


def checksum(compute: Callable) -> bool:
    import nbformat

    marks = {"grade_id": "a", "grade": True, "points": 2, "solution": False, "locked": True}
    cell = nbformat.from_dict({"cell_type": "code", "source": "1", "metadata": {"nbgrader": marks}})
    return compute(cell) == "543e2134b2713203c67b2654e0c931bb"


APP, CONVERTER = "ipykernel.kernelapp.IPKernelApp", "nbgrader.converters.base.BaseConverter"
COLLECT, SCORES = "nbgrader.exchange.default.ExchangeCollect", "nbgrader.preprocessors.SaveAutoGrades"
RELEASE = "nbgrader.exchange.default.ExchangeReleaseFeedback"
ZIP = "nbgrader.apps.zipcollectapp.ZipCollectApp"
OUT = "ipykernel.iostream.OutStream"
SHELL, COMPILER = "IPython.core.interactiveshell.InteractiveShell", "IPython.core.compilerop.CachingCompiler"
TRANSFORMERS = "IPython.core.inputtransformer2.TransformerManager"
PARSERS = "nbconvert.filters.markdown_mistune"
MARKDOWN, RENDERER = (f"{PARSERS}.{name}" for name in ("MarkdownWithMath", "IPythonRenderer"))
SERVER = "multiprocessing.forkserver.ForkServer"
OVERWRITE = "nbgrader.preprocessors.OverwriteCells"
MEMORY = "numpy._core._exceptions._ArrayMemoryError"
CHECKS: dict[str, tuple[Check, ...]] = {
    "matplotlib.font_manager._get_font": (
        gives("opens a font by `io.open`, and goes by its path", opens_by_io),
        used_by("matplotlib.font_manager.get_font", "_get_font"),
    ),
    "inspect.modulesbyfile": (
        gives("tells that a file is no module's, without a look at modules", says_that_a_file_is_no_modules),
    ),
    "tornado.httpserver.HTTPServer.handle_stream": (takes("self", "stream", "address"),),
    "nbgrader.server_extensions.formgrader.handlers.template_path": (
        gives("leads to the page, its fields and their functions", formgrader),
    ),
    "nbgrader.server_extensions.formgrader.base.BaseHandler.on_finish": (
        takes("self"),
        used_by("tornado.web.RequestHandler.finish", "on_finish"),
    ),
    "nbgrader.server_extensions.formgrader.base.BaseApiHandler.get_json_body": (
        takes("self"),
        *(
            used_by(f"nbgrader.server_extensions.formgrader.apihandlers.{handler}.put", "get_json_body", field)
            for handler, field in (("GradeHandler", "manual_score"), ("CommentHandler", "manual_comment"))
        ),
    ),
    "nbgrader.api.create_engine": (
        takes("url", "kwargs"),
        used_by("nbgrader.api.Gradebook.__init__", "create_engine"),
    ),
    "nbgrader.api.get_alembic_version": (
        takes(),
        used_by("nbgrader.api.Gradebook.__init__", "get_alembic_version"),
    ),
    "nbgrader.api.Gradebook.__init__": (
        takes("self", "db_url", "course_id", "authenticator"),
        used_by("nbgrader.api.Gradebook.__init__", "engine", "db", "course_id", "authenticator", "check_course"),
    ),
    "nbgrader.api.Gradebook.close": (
        takes("self"),
        used_by("nbgrader.api.Gradebook.close", "db", "remove", "engine", "dispose"),
        used_by("nbgrader.api.Gradebook.__exit__", "close"),
    ),
    "nbgrader.api.Gradebook.find_submission_notebook": (
        takes("self", "notebook", "assignment", "student"),
        used_by("nbgrader.converters.Autograde.init_assignment", "find_submission_notebook", "grades", "commit"),
    ),
    "nbgrader.preprocessors.Execute.on_cell_executed": (
        used_by("nbgrader.preprocessors.Execute.on_cell_executed", "execute_reply", "content"),
    ),
    f"{OVERWRITE}.preprocess": (
        takes("self", "nb", "resources"),
        used_by(f"{OVERWRITE}.preprocess", "notebook_id", "assignment_id", "gradebook"),
    ),
    f"{OVERWRITE}.gradebook": (
        used_by(f"{OVERWRITE}.preprocess_cell", "gradebook", "find_source_cell", "find_graded_cell"),
    ),
    f"{OVERWRITE}.notebook_id": (used_by(f"{OVERWRITE}.preprocess_cell", "notebook_id"),),
    f"{OVERWRITE}.assignment_id": (used_by(f"{OVERWRITE}.preprocess_cell", "assignment_id"),),
    "nbgrader.api.Base.metadata.tables": (gives("has the tables that `snapshot` copies", tables),),
    "nbgrader.utils.capture_log": (gives("gives success, log and error", captured),),
    "nbgrader.converters.base.NbGraderException": (
        gives("is named so in a traceback", lambda c: f"{c.__module__}." == "nbgrader.converters.base."),
    ),
    f"{CONVERTER}.init_notebooks": (
        takes("self"),
        source("340b3864fb06"),
        used_by(f"{CONVERTER}.start", "init_notebooks", "convert_notebooks"),
    ),
    f"{CONVERTER}.convert_notebooks": (
        takes("self"),
        used_by(f"{CONVERTER}.convert_notebooks", "assignments", "init_assignment"),
    ),
    f"{CONVERTER}.notebooks": (
        used_by(f"{CONVERTER}.convert_notebooks", "notebooks", "convert_single_notebook", "set_permissions"),
    ),
    f"{CONVERTER}.init_destination": (
        takes("self", "assignment_id", "student_id"),
        used_by(f"{CONVERTER}.convert_notebooks", "init_destination", "run_post_convert_hook"),
    ),
    f"{CONVERTER}.run_post_convert_hook": (takes("self"),),
    f"{CONVERTER}.init_assignment": (takes("self", "assignment_id", "student_id"), source("77428dabf317")),
    "nbgrader.converters.GenerateAssignment._clean_old_notebooks": (
        takes("self", "assignment_id", "student_id"),
        used_by("nbgrader.converters.GenerateAssignment._clean_old_notebooks", "notebooks"),
        used_by("nbgrader.converters.GenerateAssignment.init_assignment", "_clean_old_notebooks"),
    ),
    "nbgrader.converters.GenerateAssignment.convert_notebooks": (
        takes("self"),
        used_by(f"{CONVERTER}.start", "convert_notebooks"),
    ),
    "nbgrader.preprocessors.SaveCells.preprocess": (
        takes("self", "nb", "resources"),
        used_by("nbgrader.preprocessors.SaveCells.preprocess", "_create_notebook"),
    ),
    "nbgrader.nbgraderformat.common.jsonschema": (
        gives("is a module that checks", lambda found: callable(found.validate)),
        used_by("nbgrader.nbgraderformat.common.BaseMetadataValidator.validate_cell", "jsonschema", "validate"),
    ),
    "multiprocessing.util.spawnv_passfds": (
        takes("path", "args", "passfds"),
        used_by(f"{SERVER}.ensure_running", "spawnv_passfds", "-c"),
    ),
    "multiprocessing.forkserver._forkserver": (
        gives("is made without arguments", lambda found: type(found)()),
        used_by(f"{SERVER}.ensure_running", "_lock"),
    ),
    "nbgrader.apps.NbGraderAPI.get_submitted_students": (takes("self", "assignment_id"),),
    "nbgrader.apps.NbGraderAPI.get_submitted_timestamp": (source("7b422a7f12d0"),),
    "nbgrader.coursedir.CourseDirectory.get_existing_timestamp": (source("f62859cdb0b4"),),
    f"{ZIP}._transfer_files": (
        takes("self", "collected_data"),
        used_by(f"{ZIP}.process_extracted_files", "_transfer_files"),
        used_by(f"{ZIP}._transfer_files", "timestamp"),
    ),
    f"{COLLECT}._path_to_record": (
        takes("self", "path"),
        used_by(f"{COLLECT}._path_to_record", "username", "filename", "timestamp"),
    ),
    f"{COLLECT}.init_src": (takes("self"), used_by(f"{COLLECT}.init_src", "_path_to_record", "src_records")),
    f"{COLLECT}.copy_files": (takes("self"), used_by(f"{COLLECT}.copy_files", "src_records", "username", "rmtree")),
    f"{COLLECT}.do_copy": (takes("self", "src", "dest", "log"), used_by(f"{COLLECT}.copy_files", "do_copy")),
    f"{RELEASE}.copy_files": (
        takes("self"),
        used_by(f"{RELEASE}.copy_files", "src_path", "dest_path", "timestamp.txt", "submission_secret.txt"),
    ),
    f"{SCORES}.preprocess": (
        takes("self", "nb", "resources"),
        used_by(f"{SCORES}.preprocess", "notebook_id", "assignment_id", "student_id", "gradebook"),
        used_by(f"{SCORES}._add_comment", "gradebook", "find_comment", "db", "commit"),
    ),
    f"{SCORES}._add_score": (
        takes("self", "cell", "resources"),
        used_by(f"{SCORES}.preprocess_cell", "_add_score"),
        used_by(f"{SCORES}.preprocess", "gradebook", "notebook_id", "assignment_id", "student_id"),
    ),
    "nbgrader.preprocessors.AssignLatePenalties.preprocess": (
        takes("self", "nb", "resources"),
        used_by(
            "nbgrader.preprocessors.AssignLatePenalties.preprocess", "total_seconds_late", "late_submission_penalty"
        ),
    ),
    "nbgrader.utils.find_all_files": (takes("path", "exclude"),),
    "nbgrader.utils.compute_checksum": (gives("gives the checksum that our release holds", checksum),),
    "nbgrader.utils.parse_utc": (
        gives(
            "reads our times",
            lambda f: f("2026-01-31 23:59:00.5 UTC") == datetime.datetime(2026, 1, 31, 23, 59, 0, 500000),
        ),
    ),
    f"{APP}.init_sockets": (takes("self"), source("c201bfa779c8"), used_by(f"{APP}.initialize", "init_sockets")),
    f"{APP}.init_io": (
        takes("self"),
        used_by(f"{APP}.initialize", "init_io"),
        used_by(f"{APP}.init_io", "outstream_class", "displayhook"),
    ),
    f"{APP}.outstream_class": (used_by(f"{APP}.init_io", "outstream_class"),),
    f"{APP}.log_connection_info": (takes("self"), used_by(f"{APP}.initialize", "log_connection_info")),
    f"{APP}.init_signal": (takes("self"), source("1cc9a8700fd0"), used_by(f"{APP}.initialize", "init_signal")),
    "IPython.core.shellapp.InteractiveShellApp.init_path": (takes("self"), used_by(f"{APP}.initialize", "init_path")),
    f"{OUT}._master_pid": (used_by(f"{OUT}._is_master_process", "_master_pid"),),
    f"{OUT}._original_stdstream_copy": (used_by(f"{OUT}.fileno", "_original_stdstream_copy"),),
    f"{APP}.init_connection_file": (takes("self"), used_by(f"{APP}.initialize", "init_connection_file")),
    f"{APP}.write_connection_file": (takes("self", "kwargs"), used_by(f"{APP}.initialize", "write_connection_file")),
    f"{APP}.init_heartbeat": (takes("self"), used_by(f"{APP}.initialize", "init_heartbeat")),
    f"{APP}.init_kernel": (takes("self"), source("431d9412eb61"), used_by(f"{APP}.initialize", "init_kernel")),
    "ipykernel.kernelbase.Kernel._supports_kernel_subshells": (
        used_by("ipykernel.kernelbase.Kernel.shell_main", "_supports_kernel_subshells"),
        used_by("ipykernel.ipkernel.IPythonKernel.do_execute", "shell_channel_thread", "parent_thread"),
    ),
    "traitlets.config.application.Application.parse_command_line": (
        takes("self", "argv"),
        used_by("IPython.core.application.BaseIPythonApplication.initialize", "parse_command_line", "load_config_file"),
    ),
    "traitlets.config.application.Application._configure_logging": (takes("self"),),
    "IPython.core.application.BaseIPythonApplication.load_config_file": (takes("self", "suppress_errors"),),
    "IPython.core.shellapp.InteractiveShellApp.init_code": (
        takes("self"),
        used_by(f"{APP}.initialize", "init_code"),
        used_by("IPython.core.shellapp.InteractiveShellApp.init_code", "user_ns_hidden", "_sys_modules_keys"),
    ),
    "ipykernel.ipkernel.IPythonKernel.dispatch_shell": (
        takes("self", "msg", "subshell_id", "concurrent"),
        used_by("ipykernel.kernelbase.Kernel.shell_main", "dispatch_shell"),
        used_by("ipykernel.kernelbase.Kernel.dispatch_shell", "pre_handler_hook", "post_handler_hook"),
    ),
    f"{APP}.kernel_class": (used_by(f"{APP}.init_kernel", "kernel_class"),),
    "ipykernel.zmqshell.ZMQInteractiveShell.ask_exit": (takes("self"),),
    "ipykernel.compiler.get_tmp_directory": (gives("names cells so", lambda f: "/ipykernel_" in Path(f()).as_posix()),),
    "jupyter_client.provisioning.KernelProvisionerFactory.provisioners": (
        gives("is a dictionary", lambda found: type(found) is dict),
        used_by("jupyter_client.provisioning.KernelProvisionerFactory._check_availability", "provisioners"),
    ),
    "jupyter_client.manager.AsyncKernelManager._connect_control_socket": (
        takes("self"),
        used_by("jupyter_client.manager.KernelManager._async_post_start_kernel", "_connect_control_socket"),
    ),
    "jupyter_client.manager.AsyncKernelManager.shutting_down": (
        used_by("jupyter_client.manager.KernelManager._async_shutdown_kernel", "shutting_down"),
    ),
    "jupyter_client.manager.AsyncKernelManager.kernel_spec": (
        gives("is a property", lambda found: isinstance(found, property)),
        used_by("jupyter_client.manager.KernelManager.format_kernel_cmd", "kernel_spec"),
    ),
    "jupyter_client.session.DELIM": (gives("is what the protocol says", lambda found: found == b"<IDS|MSG>"),),
    "nbconvert.exporters.Exporter._preprocess": (takes("self", "nb", "resources"), source("247915eb1615")),
    "nbconvert.exporters.Exporter._validate_preprocessor": (takes("self", "nbc", "preprocessor"),),
    "nbconvert.exporters.Exporter.register_preprocessor": (
        takes("self", "preprocessor", "enabled"),
        used_by("nbgrader.converters.Autograde._init_preprocessors", "register_preprocessor"),
    ),
    "nbformat.v4.nbbase.validate": (takes("node", "ref"), used_by("nbformat.v4.nbbase.new_output", "validate")),
    "nbconvert.exporters.Exporter.from_filename": (
        gives("adds name, path and a date to the resources, and nothing else", resources_are_ours),
    ),
    MARKDOWN: (
        shown_by("table", "|a|\n|-|\n|b|"),
        shown_by("table_cell", "|a|\n|-|\n|b|"),
        shown_by("task_list_item", "- [x] a"),
    ),
    "mistune.BlockParser.parse_raw_html": (
        takes("self", "m", "state"),
        read_by("Block", "parse_raw_html", "<a b>"),
    ),
    "mistune.InlineParser.parse_inline_html": (
        takes("self", "m", "state"),
        read_by("Inline", "parse_inline_html", "x <a b>"),
    ),
    f"{RENDERER}.image": (takes("self", "text", "url", "title"), shown_by("image", "![a](b)")),
    "mistune.renderers.html.HTMLRenderer.link": (takes("self", "text", "url", "title"), shown_by("link", "[a](b)")),
    f"{RENDERER}.heading": (takes("self", "text", "level", "attrs"), shown_by("heading", "# a")),
    f"{RENDERER}.block_code": (takes("self", "code", "info"), shown_by("block_code", "```\na\n```")),
    f"{RENDERER}.block_math": (takes("self", "body"), shown_by("block_math", "$$a$$")),
    f"{RENDERER}.inline_math": (takes("self", "body"), shown_by("inline_math", "$a$")),
    f"{RENDERER}.latex_environment": (
        takes("self", "name", "body"),
        shown_by("latex_environment", r"\begin{a}b\end{a}"),
    ),
    "nbconvert.exporters.templateexporter.default_filters": (
        gives("has our three names", lambda found: {"markdown2html", "clean_html", "strip_files_prefix"} <= {*found}),
    ),
    "mistune.util.striptags": (gives("keeps descriptions", lambda f: f('<b>a</b><img src="c" alt="b">') == "ab"),),
    f"{SHELL}.enable_gui": (takes("self", "gui"),),
    f"{SHELL}.showtraceback": (used_by(f"{SHELL}.run_code", "showtraceback"),),
    f"{SHELL}.showsyntaxerror": (used_by(f"{SHELL}.showtraceback", "showsyntaxerror"),),
    f"{TRANSFORMERS}.transform_cell": (
        takes("self", "cell"),
        used_by(f"{SHELL}.transform_cell", "transform_cell"),
    ),
    f"{TRANSFORMERS}.do_token_transforms": (
        takes("self", "lines"),
        used_by(f"{TRANSFORMERS}.transform_cell", "do_token_transforms", "cleanup_transforms", "line_transforms"),
        used_by(f"{TRANSFORMERS}.do_one_token_transform", "token_transformers"),
    ),
    f"{SHELL}.should_run_async": (
        takes("self", "raw_cell", "transformed_cell", "preprocessing_exc_tuple"),
        used_by(f"{SHELL}._run_cell", "should_run_async"),
        used_by("ipykernel.ipkernel.IPythonKernel.do_execute", "should_run_async", "transform_cell"),
    ),
    "ipykernel.compiler.XCachingCompiler.get_code_name": (takes("self", "raw_code", "code", "number"),),
    f"{COMPILER}.get_code_name": (
        takes("self", "raw_code", "transformed_code", "number"),
        used_by(f"{COMPILER}.cache", "get_code_name"),
    ),
    "IPython.core.history.HistoryManager.store_inputs": (
        used_by("IPython.core.history.HistoryManager.store_inputs", "_i", "_ii", "_iii", "_i%s"),
    ),
    "torch.utils._python_dispatch.TorchDispatchMode.__torch_dispatch__": (
        takes("self", "func", "types", "args", "kwargs"),
    ),
    "torch._C.DisableTorchFunctionSubclass": (gives("keeps a subclass's code from running", reads_a_subclass),),
    "torch.empty": (refuses("DefaultCPUAllocator: can't allocate memory"),),
    f"{MEMORY}._total_size": (gives("says how much was asked for", lambda _: too_large()._total_size == 2**60),),
    MEMORY: (gives("is what NumPy raises", lambda found: type(too_large()) is found),),
    "distributed.Nanny.close_gracefully": (
        takes("self", "reason"),
        used_by("distributed.Nanny.close_gracefully", "closing_gracefully"),
        used_by("distributed.Nanny._on_worker_exit", "closing_gracefully"),
    ),
    "distributed.Nanny.pid": (gives("is a property", lambda found: isinstance(found, property)),),
    "distributed.Nanny.worker_address": (gives("is a property", lambda found: isinstance(found, property)),),
    "distributed.comm.tcp.TLSListener._prepare_stream": (
        takes("self", "stream", "address"),
        used_by("distributed.comm.tcp.BaseTCPListener._handle_stream", "_prepare_stream"),
    ),
    "distributed.node.ServerNode.start_http_server": (
        takes("self", "routes", "dashboard_address", "default_port", "ssl_options"),
        used_by("distributed.node.ServerNode.start_http_server", "http_server", "listen"),
    ),
    "nh3.clean": (gives("writes links as we read them", linked),),
    "latex2mathml.converter.Converter.convert_to_element": (
        gives("gives a tree", lambda f: f(resolved("latex2mathml.converter.Converter")(), "x").tag == "math"),
    ),
    "linecache.cache": (gives("is where inspect looks for sources", finds_source),),
}


def table_of(ours: str) -> str:
    """The file with the table in which this module of ours belongs."""
    return f"{TABLES[package_of(ours)].__name__.replace('.', '/')}.py"


def package_of(ours: str) -> str:
    """The package whose table lists this module of ours; the engine's where no other one does."""
    return next((package for package in TABLES if f"{ours}.".startswith(f"{package}.")), "grading")


def trouble(use: Use, name: str) -> str | None:
    """What is wrong with a name that a module of ours relies on, in one line; None if nothing is."""
    try:
        found, wrong = resolved(name), None
        if use.words and name not in CHECKS and use.words not in inspect.getsource(found):
            wrong = f"no longer says {use.words!r}"
        wrong = wrong or next(filter(None, (check(found) for check in CHECKS.get(name, ()))), None)
    except Gone as gone:
        wrong = "is gone" if str(gone) == name else f"is gone, with {gone}"
    except Exception as error:  # noqa: BLE001  (whatever a check of something else raises)
        wrong = f"is not what it was ({type(error).__name__}: {' '.join(str(error).split())})"
    if wrong is None:
        return None
    package = name.partition(".")[0]
    try:
        installed = f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        installed = f"Python {platform.python_version()}"
    return (
        f"{installed}: {name} {wrong}. {use.ours} breaks, which needs it for this: {use.why}. "
        f"Public way: {use.instead}. Adapt that module, then {table_of(use.ours)} and "
        "tests/support/private_checks.py; or keep the old version."
    )
