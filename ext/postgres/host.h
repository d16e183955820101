/*
** host.h - what the PostgreSQL glue shares: errors, memory and values between the core and the
** server. Every file here includes it first, for postgres.h must come before all else.
*/
#ifndef MPG_POSTGRES_HOST_H
#define MPG_POSTGRES_HOST_H

#include "postgres.h"
#include "fmgr.h"
#if PG_VERSION_NUM < 150000
#error "mpg needs PostgreSQL 15 or newer"
#elif PG_VERSION_NUM >= 160000 /* before, postgres.h has it */
#include "varatt.h"
#endif

#include "../base/base.h"

/* Ends the statement with the core's error as the server's: "WHO: text". That is the function or
** aggregate which was called; of an aggregate over a window, whose name is not told, mpg. */
void mpg_raise(FunctionCallInfo call, const mpg_err *err) pg_attribute_noreturn();
void mpg_raise_as(const char *who, const mpg_err *err) pg_attribute_noreturn();
/* A text of the core for people, in the server's encoding: invalid bytes are written as "\xHH". In
** the current memory context. */
char *mpg_message(const char *text);

/*
** Memory for the core, out of `context`: an error of the server that leaves the core's objects
** after leaves no memory after. Running out is the core's MPG_NOMEM, and a cancelled statement or a
** terminated session its MPG_INTERRUPTED; neither is an error of the server until mpg_raise.
*/
mpg_env mpg_host_env(MemoryContext context);

/* Arguments as the core sees them: MPG_NULL, or the value. Text is borrowed from the call. */
mpg_value mpg_int8_argument(FunctionCallInfo call, int i);
mpg_value mpg_float8_argument(FunctionCallInfo call, int i);
/* A whole number must fit 64 bits, else it would be summed rounded: an error. Others are the
** nearest double. */
mpg_value mpg_numeric_argument(FunctionCallInfo call, int i);
mpg_value mpg_text_argument(FunctionCallInfo call, int i);
/* Of any type ("any" in SQL), as mpg_datum_value. */
mpg_value mpg_any_argument(FunctionCallInfo call, int i);

/*
** A datum that is not NULL, as a value of the core: numbers, and text in UTF-8. A numeric is its
** digits; timestamptz, timestamp and date are ISO 8601, the latter two in UTC; any other type is
** the text that psql shows. Borrowed from the datum, or in the current memory context.
*/
mpg_value mpg_datum_value(Oid type, Datum datum);

/* Raises an error unless the role may read files of the server, as for COPY FROM. */
void mpg_check_reads_files(const char *who);

#endif
