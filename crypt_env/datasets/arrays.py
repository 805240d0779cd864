"""Decisions as files of arrays: npz for numpy, Parquet for everything else."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np

from crypt_env.errors import CryptError, install_hint, quoted
from crypt_env.files import PathText, new_path
from crypt_env.notation.record import FORMAT
from crypt_env.rules.observe import LAYOUT_VERSION

from .reading import DecisionReader
from .replaying import DecisionArrays, empty_arrays

ABOUT = "about"
"""The name of what the files say about themselves, as JSON."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of all entries of an archive: the same decisions make the same file."""


def write_arrays(reader: DecisionReader, path: PathText) -> None:
    """Write all decisions to a file, npz or Parquet by its ending. Memory does not grow with their number.

    The file has the arrays of `DecisionArrays` by their names.

    Raises:
        CryptError: the ending is unknown, the file cannot be written, or a record is wrong; then there is no new file.
    """
    write = writer_for(path)
    with new_path(path) as partial:
        write(reader, partial)


def writer_for(path: PathText) -> Callable[[DecisionReader, Path], None]:
    """Return what writes files with this ending."""
    writers = {".npz": _write_npz, ".parquet": _write_parquet}
    ending = Path(path).suffix
    if ending not in writers:
        raise CryptError(f"{quoted(str(path))} cannot be written; allowed are names that end in .npz or .parquet")
    return writers[ending]


def about(reader: DecisionReader) -> str:
    """Return what the decisions are, as JSON."""
    facts: dict[str, Any] = {"source": FORMAT, "layout": LAYOUT_VERSION}
    for name in ("reward", "dense", "discount", "agent", "seat", "winners"):
        facts[name] = getattr(reader, name)
    return json.dumps(facts)


# -- npz --------------------------------------------------------------------------------------------------------------


def _write_npz(reader: DecisionReader, path: Path) -> None:
    """Write an npz file. It needs the length of an array before its content, so that goes to temporary files first."""
    empty = empty_arrays(0)._asdict()
    with ExitStack() as stack:
        files = {name: stack.enter_context(tempfile.TemporaryFile(dir=path.parent)) for name in empty}
        for decisions in reader:
            for name, array in decisions._asdict().items():
                files[name].write(np.ascontiguousarray(array).data)
        with zipfile.ZipFile(path, "w") as archive:
            for name, file in files.items():
                file.seek(0)
                _add(archive, name, (reader.decisions, *empty[name].shape[1:]), empty[name].dtype, file)
            _add_text(archive, about(reader))


def _add(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], content: IO[bytes]) -> None:
    """Add an array to an archive."""
    with archive.open(_entry(name), "w", force_zip64=True) as member:
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(member, header)
        shutil.copyfileobj(content, member, 2**20)


def _add_text(archive: zipfile.ZipFile, text: str) -> None:
    """Add the facts about the file."""
    with archive.open(_entry(ABOUT), "w") as member:
        np.lib.format.write_array(member, np.array(text))


def _entry(name: str) -> zipfile.ZipInfo:
    """Return the entry of an array in an archive."""
    entry = zipfile.ZipInfo(f"{name}.npy", _EARLIEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


# -- Parquet ----------------------------------------------------------------------------------------------------------


def _write_parquet(reader: DecisionReader, path: Path) -> None:
    """Write a Parquet file, one row group for each part."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise CryptError(f"Parquet files need pyarrow; {install_hint('datasets')}") from error
    writer = None
    try:
        for decisions in reader:
            table = _table(pa, decisions).replace_schema_metadata({ABOUT: about(reader)})
            if writer is None:
                writer = pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _table(pa: Any, decisions: DecisionArrays) -> Any:
    """Return decisions as a table; a row of an array with two dimensions becomes a list of fixed size."""
    columns = {}
    for name, array in decisions._asdict().items():
        flat = pa.array(array.reshape(-1))
        columns[name] = flat if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, array.shape[1])
    return pa.table(columns)
