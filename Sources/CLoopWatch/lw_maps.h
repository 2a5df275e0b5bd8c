#pragma once

// The executable mappings of a process.

#include "lw_machine.h"

#if LW_SUPPORTED

enum lw_mapping_kind {
  lw_file_code,       // Mapped from a file.
  lw_vdso_code,       // The kernel's functions.
  lw_copied_code,     // A second mapping of a part of a file, which libdw misreads.
  lw_generated_code,  // Written by the program, such as by a compiler for JavaScript.
};

struct lw_mapping {
  struct lw_range range;
  enum lw_mapping_kind kind;
  uint64_t file;      // A hash that identifies the file.
  uint64_t offset;    // In the file.
  bool is_first;      // The file's mappings here start with the start of the file.
  uint64_t original;  // The address of the same code in the first mapping, if copied.
};

struct lw_maps {
  struct lw_mapping *mappings;  // In order of addresses.
  size_t count;
  struct lw_range libc;
  uint64_t files;    // A hash of the mappings from files.
  uint64_t read_at;  // In ns.
};

// Replaces the mappings. Returns 0 or an errno.
int lw_maps_read(struct lw_maps *maps, int pid);
void lw_maps_free(struct lw_maps *maps);

// Returns the mapping that contains `address`, or NULL.
const struct lw_mapping *lw_maps_find(const struct lw_maps *maps, uint64_t address);

uint64_t lw_now(void);

#endif
