# make postgres: the PostgreSQL extension in build/postgres; make postgres-install puts it where pg_config says,
# make postgres-uninstall takes it away again.
PG_CONFIG ?= pg_config
PG_MAKE = $(MAKE) --no-print-directory -C build/postgres -f '$(CURDIR)/ext/postgres/Makefile' \
  VPATH='$(CURDIR)/ext/postgres' PG_CONFIG='$(PG_CONFIG)' GZIP='$(if $(ISAL),-lisal)'

.PHONY: postgres postgres-install postgres-uninstall
postgres: libmpg.a build/postgres/flags
	@PG_CONFIG='$(PG_CONFIG)' ext/package/deps.sh postgres
	@+$(PG_MAKE) all >build/postgres/log 2>&1 || { cat build/postgres/log >&2; exit 1; }

# Another server, another compiler: built anew.
build/postgres/flags: FORCE
	@mkdir -p $(@D)
	@{ echo '$(COMPILE)'; '$(PG_CONFIG)' 2>/dev/null; } >$@.now; cmp -s $@.now $@ || cp $@.now $@

postgres-install: postgres
	+@$(PG_MAKE) install

postgres-uninstall: build/postgres/flags
	+@$(PG_MAKE) uninstall
