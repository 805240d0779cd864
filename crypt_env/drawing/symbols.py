"""The artwork: every symbol as shapes in a box of 100 x 100, with tones instead of colours.

The tones are ``main``, ``shade``, ``light`` and, for parts with a fixed colour, names of a theme's colours. `tinted`
gives a symbol its colours; `symbols_json` exports everything for other programs.
"""

from __future__ import annotations

import json
from functools import cache

from .shapes import Circle, Path, Put, Rect, Shape, Sprite

BOX = 100
Symbol = tuple[Rect | Circle | Path, ...]

_IDOL: Symbol = (
    Path(
        "M50 6 C31 6 22 17 20 34 L10 80 Q10 86 16 86 L34 86 L34 94 L66 94 L66 86 L84 86 Q90 86 90 80 L80 34 "
        "C78 17 69 6 50 6 Z",
        "main",
    ),
    Path("M18 50 L31 47 M15 62 L31 59 M13 74 L32 71 M82 50 L69 47 M85 62 L69 59 M87 74 L68 71", "", "shade", 5),
    Path("M32 32 Q50 23 68 32 L67 56 Q64 70 50 74 Q36 70 33 56 Z", "light"),
    Path("M29 33 Q50 19 71 33 L70 40 Q50 28 30 40 Z", "shade"),
    Path("M36 48 Q42 42 47 48 Q42 51 36 48 Z M64 48 Q58 42 53 48 Q58 51 64 48 Z", "shade"),
    Path("M50 50 L48 58 L52 58 M43 65 Q50 68 57 65", "", "shade", 2.5),
    Path("M46 73 L54 73 L53 92 L47 92 Z", "shade"),
    Circle(50, 17, 5, "light"),
)

_JEWELRY: Symbol = (
    Circle(50, 66, 25, "", "shade", 10),
    Circle(50, 66, 25, "", "light", 3),
    Path("M30 8 L70 8 L86 25 L50 60 L14 25 Z", "main", "shade", 3),
    Path("M30 8 L36 25 L14 25 Z", "light"),
    Path("M36 25 L50 8 L64 25 Z", "light"),
    Path("M14 25 L86 25 M36 25 L50 60 L64 25 M30 8 L36 25 L50 8 L64 25 L70 8", "", "shade", 2.5),
)

_MANUSCRIPT: Symbol = (
    Rect(20, 16, 60, 70, "light", 0, "shade", 3),
    Rect(10, 8, 80, 15, "main", 7, "shade", 3),
    Rect(10, 78, 80, 15, "main", 7, "shade", 3),
    Circle(10, 15.5, 6, "shade"),
    Circle(90, 15.5, 6, "shade"),
    Circle(10, 85.5, 6, "shade"),
    Circle(90, 85.5, 6, "shade"),
    Rect(28, 32, 14, 14, "main"),
    Path("M48 34 L71 34 M48 44 L71 44 M29 54 L71 54 M29 63 L71 63 M29 71 L56 71", "", "shade", 3.5),
)

_POTTERY: Symbol = (
    Path("M41 20 C18 16 12 34 25 46", "", "shade", 6),
    Path("M59 20 C82 16 88 34 75 46", "", "shade", 6),
    Path(
        "M40 14 L60 14 L59 30 C82 36 86 58 72 72 C64 80 59 84 58 92 L42 92 C41 84 36 80 28 72 C14 58 18 36 41 30 Z",
        "main",
        "shade",
        3,
    ),
    Path("M20 47 Q50 54 80 47 Q80 56 76 65 Q50 72 24 65 Q20 56 20 47 Z", "light"),
    Path("M23 59 L31 53 L37 62 L44 55 L50 64 L56 55 L63 62 L69 53 L77 59", "", "shade", 3.5),
    Rect(34, 7, 32, 9, "shade", 4),
    Rect(35, 88, 30, 8, "shade", 3),
)

_REMAINS: Symbol = (
    Path(
        "M50 6 C23 6 10 24 12 45 C13 57 20 62 25 67 L27 84 Q28 92 36 92 L64 92 Q72 92 73 84 L75 67 "
        "C80 62 87 57 88 45 C90 24 77 6 50 6 Z",
        "light",
        "shade",
        3.5,
    ),
    Path("M26 22 Q34 12 46 11", "", "white", 5),
    Path("M22 46 Q22 36 33 36 Q44 36 43 48 Q41 58 32 57 Q23 56 22 46 Z", "shade"),
    Path("M78 46 Q78 36 67 36 Q56 36 57 48 Q59 58 68 57 Q77 56 78 46 Z", "shade"),
    Path("M50 55 L57 69 L43 69 Z", "shade"),
    Path("M41 79 L41 91 M50 78 L50 91 M59 79 L59 91", "", "shade", 3.5),
)

_TAPESTRY: Symbol = (
    Path(
        "M18 80 L18 93 M29 80 L29 93 M40 80 L40 93 M50 80 L50 93 M60 80 L60 93 M71 80 L71 93 M82 80 L82 93",
        "",
        "shade",
        4,
    ),
    Rect(14, 13, 72, 68, "main", 0, "shade", 3),
    Path("M14 24 L86 24 M14 70 L86 70", "", "light", 4),
    Path("M50 29 L72 47 L50 65 L28 47 Z", "light"),
    Path("M50 37 L62 47 L50 57 L38 47 Z", "shade"),
    Path("M18 36 L23 47 L18 58 M82 36 L77 47 L82 58", "", "light", 3.5),
    Rect(5, 6, 90, 9, "shade", 4),
)

_HANDLE: Symbol = (
    Path("M44 52 L56 52 L53 96 L47 96 Z", "wood"),
    Path("M34 42 L66 42 L61 56 L39 56 Z", "gold_dark"),
)

_TORCH: Symbol = (
    *_HANDLE,
    Path(
        "M50 2 C64 16 72 22 67 36 C64 43 58 45 50 45 C42 45 36 43 33 36 C29 24 40 20 41 10 C46 15 47 19 48 23 "
        "C52 17 52 9 50 2 Z",
        "flame",
    ),
    Path("M51 20 C57 28 59 32 57 38 Q55 43 50 43 Q45 43 43 38 C41 32 49 30 51 20 Z", "flame_light"),
)

_LIGHTS_OUT: Symbol = (
    Path("M44 52 L56 52 L53 96 L47 96 Z", "ash"),
    Path("M34 42 L66 42 L61 56 L39 56 Z", "ash"),
    Path("M50 37 C36 30 62 24 50 15 C42 9 52 5 56 3", "", "smoke", 5),
    Path("M60 36 C66 31 58 27 64 21", "", "smoke", 4),
)

_GHOST: Symbol = (
    Path(
        "M50 6 C27 6 18 23 18 44 L18 90 Q26 82 34 89 Q42 96 50 88 Q58 96 66 89 Q74 82 82 90 L82 44 C82 23 73 6 50 6 Z",
        "main",
        "shade",
        3,
    ),
    Circle(39, 41, 6.5, "shade"),
    Circle(61, 41, 6.5, "shade"),
    Path("M44 58 Q50 52 56 58 Q56 68 50 68 Q44 68 44 58 Z", "shade"),
)

_EYE: Symbol = (
    Path("M4 50 Q50 4 96 50 Q50 96 4 50 Z", "light", "shade", 6),
    Circle(50, 50, 19, "shade"),
    Circle(44, 44, 6, "light"),
)

_CROWN: Symbol = (
    Path("M8 24 L30 50 L50 14 L70 50 L92 24 L84 78 L16 78 Z", "main", "shade", 4),
    Rect(16, 80, 68, 10, "main", 3, "shade", 3),
    Circle(50, 64, 6, "light"),
    Circle(30, 66, 4, "light"),
    Circle(70, 66, 4, "light"),
)

_SERVANT: Symbol = (
    Circle(50, 31, 17, "main"),
    Path("M50 50 C64 50 74 62 77 86 L23 86 C26 62 36 50 50 50 Z", "main"),
)

_CROSS: Symbol = (Path("M28 28 L72 72 M72 28 L28 72", "", "main", 12),)

_FLIPPED: Symbol = (
    Path("M18 58 C18 26 64 16 78 46", "", "main", 10),
    Path("M90 30 L82 64 L54 46 Z", "main"),
    Rect(22, 70, 56, 18, "main", 5),
)

_BODIES: tuple[Symbol, ...] = (
    (Rect(6, 6, 88, 88, "main", 16, "shade", 5),),
    (Circle(50, 50, 46, "main", "shade", 5),),
    (Path("M50 1 L94 25 L94 75 L50 99 L6 75 L6 25 Z", "main", "shade", 5),),
    (Path("M8 5 L92 5 L92 62 Q88 82 50 98 Q12 82 8 62 Z", "main", "shade", 5),),
    (
        Path(
            "M50 3 C22 3 6 20 6 46 L6 95 L21 86 L35 95 L50 86 L65 95 L79 86 L94 95 L94 46 C94 20 78 3 50 3 Z",
            "main",
            "shade",
            5,
        ),
    ),
)
"""The dice of the four seats and of the Ghost."""

SYMBOLS: dict[str, Symbol] = {
    "idol": _IDOL,
    "jewelry": _JEWELRY,
    "manuscript": _MANUSCRIPT,
    "pottery": _POTTERY,
    "remains": _REMAINS,
    "tapestry": _TAPESTRY,
    "torch": _TORCH,
    "lights_out": _LIGHTS_OUT,
    "ghost": _GHOST,
    "eye": _EYE,
    "crown": _CROWN,
    "servant": _SERVANT,
    "cross": _CROSS,
    "flipped": _FLIPPED,
    **{f"die{owner}": body for owner, body in enumerate(_BODIES)},
}

PIPS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((50, 50),),
    ((30, 30), (70, 70)),
    ((28, 28), (50, 50), (72, 72)),
    ((31, 31), (69, 31), (31, 69), (69, 69)),
    ((30, 30), (70, 30), (50, 50), (30, 70), (70, 70)),
    ((32, 26), (68, 26), (32, 50), (68, 50), (32, 74), (68, 74)),
)
"""The positions of the pips on a die, for each result."""


@cache
def tinted(name: str, main: str, shade: str = "", light: str = "") -> Sprite:
    """Return a symbol in colours of a theme."""
    colours = {"main": main, "shade": shade or main, "light": light or main}
    return Sprite(BOX, BOX, tuple(_coloured(shape, colours) for shape in SYMBOLS[name]))


def _coloured(shape: Rect | Circle | Path, colours: dict[str, str]) -> Shape:
    """Return a shape with colours for its tones."""
    return shape._replace(fill=colours.get(shape.fill, shape.fill), stroke=colours.get(shape.stroke, shape.stroke))


def put_symbol(sprite: Sprite, x: float, y: float, size: float, title: str = "") -> Put:
    """Return a symbol centered on a point, with a given width."""
    return Put(sprite, x - size / 2, y - size / 2, size / sprite.width, title)


def symbols_json() -> str:
    """Return all symbols and pips as JSON: lists of shapes, each with its kind and what `shapes` says of it."""
    symbols = {
        name: [{"shape": type(shape).__name__.lower(), **shape._asdict()} for shape in symbol]
        for name, symbol in SYMBOLS.items()
    }
    return json.dumps({"format": "crypt-symbols/1", "box": BOX, "symbols": symbols, "pips": PIPS}, indent=1) + "\n"
