# Needs Python 3.11 or later (with pip or venv) and make; everything else is fetched into .venv and .tools.
SHELL = /bin/sh
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH

# Set up again where the tree was moved or its Python is gone.
usable := $(shell [ "`cat .venv/.made-in 2>/dev/null || pwd -P`" = "`pwd -P`" ] && .venv/bin/python -c '' 2>/dev/null && echo yes)
lock = pyproject.toml uv.lock .ci/setup.sh $(if $(usable),,again)
missing = $(shell sh .ci/setup.sh missing)
refuse = $(if $(strip $1),$(error $1))

.PHONY: help chat check test test-all again

help:
	@echo 'make chat    start the chat and print its address (PORT=8000 HOST=127.0.0.1 make chat)'
	@echo 'make test    everything that has to pass: make check, then the tests'
	@echo 'make test-all  the same with the long ones: every saying, every visit, every import rule broken once'
	@echo 'make check   format, lint, types, import rules and the gate of the Live Aid pack'

# Settings from .env, if there is one; what is set outside goes first.
chat: .venv/.ready-to-chat
	@given=`export -p`; set -a; [ ! -f .env ] || . ./.env; eval "$$given"; exec .venv/bin/cuestory serve

check: .venv/.ready-to-test
	@.venv/bin/ruff format --check --quiet .
	@.venv/bin/ruff check --quiet .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo
	@.venv/bin/cuestory check

test: check
	@.venv/bin/pytest -q -n auto --maxprocesses 4 --dist loadfile

test-all: check
	@.venv/bin/pytest -q --run-slow -n auto --maxprocesses 4 --dist loadfile

.venv/.ready-to-chat: $(lock)
	$(call refuse,$(missing))
	@sh .ci/setup.sh sync --no-dev --inexact
	@touch $@

.venv/.ready-to-test: $(lock)
	$(call refuse,$(missing))
	@sh .ci/setup.sh sync
	@touch $@ .venv/.ready-to-chat

again:
