"""What one sandbox grants its notebook. How much of each that is, `core.limits` says."""

from dataclasses import dataclass

from grading.core import limits


@dataclass(frozen=True)
class Limits:
    """What one sandbox grants; the defaults are those of `core.limits`."""

    # On top of what the libraries take; None with a GPU, whose driver reserves terabytes of addresses.
    process_bytes: int | None = limits.PROCESS_BYTES
    memory_bytes: int = limits.MEMORY_BYTES
    processes: int = limits.PROCESSES
    sessions: int = limits.SESSIONS
    started: int = limits.STARTED
    additions: int = limits.ADDITIONS
    gpu_shared_mb: int = limits.GPU_SHARED_MB
    open_files: int = limits.OPEN_FILES
    written_bytes: int = limits.WRITTEN_BYTES
    scratch_bytes: int = limits.SCRATCH_BYTES
    shared_bytes: int = limits.SHARED_BYTES
    files: int = limits.SCRATCH_FILES
    cpu_s: int = limits.CPU_LIMIT_S
    notebook_s: float = limits.NOTEBOOK_LIMIT_S
