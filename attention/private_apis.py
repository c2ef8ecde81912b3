"""What this course touches of other packages that they don't promise to keep.

The engine's own table is grading/core/private_apis.py, and one test checks both.
"""

from grading.core.private_use import Use, of

USES = (
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
)
