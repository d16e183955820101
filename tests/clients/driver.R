# driver.R - answers queries.sql through R's RSQLite: Rscript driver.R EXTENSION QUERIES; see docs/clients.md.
library(DBI)

arguments <- commandArgs(trailingOnly = TRUE)
# Integers that need more than 32 bits; as numbers they would be rounded above 2^53.
db <- dbConnect(RSQLite::SQLite(), ":memory:", bigint = "integer64")
invisible(dbGetQuery(db, "SELECT load_extension(?)", params = list(arguments[1])))

quoted <- function(text) {
  for (pair in list(c("\\", "\\\\"), c("\"", "\\\""), c("\n", "\\n"), c("\t", "\\t")))
    text <- gsub(pair[1], pair[2], text, fixed = TRUE)
  paste0("\"", text, "\"")
}
listed <- function(values) paste0("[", paste(values, collapse = ", "), "]")

real <- function(value) {
  text <- sprintf("%.17g", value)
  if (grepl("[.e]", text)) text else paste0(text, ".0")
}

plain <- function(column, row) {
  value <- column[[row]]
  if (is.list(column))
    return(if (is.null(value)) "null" else paste0("{\"blob\": \"", paste(value, collapse = ""), "\"}"))
  if (is.na(value)) return("null")
  if (inherits(value, "integer64")) return(as.character(value))
  if (is.double(value)) return(if (is.infinite(value)) ifelse(value < 0, "-1e999", "1e999") else real(value))
  if (is.character(value)) quoted(value) else as.character(value)
}

text <- paste(readLines(arguments[2], encoding = "UTF-8"), collapse = "\n")
last <- NULL
for (part in strsplit(text, "\n-- ", fixed = TRUE)[[1]][-1]) {
  name <- sub("\n.*", "", part)
  query <- sub("^[^\n]*\n", "", part)
  answer <- tryCatch({
    found <- if (grepl("?1", query, fixed = TRUE)) dbGetQuery(db, query, params = unname(as.list(last))) else dbGetQuery(db, query)
    count <- nrow(found)
    if (count > 0) last <- found[count, , drop = FALSE]
    rows <- vapply(seq_len(count), function(row) listed(vapply(found, plain, "", row)), "")
    paste0("\"columns\": ", listed(quoted(names(found))), ", \"rows\": ", listed(rows))
  }, error = function(e) paste0("\"error\": ", quoted(conditionMessage(e))))
  cat("{\"name\": ", quoted(name), ", ", answer, "}\n", sep = "")
}
