#ifndef CL_SYSTEM_H
#define CL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The libuv that runs, not the one whose headers were read.
const char *_Nonnull cl_uv_version(void);

// The online processors, and the first one's name ("" where unknown).
int cl_cpu_info(char *_Nonnull model, size_t capacity);

// "KVM", "VMware", …; "" on bare metal or where unknown.
void cl_virtualization(char *_Nonnull name, size_t capacity);

// "Linux 6.1.0 x86_64".
void cl_operating_system(char *_Nonnull name, size_t capacity);

// Whether this C code was optimised. A debug build's peers are slow ones.
bool cl_is_optimized(void);

typedef struct {
  uint64_t cpu_ns;       // user and system, all threads
  uint64_t voluntary;    // context switches: it slept
  uint64_t involuntary;  // context switches: it was taken off
  uint64_t steal_ns;     // the host's doing, all CPUs, in ticks; 0 where unknown
  uint64_t migrations;   // of placed threads that have ended; 0 where unknown
} cl_usage;

// What the process has used since it began.
cl_usage cl_usage_now(void);

bool cl_is_terminal(int descriptor);

// Writes all of it. Returns 0, or an errno.
int cl_write_all(int descriptor, const void *_Nonnull bytes, size_t length);

// The system's sentence for `code`.
void cl_error_message(int code, char *_Nonnull text, size_t capacity);

#endif
