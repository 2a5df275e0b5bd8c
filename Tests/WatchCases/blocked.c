// Programs that hold their loop or sleep in a system call until they are killed.
#define _GNU_SOURCE
#include "cases.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void read_byte(int file) {
  char byte;
  if (read(file, &byte, 1) < 0) exit(1);
}

// With a writer, so that the opening does not block.
static void read_file(void) { read_byte(open(case_argument, O_RDWR)); }

static void open_file(void) { open(case_argument, O_RDONLY); }

static void read_pipe(void) {
  int ends[2];
  if (pipe(ends) != 0) abort();
  read_byte(ends[0]);
}

static void receive(void) {
  int ends[2];
  char byte;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  recv(ends[0], &byte, 1, 0);
}

// Connects to itself, and prints the address.
static void receive_from(int family, struct sockaddr *address, socklen_t size, uint16_t *port,
                         const char *name) {
  int listener = socket(family, SOCK_STREAM, 0), client = socket(family, SOCK_STREAM, 0);
  char byte;
  if (bind(listener, address, size) != 0 || listen(listener, 1) != 0) exit(1);
  if (getsockname(listener, address, &size) != 0 || connect(client, address, size) != 0) exit(1);
  printf("%s:%d\n", name, ntohs(*port));
  fflush(stdout);
  recv(client, &byte, 1, 0);
}

// Fails if this process may not copy its own descriptors by pidfd_getfd().
static void copy_descriptor(void) {
  int file = (int)syscall(434, getpid(), 0);
  check(syscall(438, file, 1, 0) >= 0);
}

static void receive_tcp(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  receive_from(AF_INET, (struct sockaddr *)&address, sizeof address, &address.sin_port,
               "127.0.0.1");
}

static void receive_tcp6(void) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  receive_from(AF_INET6, (struct sockaddr *)&address, sizeof address, &address.sin6_port,
               "[::1]");
}

// Nothing accepts the connection, because the backlog is full.
static void connect_unix(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", case_argument);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
  listen(listener, 0);
  for (;;) {
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
  }
}

static void wait_for_child(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "planted-child");
    if (write(ends[1], "", 1) != 1) exit(1);
    for (;;) pause();
  }
  if (read(ends[0], &byte, 1) != 1) exit(1);
  waitpid(child, NULL, 0);
}

static void lock_twice(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}

static void sleep_long(void) { sleep(1000000); }

static uint64_t cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

CASE_FUNCTION static void compute(void) {
  for (uint64_t end = cpu_time() + 300000000; cpu_time() < end;)
    atomic_fetch_add(&shared->turns, 1);
}

static void hold_loop(void) {
  struct epoll_event event;
  int events = epoll_create1(0);
  for (int i = 0; i < 5; i++) epoll_wait(events, &event, 1, 1);
  compute();
  for (int i = 0; i < 5; i++) epoll_wait(events, &event, 1, 1);
}

const struct named_case blocked_cases[] = {
  {"read-file", read_file},           {"open-file", open_file},   {"read-pipe", read_pipe},
  {"receive", receive},               {"sleep-long", sleep_long}, {"lock-twice", lock_twice},
  {"receive-tcp", receive_tcp},       {"receive-tcp6", receive_tcp6},
  {"connect-unix", connect_unix},     {"copy-descriptor", copy_descriptor},
  {"wait-for-child", wait_for_child}, {"hold-loop", hold_loop},   {"", NULL},
};
