// Starts and stops libuv's signal handles, so that each signal gets back the disposition
// that it had before. A forked child gets that disposition, too.
#ifndef LT_CUV_SIGNAL_WATCHES_H
#define LT_CUV_SIGNAL_WATCHES_H

#include "forks.h"
#include "shim.h"
#include "signal_requests.h"
#include "stack_capture.h"

// A started handle, as one of a list.
typedef struct lt_signal_watch {
  uv_signal_t *handle;
  // Null in a forked child, where the handle is stopped.
  struct lt_signal_watches *list;
  struct lt_signal_watch *previous, *next;
} lt_signal_watch;

// The handles of one signal, on all loops.
typedef struct lt_signal_watches {
  lt_signal_watch *first;
  // Whether a libuv handle of another owner already caught the signal. `before` is then
  // unused.
  int is_foreign;
  struct sigaction before;
  // libuv's disposition.
  struct sigaction handler;
} lt_signal_watches;

// Swift emits a definition only if it has an initial value.
__attribute__((weak, visibility("hidden"))) lt_signal_watches
    lt_signal_lists[LT_REQUEST_SIGNALS] = {{0}};
// Guards the lists, and is held during a fork, so that a child finds whole lists.
__attribute__((weak, visibility("hidden"))) pthread_mutex_t lt_signal_lock =
    PTHREAD_MUTEX_INITIALIZER;
__attribute__((weak, visibility("hidden"))) sigset_t lt_signal_unblocked = {{0}};
__attribute__((weak, visibility("hidden"))) pthread_once_t lt_signal_once = PTHREAD_ONCE_INIT;

// Blocks all signals, because a handler may fork.
static inline void lt_signal_acquire(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_mutex_lock(&lt_signal_lock);
  lt_signal_unblocked = before;
}

static inline void lt_signal_release(void) {
  sigset_t before = lt_signal_unblocked;
  pthread_mutex_unlock(&lt_signal_lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Stops a handle, and restores the disposition after the last one. libuv sets a signal to
// its default when its last handle stops, even if other code has set a disposition
// meanwhile. This restores that disposition or the earlier one instead, unless other
// libuv handles catch the signal too. Async-signal-safe.
static inline void lt_signal_stop(int signal, lt_signal_watch *watch) {
  lt_signal_watches *list = watch->list;
  struct sigaction current, now;
  sigaction(signal, NULL, &current);
  // The loop's owner may have closed the handle, and libuv has stopped it then.
  int was_stopped = uv_is_closing((const uv_handle_t *)watch->handle);
  if (!was_stopped) uv_signal_stop(watch->handle);
  if (watch->previous != NULL) watch->previous->next = watch->next;
  if (watch->next != NULL) watch->next->previous = watch->previous;
  if (list->first == watch) list->first = watch->next;
  watch->list = NULL;
  if (list->first != NULL) return;
  int is_replaced = !was_stopped && current.sa_handler != list->handler.sa_handler;
  if (!is_replaced && list->is_foreign) return;
  sigaction(signal, NULL, &now);
  if (now.sa_handler == SIG_DFL) sigaction(signal, is_replaced ? &current : &list->before, NULL);
}

// Runs in a forked child. libuv's lists of handles are process-wide, and the parent's
// handles name descriptors that the child shares with the parent. So none may be left
// when a signal arrives, and none when the child watches a signal itself.
static inline void lt_signal_child(void) {
  // A trap's handler may be above or below libuv's.
  lt_requests_forget();
  for (int signal = 1; signal < LT_REQUEST_SIGNALS; signal++)
    while (lt_signal_lists[signal].first != NULL)
      lt_signal_stop(signal, lt_signal_lists[signal].first);
  lt_requests_forget();
  lt_stack_forget();
  lt_signal_release();
}

// Does the same for a child that `lt_signal_acquire` did not prepare.
static inline void lt_signal_unseen_child(void) {
  const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
  // A thread of the parent may hold it.
  lt_signal_lock = unlocked;
  lt_signal_acquire();
  lt_signal_child();
}

static inline void lt_signal_register(void) {
  lt_on_unseen_fork = lt_signal_unseen_child;
  pthread_atfork(lt_signal_acquire, lt_signal_release, lt_signal_child);
}

// From now on, a forked child gets the dispositions that signals had before this library
// caught them.
static inline void lt_signals_follow_forks(void) {
  pthread_once(&lt_signal_once, lt_signal_register);
}

// Starts `handle`. Returns 0, or an error of libuv: `UV_EINVAL` for a signal that cannot
// be caught, or that reports a fault. The handler would return to the fault, which would
// happen again.
static inline int lt_signal_start(lt_signal_watch *watch, uv_signal_t *handle,
                                  uv_signal_cb caught, int signal) {
  if (signal <= 0 || signal >= LT_REQUEST_SIGNALS || lt_is_fault(signal)) return UV_EINVAL;
  lt_signals_follow_forks();
  lt_signal_acquire();
  lt_signal_watches *list = &lt_signal_lists[signal];
  struct sigaction before;
  sigaction(signal, NULL, &before);
  int result = uv_signal_start(handle, caught, signal);
  if (result == 0) {
    if (list->first == NULL) {
      sigaction(signal, NULL, &list->handler);
      list->is_foreign = before.sa_handler == list->handler.sa_handler;
      list->before = before;
    }
    *watch = (lt_signal_watch){handle, list, NULL, list->first};
    if (list->first != NULL) list->first->previous = watch;
    list->first = watch;
  }
  lt_signal_release();
  return result;
}

// Whether starting a handle replaces no disposition that other code has set. With
// SA_NOCLDWAIT, the system reaps ended children.
static inline int lt_signal_is_free(int signal) {
  struct sigaction current;
  lt_signal_acquire();
  const lt_signal_watches *list = &lt_signal_lists[signal];
  sigaction(signal, NULL, &current);
  int result = list->first != NULL
                   ? current.sa_handler == list->handler.sa_handler
                   : current.sa_handler == SIG_DFL && !(current.sa_flags & SA_NOCLDWAIT);
  lt_signal_release();
  return result;
}

// Replaces the default disposition of `signal` with `action`: now, or when the last handle
// stops. Returns 0 and does nothing if the signal has another disposition.
static inline int lt_signal_replace_default(int signal, const struct sigaction *action) {
  struct sigaction current;
  lt_signal_acquire();
  lt_signal_watches *list = &lt_signal_lists[signal];
  sigaction(signal, NULL, &current);
  int is_watched = list->first != NULL && !list->is_foreign &&
                   current.sa_handler == list->handler.sa_handler;
  int result = (is_watched ? list->before : current).sa_handler == SIG_DFL;
  if (result && is_watched) list->before = *action;
  if (result && !is_watched) result = sigaction(signal, action, NULL) == 0;
  lt_signal_release();
  return result;
}

// Stops the handle, unless the process is a forked child of the one that started it.
static inline void lt_signal_end(lt_signal_watch *watch) {
  lt_signal_acquire();
  if (watch->list != NULL) lt_signal_stop((int)(watch->list - lt_signal_lists), watch);
  lt_signal_release();
}

// The number of times that the handle's signal has been caught for it, and the number of
// those for which it has called back. A signal's handler may run on any thread meanwhile.
static inline uint32_t lt_signal_caught(const uv_signal_t *handle) {
  // Relaxed: orders no other memory.
  return __atomic_load_n(&handle->caught_signals, __ATOMIC_RELAXED);
}

static inline uint32_t lt_signal_dispatched(const uv_signal_t *handle) {
  return handle->dispatched_signals;
}

#endif
