#include "closes.h"

#if defined(__linux__)

#include <errno.h>
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

#else

int cc_closes_of_none(void) { return 0; }

#endif
