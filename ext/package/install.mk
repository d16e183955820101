# make install [prefix=/usr/local] [DESTDIR=]; make uninstall takes the same arguments.
#
# `.load mpg` hands "mpg", then "mpg.so" to dlopen(), which looks in ld.so.cache; but ldconfig files
# only what is called lib*.so*, under the name inside it, its SONAME. Hence the link libmpg.so to a
# file whose SONAME is mpg.so: together they make "mpg.so" a name that the cache knows. ldconfig
# reads the system's folders alone; for any other prefix the full path is printed instead.
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
INSTALL ?= install
LDCONFIG = PATH="$$PATH:/usr/sbin:/sbin" ldconfig
# What a program needs that reads and merges states: docs/states.md.
STATE_HEADERS = base/base.h goodput/category.h base/text.h goodput/account.h
REPORT_PAGE := $(sort $(wildcard sql/report/*.mjs sql/report/*.py)) sql/report/template.html
# What is under sql/sources reads relations that only the extension makes, which holds it. Parts are
# installed within the files that read them, which so run from any folder.
SQL_LIBRARY := $(shell find -H sql \( -path sql/sources -o -path 'sql/formats/*/*' -o -path sql/build \) -prune -o -name '*.sql' -print -o -path 'sql/dashboards/*' -type f -print | LC_ALL=C sort) \
  schema/fleet.sql schema/import.sql $(sort $(wildcard schema/*.schema.json))

.PHONY: install uninstall
build/mpg.7: ext/package/manual.awk $(sort $(wildcard docs/formats/*.md)) docs/mpg.7
	@mkdir -p $(@D)
	@LC_ALL=C awk -f $^ >$@
install: all build/mpg.7
	@d='$(DESTDIR)$(prefix)'; while [ ! -e "$$d" ]; do d=$$(dirname "$$d"); done; [ -w "$$d" ] || { \
	  echo "Cannot write to $$d. Either of these will do:" >&2; \
	  echo "  sudo make install" >&2; \
	  echo "  make install prefix=\$$HOME/.local" >&2; exit 1; }
	$(INSTALL) -d '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(includedir)/mpg' '$(DESTDIR)$(mandir)/man7' \
	  '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(bindir)' '$(DESTDIR)$(datadir)/mpg/report'
	$(INSTALL) -m 644 mpg.so libmpg.a '$(DESTDIR)$(libdir)'
	ln -sf mpg.so '$(DESTDIR)$(libdir)/libmpg.so'
	$(INSTALL) -m 644 ext/mpg.h '$(DESTDIR)$(includedir)'
	@for h in $(STATE_HEADERS); do sed 's|"\.\./base/|"|' ext/$$h >'$(DESTDIR)$(includedir)/mpg/'$$(basename $$h) || exit 1; done
	$(INSTALL) -m 644 build/mpg.7 '$(DESTDIR)$(mandir)/man7'
	@sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
	  -e 's|@datadir@|$(datadir)|' -e 's|@version@|$(VERSION)|' \
	  -e 's|@gzip@|$(if $(ISAL),libisal,zlib)|' ext/package/mpg.pc.in >build/mpg.pc
	$(INSTALL) -m 644 build/mpg.pc '$(DESTDIR)$(libdir)/pkgconfig'
	@for f in $(SQL_LIBRARY); do $(INSTALL) -D -m 644 $$f '$(DESTDIR)$(datadir)/mpg/'$$f || exit 1; done
	@for f in $$(grep -l '^\.read ' $(filter %.sql,$(SQL_LIBRARY))); do \
	  LC_ALL=C awk -v whole=1 -f sql/embed_scripts.awk $$f >'$(DESTDIR)$(datadir)/mpg/'$$f || exit 1; done
	$(INSTALL) sql/report/mpg-report '$(DESTDIR)$(bindir)'
	$(INSTALL) -m 644 docs/mpg-report.1 '$(DESTDIR)$(mandir)/man1'
	$(INSTALL) -m 644 $(REPORT_PAGE) '$(DESTDIR)$(datadir)/mpg/report'
	@[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || $(LDCONFIG)
	@[ -n '$(DESTDIR)' ] || if $(LDCONFIG) -p 2>/dev/null | grep -qE '^\s*mpg\.so .* $(libdir)/'; then \
	  echo "Installed. In SQLite:  .load mpg"; else echo "Installed. In SQLite:  .load $(libdir)/mpg"; fi

uninstall:
	rm -f '$(DESTDIR)$(libdir)/mpg.so' '$(DESTDIR)$(libdir)/libmpg.so' '$(DESTDIR)$(libdir)/libmpg.a'
	rm -f '$(DESTDIR)$(libdir)/pkgconfig/mpg.pc' '$(DESTDIR)$(includedir)/mpg.h' '$(DESTDIR)$(mandir)/man7/mpg.7'
	rm -f '$(DESTDIR)$(bindir)/mpg-report' '$(DESTDIR)$(mandir)/man1/mpg-report.1'
	rm -f $(REPORT_PAGE:sql/%='$(DESTDIR)$(datadir)/mpg/%')
	rm -f $(foreach h,$(notdir $(STATE_HEADERS)),'$(DESTDIR)$(includedir)/mpg/$h')
	@[ ! -d '$(DESTDIR)$(includedir)/mpg' ] || rmdir --ignore-fail-on-non-empty '$(DESTDIR)$(includedir)/mpg'
	@for f in $(SQL_LIBRARY); do rm -f '$(DESTDIR)$(datadir)/mpg/'$$f; done
	@[ ! -d '$(DESTDIR)$(datadir)/mpg' ] || find '$(DESTDIR)$(datadir)/mpg' -depth -type d -empty -delete
	@[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || $(LDCONFIG)
