"""Files that users name: written whole or not at all, checked before hours of work, named in every error."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from crypt_env import CryptError
from crypt_env.files import check_writable, new_path, replace_file, write_text


def refuse_to_replace(patch, busy):
    """Have a file be one that is mounted by itself."""
    replace = Path.replace

    def fail(self, target):
        if Path(target) == busy:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), os.fspath(self), None, os.fspath(target))
        return replace(self, target)

    patch.setattr(Path, "replace", fail)


def test_a_file_that_is_mounted_by_itself_is_overwritten(tmp_path, monkeypatch):
    file = tmp_path / "report.json"
    file.write_text("old and longer")
    refuse_to_replace(monkeypatch, file)
    check_writable(file)
    write_text(file, "new")
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_name_that_is_too_long_to_be_written_is_refused_before_the_work(tmp_path):
    """The temporary name is longer."""
    for work in (check_writable, lambda path: write_text(path, "text")):
        with pytest.raises(CryptError, match=r"n{250} cannot be written: File name too long"):
            work(tmp_path / ("n" * 250))
    assert list(tmp_path.iterdir()) == []


def test_folders_are_made_when_the_file_is_written(tmp_path):
    file = tmp_path / "new" / "sub" / "x.json"
    check_writable(file)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError), new_path(file) as partial:
        shutil.copy(tmp_path / "missing", partial)
    assert list(tmp_path.iterdir()) == []
    write_text(file, "text")
    assert file.read_text() == "text"
    assert [path.name for path in file.parent.iterdir()] == ["x.json"]


@pytest.mark.skipif(os.name == "nt", reason="there are other permissions")
@pytest.mark.parametrize("mode", [0o600, 0o444, 0o664])
def test_the_permissions_of_a_file_stay(mode, tmp_path):
    file = tmp_path / "file"
    file.touch()
    file.chmod(mode)
    replace_file(file, b"new")
    assert (file.stat().st_mode & 0o777, file.read_bytes()) == (mode, b"new")


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    def fill(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(OSError, match=r"No space left on device: '.*file'$"):
        replace_file(file, b"new")
    with pytest.raises(CryptError, match=r"/file cannot be written: No space left on device$"):
        write_text(file, "new")
    with pytest.raises(CryptError, match=r"/file cannot be written: No space left on device$"), new_path(file):
        fill(0)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_an_error_about_another_file_stays_what_it_is(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"), new_path(tmp_path / "copy") as partial:
        shutil.copy(tmp_path / "missing", partial)
    assert list(tmp_path.iterdir()) == []
