# make lint: every static check; a file is checked again only after it, or a header, changed.
# make format: rewrites what clang-format and black would complain of.
C_FILES := $(sort $(wildcard ext/*.[ch] ext/*/*.[ch] ext/*/*/*.[ch] fixtures/generate/*.[ch] tests/unit/*.[ch] tests/fuzz/*.[ch] tests/memory/*.[ch] tests/hosts/*.[ch] tests/bench/*.[ch]))
# Programs whose names have no ending begin with their interpreter.
PYTHON_FILES = $(sort $(shell find ext fixtures sql tests -name '*.py') $(shell grep -rl '^.!/usr/bin/python3' ext fixtures sql tests))
# Its width is that of tests/test_layout.py.
BLACK = black --line-length 120 --skip-magic-trailing-comma
# PostgreSQL's glue needs the server's headers, which are not ours to lint: without them it is left out.
PG_HEADERS := $(wildcard $(shell pg_config --includedir-server 2>/dev/null))
LINTED := $(patsubst %.c,build/lint/%.ok,$(filter-out $(if $(PG_HEADERS),,ext/postgres/%),$(filter %.c,$(C_FILES))))
LINT_FLAGS = $(STD) $(WARN) -DSQLITE_CORE $(if $(filter ext/postgres/%,$<),-isystem $(PG_HEADERS) -Iext -Wno-missing-prototypes)

.PHONY: lint lint-tools lint-format format
lint: lint-format $(LINTED)
	@echo "lint: $(words $(LINTED)) files clean"

lint-tools:
	@ext/package/deps.sh lint

lint-format: lint-tools
	@clang-format --dry-run -Werror $(C_FILES)
	@pyflakes3 $(PYTHON_FILES)
	@$(BLACK) --check $(PYTHON_FILES)

format:
	@ext/package/deps.sh format
	clang-format -i $(C_FILES)
	$(BLACK) --quiet $(PYTHON_FILES)

# -O2 lets gcc see the flow that its warnings are about. What its analyzer says of values never
# initialised is wrong more often than not; clang's analyzer and valgrind look for those. Programs of our
# own, which may die where memory ends, are spared it; and cppcheck's guesses go wrong in the tests. On
# other processors than x86-64 char has no sign, and there are none of its vectors.
build/lint/%.ok: %.c $(filter %.h,$(C_FILES)) .clang-tidy tests/lint.mk | lint-tools build/register.h
	@echo lint $< && mkdir -p $(@D)
	@gcc $(LINT_FLAGS) -O2 $(if $(filter ext/%,$<),-fanalyzer -Wno-analyzer-use-of-uninitialized-value) -c -o build/lint/$*.o $<
	@gcc $(LINT_FLAGS) -O1 -funsigned-char -DMPG_NO_SIMD -c -o build/lint/$*.o $<
	@clang $(LINT_FLAGS) -O2 -c -o build/lint/$*.o $<
	@clang-tidy --quiet $< -- $(LINT_FLAGS) 2>build/lint/$*.log || { cat build/lint/$*.log; exit 1; }
	@$(if $(filter tests/%,$<),:,cppcheck) --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	  --suppress=missingIncludeSystem --suppress=unmatchedSuppression --suppress=preprocessorErrorDirective --error-exitcode=1 -DSQLITE_CORE -U_WIN32 $<
	@touch $@
