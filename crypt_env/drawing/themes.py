"""The colours, by name: both themes draw the same shapes. They are in artwork.json, as the symbols are.

The owners' colours follow the colour-blind-safe palette of Okabe and Ito, a little darker under white pips. Owners
also differ in the shape of their dice.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crypt_env.rules.cards import KIND_NAMES

GHOST = 4
"""The number of the Ghost among the owners; before it come those of the four seats."""

ARTWORK: dict[str, Any] = json.loads(Path(__file__).with_name("artwork.json").read_text(encoding="utf-8"))
"""Symbols, positions of pips, and colours."""

_TYPES = {f"{kind}_{tone}": colour for kind, tones in ARTWORK["types"].items() for tone, colour in tones.items()}

THEMES: dict[bool, dict[str, str]] = {
    is_dark: ARTWORK["both_themes"] | _TYPES | ARTWORK[name] for is_dark, name in ((False, "light"), (True, "dark"))
}
"""The colours by their names, by whether the theme is the dark one."""

KIND_COLOURS = tuple(name.lower() for name in KIND_NAMES)
"""The prefix of the colour names of each type."""
