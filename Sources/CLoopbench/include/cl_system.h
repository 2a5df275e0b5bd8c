#ifndef CL_SYSTEM_H
#define CL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The libuv version at run time, which may differ from the headers' version.
const char *_Nonnull cl_uv_version(void);

// Returns the number of online processors. Writes the name of the first processor
// to `model`, or "" if it is unknown.
int cl_cpu_info(char *_Nonnull model, size_t capacity);

// Writes the name of the hypervisor, such as "KVM" or "VMware". Writes "" on bare
// metal or if it is unknown.
void cl_virtualization(char *_Nonnull name, size_t capacity);

// Writes the name of the operating system: "Linux 6.1.0 x86_64".
void cl_operating_system(char *_Nonnull name, size_t capacity);

// Whether this C code was optimized. The peers of a debug build are slow.
bool cl_is_optimized(void);

typedef struct {
  uint64_t cpu_ns;       // user and system time of all threads
  uint64_t voluntary;    // number of context switches because a thread slept
  uint64_t involuntary;  // number of context switches because a thread was preempted
  uint64_t steal_ns;     // steal of all CPUs, with the resolution of a tick; 0 if unknown
  uint64_t migrations;   // migrations of placed threads that have ended; 0 if unknown
} cl_usage;

// The resources that the process has used.
cl_usage cl_usage_now(void);

// The CPU time of the child processes that have ended, and of their ended children.
uint64_t cl_children_ns(void);

// The CPU time of all processes since the system started, in ns, with the resolution of
// a tick; 0 if unknown.
uint64_t cl_busy_ns(void);

// Writes all bytes. Returns 0 or an errno.
int cl_write_all(int descriptor, const void *_Nonnull bytes, size_t length);

// Writes the message for the errno `code`.
void cl_error_message(int code, char *_Nonnull text, size_t capacity);

// Facts for `loopbench doctor` that are not in `/proc`.

// The version of the libuv headers: "1.44.2".
const char *_Nonnull cl_uv_header_version(void);

// The number of descriptors that the process may open; 0 if unknown.
uint64_t cl_descriptor_limit(void);

// The calling thread's timer slack in ns; 0 if the system has none.
uint64_t cl_timer_slack(void);

// The load average of the last minute.
double cl_load(void);

// Writes the path of the running program, or "" if it is unknown.
void cl_program_path(char *_Nonnull path, size_t capacity);

// Writes the path of the program or library that contains this code, or "" if it is
// unknown.
void cl_own_path(char *_Nonnull path, size_t capacity);

// The number of columns of a terminal; 0 if `descriptor` is not a terminal.
int cl_terminal_width(int descriptor);

// Opens standard descriptors that are closed, so that no other file becomes
// standard input, output or error. They are opened in the wrong mode, so that
// reading from input and writing to output still fail.
void cl_keep_descriptors(void);

// A file to write.
typedef struct cl_output cl_output;

// Opens a file for writing and follows symlinks. A regular or new file is
// written to a temporary file in its folder, with the mode of the file that it
// replaces or of a new file. Any other file, and a file that is already
// standard output or error, is written directly. With `replaces_any`, the
// temporary file replaces anything at `path` but a folder: symlinks are not
// followed, and FIFOs and devices are not written to. Returns 0 or an errno.
int cl_output_open(const char *_Nonnull path, bool replaces_any,
                   cl_output *_Nullable *_Nonnull output);

// Writes the whole file and renames it to its place. Returns 0 or an errno.
int cl_output_write(const cl_output *_Nonnull output, const void *_Nonnull bytes, size_t length);

void cl_output_close(cl_output *_Nonnull output);

// Background loads are separate processes, so the resource counters of this process
// do not include them.

// Starts `sh -c command` in its own process group, with /dev/null as its standard
// descriptors. On Linux the shell is killed when the calling thread ends. Returns
// the process id, or a negated errno.
int cl_load_start(const char *_Nonnull command);

// Kills the process group of `process`. Returns -1 if it was running. If it had
// already ended, returns its exit status, or 128 plus the number of the signal
// that killed it.
int cl_load_stop(int process);

// Waits for `process` to end, for at most `ms` milliseconds. Returns whether it
// ended.
int cl_load_wait(int process, unsigned ms);

// Kills all loads. Async-signal-safe.
void cl_load_kill(void);

enum { cl_interrupt_none = 0, cl_interrupt_signal = 1, cl_interrupt_timeout = 2 };

// Installs handlers for SIGINT, SIGTERM and SIGHUP, except for signals that are
// ignored. A handler kills all loads before the signal ends the process.
void cl_interrupt_guard(void);

// From now on, the first signal, or the end of `timeout` ns, does not end the
// process but sets a note. A `timeout` of 0 means no timeout. A second signal ends
// the process with exit code 130. If the process is still running 10 s after the
// timeout, it ends with 124.
void cl_interrupt_watch(uint64_t timeout);

// Returns the first note. Call from any thread.
int cl_interrupt_noted(void);

#endif
