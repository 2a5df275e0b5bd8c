#pragma once

// Unwinds a copied stack. libdw steps through the code of files, and this part
// through generated code.

#include "lw_libdw.h"
#include "lw_maps.h"
#include "lw_stop.h"
#include "lw_symbols.h"

#if LW_SUPPORTED

struct lw_unwinder {
  const struct lw_libdw *libdw;
  Dwfl *dwfl;
  const struct lw_maps *maps;
  struct lw_symbols *symbols;
  const struct lw_stop *stop;
  // Where libdw starts.
  struct lw_registers registers;
  // The first frames are the innermost ones.
  uint64_t *addresses;
  size_t capacity;
  size_t count;
  bool is_caller;       // The next frame was left by a call.
  bool is_in_generated;  // libdw reached generated code, at `registers`.
  bool is_complete;      // The last frame is the thread's first one, or there is no room.
};

// The callbacks for `attach_state`, whose context is the unwinder.
extern const struct lw_thread_callbacks lw_unwind_callbacks;

// Unwinds `unwinder->stop`. Writes the addresses of the frames.
void lw_unwind(struct lw_unwinder *unwinder);

#endif
