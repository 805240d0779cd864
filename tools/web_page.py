"""Write the generated files of the page: art.json from the drawings, rules.html from docs/rules.md.

python -m tools.web_page
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from markdown_it import MarkdownIt

from crypt_env.drawing.symbols import symbols_json
from crypt_env.drawing.themes import THEMES
from crypt_env.drawing.words import COLLECTORS
from crypt_env.files import replace_file

REPOSITORY = Path(__file__).resolve().parent.parent
WEB = REPOSITORY / "crypt_env" / "web"
DIE_EDGE = {False: "#2c2117", True: "#0c0a11"}
_LAST = "## 10. The rulebooks"
_ABOUT = re.compile(r"\*\*(?:Labels|Rulebooks)\.\*\*.*?\n\n| Section 10 lists.*?differ\.", re.DOTALL)
"""What the page of the rules says about itself."""
_ANCHOR = re.compile(r'\s*<a id="[^"]*"></a><sub>\[[^\]]*\]</sub>')
_LABEL = re.compile(r" ?\[(?:\d\.[\w.-]+(?:, )?)+\](?!\()")


def art() -> str:
    """Return the symbols, the colors of both themes and what the Collectors do, as JSON."""
    drawn = json.loads(symbols_json())
    colours = {name: {**THEMES[dark], "die_edge": DIE_EDGE[dark]} for name, dark in (("light", False), ("dark", True))}
    collectors = [[" ".join(lines) for lines in sides] for sides in COLLECTORS]
    return json.dumps({**drawn, **colours, "collectors": collectors}, separators=(",", ":")) + "\n"


def rules() -> str:
    """Return the rules as an HTML fragment, without the labels of their sentences and the chapter on rulebooks."""
    text = (REPOSITORY / "docs" / "rules.md").read_text(encoding="utf-8").split(_LAST)[0]
    for dropped in (_ABOUT, _ANCHOR, _LABEL):
        text = dropped.sub("", text)
    page = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    page = re.sub(r"<h(\d)>(.*?)</h\1>", _heading, page)
    return re.sub(r'<a href="(?!#)[^"]*">(.*?)</a>', r"\1", page)


def _heading(found: re.Match[str]) -> str:
    """Return a heading with an id for links within the page, one level lower than in the docs."""
    level, words = int(found[1]), found[2]
    slug = re.sub(r"[^\w -]", "", re.sub(r"<[^>]+>", "", words).lower()).replace(" ", "-")
    return f'<h{level + 1} id="{slug}">{words}</h{level + 1}>'


FILES = {"art.json": art, "rules.html": rules}
"""The generated files, by what makes their content."""


def main() -> None:
    """Write the files."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    for name, content in FILES.items():
        replace_file(WEB / name, content().encode())


if __name__ == "__main__":
    main()
