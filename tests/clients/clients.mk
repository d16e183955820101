# make test-clients: the queries of tests/clients in every client there is, and what BI tools see of a database. Those that are missing are
# installed: Debian's from its packages, the others from npm into build/clients. make test runs those that are there.
NODE_CLIENTS = node@24 bun@1 better-sqlite3@12
INSTALLED = $(NODE_CLIENTS:%=build/clients/%.installed)

.PHONY: test-clients clients
test-clients: clients
	+@MPG_CLIENTS=1 $(PYTHON) tests/run test_clients test_bi test_wheel test_npm test_semantic test_beside_readers test_statements

clients:
	@ext/package/deps.sh clients
	@$(MAKE) --no-print-directory -s $(INSTALLED)

# better-sqlite3 is built from source, by the node that is installed, where no binary of it can be fetched.
$(INSTALLED): build/clients/%.installed:
	@mkdir -p build/clients/$(word 1,$(subst @, ,$*))
	@echo "Installing $* from npm"
	npm install --silent --no-audit --no-fund --prefix build/clients/$(word 1,$(subst @, ,$*)) $*
	@touch $@
