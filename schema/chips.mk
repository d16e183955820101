# The chip catalogue, compiled in: the two CSV files as tables of C.
SRC += build/chips_data.c

build/chips_data.c: schema/embed_chips.awk schema/chips.csv schema/chip_aliases.csv
	@mkdir -p $(@D)
	LC_ALL=C awk -f $^ >$@
