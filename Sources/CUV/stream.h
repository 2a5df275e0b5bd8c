// Stream sockets: the calls that libuv does not offer, or not in a way that
// Swift can use.
#ifndef LT_CUV_STREAM_H
#define LT_CUV_STREAM_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

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

// Parses a numeric host. Returns 0, or a negated errno.
static inline int lt_address_ip(lt_address *address, const char *host, int port) {
  memset(address, 0, sizeof *address);
  address->length = sizeof(struct sockaddr_in);
  int result = uv_ip4_addr(host, port, (struct sockaddr_in *)&address->storage);
  if (result == 0) return 0;
  address->length = sizeof(struct sockaddr_in6);
  return uv_ip6_addr(host, port, (struct sockaddr_in6 *)&address->storage);
}

// Returns 0, or UV_ENAMETOOLONG. libuv would cut a longer path.
static inline int lt_address_unix(lt_address *address, const char *path) {
  memset(address, 0, sizeof *address);
  struct sockaddr_un *local = (struct sockaddr_un *)&address->storage;
  size_t length = strlen(path);
  if (length >= sizeof local->sun_path) return UV_ENAMETOOLONG;
  local->sun_family = AF_UNIX;
  memcpy(local->sun_path, path, length + 1);
  address->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  return 0;
}

// Copies one result of a name lookup.
static inline void lt_address_found(lt_address *address, const struct addrinfo *info) {
  memset(address, 0, sizeof *address);
  memcpy(&address->storage, info->ai_addr, info->ai_addrlen);
  address->length = info->ai_addrlen;
}

// Writes the host, or the path of a Unix socket, to `text`. Returns the port,
// -1 for a Unix socket, or -2 for another family.
static inline int lt_address_describe(lt_address address, char *text, size_t size) {
  const struct sockaddr_in *ip4 = (const struct sockaddr_in *)&address.storage;
  const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)&address.storage;
  const struct sockaddr_un *local = (const struct sockaddr_un *)&address.storage;
  text[0] = 0;
  switch (address.storage.ss_family) {
    case AF_INET: uv_ip4_name(ip4, text, size); return ntohs(ip4->sin_port);
    case AF_INET6: uv_ip6_name(ip6, text, size); return ntohs(ip6->sin6_port);
    case AF_UNIX:
      // An unnamed socket has no path.
      if (address.length > offsetof(struct sockaddr_un, sun_path)) {
        strncpy(text, local->sun_path, size - 1);
        text[size - 1] = 0;
      }
      return -1;
    default: return -2;
  }
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

// Connects a stream. Calls `connected` unless it returns an error.
static inline int lt_stream_connect(lt_stream *stream, lt_address address,
                                    uv_connect_cb connected) {
  const struct sockaddr *start = lt_address_start(&address);
  if (start->sa_family != AF_UNIX)
    return uv_tcp_connect(&stream->connect, &stream->uv.tcp, start, connected);
  const char *path = ((const struct sockaddr_un *)start)->sun_path;
  uv_pipe_connect(&stream->connect, &stream->uv.pipe, path, connected);
  return 0;
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
  return listen(socket, backlog) == 0 ? 0 : -errno;
}

// Opens a listening socket. Returns it, or a negated errno.
static inline int lt_socket_listen(lt_address address, int backlog, int shares) {
  int kind = SOCK_STREAM;
#if defined(__linux__)
  kind |= SOCK_CLOEXEC | SOCK_NONBLOCK;
#endif
  int opened = socket(address.storage.ss_family, kind, 0);
  if (opened < 0) return -errno;
  int result = lt_socket_bind(opened, address, backlog, shares);
  if (result == 0) return opened;
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

// Ends both directions of a socket. Safe on any thread.
static inline void lt_socket_end(int socket) { shutdown(socket, SHUT_RDWR); }

// Makes `socket` refer to a socket whose other end is closed. In a forked
// child, libuv then neither reads nor writes the parent's connection, and the
// child does not keep it open. A kernel poll shared with the parent still
// watches the parent's socket.
static inline void lt_socket_abandon(int socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  dup2(ends[0], socket);
  close(ends[0]);
  close(ends[1]);
}

static inline void lt_remove_file(const char *path) { unlink(path); }

// Ignores SIGPIPE, unless the process handles it or already ignores it. libuv
// writes without MSG_NOSIGNAL.
static inline void lt_ignore_broken_pipes(void) {
  struct sigaction action;
  if (sigaction(SIGPIPE, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
}

#endif
