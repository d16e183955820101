# make dist: dist/mpg-VERSION.tar.gz, which builds offline; make deb: Debian packages of it; make npm: packages for node.
DIST = mpg-$(VERSION)
TRIPLET = $(shell $(CC) -dumpmachine)

.PHONY: dist deb npm
dist:
	@mkdir -p dist
	git -c safe.directory='*' archive --format=tar.gz --prefix=$(DIST)/ -o dist/$(DIST).tar.gz HEAD
	@echo "dist/$(DIST).tar.gz"

deb: dist
	@ext/package/deps.sh package
	rm -rf build/deb && mkdir -p build/deb
	tar -xzf dist/$(DIST).tar.gz -C build/deb
	cp -r build/deb/$(DIST)/ext/package/debian build/deb/$(DIST)/debian
	cd build/deb/$(DIST) && dpkg-buildpackage --build=binary --no-sign >../log 2>&1 || { cat ../log >&2; exit 1; }
	@mv build/deb/*.deb dist && ls dist/*.deb

# Two packages, as npm wants native code: one that finds the library, one that holds it for this machine.
npm: mpg.so
	rm -rf build/npm && mkdir -p build/npm
	cp -r ext/package/npm/sqlite-mpg build/npm/sqlite-mpg
	sed -i 's/@version@/$(VERSION)/g' build/npm/sqlite-mpg/package.json
	PLATFORM=$$(node -p 'process.platform + "-" + process.arch') && \
	  mkdir build/npm/sqlite-mpg-$$PLATFORM && cp mpg.so build/npm/sqlite-mpg-$$PLATFORM && \
	  sed -e 's/@version@/$(VERSION)/g' -e "s/@platform@/$$PLATFORM/g" -e "s/@os@/$${PLATFORM%-*}/" -e "s/@cpu@/$${PLATFORM#*-}/" \
	    ext/package/npm/platform.json >build/npm/sqlite-mpg-$$PLATFORM/package.json
	@mkdir -p dist
	cd dist && for p in ../build/npm/*; do npm pack --silent $$p; done
