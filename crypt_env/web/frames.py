"""The page in a notebook: the whole of it in one cell, which loads nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from crypt_env.agents.network_names import shipped_networks
from crypt_env.notation.record import Record

from .packed import game_page
from .replays import replay_html

HEIGHT = 900


class Frame:
    """A page that a notebook shows in a frame when it is the last value of a cell."""

    def __init__(self, page: str, height: int = HEIGHT) -> None:
        """Take a page in one file, and the height of the frame in pixels."""
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        """Return the frame, with the page in it."""
        return (
            f'<iframe title="Crypt" srcdoc="{escape(self.page)}" '
            f'style="width:100%;height:{self.height}px;border:0"></iframe>'
        )


def replay_frame(record: Record, seat: int | None = None, agent: str | None = None, height: int = HEIGHT) -> Frame:
    """Return a replay for a notebook; see `crypt_env.web.replays.replay_html`, also for what is raised."""
    return Frame(replay_html(record, seat, agent), height)


def game_frame(networks: Iterable[str] | None = None, height: int = HEIGHT) -> Frame:
    """Return the page on which one plays, for a notebook.

    Args:
        networks: those among the opponents, without "net:"; all that come with the package if not given, about 5 MB.
        height: of the frame in pixels.

    Raises:
        CryptError: there is no such network, or the names are not in a list.
    """
    return Frame(game_page(shipped_networks() if networks is None else networks), height)
