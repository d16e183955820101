# make postgres: the PostgreSQL extension in build/postgres; make postgres-install puts it where pg_config says.
PG_CONFIG ?= pg_config
PG_MAKE = $(MAKE) --no-print-directory -C build/postgres -f '$(CURDIR)/ext/postgres/Makefile' \
  VPATH='$(CURDIR)/ext/postgres' PG_CONFIG='$(PG_CONFIG)' GZIP='$(if $(ISAL),-lisal)'

.PHONY: postgres postgres-install
postgres: libmpg.a
	@mkdir -p build/postgres
	@+$(PG_MAKE) all >build/postgres/log 2>&1 || { cat build/postgres/log >&2; exit 1; }

postgres-install: postgres
	+@$(PG_MAKE) install
