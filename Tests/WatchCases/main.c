// usage: watch-cases CASE [ARGUMENT]
//
// Runs one case of a test of the watch's C targets, and prints each check that fails.
//
// exit: 0 all checks passed · 1 one failed · 2 there is no such case
#define _GNU_SOURCE
#include "cases.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: Checks

static bool has_failed;

static void fail(const char *file, int line) {
  has_failed = true;
  printf("%s:%d: ", file, line);
}

void check_at(bool holds, const char *condition, const char *file, int line) {
  if (holds) return;
  fail(file, line);
  printf("expected %s\n", condition);
}

void check_equal_at(long found, long expected, const char *name, const char *file, int line) {
  if (found == expected) return;
  fail(file, line);
  printf("%s is %ld and not %ld\n", name, found, expected);
}

void check_text_at(const char *found, const char *expected, const char *file, int line) {
  if (strcmp(found, expected) == 0) return;
  fail(file, line);
  printf("'%s' and not '%s'\n", found, expected);
}

// MARK: Subjects

struct shared *shared;

// The subject's ends of the pipes. They are the same after exec.
enum { subject_input = 100, subject_output = 101 };

static void run_subject(const int in[2], const int out[2], void (*body)(void)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Where only a parent may trace, the other children may, too.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  dup2(in[0], subject_input);
  dup2(out[1], subject_output);
  // The end of the case closes the pipes, if nothing else has them open.
  for (int i = 0; i < 2; i++) close(in[i]), close(out[i]);
  body();
  _exit(0);
}

struct subject start(void (*body)(void)) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) abort();
  fflush(stdout);
  pid_t process = fork();
  if (process < 0) abort();
  if (process == 0) run_subject(in, out, body);
  close(in[0]);
  close(out[1]);
  return (struct subject){process, in[1], out[0]};
}

void tell(struct subject subject) { if (write(subject.input, "", 1) != 1) abort(); }

void hear_from(struct subject subject) {
  char byte;
  if (read(subject.output, &byte, 1) == 1) return;
  printf("a subject ended early\n");
  exit(1);
}

void finish(struct subject subject) {
  kill(subject.process, SIGKILL);
  waitpid(subject.process, NULL, 0);
  close(subject.input);
  close(subject.output);
}

void say(void) { if (write(subject_output, "", 1) != 1) _exit(1); }

void hear(void) {
  char byte;
  if (read(subject_input, &byte, 1) != 1) _exit(1);
}

void spin(void) { for (;;) atomic_fetch_add(&shared->turns, 1); }

void say_and_spin(void) {
  say();
  spin();
}

void wait_for_events(void) {
  struct epoll_event event;
  epoll_wait(epoll_create1(0), &event, 1, -1);
  // Not a jump, which would leave no frame.
  atomic_fetch_add(&shared->turns, 1);
}

void run_again(const char *word) {
  execl("/proc/self/exe", "watch-cases", word, (char *)NULL);
  _exit(1);
}

void await_turn(void) {
  long before = shared->turns;
  while (shared->turns == before) sched_yield();
}

static bool read_text(const char *path, char *text, size_t capacity) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, capacity - 1);
  close(file);
  text[length > 0 ? length : 0] = 0;
  return length > 0;
}

// The text after `key` in the status of a thread.
static const char *status_of(int process, int thread, const char *key) {
  static _Thread_local char text[4096];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", process, thread);
  const char *line = read_text(path, text, sizeof text) ? strstr(text, key) : NULL;
  return line != NULL ? line + strlen(key) : "";
}

char state_of(int process, int thread) { return *status_of(process, thread, "\nState:\t"); }

// The kernel writes "running" for a thread that runs, or has ended.
static bool sleeps_in(const char *line, long number) {
  if (*line < '0' || *line > '9') return false;
  return number == any_call || strtol(line, NULL, 10) == number;
}

void await_call(int process, int thread, long number) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", process, thread);
  while (read_text(path, line, sizeof line) && !sleeps_in(line, number)) {
    if (state_of(process, thread) == 'Z') return;
    sched_yield();
  }
}

void await_state(int process, int thread, char state) {
  while (state_of(process, thread) != state) sched_yield();
}

int tracer_of(int process, int thread) {
  return atoi(status_of(process, thread, "\nTracerPid:\t"));
}

void expect_released(struct subject subject) {
  char state = state_of(subject.process, subject.process);
  check(state != 't' && state != 'T');
  check_equal(tracer_of(subject.process, subject.process), 0);
}

int number_of_threads(int process) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *folder = opendir(path);
  int count = 0;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    count += entry->d_name[0] != '.';
  if (folder != NULL) closedir(folder);
  return count;
}

// MARK: Captures

lw_stacks *open_stacks(int process) {
  char message[512];
  lw_stacks *stacks = lw_stacks_open(process, message, sizeof message);
  if (stacks != NULL) return stacks;
  printf("lw_stacks_open failed: %s\n", message);
  exit(1);
}

struct capture capture(lw_stacks *stacks, int thread) {
  struct capture result;
  result.outcome = lw_stacks_capture(stacks, thread, NULL, NULL, 0, result.frames, 64,
                                     &result.count, &result.stopped);
  result.error = errno;
  return result;
}

// Symbols may have a version: "epoll_wait@@GLIBC_2.3.2".
static bool has_name(const struct lw_frame *frame, const char *name, size_t length) {
  return frame->symbol != NULL && strncmp(frame->symbol, name, length) == 0 &&
         (frame->symbol[length] == 0 || frame->symbol[length] == '@');
}

static bool repeats_frame(const struct capture *capture) {
  for (size_t i = 1; i < capture->count; i++)
    if (capture->frames[i].address == capture->frames[i - 1].address) return true;
  return false;
}

void check_frames_at(const struct capture *capture, const char *names, const char *file, int line) {
  size_t i = 0;
  for (const char *name = names; *name != 0; name += *name == ' ') {
    size_t length = strcspn(name, " ");
    while (i < capture->count && !has_name(&capture->frames[i], name, length)) i++;
    name += length;
  }
  if (capture->outcome == lw_captured && i < capture->count && !repeats_frame(capture)) return;
  fail(file, line);
  printf("outcome %d, expected %s in", capture->outcome, names);
  for (i = 0; i < capture->count; i++)
    printf(" %s", capture->frames[i].symbol != NULL ? capture->frames[i].symbol : "-");
  printf("\n");
}

// MARK: Functions of the C library that this program replaces

_Atomic int requests;
bool has_no_libraries;
static enum moment awaited;
static void (*action)(void);

void act_at(enum moment moment, void (*body)(void)) {
  action = body;
  awaited = moment;
}

static void reach(enum moment moment) {
  if (awaited != moment) return;
  awaited = never;
  int error = errno;
  action();
  errno = error;
}

long ptrace(enum __ptrace_request request, ...) {
  va_list words;
  va_start(words, request);
  pid_t thread = va_arg(words, pid_t);
  void *address = va_arg(words, void *), *data = va_arg(words, void *);
  va_end(words);
  requests++;
  if (request == PTRACE_DETACH) reach(releasing);
  long result = syscall(SYS_ptrace, request, thread, address, data);
  if (result == 0 && request == PTRACE_SEIZE) reach(seized);
  if (result == 0 && request == PTRACE_INTERRUPT) reach(interrupted);
  if (result == 0 && request == PTRACE_GETREGSET) reach(stopped);
  if (result == 0 && request == PTRACE_DETACH) reach(released);
  return result;
}

ssize_t process_vm_readv(pid_t process, const struct iovec *local, unsigned long local_count,
                         const struct iovec *remote, unsigned long remote_count,
                         unsigned long flags) {
  ssize_t result = syscall(SYS_process_vm_readv, process, local, local_count, remote,
                           remote_count, flags);
  reach(copied);
  return result;
}

void *dlopen(const char *file, int mode) {
  static void *(*next)(const char *, int);
  if (has_no_libraries) file = "/no/such/library.so";
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
  return next(file, mode);
}

// MARK: Main

const char *case_argument;

static const struct named_case *const all_cases[] = {
#if CASES_CAPTURE
  frame_cases, stop_cases, end_cases, call_cases, refusal_cases, probe_cases,
#endif
  wait_cases, blocked_cases,
};

static bool run(const char *word) {
  for (size_t i = 0; i < sizeof all_cases / sizeof all_cases[0]; i++) {
    for (const struct named_case *one = all_cases[i]; one->run != NULL; one++) {
      if (strcmp(one->word, word) != 0) continue;
      one->run();
      return true;
    }
  }
  return false;
}

int main(int count, char **words) {
  // The threads of a test runner block signals, and their children inherit that.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Ends a case that hangs.
  alarm(600);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  case_argument = count > 2 ? words[2] : NULL;
  if (count < 2 || !run(words[1])) {
    fprintf(stderr, "usage: watch-cases CASE [ARGUMENT]\n");
    return 2;
  }
  return has_failed ? 1 : 0;
}
