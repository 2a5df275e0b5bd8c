// Stops of a thread, and signals that arrive during one.
#define _GNU_SOURCE
#include "cases.h"

#if CASES_CAPTURE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct subject subject;

// Opens the stacks of the subject, whose sleep is no reason not to stop it.
static lw_stacks *open_stopping(void) {
  lw_stacks *stacks = open_stacks(subject.process);
  lw_stacks_always_stop(stacks);
  return stacks;
}

// MARK: System calls

// Short calls, one after the other. None of them returns EINTR, because no signal
// handler runs.
static void make_calls(void) {
  int pipes[2], events = epoll_create1(0);
  struct epoll_event event;
  struct timespec moment = {0, 1};
  if (pipe(pipes) != 0) _exit(1);
  for (char byte = 0;; atomic_fetch_add(&shared->turns, 1)) {
    long results[] = {
      epoll_wait(events, &event, 1, 0), epoll_pwait(events, &event, 1, 1, NULL),
      write(pipes[1], &byte, 1),        read(pipes[0], &byte, 1),
      nanosleep(&moment, NULL),         getppid(),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
      if (results[i] < 0) shared->error = errno;
  }
}

static void short_calls(void) {
  subject = start(make_calls);
  await_turn();
  lw_stacks *stacks = open_stopping();
  for (int i = 0; i < 200; i++) check_equal(capture(stacks, subject.process).outcome, lw_captured);
  await_turn();
  check_equal(shared->error, 0);
  lw_stacks_close(stacks);
  finish(subject);
}

enum { whole_timeout = 100000000 };

static void wait_with_timeout(void) {
  struct epoll_event event;
  epoll_wait(epoll_create1(0), &event, 1, whole_timeout);
}

// As a program that is linked statically: the call is not in the C library.
static void wait_without_library(void) {
  struct epoll_event event;
  long result, events = epoll_create1(0);
  register long timeout __asm__("r10") = whole_timeout;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_epoll_wait), "D"(events), "S"(&event), "d"(1), "r"(timeout)
                   : "rcx", "r11", "memory");
}

// The fourth argument of the system call that the subject sleeps in.
static long timeout_of_call(void) {
  char path[64];
  long number, timeout = 0;
  snprintf(path, sizeof path, "/proc/%d/syscall", subject.process);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%ld %*x %*x %*x %lx", &number, (unsigned long *)&timeout) != 2) timeout = 0;
  fclose(file);
  return timeout;
}

static long timeout_after_stop(void (*body)(void), uint64_t waited) {
  subject = start(body);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  lw_stacks *stacks = open_stopping();
  struct capture found;
  lw_outcome outcome = lw_stacks_capture(stacks, subject.process, NULL, NULL, waited * 1000000,
                                         found.frames, 64, &found.count, &found.stopped);
  check_equal(outcome, lw_captured);
  check(found.stopped > 0);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  long timeout = timeout_of_call();
  lw_stacks_close(stacks);
  finish(subject);
  return timeout;
}

static void timeouts(void) {
  check_equal(timeout_after_stop(wait_with_timeout, 0), whole_timeout);
  check_equal(timeout_after_stop(wait_with_timeout, 40000000), whole_timeout - 40000000);
  check_equal(timeout_after_stop(wait_without_library, 40000000), whole_timeout);
  check_equal((int)timeout_after_stop(wait_for_events, 40000000), -1);
}

// A byte in the other end of the socket pair sends SIGSTOP to the writer.
static void write_and_stop(void) {
  int ends[2], available;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(1);
  fcntl(ends[1], F_SETOWN, getpid());
  fcntl(ends[1], F_SETSIG, SIGSTOP);
  fcntl(ends[1], F_SETFL, O_ASYNC);
  shared->result = write(ends[0], "", 1);
  ioctl(ends[1], FIONREAD, &available);
  shared->turns = available;
  say();
  hear();
}

// The thread is stopped at the end of a call that succeeded, which must not be repeated.
static void ended_call(void) {
  subject = start(write_and_stop);
  await_state(subject.process, subject.process, 'T');
  lw_stacks *stacks = open_stopping();
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "write_and_stop start main");
  kill(subject.process, SIGCONT);
  hear_from(subject);
  check_equal(shared->result, 1);
  check_equal(shared->turns, 1);
  lw_stacks_close(stacks);
  finish(subject);
}

// MARK: Signals

static void take_in_order(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  long expected = atomic_fetch_add(&shared->signals, 1);
  if (info->si_code != SI_QUEUE || info->si_value.sival_int != expected) shared->disordered++;
}

static void take_last(int number) {
  (void)number;
  shared->has_all_signals = true;
}

static void take_signals(void (*body)(void)) {
  struct sigaction take = {.sa_sigaction = take_in_order, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN, &take, NULL);
  signal(SIGRTMIN + 1, take_last);
  body();
}

static void spin_with_signals(void) { take_signals(say_and_spin); }

static int sent;

static void queue_signal(void) {
  if (sigqueue(subject.process, SIGRTMIN, (union sigval){.sival_int = sent++}) != 0) abort();
}

// The tracer stops the thread before the signal's delivery.
static void queue_and_await_stop(void) {
  for (int i = 0; i < 3; i++) queue_signal();
  await_state(subject.process, subject.process, 't');
}

// A signal with a larger number is delivered last.
static void expect_signals(long expected) {
  kill(subject.process, SIGRTMIN + 1);
  while (!shared->has_all_signals) await_turn();
  check_equal(shared->signals, expected);
  check_equal(shared->disordered, 0);
}

static void queued_signals(void) {
  subject = start(spin_with_signals);
  hear_from(subject);
  lw_stacks *stacks = open_stopping();
  static void (*const actions[])(void) = {queue_and_await_stop, queue_signal, queue_signal};
  for (int i = 0; i < 60; i++) {
    act_at((enum moment[]){seized, stopped, releasing}[i % 3], actions[i % 3]);
    check_equal(capture(stacks, subject.process).outcome, lw_captured);
  }
  expect_signals(sent);
  lw_stacks_close(stacks);
  finish(subject);
}

static void wait_with_handler(void) {
  struct epoll_event event;
  shared->result = epoll_wait(epoll_create1(0), &event, 1, -1);
  shared->error = errno;
  say();
  hear();
}

static void wait_with_signals(void) { take_signals(wait_with_handler); }

// A signal whose handler runs ends a wait, as it does without a tracer.
static void handled_signal(void) {
  subject = start(wait_with_signals);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  lw_stacks *stacks = open_stopping();
  act_at(releasing, queue_signal);
  check_equal(capture(stacks, subject.process).outcome, lw_captured);
  hear_from(subject);
  check_equal(shared->signals, 1);
  check_equal(shared->result, -1);
  check_equal(shared->error, EINTR);
  lw_stacks_close(stacks);
  finish(subject);
}

// MARK: Job control

static void stop_subject(void) { kill(subject.process, SIGSTOP); }

// A thread that was released wrongly makes turns.
static void expect_stopped(void) {
  long before = shared->turns;
  while (state_of(subject.process, subject.process) != 'T' && shared->turns < before + 1000000) {}
  check_equal(state_of(subject.process, subject.process), 'T');
  check_equal(tracer_of(subject.process, subject.process), 0);
}

static void expect_continued(void) {
  kill(subject.process, SIGCONT);
  await_turn();
}

// SIGSTOP before the capture.
static void stopped_process(void) {
  subject = start(spin);
  await_turn();
  lw_stacks *stacks = open_stopping();
  for (int i = 0; i < 20; i++) {
    int status;
    stop_subject();
    waitpid(subject.process, &status, WUNTRACED);
    check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    long before = shared->turns;
    struct capture found = capture(stacks, subject.process);
    check_frames(&found, "spin start main");
    expect_stopped();
    check_equal(shared->turns, before);
    expect_continued();
  }
  lw_stacks_close(stacks);
  finish(subject);
}

// SIGSTOP during the capture.
static void late_stop(void) {
  subject = start(spin);
  await_turn();
  lw_stacks *stacks = open_stopping();
  for (enum moment moment = seized; moment <= releasing; moment++) {
    act_at(moment, stop_subject);
    check_equal(capture(stacks, subject.process).outcome, lw_captured);
    expect_stopped();
    expect_continued();
  }
  lw_stacks_close(stacks);
  finish(subject);
}

// MARK: Watchers that are killed

static enum moment fatal_moment;
static void (*last_action)(void);

static void report_and_hang(void) {
  say();
  for (;;) pause();
}

static void queue_report_and_hang(void) {
  queue_and_await_stop();
  report_and_hang();
}

static void watch_subject(void) {
  lw_stacks *stacks = open_stopping();
  act_at(fatal_moment, last_action);
  capture(stacks, subject.process);
}

// Kills a watcher when its capture of the subject has reached `moment`.
static void kill_watcher_at(enum moment moment, void (*action)(void)) {
  fatal_moment = moment;
  last_action = action;
  struct subject watcher = start(watch_subject);
  hear_from(watcher);
  finish(watcher);
}

static void killed_watcher(void) {
  subject = start(spin_with_signals);
  hear_from(subject);
  for (enum moment moment = seized; moment <= releasing; moment++) {
    kill_watcher_at(moment, report_and_hang);
    expect_released(subject);
    await_turn();
  }
  kill_watcher_at(seized, queue_report_and_hang);
  expect_released(subject);
  expect_signals(3);
  finish(subject);
}

static void answer_events(void) {
  struct epoll_event event = {.events = EPOLLIN};
  int events = epoll_create1(0);
  epoll_ctl(events, EPOLL_CTL_ADD, 100, &event);
  for (;;) {
    while (epoll_wait(events, &event, 1, -1) != 1) {}
    hear();
    say();
  }
}

// A thread that sleeps is released into its call.
static void killed_during_wait(void) {
  subject = start(answer_events);
  for (enum moment moment = seized; moment <= releasing; moment++) {
    await_call(subject.process, subject.process, SYS_epoll_wait);
    kill_watcher_at(moment, report_and_hang);
    expect_released(subject);
    tell(subject);
    hear_from(subject);
  }
  finish(subject);
}

const struct named_case stop_cases[] = {
  {"short-calls", short_calls},
  {"timeouts", timeouts},
  {"ended-call", ended_call},
  {"queued-signals", queued_signals},
  {"handled-signal", handled_signal},
  {"stopped-process", stopped_process},
  {"late-stop", late_stop},
  {"killed-watcher", killed_watcher},
  {"killed-during-wait", killed_during_wait},
  {"", NULL},
};

#endif
