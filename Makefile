# Thin lines over `python -m grading …`; each sets up .venv first. Another Python: make PYTHON=python3.12 demo
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test quick grade check mark watch report release lab gpu bench torch repeat fuzz site lock

demo gpu: .venv/grading.ready
	@$(BIN)/python -m dev $@

grade: .venv/grading.ready
	@$(BIN)/python -m grading autograde $(ARGS)

mark watch report release: .venv/grading.ready
	@$(BIN)/python -m grading $@ $(ARGS)

bench: .venv/grading.ready
	@$(BIN)/python benchmarks/autograde.py $(ARGS)

torch: .venv/grading.ready
	@$(BIN)/python benchmarks/public_torch.py $(ARGS)

repeat: .venv/grading.ready
	@$(BIN)/python benchmarks/repeat.py $(ARGS)

fuzz: .venv/tests.ready
	@$(BIN)/python benchmarks/fuzz.py $(ARGS)

lab: .venv/students.ready
	@$(BIN)/python -m grading $@ $(ARGS)

check: .venv/students.ready
	@$(BIN)/python -m grading $@ $(ARGS)

test quick: .venv/tests.ready
	@$(BIN)/python -m dev $@ $(ARGS)

site: .venv/tests.ready
	@$(BIN)/python -m dev $@

lock:
	$(PYTHON) -m dev.lock $(ARGS)

.venv/students.ready: requirements.txt
.venv/grading.ready: requirements-grading.txt
.venv/tests.ready: requirements-tests.txt
$(BIN)/python:  # gone after an upgrade of the system, or not there yet: dev.packages finds that out
.venv/%.ready: requirements-cuda.txt $(BIN)/python
	@$(PYTHON) -m dev.packages $*
