# Turns SQL files into C: awk -f embed_scripts.awk sql/formats/*.sql ... >scripts_data.c
#
# Any awk. A script's name is its path below sql/ without the ending. Lines that are comments alone are
# left out. Those of the head (--@), which script.h explains, are a text of their own, but "--@ if",
# "--@ end" and "--@ part" stay where they are. Each line "--@ table NAME" becomes a table function, each
# line "--@ extends NAME" a name in mpg_user_tables.
#
# A line ".read PATH" stands for the part at PATH, which may have parts of its own. It is sqlite3's own
# command, so the shell runs such a file as it is, in the root of the repository. With -v whole=1 the
# output is the SQL with its parts, for those who run it elsewhere.

function fail(why) {
  failed = 1
  printf "%s:%d: %s\n", FILENAME, FNR, why | "cat 1>&2"
  exit 1
}

# (A replacement of a backslash and "&" is one that every awk reads alike.)
function literal(line) {
  gsub(/[\\"?]/, "\\\\&", line)
  return "\n     \"" line "\\n\""
}

function put_line(line) {
  if (whole) {
    print line
    return
  }
  sub(/\r$/, "", line)
  if (line ~ /^--@ (if |end$|part )/) {
    printf "%s", literal(line)
    return
  }
  if (line ~ /^--@ / && line !~ /^--@ extends /)
    heads = heads literal(line)
  printf "%s", literal(line ~ /^--/ ? "" : line)
}

function end_script() {
  print ","
  print (heads == "" ? "\"\"" : heads) "},"
  heads = ""
}

function path_of(line) {
  sub(/^\.read /, "", line)
  sub(/\r$/, "", line)
  return line
}

function put_part(path,   line, got) {
  while ((got = (getline line < path)) > 0)
    if (line ~ /^\.read /)
      put_part(path_of(line))
    else
      put_line(line)
  if (got < 0)
    fail("expected a file that can be read, found none: " path)
  close(path)
}

BEGIN {
  if (!whole) {
    print "/* Made from the files of sql/ by sql/embed_scripts.awk. */"
    print "#include \"../ext/sqlite/scripts/script_tables.h\""
    print ""
    print "const mpg_script mpg_scripts[] = {"
  }
}

FNR == 1 && !whole {
  if (NR > 1)
    end_script()
  scripts++
  name = FILENAME
  sub(/^.*sql\//, "", name)
  sub(/\.sql$/, "", name)
  printf "    {\"%s\",", name
}

/^--@ table / {
  tables++
  table[tables] = $3
  over_files[tables] = $4 == "-" ? "false" : "true"
  of[tables] = scripts - 1
}

/^--@ extends / {
  if (!($3 in extended))
    extended[$3] = ++users
  user_table[extended[$3]] = $3
}

/^\.read / {
  put_part(path_of($0))
  next
}

{ put_line($0) }

END {
  if (failed || whole)
    exit failed + 0
  end_script()
  print "};"
  print ""
  print "const size_t mpg_scripts_count = sizeof mpg_scripts / sizeof *mpg_scripts;"
  print ""
  print "const char *const mpg_user_tables[] = {"
  for (i = 1; i <= users; i++)
    printf "    \"%s\",\n", user_table[i]
  print "    NULL};"
  print ""
  print "const mpg_script_table mpg_script_tables[] = {"
  for (i = 1; i <= tables; i++)
    printf "    {\"%s\", %d, %s},\n", table[i], of[i], over_files[i]
  print "};"
  print "const size_t mpg_script_tables_count = sizeof mpg_script_tables / sizeof *mpg_script_tables;"
  print ""
  print "const mpg_module mpg_script_modules[] = {"
  for (i = 1; i <= tables; i++)
    printf "    {\"%s\", &mpg_script_module, %d},\n", table[i], i - 1
  print "};"
}
