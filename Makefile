# Two targets are the whole set-up on a machine with Python (3.11 or newer), make and git:
#   make demo   see what fiberwalk does
#   make test   lint, type-check and run every test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PYTEST = $(BIN)/pytest --numprocesses auto --maxprocesses 4

.PHONY: demo test quick notebooks verify bench clean

demo: $(VENV)/installed
	$(BIN)/fiberwalk demo

test: $(VENV)/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PYTEST)

# The tests without the slow ones, for a fast look while working and for the other Pythons; TESTS= some files of them.
TESTS ?=
quick: $(VENV)/installed-for-tests
	$(PYTEST) -m "not slow" $(TESTS)

# Run all notebooks, and store what they show.
notebooks: $(VENV)/installed-for-tests
	$(BIN)/python notebooks/run.py

# At length: a thousand audits by chains against exact ones, and the property tests with twenty times as many random cases,
# new ones each time; with 4ti2, where it can be had.
verify: $(VENV)/installed-for-tests
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test,algebra]"
	$(BIN)/python bench/moves.py --hard-starts
	$(BIN)/python bench/calibration.py 1000
	FIBERWALK_EFFORT=20 $(PYTEST) \
		tests/test_against_brute_force.py tests/test_exact_solving.py tests/test_elimination.py \
		tests/test_network.py tests/test_linear_program.py tests/test_decomposable.py \
		tests/test_windows.py tests/test_diagnostics.py \
		tests/test_answers.py tests/test_joint.py tests/test_most_probable.py tests/test_priors.py tests/test_stored_audit.py \
		tests/test_moves.py tests/test_reach.py tests/test_lattice.py tests/test_graver.py tests/test_algebra.py \
		tests/test_hidden_path.py
	$(BIN)/python bench/hidden_paths.py calibration 240

bench: $(VENV)/installed-for-tests
	$(BIN)/python bench/exact_solving.py
	$(BIN)/python bench/bounds.py
	$(BIN)/python bench/moves.py
	$(BIN)/python bench/independent.py
	$(BIN)/python bench/chains.py
	$(BIN)/python bench/three_way_truth.py
	$(BIN)/python bench/stored_moves.py
	$(BIN)/python bench/hidden_cells.py
	$(BIN)/python bench/likelihood_gaps.py
	$(BIN)/python bench/hidden_paths.py times
	$(BIN)/python bench/hidden_paths.py effective
	$(BIN)/python bench/ru_map_picture.py
	$(BIN)/python bench/sample_tables.py
	$(BIN)/python bench/sample_tables.py further
	$(BIN)/python bench/flexible_tables.py
	$(BIN)/python bench/table_server.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/installed-for-tests: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@ $(VENV)/installed

clean:
	rm -rf .venv .venv-* build src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
