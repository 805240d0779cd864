#!/usr/bin/env bash
# Tests the wheel with the oldest and the newest versions of what it needs, on every Python that is found.
#   PYTHONS="python3.10 python3.13" RESOLUTIONS="oldest newest" bash tests/matrix.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
results=()
failed=0

found() { # name: the interpreter of that name on the path, or among those of pyenv
  local each
  for each in "$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$1"; do
    command -v "$each" >/dev/null && "$each" -c "" 2>/dev/null && { echo "$each"; return; }
  done
  return 1
}

for name in ${PYTHONS:-python3.10 python3.11 python3.12 python3.13}; do
  python=$(found "$name") || { results+=("$name: not found"); continue; }
  for resolution in ${RESOLUTIONS:-oldest newest}; do
    echo "== $("$python" -V), $resolution versions"
    if BUILDER="$python" RESOLUTION="$resolution" bash tests/wheel.sh; then
      results+=("$name, $resolution: passed")
    else
      results+=("$name, $resolution: FAILED")
      failed=1
    fi
  done
done
printf '%s\n' "${results[@]}"
exit $failed
