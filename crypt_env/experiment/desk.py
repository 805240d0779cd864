"""The desk: where the workers of a distributed training hand in the files for the run's folder.

It is an actor on the machine that started the training, where the folder is; the workers may be anywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypt_env.files import replace_file

from .checkpoint_file import NAME
from .log import IDENTITY

Files = dict[str, bytes]
"""Contents, by path in the folder."""


class Desk:
    """Keeps the folder of a run, and passes messages between the first worker and the program that started it."""

    def __init__(self, folder: str, most_starts: int) -> None:
        """Keep a folder.

        Args:
            folder: of the run.
            most_starts: how often the workers may start from the same checkpoint before the training is given up.
        """
        self._folder, self._most_starts = Path(folder), most_starts
        self._messages: list[tuple[str, Any]] = []
        self._stop = 0
        self._starts: dict[int, int] = {}
        self._error = ""
        self._is_over = False

    # -- for the workers ----------------------------------------------------------------------------------------------

    def files(self) -> Files:
        """Return the files that a run needs to continue, if they are there."""
        paths = [self._folder / name for name in (NAME, IDENTITY)]
        return {path.name: path.read_bytes() for path in paths if path.exists()}

    def put(self, files: Files) -> None:
        """Write files, the checkpoint last: once it is there, so are the others."""
        for name in sorted(files, key=lambda name: name == NAME):
            replace_file(self._folder / name, files[name])

    def begin(self, decisions: int) -> str:
        """Note that the workers start after this many decisions; return why they must not if that was too often."""
        self._starts[decisions] = self._starts.get(decisions, 0) + 1
        if self._starts[decisions] <= self._most_starts:
            return ""
        reason = f"; the last error was: {self._error}" if self._error else ""
        return f"the workers were lost {self._most_starts} times after {decisions} decisions{reason}"

    def step(self, done: int, total: int, note: str) -> int:
        """Note how far the training is; return the number of the signal that is to stop it, or 0."""
        self._messages.append(("progress", (done, total, note)))
        return self._stop

    def tell(self, kind: str, content: Any) -> None:
        """Pass a message on."""
        self._messages.append((kind, content))

    def note(self, error: str) -> None:
        """Remember why a worker failed; the training goes on without it."""
        self._error = error

    def fail(self, error: str) -> None:
        """End the training with an error."""
        if not self._is_over:
            self._messages.append(("error", error))
        self._is_over = True

    def is_over(self) -> bool:
        """Return whether the training has ended with an error."""
        return self._is_over

    # -- for the program ----------------------------------------------------------------------------------------------

    def take(self, stop: int) -> list[tuple[str, Any]]:
        """Return the messages since the last call; ``stop`` is the number of a signal for the workers, or 0."""
        self._stop = stop
        messages, self._messages = self._messages, []
        return messages


class DeskClient:
    """The desk as a worker calls it; to the run of the first worker it looks like a `Progress`."""

    def __init__(self, ray: Any, actor: Any) -> None:
        """Wrap the actor."""
        self._ray, self._actor = ray, actor
        self._now = (0, 0, "")

    def call(self, name: str, *arguments: Any) -> Any:
        """Call the desk, and wait for the answer."""
        return self._ray.get(getattr(self._actor, name).remote(*arguments))

    def update(self, done: int, total: int, note: str = "") -> None:
        """Note how far the training is; `step` passes it on."""
        self._now = (done, total, note)

    def step(self) -> int:
        """Pass on how far the training is; return the number of the signal that is to stop it, or 0."""
        return int(self.call("step", *self._now))

    def say(self, text: str) -> None:
        """Have a line printed."""
        self.call("tell", "say", text)

    def end(self) -> None:
        """Do nothing: the program draws."""
