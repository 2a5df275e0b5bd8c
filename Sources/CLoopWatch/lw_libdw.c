#include "lw_machine.h"

#if LW_SUPPORTED

#include "lw_libdw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct lw_libdw library;
static const char *missing;  // The first function that was not found.
static char load_error[256];
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *find(void *handle, const char *name) {
  void *function = dlsym(handle, name);
  if (function == NULL && missing == NULL) missing = name;
  return function;
}

#define FIND_AS(name, symbol) library.name = (__typeof__(library.name))find(handle, symbol)
#define FIND(name) FIND_AS(name, "dwfl_" #name)

static void load(void) {
  void *handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *error = dlerror();
    snprintf(load_error, sizeof load_error, "%s", error != NULL ? error : "unknown error");
    return;
  }
  FIND(begin);
  FIND(end);
  FIND(errmsg);
  FIND(report_begin);
  FIND(linux_proc_report);
  FIND(report_end);
  FIND(linux_proc_find_elf);
  FIND(getmodules);
  FIND(addrmodule);
  FIND(module_info);
  FIND(module_build_id);
  FIND(module_getsymtab);
  FIND(module_getsym_info);
  FIND(attach_state);
  FIND(getthread_frames);
  FIND(thread_state_registers);
  FIND(frame_pc);
  FIND_AS(elf_begin, "dwelf_elf_begin");
  // Of libelf, which libdw uses.
  FIND_AS(elf_end, "elf_end");
  is_loaded = missing == NULL;
  FIND(frame_reg);
}

const struct lw_libdw *lw_libdw_load(char *message, size_t capacity) {
  pthread_once(&once, load);
  if (is_loaded) return &library;
  if (missing != NULL) {
    snprintf(message, capacity, "libdw.so.1 has no function %s: install elfutils 0.177 or newer",
             missing);
  } else {
    snprintf(message, capacity,
             "libdw, which reads stacks, cannot be loaded: %s. Install it: apt install libdw1 "
             "(Debian, Ubuntu), dnf install elfutils-libs (Fedora), apk add libdw (Alpine), "
             "pacman -S libelf (Arch)",
             load_error);
  }
  return NULL;
}

#endif
