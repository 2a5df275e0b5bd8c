// The functions in a captured stack.
#define _GNU_SOURCE
#include "cases.h"

#if CASES_CAPTURE

#include <alloca.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static bool answer_yes(void *context) { return *(bool *)context; }

static void sleep_forever(void) {
  wait_for_events();
  atomic_fetch_add(&shared->turns, 1);
}

// A sleeping thread is captured without a stop.
static void sleeper(void) {
  struct subject subject = start(sleep_forever);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "epoll_wait wait_for_events sleep_forever start main");
  check_equal(found.stopped, 0);
  check_equal(requests, 0);
  uint64_t length;
  lw_outcome outcome = lw_stacks_capture(stacks, subject.process, NULL, NULL, 0, found.frames, 2,
                                         &found.count, &length);
  check(outcome == lw_captured && found.count == 2);
  bool is_waiting = true;
  outcome = lw_stacks_capture(stacks, subject.process, answer_yes, &is_waiting, 0, found.frames,
                              64, &found.count, &length);
  check_equal(outcome, lw_is_waiting);
  lw_stacks_close(stacks);
  finish(subject);
}

// A frame whose size is known at run time only is found by its frame pointer, which the
// kernel does not tell of a thread that is not stopped.
CASE_FUNCTION static void wait_in_variable_frame(size_t size) {
  char *bytes = alloca(size);
  memset(bytes, 1, size);
  wait_for_events();
  atomic_fetch_add(&shared->turns, bytes[size - 1]);
}

static void wait_in_frame(void) {
  wait_in_variable_frame((size_t)getpid() % 64 + 200);
  atomic_fetch_add(&shared->turns, 1);
}

static void variable_frame(void) {
  struct subject subject = start(wait_in_frame);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "wait_for_events wait_in_variable_frame wait_in_frame start main");
  check_equal(found.stopped, 0);
  lw_stacks_close(stacks);
  finish(subject);
}

// The caller's code does not tell which function it called, so only the thread's registers
// tell where the frame is.
static void sleep_in_variable_frame(void) {
  struct epoll_event event;
  size_t size = (size_t)getpid() % 64 + 200;
  char *bytes = alloca(size);
  memset(bytes, 1, size);
  epoll_wait(epoll_create1(0), &event, 1, -1);
  atomic_fetch_add(&shared->turns, bytes[size - 1]);
}

static void unknown_frame(void) {
  struct subject subject = start(sleep_in_variable_frame);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "epoll_wait sleep_in_variable_frame start main");
  check(found.stopped > 0);
  lw_stacks_close(stacks);
  finish(subject);
}

static void handle_signal(int number) {
  (void)number;
  say_and_spin();
}

CASE_FUNCTION static void run_until_signal(void) {
  for (;;) atomic_fetch_add(&shared->result, 1);
}

static void be_interrupted(void) {
  signal(SIGUSR1, handle_signal);
  say();
  run_until_signal();
}

static void signal_frame(void) {
  struct subject subject = start(be_interrupted);
  hear_from(subject);
  while (shared->result == 0) {}
  kill(subject.process, SIGUSR1);
  hear_from(subject);
  await_turn();
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "spin run_until_signal start main");
  lw_stacks_close(stacks);
  finish(subject);
}

// MARK: A thread that runs on

CASE_FUNCTION static void spin_first(void) {
  while (!shared->goes_on) atomic_fetch_add(&shared->turns, 1);
  atomic_fetch_add(&shared->turns, 1);
}

CASE_FUNCTION static void call_first(void) {
  spin_first();
  atomic_fetch_add(&shared->turns, 1);
}

// Replaces the old frames on the stack.
CASE_FUNCTION static void overwrite(void) {
  volatile char bytes[4096];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
  say_and_spin();
}

static void call_both(void) {
  call_first();
  overwrite();
}

static struct subject moving;

static void move_on(void) {
  shared->goes_on = true;
  hear_from(moving);
}

static void moved_thread(void) {
  moving = start(call_both);
  await_turn();
  lw_stacks *stacks = open_stacks(moving.process);
  act_at(released, move_on);
  struct capture found = capture(stacks, moving.process);
  check_frames(&found, "spin_first call_first start main");
  found = capture(stacks, moving.process);
  check_frames(&found, "say_and_spin start main");
  lw_stacks_close(stacks);
  finish(moving);
}

CASE_FUNCTION static void hear_first(void) {
  hear();
  atomic_fetch_add(&shared->turns, 1);
}

static void spin_and_sleep(void) {
  spin_first();
  hear_first();
  wait_for_events();
  atomic_fetch_add(&shared->turns, 1);
}

static void move_to_other_sleep(void) {
  tell(moving);
  await_call(moving.process, moving.process, SYS_epoll_wait);
}

// A thread that sleeps, and goes on while its stack is copied without a stop.
static void moved_sleeper(void) {
  moving = start(spin_and_sleep);
  await_turn();
  lw_stacks *stacks = open_stacks(moving.process);
  struct capture found = capture(stacks, moving.process);
  check_frames(&found, "spin_first start main");
  check(found.stopped > 0);
  shared->goes_on = true;
  await_call(moving.process, moving.process, SYS_read);
  found = capture(stacks, moving.process);
  check_frames(&found, "hear_first start main");
  check_equal(found.stopped, 0);
  act_at(copied, move_to_other_sleep);
  found = capture(stacks, moving.process);
  check_frames(&found, "epoll_wait wait_for_events start main");
  lw_stacks_close(stacks);
  finish(moving);
}

// MARK: Generated code

typedef void function(void *);
// The called function is the fourth argument.
typedef void trampoline(void *, long, long, function *);

static const struct {
  uint8_t code[16];
  const char *shape;
} trampolines[] = {
  // sub $8, %rsp; call *%rcx; add $8, %rsp; ret
  {{0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3}, "CPython 3.12"},
  // push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret
  {{0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3}, "with a frame pointer"},
  // The same with 64 bytes of variables.
  {{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 64, 0xff, 0xd1, 0x48, 0x89, 0xec, 0x5d, 0xc3}, "V8"},
};
static trampoline *chosen;

CASE_FUNCTION static void called(void *is_sleeping) {
  shared->result = 1;
  if (is_sleeping != NULL) wait_for_events();
  else spin();
  atomic_fetch_add(&shared->turns, 1);
}

CASE_FUNCTION static void call_trampoline(void *is_sleeping) {
  chosen(is_sleeping, 0, 0, called);
  atomic_fetch_add(&shared->turns, 1);
}

static void run_generated(void) { call_trampoline(NULL); }
static void sleep_generated(void) { call_trampoline(shared); }

static void *make_trampoline(size_t i) {
  void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, trampolines[i].code, sizeof trampolines[i].code);
  return code;
}

// Whether the frame between the two functions has no module.
static bool has_generated_frame(const struct capture *found) {
  for (size_t i = 0; i + 2 < found->count; i++) {
    const char *symbol = found->frames[i].symbol;
    if (symbol == NULL || strcmp(symbol, "called") != 0) continue;
    return found->frames[i + 1].module == NULL && found->frames[i + 2].module != NULL;
  }
  return false;
}

static void capture_generated(size_t i, bool is_sleeping) {
  chosen = make_trampoline(i);
  struct subject subject = start(is_sleeping ? sleep_generated : run_generated);
  if (is_sleeping) await_call(subject.process, subject.process, SYS_epoll_wait);
  else await_turn();
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "called call_trampoline start main");
  if (!has_generated_frame(&found)) printf("the trampoline, %s:\n", trampolines[i].shape);
  check(has_generated_frame(&found));
  lw_stacks_close(stacks);
  finish(subject);
}

static void generated_code(void) {
  for (size_t i = 0; i < sizeof trampolines / sizeof trampolines[0]; i++) {
    capture_generated(i, false);
    capture_generated(i, true);
  }
}

static void spin_and_generate(void) {
  spin_first();
  chosen = make_trampoline(0);
  call_trampoline(NULL);
}

CASE_FUNCTION static void return_at_once(void *unused) { (void)unused; }

CASE_FUNCTION static void repeat_trampoline(void) {
  for (;;) chosen(NULL, 0, 0, return_at_once);
}

// Stops the subject before the instruction.
static void step_to(struct subject subject, uint64_t address) {
  struct user_regs_struct registers;
  ptrace(PTRACE_ATTACH, subject.process, NULL, NULL);
  do {
    waitpid(subject.process, NULL, 0);
    ptrace(PTRACE_GETREGS, subject.process, NULL, &registers);
  } while (registers.rip != address &&
           ptrace(PTRACE_SINGLESTEP, subject.process, NULL, NULL) == 0);
  ptrace(PTRACE_DETACH, subject.process, NULL, (void *)SIGSTOP);
  await_state(subject.process, subject.process, 'T');
}

static void capture_at(struct subject subject, lw_stacks *stacks, size_t trampoline, int offset) {
  step_to(subject, (uint64_t)(uintptr_t)chosen + (uint64_t)offset);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "repeat_trampoline start main");
  const char *caller = found.count > 1 ? found.frames[1].symbol : NULL;
  bool is_right = found.frames[0].module == NULL && caller != NULL &&
                  strcmp(caller, "repeat_trampoline") == 0;
  if (!is_right) printf("at byte %d, %s:\n", offset, trampolines[trampoline].shape);
  check(is_right);
}

static void generated_instructions(void) {
  static const int offsets[][8] = {
    {0, 4, 6, 10, -1}, {0, 1, 4, 6, 7, -1}, {0, 1, 4, 8, 10, 13, 14, -1}};
  for (size_t i = 0; i < sizeof trampolines / sizeof trampolines[0]; i++) {
    chosen = make_trampoline(i);
    struct subject subject = start(repeat_trampoline);
    lw_stacks *stacks = open_stacks(subject.process);
    for (const int *offset = offsets[i]; *offset >= 0; offset++)
      capture_at(subject, stacks, i, *offset);
    lw_stacks_close(stacks);
    finish(subject);
  }
}

// Code that is newer than the list of modules.
static void new_code(void) {
  struct subject subject = start(spin_and_generate);
  await_turn();
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "spin_first start main");
  shared->goes_on = true;
  // Of the last function.
  while (shared->result == 0) sched_yield();
  found = capture(stacks, subject.process);
  check_frames(&found, "called call_trampoline start main");
  check(has_generated_frame(&found));
  lw_stacks_close(stacks);
  finish(subject);
}

const struct named_case frame_cases[] = {
  {"sleeper", sleeper},
  {"variable-frame", variable_frame},
  {"signal-frame", signal_frame},
  {"moved-thread", moved_thread},
  {"moved-sleeper", moved_sleeper},
  {"unknown-frame", unknown_frame},
  {"new-code", new_code},
  {"generated-code", generated_code},
  {"generated-instructions", generated_instructions},
  {"", NULL},
};

#endif
