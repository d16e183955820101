# Turns SQL files into C: awk -f embed_scripts.awk sql/formats/*.sql ... >scripts_data.c
#
# Any awk. A script's name is its path below sql/ without the ending. Lines that are comments alone are
# left out, but for those of the head (--@), which script_head.h explains; line numbers stay.

BEGIN {
  print "/* Made from the files of sql/ by sql/embed_scripts.awk. */"
  print "#include \"../ext/sqlite/scripts/script.h\""
  print ""
  print "const mpg_script mpg_scripts[] = {"
}

FNR == 1 {
  if (NR > 1)
    print "},"
  name = FILENAME
  sub(/^.*sql\//, "", name)
  sub(/\.sql$/, "", name)
  printf "    {\"%s\",", name
}

{
  sub(/\r$/, "")
  line = $0
  if (line ~ /^--/ && line !~ /^--@ /)
    line = ""
  gsub(/\\/, "\\\\\\\\", line)
  gsub(/"/, "\\\\\"", line)
  gsub(/[?]/, "\\\\?", line)
  printf "\n     \"%s\\n\"", line
}

END {
  print "},"
  print "};"
  print ""
  print "const size_t mpg_scripts_count = sizeof mpg_scripts / sizeof *mpg_scripts;"
}
