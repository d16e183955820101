# make web: build/web/mpg.html, one page that takes trace files and answers SQL about them in the browser, by WebAssembly.
# make test-web: the page in Chromium, on the fixtures, beside the shell.
.PHONY: web test-web
web: build/chips_data.c build/scripts_data.c
	@ext/package/deps.sh web
	@ext/package/web/sources.sh build/web/sources
	@$(MAKE) --no-print-directory -f ext/package/web/build.mk COMMIT=$(COMMIT)
	$(PYTHON) ext/package/web/build_page.py build/web/mpg.js build/web/mpg.html

test-web: mpg.so web
	@tests/run test_web
