"""The programs that train networks, evaluate them and draw their curves; each reads from top to bottom."""

import sys
from importlib.util import find_spec

from crypt_env.console.streams import outlive_streams, prepare_streams
from crypt_env.errors import install_hint
from crypt_env.experiment.stopping import PROGRAM, leave_on_signals

_is_program = sys.argv[0] == "-m"
if _is_program:
    prepare_streams()
    outlive_streams(PROGRAM.name)
    leave_on_signals()

_missing = [
    name for name in ("torch", "stable_baselines3", "sb3_contrib", "yaml", "pydantic") if find_spec(name) is None
]
if _missing:
    _sentence = f"training needs {', '.join(_missing)}; {install_hint('train')}"
    if not _is_program:
        raise ImportError(_sentence)
    print(_sentence, file=sys.stderr)  # for a program one sentence is enough
    raise SystemExit(2)
