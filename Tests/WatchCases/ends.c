// Threads and processes that end, and programs that are replaced, during a capture.
#define _GNU_SOURCE
#include "cases.h"

#if CASES_CAPTURE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct subject subject;

static int own_thread(void) { return (int)syscall(SYS_gettid); }

static void start_thread(void *(*body)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, NULL) != 0) _exit(1);
  pthread_detach(thread);
}

// MARK: Ends

static void *end_when_told(void *unused) {
  shared->thread = own_thread();
  say();
  while (!shared->goes_on) {}
  return unused;
}

static void start_ending_thread(void) {
  start_thread(end_when_told);
  for (;;) pause();
}

// A traced thread remains until its tracer has noticed its end.
static bool has_ended(int thread) {
  char state = state_of(subject.process, thread);
  return state == 0 || state == 'Z' || state == 'X';
}

static void end_thread(void) {
  shared->goes_on = true;
  while (!has_ended(shared->thread)) {}
}

static void thread_end(void) {
  subject = start(start_ending_thread);
  hear_from(subject);
  lw_stacks *stacks = open_stacks(subject.process);
  act_at(seized, end_thread);
  check_equal(capture(stacks, shared->thread).outcome, lw_no_thread);
  check_equal(capture(stacks, shared->thread).outcome, lw_no_thread);
  while (number_of_threads(subject.process) > 1) {}
  check_equal(capture(stacks, subject.process).outcome, lw_captured);
  lw_stacks_close(stacks);
  finish(subject);
}

static void exit_when_told(void) {
  say();
  while (!shared->goes_on) {}
  _exit(7);
}

static void end_process(void) {
  shared->goes_on = true;
  await_state(subject.process, subject.process, 'Z');
}

static void process_end(void) {
  subject = start(exit_when_told);
  hear_from(subject);
  lw_stacks *stacks = open_stacks(subject.process);
  act_at(seized, end_process);
  check_equal(capture(stacks, subject.process).outcome, lw_no_thread);
  int status = 0;
  // The capture has left the status to the parent.
  check_equal(waitpid(subject.process, &status, 0), subject.process);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  check_equal(capture(stacks, subject.process).outcome, lw_no_thread);
  lw_stacks_close(stacks);
}

static void kill_process(void) {
  kill(subject.process, SIGKILL);
  await_state(subject.process, subject.process, 'Z');
}

// Also a stopped thread can be killed.
static void process_killed(void) {
  for (enum moment moment = seized; moment <= releasing; moment++) {
    subject = start(say_and_spin);
    hear_from(subject);
    lw_stacks *stacks = open_stacks(subject.process);
    act_at(moment, kill_process);
    lw_outcome outcome = capture(stacks, subject.process).outcome;
    check(outcome == lw_no_thread || (moment >= stopped && outcome == lw_unreadable));
    int status = 0;
    check_equal(waitpid(subject.process, &status, 0), subject.process);
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    lw_stacks_close(stacks);
  }
}

// MARK: exec

static void replace(void) {
  while (!shared->goes_on) {}
  run_again("spin");
}

static void *replace_in_thread(void *unused) {
  shared->thread = own_thread();
  say();
  replace();
  return unused;
}

static void replace_by_other(void) {
  start_thread(replace_in_thread);
  for (;;) pause();
}

static void replace_by_first(void) {
  shared->thread = own_thread();
  say();
  replace();
}

static void replace_now(void) {
  shared->goes_on = true;
  // Of the new program.
  hear_from(subject);
}

// Checks that the new program runs on, and that its functions are named.
static void expect_new_program(lw_stacks *stacks) {
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "say_and_spin main");
  expect_released(subject);
}

static void exec_by(void (*body)(void), enum moment moment, lw_outcome expected) {
  shared->goes_on = false;
  subject = start(body);
  hear_from(subject);
  lw_stacks *stacks = open_stacks(subject.process);
  if (moment == never) replace_now();
  else act_at(moment, replace_now);
  struct capture found = capture(stacks, shared->thread);
  check_equal(found.outcome, expected);
  if (expected == lw_captured) check_frames(&found, "say_and_spin main");
  expect_new_program(stacks);
  lw_stacks_close(stacks);
  finish(subject);
}

static void exec_by_first(void) {
  exec_by(replace_by_first, never, lw_captured);
  exec_by(replace_by_first, seized, lw_captured);
}

// The thread gets the number of the first one.
static void exec_by_other(void) {
  exec_by(replace_by_other, never, lw_no_thread);
  exec_by(replace_by_other, seized, lw_no_thread);
}

static void *replace_beside_first(void *unused) {
  replace();
  return unused;
}

static void spin_until_replaced(void) {
  shared->thread = own_thread();
  start_thread(replace_beside_first);
  say_and_spin();
}

// The first thread, which is traced, ends, and another one gets its number.
static void exec_beside(void) {
  subject = start(spin_until_replaced);
  hear_from(subject);
  lw_stacks *stacks = open_stacks(subject.process);
  act_at(seized, replace_now);
  lw_outcome outcome = capture(stacks, subject.process).outcome;
  check(outcome == lw_no_thread || outcome == lw_captured);
  expect_new_program(stacks);
  lw_stacks_close(stacks);
  finish(subject);
}

// An upgrade removes the file of a program that runs.
static void run_removed_copy(void) {
  char path[40];
  struct stat status;
  snprintf(path, sizeof path, "/tmp/watch-removed-%d", getpid());
  int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = creat(path, 0700);
  if (to < 0 || fstat(from, &status) != 0) _exit(1);
  for (off_t offset = 0; offset < status.st_size;) {
    if (sendfile(to, from, &offset, (size_t)(status.st_size - offset)) <= 0) _exit(1);
  }
  close(to);
  int copy = open(path, O_RDONLY | O_CLOEXEC);
  unlink(path);
  char *arguments[] = {"watch-cases", "spin", NULL};
  fexecve(copy, arguments, environ);
  _exit(1);
}

static void removed_program(void) {
  subject = start(run_removed_copy);
  hear_from(subject);
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture captured = capture(stacks, subject.process);
  check_frames(&captured, "say_and_spin main");
  lw_stacks_close(stacks);
  finish(subject);
}

// MARK: vfork

// The child shares the parent's memory, and the parent sleeps until it ends.
CASE_FUNCTION static void start_child(void) {
  pid_t child = vfork();
  if (child == 0) {
    hear();
    _exit(0);
  }
  waitpid(child, NULL, 0);
  atomic_fetch_add(&shared->turns, 1);
}

static void start_child_and_spin(void) {
  start_child();
  say_and_spin();
}

static void vfork_parent(void) {
  subject = start(start_child_and_spin);
  await_state(subject.process, subject.process, 'D');
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "start_child start main");
  check_equal(found.stopped, 0);
  lw_stacks_always_stop(stacks);
  check_equal(capture(stacks, subject.process).outcome, lw_not_stopped);
  tell(subject);
  hear_from(subject);
  await_turn();
  expect_released(subject);
  check_equal(capture(stacks, subject.process).outcome, lw_captured);
  lw_stacks_close(stacks);
  finish(subject);
}

const struct named_case end_cases[] = {
  {"thread-end", thread_end},
  {"process-end", process_end},
  {"process-killed", process_killed},
  {"exec-by-first", exec_by_first},
  {"exec-by-other", exec_by_other},
  {"exec-beside", exec_beside},
  {"removed-program", removed_program},
  {"vfork", vfork_parent},
  {"spin", say_and_spin},
  {"", NULL},
};

#endif
