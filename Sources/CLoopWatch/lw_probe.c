#define _GNU_SOURCE
#include "lw_read.h"

#include "lw_machine.h"

#include <errno.h>

#if LW_SUPPORTED

#include <asm/perf_regs.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct lw_probe {
  int file;
  size_t length;
  struct perf_event_mmap_page *page;
  uint64_t next;  // The position of the next record.
};

// The kernel writes the registers in the order of their numbers.
struct record {
  struct perf_event_header header;
  uint64_t time;
  uint64_t abi;
  uint64_t ax, di;
};

static int set_breakpoint(int thread, uint64_t address) {
  struct perf_event_attr attributes = {
    .type = PERF_TYPE_BREAKPOINT,
    .size = sizeof attributes,
    .bp_type = HW_BREAKPOINT_X,
    .bp_addr = address - lw_system_call_size,
    .bp_len = sizeof(long),
    .sample_period = 1,
    .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER,
    .sample_regs_user = 1 << PERF_REG_X86_AX | 1 << PERF_REG_X86_DI,
    .use_clockid = 1,
    .clockid = CLOCK_MONOTONIC,
    .disabled = 1,
    // Without this, the kernel asks for more privileges.
    .exclude_kernel = 1,
    .exclude_hv = 1,
  };
  int file = (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return file >= 0 ? file : -errno;
}

// A page for the state of the ring, and one for its records.
static int start(lw_probe *probe) {
  probe->length = 2 * (size_t)sysconf(_SC_PAGESIZE);
  void *memory =
    mmap(NULL, probe->length, PROT_READ | PROT_WRITE, MAP_SHARED, probe->file, 0);
  if (memory == MAP_FAILED) return -errno;
  probe->page = memory;
  if (ioctl(probe->file, PERF_EVENT_IOC_REFRESH, LW_PROBE_HITS) == 0) return 0;
  int error = -errno;
  munmap(memory, probe->length);
  return error;
}

int lw_probe_open(int thread, uint64_t address, lw_probe **probe) {
  lw_probe *new = calloc(1, sizeof *new);
  if (new == NULL) return -ENOMEM;
  new->file = set_breakpoint(thread, address);
  int error = new->file < 0 ? new->file : start(new);
  if (error == 0) {
    *probe = new;
    return 0;
  }
  if (new->file >= 0) close(new->file);
  free(new);
  return error;
}

void lw_probe_close(lw_probe *probe) {
  munmap(probe->page, probe->length);
  close(probe->file);
  free(probe);
}

bool lw_probe_next(lw_probe *probe, struct lw_probe_hit *hit) {
  // Acquire: pairs with the kernel's release, so that the records before the head are
  // complete. There are at most LW_PROBE_HITS, which do not fill the ring.
  uint64_t head = __atomic_load_n(&probe->page->data_head, __ATOMIC_ACQUIRE);
  const uint8_t *records = (const uint8_t *)probe->page + probe->page->data_offset;
  while (probe->next < head) {
    struct record record = {0};
    memcpy(&record.header, records + probe->next, sizeof record.header);
    bool is_hit = record.header.type == PERF_RECORD_SAMPLE && record.header.size == sizeof record;
    if (is_hit) memcpy(&record, records + probe->next, sizeof record);
    probe->next += record.header.size;
    if (!is_hit) continue;
    *hit = (struct lw_probe_hit){record.time, (long)record.ax, (int32_t)record.di};
    return true;
  }
  return false;
}

#else

int lw_probe_open(int thread, uint64_t address, lw_probe **probe) {
  (void)thread, (void)address, (void)probe;
  return -ENOSYS;
}

void lw_probe_close(lw_probe *probe) { (void)probe; }

bool lw_probe_next(lw_probe *probe, struct lw_probe_hit *hit) {
  (void)probe, (void)hit;
  return false;
}

#endif
