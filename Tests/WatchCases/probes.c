// Breakpoints that find the waits of a child process.
#define _GNU_SOURCE
#include "cases.h"

#if CASES_CAPTURE

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lw_read.h"
#include "lw_system.h"

static int events, bell;

static void wait_when_told(void) {
  struct epoll_event event;
  if (epoll_wait(events, &event, 1, -1) != 1) _exit(1);
  for (;;) {
    hear();
    if (epoll_wait(events, &event, 1, 0) != 1) shared->error = 1;
    say();
  }
}

static struct subject start_waiting(void) {
  struct epoll_event event = {.events = EPOLLIN};
  events = epoll_create1(0);
  bell = eventfd(0, 0);
  if (epoll_ctl(events, EPOLL_CTL_ADD, bell, &event) != 0) abort();
  return start(wait_when_told);
}

// The address to which the subject's wait returns.
static uint64_t site_of(struct subject subject) {
  char path[40], line[256] = "";
  await_call(subject.process, subject.process, SYS_epoll_wait);
  snprintf(path, sizeof path, "/proc/%d/syscall", subject.process);
  FILE *file = fopen(path, "r");
  check(file != NULL && fgets(line, sizeof line, file) != NULL && fclose(file) == 0);
  char *last = strrchr(line, ' ');
  return last != NULL ? strtoull(last, NULL, 16) : 0;
}

static lw_probe *open_probe(struct subject subject, uint64_t site) {
  lw_probe *probe = NULL;
  check_equal(lw_probe_open(subject.process, site, &probe), 0);
  if (probe == NULL) exit(1);
  return probe;
}

static void make_waits(struct subject subject, int count) {
  for (int i = 0; i < count; i++) {
    tell(subject);
    hear_from(subject);
  }
}

// Takes all hits, which must be waits in the order of their times.
static int take_hits(lw_probe *probe) {
  static uint64_t last;
  struct lw_probe_hit hit;
  int count = 0;
  for (; lw_probe_next(probe, &hit); count++) {
    check_equal(hit.call, SYS_epoll_wait);
    check_equal(hit.descriptor, events);
    check(hit.time > last);
    last = hit.time;
  }
  return count;
}

static void probe_waits(void) {
  struct subject subject = start_waiting();
  uint64_t site = site_of(subject);
  lw_probe *probe = open_probe(subject, site);
  check_equal(take_hits(probe), 0);
  if (eventfd_write(bell, 1) != 0) abort();
  uint64_t before = lw_now();
  make_waits(subject, 1);
  uint64_t after = lw_now();
  struct lw_probe_hit hit = {0};
  check(lw_probe_next(probe, &hit));
  check(hit.time > before && hit.time < after);
  make_waits(subject, 10);
  check_equal(take_hits(probe), LW_PROBE_HITS - 1);
  lw_probe_close(probe);
  probe = open_probe(subject, site);
  make_waits(subject, 2);
  check_equal(take_hits(probe), 2);
  // It is closed while it is set.
  lw_probe_close(probe);
  make_waits(subject, 1);
  check_equal(shared->error, 0);
  finish(subject);
}

static void probe_end(void) {
  struct subject subject = start_waiting();
  lw_probe *probe = open_probe(subject, site_of(subject)), *other = NULL;
  finish(subject);
  check_equal(take_hits(probe), 0);
  lw_probe_close(probe);
  check_equal(lw_probe_open(subject.process, 4096, &other), -ESRCH);
}

// Fails if the system does not permit breakpoints.
static void may_probe(void) {
  lw_probe *probe = NULL;
  check_equal(lw_probe_open(getpid(), 4096, &probe), 0);
}

const struct named_case probe_cases[] = {
  {"probe-waits", probe_waits}, {"probe-end", probe_end}, {"may-probe", may_probe}, {"", NULL},
};

#endif
