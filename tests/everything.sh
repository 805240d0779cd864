#!/usr/bin/env bash
# What `make test` runs. The wheel is built and installed while one core checks types, and is tested at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
set -m # a process group, so that nothing of it is left if this ends early
bash tests/wheel.sh prepare "$work" &
preparing=$!
set +m
trap 'kill -- "-$preparing" 2>/dev/null || true; rm -rf "$work"' EXIT

make --no-print-directory lint types tests
wait "$preparing"
# What an installed package can break: its commands, the files that it brings, the interfaces to other libraries.
bash tests/wheel.sh run "$work" tests/{packaging,cli,envs,agents,benchmark,drawing,web}
