# What tests/test_memory.py runs: failing allocations under the shipped mpg.so, in SQLite's shared library.
build/memory/loaded: tests/memory/loaded.c
	@mkdir -p $(@D)
	$(COMPILE) -fvisibility=default -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< -lsqlite3 -lpthread
-include $(wildcard build/memory/*.d)
