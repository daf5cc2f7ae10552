# Croupier's house keys. `make help` lists the targets; each one installs first what it needs.

MAKEFLAGS += --no-print-directory
unexport PYTHONDONTWRITEBYTECODE  # tests start many short-lived processes: what they import is compiled once
SHELL     := bash
PYTHON    ?= python3
BIN       := .venv/bin
UV        := .venv-tools/bin/uv
MEMBERS   := clients/python service tournament
MANIFESTS := $(MEMBERS:%=%/pyproject.toml)

READY       := .venv/.ready
PROTO_READY := .venv-proto/.ready

.DEFAULT_GOAL := help
.PHONY: help install demo test test-clients test-ops test-web chaos check format bench bench-clients golden dashboards proto
.PHONY: proto-baseline lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)  ## play a small tournament on this machine: `make demo ARGS="--help"`
	@$(BIN)/croupier demo $(ARGS)

test: $(READY)  ## run every test: `make test ARGS="-k clock"`
	@$(BIN)/pytest -n auto $(ARGS)

test-web: $(READY)  ## look at the pages in Chromium; `make test-web SCREENSHOTS=1` takes those of docs/images anew
	@CROUPIER_BROWSER=1 SCREENSHOTS=$(SCREENSHOTS) $(BIN)/pytest -n 2 --dist loadfile tests/web $(ARGS)

test-ops: $(READY)  ## Prometheus, alerts and dashboards on a real tournament: needs Debian's prometheus and chromium
	@CROUPIER_OPS=1 $(BIN)/pytest tests/ops -n 0 $(ARGS)

chaos: $(READY)  ## kill servers, tear connections, let unruly bots loose, for four minutes; then prove that all is well
	@$(BIN)/python tests/chaos/run.py $(ARGS)

check: $(READY) $(PROTO_READY)  ## format, lint, types, layers, dependencies, contract, generated code, lock: `make check ARGS=types`
	@$(BIN)/python tests/check.py $(ARGS)

format: $(READY)  ## format Python and proto files, and mend what ruff can mend
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/buf format --write proto

test-clients: $(READY) $(PROTO_READY)  ## build and test every SDK, and let their bots play together: `make test-clients ARGS="go rust"`
	@$(BIN)/python tests/clients/run.py $(ARGS)

bench-clients: $(READY)  ## measure: decisions per second of each SDK's random bot, once they are built
	@$(BIN)/python tests/clients/speed.py $(ARGS)

bench: $(READY)  ## measure: decisions per second, latency, games per second
	@$(BIN)/python tests/benchmarks/run.py $(ARGS)

golden: $(READY)  ## rewrite the golden games; the diff is then a review of the rules
	@$(BIN)/python -m croupier_games.kernel.golden --rewrite

dashboards: $(READY)  ## write Grafana's dashboards anew from deploy/grafana
	@$(BIN)/python deploy/grafana/generate.py

proto: $(READY) $(PROTO_READY)  ## regenerate the code of the contract, in every language whose tools are here
	@$(BIN)/python tests/clients/run.py --proto

proto-baseline: $(READY)  ## accept the contract of today as what later changes must not break
	@$(BIN)/buf build proto --exclude-source-info --output proto/baseline.binpb

lock: $(UV)  ## lock anew after a change to a pyproject.toml; UPGRADE=1 takes newer versions too
	@$(LOCK) $(MANIFESTS) --all-extras --group pyproject.toml:dev $(OURS) --output-file requirements.lock
	@$(LOCK) $(MANIFESTS) --all-extras $(OURS) --constraint requirements.lock --output-file deploy/images/runtime.lock
	@$(LOCK) proto/generator.in --output-file proto/generator.lock

clean:  ## remove environments, caches and build products
	@git clean -fdXq

install: $(READY) $(PROTO_READY)  ## only install: `.venv` and `.venv-proto`

# Without addresses: a lock is the same on every machine, wherever its packages come from.
# It is compiled over the old one, so that what need not change keeps its version.
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
        $(if $(UPGRADE),--upgrade)
OURS := --no-emit-package croupier --no-emit-package croupier-service

# pip brings uv, at the version and hashes of the lock; uv brings the rest.
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Croupier needs Python 3.11 or newer: make PYTHON=python3.11")'
	@echo "installing .venv-tools"
	@$(PYTHON) -m venv .venv-tools
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv-tools/uv.lock
	@.venv-tools/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes -r .venv-tools/uv.lock

$(READY): requirements.lock $(MANIFESTS) | $(UV)
	@test -x $(BIN)/python || { echo "installing .venv"; $(UV) venv --quiet --python $(PYTHON) .venv; }
	@VIRTUAL_ENV=.venv $(UV) pip sync --quiet --require-hashes requirements.lock
	@VIRTUAL_ENV=.venv $(UV) pip install --quiet --no-deps --no-build-isolation $(MEMBERS:%=--editable %)
	@touch $@

# The generator's pins are older than what we run with, so it lives apart.
$(PROTO_READY): proto/generator.lock | $(UV)
	@test -x .venv-proto/bin/python || $(UV) venv --quiet --python $(PYTHON) .venv-proto
	@VIRTUAL_ENV=.venv-proto $(UV) pip sync --quiet --require-hashes proto/generator.lock
	@touch $@
