"""Training: PPO that learns Crypt. Scripts that read top to bottom; `crypt_env` knows nothing of them."""

import sys
from importlib.util import find_spec

_missing = [name for name in ("torch", "stable_baselines3", "sb3_contrib", "yaml") if find_spec(name) is None]
if _missing:
    _sentence = f"training needs {', '.join(_missing)}; pip install 'crypt-env[train]' brings all of it"
    if sys.argv[0] != "-m":
        raise ImportError(_sentence)
    print(_sentence, file=sys.stderr)  # of what runs as a program one sentence is enough
    raise SystemExit(2)
