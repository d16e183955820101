# make site: docs/ as one static site with a search, in build/site/html, by Debian's mkdocs. Any web server serves it.
.PHONY: site
site:
	@ext/package/deps.sh site
	rm -rf build/site && mkdir -p build/site
	$(PYTHON) ext/package/site/stage.py build/site
	mkdocs build --quiet --strict -f build/site/mkdocs.yml
	@echo "build/site/html/index.html"
