// Stream sockets: the calls that libuv does not offer, or not in a way that
// Swift can use.
#ifndef LT_CUV_STREAM_H
#define LT_CUV_STREAM_H

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "descriptor_poll.h"
#include "files.h"
#include "signal_watches.h"

#if defined(__linux__)
#include <sys/syscall.h>
#endif

// A stream's handle and requests, in one block. The address of the block is
// also the handle's.
typedef struct {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  } uv;
  uv_write_t write;
  uv_shutdown_t shutdown;
  uv_connect_t connect;
  // Where the stream reads to.
  uv_buf_t buffer;
  // The reads since the loop polled the stream.
  unsigned reads;
  // Whether the socket was in blocking mode when the stream got it.
  int was_blocking;
} lt_stream;

// Whether the libuv that is running, which may be newer than the headers, uses no
// more memory for a handle or a request than `lt_stream` has.
static inline int lt_stream_fits(void) {
  return uv_handle_size(UV_TCP) <= sizeof(uv_tcp_t) &&
         uv_handle_size(UV_NAMED_PIPE) <= sizeof(uv_pipe_t) &&
         uv_req_size(UV_WRITE) <= sizeof(uv_write_t) &&
         uv_req_size(UV_SHUTDOWN) <= sizeof(uv_shutdown_t) &&
         uv_req_size(UV_CONNECT) <= sizeof(uv_connect_t);
}

// The most reads of a stream after one poll. libuv's own limit is 32, which is
// 2 MB with a buffer of 64 KB.
enum { LT_STREAM_READS = 8 };

// Gives libuv the memory to read into. A stream without an owner gets none, and
// neither does one after its last read. libuv then reads nothing and reports
// UV_ENOBUFS.
static inline void lt_stream_provide(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  (void)size;
  lt_stream *stream = (lt_stream *)handle;
  int reads = handle->data && stream->reads < LT_STREAM_READS;
  stream->reads = reads ? stream->reads + 1 : 0;
  *buffer = reads ? stream->buffer : uv_buf_init(NULL, 0);
}

// Call with the result of each read. One that does not fill the buffer is the last
// after a poll.
static inline void lt_stream_did_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  if (count < (ssize_t)buffer->len) ((lt_stream *)stream)->reads = 0;
}

// MARK: Addresses

typedef struct {
  struct sockaddr_storage storage;
  socklen_t length;
} lt_address;

static inline const struct sockaddr *lt_address_start(const lt_address *address) {
  return (const struct sockaddr *)&address->storage;
}

// The size of libuv's copy of the part of an IPv6 address before its zone.
enum { LT_ADDRESS_PART = 40 };

// Parses a numeric host. Returns 0, or a negated errno.
static inline int lt_address_ip(lt_address *address, const char *host, int port) {
  memset(address, 0, sizeof *address);
  address->length = sizeof(struct sockaddr_in);
  int result = uv_ip4_addr(host, port, (struct sockaddr_in *)&address->storage);
  if (result == 0) return 0;
  // libuv would cut a longer address, and ignores a zone that does not exist.
  const char *zone = strchr(host, '%');
  if (zone != NULL && (zone - host >= LT_ADDRESS_PART || if_nametoindex(zone + 1) == 0))
    return UV_EINVAL;
  address->length = sizeof(struct sockaddr_in6);
  return uv_ip6_addr(host, port, (struct sockaddr_in6 *)&address->storage);
}

// Makes the address of a Unix socket. Its name is a path, or else an abstract name,
// which the kernel keeps and which may have zero bytes. Returns 0, UV_ENAMETOOLONG, or
// UV_EINVAL for an empty name: the kernel would choose an abstract one.
static inline int lt_address_unix(lt_address *address, const char *name, size_t length,
                                  int is_path) {
  memset(address, 0, sizeof *address);
  struct sockaddr_un *local = (struct sockaddr_un *)&address->storage;
#if !defined(__linux__)
  if (!is_path) return UV_ENOTSUP;
#endif
  if (length == 0) return UV_EINVAL;
  if (length >= sizeof local->sun_path) return UV_ENAMETOOLONG;
  local->sun_family = AF_UNIX;
  // A path has a zero byte behind it, an abstract name before it.
  memcpy(local->sun_path + (is_path ? 0 : 1), name, length);
  address->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  return 0;
}

// Copies one result of a name lookup.
static inline void lt_address_found(lt_address *address, const struct addrinfo *info) {
  memset(address, 0, sizeof *address);
  memcpy(&address->storage, info->ai_addr, info->ai_addrlen);
  address->length = info->ai_addrlen;
}

enum { LT_PORT_PATH = -1, LT_PORT_ABSTRACT = -2, LT_PORT_UNKNOWN = -3 };

// Writes the host, or the name of a Unix socket, to `text`, and its length to `length`.
// Returns the port, or one of the constants above. An unnamed socket has an empty path.
static inline int lt_address_describe(lt_address address, char *text, size_t size,
                                      size_t *length) {
  const struct sockaddr_un *local = (const struct sockaddr_un *)&address.storage;
  const size_t start = offsetof(struct sockaddr_un, sun_path);
  text[0] = 0;
  int port = LT_PORT_UNKNOWN;
  if (address.storage.ss_family == AF_INET || address.storage.ss_family == AF_INET6) {
    uv_ip_name((const struct sockaddr *)&address.storage, text, size);
    // The port has the same place in both families.
    port = ntohs(((const struct sockaddr_in *)&address.storage)->sin_port);
  } else if (address.storage.ss_family == AF_UNIX && address.length > start + 1 &&
             local->sun_path[0] == 0) {
    *length = address.length - start - 1;
    memcpy(text, local->sun_path + 1, *length);
    return LT_PORT_ABSTRACT;
  } else if (address.storage.ss_family == AF_UNIX) {
    // The storage has zeros behind a path that fills `sun_path`.
    if (address.length > start) strncpy(text, local->sun_path, size - 1);
    text[size - 1] = 0;
    port = LT_PORT_PATH;
  }
  *length = strlen(text);
  return port;
}

// Gets the address of the socket's own or other end. Returns 0, or a negated
// errno.
static inline int lt_socket_address(lt_address *address, int socket, int remote) {
  memset(address, 0, sizeof *address);
  address->length = sizeof address->storage;
  struct sockaddr *start = (struct sockaddr *)&address->storage;
  int result = remote ? getpeername(socket, start, &address->length)
                      : getsockname(socket, start, &address->length);
  return result == 0 ? 0 : -errno;
}

// MARK: Names

// Looks up a host, and blocks meanwhile. Returns 0, or an error of libuv. The result is
// freed by freeaddrinfo.
static inline int lt_look_up(const char *host, int port, struct addrinfo **found) {
  char service[16];
  snprintf(service, sizeof service, "%d", port);
  struct addrinfo hints = {0};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  // Without a callback, libuv looks the name up on this thread, and uses the loop only to
  // count the request.
  uv_loop_t loop = {0};
  uv_getaddrinfo_t request;
  int result = uv_getaddrinfo(&loop, &request, NULL, host, service, &hints);
  if (result == 0) *found = request.addrinfo;
  return result;
}

// MARK: Sockets

// Returns 1 for a Unix socket, 0 for another socket, or a negated errno.
static inline int lt_socket_is_unix(int socket) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -errno;
  return address.ss_family == AF_UNIX;
}

static inline int lt_socket_bind(int socket, lt_address address, int backlog, int shares) {
  int yes = 1;
  if (address.storage.ss_family != AF_UNIX) {
    if (setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) return -errno;
    if (shares && setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0)
      return -errno;
  }
  if (bind(socket, lt_address_start(&address), address.length) != 0) return -errno;
  if (listen(socket, backlog) == 0) return 0;
  int result = -errno;
  const struct sockaddr_un *local = (const struct sockaddr_un *)&address.storage;
  if (local->sun_family == AF_UNIX && local->sun_path[0] != 0) unlink(local->sun_path);
  return result;
}

// Opens a stream socket. Returns it, or a negated errno.
static inline int lt_socket_open(int family) {
  int kind = SOCK_STREAM;
#if defined(__linux__)
  kind |= SOCK_CLOEXEC | SOCK_NONBLOCK;
#endif
  int opened = socket(family, kind, 0);
  if (opened < 0) return -errno;
#if !defined(__linux__)
  fcntl(opened, F_SETFD, FD_CLOEXEC);
  fcntl(opened, F_SETFL, O_NONBLOCK);
#endif
  return opened;
}

// Opens a listening socket. Returns it, or a negated errno.
static inline int lt_socket_listen(lt_address address, int backlog, int shares) {
  int opened = lt_socket_open(address.storage.ss_family);
  if (opened < 0) return opened;
  int result = lt_socket_bind(opened, address, backlog, shares);
  if (result == 0) return opened;
  close(opened);
  return result;
}

// Opens a Unix socket and connects it, which does not block: it fails if the listener
// has no room. Returns it, or a negated errno.
static inline int lt_socket_connect(lt_address address) {
  int opened = lt_socket_open(AF_UNIX);
  if (opened < 0) return opened;
  if (connect(opened, lt_address_start(&address), address.length) == 0) return opened;
  int result = -errno;
  close(opened);
  return result;
}

// Accepts a connection. Returns its socket, or a negated errno.
static inline int lt_socket_accept(int listener) {
#if defined(__linux__)
  // The system call, because glibc declares its wrapper only with _GNU_SOURCE.
  long accepted =
      syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return accepted >= 0 ? (int)accepted : -errno;
#else
  int accepted = accept(listener, NULL, NULL);
  if (accepted < 0) return -errno;
  fcntl(accepted, F_SETFD, FD_CLOEXEC);
  return accepted;
#endif
}

// Returns `socket`, or moves it if it is a standard stream, which libuv would not close.
// On failure, returns a negated errno, and `socket` stays open.
static inline int lt_socket_above_streams(int socket) {
  if (socket < 0 || socket > 2) return socket;
  int moved = fcntl(socket, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return -errno;
  close(socket);
  lt_fill_standard_streams();
  return moved;
}

// Whether `socket` is in blocking mode.
static inline int lt_socket_is_blocking(int socket) {
  int flags = fcntl(socket, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

// Sets `socket` to blocking mode if it is also a standard stream, which shares its mode.
// Other sockets keep theirs, because another connection may use the same socket.
static inline void lt_socket_restore_mode(int socket) {
  struct stat file;
  if (fstat(socket, &file) == 0 && lt_is_standard_stream(&file)) lt_set_nonblocking(socket, 0);
}

// Ends both directions of a socket. Safe on any thread.
static inline void lt_socket_end(int socket) { shutdown(socket, SHUT_RDWR); }

// Makes `socket` refer to a socket that is not connected. In a forked child, libuv
// then neither reads nor writes the parent's connection, and the child does not keep it
// open. A write fails without SIGPIPE, which a closed peer would cause. A kernel poll
// that the child shares with the parent still watches the parent's socket.
static inline void lt_socket_abandon(int socket) {
  int opened = lt_socket_open(AF_UNIX);
  if (opened < 0) return;
#if defined(__linux__)
  // The system call, because glibc declares its wrapper only with _GNU_SOURCE.
  syscall(SYS_dup3, opened, socket, O_CLOEXEC);
#else
  dup2(opened, socket);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
#endif
  close(opened);
}

// MARK: The file of a Unix socket

typedef struct {
  dev_t device;
  ino_t file;
} lt_file_identity;

// Identifies the file at `path`, which may be a symbolic link. Returns 0, or a negated
// errno.
static inline int lt_file_identify(const char *path, lt_file_identity *identity) {
  struct stat found;
  if (lstat(path, &found) != 0) return -errno;
  identity->device = found.st_dev;
  identity->file = found.st_ino;
  return 0;
}

// Removes the file at `path`, unless it has been replaced. Call before the socket is
// closed: another file may then get the number of a removed one.
static inline void lt_file_remove(const char *path, lt_file_identity identity) {
  lt_file_identity now;
  if (lt_file_identify(path, &now) != 0) return;
  if (now.device == identity.device && now.file == identity.file) unlink(path);
}

// MARK: Broken pipes

// libuv writes without MSG_NOSIGNAL. A handler and not SIG_IGN, which the programs that
// the process starts would inherit.
static inline void lt_on_broken_pipe(int signal) { (void)signal; }

// The handler that this process has installed, or NULL. Weak, because each file has its
// own copy of the function. Relaxed: the disposition itself is the kernel's.
__attribute__((weak, visibility("hidden"))) void (*lt_broken_pipe_handler)(int) = NULL;
__attribute__((weak, visibility("hidden"))) pthread_once_t lt_pipes_once = PTHREAD_ONCE_INIT;

// Gives a forked child the disposition that its parent had.
static inline void lt_broken_pipe_forked(void) {
  void (*handler)(int) = __atomic_exchange_n(&lt_broken_pipe_handler, NULL, __ATOMIC_RELAXED);
  struct sigaction action;
  if (handler == NULL || sigaction(SIGPIPE, NULL, &action) != 0) return;
  if (action.sa_handler != handler) return;
  action.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &action, NULL);
}

static inline void lt_broken_pipe_follow_forks(void) {
  // First, so that a child's watches of SIGPIPE end before the disposition is checked.
  lt_signals_follow_forks();
  pthread_atfork(NULL, NULL, lt_broken_pipe_forked);
}

// Makes a write to a broken pipe return an error instead of ending the process, unless
// the process handles or ignores SIGPIPE. A watch of the library delays the handler until
// the watch ends. Installs the handler at most once, so that a disposition that the process
// sets later stays. Any thread may call it.
static inline void lt_survive_broken_pipes(void) {
  pthread_once(&lt_pipes_once, lt_broken_pipe_follow_forks);
  struct sigaction action;
  if (__atomic_load_n(&lt_broken_pipe_handler, __ATOMIC_RELAXED) != NULL) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = lt_on_broken_pipe;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  if (!lt_signal_replace_default(SIGPIPE, &action)) return;
  // Order: stored last, so that a thread that finds it may write.
  __atomic_store_n(&lt_broken_pipe_handler, action.sa_handler, __ATOMIC_RELAXED);
}

#endif
