# `make` alone lists what can be made. Needs nothing but Python with pip; everything is installed into .venv.
# Paths are relative, so that the checkout may lie in a folder with spaces in its name. Works with GNU make 3.81 (macOS).

PYTHON ?= python3
LAB_ARGS ?=
TEST_ARGS ?=
BENCH_ARGS ?=
LOCK_ARGS ?=

python := .venv/bin/python
# Named twice below: what opens in the browser, and what the printed address leads to where there is none.
first := notebooks/00_start_here.ipynb
# `make lock` fails where a package has no wheel for one of these; README's "Limits" says the same in words.
platforms := x86_64-manylinux_2_28 aarch64-manylinux_2_28 aarch64-apple-darwin x86_64-pc-windows-msvc
# The same as in .pre-commit-config.yaml. Outputs of cells tagged keep_output stay.
stripped := --keep-id --extra-keys metadata.language_info.version
# JupyterLab refuses root unless told; in a container everybody is root.
as_root := $(if $(filter 0,$(shell id -u)),--allow-root)
# Where it is set, as in many containers, every one of the suite's programs and notebook kernels compiles anew all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help lab test bench lint format lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

lab: .venv/.ready ## open the course in JupyterLab (the first time: install it into .venv)
	.venv/bin/jupyter lab $(first) --LabApp.default_url=/lab/tree/$(first) $(as_root) $(LAB_ARGS)

test: .venv/.ready .venv/clients/.ready ## run every test, and every notebook (some minutes)
	$(python) -m pytest -n 2 --dist loadfile --no-loadscope-reorder --nbval-lax $(TEST_ARGS) notebooks tests

bench: .venv/.ready .venv/.bench ## time the simulation against the same models in SimPy and cimba
	$(python) -m raclab bench $(BENCH_ARGS)

lint: .venv/.ready ## check style, types, and that notebooks are stored without outputs
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy
	$(python) -m nbstripout --verify $(stripped) notebooks/*.ipynb

format: .venv/.ready ## put style right and strip outputs from the notebooks
	$(python) -m ruff check --fix .
	$(python) -m ruff format .
	$(python) -m nbstripout $(stripped) notebooks/*.ipynb

lock: .venv/.ready ## write the three locks anew from pyproject.toml (LOCK_ARGS=--upgrade for the newest)
	.venv/bin/uv pip compile pyproject.toml --group dev --universal --generate-hashes \
		--custom-compile-command "make lock" --quiet --output-file requirements.lock $(LOCK_ARGS)
	for group in bench clients; do .venv/bin/uv pip compile --group $$group --constraints requirements.lock --universal \
		--generate-hashes --custom-compile-command "make lock" --quiet --output-file $$group.lock $(LOCK_ARGS) || exit 1; done
	@for lock in requirements.lock bench.lock clients.lock; do for platform in $(platforms); do for version in 3.11 3.12 3.13 3.14; do \
		.venv/bin/uv pip compile $$lock --no-deps --only-binary :all: --python-platform $$platform \
			--python-version $$version --quiet >/dev/null || { echo "$$lock: no wheel for $$platform, Python $$version." >&2; exit 1; }; \
		done; done; done

clean: ## remove .venv and everything else that was made here (your answers are kept elsewhere)
	rm -rf .venv build dist test-results .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find lab tests notebooks -name __pycache__ -prune -exec rm -rf {} +
	find notebooks -name .ipynb_checkpoints -prune -exec rm -rf {} +

# What is in .venv holds the folder's path: made anew where the folder has been moved, or where its Python has gone.
ifneq ($(shell $(python) -c 'print(open(".venv/.place").read())' 2>/dev/null),$(CURDIR))
.PHONY: .venv/bin/uv
endif

# pip, working in .venv, whether it was installed there or not.
pip = if [ -x .venv/bin/pip ]; then $(python) -m pip --disable-pip-version-check $(1); \
	else "$(PYTHON)" -m pip --disable-pip-version-check --python $(python) $(1); fi

.venv/bin/uv:
	@"$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null || { \
		echo "The lab needs Python 3.11 to 3.14, and '$(PYTHON)' is $$("$(PYTHON)" --version 2>/dev/null || echo 'not there')." \
			"Install one, or name the one you have: make $(MAKECMDGOALS) PYTHON=python3.13" >&2; exit 1; }
	@echo "Making .venv with $$("$(PYTHON)" --version) ..."
	@# Debian's Python comes without ensurepip unless python3-venv is there; its own pip can fill the environment too.
	@if "$(PYTHON)" -c 'import ensurepip' 2>/dev/null; then "$(PYTHON)" -m venv --clear .venv; \
		else "$(PYTHON)" -m pip --version >/dev/null 2>&1 || { \
			echo "'$(PYTHON)' has neither ensurepip nor pip. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }; \
		"$(PYTHON)" -m venv --clear --without-pip .venv; fi
	@awk '/^uv==/ { found = 1 } found { print } found && !/\\$$/ { exit }' requirements.lock > .venv/uv.lock
	@$(call pip,install --quiet --require-hashes -r .venv/uv.lock)
	@pwd -P > .venv/.place

.venv/.ready: .venv/bin/uv requirements.lock pyproject.toml lab/jupyter/default_setting_overrides.json $(wildcard lab/raclab/sim/*.py)
	@echo "Installing what requirements.lock names (the first time: about 330 MB to download) ..."
	@.venv/bin/uv pip install --python $(python) --no-build --require-hashes -r requirements.lock || { \
		echo "Trying with pip, which knows this machine's mirror, proxy and certificates where uv does not ..." >&2; \
		$(call pip,install --quiet --only-binary :all: --require-hashes -r requirements.lock); } || { \
		echo "Installing failed. No network? Then see 'Troubleshooting' in README.md. No wheel for this machine? See 'Limits'." >&2; exit 1; }
	.venv/bin/uv pip install --python $(python) --quiet --no-deps --no-build-isolation --editable .
	$(python) -m raclab compile
	@touch $@

# Without it the benchmark runs all the same, and the next `make bench` tries again.
.venv/.bench: .venv/.ready bench.lock
	@echo "Installing what bench.lock adds, for the comparison with cimba (the first time: about 50 MB to download) ..."
	@if .venv/bin/uv pip install --python $(python) --no-build --require-hashes -r bench.lock || \
		$(call pip,install --quiet --only-binary :all: --require-hashes -r bench.lock); then touch $@; \
		else echo "Installing failed (no network, or no wheel for this machine?): the benchmark goes on without cimba." >&2; fi

# Beside the lab's packages, not among them. Without it the one test that needs it is skipped, and the next `make test` tries again.
.venv/clients/.ready: .venv/.ready clients.lock
	@echo "Installing what clients.lock adds, a client that the tests start on its own (the first time: about 10 MB to download) ..."
	@if .venv/bin/uv pip install --target .venv/clients --python $(python) --quiet --no-build --no-deps --require-hashes -r clients.lock || \
		$(call pip,install --quiet --only-binary :all: --no-deps --require-hashes --upgrade --target .venv/clients -r clients.lock); \
		then touch $@; else echo "Installing failed (no network?): the test with JupySQL will be skipped." >&2; fi
