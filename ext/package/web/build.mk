# The second half of make web: what is below build/web/sources (sources.sh), and the extension, as WebAssembly.
# Emscripten's own optimizer asks for a module that Debian keeps where another node does not look.
export NODE_PATH := $(NODE_PATH):/usr/share/nodejs
EMCC ?= emcc
OUT = build/web
LIBRARIES = $(OUT)/sources
SRC := $(sort $(filter-out ext/postgres/% ext/package/%,$(shell find -H ext -name "*.c"))) ext/package/web/query.c ext/package/release/uuid_sha1.c \
  build/chips_data.c build/scripts_data.c
ZLIB := $(addprefix $(LIBRARIES)/zlib/,adler32.c crc32.c inflate.c inffast.c inftrees.c zutil.c)
ZSTD := $(wildcard $(LIBRARIES)/zstd/lib/common/*.c $(LIBRARIES)/zstd/lib/decompress/*.c)
PCRE2 := $(patsubst %,$(LIBRARIES)/pcre2/src/pcre2_%.c,auto_possess chartables compile config context convert dfa_match error extuni find_bracket \
  jit_compile maketables match match_data newline ord2utf pattern_info script_run serialize string_utils study substitute substring tables ucd valid_utf xclass)
UUID := $(patsubst %,$(LIBRARIES)/uuid/libuuid/src/%.c,pack unpack parse unparse clear compare copy isnull predefined)
SQLITE := $(LIBRARIES)/sqlite/sqlite3.c
object = $(patsubst %.c,$(OUT)/%.o,$(subst $(OUT)/,,$(1)))
OBJ := $(call object,$(SRC) $(ZLIB) $(ZSTD) $(PCRE2) $(UUID) $(SQLITE))

FLAGS = -O2
$(call object,$(SRC)): FLAGS += -std=gnu11 -Wall -Wno-unknown-pragmas -DSQLITE_CORE -DMPG_COMMIT='"$(COMMIT)"' -I$(LIBRARIES)/include
$(call object,$(ZSTD)): FLAGS += -DZSTD_DISABLE_ASM
$(call object,$(PCRE2)): FLAGS += -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_UNICODE -I$(LIBRARIES)/pcre2/src
$(call object,$(UUID)): FLAGS += -DHAVE_NANOSLEEP -D_GNU_SOURCE -I$(LIBRARIES)/uuid/include -I$(LIBRARIES)/uuid/libuuid/src
$(call object,$(SQLITE)): FLAGS += -DSQLITE_THREADSAFE=2 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_TEMP_STORE=3

$(OUT)/mpg.js: $(OBJ) ext/package/web/build.mk
	@echo "emcc -o $@" && $(EMCC) -O2 $(OBJ) -o $@ -lworkerfs.js -s ENVIRONMENT=worker -s MODULARIZE=1 -s EXPORT_NAME=mpgModule -s FORCE_FILESYSTEM=1 \
	  -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=64MB -s MAXIMUM_MEMORY=2GB -s TOTAL_STACK=4MB -s EXPORTED_RUNTIME_METHODS=FS,ccall

$(OUT)/%.o: %.c
	@echo "emcc $<" && mkdir -p $(@D) && $(EMCC) $(FLAGS) -MMD -MP -c -o $@ $<
$(OUT)/sources/%.o: $(LIBRARIES)/%.c
	@echo "emcc $<" && mkdir -p $(@D) && $(EMCC) $(FLAGS) -c -o $@ $<
-include $(patsubst %.o,%.d,$(call object,$(SRC)))
