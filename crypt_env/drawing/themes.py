"""The colours, by name: both themes draw the same shapes.

The owners' colours follow the colour-blind-safe palette of Okabe and Ito, a little darker under white pips. Owners
also differ in the shape of their dice.
"""

from __future__ import annotations

from crypt_env.rules.cards import KIND_NAMES

GHOST = 4
"""The number of the Ghost among the owners; before it come those of the four seats."""

_CARDS = {
    "face": "#fbf3df",
    "face_edge": "#d8c49a",
    "face_ink": "#33261a",
    "gold": "#d9a531",
    "gold_dark": "#8f651a",
    "gold_light": "#f4d98a",
    "shadow": "#1c140d",
    "flame": "#f0882a",
    "flame_light": "#ffd75e",
    "wood": "#7b4f2a",
    "ash": "#857d76",
    "smoke": "#a59d95",
    "white": "#ffffff",
    "owner0": "#1668b4",
    "owner1": "#d4590b",
    "owner2": "#e8bd1c",
    "owner3": "#a8508f",
    "owner4": "#8b95a5",
    "owner0_pip": "#ffffff",
    "owner1_pip": "#ffffff",
    "owner2_pip": "#3a2b06",
    "owner3_pip": "#ffffff",
    "owner4_pip": "#14181f",
}

_TONES = {
    # type: of the symbol on a face (main, shade, light), of the back (ground, its edge, main, shade, light)
    "idol": ("#b8790b", "#7d5207", "#f3d583", "#7a5510", "#c99a34", "#d09a2c", "#3a2704", "#f6dd9a"),
    "jewelry": ("#b03378", "#6d1848", "#eaa3c9", "#7c2456", "#c9659d", "#d0609f", "#3d0b27", "#f6c6e0"),
    "manuscript": ("#7a6a3d", "#4c411f", "#e3d6ab", "#5a5029", "#a2935a", "#a89859", "#282209", "#ece2bd"),
    "pottery": ("#bd5a31", "#76311a", "#edb08d", "#7d3a20", "#c97a51", "#cf774b", "#401607", "#f7cdb4"),
    "remains": ("#7d8a80", "#39423d", "#dfe4dc", "#4a564f", "#8c9b91", "#93a398", "#1d2421", "#e6ebe4"),
    "tapestry": ("#2f7f86", "#14484e", "#9ed3d3", "#1d565d", "#55a3a9", "#4fa5ac", "#06282c", "#bfe6e6"),
}

_LIGHT = {
    "page": "#efe4cd",
    "panel": "#fbf5e7",
    "panel_edge": "#dbc9a2",
    "panel_mover": "#fff3c9",
    "ink": "#2c2117",
    "muted": "#6d5c46",
    "accent": "#9a5b0c",
    "wall": "#cbb388",
    "wall_high": "#d6c19a",
    "mortar": "#b79e72",
    "wall_ink": "#3b2c1a",
    "niche": "#5b4630",
    "niche_deep": "#46341f",
    "niche_edge": "#a1875a",
    "ledge": "#e0cda6",
    "glow": "#dcc695",
    "glow_high": "#e6d2a4",
    "ghost": "#c3cad4",
    "spent": "#fbf5e7",
}

_DARK = {
    "page": "#15121c",
    "panel": "#221e2c",
    "panel_edge": "#3b3547",
    "panel_mover": "#3a3020",
    "ink": "#f3eadb",
    "muted": "#b3a899",
    "accent": "#f0b64c",
    "wall": "#2c2734",
    "wall_high": "#332d3c",
    "mortar": "#211d29",
    "wall_ink": "#e6dac6",
    "niche": "#14111a",
    "niche_deep": "#0c0a11",
    "niche_edge": "#4b4354",
    "ledge": "#413a4a",
    "glow": "#3c2f30",
    "glow_high": "#513b2d",
    "ghost": "#dfe5ee",
    "spent": "#221e2c",
}


def _tones() -> dict[str, str]:
    names = ("main", "shade", "light", "back", "back_edge", "back_main", "back_shade", "back_light")
    return {
        f"{kind}_{name}": colour for kind, tones in _TONES.items() for name, colour in zip(names, tones, strict=True)
    }


THEMES: dict[bool, dict[str, str]] = {dark: _CARDS | _tones() | own for dark, own in ((False, _LIGHT), (True, _DARK))}
"""The colours by their names, by whether the theme is the dark one."""

KIND_COLOURS = tuple(name.lower() for name in KIND_NAMES)
"""The prefix of the colour names of each type."""
