# The chip catalogue, compiled in: the three CSV files as tables of C.
SRC += build/chips_data.c

build/chips_data.c: schema/embed_chips.awk schema/chip_devices.csv schema/chips.csv schema/chip_aliases.csv
	@mkdir -p $(@D)
	LC_ALL=C awk -f $^ >$@
