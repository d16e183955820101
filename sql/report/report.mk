# make report: build/report/template.html, which is sql/report/template.html with Vega and Vega-Lite in it, from npm.
# sql/report/mpg-report draws charts with it; without it a report is figures and tables. `make install` takes what is there.
VEGA = vega@6.4.0 vega-lite@6.4.3

.PHONY: report
report: build/report/template.html

build/report/template.html: sql/report/template.html sql/report/report.mk
	@command -v npm >/dev/null || { echo "make report needs npm, once, to fetch Vega; without it reports have tables and no charts." >&2; exit 1; }
	@mkdir -p build/report
	npm install --prefix build/report --silent --ignore-scripts --no-audit --no-fund --no-save $(VEGA)
	@# Licences go along; what would end the script or the page is kept from doing so.
	for p in vega vega-lite; do echo '/*'; cat build/report/node_modules/$$p/LICENSE; echo '*/'; \
	  cat build/report/node_modules/$$p/build/$$p.min.js; echo; done | sed -e 's|</script|<\\/script|g' -e '/^\/\/# sourceMappingURL/d' >build/report/vega.js
	sed '/^\/\*mpg:vega\*\/$$/r build/report/vega.js' sql/report/template.html >$@
