# Turns the chip catalogue into C: awk -f embed_chips.awk chip_devices.csv chips.csv chip_aliases.csv >chips_data.c
#
# Any awk. The files are plain CSV: a header line, no quotes, no commas within a field; anything else
# stops the build and names the line. An empty number is unknown (NAN, for the year 0).

BEGIN {
  FS = ","
  wanted[1] = "chip,devices,unit,source"
  wanted[2] = "chip,vendor,year,dtype,peak_flops,hbm_bytes,hbm_bytes_per_s,ici_bytes_per_s,tdp_w,source"
  wanted[3] = "device_name,chip"
  number = "^[0-9]+([.][0-9]+)?(e[+-]?[0-9]+)?$"
  print "/* Made from schema/chips.csv, chip_devices.csv and chip_aliases.csv by schema/embed_chips.awk. */"
  print "#include \"../ext/program/chips_data.h\""
  print ""
  print "#include <math.h>"
}

function stop(what) {
  printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
  failed = 1
  exit 1
}

function count(table) {
  return "const size_t " table "_count = sizeof " table " / sizeof *" table ";"
}

function text(s) {
  return s == "" ? "NULL" : "\"" s "\""
}

function real(s) {
  if (s == "")
    return "(double)NAN"
  if (s !~ number)
    stop("expected a number, found '" s "'")
  return s ~ /[.e]/ ? s : s ".0"
}

{ sub(/\r$/, "") }

FNR == 1 {
  file++
  if ($0 != wanted[file])
    stop("expected the header " wanted[file])
  columns = NF
  if (file == 2)
    print "\nconst mpg_chip_row mpg_chips_builtin[] = {"
  if (file == 3)
    print "};\n" count("mpg_chips_builtin") "\n\nconst mpg_chip_alias mpg_chips_builtin_alias[] = {"
  next
}

NF != columns || /["\\]/ { stop("expected " columns " plain fields") }

file == 1 {
  if ($1 == "" || $2 !~ /^[1-9][0-9]*$/ || $3 == "")
    stop("expected a chip, its devices and what it is")
  devices[$1] = $2
  unit[$1] = $3
}

file == 2 {
  if (!($1 in devices))
    stop("no chip '" $1 "' in chip_devices.csv")
  if ($1 == "" || $4 == "" || $5 == "" || $10 == "")
    stop("expected a chip, a dtype, a peak and a source")
  if ($3 !~ /^[0-9]*$/)
    stop("expected a year, found '" $3 "'")
  known[$1] = 1
  printf "    {%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s},\n", text($1), text($2), text($4), text($10), \
    text(unit[$1]), $3 == "" ? "0" : $3, devices[$1], real($5), real($6), real($7), real($8), real($9)
}

file == 3 {
  if (!($2 in known))
    stop("no chip '" $2 "'")
  printf "    {%s, %s},\n", text($1), text($2)
}

END {
  if (failed)
    exit 1
  print "};\n" count("mpg_chips_builtin_alias")
}
