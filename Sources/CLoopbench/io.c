// The load of `io` and its peer on libuv.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cl_measure.h"
#include "cl_uv.h"
#include "uv_peer.h"

// Makes `server` non-blocking. Makes an exec close both descriptors.
static bool prepare(int server, int client) {
  return fcntl(server, F_SETFL, O_NONBLOCK) == 0 && fcntl(server, F_SETFD, FD_CLOEXEC) == 0 &&
         fcntl(client, F_SETFD, FD_CLOEXEC) == 0;
}

static bool open_pair(cl_io *io) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return false;
  io->servers[0] = pair[0];
  io->clients[0] = pair[1];
  return prepare(pair[0], pair[1]) && write(pair[1], "", 1) == 1;
}

// Connects to `listener` at `address`.
static bool connect_one(cl_io *io, int listener, const struct sockaddr_in *address, uint32_t i) {
  const int yes = 1;
  io->clients[i] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(io->clients[i], (const struct sockaddr *)address, sizeof *address) != 0) return false;
  io->servers[i] = accept(listener, NULL, NULL);
  setsockopt(io->clients[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(io->servers[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return prepare(io->servers[i], io->clients[i]);
}

static bool open_connections(cl_io *io) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0) return false;
  bool is_open = bind(listener, (struct sockaddr *)&address, size) == 0 &&
                 listen(listener, 1) == 0 &&
                 getsockname(listener, (struct sockaddr *)&address, &size) == 0;
  for (uint32_t i = 0; i < io->count && is_open; i++) {
    is_open = connect_one(io, listener, &address, i);
  }
  close(listener);
  return is_open;
}

cl_io *cl_io_open(uint32_t connections, uint32_t batches, uint32_t batch) {
  const uint32_t count = connections > 0 ? connections : 1;
  cl_io *io = malloc(sizeof *io);
  int *sockets = malloc(2 * count * sizeof *sockets);
  uint64_t *ended = calloc(batches, sizeof *ended);
  if (io == NULL || sockets == NULL || ended == NULL) abort();
  *io = (cl_io){.connections = connections, .count = count, .batch = batch, .ended = ended,
                .servers = sockets, .clients = sockets + count,
                .total = (uint64_t)batches * batch};
  for (uint32_t i = 0; i < 2 * count; i++) sockets[i] = -1;
  if (connections > 0 ? open_connections(io) : open_pair(io)) return io;
  cl_io_close(io);
  return NULL;
}

void cl_io_close(cl_io *io) {
  for (uint32_t i = 0; i < 2 * io->count; i++) {
    if (io->servers[i] >= 0) close(io->servers[i]);
  }
  free(io->servers);
  free(io->ended);
  free(io);
}

static void count_answer(cl_io *io) {
  if (++io->answered % io->batch == 0) io->ended[io->answered / io->batch - 1] = cl_now();
}

int cl_io_answer(cl_io *io, int server) {
  char message[cl_io_message];
  ssize_t count = read(server, message, sizeof message);
  if (count <= 0) return count < 0 && errno == EAGAIN;
  if (io->connections > 0) return write(server, message, (size_t)count) == count;
  count_answer(io);
  if (io->answered < io->total) return write(io->clients[0], message, 1) == 1;
  return shutdown(io->clients[0], SHUT_WR) == 0;
}

// Sends a message to each connection and receives the answers.
static bool send_round(cl_io *io, uint64_t number) {
  uint64_t message[cl_io_message / sizeof number] = {number};
  for (uint32_t i = 0; i < io->count; i++) {
    if (write(io->clients[i], message, sizeof message) != sizeof message) return false;
  }
  for (uint32_t i = 0; i < io->count; i++) {
    uint64_t answer[cl_io_message / sizeof number];
    if (recv(io->clients[i], answer, sizeof answer, MSG_WAITALL) != sizeof answer) return false;
    if (memcmp(answer, message, sizeof message) != 0) return false;
    count_answer(io);
  }
  return true;
}

void cl_io_send_all(void *context) {
  cl_io *io = context;
  for (uint64_t number = 1; io->answered < io->total && send_round(io, number); number++) continue;
  for (uint32_t i = 0; i < io->count; i++) shutdown(io->clients[i], SHUT_WR);
}

void cl_io_give_up(cl_io *io) {
  for (uint32_t i = 0; i < io->count; i++) shutdown(io->clients[i], SHUT_RD);
}

typedef struct {
  uv_tcp_t tcp;
  // libuv reads again after a read that filled the buffer.
  char buffer[2 * cl_io_message];
} connection;

typedef struct {
  cl_uv_peer peer;
  uv_poll_t poll;
  cl_io *io;
  connection connections[];
} server;

static void be_ready(uv_poll_t *poll, int status, int events) {
  (void)events;
  server *server = poll->data;
  if (status == 0 && cl_io_answer(server->io, server->io->servers[0])) return;
  uv_close((uv_handle_t *)poll, NULL);
}

static void lend(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  (void)size;
  *buffer = uv_buf_init(((connection *)handle)->buffer, 2 * cl_io_message);
}

static void echo(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  if (count == 0) return;
  uv_buf_t answer = uv_buf_init(buffer->base, count > 0 ? (unsigned)count : 0);
  if (count < 0 || uv_try_write(stream, &answer, 1) != count) {
    uv_close((uv_handle_t *)stream, NULL);
  }
}

// The handle owns a duplicate of the descriptor.
static int open_connection(server *server, uint32_t i) {
  connection *connection = &server->connections[i];
  int own = dup(server->io->servers[i]);
  if (own < 0) return own;
  uv_tcp_init(&server->peer.loop, &connection->tcp);
  int error = uv_tcp_open(&connection->tcp, own);
  if (error != 0) {
    close(own);
    return error;
  }
  return uv_read_start((uv_stream_t *)&connection->tcp, lend, echo);
}

static int open_handles(server *server) {
  int error = 0;
  if (server->io->connections == 0) {
    server->poll.data = server;
    error = uv_poll_init(&server->peer.loop, &server->poll, server->io->servers[0]);
    return error != 0 ? error : uv_poll_start(&server->poll, UV_READABLE, be_ready);
  }
  for (uint32_t i = 0; i < server->io->count && error == 0; i++) error = open_connection(server, i);
  return error;
}

int cl_uv_io_serve(cl_io *io) {
  server *server = cl_uv_peer_open(sizeof *server + io->connections * sizeof(connection));
  if (server == NULL) return 0;
  server->io = io;
  int error = open_handles(server);
  if (error == 0) cl_uv_loop_run(server);
  cl_uv_loop_close(server);
  return error == 0;
}
