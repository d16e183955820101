/* names.c - see names.h. */
#include "names.h"
#include "../../base/limits.h"

#define LEAST_SLOTS ((size_t)64)

void mpg_perfetto_names_init(mpg_perfetto_names *names, mpg_poller *poller) {
  *names = (mpg_perfetto_names){.poller = poller};
  mpg_intern_init(&names->texts, poller->env);
}

void mpg_perfetto_names_free(mpg_perfetto_names *names) {
  const mpg_env *env;
  if (names->poller == NULL)
    return;
  env = names->poller->env;
  for (size_t i = 0; i < names->nsequences; i++)
    mpg_free(env, names->sequences[i].clocks);
  mpg_intern_free(&names->texts);
  mpg_hash_index_free(&names->number_index, env);
  mpg_hash_index_free(&names->sequence_index, env);
  mpg_free(env, names->numbers);
  mpg_free(env, names->sequences);
  mpg_free(env, names->repaired.p);
}

/* All that grows with the file counts as texts do. */
static mpg_rc check_room(const mpg_perfetto_names *names, const char *path, int64_t at,
                         mpg_err *err) {
  const int64_t limit = mpg_limit_in(names->poller->env, MPG_LIMIT_PLANE_BYTES);
  const size_t bytes = mpg_intern_bytes(&names->texts) + names->nnumbers * sizeof *names->numbers +
                       names->nsequences * sizeof *names->sequences;
  if (bytes > (uint64_t)limit)
    return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: names of more than %lld bytes", path,
                    (long long)at, (long long)limit);
  return MPG_OK;
}

mpg_rc mpg_perfetto_text(mpg_perfetto_names *names, mpg_str text, const char *path, int64_t at,
                         uint32_t *id, mpg_err *err) {
  const size_t known = names->texts.n;
  mpg_rc rc = mpg_utf8_repair(names->poller, &names->repaired, &text, &names->invalid);
  *id = 0;
  if (rc == MPG_OK && text.n > 0)
    rc = mpg_intern_id(&names->texts, text, id);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  return names->texts.n > known ? check_room(names, path, at, err) : MPG_OK;
}

/* ---- Sequences ---- */

static uint64_t hash_of_sequence(const void *owner, uint32_t number) {
  const mpg_perfetto_names *names = owner;
  const uint32_t id = names->sequences[number].id;
  return mpg_hash(names->poller->env->seed, &id, sizeof id);
}

mpg_rc mpg_perfetto_sequence_get(mpg_perfetto_names *names, uint32_t id, const char *path,
                                 int64_t at, mpg_perfetto_sequence **out, mpg_err *err) {
  const mpg_env *env = names->poller->env;
  uint32_t number;
  size_t slot;
  mpg_rc rc = mpg_hash_index_reserve(&names->sequence_index, env, names->nsequences, LEAST_SLOTS,
                                     hash_of_sequence, names);
  if (rc == MPG_OK)
    rc = mpg_grow(env, &names->sequences, &names->cap_sequences, names->nsequences + 1,
                  sizeof *names->sequences);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  slot = mpg_hash_index_first(&names->sequence_index, mpg_hash(env->seed, &id, sizeof id));
  for (; mpg_hash_index_at(&names->sequence_index, slot, &number);
       slot = mpg_hash_index_next(&names->sequence_index, slot))
    if (names->sequences[number].id == id) {
      *out = &names->sequences[number];
      return MPG_OK;
    }
  names->sequences[names->nsequences] = (mpg_perfetto_sequence){.id = id};
  *out = &names->sequences[names->nsequences];
  mpg_hash_index_put(&names->sequence_index, slot, (uint32_t)names->nsequences++);
  return check_room(names, path, at, err);
}

/* ---- Numbers that stand for texts ---- */

static uint64_t hash_number(const mpg_perfetto_names *names, uint32_t sequence, uint32_t kind,
                            uint64_t number) {
  const uint64_t key[2] = {(uint64_t)sequence << 32 | kind, number};
  return mpg_hash(names->poller->env->seed, key, sizeof key);
}

static uint64_t hash_of_number(const void *owner, uint32_t at) {
  const mpg_perfetto_number *n = &((const mpg_perfetto_names *)owner)->numbers[at];
  return hash_number(owner, n->sequence, n->kind, n->number);
}

/* The number, or the free slot where it belongs. */
static mpg_perfetto_number *find_number(const mpg_perfetto_names *names, uint32_t sequence,
                                        uint32_t kind, uint64_t number, size_t *slot) {
  uint32_t at;
  *slot = mpg_hash_index_first(&names->number_index, hash_number(names, sequence, kind, number));
  for (; mpg_hash_index_at(&names->number_index, *slot, &at);
       *slot = mpg_hash_index_next(&names->number_index, *slot)) {
    mpg_perfetto_number *n = &names->numbers[at];
    if (n->number == number && n->sequence == sequence && n->kind == kind)
      return n;
  }
  return NULL;
}

static mpg_rc add_number(mpg_perfetto_names *names, const mpg_perfetto_sequence *sequence,
                         uint32_t kind, uint64_t number, uint32_t text, mpg_err *err) {
  const mpg_env *env = names->poller->env;
  mpg_perfetto_number *n;
  size_t slot;
  mpg_rc rc = mpg_hash_index_reserve(&names->number_index, env, names->nnumbers, LEAST_SLOTS,
                                     hash_of_number, names);
  if (rc == MPG_OK)
    rc = mpg_grow(env, &names->numbers, &names->cap_numbers, names->nnumbers + 1,
                  sizeof *names->numbers);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  n = find_number(names, sequence->id, kind, number, &slot);
  if (n == NULL) {
    mpg_hash_index_put(&names->number_index, slot, (uint32_t)names->nnumbers);
    n = &names->numbers[names->nnumbers++];
  }
  *n = (mpg_perfetto_number){number, sequence->id, kind, sequence->generation, text};
  return MPG_OK;
}

uint32_t mpg_perfetto_name_find(const mpg_perfetto_names *names,
                                const mpg_perfetto_sequence *sequence, mpg_perfetto_kind kind,
                                uint64_t number) {
  const mpg_perfetto_number *n;
  size_t slot;
  if (names->nnumbers == 0)
    return 0;
  n = find_number(names, sequence->id, (uint32_t)kind, number, &slot);
  return n != NULL && n->generation == sequence->generation ? n->text : 0;
}

/* A number (1) and its text (2), of each of the four. */
static mpg_rc read_number(mpg_perfetto_names *names, const mpg_perfetto_sequence *sequence,
                          uint32_t kind, mpg_proto_message m, mpg_err *err) {
  const int64_t at = m.offset;
  const char *path = m.path;
  uint64_t number = 0;
  mpg_str text = {NULL, 0};
  uint32_t id;
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == 1 && f.type == MPG_PROTO_VARINT)
      number = f.value;
    else if (f.number == 2 && f.type == MPG_PROTO_BYTES)
      text = f.bytes;
    if (mpg_poller_stop(names->poller, 16))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  if (rc != MPG_DONE)
    return rc;
  rc = mpg_perfetto_text(names, text, path, at, &id, err);
  if (rc == MPG_OK)
    rc = add_number(names, sequence, kind, number, id, err);
  return rc == MPG_OK ? check_room(names, path, at, err) : rc;
}

mpg_rc mpg_perfetto_names_read(mpg_perfetto_names *names, const mpg_perfetto_sequence *sequence,
                               mpg_proto_message m, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.type == MPG_PROTO_BYTES &&
        (f.number == MPG_PERFETTO_CATEGORY || f.number == MPG_PERFETTO_NAME ||
         f.number == MPG_PERFETTO_ANNOTATION || f.number == MPG_PERFETTO_STRING))
      rc =
          read_number(names, sequence, f.number, mpg_proto_within(&m, &f, "an interned text"), err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(names->poller, 16))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}
