# mpg: see README.md. `make` builds mpg.so and libmpg.a, `make demo` answers a question, `make test` tests.
CC ?= cc
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Werror
HARDEN = -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
STD = -std=gnu11 -fPIC -fvisibility=hidden
LIBS = -lz -lzstd -luuid -lm -lpthread
COMMIT := $(shell git rev-parse --short HEAD 2>/dev/null || echo release)
PYTHON = /usr/bin/python3

SRC := $(sort $(wildcard ext/*.c ext/core/*.c ext/io/*.c ext/sql/*.c))
-include schema/chips.mk
OBJ := $(SRC:%.c=build/%.o)
STATIC_OBJ := $(SRC:%.c=build/static/%.o)

.PHONY: all
all: mpg.so libmpg.a

mpg.so: $(OBJ)
	$(CC) -shared -Wl,-soname,mpg.so -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS) -o $@ $^ $(LIBS)

libmpg.a: $(STATIC_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

build/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(WARN) $(HARDEN) -DMPG_COMMIT='"$(COMMIT)"' -MMD -MP -c -o $@ $<

build/static/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(WARN) $(HARDEN) -DSQLITE_CORE -DMPG_COMMIT='"$(COMMIT)"' -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d) $(STATIC_OBJ:.o=.d)

.PHONY: clean
clean:
	rm -rf build mpg.so libmpg.a
