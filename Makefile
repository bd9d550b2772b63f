# Two targets are the whole set-up on a machine with Python (3.11 or newer), make and git:
#   make demo   see what fiberwalk does
#   make test   lint, type-check and run every test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PYTEST = $(BIN)/pytest --numprocesses auto --maxprocesses 4

# A command, and how long it took, whether it succeeds or not.
define stage
@echo '$(2)'; begin=$$(date +%s); $(2); status=$$?; \
	echo "[$(1): $$(($$(date +%s) - begin)) s]"; exit $$status
endef

.PHONY: demo test quick notebooks verify bench bench-quick bench-against studies clean

demo: $(VENV)/installed
	$(BIN)/fiberwalk demo

test: $(VENV)/installed-for-tests
	$(call stage,lint,$(BIN)/ruff check .)
	$(call stage,format,$(BIN)/ruff format --check .)
	$(call stage,types,$(BIN)/mypy)
	$(call stage,tests,$(PYTEST))

# The tests without the slow ones, for a fast look while working and for the other Pythons; TESTS= some files of them.
TESTS ?=
quick: $(VENV)/installed-for-tests
	$(call stage,quick tests,$(PYTEST) -m "not slow" $(TESTS))

# Run all notebooks, and store what they show.
notebooks: $(VENV)/installed-for-tests
	$(BIN)/python notebooks/run.py

# At length, half an hour: the sampler against exact laws, stated errors against true ones, the hardest starting tables,
# and the property tests with many more random cases; with 4ti2, where it can be had. The report is in bench/results/.
verify: $(VENV)/installed-for-tests
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test,algebra]"
	$(BIN)/python bench/verify.py --store

# The race against every peer, some half an hour: printed, and written to bench/results/ as race.md with its pictures. Peers
# that are not here are named and left out: R, 4ti2, and the extra `peers` for pytauargus.
bench: $(VENV)/installed-for-tests
	$(BIN)/python bench/race.py --store

# Has anything become slower? Under two minutes: ratios against the stored ones.
bench-quick: $(VENV)/installed-for-tests
	$(BIN)/python bench/race.py --quick --compare

# Is this tree slower than the commit REF=, and does it draw the same tables? Both by turns, some six minutes; CONTESTS= some
# words of their names, OPTIONS= such as --draws-may-differ.
bench-against: $(VENV)/installed-for-tests
	$(BIN)/python bench/against.py $(REF) $(if $(REF),$(CONTESTS)) $(OPTIONS)

# The studies that the README and the notebooks quote, and their pictures.
studies: $(VENV)/installed-for-tests
	$(BIN)/python bench/studies/likelihood_gaps.py
	$(BIN)/python bench/studies/hidden_paths.py times
	$(BIN)/python bench/studies/hidden_paths.py effective
	$(BIN)/python bench/studies/ru_map_picture.py
	$(BIN)/python bench/studies/sample_tables.py
	$(BIN)/python bench/studies/sample_tables.py further
	$(BIN)/python bench/studies/flexible_tables.py
	$(BIN)/python bench/studies/table_server.py

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
