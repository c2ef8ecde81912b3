"""The queue as a service of a JupyterHub: the hub says who asks. Administrators see everybody, students themselves."""

import os

from jupyterhub.services.auth import HubOAuthCallbackHandler, HubOAuthenticated
from tornado.web import authenticated

from grading.classroom.service.handlers import Page


class HubQueue(HubOAuthenticated, Page):
    """The queue, as far as whoever is logged in to the hub may see it.

    The hub's cookies open pages that a browser goes to, and not what a script fetches.
    """

    @authenticated
    def get(self) -> None:
        """Shows all names to the hub's administrators, and to others what is theirs."""
        user = self.get_current_user()
        shown, name = self.board.read(), user["name"]
        if user.get("admin") or name in _instructors():
            self.show(shown, "")
        else:
            self.show(shown.of(name), name, reloads=True)


def routes(prefix: str, about: dict) -> list[tuple]:
    """The pages below the address that the hub gives the service."""
    return [(prefix, HubQueue, about), (f"{prefix}oauth_callback", HubOAuthCallbackHandler)]


def _instructors() -> set[str]:
    """Who may see all names although they don't administer the hub."""
    return set(os.environ.get("WATCH_INSTRUCTORS", "").split())
