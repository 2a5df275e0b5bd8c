// Polling of descriptors that belong to the program. Other threads may close
// them, and other processes may share the files that they refer to.
#ifndef LT_CUV_DESCRIPTOR_POLL_H
#define LT_CUV_DESCRIPTOR_POLL_H

#include <sys/socket.h>

#include "shim.h"

// MARK: The state of a descriptor

// Identifies the file that `descriptor` refers to. Returns 0, or a negated
// errno.
static inline int lt_descriptor_identity(int descriptor, uint64_t *device, uint64_t *file) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return -errno;
  *device = (uint64_t)found.st_dev;
  *file = (uint64_t)found.st_ino;
  return 0;
}

// The condition of a descriptor, as `poll` and `FIONREAD` report it.
typedef struct {
  int is_hung_up;
  int has_error;
  int unread;          // bytes to read; a datagram socket counts only its next one
  int is_recoverable;  // can receive after its error
} lt_condition;

static inline lt_condition lt_descriptor_condition(int descriptor) {
  struct pollfd entry = {descriptor, POLLIN, 0};
  lt_condition found = {0, 0, 0, 0};
  if (poll(&entry, 1, 0) <= 0) return found;
  found.is_hung_up = (entry.revents & POLLHUP) != 0;
  found.has_error = (entry.revents & POLLERR) != 0;
  if (!(entry.revents & POLLIN) || ioctl(descriptor, FIONREAD, &found.unread) != 0)
    found.unread = 0;
  int type = 0;
  socklen_t size = sizeof type;
  // A connection that its error ends is hung up. One with messages in its error queue,
  // such as timestamps, is not.
  if (found.has_error && !found.is_hung_up)
    found.is_recoverable = getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
  return found;
}

static inline int lt_is_standard_stream(const struct stat *file) {
  for (int stream = 0; stream < 3; stream++) {
    struct stat other;
    if (fstat(stream, &other) == 0 && other.st_dev == file->st_dev &&
        other.st_ino == file->st_ino)
      return 1;
  }
  return 0;
}

// Whether `descriptor` is a terminal, a pipe or a standard stream. It keeps its
// mode, which belongs to the open file: several descriptors and processes share
// it, and a program that prints to a non-blocking terminal or pipe loses output.
static inline int lt_keeps_mode(int descriptor) {
  struct stat file;
  if (fstat(descriptor, &file) != 0 || S_ISFIFO(file.st_mode)) return 1;
  return (S_ISCHR(file.st_mode) && isatty(descriptor)) || lt_is_standard_stream(&file);
}

// Sets whether `descriptor` is in non-blocking mode. Not by F_SETFL, which would
// also write the other flags.
static inline void lt_set_nonblocking(int descriptor, int yes) {
  ioctl(descriptor, FIONBIO, &yes);
}

// MARK: Polling for readiness

// Returns 0 if the loop can poll `descriptor`, or a negative error. The kernel
// then polls it for nothing until `uv_poll_start` or `uv_close`.
static inline int lt_poll_check(uv_loop_t *loop, int descriptor) {
#if defined(__linux__)
  if (descriptor < 0) return UV_EBADF;
  if ((unsigned)descriptor < loop->nwatchers && loop->watchers[descriptor] != NULL)
    return UV_EEXIST;
  int set = uv_backend_fd(loop);
  // One-shot, because an error or a hang-up is reported nevertheless. libuv
  // ignores events of the descriptor -1.
  struct epoll_event event = {0};
  event.events = EPOLLONESHOT;
  event.data.fd = -1;
  if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) != 0 && errno != EEXIST) return -errno;
#endif
  (void)loop;
  (void)descriptor;
  return 0;
}

// Initialises a poll of `descriptor`. Returns 0, or a negative error.
//
// `uv_poll_init` sets each descriptor to non-blocking mode, and aborts the
// process if another thread closes the descriptor meanwhile. So it gets one of
// the loop's own descriptors, which is replaced before the poll starts.
static inline int lt_poll_init(uv_loop_t *loop, uv_poll_t *poll, int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  int is_blocking = flags >= 0 && !(flags & O_NONBLOCK);
#if defined(__linux__)
  int result = lt_poll_check(loop, descriptor);
  if (result == 0) result = uv_poll_init(loop, poll, loop->signal_pipefd[1]);
  if (result != 0) return result;
  poll->io_watcher.fd = descriptor;
  if (is_blocking && !lt_keeps_mode(descriptor)) lt_set_nonblocking(descriptor, 1);
#else
  int result = uv_poll_init(loop, poll, descriptor);
  if (result == 0 && is_blocking && lt_keeps_mode(descriptor)) lt_set_nonblocking(descriptor, 0);
#endif
  return result;
}

// Removes an entry from a list of libuv. An entry begins with the addresses of
// the next and of the previous entry, in all versions of libuv 1.
static inline void lt_list_remove(void *entry) {
  void **links = (void **)entry;
  void **next = (void **)links[0], **previous = (void **)links[1];
  next[1] = previous;
  previous[0] = next;
  links[0] = links[1] = links;
}

// Starts a poll, or changes its events. Returns 0, or a negative error.
//
// libuv would register the descriptor with the kernel when it polls next, and
// abort the process if another thread had closed the descriptor by then. So
// this registers it, and tells libuv that it is registered.
static inline int lt_poll_start(uv_poll_t *poll, int events, uv_poll_cb ready) {
  int result = uv_poll_start(poll, events, ready);
#if defined(__linux__)
  if (result != 0) return result;
  uv__io_t *watcher = &poll->io_watcher;
  struct epoll_event event = {0};
  event.events = watcher->pevents;
  event.data.fd = watcher->fd;
  int set = uv_backend_fd(poll->loop);
  result = epoll_ctl(set, EPOLL_CTL_ADD, watcher->fd, &event) == 0 ? 0 : -errno;
  if (result == -EEXIST)
    result = epoll_ctl(set, EPOLL_CTL_MOD, watcher->fd, &event) == 0 ? 0 : -errno;
  if (result != 0) {
    uv_poll_stop(poll);
    return result;
  }
  lt_list_remove(&watcher->watcher_queue);
  watcher->events = watcher->pevents;
#endif
  return result;
}

// MARK: Polling for changes

// Opens a set of descriptors that reports each change of them once. Returns a
// negated errno on failure; `UV_ENOSYS` on other systems than Linux.
static inline int lt_changes_open(void) {
#if defined(__linux__)
  int set = epoll_create1(EPOLL_CLOEXEC);
  return set >= 0 ? set : -errno;
#else
  return UV_ENOSYS;
#endif
}

// Adds `descriptor` to `set`, which reports its present state as a change.
// Returns 0, or a negated errno.
static inline int lt_changes_add(int set, int descriptor) {
#if defined(__linux__)
  // Without EPOLLOUT, because the end of each transmission would be a change.
  struct epoll_event event = {0};
  event.events = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET;
  event.data.fd = descriptor;
  if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
  if (errno == EEXIST && epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  return -errno;
#else
  (void)set;
  (void)descriptor;
  return UV_ENOSYS;
#endif
}

static inline void lt_changes_remove(int set, int descriptor) {
#if defined(__linux__)
  struct epoll_event unused = {0};
  epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &unused);
#else
  (void)set;
  (void)descriptor;
#endif
}

// Takes one descriptor of `set` that has changed. Returns -1 if there is none.
static inline int lt_changes_take(int set) {
#if defined(__linux__)
  struct epoll_event event;
  if (epoll_wait(set, &event, 1, 0) == 1) return event.data.fd;
#endif
  (void)set;
  return -1;
}

#endif
