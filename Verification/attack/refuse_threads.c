// This library is preloaded into the stress tests. It makes pthread_create fail
// with EAGAIN during the first REFUSE_MS of every REFUSE_EVERY_MS. The
// start of a worker is tried once, and then retried by a separate thread, so a
// worker that is refused starts after the end of REFUSE_MS.
//
// It affects only calls that pass attributes and come from the program itself.
// These are the calls that start the scheduler's workers. The tests' own
// threads pass no attributes, and other libraries are not affected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static long milliseconds(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value == NULL ? otherwise : atol(value);
}

static int is_refused(const pthread_attr_t *attributes, const void *caller) {
  Dl_info info;
  if (attributes == NULL || dladdr(caller, &info) == 0) return 0;
  if (strstr(info.dli_fname, ".so") != NULL) return 0;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long every = milliseconds("REFUSE_EVERY_MS", 100);
  long elapsed = now.tv_sec * 1000 + now.tv_nsec / 1000000;
  return every > 0 && elapsed % every < milliseconds("REFUSE_MS", 30);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *context) {
  if (is_refused(attributes, __builtin_return_address(0))) return EAGAIN;
  create *original = (create *)dlsym(RTLD_NEXT, "pthread_create");
  return original(thread, attributes, body, context);
}
