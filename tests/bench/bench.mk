# How fast it is here, beside DuckDB where npm can fetch it, into docs/benchmarks.md: `make bench`, or
# `make bench SPANS=1e6`.
SPANS ?= 1e7
.PHONY: bench bench-goodput bench-readers bench-formats bench-shards bench-engines bench-report
bench: mpg.so build/generate
	$(PYTHON) tests/bench/run $(SPANS)

# The job logs of ml-goodput-measurement: `make bench-goodput`, or `make bench-goodput STEPS=1e5`.
STEPS ?= 1e6
bench-goodput: mpg.so
	$(PYTHON) tests/bench/goodput $(STEPS)

# Every reader's MB/s, and questions of one file: `make bench-readers`, or `make bench-readers MB=20 ROWS=1e6`; ROWS=0: the readers alone.
MB ?= 100
ROWS ?= 1e7
bench-readers: mpg.so
	$(PYTHON) tests/bench/readers $(MB) 3 $(ROWS)

# Mappings beside their readers: `make bench-formats`, or `make bench-formats SIZE=1e5`.
SIZE ?= 1e6
bench-formats: mpg.so
	$(PYTHON) tests/bench/formats $(SIZE)

# Shards, the merge of states, PostgreSQL servers: `make bench-shards`, or `make bench-shards SPANS=1e6`.
bench-shards: mpg.so build/generate
	$(PYTHON) tests/bench/shards $(SPANS)

# The report's page of a year of a fleet: `make bench-report`, or `make bench-report SPANS=1e5`.
bench-report: mpg.so build/generate
	$(PYTHON) tests/bench/report $(if $(filter command line,$(origin SPANS)),$(SPANS),1e6)

# Sizes and costs on other engines, into docs/engines.md: `make bench-engines`, with prices STORE=20 SCAN=5 CORE=0.04.
export STORE SCAN CORE
bench-engines: mpg.so build/generate
	$(PYTHON) tests/bench/engines $(if $(filter command line,$(origin SPANS)),$(SPANS))
