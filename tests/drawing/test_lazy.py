"""Drawing code is loaded when something is drawn, and Pillow when pixels are drawn."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAMS = {
    "nothing": "import crypt_env",
    "environments": "from crypt_env import crypt_v0; import crypt_env.envs.single, crypt_env.envs.vector\n"
    "crypt_v0.env(render_mode='ansi').reset(seed=1)",
    "text": "from crypt_env import Game; str(Game(seed=1)); import crypt_env.drawing",
    "svg": "from crypt_env import Game; game = Game(seed=1); game._repr_svg_(); game.view(0)._repr_svg_()",
    "tables": "from crypt_env import random_game; random_game(2).outcome()._repr_html_()",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_loads(name: str) -> None:
    modules = "print(*(name for name in __import__('sys').modules if name.startswith(('PIL', 'crypt_env.drawing'))))"
    program = f"{PROGRAMS[name]}\n{modules}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert not [module for module in loaded if module.startswith("PIL")]
    assert bool(loaded) == (name in ("text", "svg", "tables"))
