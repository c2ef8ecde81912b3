"""What we touch of other packages that they don't promise to keep: the first place to look after an upgrade.

The sandbox and each course that touches any have tables of their own, in their packages' private_apis.py. A test of the
same name checks that what is installed has it all, and that the tables do. What other programs print is explained where
it is read.
"""

from grading.core.private_use import Use, of

_RENDERER = "nbconvert.filters.markdown_mistune.IPythonRenderer"
_SHELL, _FORMGRADER = "IPython.core.interactiveshell.InteractiveShell", "nbgrader.server_extensions.formgrader"

USES = (
    Use(
        "grading.gradebook.engines",
        of("nbgrader.api", "create_engine get_alembic_version")
        + of("nbgrader.api.Gradebook", "__init__ close find_submission_notebook")
        + of(f"{_FORMGRADER}.base", "BaseHandler.on_finish BaseApiHandler.get_json_body")
        + ("nbgrader.converters.base.BaseConverter.convert_notebooks",),
        "one engine, connection and check of tables a run, no Alembic; marks only for answers that their grader saw",
        "none: nbgrader.api.Gradebook makes its engine itself, and the Formgrader has no hook for what it saves",
    ),
    Use(
        "grading.gradebook.preprocessors",
        of("nbgrader.preprocessors.OverwriteCells", "preprocess gradebook notebook_id assignment_id")
        + of("nbgrader.preprocessors.SaveAutoGrades", "preprocess gradebook notebook_id assignment_id student_id")
        + ("nbgrader.preprocessors.AssignLatePenalties.preprocess",),
        "all cells of a notebook by one query and one save; nbgrader asks for each of its 14 cells by itself",
        "none: the gradebook has no query for all cells, and both steps open it themselves",
    ),
    Use(
        "grading.gradebook.snapshot",
        ("nbgrader.api.Base.metadata.tables", "nbgrader.api.Gradebook.__init__"),
        "rows as data by table and column, and new gradebooks with the version that alembic notes in them",
        "nbgrader.api.Gradebook makes a gradebook, but starts alembic as a program each time; none for rows as data",
        words="CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",
    ),
    Use(
        "grading.gradebook.nbgrader_log",
        ("nbgrader.utils.capture_log", "nbgrader.converters.base.NbGraderException"),
        "the one line of a converter's log or traceback that says most",
        "none: converters report what failed to their log alone",
        words="nbgrader.converters.base.",
    ),
    Use(
        "grading.submission.nbgrader_patches",
        of("nbgrader.converters.base.BaseConverter", "init_notebooks convert_notebooks init_assignment")
        + of("nbgrader.converters.base.BaseConverter", "init_destination run_post_convert_hook")
        + of("nbgrader.converters.GenerateAssignment", "_clean_old_notebooks convert_notebooks")
        + ("nbgrader.preprocessors.SaveCells.preprocess", "nbgrader.nbgraderformat.common.jsonschema")
        + of("nbgrader.apps.NbGraderAPI", "get_submitted_students get_submitted_timestamp")
        + ("nbgrader.coursedir.CourseDirectory.get_existing_timestamp",)
        + ("nbgrader.apps.zipcollectapp.ZipCollectApp._transfer_files",),
        "who is graded, by names checked first, who isn't done, which notebooks are entered, which files count, what a "
        "release held, the times of times.csv; and cells' metadata against a schema that is itself checked once",
        "none: nbgrader's hooks run later, ignore lists know only files, each notebook released is entered, and no "
        "setting says where a time comes from",
    ),
    Use(
        "grading.submission.nbgrader_patches",
        ("nbformat.v4.nbbase.validate",),
        "each output that comes checked by a program that is compiled from its schema, as whole notebooks are",
        "none: nbformat compiles the schema of whole notebooks alone, and nbclient checks each output that it takes",
    ),
    Use(
        "grading.submission.schemas",
        ("nbformat.json_compat.FastJsonSchemaValidator", "nbformat.v4.nbformat_schema"),
        "what nbformat compiles a schema with, and the file that its schema stands in",
        "fastjsonschema.compile, which this stands on, and a schema of our own",
    ),
    Use(
        "grading.gradebook.source_checks",
        ("nbgrader.converters.GenerateAssignment.convert_notebooks",),
        "nbgrader's own command and the Formgrader's button refuse what our release refuses, before anything is made",
        "none: preprocessors see a notebook at a time, and what has been made by then stays",
    ),
    Use(
        "grading.submission.exchange_collect",
        of("nbgrader.exchange.default.ExchangeCollect", "_path_to_record init_src copy_files do_copy")
        + of("nbgrader.exchange.default.ExchangeReleaseFeedback", "src_path dest_path copy_files"),
        "names that can be graded are collected, with the times of the exchange's file system, and no link is followed",
        "none: the steps of a collect class are not public",
    ),
    Use(
        "grading.judge.save_marks",
        ("nbgrader.preprocessors.SaveAutoGrades._add_score",),
        "a test cell that our own failure left unmarked is ungraded; it is never 0 in between",
        "none: preprocess_cell saves score and comment in one go",
    ),
    Use(
        "grading.classroom.inputs",
        ("nbgrader.utils.find_all_files",),
        "the files next to the sources that nbgrader will copy",
        "none: the list is made in nbgrader's converters alone",
    ),
    Use(
        "grading.own_work.visible_checks",
        ("nbgrader.utils.compute_checksum",),
        "whether a cell is as it was released",
        "none: the checksum in a cell's metadata has no documented form",
    ),
    Use(
        "grading.submission.times",
        ("nbgrader.utils.parse_utc",),
        "a time means to us what it means to nbgrader",
        "datetime.datetime.strptime, once no other form than ours is in use",
    ),
    Use(
        "grading.judge.kernels",
        of("jupyter_client.manager.AsyncKernelManager", "kernel_spec provisioner _connect_control_socket shutting_down")
        + of("jupyter_client", "client.KernelClient._shell_channel client.KernelClient._iopub_channel")
        + ("jupyter_client.provisioning.KernelProvisionerFactory.provisioners",),
        "kernels of a specification on no disk, whatever kernel a notebook names, ended at once, on plain sockets",
        "a kernel_spec_manager of one's own, and an entry point of the provisioners' group; none for the rest",
    ),
    Use(
        "grading.judge.incoming",
        ("jupyter_client.session.DELIM",),
        "a message from a student's kernel is bounded and put together again before anything reads it",
        "none: it is what the messaging protocol says, under no public name",
    ),
    Use(
        "grading.submission.in_memory",
        of("nbconvert.exporters.Exporter", "from_filename _preprocess _preprocessors _validate_preprocessor"),
        "a notebook that doesn't come from its file has the same resources, and goes from step to step without copies",
        "none: from_notebook_node leaves the resources to its caller, and no page lists them or the steps",
    ),
    Use(
        "grading.submission.intake",
        ("nbconvert.exporters.Exporter.register_preprocessor",),
        "each step of a conversion made once, and not again for every notebook",
        "none: nbgrader hands classes over, twice for each notebook",
    ),
    Use(
        "grading.pages.student_pages",
        ("nbgrader.converters.base.BaseConverter.notebooks",),
        "which page of a student's is the last one, with which the index is written; permissions are set after it",
        "post_convert_hook, which gets the notebooks, but not the course or the gradebook that their pages came from",
    ),
    Use(
        "grading.pages.feedback",
        ("nbconvert.filters.markdown_mistune.MarkdownWithMath",)
        + of(_RENDERER, "image heading block_code block_math inline_math latex_environment")
        + of("mistune", "BlockParser.parse_raw_html InlineParser.parse_inline_html")
        + of("mistune", "renderers.html.HTMLRenderer.link util.striptags"),
        "students' Markdown without HTML of its own, formulas as MathML; each method shows one kind of element",
        "mistune's HTMLRenderer is public, but it knows no formulas; nbconvert's filter lets HTML through",
    ),
    Use(
        "grading.gradebook.configuration",
        ("nbconvert.exporters.templateexporter.default_filters", f"{_FORMGRADER}.handlers.template_path"),
        "the Formgrader's pages: filters of ours in place of nbconvert's, criteria next to nbgrader's fields",
        "none: c.HTMLExporter.filters is public, but not which filters, fields and functions those pages have",
        words="strip_files_prefix",
    ),
    Use(
        "grading.own_work.shell",
        of(_SHELL, "compiler_class enable_gui showtraceback showsyntaxerror")
        + ("IPython.core.compilerop.CachingCompiler.get_code_name",),
        "cells run as in a kernel, print no traceback, open no window, and are named in tracebacks",
        "none: a kernel would do, and takes seconds to start per notebook",
    ),
    Use(
        "grading.own_work.shell",
        ("IPython.core.autocall.ExitAutocall",),
        "exit() in a cell doesn't end the shell before the checks have run",
        "none: what exit() calls is documented nowhere",
        words="ask_exit",
    ),
    Use(
        "grading.bridge.remote",
        ("IPython.core.compilerop.code_name", "ipykernel.compiler.get_tmp_directory"),
        "the line of the student's cell that an error comes from, by how code of cells is named, here and in kernels",
        "none: nothing else tells a cell's code from a library's",
        words="<ipython-input",
    ),
    Use(
        "grading.bridge.in_process",
        ("IPython.core.history.HistoryManager.store_inputs",),
        "the names that IPython itself sets among a student's, such as _i7",
        "none: IPython lists them nowhere",
        words="_i",
    ),
    Use(
        "grading.bridge.capture",
        (f"{_SHELL}.display_pub", "sys.displayhook")
        + of("IPython.core", "displaypub.CapturingDisplayPublisher.outputs displayhook.CapturingDisplayHook"),
        "what an answer displays is kept, by a publisher that is made without its configuration",
        "IPython.utils.capture.capture_output, which configures a publisher each time: longer than most answers take",
    ),
    Use(
        "grading.bridge.remote",
        ("torch._C.DisableTorchFunctionSubclass",),
        "a student's subclass of Tensor is read as the plain tensor that it holds, without running its code",
        "none: PyTorch's own notes on extending it name this one",
    ),
    Use(
        "grading.bridge.remote",
        ("torch.empty",),
        "whether a RuntimeError says that there is no memory",
        "none: on a processor PyTorch has no error of its own for it",
        words="DefaultCPUAllocator: can't allocate memory",
    ),
    Use(
        "grading.marking.budget",
        ("numpy._core._exceptions._ArrayMemoryError._total_size",),
        "whether an array was asked for that is larger than a hidden test may be",
        "none: NumPy's MemoryError says its size in words alone",
    ),
    Use(
        "grading.judge.incoming",
        ("numpy._core._exceptions._ArrayMemoryError",),
        "whether a cell's error says that there was no memory, by the error's name",
        "none: only the name of an error crosses from a kernel, not what it inherits from",
        words="_ArrayMemoryError",
    ),
    Use(
        "grading.gradebook.engines",
        ("sqlalchemy.orm.dependency", "sqlalchemy.orm.unitofwork"),
        "no warning of nbgrader's own way with sessions at every submission",
        "none: SQLAlchemy warns of it with no category of its own",
        words="not in session",
    ),
    Use(
        "grading.classroom.local_cluster",
        of("distributed", "Nanny.close_gracefully Nanny.pid LocalCluster.workers")
        + of("distributed.Scheduler", "handlers periodic_callbacks"),
        "the workers' processes, to end them at once with their sandboxes; a scheduler that is heard and looks seldom",
        "none: closing a cluster waits for tasks that run, and how often workers are heard is fixed by their number",
    ),
    Use(
        "grading.classroom.service.server",
        ("tornado.httpserver.HTTPServer.handle_stream",),
        "each connection to the status page as it comes, so that there are a few at once",
        "none: HTTPServer has limits on a request and on a wait, and none on how many connections there are",
    ),
    Use(
        "grading.classroom.own_connections",
        ("distributed.comm.tcp.TLSListener._prepare_stream", "distributed.node.ServerNode.start_http_server"),
        "connections of other accounts on this machine closed at once, and no port for pages that nobody looks at",
        "none: Dask's listeners take whoever connects, for as long as that says nothing, and its pages have a port",
    ),
    Use(
        "grading.classroom.cluster",
        ("distributed.Nanny.worker_address", "distributed.Scheduler.workers"),
        "which of the workers' processes the scheduler knows",
        "none: Client.scheduler_info knows no lost worker",
    ),
    Use(
        "grading.classroom.cluster",
        ("distributed.client",),
        "no warning of a submission that is large",
        "none: the warning has no category of its own",
        words="Sending large graph",
    ),
    Use(
        "grading.pages.safe_html",
        ("nh3.clean",),
        "a link that leads nowhere loses its rest, which is found by how nh3 writes it",
        "none: nh3 keeps an element whose attributes it has dropped",
        words='<a rel="',
    ),
    Use(
        "grading.pages.mathml",
        ("latex2mathml.converter.Converter.convert_to_element",),
        "a formula as a tree, from which only known elements are taken",
        "latex2mathml.converter.convert, the one function that is documented, and reading its text again",
    ),
    Use(
        "grading.core.fork_server",
        of("multiprocessing", "util.spawnv_passfds forkserver._forkserver forkserver._forkserver._forkserver_pid"),
        "what workers are forked from is itself forked from a command that has imported what they need",
        "none: multiprocessing starts it as a new Python, in which a preload imports all of it once more",
    ),
    Use(
        "grading.judge.execution",
        ("nbclient.NotebookClient._display_id_map", "nbgrader.preprocessors.Execute.on_cell_executed"),
        "how many outputs an update of a display changes, which all take room; and which cells nbclient has stopped",
        "none: nbclient tells nobody which outputs have a name; its hook on_cell_executed is one that nbgrader takes",
    ),
    Use(
        "grading.judge.execution",
        ("linecache.cache",),
        "inspect.getsource finds the functions of a hidden test, which stands in no file",
        "linecache.lazycache, which refuses names in angle brackets",
    ),
)
