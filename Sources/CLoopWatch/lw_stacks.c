#include "include/lw_stacks.h"

#include "lw_machine.h"

#include <errno.h>
#include <stdio.h>

#if LW_SUPPORTED

#include "lw_blocked.h"
#include "lw_process.h"
#include "lw_unwind.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct lw_stacks {
  const struct lw_libdw *libdw;
  struct lw_process process;
  struct lw_unwinder unwinder;
  struct lw_stop stop;
  bool always_stops;
  uint8_t stack[lw_stack_capacity];
};

// The mappings are read again after this time, because a library can replace another
// one at the same addresses.
static const uint64_t maps_age_ns = 1000000000;

static bool runs_other_instructions(int pid) {
  char path[40];
  unsigned char start[EI_CLASS + 1] = {0};
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, start, sizeof start);
  close(file);
  return length == sizeof start && start[EI_CLASS] != ELFCLASS64;
}

static void explain(int pid, int error, const char *reason, char *message, size_t capacity) {
  if (error == EACCES || error == EPERM) {
    lw_refusal_message(pid, pid, error, message, capacity);
  } else if (kill(pid, 0) != 0 && errno == ESRCH) {
    snprintf(message, capacity, "process %d does not exist", pid);
  } else if (error == ESRCH || error == ENOENT) {
    snprintf(message, capacity, "process %d has no program: it has ended, or is the kernel's", pid);
  } else {
    snprintf(message, capacity, "the modules of process %d cannot be read: %s", pid,
             reason[0] != 0 ? reason : strerror(error));
  }
}

static int open_process(lw_stacks *stacks, char *reason, size_t capacity) {
  stacks->process.libdw = stacks->libdw;
  return lw_process_open(&stacks->process, &lw_unwind_callbacks, &stacks->unwinder, reason,
                         capacity);
}

// Reads the symbols of the program now, because a large program has many.
static void read_symbols(lw_stacks *stacks) {
  if (stacks->process.maps.count == 0) return;
  lw_symbols_find(&stacks->process.symbols, stacks->process.maps.mappings[0].range.start);
}

lw_stacks *lw_stacks_open(int pid, char *message, size_t capacity) {
  const struct lw_libdw *libdw = lw_libdw_load(message, capacity);
  if (libdw == NULL) return NULL;
  if (runs_other_instructions(pid)) {
    snprintf(message, capacity, "process %d runs a 32-bit program, whose stacks are not supported",
             pid);
    return NULL;
  }
  lw_stacks *stacks = malloc(sizeof *stacks);
  if (stacks == NULL) {
    snprintf(message, capacity, "%s", strerror(ENOMEM));
    return NULL;
  }
  // Writes all of it, so that the first stop does not wait for pages.
  memset(stacks, 0, sizeof *stacks);
  stacks->libdw = libdw;
  stacks->process.pid = pid;
  stacks->stop.pid = pid;
  stacks->stop.stack = stacks->stack;
  char reason[160];
  int error = open_process(stacks, reason, sizeof reason);
  if (error == 0) {
    read_symbols(stacks);
    return stacks;
  }
  explain(pid, error, reason, message, capacity);
  free(stacks);
  return NULL;
}

void lw_stacks_close(lw_stacks *stacks) {
  if (stacks == NULL) return;
  lw_process_close(&stacks->process);
  free(stacks);
}

// After exec, all modules are others. Returns false if they cannot be read.
static bool follow_exec(lw_stacks *stacks) {
  if (stacks->process.dwfl != NULL && !lw_process_has_changed(&stacks->process)) return true;
  char reason[160];
  lw_process_close(&stacks->process);
  return open_process(stacks, reason, sizeof reason) == 0;
}

static void refresh_if_old(lw_stacks *stacks) {
  if (lw_now() - stacks->process.maps.read_at < maps_age_ns) return;
  // If this fails, the process has ended, and the old mappings do no harm.
  lw_process_refresh(&stacks->process);
}

static bool knows_all(const struct lw_unwinder *unwinder) {
  for (size_t i = 0; i < unwinder->count; i++) {
    if (lw_maps_find(unwinder->maps, unwinder->addresses[i]) == NULL) return false;
  }
  return true;
}

static void unwind(lw_stacks *stacks, uint64_t *addresses, size_t capacity) {
  struct lw_unwinder *unwinder = &stacks->unwinder;
  unwinder->libdw = stacks->libdw;
  unwinder->dwfl = stacks->process.dwfl;
  unwinder->maps = &stacks->process.maps;
  unwinder->symbols = &stacks->process.symbols;
  unwinder->stop = &stacks->stop;
  unwinder->addresses = addresses;
  unwinder->capacity = capacity;
  lw_unwind(unwinder);
  if (knows_all(unwinder) || lw_process_refresh(&stacks->process) != 0) return;
  lw_unwind(unwinder);
}

// Copied code has the name of its original.
static struct lw_frame name_frame(struct lw_process *process, uint64_t address) {
  const struct lw_mapping *mapping = lw_maps_find(&process->maps, address);
  if (mapping == NULL || mapping->kind == lw_generated_code) {
    return (struct lw_frame){.address = address};
  }
  uint64_t original = address;
  if (mapping->kind == lw_copied_code) original += mapping->original - mapping->range.start;
  struct lw_name name = lw_symbols_find(&process->symbols, original);
  return (struct lw_frame){address, name.symbol, name.module};
}

// Returns the number of frames, or 0 if the stack must be `complete` and is not.
static size_t fill(lw_stacks *stacks, struct lw_frame *frames, size_t capacity, bool complete) {
  uint64_t *addresses = calloc(capacity, sizeof *addresses);
  if (addresses == NULL) return 0;
  refresh_if_old(stacks);
  unwind(stacks, addresses, capacity);
  size_t count = complete && !stacks->unwinder.is_complete ? 0 : stacks->unwinder.count;
  for (size_t i = 0; i < count; i++) frames[i] = name_frame(&stacks->process, addresses[i]);
  free(addresses);
  return count;
}

// A thread that sleeps in a system call need not be stopped if libdw finds the rest of
// its registers on the stack.
static lw_outcome capture_blocked(lw_stacks *stacks, struct lw_frame *frames, size_t capacity,
                                  size_t *count, bool *is_copied) {
  struct lw_stop *stop = &stacks->stop;
  if (stacks->libdw->frame_reg == NULL || stacks->always_stops) return lw_unreadable;
  if (stop->is_waiting != NULL && stop->is_waiting(stop->context)) return lw_is_waiting;
  *is_copied = lw_copy_blocked(stop);
  if (!*is_copied) return lw_unreadable;
  if (stop->is_waiting != NULL && stop->is_waiting(stop->context)) return lw_is_waiting;
  if (!follow_exec(stacks)) return lw_no_thread;
  *count = fill(stacks, frames, capacity, true);
  return *count > 0 ? lw_captured : lw_unreadable;
}

static lw_outcome capture_running(lw_stacks *stacks, struct lw_frame *frames, size_t capacity,
                                  size_t *count) {
  struct lw_stop *stop = &stacks->stop;
  lw_outcome outcome = lw_stop_thread(stop);
  if (outcome != lw_captured) return outcome;
  if (!follow_exec(stacks)) return lw_no_thread;
  *count = fill(stacks, frames, capacity, false);
  return *count > 0 ? lw_captured : lw_unreadable;
}

lw_outcome lw_stacks_capture(
  lw_stacks *stacks, int tid, bool (*is_waiting)(void *), void *context, uint64_t waited,
  struct lw_frame *frames, size_t capacity, size_t *count, uint64_t *nanoseconds) {
  struct lw_stop *stop = &stacks->stop;
  *count = 0;
  stop->tid = tid;
  stop->is_waiting = is_waiting;
  stop->context = context;
  stop->waited = waited;
  stop->libc = stacks->process.maps.libc;
  bool is_copied = false;
  lw_outcome outcome = capture_blocked(stacks, frames, capacity, count, &is_copied);
  if (outcome == lw_unreadable) outcome = capture_running(stacks, frames, capacity, count);
  if (is_copied && (outcome == lw_not_stopped || outcome == lw_refused)) {
    // The innermost frames are better than none.
    *count = fill(stacks, frames, capacity, false);
    if (*count > 0) outcome = lw_captured;
  }
  *nanoseconds = stop->nanoseconds;
  errno = stop->error;
  return outcome;
}

void lw_stacks_always_stop(lw_stacks *stacks) { stacks->always_stops = true; }

#else

void lw_stacks_always_stop(lw_stacks *stacks) { (void)stacks; }

lw_stacks *lw_stacks_open(int pid, char *message, size_t capacity) {
  (void)pid;
  snprintf(message, capacity, "stacks of other processes can be read on Linux on x86-64 only");
  return NULL;
}

void lw_stacks_close(lw_stacks *stacks) { (void)stacks; }

lw_outcome lw_stacks_capture(
  lw_stacks *stacks, int tid, bool (*is_waiting)(void *), void *context, uint64_t waited,
  struct lw_frame *frames, size_t capacity, size_t *count, uint64_t *nanoseconds) {
  (void)stacks, (void)tid, (void)is_waiting, (void)context, (void)waited;
  (void)frames, (void)capacity;
  *count = 0;
  *nanoseconds = 0;
  errno = ENOSYS;
  return lw_refused;
}

#endif
