# The SQL that the extension runs itself, compiled in as text.
SCRIPTS := $(sort $(wildcard sql/formats/*.sql sql/sources/*.sql sql/questions/*.sql) sql/build.sql sql/device.sql sql/device_views.sql sql/hta.sql sql/tracelens.sql \
           sql/profile_diff.sql sql/training_steps.sql sql/serve_tokens.sql sql/columns.sql)
SRC += build/scripts_data.c

build/scripts_data.c: sql/embed_scripts.awk $(SCRIPTS)
	@mkdir -p $(@D)
	LC_ALL=C awk -f $^ >$@
