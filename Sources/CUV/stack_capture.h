// Takes the call stack of a thread that runs, by a signal to it. For x86-64 and
// AArch64 with glibc 2.35 or newer.
#ifndef LT_CUV_STACK_CAPTURE_H
#define LT_CUV_STACK_CAPTURE_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "shim.h"
#include "work_slot.h"

// Since glibc 2.35 and GCC 12, the unwinder of libgcc finds the `.eh_frame` of an
// address without a lock, by _dl_find_object(3), which is async-signal-safe.
#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#if __GLIBC_PREREQ(2, 35)
#define LT_HAS_STACKS 1
#endif
#endif

enum { LT_STACK_DEPTH = 128 };

// The phases of a request.
enum { LT_STACK_NONE = 0, LT_STACK_ASKED = 1, LT_STACK_TAKING = 2, LT_STACK_TAKEN = 3 };

// One request for the stack of a thread, and its result. At most one thread asks
// at a time. Never freed, because a signal may arrive late.
typedef struct {
  // The request's number, times 4, plus its phase. The handler owns the other
  // fields in the phase `TAKING`, the thread that asks owns them otherwise.
  uint32_t state;
  // How often the handler has run for a signal of this process.
  uint32_t runs;
  // The thread that runs a hold, and the hold's number and beginning.
  const lt_work_slot *slot;
  uint64_t hold;
  uint64_t since;
  uint32_t count;
  uintptr_t addresses[LT_STACK_DEPTH];
} lt_stack_capture;

static inline lt_stack_capture *lt_stack_capture_make(void) {
  return (lt_stack_capture *)calloc(1, sizeof(lt_stack_capture));
}

static inline const uintptr_t *lt_stack_addresses(const lt_stack_capture *capture) {
  return capture->addresses;
}

static inline uint32_t lt_stack_state(const lt_stack_capture *capture) {
  // Acquire: pairs with the release that ends the phase `TAKING`.
  return __atomic_load_n(&capture->state, __ATOMIC_ACQUIRE);
}

static inline uint32_t lt_stack_runs(const lt_stack_capture *capture) {
  return __atomic_load_n(&capture->runs, __ATOMIC_RELAXED);
}

static inline int lt_stack_is_taken(uint32_t state) { return (state & 3) == LT_STACK_TAKEN; }

// The signal. glibc numbers the real-time signals at run time.
static inline int lt_stack_signal(void) {
#if defined(LT_HAS_STACKS)
  return SIGRTMAX - 3;
#else
  return 0;
#endif
}

// Begins a request for the stack of the thread in `slot`, while it is in the hold
// with this number and beginning. Returns the request's number, or 0 if a handler
// still writes the result of an earlier one.
static inline uint32_t lt_stack_ask(lt_stack_capture *capture, const lt_work_slot *slot,
                                    uint64_t hold, uint64_t since) {
  uint32_t state = lt_stack_state(capture);
  if ((state & 3) == LT_STACK_TAKING) return 0;
  uint32_t number = ((state >> 2) + 1) & 0x3fffffffu;
  if (number == 0) number = 1;
  capture->slot = slot;
  capture->hold = hold;
  capture->since = since;
  capture->count = 0;
  // Release: the handler sees the fields.
  __atomic_store_n(&capture->state, number << 2 | LT_STACK_ASKED, __ATOMIC_RELEASE);
  return number;
}

// Ends request `number`. Returns 1 if its stack was taken. Otherwise a signal
// that arrives later finds that it is too late.
static inline int lt_stack_end(lt_stack_capture *capture, uint32_t number) {
  uint32_t state = number << 2 | LT_STACK_ASKED;
  // Acquire: pairs with the release that ends the phase `TAKING`.
  if (__atomic_compare_exchange_n(&capture->state, &state, number << 2 | LT_STACK_NONE, 0,
                                  __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
    return 0;
  return state == (number << 2 | LT_STACK_TAKEN);
}

#if defined(LT_HAS_STACKS)

// Under names of our own, because <unwind.h> has different types in other modules.
extern int lt_unwind_backtrace(int (*step)(void *frame, void *walk),
                               void *walk) __asm__("_Unwind_Backtrace");
extern uintptr_t lt_unwind_address(void *frame) __asm__("_Unwind_GetIP");

typedef struct {
  lt_stack_capture *capture;
  // Where the signal interrupted the thread, until that frame was found.
  uintptr_t interrupted;
} lt_stack_walk;

static inline int lt_stack_step(void *frame, void *opaque) {
  lt_stack_walk *walk = (lt_stack_walk *)opaque;
  lt_stack_capture *capture = walk->capture;
  uintptr_t address = lt_unwind_address(frame);
  if (address == 0) return 5 /* _URC_END_OF_STACK */;
  if (address == walk->interrupted) {
    // Drops the frames of the handler.
    capture->count = 0;
    walk->interrupted = 0;
  }
  if (capture->count == LT_STACK_DEPTH) return 5;
  capture->addresses[capture->count++] = address;
  return 0;
}

static inline void lt_stack_take(lt_stack_capture *capture, uintptr_t interrupted) {
  lt_stack_walk walk = {capture, interrupted};
  capture->count = 0;
  lt_unwind_backtrace(lt_stack_step, &walk);
}

// Whether the calling thread is in the hold of the request. Async-signal-safe.
static inline int lt_stack_is_in_hold(const lt_stack_capture *capture) {
  lt_work_slot now;
  return lt_work_slot_read(capture->slot, &now) && now.hold == capture->hold &&
         now.since == capture->since && now.thread == lt_thread_number();
}

static inline uintptr_t lt_stack_interrupted(const void *context) {
  const ucontext_t *user = (const ucontext_t *)context;
#if defined(__x86_64__)
  return (uintptr_t)user->uc_mcontext.gregs[16 /* REG_RIP */];
#else
  return (uintptr_t)user->uc_mcontext.pc;
#endif
}

// Of this process: a forked child has its own.
__attribute__((weak, visibility("hidden"))) lt_stack_capture *lt_stack_current = NULL;

// The installed handler, or NULL. Each object file has a copy of it at an address of its
// own.
__attribute__((weak, visibility("hidden"))) void (*lt_stack_handler)(int, siginfo_t *,
                                                                     void *) = NULL;

// The handler. Takes no lock and allocates nothing. Ignores signals that this
// process did not send, or whose request has ended.
static inline void lt_stack_handle(int signal, siginfo_t *info, void *context) {
  (void)signal;
  int error = errno;
  // Acquire: pairs with the release in `lt_stack_install`.
  lt_stack_capture *capture = __atomic_load_n(&lt_stack_current, __ATOMIC_ACQUIRE);
  if (capture != NULL && info->si_code == SI_QUEUE && info->si_pid == getpid()) {
    __atomic_fetch_add(&capture->runs, 1, __ATOMIC_RELAXED);
    uint32_t number = (uint32_t)info->si_value.sival_int;
    uint32_t state = number << 2 | LT_STACK_ASKED;
    // Acquire: pairs with the release in `lt_stack_ask`.
    if (__atomic_compare_exchange_n(&capture->state, &state, number << 2 | LT_STACK_TAKING, 0,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      if (lt_stack_is_in_hold(capture)) lt_stack_take(capture, lt_stack_interrupted(context));
      // Release: the thread that asked sees the addresses.
      __atomic_store_n(&capture->state, number << 2 | LT_STACK_TAKEN, __ATOMIC_RELEASE);
      lt_word_wake(&capture->state);
    }
  }
  errno = error;
}

// Whether the handler is installed. Relaxed: only the address of a function is compared.
static inline int lt_stack_is_installed(void) {
  struct sigaction action;
  return sigaction(lt_stack_signal(), NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) &&
         action.sa_sigaction == __atomic_load_n(&lt_stack_handler, __ATOMIC_RELAXED);
}

// Installs the handler for `capture`, if the signal has its default disposition.
// Returns 0, or an error of libuv. Calls must not overlap.
static inline int lt_stack_install(lt_stack_capture *capture) {
  struct sigaction action;
  if (!lt_stack_is_installed()) {
    if (sigaction(lt_stack_signal(), NULL, &action) != 0) return -errno;
    if ((action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL) return UV_EBUSY;
  }
  // The first use of the unwinder initializes it and resolves its symbols.
  lt_stack_take(capture, 0);
  capture->count = 0;
  // Release: the handler sees an initialized capture.
  __atomic_store_n(&lt_stack_current, capture, __ATOMIC_RELEASE);
  memset(&action, 0, sizeof action);
  action.sa_sigaction = lt_stack_handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  // No other handler interrupts this one, so that it is short.
  sigfillset(&action.sa_mask);
  __atomic_store_n(&lt_stack_handler, lt_stack_handle, __ATOMIC_RELAXED);
  return sigaction(lt_stack_signal(), &action, NULL) == 0 ? 0 : -errno;
}

// Restores the signal's default, if the handler is installed. Runs in a forked child.
static inline void lt_stack_forget(void) {
  struct sigaction action = {0};
  action.sa_handler = SIG_DFL;
  if (lt_stack_is_installed()) sigaction(lt_stack_signal(), &action, NULL);
}

// Lets the calling thread receive the signal.
static inline void lt_stack_admit(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, lt_stack_signal());
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

// Sends the signal of request `number` to a thread. Returns 0, or a negated errno.
static inline int lt_stack_send(uint32_t number, uint32_t thread) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = lt_stack_signal();
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = (int)number;
  long result = syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)thread, lt_stack_signal(), &info);
  return result == 0 ? 0 : -errno;
}

#else

static inline int lt_stack_is_installed(void) { return 0; }

static inline int lt_stack_install(lt_stack_capture *capture) {
  (void)capture;
  return UV_ENOSYS;
}

static inline void lt_stack_forget(void) {}

static inline void lt_stack_admit(void) {}

static inline int lt_stack_send(uint32_t number, uint32_t thread) {
  (void)number;
  (void)thread;
  return UV_ENOSYS;
}

#endif

#endif
