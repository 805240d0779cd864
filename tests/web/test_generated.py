"""The generated files of the page match their sources."""

from __future__ import annotations

import re

import pytest

from crypt_env.web.packed import FOLDER

pytest.importorskip("markdown_it", reason="markdown-it-py is not installed; get it with: pip install markdown-it-py")

from tools.web_page import FILES


@pytest.mark.parametrize("name", FILES)
def test_a_generated_file_is_that_of_its_source(name):
    made = FILES[name]()
    assert (FOLDER / name).read_text(encoding="utf-8") == made, "make it again with: python -m tools.web_page"


def test_rules_have_neither_labels_nor_links_that_lead_away():
    rules = FILES["rules.html"]()
    assert not re.search(r"\[\d\.", rules)
    assert "&lt;" not in rules  # a tag that would be read as text
    ids = set(re.findall(r'id="([^"]*)"', rules))
    assert set(re.findall(r'href="#([^"]*)"', rules)) <= ids
    assert 'href="' not in re.sub(r'href="#', "", rules)
