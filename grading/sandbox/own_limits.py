"""The limits that a kernel sets for itself before student code runs. It stands alone, as all within the walls."""

import resource

# Linux counts these by user, and until the gate opens processes of the last notebook may still be ending.
BY_USER = ("RLIMIT_NPROC", "RLIMIT_SIGPENDING")


def set_at_once(limits: dict[str, list[int]]) -> None:
    """Sets those that count for this process alone, by their names."""
    _set({name: pair for name, pair in limits.items() if name not in BY_USER})


def set_by_user(limits: dict[str, list[int]]) -> None:
    """Sets those that Linux counts by user."""
    _set({name: pair for name, pair in limits.items() if name in BY_USER})


def _set(limits: dict[str, list[int]]) -> None:
    for name, pair in limits.items():
        number = getattr(resource, name)
        _, most = resource.getrlimit(number)
        resource.setrlimit(number, [value if most == resource.RLIM_INFINITY else min(value, most) for value in pair])


def limit_addresses(granted_bytes: int, least_bytes: int) -> None:
    """Limits this process's addresses to those that the libraries take, which differs by their build, and some more."""
    with open("/proc/self/statm", encoding="ascii") as file:
        taken_bytes = int(file.read().split()[0]) * resource.getpagesize()
    limit_bytes = max(taken_bytes + granted_bytes, least_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
