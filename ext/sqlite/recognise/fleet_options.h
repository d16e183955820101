/*
** fleet_options.h - the options that a source of a fleet file can have, and what each can be.
*/
#ifndef MPG_FLEET_OPTIONS_H
#define MPG_FLEET_OPTIONS_H

#include "../../read/parse/json_records.h"
#include "script.h"

/*
** Checks one option. MPG_DATA: its name is none, with the nearest that is one; or its value cannot
** be right ("option \"chips\": expected a number above 0, found \"many\""). MPG_NOMEM, MPG_IO: of
** the zone's file. null is as good as not given.
*/
mpg_rc mpg_fleet_option_check(const mpg_env *env, const mpg_json_member *option, mpg_err *err);

/* Whether it is an option of every source, whatever the format of its files. */
bool mpg_is_general_option(mpg_str name);
/* Whether the script has an option of that name, which is a parameter and no input of it. */
bool mpg_script_has_option(const mpg_script *script, mpg_str name);

/* Whether the script's option `chips` is what counts as a chip, as "slots", and not how many. */
bool mpg_script_counts(const mpg_script *script);

/*
** Whether the option `job` is a pattern over the paths of files (pattern.h): it has a named group,
** which is (?<job>...) or (?P<job>...).
*/
bool mpg_is_job_pattern(mpg_str job);

#endif
