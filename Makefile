# Thin lines over `python -m grading …`; each sets up .venv first. Another Python: make PYTHON=python3.12 demo
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test grade check report release lab gpu bench torch repeat
demo report release lab gpu: .venv/ready
	@$(BIN)/python -m grading $@

check test: .venv/ready
	@$(BIN)/python -m grading $@ $(ARGS)

grade: .venv/ready
	@$(BIN)/python -m grading autograde $(ARGS)

bench: .venv/ready
	@$(BIN)/python benchmarks/autograde.py $(ARGS)

torch: .venv/ready
	@$(BIN)/python benchmarks/public_torch.py $(ARGS)

repeat: .venv/ready
	@$(BIN)/python benchmarks/repeat.py $(ARGS)

.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is %d.%d. Name another: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@
