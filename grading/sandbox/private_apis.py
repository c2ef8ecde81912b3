"""What the sandbox touches of other packages that they don't promise to keep, mostly to make kernels before a fork.

The engine's other table is grading/core/private_apis.py, and one test checks both.
"""

from grading.core.private_use import Use, of

_APP, _SHELL = "ipykernel.kernelapp.IPKernelApp", "IPython.core.interactiveshell.InteractiveShell"

USES = (
    Use(
        "grading.sandbox.zygote",
        of("multiprocessing.context", "_default_context _default_context._default_context"),
        "the processes of a data loader fork from the kernel as up to Python 3.13, since no open file may be sent",
        "multiprocessing.set_start_method, after which a student's own call of it fails",
    ),
    Use(
        "grading.sandbox.child",
        of(_APP, "init_sockets init_connection_file write_connection_file log_connection_info init_heartbeat")
        + of(_APP, "init_io init_kernel init_signal kernel_class outstream_class displayhook iopub_thread iopub_socket")
        + of("ipykernel.kernelbase.Kernel", "_supports_kernel_subshells shell_stream _execute_sleep"),
        "a kernel is made before the fork, and serves two plain sockets: no connection file, control or debugger",
        "none: a connection file takes no open sockets, and init_kernel, of which ours is a copy, wants all channels",
    ),
    Use(
        "grading.sandbox.kernel_channels",
        of("ipykernel.iostream", "IOPubThread OutStream._master_pid")
        + ("ipykernel.iostream.OutStream._original_stdstream_copy",),
        "outputs go straight to a socket; what is written past Python comes by one thread, and to its own cell",
        "none: an OutStream takes nothing but ipykernel's own thread, which takes nothing but ZeroMQ's sockets",
    ),
    Use(
        "grading.sandbox.child",
        of("traitlets.config.application.Application", "parse_command_line _configure_logging")
        + ("IPython.core.application.BaseIPythonApplication.load_config_file", f"{_SHELL}._sys_modules_keys")
        + of("IPython.core.shellapp.InteractiveShellApp", "init_code init_path")
        + of("ipykernel", "zmqshell.system zmqshell.ZMQInteractiveShell.ask_exit")
        + of("ipykernel.ipkernel.IPythonKernel", "dispatch_shell iopub_socket"),
        "kernels read no configuration, run commands without a terminal, go on after exit(), and answer hidden tests",
        "none: comms run code among the student's names; a shell_class of one's own would do for exit() alone",
    ),
    Use(
        "grading.sandbox.bubblewrap",
        ("matplotlib.font_manager._load_fontmanager",),
        "the list of fonts that matplotlib keeps, so that no sandbox takes a second to make one",
        "none: the folder is public (matplotlib.get_cachedir), the name of the file is not",
        words="fontlist-",
    ),
    Use(
        "grading.sandbox.cell_names",
        ("ipykernel.compiler.XCachingCompiler.get_code_name", "inspect.modulesbyfile"),
        "names for cells in no time, and tracebacks without a look through all modules for each of their lines",
        "none: ipykernel has no setting for how it names cells, and inspect can't be told where code comes from",
    ),
    Use(
        "grading.sandbox.cell_reading",
        of("IPython.core.inputtransformer2.TransformerManager", "transform_cell do_token_transforms")
        + (f"{_SHELL}.should_run_async",),
        "cells that are nothing but Python are not tokenized, and no cell is read twice",
        "none: lists of transformers can be changed, but not when they are asked",
    ),
)
