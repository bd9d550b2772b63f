# Two targets are the whole set-up on a machine with Python (3.11 or newer), make and git:
#   make demo   see what fiberwalk does
#   make test   lint, type-check and run every test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Workers begin with tests far apart, so that they seldom compile the same kernels at the same time.
TESTED = pytest --numprocesses auto --maxprocesses 4 --dist worksteal
PYTEST = $(BIN)/$(TESTED)
# Tests start many processes, which would translate every module anew where a shell forbids to keep what was translated.
export PYTHONDONTWRITEBYTECODE =
# The versions that are installed; build tools too, under whichever of the two names this pip reads.
CONSTRAINTS ?= constraints.txt
INSTALL = PIP_CONSTRAINT=$(CONSTRAINTS) PIP_BUILD_CONSTRAINT=$(CONSTRAINTS) PIP_DISABLE_PIP_VERSION_CHECK=1 \
	$(BIN)/python -m pip install --editable

# A command, and how long it took, whether it succeeds or not.
define stage
@echo '$(2)'; begin=$$(date +%s); $(2); status=$$?; \
	echo "[$(1): $$(($$(date +%s) - begin)) s]"; exit $$status
endef

.PHONY: demo demo-server test quick test-newest test-lowest constraints notebooks verify verify-long bench bench-quick bench-against studies clean

demo: $(VENV)/installed
	$(BIN)/fiberwalk demo

# Tables on request in a browser: open http://127.0.0.1:8000
demo-server: $(VENV)/installed-for-tests
	$(BIN)/fiberwalk serve --demo

test: $(VENV)/installed-for-tests
	$(call stage,lint,$(BIN)/ruff check .)
	$(call stage,format,$(BIN)/ruff format --check .)
	$(call stage,types,$(BIN)/mypy)
	$(call stage,tests,$(PYTEST))

# The tests without the slow ones, for a fast look while working and for the other Pythons; TESTS= some files of them.
TESTS ?=
quick: $(VENV)/installed-for-tests
	$(call stage,quick tests,$(PYTEST) -m "not slow" $(TESTS))

# The same tests with what pip would take today, and with the oldest version of everything that pyproject.toml allows. Style
# and types are looked at with the constraints alone: another NumPy describes its own types otherwise. What old packages say of
# the newer ones that they stand on is not about us.
test-newest:
	$(MAKE) .venv-newest/installed-for-tests VENV=.venv-newest CONSTRAINTS=/dev/null
	$(call stage,tests,.venv-newest/bin/$(TESTED))

test-lowest:
	@mkdir -p build
	$(PYTHON) .ci/lowest > build/lowest.txt
	$(MAKE) .venv-lowest/installed-for-tests VENV=.venv-lowest CONSTRAINTS=build/lowest.txt
	$(call stage,tests,.venv-lowest/bin/$(TESTED) -W ignore::DeprecationWarning)

# The newest versions that fit the oldest Python, for constraints.txt: run it there, and then all the tests.
constraints:
	$(MAKE) .venv-newest/installed-for-tests VENV=.venv-newest CONSTRAINTS=/dev/null
	.ci/pin .venv-newest/bin/python

# Run all notebooks, and store what they show.
notebooks: $(VENV)/installed-for-tests
	$(BIN)/python notebooks/run.py

# At length, an hour: the sampler against exact laws, stated errors against true ones, cases that are made to mislead chains,
# the hardest starting tables, and the property tests with many more random cases; with 4ti2, where it can be had. The report
# is in bench/results/.
verify: $(VENV)/installed-for-tests
	$(INSTALL) ".[test,algebra]"
	$(BIN)/python bench/verify.py --store

# Thousands of audits that are made to mislead chains, some hours. It may be stopped, and goes on where it was.
verify-long: $(VENV)/installed-for-tests
	$(BIN)/python bench/verification/adversaries/long.py --store

# The race against every peer, some half an hour: printed, and written to bench/results/ as race.md with its pictures. Peers
# that are not here are named and left out: R, 4ti2, and the extra `peers` for pytauargus.
bench: $(VENV)/installed-for-tests
	$(BIN)/python bench/race.py --store

# Has anything become slower? Under two minutes: ratios against the stored ones.
bench-quick: $(VENV)/installed-for-tests
	$(BIN)/python bench/race.py --quick --compare

# Is this tree slower than the commit REF=, and does it draw the same tables? Both by turns, some six minutes; CONTESTS= some
# words of their names, OPTIONS= such as --draws-may-differ. CONTESTS=waiting is the time to answer, an hour and a half.
bench-against: $(VENV)/installed-for-tests
ifneq (,$(filter waiting,$(CONTESTS)))
	$(BIN)/python bench/waiting $(filter-out waiting,$(CONTESTS)) --against $(REF) $(OPTIONS)
else
	$(BIN)/python bench/against.py $(REF) $(if $(REF),$(CONTESTS)) $(OPTIONS)
endif

# The studies that the README and the notebooks quote, and their pictures.
studies: $(VENV)/installed-for-tests
	$(BIN)/python bench/studies/likelihood_gaps.py
	$(BIN)/python bench/studies/tables_by_chance.py
	$(BIN)/python bench/studies/hidden_paths.py times
	$(BIN)/python bench/studies/hidden_paths.py effective
	$(BIN)/python bench/studies/ru_map_picture.py
	$(BIN)/python bench/studies/sample_tables.py
	$(BIN)/python bench/studies/sample_tables.py further
	$(BIN)/python bench/studies/offered_tables.py
	$(BIN)/python bench/studies/flexible_tables.py
	$(BIN)/python bench/studies/protected_risk.py
	$(BIN)/python bench/studies/table_server.py
	$(BIN)/python bench/attacks --store
	$(BIN)/python bench/studies/algorithm_known.py --store
	$(BIN)/python bench/studies/large_suppression.py --seconds 2400 --store
	$(BIN)/python bench/studies/town.py calibration --towns 300 --store
	$(BIN)/python bench/studies/town.py realistic --blocks 5 --store
	$(BIN)/python bench/studies/town.py realistic --blocks 50 --store
	$(BIN)/python bench/studies/town.py protected --blocks 2 --seconds 120 --store
	$(BIN)/python bench/studies/town.py growth --store
	$(BIN)/python bench/papers --store

# A Python that will not do is refused in a sentence, before anything is made.
$(VENV)/made:
	@command -v "$(PYTHON)" >/dev/null || { echo "There is no $(PYTHON) here: install Python 3.11 or newer, or name one: make PYTHON=python3.12 ..."; exit 1; }
	@"$(PYTHON)" .ci/check_python.py
	@rm -rf $(VENV)
	"$(PYTHON)" -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml constraints.txt
	@echo "Installing fiberwalk and what it needs into $(VENV): some 150 MB the first time, a minute or two."
	$(INSTALL) .
	@touch $@

$(VENV)/installed-for-tests: $(VENV)/made pyproject.toml constraints.txt
	@echo "Installing fiberwalk and what its tests need into $(VENV): some 250 MB the first time, a minute or two."
	$(INSTALL) ".[test]"
	@touch $@ $(VENV)/installed

clean:
	rm -rf .venv .venv-* build src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
