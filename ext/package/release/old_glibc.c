/*
** old_glibc.c - makes what is linked here load with an older glibc: for make release.
**
** glibc 2.32 to 2.38 gave new versions to calls that older ones have by other names or in other
** libraries. The linker sends these calls here (--wrap), and each asks for the oldest version.
*/
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#if defined __x86_64__
#define OLDEST "GLIBC_2.2.5"
#define STAT_VERSION 1 /* of struct stat */
#elif defined __aarch64__
#define OLDEST "GLIBC_2.17"
#define STAT_VERSION 0
#else
#error "make release knows the oldest glibc of x86-64 and arm64 alone"
#endif

/* Declares old_NAME, the oldest version of NAME, and NAME's wrapper. */
#define WRAPPED(type, name, parameters) type __wrap_##name parameters
#define OLD(type, name, parameters)                                                                \
  __asm__(".symver old_" #name "," #name "@" OLDEST);                                              \
  type old_##name parameters;                                                                      \
  WRAPPED(type, name, parameters)

OLD(int, pthread_create,
    (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument));
OLD(int, pthread_join, (pthread_t thread, void **result));
OLD(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before));
OLD(void *, dlopen, (const char *path, int mode));
OLD(void *, dlsym, (void *library, const char *name));
OLD(int, dlclose, (void *library));
__asm__(".symver old_xstat,__xstat@" OLDEST);
__asm__(".symver old_lxstat,__lxstat@" OLDEST);
__asm__(".symver old_fxstat,__fxstat@" OLDEST);
int old_xstat(int version, const char *path, struct stat *st);
int old_lxstat(int version, const char *path, struct stat *st);
int old_fxstat(int version, int fd, struct stat *st);
__asm__(".symver old_strtoul,strtoul@" OLDEST);
unsigned long old_strtoul(const char *text, char **end, int base);
WRAPPED(unsigned long, __isoc23_strtoul, (const char *text, char **end, int base));
WRAPPED(int, __isoc23_fscanf, (FILE * file, const char *format, ...));
WRAPPED(int, stat, (const char *path, struct stat *st));
WRAPPED(int, lstat, (const char *path, struct stat *st));
WRAPPED(int, fstat, (int fd, struct stat *st));

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *argument) {
  return old_pthread_create(thread, attr, run, argument);
}

int __wrap_pthread_join(pthread_t thread, void **result) {
  return old_pthread_join(thread, result);
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
  return old_pthread_sigmask(how, set, before);
}

void *__wrap_dlopen(const char *path, int mode) {
  return old_dlopen(path, mode);
}

void *__wrap_dlsym(void *library, const char *name) {
  return old_dlsym(library, name);
}

int __wrap_dlclose(void *library) {
  return old_dlclose(library);
}

int __wrap_stat(const char *path, struct stat *st) {
  return old_xstat(STAT_VERSION, path, st);
}

int __wrap_lstat(const char *path, struct stat *st) {
  return old_lxstat(STAT_VERSION, path, st);
}

int __wrap_fstat(int fd, struct stat *st) {
  return old_fxstat(STAT_VERSION, fd, st);
}

/* What a libuuid of glibc 2.38 asks for, whose numbers may be binary, as C23 has them. */
unsigned long __wrap___isoc23_strtoul(const char *text, char **end, int base) {
  return old_strtoul(text, end, base);
}

int __wrap___isoc23_fscanf(FILE *file, const char *format, ...) {
  va_list values;
  int n;
  va_start(values, format);
  n = vfscanf(file, format, values);
  va_end(values);
  return n;
}
