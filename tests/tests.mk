# make coverage: lines and branches of ext/ that make test reaches; make mutants: whether the tests notice a wrong program in
# the rooms that account, in MUTANTS="--sample 300" places or "--all"; make figures: what test runs have found, into docs/reliability.md.
MUTANTS ?= --sample 300
.PHONY: coverage mutants figures
coverage:
	@$(PYTHON) tests/full/coverage.py $(T)
mutants: mpg.so
	@$(PYTHON) tests/full/mutants.py $(MUTANTS)
figures:
	@$(PYTHON) tests/support/figures.py

# What tests/formats.py says, for the tests in C.
build/register.h: tests/formats.py $(wildcard tests/fuzz/*.c)
	@mkdir -p $(@D)
	@$(PYTHON) tests/formats.py >$@

# What tests/robust/test_memory.py runs: failing allocations under the shipped mpg.so, in SQLite's shared library; and another qsort.
build/memory/loaded: tests/memory/loaded.c build/register.h
	@mkdir -p $(@D)
	$(COMPILE) -fvisibility=default -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< -lsqlite3 -lpthread
build/memory/ties.so: tests/memory/ties.c
	@mkdir -p $(@D)
	$(COMPILE) -shared -o $@ $<
# What tests/hosts/test_old_sqlite.py loads: mpg.so in a host that has the routines of SQLite 3.34 alone.
build/old_host.so: tests/hosts/old_host.c
	@mkdir -p $(@D)
	$(COMPILE) -shared -o $@ $<
-include $(wildcard build/memory/*.d)
