# make dist: dist/mpg-VERSION.tar.gz, which builds offline; make deb: Debian packages of it; make npm: packages for node;
# make archive: dist/mpg-VERSION-linux-MACHINE.tar.gz, to unpack into a folder such as ~/.local; make packages: all of them, the wheel
# too, and SHA256SUMS.
DIST = mpg-$(VERSION)
TRIPLET = $(shell $(CC) -dumpmachine)

.PHONY: dist deb npm archive packages
dist:
	@command -v git >/dev/null || { echo "make dist needs git: apt-get install git" >&2; exit 1; }
	@mkdir -p dist
	git -c safe.directory='*' archive --format=tar.gz --prefix=$(DIST)/ -o dist/$(DIST).tar.gz HEAD
	@echo "dist/$(DIST).tar.gz"

deb: dist
	@ext/package/deps.sh package
	rm -rf build/deb && mkdir -p build/deb
	tar -xzf dist/$(DIST).tar.gz -C build/deb
	cp -r build/deb/$(DIST)/ext/package/debian build/deb/$(DIST)/debian
	cd build/deb/$(DIST) && dpkg-buildpackage --build=binary --no-pre-clean --no-sign >../log 2>&1 || { cat ../log >&2; exit 1; }
	@mv build/deb/*.deb dist && ls dist/*.deb

# Two packages, as npm wants native code: one that finds the library, one that holds it for this machine.
npm: $(RELEASE)/mpg.so
	@command -v npm >/dev/null || { echo "make npm needs npm: apt-get install npm" >&2; exit 1; }
	rm -rf build/npm && mkdir -p build/npm
	cp -r ext/package/npm/sqlite-mpg build/npm/sqlite-mpg
	cp LICENSE build/npm/sqlite-mpg
	mkdir build/npm/sqlite-mpg/report && cp sql/report/mpg-report $(wildcard sql/report/*.sql) $(REPORT_PAGE) build/npm/sqlite-mpg/report
	sed -i 's/@version@/$(VERSION)/g' build/npm/sqlite-mpg/package.json
	PLATFORM=$$(node -p 'process.platform + "-" + process.arch') && \
	  mkdir build/npm/sqlite-mpg-$$PLATFORM && cp $(RELEASE)/mpg.so ext/package/release/licences.txt LICENSE build/npm/sqlite-mpg-$$PLATFORM && \
	  sed -e 's/@version@/$(VERSION)/g' -e "s/@platform@/$$PLATFORM/g" -e "s/@os@/$${PLATFORM%-*}/" -e "s/@cpu@/$${PLATFORM#*-}/" \
	    ext/package/npm/platform.json >build/npm/sqlite-mpg-$$PLATFORM/package.json
	@mkdir -p dist
	cd dist && for p in ../build/npm/*; do npm pack --silent $$p; done

# The folders of `make install`, with the self-contained mpg.so; the same files give the same bytes.
ARCHIVE = $(DIST)-linux-$(MACHINE)
archive: $(RELEASE)/mpg.so build/mpg.7
	rm -rf build/archive && mkdir -p build/archive/$(ARCHIVE)/lib dist
	@for f in $(SQL_LIBRARY); do $(INSTALL) -D -m 644 $$f build/archive/$(ARCHIVE)/share/mpg/$$f || exit 1; done
	$(INSTALL) -D -m 755 sql/report/mpg-report build/archive/$(ARCHIVE)/bin/mpg-report
	$(INSTALL) -D -m 644 -t build/archive/$(ARCHIVE)/share/mpg/report $(REPORT_PAGE)
	$(INSTALL) -D -m 644 -t build/archive/$(ARCHIVE)/share/man/man7 build/mpg.7
	$(INSTALL) -D -m 644 -t build/archive/$(ARCHIVE)/share/man/man1 docs/mpg-report.1
	$(INSTALL) -D -m 644 -t build/archive/$(ARCHIVE)/share/doc/mpg LICENSE ext/package/release/licences.txt docs/install.md
	$(INSTALL) -m 755 $(RELEASE)/mpg.so build/archive/$(ARCHIVE)/lib/mpg.so
	tar -C build/archive --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go-w -cf - $(ARCHIVE) | gzip -n9 >dist/$(ARCHIVE).tar.gz
	@echo "dist/$(ARCHIVE).tar.gz"

packages: dist archive wheel npm deb
	cd dist && sha256sum $(DIST)*.tar.gz sqlite_mpg-$(VERSION)-*.whl sqlite-mpg-*$(VERSION).tgz *_$(VERSION)*.deb >SHA256SUMS
	@cat dist/SHA256SUMS
