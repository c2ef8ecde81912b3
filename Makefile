# Thin lines over `python -m grading …`; each sets up .venv first. Another Python: make PYTHON=python3.12 demo
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test grade release lab gpu check report bench
demo grade release lab gpu report: .venv/ready
	@$(BIN)/python -m grading $@
	@$(BIN)/python -m grading $@


check grade: .venv/ready
	@$(BIN)/python -m grading $@ $(ARGS)
	@$(BIN)/python -m grading autograde $(ARGS)

test: .venv/ready
	@$(BIN)/python -m grading test $(ARGS)

bench: .venv/ready
	@$(BIN)/python benchmarks/autograde.py $(ARGS)

.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is %d.%d. Name another: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@
