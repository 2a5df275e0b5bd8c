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

// Writes all of it. Returns 0, or an errno.
int cl_write_all(int descriptor, const void *_Nonnull bytes, size_t length);

// The system's sentence for `code`.
void cl_error_message(int code, char *_Nonnull text, size_t capacity);

// What `loopbench doctor` reads and `/proc` does not tell.

// The libuv whose headers were read: "1.44.2".
const char *_Nonnull cl_uv_header_version(void);

// How many descriptors the process may open; 0 where unknown.
uint64_t cl_descriptor_limit(void);

// The calling thread's timer slack in ns; 0 where there is none.
uint64_t cl_timer_slack(void);

// The load average of the last minute.
double cl_load(void);

// Sleeps 1 ms `count` times; writes how many ns too long each sleep was.
void cl_sleep_overshoot(uint64_t *_Nonnull overshoot, int count);

// The path of the running program, or "".
void cl_program_path(char *_Nonnull path, size_t capacity);

// The path of the running program, or of the library that this code is in.
void cl_own_path(char *_Nonnull path, size_t capacity);

// Columns of a terminal, or 0.
int cl_terminal_width(int descriptor);

// Opens the standard descriptors that are closed, so that no file becomes one of
// them: for reading what is written to, so that writing still fails.
void cl_keep_descriptors(void);

// A file that is being written.
typedef struct cl_output cl_output;

// Opens what is to become `path`, through symlinks. A regular file, or one that
// is not there yet, is written beside its place, with the mode of the one it
// replaces or of a new one; anything else, and what standard output or error is
// already, is written directly. Returns 0, or an errno.
int cl_output_open(const char *_Nonnull path, cl_output *_Nullable *_Nonnull output);

// Opens what is to replace whatever is at `path`, unless it is a folder: a symlink
// is not followed, and a FIFO or device is not written to. Returns 0, or an errno.
int cl_output_open_replacing(const char *_Nonnull path, cl_output *_Nullable *_Nonnull output);

int cl_output_descriptor(const cl_output *_Nonnull output);

// The place it will have, the same for every way of writing it; NULL for what is
// written directly.
const char *_Nullable cl_output_place(const cl_output *_Nonnull output);

// Closes it, puts it in its place and frees `output`. Returns 0, or an errno.
int cl_output_finish(cl_output *_Nonnull output);

// Closes and removes it, and frees `output`.
void cl_output_abandon(cl_output *_Nonnull output);

// Removes every file that is neither finished nor abandoned. A signal handler
// may call it.
void cl_output_remove_all(void);

#endif
