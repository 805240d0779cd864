"""Colours: owners are distinguishable with all kinds of color vision, and by shape; words have enough contrast."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from crypt_env.drawing.symbols import SYMBOLS
from crypt_env.drawing.themes import GHOST, KIND_COLOURS, THEMES

# Linear red, green and blue as seen without one kind of cone: Machado, Oliveira and Fernandes, 2009.
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    """Return a colour as linear red, green and blue."""
    values = np.frombuffer(bytes.fromhex(colour[1:]), np.uint8) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return linear red, green and blue as CIE L*a*b*."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, two: str) -> float:
    """Return the contrast of two colours as the guidelines for accessible pages define it."""
    low, high = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, two))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("eyes", EYES)
def test_owners_differ_to_all_eyes(eyes: str) -> None:
    seen = [lab(EYES[eyes] @ linear(THEMES[False][f"owner{owner}"])) for owner in range(GHOST + 1)]
    for one, two in [*combinations(seen[:GHOST], 2), (seen[0], seen[GHOST])]:  # the Ghost sits with seat 0 alone
        assert np.linalg.norm(one - two) > 18


def test_owners_differ_in_shape() -> None:
    assert len({SYMBOLS[f"die{owner}"] for owner in range(GHOST + 1)}) == GHOST + 1


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out(dark: bool) -> None:
    colours = THEMES[dark]
    pairs = [("ink", "panel"), ("ink", "page"), ("ink", "panel_mover"), ("wall_ink", "ledge"), ("face_ink", "face")]
    pairs += [(f"{kind}_back_light", f"{kind}_back") for kind in KIND_COLOURS]
    pairs += [("muted", "panel"), ("muted", "page"), ("panel", "accent"), ("face_ink", "gold")]
    for ink, ground in pairs:
        assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for kind in KIND_COLOURS:
        assert contrast(colours["face"], colours[f"{kind}_main"]) >= 3, kind


@pytest.mark.parametrize("owner", range(GHOST + 1))
def test_pips_stand_out(owner: int) -> None:
    assert contrast(THEMES[False][f"owner{owner}"], THEMES[False][f"owner{owner}_pip"]) >= 3.8
