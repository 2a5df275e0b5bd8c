// Makes the headers declare `dladdr`.
#define _GNU_SOURCE
#include "cl_system.h"
#include "cl_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__linux__)
#include <sys/prctl.h>
#endif

const char *cl_uv_version(void) { return uv_version_string(); }

int cl_cpu_info(char *model, size_t capacity) {
  uv_cpu_info_t *infos = NULL;
  int count = 0;
  if (capacity > 0) model[0] = 0;
  if (uv_cpu_info(&infos, &count) != 0) return 0;
  if (count > 0) snprintf(model, capacity, "%s", infos[0].model);
  uv_free_cpu_info(infos, count);
  return count;
}

#if defined(__x86_64__)

static const struct {
  const char *signature;
  const char *name;
} hypervisors[] = {
    {"KVMKVMKVM", "KVM"},       {"Linux KVM Hv", "KVM"},    {"VMwareVMware", "VMware"},
    {"Microsoft Hv", "Hyper-V"}, {"XenVMMXenVMM", "Xen"},    {"TCGTCGTCGTCG", "QEMU"},
    {"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve ", "bhyve"}, {"ACRNACRNACRN", "ACRN"},
};

static const char *hypervisor_name(const char *signature) {
  for (size_t i = 0; i < sizeof hypervisors / sizeof hypervisors[0]; i++) {
    if (strcmp(hypervisors[i].signature, signature) == 0) return hypervisors[i].name;
  }
  return "virtual machine";
}

void cl_virtualization(char *name, size_t capacity) {
  unsigned a, b, c, d;
  snprintf(name, capacity, "%s", "");
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31))) return;
  // `__get_cpuid` would reject the hypervisor's range.
  __cpuid(0x40000000, a, b, c, d);
  char signature[13] = {0};
  memcpy(signature, &b, 4);
  memcpy(signature + 4, &c, 4);
  memcpy(signature + 8, &d, 4);
  snprintf(name, capacity, "%s", hypervisor_name(signature));
}

#else

void cl_virtualization(char *name, size_t capacity) { snprintf(name, capacity, "%s", ""); }

#endif

void cl_operating_system(char *name, size_t capacity) {
  uv_utsname_t system;
  snprintf(name, capacity, "%s", "");
  if (uv_os_uname(&system) != 0) return;
  snprintf(name, capacity, "%s %s %s", system.sysname, system.release, system.machine);
}

bool cl_is_optimized(void) {
#if defined(__OPTIMIZE__)
  return true;
#else
  return false;
#endif
}

static uint64_t nanoseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

#if defined(__linux__)

// The times of all CPUs in the first line of /proc/stat, in ticks.
enum { time_user, time_nice, time_system, time_idle, time_io, time_irq, time_softirq, time_steal,
       time_count };

static bool read_times(uint64_t *times) {
  unsigned long long ticks[time_count];
  FILE *file = fopen("/proc/stat", "re");
  if (file == NULL) return false;
  int count = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                     &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
  fclose(file);
  if (count != time_count) return false;
  uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
  for (int i = 0; i < time_count; i++) times[i] = ticks[i] * tick;
  return true;
}

// Returns the time stolen by the host, in ns.
static uint64_t steal_now(void) {
  uint64_t times[time_count];
  return read_times(times) ? times[time_steal] : 0;
}

uint64_t cl_busy_ns(void) {
  uint64_t times[time_count];
  if (!read_times(times)) return 0;
  return times[time_user] + times[time_nice] + times[time_system] + times[time_irq] +
         times[time_softirq];
}

#else

static uint64_t steal_now(void) { return 0; }

uint64_t cl_busy_ns(void) { return 0; }

#endif

cl_usage cl_usage_now(void) {
  struct rusage usage;
  cl_usage result = {0, 0, 0, steal_now(), cl_thread_migrations()};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return result;
  result.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  result.voluntary = (uint64_t)usage.ru_nvcsw;
  result.involuntary = (uint64_t)usage.ru_nivcsw;
  return result;
}

uint64_t cl_children_ns(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

int cl_write_all(int descriptor, const void *bytes, size_t length) {
  const char *next = bytes;
  while (length > 0) {
    ssize_t written = write(descriptor, next, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    next += written;
    length -= (size_t)written;
  }
  return 0;
}

void cl_error_message(int code, char *text, size_t capacity) {
  int error = uv_translate_sys_error(code);
  uv_strerror_r(error, text, capacity);
  // libuv has no message for some errors, such as ENOEXEC.
  if (strncmp(text, "Unknown", 7) == 0) snprintf(text, capacity, "%s", strerror(code));
}

#define TEXT(value) #value
#define NUMBER(value) TEXT(value)

const char *cl_uv_header_version(void) {
  return NUMBER(UV_VERSION_MAJOR) "." NUMBER(UV_VERSION_MINOR) "." NUMBER(UV_VERSION_PATCH);
}

uint64_t cl_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return (uint64_t)limit.rlim_cur;
}

uint64_t cl_timer_slack(void) {
#if defined(__linux__)
  int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  return slack > 0 ? (uint64_t)slack : 0;
#else
  return 0;
#endif
}

double cl_load(void) {
  double averages[3] = {0, 0, 0};
  uv_loadavg(averages);
  return averages[0];
}

void cl_program_path(char *path, size_t capacity) {
  size_t size = capacity;
  if (capacity > 0 && uv_exepath(path, &size) != 0) path[0] = 0;
}

// Falls back to `cl_program_path`: for a program that was found through PATH,
// `dladdr` returns only the file name.
void cl_own_path(char *path, size_t capacity) {
  Dl_info info;
  if (dladdr((const void *)cl_own_path, &info) != 0 && strchr(info.dli_fname, '/') != NULL) {
    snprintf(path, capacity, "%s", info.dli_fname);
  } else {
    cl_program_path(path, capacity);
  }
}

int cl_terminal_width(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void cl_keep_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // `open` returns the lowest free descriptor, which is `descriptor`.
    if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

