# Turns SQL files into C: awk -f embed_scripts.awk sql/formats/*.sql ... >scripts_data.c
#
# Any awk. A script's name is its path below sql/ without the ending. Lines that are comments alone are
# left out, but for those of the head (--@), which script.h explains; line numbers stay. Each line
# "--@ table NAME" becomes a table function.

BEGIN {
  print "/* Made from the files of sql/ by sql/embed_scripts.awk. */"
  print "#include \"../ext/sqlite/scripts/script_tables.h\""
  print ""
  print "const mpg_script mpg_scripts[] = {"
}

FNR == 1 {
  if (NR > 1)
    print "},"
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
