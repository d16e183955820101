/*
** group_sorter.h - sorts records into groups: stores them packed until the last is in, then returns
** them group by group, the groups sorted and the records of each in the order of arrival.
**
** A number is stored as the difference from the one before it in its group, a text as its id among
** all texts: most values take one to three bytes.
*/
#ifndef MPG_GROUP_SORTER_H
#define MPG_GROUP_SORTER_H

#include "../../base/intern.h"

#define MPG_GROUP_SORTER_KEYS 4
#define MPG_GROUP_SORTER_VALUES 16

typedef struct mpg_group_sorter mpg_group_sorter;

/* Records of so many keys and values, at least one of either, in about `most` bytes of memory. */
mpg_rc mpg_group_sorter_open(mpg_group_sorter **out, const mpg_env *env, size_t n_keys,
                             size_t n_values, size_t most, mpg_err *err);
void mpg_group_sorter_close(mpg_group_sorter *gather); /* NULL is fine */

/* One more: its keys are texts or NULL, and all is copied. MPG_LIMIT: it is more than `most`; that,
** MPG_NOMEM and MPG_INTERRUPTED come without a text, and nothing but mpg_group_sorter_close may
** follow. */
mpg_rc mpg_group_sorter_add(mpg_group_sorter *gather, const mpg_value *keys,
                            const mpg_value *values);

/* Behind the last: groups in BINARY order of their keys, NULL first, or the other way round.
** `descending` is the caller's. */
mpg_rc mpg_group_sorter_sort(mpg_group_sorter *gather, const bool descending[MPG_GROUP_SORTER_KEYS],
                             mpg_err *err);

/* The next record; false: there is none. Values are valid until the next call; a text as long as
** the sorter, and its `i` is its id among the texts. */
bool mpg_group_sorter_next(mpg_group_sorter *gather);
const mpg_value *mpg_group_sorter_key(const mpg_group_sorter *gather, size_t i);
const mpg_value *mpg_group_sorter_value(const mpg_group_sorter *gather, size_t i);
const mpg_intern *mpg_group_sorter_texts(const mpg_group_sorter *gather);

#endif
