#pragma once

// The names of addresses. libdw searches a symbol table from its start to its end for
// every address, so this part sorts each table once and remembers every answer.

#include "lw_libdw.h"
#include "lw_machine.h"

#if LW_SUPPORTED

// The data of a module in libdw's list.
struct lw_module {
  const struct lw_libdw *libdw;
  int pid;
  struct lw_symbol_table *table;  // NULL until a name is looked up.
};

struct lw_name {
  uint64_t address;  // 0 in an empty slot.
  const char *symbol;
  const char *module;
};

struct lw_symbols {
  const struct lw_libdw *libdw;
  Dwfl *dwfl;
  struct lw_name *names;  // A hash table. Its capacity is a power of 2.
  size_t capacity;
  size_t count;
};

struct lw_name lw_symbols_find(struct lw_symbols *symbols, uint64_t address);

// Returns the start of the function that contains `address`, or 0.
uint64_t lw_symbols_start(struct lw_symbols *symbols, uint64_t address);

// Forgets all answers, before the modules change.
void lw_symbols_forget(struct lw_symbols *symbols);

// Frees the data of all modules, and the answers. Call before `dwfl` ends.
void lw_symbols_free(struct lw_symbols *symbols);

// A callback for `report_end` that frees the data of a removed module.
int lw_symbols_removed(Dwfl_Module *module, void *data, const char *name, uint64_t base,
                       void *context);

#endif
