#define _GNU_SOURCE
#include "lw_system.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_un local;
  struct sockaddr_storage storage;
};

// The numbers are the same on all machines.
enum { number_of_pidfd_open = 434, number_of_pidfd_getfd = 438 };

// A copy of the descriptor exists while its peer is read.
static int copy_descriptor(int process, int descriptor) {
  int file = (int)syscall(number_of_pidfd_open, process, 0);
  if (file < 0) return -errno;
  int copy = (int)syscall(number_of_pidfd_getfd, file, descriptor, 0);
  int error = errno;
  close(file);
  return copy < 0 ? -error : copy;
}

static int read_peer(int process, int descriptor, union address *peer, socklen_t *length) {
  int copy = copy_descriptor(process, descriptor);
  if (copy < 0) return copy;
  int result = getpeername(copy, &peer->any, length) == 0 ? 0 : -errno;
  close(copy);
  return result;
}

// Reads as much as the process has there: the length is in another argument of the call.
static int read_argument(int process, uint64_t address, union address *peer, socklen_t *length) {
  struct iovec local = {peer, sizeof *peer};
  struct iovec remote = {(void *)(uintptr_t)address, sizeof *peer};
  ssize_t count = process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (count <= 0) return count < 0 ? -errno : -EFAULT;
  *length = (socklen_t)count;
  return 0;
}

// An abstract name begins with a zero byte, and is shown with "@".
static long write_path(const union address *peer, socklen_t length, char *text, size_t capacity) {
  size_t start = offsetof(struct sockaddr_un, sun_path);
  if (length <= start + 1) return -ENOENT;
  const char *path = peer->local.sun_path;
  bool is_abstract = path[0] == 0;
  size_t most = length - start < sizeof peer->local.sun_path ? length - start
                                                             : sizeof peer->local.sun_path;
  return snprintf(text, capacity, "%s%.*s", is_abstract ? "@" : "", (int)(most - is_abstract),
                  path + is_abstract);
}

static long write_address(const union address *peer, socklen_t length, char *text,
                          size_t capacity) {
  char name[INET6_ADDRSTRLEN];
  switch (peer->any.sa_family) {
  case AF_INET:
    inet_ntop(AF_INET, &peer->v4.sin_addr, name, sizeof name);
    return snprintf(text, capacity, "%s:%d", name, ntohs(peer->v4.sin_port));
  case AF_INET6:
    inet_ntop(AF_INET6, &peer->v6.sin6_addr, name, sizeof name);
    return snprintf(text, capacity, "[%s]:%d", name, ntohs(peer->v6.sin6_port));
  case AF_UNIX: return write_path(peer, length, text, capacity);
  default: return -EAFNOSUPPORT;
  }
}

long lw_peer(int process, int descriptor, uint64_t address, char *text, size_t capacity) {
  union address peer;
  memset(&peer, 0, sizeof peer);
  socklen_t length = sizeof peer;
  int error = address != 0 ? read_argument(process, address, &peer, &length)
                           : read_peer(process, descriptor, &peer, &length);
  if (error != 0) return error;
  long count = write_address(&peer, length, text, capacity);
  return count < (long)capacity ? count : (long)capacity - 1;
}
