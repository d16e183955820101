# mpg: ML Productivity Goodput from trace files, in SQL. See README.md.
#
#   make             mpg.so (to load) and libmpg.a (to link, with ext/mpg.h)
#   make help        this list
#   make demo        a question about a small fleet, answered
#   make install     into prefix=/usr/local; make uninstall takes it away again
#   make postgres    the extension of PostgreSQL; make postgres-install, make postgres-uninstall
#
#   make release     build/release/mpg.so: one file for any Linux, which the packages hold: docs/install.md
#   make archive     an archive of it, to unpack without root
#   make wheel       a package for pip; make npm: for node and bun; make deb: for Debian
#   make dist        an archive of the sources
#   make packages    all of these, and SHA256SUMS, into dist
#
#   make test        the tests, in minutes;  make test T=csv: those whose name has "csv" in it;
#                    make test T=test_swf.Files.test_header: one test
#   make test-full   all of them, the long ones too
#   make test-clients  in Python, R, Java, node and others, which make clients installs
#   make test-slurm  a job array on a real Slurm, which it installs
#   make fuzz        the fuzz targets of tests/fuzz, a minute each (FUZZ_SECONDS=60)
#   make coverage    lines and branches that the tests reach; make mutants: do they notice a wrong program
#   make figures     what test runs have found, into docs/reliability.md
#   make bench       how fast it is here; also make bench-readers, make bench-formats, make bench-goodput,
#                    make bench-shards, make bench-engines, make bench-report
#   make site        the documentation as a site with a search, in build/site/html
#   make web         build/web/mpg.html: the extension in a page, for people who may install nothing; make test-web tries it
#   make lint        every static check;  make format: the formatting
#   make fixtures    generates the committed fixtures anew; make studies: the fleets of docs/studies
#   make deps        installs what all of this needs from Debian's packages
#   make clean       forgets what was built
#
# A target that needs a package installs it where it may, else names it in one line: ext/package/deps.sh.
CFLAGS ?= -O2 -g
PYTHON ?= /usr/bin/python3
STD = -std=gnu11 -fPIC -fvisibility=hidden
WARN = -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Werror
HARDEN = -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
SANITIZE = -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
SONAME = -Wl,-soname,mpg.so
# macOS, which was not at hand to try: a library whose calls into SQLite the host resolves.
DARWIN := $(filter Darwin,$(shell uname -s))
ifdef DARWIN
SHARED = -dynamiclib -Wl,-undefined,dynamic_lookup
else
SHARED = -shared $(SONAME) -Wl,-z,relro,-z,now -Wl,-z,defs,-z,nodelete -Wl,--as-needed
endif
# gzip by ISA-L (libisal-dev) where it is there, else by zlib, which takes 2.6 times as long.
ISAL := $(shell echo '\#include <isa-l/igzip_lib.h>' | $(CC) -E - >/dev/null 2>&1 && echo yes)
LIBS = $(if $(ISAL),-lisal) -lz -lzstd -luuid -lpcre2-8 -lm -lpthread
CPPFLAGS += $(if $(ISAL),-DMPG_ISAL)
COMPILE = $(CC) $(STD) $(WARN) $(CPPFLAGS) $(CFLAGS)
VERSION := $(shell sed -n 's/^.define MPG_VERSION "\(.*\)"/\1/p' ext/sqlite/connection.h)
COMMIT := $(shell git -c safe.directory='*' rev-parse --short HEAD 2>/dev/null || echo release)

.PHONY: all help demo test test-full fixtures deps clean FORCE
.DELETE_ON_ERROR:
all: mpg.so libmpg.a

help:
	@sed -n 's/^#   make/make/p; s/^#    \{8,\}/                  /p; /^CFLAGS/q' Makefile

SRC := $(sort $(filter-out ext/postgres/% ext/package/%,$(shell find -H ext -name "*.c")))
# What is generated adds its sources to SRC and says how they are made.
-include $(wildcard schema/*.mk) sql/scripts.mk

# Three flavours of every object: of the extension, of the static library, and of the unit tests
# under the sanitizers, where MPG_TEST makes the buffers hostile. None names the build host's CPU. What
# calls nothing of SQLite is the same in the first two.
OF_NO_HOST = ext/base/% ext/goodput/% ext/program/% ext/read/%
OBJ = $(SRC:%.c=build/%.o)
STATIC_OBJ = $(patsubst %.c,build/static/%.o,$(filter-out $(OF_NO_HOST),$(SRC))) $(patsubst %.c,build/%.o,$(filter $(OF_NO_HOST),$(SRC)))
ASAN_OBJ = $(SRC:%.c=build/asan/%.o)
STATIC = $(HARDEN) -DSQLITE_CORE
ASAN = -DSQLITE_CORE -DMPG_TEST -O1 -g1 -fno-omit-frame-pointer $(SANITIZE)

# nodelete: where loading fails half-way (out of memory) SQLite unloads the library, while functions it has
# already registered still point into it.
mpg.so: $(OBJ)
	$(CC) $(SHARED) $(LDFLAGS) -o $@ $^ $(LIBS)

libmpg.a: $(STATIC_OBJ)
build/asan/libmpg.a: $(ASAN_OBJ)
libmpg.a build/asan/libmpg.a:
	rm -f $@
	$(AR) rcs $@ $^

build/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(HARDEN) -MMD -MP -c -o $@ $<

build/static/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(STATIC) -MMD -MP -c -o $@ $<

build/asan/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(ASAN) -MMD -MP -c -o $@ $<

# Other flags, another compiler: built anew, once what the build needs is there. The commit concerns mpg_debug() alone.
build/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(SANITIZE) $(LDFLAGS)' | cmp -s - $@ || { CC='$(CC)' ext/package/deps.sh --name build && echo '$(COMPILE) $(SANITIZE) $(LDFLAGS)' >$@; }
build/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
SCALARS = $(addsuffix ext/sqlite/functions/scalars.o,build/ build/static/ build/asan/)
$(SCALARS): build/commit
$(SCALARS): CPPFLAGS += -DMPG_COMMIT='"$(COMMIT)"'

# A unit test is a program of its own, linked once as released and once under the sanitizers. It takes
# longer to compile than to run: its own code is not optimised, and has few debug symbols.
TEST = -O0 -g1 -U_FORTIFY_SOURCE
build/unit/%: tests/unit/%.c libmpg.a | build/register.h
	@mkdir -p $(@D)
	$(COMPILE) $(STATIC) $(TEST) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< libmpg.a -lsqlite3 $(LIBS)

build/asan/unit/%: tests/unit/%.c build/asan/libmpg.a | build/register.h
	@mkdir -p $(@D)
	$(COMPILE) $(ASAN) $(TEST) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< build/asan/libmpg.a -lsqlite3 $(LIBS)

# The generator of the fixtures is a program over the core.
GENERATE := $(wildcard fixtures/generate/*.c)
build/generate: $(GENERATE) libmpg.a
	@mkdir -p $(@D)
	$(COMPILE) $(HARDEN) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $(GENERATE) libmpg.a $(LIBS)

-include $(OBJ:.o=.d) $(STATIC_OBJ:.o=.d) $(ASAN_OBJ:.o=.d)
-include $(wildcard build/*.d build/unit/*.d build/asan/unit/*.d)

demo:
	@ext/package/deps.sh demo
	@$(MAKE) --no-print-directory -s mpg.so
	@sqlite3 -batch -bail -init /dev/null :memory: '.read docs/demo.sql'

# The runner builds what it runs, and its last line is the sum.
test:
	@ext/package/deps.sh test
	+@$(PYTHON) tests/run $(T)

test-full:
	@ext/package/deps.sh full
	+@MPG_FULL=1 $(PYTHON) tests/run $(T)

deps:
	@ext/package/deps.sh full

clean:
	rm -rf build mpg.so libmpg.a

-include fixtures/fixtures.mk
include ext/package/install.mk ext/package/release.mk ext/package/package.mk ext/package/site/site.mk ext/package/web/web.mk ext/postgres/postgres.mk
include tests/tests.mk tests/lint.mk tests/bench/bench.mk tests/fuzz/fuzz.mk tests/clients/clients.mk tests/hosts/slurm.mk
