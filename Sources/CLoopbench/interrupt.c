#include "cl_interrupt.h"

#include "cl_load.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_int noted;
static atomic_int signals;
static atomic_int alarms;

static void note(int what) {
  int none = cl_interrupt_none;
  atomic_compare_exchange_strong(&noted, &none, what);
}

static void end(int code) {
  cl_load_kill();
  _exit(code);
}

static void on_signal(int number) {
  (void)number;
  if (atomic_fetch_add(&signals, 1) > 0) end(130);
  note(cl_interrupt_signal);
}

static void on_alarm(int number) {
  (void)number;
  if (atomic_fetch_add(&alarms, 1) > 0) end(124);
  note(cl_interrupt_timeout);
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void cl_interrupt_watch(uint64_t timeout) {
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  if (timeout == 0) return;
  handle(SIGALRM, on_alarm);
  uint64_t us = timeout / 1000 > 0 ? timeout / 1000 : 1;
  struct itimerval timer;
  timer.it_value.tv_sec = (time_t)(us / 1000000);
  timer.it_value.tv_usec = (suseconds_t)(us % 1000000);
  timer.it_interval.tv_sec = 10;
  timer.it_interval.tv_usec = 0;
  setitimer(ITIMER_REAL, &timer, NULL);
}

int cl_interrupt_noted(void) { return atomic_load(&noted); }
