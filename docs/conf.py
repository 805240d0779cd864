"""Settings of the documentation site: ``make docs`` builds it into ``build/site``."""

from __future__ import annotations

import re
from importlib.metadata import version as version_of
from pathlib import Path

from jupyter_client import KernelManager
from sphinx.application import Sphinx

from crypt_env.agents.network_names import shipped_networks
from crypt_env.files import write_text
from crypt_env.web.packed import game_page

DOCS = Path(__file__).parent
ROOT = DOCS.parent

project = "Crypt"
author = "The Crypt authors"
copyright = "The Crypt authors"
release = version = version_of("crypt-env")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["generate.py"]
default_role = "code"

html_theme = "furo"
html_title = "Crypt"
html_extra_path = ["_extra"]
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "monokai"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["ref.python"]  # names in docstrings that several classes have

nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
if hasattr(KernelManager, "transport_encryption"):  # since jupyter-client 8.10; without it each notebook warns
    KernelManager.transport_encryption.default_value = "auto"

napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": True}


PROJECT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
"""Pages at the top of the source tree that belong to the site as well."""


def gather(app: Sphinx, config: object) -> None:
    """Bring in what other rooms hold: the page to play on, notebooks among the examples, pages of the project."""
    write_text(_folder("_extra") / "crypt.html", game_page(shipped_networks()))
    for notebook in (ROOT / "examples").glob("*.ipynb"):
        text = notebook.read_text(encoding="utf-8")
        write_text(_folder("_notebooks") / notebook.name, text.replace("../benchmarks/", "../../benchmarks/"))
    for name in PROJECT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r"\]\((?=[a-zA-Z])(?!https?:)", "](../../", text)
        write_text(_folder("_project") / name, text.replace("](../../docs/", "](../"))


def _folder(name: str) -> Path:
    """Return a folder of this one, made if necessary."""
    folder = DOCS / name
    folder.mkdir(exist_ok=True)
    return folder


def point_here(app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to notebooks and to the project's pages lead to their copies on the site."""
    for name in PROJECT_PAGES:
        source[0] = source[0].replace(f"](../{name}", f"](_project/{name}")
    source[0] = re.sub(r"\]\(\.\./examples/(\w+\.ipynb)", r"](_notebooks/\1", source[0])


def setup(app: Sphinx) -> None:
    """Gather files before anything is read."""
    app.connect("config-inited", gather)
    app.connect("source-read", point_here)
