#!/usr/bin/env bash
# Builds the wheel, installs it into a new environment and runs the quick tests against it, away from the sources.
# 'wheel.sh prepare FOLDER' and 'wheel.sh run FOLDER [TESTS ...]' are its two halves; without arguments one follows the
# other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-.venv/bin/python}
unset PYTHONPATH NUMBA_CACHE_DIR
export PIP_DISABLE_PIP_VERSION_CHECK=1

if [ $# = 0 ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
else
  work=$2
fi

prepare() {
  echo "Building the wheel and installing it elsewhere ..."
  "$python" -m build --wheel --outdir "$work/dist" . >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  "${BUILDER:-$python}" -m venv "$work/env"
  tools=(pytest pytest-xdist hypothesis pillow playwright markdown-it-py packaging)
  case ${RESOLUTION:-pinned} in
    pinned)
      # The newest Gymnasium here: constraints.txt has the one that RLlib asks for.
      sed 's/^gymnasium==.*/gymnasium==1.4.0/' constraints.txt >"$work/constraints.txt"
      "$work/env/bin/python" -m pip install -qq -c "$work/constraints.txt" "$work"/dist/*.whl "${tools[@]}" \
        jax array-api-compat pygame opencv-python-headless moviepy ;;
    oldest | newest)
      "$work/env/bin/python" -m pip install -qq uv
      [ "$RESOLUTION" = oldest ] && which=lowest-direct || which=highest
      # The requirements of the wheel are named here, because only what is named is installed in its oldest version.
      "$python" -c 'import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode())' "$work"/dist/*.whl |
        sed -n '/extra ==/!s/^Requires-Dist: //p' >"$work/requirements.txt"
      VIRTUAL_ENV="$work/env" "$work/env/bin/uv" pip install -q --resolution "$which" -r "$work/requirements.txt" \
        "$work"/dist/*.whl
      VIRTUAL_ENV="$work/env" "$work/env/bin/uv" pip install -q "${tools[@]}" ;;
    *) echo "RESOLUTION=$RESOLUTION is not known; allowed are pinned, oldest, newest" >&2; exit 2 ;;
  esac
}

run() {
  "$work/env/bin/python" -m pip list --format=freeze 2>/dev/null |
    grep -iE '^(numpy|numba|gymnasium|pettingzoo|safetensors|platformdirs|rich|threadpoolctl)=='

  mkdir "$work/away"
  cp -r tests tools docs examples benchmarks pyproject.toml README.md Makefile "$work/away"
  cd "$work/away"
  PYTHONPATH=tests "$work/env/bin/python" - "$work"/dist/*.whl <<'PY'
import sys
import sysconfig
import zipfile
from pathlib import Path

import crypt_env

package = Path(crypt_env.__file__).resolve().parent
if package.parent != Path(sysconfig.get_path("purelib")).resolve():
    sys.exit(f"crypt_env was imported from {package}, not from the installed wheel")
if not (package / "py.typed").is_file():
    sys.exit("the wheel lacks crypt_env/py.typed")
rooms = {name.split("/")[0] for name in zipfile.ZipFile(sys.argv[1]).namelist()}
strangers = {room for room in rooms if room != "crypt_env" and not room.endswith(".dist-info")}
if strangers:
    sys.exit(f"the wheel holds more than crypt_env: {sorted(strangers)}")
PY
  test -x "$work/env/bin/crypt" || { echo "the wheel installs no command 'crypt'" >&2; exit 1; }
  "$work/env/bin/crypt" warm >/dev/null  # else both processes of the tests compile everything
  "$work/env/bin/python" -m pytest -q -n 2 -m "not slow" "$@"
}

case "${1:-both}" in
  prepare) prepare ;;
  run) run "${@:3}" ;;
  both)
    prepare
    run ;;
  *) echo "'$1' is not known; allowed are prepare, run" >&2; exit 2 ;;
esac
