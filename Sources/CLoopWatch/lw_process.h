#pragma once

// The modules of a process, as libdw knows them.

#include "lw_maps.h"
#include "lw_symbols.h"

#if LW_SUPPORTED

struct lw_process {
  const struct lw_libdw *libdw;
  int pid;
  Dwfl *dwfl;
  Elf *elf;
  int file;
  struct lw_maps maps;
  struct lw_symbols symbols;
  // The addresses that differ between two programs in one process.
  uint64_t image[3];
};

// Reads the modules. Returns 0 or an errno. `message` receives libdw's reason, or "".
int lw_process_open(struct lw_process *process, const struct lw_thread_callbacks *callbacks,
                    void *context, char *message, size_t capacity);
void lw_process_close(struct lw_process *process);

// Returns true if the process has called exec since it was opened.
bool lw_process_has_changed(const struct lw_process *process);

// Reads the mappings again, and the modules if those of files changed. Returns 0 or
// an errno.
int lw_process_refresh(struct lw_process *process);

#endif
