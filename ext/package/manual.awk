# mpg.7 as it is installed: docs/mpg.7 with the table functions of docs/formats/*.md, which are given before it. Each page has
# its format's name as its heading, and for each table function a line like `    swf_trace(path, on_error)`.
FNR == 1 {
  is_page = FILENAME ~ /\.md$/
  heading = substr($0, 3)
  page = FILENAME
  sub(/.*\//, "", page)
}
is_page && /^    [a-z_]+\(path[,)]/ {
  name = $1
  sub(/\(.*/, "", name)
  if (page in tables) {
    tables[page] = tables[page] " ,\\  " name
  } else {
    tables[page] = name
    headings[page] = heading
    order[++pages] = page
  }
}
is_page { next }
{ print }
/^\.\\" formats:/ {
  for (i = 1; i <= pages; i++) {
    page = order[i]
    printf ".TP\n.%s %s\n%s (docs/formats/%s)\n", tables[page] ~ / / ? "BR" : "B", tables[page], headings[page], page
  }
}
