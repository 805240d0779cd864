#!/usr/bin/env bash
# Tests the wheel with the oldest and the newest versions of what it needs, on every Python that is found.
#   PYTHONS="python3.10 python3.13" RESOLUTIONS="oldest newest" bash tests/matrix.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
results=()
failed=0
for python in ${PYTHONS:-python3.10 python3.11 python3.12 python3.13}; do
  command -v "$python" >/dev/null && "$python" -c "" 2>/dev/null || { results+=("$python: not found"); continue; }
  for resolution in ${RESOLUTIONS:-oldest newest}; do
    echo "== $("$python" -V), $resolution versions"
    if BUILDER="$python" RESOLUTION="$resolution" bash tests/wheel.sh; then
      results+=("$python, $resolution: passed")
    else
      results+=("$python, $resolution: FAILED")
      failed=1
    fi
  done
done
printf '%s\n' "${results[@]}"
exit $failed
