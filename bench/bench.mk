# How fast it is here, beside DuckDB where npm can fetch it: `make bench`, or `make bench SPANS=1e6`.
SPANS ?= 1e7
.PHONY: bench
bench: mpg.so build/generate
	$(PYTHON) bench/run $(SPANS)
