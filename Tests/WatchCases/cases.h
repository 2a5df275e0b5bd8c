#pragma once

// Checks, child processes that are captured, and moments of a stop at which a case acts.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lw_stacks.h"

// Stacks are captured on x86-64 only.
#if defined(__x86_64__)
#define CASES_CAPTURE 1
#else
#define CASES_CAPTURE 0
#endif

#define CASE_FUNCTION __attribute__((noinline))

// MARK: Checks

// Prints the place and the values of a check that fails. The process then exits with 1.
#define check(condition) check_at(condition, #condition, __FILE_NAME__, __LINE__)
#define check_equal(found, expected) \
  check_equal_at((long)(found), (long)(expected), #found, __FILE_NAME__, __LINE__)
#define check_text(found, expected) check_text_at(found, expected, __FILE_NAME__, __LINE__)

void check_at(bool holds, const char *condition, const char *file, int line);
void check_equal_at(long found, long expected, const char *name, const char *file, int line);
void check_text_at(const char *found, const char *expected, const char *file, int line);

// MARK: Subjects

// Memory that a case shares with its children.
struct shared {
  _Atomic long turns;  // Counts while the subject runs.
  _Atomic int thread;  // The number of a thread of the subject.
  _Atomic bool goes_on;  // Lets a subject that spins go on.
  _Atomic long result;
  _Atomic int error;
  _Atomic long signals;
  _Atomic long disordered;
  _Atomic bool has_all_signals;
};
extern struct shared *shared;

// A child process, and the pipes to it and from it.
struct subject {
  pid_t process;
  int input;
  int output;
};

// Forks a child that runs `body` and then exits with 0. It is killed when the case ends.
struct subject start(void (*body)(void));
// Sends a byte to the subject; waits for a byte from it.
void tell(struct subject subject);
void hear_from(struct subject subject);
void finish(struct subject subject);

// The same in the subject, also after exec.
void say(void);
void hear(void);

// Counts turns until the process is killed.
CASE_FUNCTION void spin(void);
// Says that the subject runs, and spins.
void say_and_spin(void);
// Waits for events that do not come, in a function of its own.
CASE_FUNCTION void wait_for_events(void);
// Replaces the program by this one, which runs the case `word`.
_Noreturn void run_again(const char *word);

// Waits until the thread has made a turn.
void await_turn(void);
// Waits until the thread sleeps in the system call, or in any one, or has ended.
enum { any_call = -1 };
void await_call(int process, int thread, long number);
// The letter of the thread's state, or 0 if there is no such thread.
char state_of(int process, int thread);
void await_state(int process, int thread, char state);
// The process that traces the thread, or 0.
int tracer_of(int process, int thread);
// Checks that the first thread is neither traced nor stopped.
void expect_released(struct subject subject);
int number_of_threads(int process);

// MARK: Captures

struct capture {
  lw_outcome outcome;
  int error;
  uint64_t stopped;
  size_t count;
  struct lw_frame frames[64];
};

lw_stacks *open_stacks(int process);
struct capture capture(lw_stacks *stacks, int thread);
// Checks that the stack has these functions from the innermost on, and perhaps others
// between them, and none twice. The names are separated by spaces.
#define check_frames(capture, names) check_frames_at(capture, names, __FILE_NAME__, __LINE__)
void check_frames_at(const struct capture *capture, const char *names, const char *file, int line);

// The moments of a stop, in order.
enum moment {
  never,
  seized,       // The thread has a tracer, and runs.
  interrupted,  // The tracer has asked the thread to stop.
  stopped,      // The tracer has read the registers.
  releasing,    // The tracer is about to release the thread.
  released,     // The thread runs on.
  copied,       // Memory of the thread was copied.
};

// Calls `action` in the tracing thread at the next such moment.
void act_at(enum moment moment, void (*action)(void));
// The number of calls of ptrace() so far.
extern _Atomic int requests;
// Makes dlopen() fail.
extern bool has_no_libraries;

// MARK: Cases

struct named_case {
  const char *word;
  void (*run)(void);
};
extern const struct named_case frame_cases[], stop_cases[], end_cases[], call_cases[];
extern const struct named_case refusal_cases[], wait_cases[], blocked_cases[], probe_cases[];
// The word after the case's, or NULL.
extern const char *case_argument;
