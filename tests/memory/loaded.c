/*
** loaded.c - the mpg.so that is shipped, in SQLite's shared library, with failing allocations:
**
**     loaded names LIBRARY            the functions and tables that the statements use, one a line
**     loaded sqlite LIBRARY STRIDE    every STRIDE-th allocation by SQLite's allocator
**     loaded libc LIBRARY STRIDE      every STRIDE-th call of malloc and its like that comes from
**                                     libraries, libc (qsort, folders) or the loader (threads)
**
** The dynamic linker binds every library to this program's own malloc, without LD_PRELOAD; it looks
** at the return address to know its caller.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdint.h>

#include "sweep.h"

static const char *library;

static int load_extension(sqlite3 *db) {
  char *error = NULL;
  int rc = sqlite3_enable_load_extension(db, 1);
  if (rc == SQLITE_OK)
    rc = sqlite3_load_extension(db, library, NULL, &error);
  sqlite3_free(error);
  return rc;
}

/* ---- libc's arena ---- */

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): glibc's own names of
** what is replaced */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);
extern void __libc_free(void *p);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static arena of_libc = {"libc", 0, 0, false, false, false};

/* Where a library's code lies, and how often it was refused memory. */
typedef struct range {
  const char *name;
  uintptr_t from, to;
  bool ours;   /* this program: never refused */
  bool loader; /* keeps what belongs to a thread for the next thread */
  long failed;
} range;
static range ranges[64];
static int nranges;

static int add_range(struct dl_phdr_info *info, size_t size, void *n) {
  const char *base = strrchr(info->dlpi_name, '/');
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type == PT_LOAD && (h->p_flags & PF_X) && nranges < 64) {
      range *r = &ranges[nranges++];
      r->name = base == NULL ? info->dlpi_name : base + 1;
      r->from = info->dlpi_addr + h->p_vaddr;
      r->to = r->from + h->p_memsz;
      r->ours = *(int *)n == 0;
      r->loader = strncmp(r->name, "ld-linux", 8) == 0;
    }
  }
  ++*(int *)n;
  return 0;
}

/* The caller's library; NULL: ours, or not known yet. */
static range *caller(const void *address) {
  for (int i = 0; i < nranges; i++)
    if ((uintptr_t)address >= ranges[i].from && (uintptr_t)address < ranges[i].to)
      return ranges[i].ours ? NULL : &ranges[i];
  return NULL;
}

static bool refused(const void *address) {
  range *r = of_libc.armed ? caller(address) : NULL;
  if (r == NULL || !fails(&of_libc))
    return false;
  r->failed++;
  errno = ENOMEM;
  return true;
}

/* Blocks of the arena that live: free() says nothing about who asked for them. Open addressing. */
enum { SLOTS = 1 << 16 };
static void *blocks[SLOTS];
static int graves;

static size_t slot(const void *p) {
  return (size_t)(((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15ull >> 48);
}

static void *born(const void *address, void *p) {
  range *r = p != NULL && of_libc.armed ? caller(address) : NULL;
  if (r != NULL && !r->loader) {
    size_t i = slot(p);
    (void)pthread_mutex_lock(&lock);
    while (blocks[i] != NULL && blocks[i] != blocks)
      i = (i + 1) % SLOTS;
    blocks[i] = p;
    of_libc.live++;
    (void)pthread_mutex_unlock(&lock);
  }
  return p;
}

static bool died(void *p) {
  bool found = false;
  (void)pthread_mutex_lock(&lock);
  for (size_t i = slot(p); !found && blocks[i] != NULL; i = (i + 1) % SLOTS)
    if (blocks[i] == p) {
      blocks[i] = blocks; /* a grave: the search goes on behind it */
      of_libc.live--;
      found = true;
    }
  graves += found;
  if (graves > 0 && of_libc.live == 0 && !of_libc.armed) {
    memset(blocks, 0, sizeof blocks);
    graves = 0;
  }
  (void)pthread_mutex_unlock(&lock);
  return found;
}

__attribute__((noinline)) void *malloc(size_t n) {
  const void *from = __builtin_return_address(0);
  return refused(from) ? NULL : born(from, __libc_malloc(n));
}

__attribute__((noinline)) void *calloc(size_t n, size_t size) {
  const void *from = __builtin_return_address(0);
  return refused(from) ? NULL : born(from, __libc_calloc(n, size));
}

__attribute__((noinline)) void *realloc(void *p, size_t n) {
  const void *from = __builtin_return_address(0);
  void *q;
  if (n > 0 && refused(from))
    return NULL;
  if (p != NULL)
    (void)died(p);
  q = __libc_realloc(p, n);
  return born(from, q);
}

__attribute__((noinline)) void *memalign(size_t alignment, size_t n) {
  const void *from = __builtin_return_address(0);
  return refused(from) ? NULL : born(from, __libc_memalign(alignment, n));
}

__attribute__((noinline)) void *aligned_alloc(size_t alignment, size_t n) {
  const void *from = __builtin_return_address(0);
  return refused(from) ? NULL : born(from, __libc_memalign(alignment, n));
}

__attribute__((noinline)) int posix_memalign(void **p, size_t alignment, size_t n) {
  const void *from = __builtin_return_address(0);
  *p = refused(from) ? NULL : born(from, __libc_memalign(alignment, n));
  return *p == NULL ? ENOMEM : 0;
}

void free(void *p) {
  if (p != NULL && nranges > 0)
    (void)died(p);
  __libc_free(p);
}

/* ---- names ---- */

static int print_name(void *ctx, int action, const char *first, const char *second,
                      const char *schema, const char *within) {
  (void)ctx, (void)schema, (void)within;
  if (action == SQLITE_FUNCTION || action == SQLITE_CREATE_VTABLE)
    (void)printf("%s\n", second);
  else if (action == SQLITE_READ)
    (void)printf("%s\n", first);
  return SQLITE_OK;
}

static void names(void) {
  for (int i = 0; i < STATEMENTS; i++) {
    sqlite3 *db = prepared();
    sqlite3_str *out = sqlite3_str_new(NULL);
    int rc = load_extension(db);
    CHECK(rc == SQLITE_OK && sqlite3_set_authorizer(db, print_name, NULL) == SQLITE_OK);
    for (const char *next = statements[i]; rc == SQLITE_OK && *next != '\0';)
      rc = query(db, next, out, &next);
    if (rc != SQLITE_OK)
      (void)fprintf(stderr, "%s: %s\n", sqlite3_errmsg(db), statements[i]);
    CHECK(rc == SQLITE_OK);
    sqlite3_free(sqlite3_str_finish(out));
    CHECK(sqlite3_close(db) == SQLITE_OK);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  long stride = argc > 3 ? strtol(argv[3], NULL, 10) : 1, points = 0;
  library = argc > 2 ? argv[2] : NULL;
  sweep_begin();
  if (strcmp(what, "names") == 0) {
    names();
  } else if (strcmp(what, "sqlite") == 0) {
    points = sweep_all(&of_sqlite, stride);
  } else if (strcmp(what, "libc") == 0) {
    int n = 0;
    sqlite3 *db = prepared(); /* loads all libraries, which stay */
    CHECK(load_extension(db) == SQLITE_OK && sqlite3_close(db) == SQLITE_OK);
    (void)dl_iterate_phdr(add_range, &n);
    points = sweep_all(&of_libc, stride);
    for (int i = 0; i < nranges; i++)
      if (ranges[i].failed)
        (void)printf("refused %s %ld\n", ranges[i].name, ranges[i].failed);
  } else {
    (void)fprintf(stderr, "usage: loaded names|sqlite|libc LIBRARY [STRIDE]\n");
    return 2;
  }
  sweep_end();
  (void)printf("points %ld\n", points);
  return check_done("loaded");
}
