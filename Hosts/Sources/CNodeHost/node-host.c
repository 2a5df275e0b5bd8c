// For dladdr.
#define _GNU_SOURCE
#include "include/node-host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

// Declared here, because this target does not depend on libuv.
size_t uv_loop_size(void);

int lt_node_pin(void) {
  Dl_info found;
  if (dladdr((void *)lt_node_pin, &found) == 0) return 0;
  // The handle is not closed, so the reference stays, too.
  return dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != NULL;
}

int lt_node_shares_libuv(void) {
  // Not RTLD_DEFAULT, which begins with the addon if it was loaded with RTLD_DEEPBIND.
  void *program = dlopen(NULL, RTLD_LAZY);
  void *exported = program != NULL ? dlsym(program, "uv_loop_size") : NULL;
  return exported != NULL && exported == (void *)uv_loop_size;
}

int lt_node_is_first_thread(void) {
#if defined(__linux__)
  return (long)getpid() == syscall(SYS_gettid);
#else
  return pthread_main_np();
#endif
}

uintptr_t lt_node_thread(void) { return (uintptr_t)pthread_self(); }
