# Three commands matter: `make play`, `make demo` and `make test`. Each sets up what it needs, in .venv, and compiles the games for this machine, once.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: play demo test test-long test-faults test-plain lint wheel clean
COMPILED := src/ludus/kernel/compiled
.DELETE_ON_ERROR:

play: .venv/installed
	$(BIN)/ludus serve

demo: .venv/installed
	$(BIN)/ludus demo

test: .venv/installed-dev lint
	$(BIN)/python tools/browser.py
	$(BIN)/pytest -n 2 --dist loadfile
	@$(MAKE) --no-print-directory test-plain

# The rules and the arithmetic again, without compilation.
test-plain: .venv/installed-dev
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --dist loadfile tests/test_backgammon_rules.py tests/test_network.py tests/test_kernel.py tests/test_conformance.py tests/test_learning.py tests/test_q.py tests/test_ludo_rules.py tests/test_ludo_notation.py tests/test_ludo_tabular.py tests/test_gdl_machine.py tests/test_quoridor_rules.py tests/test_quoridor_context.py tests/test_quoridor_features.py tests/test_alphabeta.py tests/test_moves_at_once.py tests/test_golden.py tests/test_lanes.py

test-long: .venv/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[ray]'
	$(BIN)/pytest -n 2 -m long

# Kills, damaged files, odd texts and command lines: about half an hour.
test-faults: .venv/installed-dev
	$(BIN)/python tools/faults.py

# A wheel for this kind of machine, with the compiled code in it.
wheel: .venv/installed-dev
	$(BIN)/python tools/wheel.py

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'ludus needs Python 3.11 or newer; try make PYTHON=python3.11'; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@echo 'Compiling the games for this machine: about a minute, once.'
	LUDUS_CACHE_DIR=$(COMPILED) $(BIN)/ludus warmup
	@touch $@

.venv/installed-dev: .venv/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[peers,dev]'
	@touch $@

clean:
	rm -rf $(COMPILED) .venv build dist runs reports .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
