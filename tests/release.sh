#!/usr/bin/env bash
# Builds what is uploaded for a release into dist/, and checks it. Nothing is uploaded.
#   DRAFT=1 bash tests/release.sh      also from a tree with changes, and without an entry in the changelog
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$PWD/.venv/bin/python

version=$("$python" -c 'import crypt_env; print(crypt_env.__version__)')
if [ -z "${DRAFT:-}" ]; then
  [ -z "$(git status --porcelain)" ] || { echo "the tree has changes; commit them first, or say DRAFT=1" >&2; exit 1; }
  grep -q "^## \[$version\] - 20[0-9][0-9]-" CHANGELOG.md ||
    { echo "CHANGELOG.md has no entry '## [$version] - YYYY-MM-DD'; write it first, or say DRAFT=1" >&2; exit 1; }
fi

echo "Building crypt-env $version ..."
rm -rf dist
"$python" -m build --outdir dist . >/dev/null # the sdist, and from it the wheel

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install -qq twine
"$work/tools/bin/python" -m twine check --strict dist/*
mkdir "$work/sdist"
tar -xzf dist/*.tar.gz -C "$work/sdist" --strip-components=1
without=(':!benchmarks/results/crypt-64/**.gz' ':!benchmarks/results/crypt-64/**.safetensors')
git ls-files crypt_env training tools configs examples benchmarks docs tests "${without[@]}" |
  while read -r file; do
    [ -e "$work/sdist/$file" ] || { echo "the sdist lacks $file" >&2; exit 1; }
  done

echo "Testing the sdist: the quick tests against a wheel that is built from it ..."
PYTHON=$python bash "$work/sdist/tests/wheel.sh"

echo "Ready in dist/:"
(cd dist && sha256sum ./*)
