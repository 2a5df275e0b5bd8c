#define _GNU_SOURCE
#include "closes.h"

#if defined(__linux__)

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int of_none;

int close(int descriptor) {
  int result = (int)syscall(SYS_close, descriptor);
  if (result < 0 && errno == EBADF) atomic_fetch_add(&of_none, 1);
  return result;
}

int cc_closes_of_none(void) { return atomic_load(&of_none); }

void cc_refuse_threads(int yes) {
  // A stack that is larger than any machine's memory.
  const size_t size = yes ? (size_t)1 << 60 : (size_t)8 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

#else

int cc_closes_of_none(void) { return 0; }

void cc_refuse_threads(int yes) {}

#endif
