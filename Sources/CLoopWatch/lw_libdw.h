#pragma once

// The functions of libdw that this target calls. They are loaded at run time and
// declared here, so that programs build and start without libdw and its headers.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;
typedef struct Elf Elf;

// How a callback continues an iteration.
enum { lw_dwarf_ok = 0, lw_dwarf_abort = 1 };

// `Dwfl_Callbacks`.
struct lw_dwfl_callbacks {
  int (*find_elf)(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                  char **path, Elf **elf);
  int (*find_debuginfo)(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                        const char *path, const char *link, uint32_t checksum,
                        char **debug_path);
  int (*section_address)(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                         const char *section, uint32_t index, const void *header,
                         uint64_t *address);
  char **debuginfo_path;
};

// `Dwfl_Thread_Callbacks`.
struct lw_thread_callbacks {
  pid_t (*next_thread)(Dwfl *dwfl, void *context, void **thread_context);
  bool (*get_thread)(Dwfl *dwfl, pid_t tid, void *context, void **thread_context);
  bool (*memory_read)(Dwfl *dwfl, uint64_t address, uint64_t *word, void *context);
  bool (*set_initial_registers)(Dwfl_Thread *thread, void *thread_context);
  void (*detach)(Dwfl *dwfl, void *context);
  void (*thread_detach)(Dwfl_Thread *thread, void *thread_context);
};

// `GElf_Sym`.
struct lw_elf_symbol {
  uint32_t name;
  uint8_t info;
  uint8_t other;
  uint16_t section;
  uint64_t value;
  uint64_t size;
};

struct lw_libdw {
  Dwfl *(*begin)(const struct lw_dwfl_callbacks *callbacks);
  void (*end)(Dwfl *dwfl);
  const char *(*errmsg)(int error);
  void (*report_begin)(Dwfl *dwfl);
  int (*linux_proc_report)(Dwfl *dwfl, pid_t pid);
  int (*report_end)(Dwfl *dwfl,
                    int (*removed)(Dwfl_Module *, void *, const char *, uint64_t, void *),
                    void *context);
  int (*linux_proc_find_elf)(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                             char **path, Elf **elf);
  ptrdiff_t (*getmodules)(Dwfl *dwfl,
                          int (*callback)(Dwfl_Module *, void **, const char *, uint64_t, void *),
                          void *context, ptrdiff_t offset);
  Dwfl_Module *(*addrmodule)(Dwfl *dwfl, uint64_t address);
  const char *(*module_info)(Dwfl_Module *module, void ***data, uint64_t *start, uint64_t *end,
                             uint64_t *dwarf_bias, uint64_t *symbol_bias,
                             const char **main_file, const char **debug_file);
  int (*module_build_id)(Dwfl_Module *module, const unsigned char **bits, uint64_t *address);
  int (*module_getsymtab)(Dwfl_Module *module);
  const char *(*module_getsym_info)(Dwfl_Module *module, int index,
                                    struct lw_elf_symbol *symbol, uint64_t *address,
                                    uint32_t *section, Elf **elf, uint64_t *bias);
  bool (*attach_state)(Dwfl *dwfl, Elf *elf, pid_t pid,
                       const struct lw_thread_callbacks *callbacks, void *context);
  int (*getthread_frames)(Dwfl *dwfl, pid_t tid, int (*callback)(Dwfl_Frame *, void *),
                          void *context);
  bool (*thread_state_registers)(Dwfl_Thread *thread, int first, unsigned count,
                                 const uint64_t *values);
  bool (*frame_pc)(Dwfl_Frame *frame, uint64_t *pc, bool *is_activation);
  Elf *(*elf_begin)(int file);
  int (*elf_end)(Elf *elf);
  // NULL before libdw 0.188.
  int (*frame_reg)(Dwfl_Frame *frame, unsigned number, uint64_t *value);
};

// Returns NULL and writes a message if libdw cannot be loaded.
const struct lw_libdw *lw_libdw_load(char *message, size_t capacity);
