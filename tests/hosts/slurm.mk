# make test-slurm: shards as a job array, on a private Slurm (tests/support/slurm_cluster.py), whose programs it installs where they are missing.
# make test runs it where they are there.
.PHONY: test-slurm
test-slurm:
	@ext/package/deps.sh slurm
	+@MPG_SLURM=1 $(PYTHON) tests/run test_shards
