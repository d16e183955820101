# make fuzz: the fuzz targets of tests/fuzz under libFuzzer, FUZZ_SECONDS each, one after the other on one core;
# FUZZ="csv json" only these. What they find to be worth keeping is packed into tests/fuzz/corpus, and what they find
# wrong lies in build/fuzz/found. tests/robust/test_fuzz.py runs the packed corpora through the same targets.
FUZZ_SECONDS ?= 60
FUZZ ?= $(FUZZ_TARGETS)
FUZZ_SHARED = fuzz replay libfuzzer ledger_naive
FUZZ_TARGETS := $(filter-out $(FUZZ_SHARED),$(basename $(notdir $(wildcard tests/fuzz/*.c))))
FUZZ_FLAGS = $(STD) $(WARN) -O1 -g -fno-omit-frame-pointer -DSQLITE_CORE -DMPG_TEST -DMPG_COMMIT='"fuzz"' -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_OBJ = $(SRC:%.c=build/fuzz/%.o) build/fuzz/tests/fuzz/fuzz.o build/fuzz/tests/fuzz/ledger_naive.o

.PHONY: fuzz fuzz-built
.SECONDARY: $(FUZZ_OBJ) $(SRC:%.c=build/lines/%.o) $(FUZZ_TARGETS:%=build/fuzz/tests/fuzz/%.o)
fuzz:
	@ext/package/deps.sh lint
	+@$(MAKE) --no-print-directory fuzz-built
fuzz-built: $(FUZZ:%=build/fuzz/%)
	@$(PYTHON) tests/fuzz/run $(FUZZ_SECONDS) $(FUZZ)

build/fuzz/%.o: %.c build/register.h
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<
$(FUZZ_TARGETS:%=build/fuzz/%): build/fuzz/%: build/fuzz/tests/fuzz/%.o $(FUZZ_OBJ) tests/fuzz/libfuzzer.c
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$* -o $@ tests/fuzz/libfuzzer.c $< $(FUZZ_OBJ) -lsqlite3 $(LIBS)

# All targets in one program without libFuzzer, from the compiler that the tests use; the same as released; and counting lines.
REPLAY = $(filter-out tests/fuzz/libfuzzer.c,$(wildcard tests/fuzz/*.c))
build/asan/replay: $(REPLAY) $(wildcard tests/fuzz/*.h) build/register.h build/asan/libmpg.a
	$(COMPILE) $(ASAN) -o $@ $(REPLAY) build/asan/libmpg.a -lsqlite3 $(LIBS)
build/replay: $(REPLAY) $(wildcard tests/fuzz/*.h) build/register.h libmpg.a
	$(COMPILE) $(STATIC) $(LDFLAGS) -o $@ $(REPLAY) libmpg.a -lsqlite3 $(LIBS)
build/lines/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STD) -O0 --coverage -DSQLITE_CORE -DMPG_TEST -DMPG_COMMIT='"fuzz"' -MMD -MP -c -o $@ $<
build/lines/replay: $(REPLAY) $(wildcard tests/fuzz/*.h) build/register.h $(SRC:%.c=build/lines/%.o)
	$(CC) $(STD) --coverage -DSQLITE_CORE -DMPG_TEST -o $@ $(REPLAY) $(SRC:%.c=build/lines/%.o) -lsqlite3 $(LIBS)

-include $(wildcard build/fuzz/*/*.d build/fuzz/*/*/*.d build/lines/*/*/*.d)
