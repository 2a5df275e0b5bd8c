// Makes the headers declare `process_vm_readv` and `strchrnul`.
#define _GNU_SOURCE
#include "lw_blocked.h"

#if LW_SUPPORTED

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void lw_copy_stack(struct lw_stop *stop) {
  stop->base = stop->registers.values[lw_sp] - lw_red_zone;
  struct iovec local = {stop->stack, lw_stack_capacity};
  struct iovec remote = {(void *)(uintptr_t)stop->base, lw_stack_capacity};
  // Reads up to the end of the mapping.
  ssize_t length = process_vm_readv(stop->tid, &local, 1, &remote, 1, 0);
  stop->length = length > 0 ? (size_t)length : 0;
}

// The number of a system call, its six arguments, the stack pointer and the program
// counter: "0 0x3 0x7ffd… 0x1000 0x0 0x0 0x0 0x7ffd… 0x7f1b…".
struct call {
  char line[256];
};

// Returns false if the thread is in no system call.
static bool read_call(int file, struct call *call) {
  ssize_t length = pread(file, call->line, sizeof call->line - 1, 0);
  if (length <= 0) return false;
  call->line[length] = 0;
  return call->line[0] >= '0' && call->line[0] <= '9';
}

static void set_registers(struct lw_registers *registers, const struct call *call) {
  const char *text = strchrnul(call->line, ' ');
  registers->known = 0;
  for (size_t i = 0; i < lw_call_register_count; i++) {
    char *end;
    int number = lw_call_registers[i];
    registers->values[number] = strtoull(text, &end, 16);
    if (end == text) return;
    registers->known |= 1u << number;
    text = end;
  }
}

static bool copy(struct lw_stop *stop, int file) {
  struct call before, after;
  if (!read_call(file, &before)) return false;
  set_registers(&stop->registers, &before);
  if (!(stop->registers.known & 1u << lw_pc)) return false;
  lw_copy_stack(stop);
  return read_call(file, &after) && strcmp(before.line, after.line) == 0;
}

bool lw_copy_blocked(struct lw_stop *stop) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", stop->pid, stop->tid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool is_copied = copy(stop, file);
  close(file);
  stop->nanoseconds = 0;
  stop->error = 0;
  return is_copied;
}

#endif
