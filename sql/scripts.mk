# The SQL that the extension runs itself, compiled in as text.
SCRIPTS := $(sort $(wildcard sql/formats/*.sql sql/sources/*.sql sql/questions/*.sql) sql/build.sql sql/device.sql sql/device_views.sql sql/hta.sql sql/tracelens.sql \
           sql/profile_diff.sql sql/training_steps.sql sql/serve_tokens.sql sql/columns.sql)
SRC += build/scripts_data.c

# A file that is long reads parts, from the folder of its name.
SCRIPT_PARTS := $(sort $(wildcard sql/formats/*/*.sql sql/sources/*/*.sql sql/build/*.sql))

build/scripts_data.c: sql/embed_scripts.awk $(SCRIPTS) $(SCRIPT_PARTS)
	@mkdir -p $(@D)
	LC_ALL=C awk -f sql/embed_scripts.awk $(SCRIPTS) >$@.new
	@mv $@.new $@
