# Everything starts with `make setup`, which the other targets do by themselves; see README.md.
# Paths are relative, so that a folder with spaces in its name works.

PY := .venv/bin/python
# Without numpy's own threads, two test processes on two cores are fastest.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
WORKERS ?= auto
DEMO := fixtures/game
# Every measure in bench/ that can be run by itself.
BENCHES ?= $(patsubst bench/%.py,%,$(shell grep -l __main__ bench/*.py))

.PHONY: help setup demo test lint unit fixtures bench lock clean

help:
	@echo 'make demo      replay a recorded game and show the rulings as they fall'
	@echo 'make test      lint, types and all tests'
	@echo 'make setup     only set up (.venv, system libraries)'
	@echo 'make lint      only lint and types'
	@echo 'make fixtures  make the recorded game and the clouds in fixtures/ anew from their seed'
	@echo 'make bench     measure: rulings and accuracy on unseen seeds'
	@echo 'make lock      write requirements.lock anew (needs uv)'
	@echo 'make clean     remove .venv, caches and out/'

setup:
	@sh tools/setup.sh

demo: setup
	@mkdir -p out/demo
	@$(PY) cli.py replay $(DEMO) -c $(DEMO)/table.toml -p $(DEMO)/pieces.toml --players blue,pink \
		--game out/demo/game.jsonl --picture out/demo/table.png
	@echo 'The table at the end: out/demo/table.png; the record of the game: out/demo/game.jsonl'

test: lint unit

lint: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

unit: setup
	$(ONE_THREAD) $(PY) -m pytest -n $(WORKERS)

fixtures: setup
	$(PY) fixtures/make.py

bench: setup
	@status=0; for bench in $(BENCHES); do \
		echo "== $$bench"; $(PY) -m bench.$$bench || status=1; \
	done; exit $$status

lock:
	sh tools/lock.sh

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis out build th_vision.egg-info
