# Every target makes the environment it needs and reuses it while pyproject.toml and constraints.txt are unchanged.
# Paths stay relative, so that a folder with spaces in its name works.
SHELL := /bin/sh
PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
# Seeds and sizes for the trust rows: make soak SEED=7 ROWS=R3
SEED ?= 1
ROWS ?=

# to whoever looks, and not into a pipe
SAY_WHERE = test ! -t 2 || echo "The command everself is $(VENV)/bin/everself; to type it as everself: export PATH=\"$(CURDIR)/$(VENV)/bin:\$$PATH\"" >&2

JUDGES := tests/architecture tests/trust tests/tools

.PHONY: chat models mcp quality gateway clients test-model test test-all test-interpreters check bench install-costs first-prompt bench-recall bench-peers bench-judgement bench-speed bench-gateway bench-integrations bench-web pictures soak docs image test-frameworks clean help

help:
	@echo "make chat      talk to it (sets everything up the first time; a conversation can be piped)"
	@echo "make models    install what talks to Anthropic, OpenAI, Gemini, Ollama and servers like OpenAI's"
	@echo "make mcp       install what gives the memory to Claude Code, Codex, Cursor and others over MCP"
	@echo "make quality   install the better of the two local search models (100 MB)"
	@echo "make gateway   install what serves other programs, and run it (everself gateway token add NAME --as main lets one in)"
	@echo "make clients   install Claude Code, Codex, Gemini CLI and npm's openai into .clients, for the tests that drive them (needs Node)"
	@echo "make test      fast tests, under a minute"
	@echo "make test-all  everything, kill and fuzz tests at CI size included"
	@echo "make test-interpreters   the fast tests on every other Python that is found, and the wheel in an empty environment of each"
	@echo "make test-frameworks   the OpenAI Agents SDK and LangGraph with an agent's memory, in .venv-frameworks; part of test-all"
	@echo "make test-model a real small model end to end (650 MB into .venv-model)"
	@echo "make check     ruff, mypy, weights, architecture"
	@echo "make bench [ONLY=conversation]   measure; prints figures"
	@echo "make install-costs [EXTRAS=\"models mcp\"]   what each dependency weighs, and how many there are"
	@echo "make first-prompt [PIP=1]   how long a new user waits in a fresh clone, and the longest silence"
	@echo "make bench-recall DATA=FOLDER [JSON=FILE]   how much of the evidence search finds, beside four baselines"
	@echo "make bench-peers DATA=FOLDER   the same questions to memsearch and LanceDB, installed in an environment of their own"
	@echo "make bench-judgement DATA=FOLDER [JSON=FILE]   corrections, conflicts and attacks found, beside plain patterns"
	@echo "make bench-speed [SIZES=1000,10000] [JSON=FILE]   search, index rate, size, memory, cold command"
	@echo "make bench-gateway [STREAMS=200] [AGENTS=1,20] [ENTRIES=10000] [SECONDS=60] [JSON=FILE]   what the gateway adds to a model's delay"
	@echo "make bench-integrations [ONLY=mcp,hooks,troubles] [ROUNDS=20] [ENTRIES=1000] [JSON=FILE]   what MCP clients and hooks wait and pay for"
	@echo "make bench-web [ENTRIES=10000,100000] [ROUNDS=20] [JSON=FILE]   server time and bytes of each page of the web page"
	@echo "make pictures  take new pictures of the web page and draw those of the README (needs chromium)"
	@echo "make soak      the trust rows at full size (hours; resumable)"
	@echo "make docs      the documents as a site with a search, in build/site; needs no network to read"
	@echo "make image     build the container image of the gateway with podman, buildah or docker"
	@echo "make clean     remove what make made"

$(VENV)/.core: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV) core
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV) dev
# also what is installed: tests start hundreds of processes, some where Python may not write what it compiled
	@$(RUN) -m compileall -q -j 0 src $(VENV)/lib >/dev/null || true
	@touch $@ $(VENV)/.core

$(VENV)/.models: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV) models
	@touch $@ $(VENV)/.core

$(VENV)/.gateway: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV) gateway
	@touch $@ $(VENV)/.core

.venv-model/.real-model: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py .venv-model real-model
	@touch $@

models: $(VENV)/.models
	@echo "Everself can talk to models now: everself model list"

$(VENV)/.mcp: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV) mcp
	@touch $@ $(VENV)/.core

$(VENV)/.quality: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV) quality
	@touch $@ $(VENV)/.core

quality: $(VENV)/.quality
	@echo "The better search model is installed. It reads your notes in the background; to wait for it: everself memory index --better"

mcp: $(VENV)/.mcp
	@echo "Coding agents can be given this memory now. The command is $(CURDIR)/$(VENV)/bin/everself mcp; docs/mcp.md says where each wants it."

gateway: $(VENV)/.gateway
	@$(SAY_WHERE)
	@$(RUN) -m everself gateway run

clients: .clients/.installed
.clients/.installed: tools/install_clients.py
	@$(PYTHON) -m tools.install_clients .clients
	@touch $@

.venv-frameworks/.frameworks: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py .venv-frameworks frameworks
	@touch $@

# the OpenAI Agents SDK and LangGraph do not fit beside what the gateway needs
test-frameworks: .venv-frameworks/.frameworks
	.venv-frameworks/bin/python -m pytest -q -p no:cacheprovider tests/frameworks

test-model: .venv-model/.real-model
	@.venv-model/bin/python -m tools.real_model

chat: $(VENV)/.core
	@$(SAY_WHERE)
	@$(RUN) -m everself chat

# what judges the code (architecture, registers of the trust rows, benchmarks) is tested by make check
test: $(VENV)/.dev
	$(RUN) -m pytest -n 2 --dist worksteal -q --hypothesis-profile=few -m "not trust and not slow" $(addprefix --ignore=,$(JUDGES))

test-all: $(VENV)/.dev test-frameworks
	@$(MAKE) --no-print-directory clients || echo "The tests of Claude Code, Codex and Gemini CLI are skipped for this reason."
	$(RUN) -m pytest -n 2 --dist worksteal -q -m "trust or slow or hypothesis" --durations 12 --seed $(SEED)

# other versions that the package promises to run on; what is not found is said, and fails nothing
test-interpreters: $(VENV)/.dev
	$(RUN) -m tools.interpreters
	$(RUN) -m tools.wheel

check: $(VENV)/.dev
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -m tools.train_classify --check
	$(RUN) -m tools.train_classify.pairs --check
	$(RUN) -m tools.train_classify.grounded --check
	$(RUN) -m tools.train_classify.injection --check
	$(RUN) -m tools.train_classify.topics --check
	$(RUN) -m pytest -q -m "not trust and not slow" $(JUDGES)

bench: $(VENV)/.dev
	$(RUN) -m tools.bench $(ONLY)

install-costs: $(VENV)/.dev
	@$(RUN) -m tools.install_costs $(EXTRAS)

first-prompt:
	@$(PYTHON) tools/first_prompt.py $(if $(PIP),--pip)

bench-recall: $(VENV)/.dev
	@test -n "$(DATA)" || { echo "Say where the data is: make bench-recall DATA=FOLDER [JSON=FILE]"; exit 2; }
	$(RUN) -m tools.bench_recall --data "$(DATA)" $(if $(JSON),--json "$(JSON)")

.venv-peers/.peers: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py .venv-peers peers
	@touch $@

bench-peers: .venv-peers/.peers
	@test -n "$(DATA)" || { echo "Say where the data is: make bench-peers DATA=FOLDER"; exit 2; }
	@.venv-peers/bin/python -m tools.bench_peers --data "$(DATA)"

bench-judgement: $(VENV)/.dev
	@test -n "$(DATA)" || { echo "Say where the data is: make bench-judgement DATA=FOLDER [JSON=FILE]"; exit 2; }
	$(RUN) -m tools.bench_judgement --data "$(DATA)" $(if $(JSON),--json "$(JSON)")

bench-speed: $(VENV)/.dev
	$(RUN) -m tools.bench_speed $(if $(SIZES),--sizes $(SIZES)) $(if $(JSON),--json "$(JSON)")

bench-gateway: $(VENV)/.dev
	$(RUN) -m tools.bench_gateway $(if $(STREAMS),--streams $(STREAMS)) $(if $(AGENTS),--agents $(AGENTS)) \
		$(if $(ENTRIES),--entries $(ENTRIES)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JSON),--json "$(JSON)")

bench-web: $(VENV)/.dev
	$(RUN) -m tools.bench_web $(if $(ENTRIES),--entries $(ENTRIES)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(JSON),--json "$(JSON)")

bench-integrations: $(VENV)/.dev
	$(RUN) -m tools.bench_integrations $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(ENTRIES),--entries $(ENTRIES)) $(if $(JSON),--json "$(JSON)")

soak: $(VENV)/.dev
	$(RUN) -m tools.soak --seed $(SEED) $(ROWS)

.venv-docs/.docs: pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py .venv-docs docs
	@touch $@

docs: .venv-docs/.docs
	@.venv-docs/bin/python -m tools.docs_site

pictures: $(VENV)/.dev
	@$(RUN) -m tools.pictures
	@$(RUN) -m tools.web_pictures

image: $(VENV)/.core
	@$(RUN) -m tools.build_image $(if $(CI),--if-possible)

clean:
	rm -rf .venv .venv-* .soak .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
