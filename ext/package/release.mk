# make release: build/release/mpg.so, stripped and self-contained, for any Linux of this processor with glibc 2.28 or later.
#
# zlib, zstd, PCRE2 and libuuid are linked into it; ISA-L unpacks gzip where the system has libisal.so.2 when it runs, else zlib.
# What is linked, and its licences: ext/package/release/licences.txt. The same sources and packages give the same bytes.
RELEASE = build/release
RELEASE_GLIBC = 2.28
# Objects of its own; all others are those of mpg.so.
RELEASE_OBJ = $(patsubst %,$(RELEASE)/%.o,ext/read/input/gzip ext/read/input/gzip_isal ext/package/release/old_glibc ext/package/release/uuid_sha1)
RELEASE_LIBS = -l:libz.a -l:libzstd.a -l:libuuid.a -l:libpcre2-8.a
RELEASE_WRAP = pthread_create pthread_join pthread_sigmask dlopen dlsym dlclose stat lstat fstat __isoc23_strtoul __isoc23_fscanf
# In glibc before 2.34 threads and loading are libraries of their own.
RELEASE_SYSTEM = -lm -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--pop-state

.PHONY: release
release: $(RELEASE)/mpg.so

$(RELEASE)/mpg.so: $(filter-out build/ext/read/input/gzip%.o,$(OBJ)) $(RELEASE_OBJ) ext/package/release.mk
	@for l in $(RELEASE_LIBS:-l:%=%); do [ "$$($(CC) -print-file-name=$$l)" != $$l ] || { \
	  echo "make release needs $$l, which Debian has in zlib1g-dev, libzstd-dev, uuid-dev and libpcre2-dev" >&2; exit 1; }; done
	$(CC) -shared -s $(SONAME) -Wl,-z,relro,-z,now -Wl,-z,defs,-z,nodelete -Wl,--as-needed -Wl,--exclude-libs,ALL \
	  $(RELEASE_WRAP:%=-Wl,--wrap=%) $(LDFLAGS) -o $@ $(filter %.o,$^) $(RELEASE_LIBS) $(RELEASE_SYSTEM)
	@$(OBJDUMP) -T $@ | sed -n 's/.*(GLIBC_\([0-9.]*\)).*/\1/p' | sort -Vu | tail -n 1 | { read -r newest; \
	  printf '%s\n%s\n' "$$newest" $(RELEASE_GLIBC) | sort -VC || { \
	  echo "make release: $@ needs glibc $$newest; ext/package/release/old_glibc.c knows nothing of a call that this system's glibc gave a new version" >&2; exit 1; }; }
OBJDUMP ?= objdump

$(RELEASE)/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(if $(ISAL),-DMPG_ISAL_LOADED) $(HARDEN) -MMD -MP -c -o $@ $<
-include $(RELEASE_OBJ:.o=.d)

# make wheel: dist/sqlite_mpg-VERSION-py3-none-manylinux_2_28_MACHINE.whl, for pip.
MACHINE = $(firstword $(subst -, ,$(TRIPLET)))
.PHONY: wheel
wheel: $(RELEASE)/mpg.so
	@$(PYTHON) ext/package/python/build_wheel.py $(VERSION) $(MACHINE) $(RELEASE)/mpg.so dist
