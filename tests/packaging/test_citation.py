"""CITATION.cff has the version of the package, the year of the README's entry, and a date once this version is out."""

import re
from pathlib import Path

import pytest

import crypt_env

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not (ROOT / "CITATION.cff").is_file(), reason="away from the sources")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def known(key):
    """Return what stands after a key, wherever it occurs."""
    return set(re.findall(rf'^ *{key}: "?([^"\n]+)"?$', text("CITATION.cff"), re.MULTILINE))


def test_the_version_is_that_of_the_package():
    assert known("version") == {crypt_env.__version__}


def test_the_year_is_that_of_the_readme():
    assert known("year") == set(re.findall(r"^  year += \{(\d+)\},$", text("README.md"), re.MULTILINE))


def test_a_released_version_has_its_date():
    version = re.escape(crypt_env.__version__)
    released = re.findall(rf"^## \[{version}\] - ([\d-]+)$", text("CHANGELOG.md"), re.MULTILINE)
    assert known("date-released") == set(released)
