"""How much memory this machine has, or the control group or container that this process is in."""

from pathlib import Path, PurePosixPath

PROC = Path("/proc")
FILES = {"cgroup2": "memory.max", "cgroup": "memory.limit_in_bytes"}  # by the kind of the mounted file system


def total_bytes(proc: Path = PROC) -> int | None:
    """The least of what the machine has and what each of this process's control groups may use; None: not known."""
    found = _groups(proc)
    for line in _text(proc / "meminfo").splitlines():
        if line.startswith("MemTotal:"):
            found.append(1024 * int(line.split()[1]))
    return min(found, default=None)


def _groups(proc: Path) -> list[int]:
    """The limits of this process's groups and of those above them, as far as they can be seen."""
    lines = [line.split(":", 2) for line in _text(proc / "self" / "cgroup").splitlines() if line.count(":") >= 2]
    paths = {kind: path for _, names, path in lines for kind in (names.split(",") if names else ["cgroup2"])}
    found = []
    for line in _text(proc / "self" / "mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = [*after.split(" ", 2), "", ""][:3]
        own = paths.get("cgroup2" if kind == "cgroup2" else "memory")
        if own is None or kind not in FILES or (kind == "cgroup" and "memory" not in options.split(",")):
            continue
        root, place = before.split(" ")[3:5]
        below = PurePosixPath(own).relative_to(root) if PurePosixPath(own).is_relative_to(root) else PurePosixPath()
        for folder in (below, *below.parents):
            said = _text(Path(place) / folder / FILES[kind]).strip()
            found += [int(said)] if said.isdigit() else []
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
