"""Drawing a game: text, SVG and pixels from one description of the table. Loaded when something is drawn.

>>> from crypt_env import Game
>>> from crypt_env.drawing import draw_svg, scene_of_game
>>> scene = scene_of_game(Game(players=3, seed=1))          # what is public; with a seat, what it knows
>>> draw_svg(scene, dark=True)[:4]
'<svg'
"""

from .draw import draw_gif, draw_grid, draw_pixels, draw_svg, draw_text
from .live import render, show
from .scene import Scene, scene_of_game, scene_of_view, scenes_of_states
from .symbols import symbols_json

__all__ = [
    "Scene",
    "draw_gif",
    "draw_grid",
    "draw_pixels",
    "draw_svg",
    "draw_text",
    "render",
    "scene_of_game",
    "scene_of_view",
    "scenes_of_states",
    "show",
    "symbols_json",
]
