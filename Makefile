# Everything runs in .venv, which is made when it is first needed: .ready has what training needs, .complete all.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
SOURCES := crypt_env $(wildcard training tools benchmarks/*.py benchmarks/shared)
FUZZ_SECONDS ?= 3600

# Tests use all cores by processes; numpy's own threads would only wait for each other.
test tests check wheel-test matrix: export OPENBLAS_NUM_THREADS ?= 1
# Nothing may be skipped for want of a library; the wheel is tested without the extras.
tests check: export CRYPT_TESTS := all

.NOTPARALLEL:
.PHONY: help train test lint types tests check wheel-test matrix extras release docs fuzz bench benchmarks format clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

train: .venv/.ready  ## train a network for the Only Child in two to five minutes
	@$(BIN)/python -m training.train configs/quick.yaml --overwrite

test: .venv/.complete  ## everything that must hold: lint, types, all tests, the wheel
	@bash tests/everything.sh

lint: .venv/.complete  ## ruff: rules and format
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --diff .

types: .venv/.complete  ## strict mypy
	@$(BIN)/mypy --no-error-summary $(SOURCES)

tests: .venv/.complete  ## all tests
	@$(BIN)/python -m pytest -q -n 2 -rs

check: .venv/.complete  ## the quick tests
	@$(BIN)/python -m pytest -q -n 2 -m "not slow"

wheel-test: .venv/.complete  ## the quick tests against the installed wheel
	@PYTHON=$(BIN)/python bash tests/wheel.sh

matrix: .venv/.complete  ## the quick tests with the oldest and the newest versions of everything, on every Python here
	@PYTHON=$(BIN)/python bash tests/matrix.sh

extras:  ## each extra alone, newly installed and used once (PYTHONS=python3.12 EXTRAS="draw wandb")
	@bash tests/extras.sh

release: .venv/.complete  ## build what is uploaded into dist/, and check it (DRAFT=1: before the changelog is written)
	@bash tests/release.sh

docs: .venv/.complete  ## the documentation site, into build/site; a warning is an error
	@$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site

fuzz: .venv/.complete  ## give damaged inputs to all parsers for an hour (FUZZ_SECONDS=600 for ten minutes)
	@PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ)

bench: .venv/.ready  ## measure the speed of the environment
	@$(BIN)/python -m crypt_env bench

benchmarks: .venv/.complete  ## measure beside other projects for three quarters of an hour, and update the README
	@$(BIN)/python benchmarks/peers.py --rounds 5 --json benchmarks/results/peers.json --plot docs/pictures/peers.png
	@$(BIN)/python benchmarks/time_to_strength.py --json benchmarks/results/time-to-strength.json
	@$(BIN)/python benchmarks/cold_start.py
	@$(BIN)/python -m tools.measured

format: .venv/.complete  ## fix what ruff can fix by itself
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

clean:  ## remove everything that was made here
	@rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .fuzz
	@find . -name .git -prune -o -name __pycache__ -prune -exec rm -rf {} +

.venv/.ready: pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null || { echo "Crypt needs Python 3.10 or newer, and there is no '$(PYTHON)'. Name another: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Crypt needs Python 3.10 or newer, and '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1). Name another: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing into .venv ..."
	@"$(PYTHON)" -m venv --clear .venv
	@$(INSTALL) -e '.[train]'
	@touch $@

.venv/.complete: .venv/.ready
	@echo "Installing what the tests need ..."
	@$(INSTALL) -e '.[test,train,openspiel,ray,datasets,docs,neighbours]'
	@touch $@
