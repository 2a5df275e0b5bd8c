#include "include/lw_stacks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Reads the number after `key` in the status of a thread, or -1.
static long status_value(int pid, int tid, const char *key) {
  char path[64], line[256];
  long value = -1;
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  size_t length = strlen(key);
  while (value < 0 && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, length) == 0) sscanf(line + length, "%ld", &value);
  }
  fclose(file);
  return value;
}

static int yama_scope(void) {
  int scope = 0;
  FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%d", &scope) != 1) scope = 0;
  fclose(file);
  return scope;
}

void lw_refusal_message(int pid, int tid, int error, char *message, size_t capacity) {
  long tracer = status_value(pid, tid, "TracerPid:"), user = status_value(pid, tid, "Uid:");
  int scope = yama_scope();
  if (tracer > 0) {
    snprintf(message, capacity, "process %d traces thread %d, and a thread has one tracer: "
             "end that debugger or strace", (int)tracer, tid);
  } else if (user >= 0 && geteuid() != 0 && (uid_t)user != geteuid()) {
    snprintf(message, capacity, "process %d belongs to user %ld: run as that user or as root", pid,
             user);
  } else if (scope == 3) {
    snprintf(message, capacity, "kernel.yama.ptrace_scope is 3, which forbids reading stacks "
             "until the next boot");
  } else if (scope > 0 && geteuid() != 0) {
    snprintf(message, capacity, "kernel.yama.ptrace_scope is %d: start the program from here, run "
             "as root, or run sysctl kernel.yama.ptrace_scope=0", scope);
  } else if (geteuid() != 0) {
    snprintf(message, capacity, "the kernel protects process %d, as it does for programs that "
             "change their user: run as root", pid);
  } else {
    snprintf(message, capacity, "ptrace of process %d failed: %s. In a container, start it with "
             "--cap-add=SYS_PTRACE", pid, strerror(error));
  }
}
