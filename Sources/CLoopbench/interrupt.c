#include "cl_interrupt.h"

#include "cl_load.h"
#include "cl_output.h"

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
  cl_output_remove_all();
  _exit(code);
}

// Its action is the default again by now, and pending when this returns.
static void on_end(int number) {
  cl_load_kill();
  cl_output_remove_all();
  raise(number);
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

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action, before;
  // What was to be ignored stays so: SIGHUP under nohup, SIGINT behind `&`.
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static void handle_ends(void (*handler)(int), int flags) {
  handle(SIGINT, handler, flags);
  handle(SIGTERM, handler, flags);
  handle(SIGHUP, handler, flags);
}

void cl_interrupt_guard(void) { handle_ends(on_end, (int)SA_RESETHAND); }

void cl_interrupt_watch(uint64_t timeout) {
  handle_ends(on_signal, SA_RESTART);
  if (timeout == 0) return;
  handle(SIGALRM, on_alarm, SA_RESTART);
  uint64_t us = timeout / 1000 > 0 ? timeout / 1000 : 1;
  struct itimerval timer;
  timer.it_value.tv_sec = (time_t)(us / 1000000);
  timer.it_value.tv_usec = (suseconds_t)(us % 1000000);
  timer.it_interval.tv_sec = 10;
  timer.it_interval.tv_usec = 0;
  setitimer(ITIMER_REAL, &timer, NULL);
}

int cl_interrupt_noted(void) { return atomic_load(&noted); }
