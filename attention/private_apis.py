"""What this course touches of other packages that they don't promise to keep.

The engine's own table is grading/core/private_apis.py, and one test checks both.
"""

from grading.core.private_use import Use, of

USES = (
    Use(
        "attention.warmup",
        ("matplotlib.font_manager._get_font", "matplotlib.font_manager.threading", "io.open"),
        "fonts that lie in memory and are open in each fork, where they would be opened and read letter by letter",
        "none: Matplotlib opens its fonts by their paths alone, for each thread, and gives them up in a forked process",
    ),
    Use(
        "attention.questions.part07",
        of("torch._C._functorch", "is_functorch_wrapped_tensor get_unwrapped"),
        "the memory of a tensor that vmap has wrapped, to see whether weights were copied",
        "none: PyTorch's public torch.func shows no tensor within a transform's",
    ),
    Use(
        "attention.questions.part07",
        of("torch.utils._python_dispatch", "TorchDispatchMode TorchDispatchMode.__torch_dispatch__"),
        "the operations that TorchScript calls, to see whether weights were copied",
        "none: the public torch.overrides.TorchFunctionMode is not told of them",
    ),
    Use(
        "attention.questions.operations",
        of(
            "torch.utils._python_dispatch",
            "TorchDispatchMode TorchDispatchMode.__torch_dispatch__ TorchDispatchMode._should_skip_dynamo",
        ),
        "the operations in a call, and what each reads and writes, to see which statements computed an output",
        "none: the public torch.overrides.TorchFunctionMode is not told what is written into",
    ),
    Use(
        "attention.questions.operations",
        ("torch.ops.aten.mm.default._schema",),
        "the name of an operation, and which of its arguments it writes into",
        "none: PyTorch has no public function for it",
    ),
    Use(
        "attention.questions.part07",
        of("torch._C", "_is_torch_function_all_disabled"),
        "whether an answer keeps its functions from being shown, to look at what it copies meanwhile",
        "none: PyTorch has no public function for it; without this one nothing is looked at meanwhile",
    ),
)
