// System calls that a stop interrupts. Each one must go on as if it had not been.
#define _GNU_SOURCE
#include "cases.h"

#if CASES_CAPTURE

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The arguments of the call, which `prepare` sets before the subject is forked.
static long words[6];
static struct subject subject;

#define SET_WORDS(...) memcpy(words, (long[6]){__VA_ARGS__}, sizeof words)
#define POINTER(object) ((long)(object))

static void expect_success(long result) { if (result < 0) abort(); }

// MARK: Waits for an event

static int event, events;
static struct epoll_event found[2];
static struct pollfd polled;
static fd_set selected;
static const struct timespec long_time = {1000000, 0};

static void wake_event(void) {
  uint64_t one = 1;
  expect_success(write(event, &one, sizeof one));
}

static void make_event(void) {
  struct epoll_event wanted = {.events = EPOLLIN};
  event = eventfd(0, EFD_NONBLOCK);
  events = epoll_create1(0);
  expect_success(epoll_ctl(events, EPOLL_CTL_ADD, event, &wanted));
  polled = (struct pollfd){event, POLLIN, 0};
  FD_ZERO(&selected);
  FD_SET(event, &selected);
}

static void prepare_epoll(void) {
  make_event();
  SET_WORDS(events, POINTER(found), 2, -1, 0, 8);
}

static void prepare_epoll_pwait2(void) {
  make_event();
  SET_WORDS(events, POINTER(found), 2, POINTER(&long_time), 0, 8);
}

static void prepare_poll(void) {
  make_event();
  SET_WORDS(POINTER(&polled), 1, -1);
}

// The kernel cannot write the remaining time to a constant, and then does not start the
// call again by itself.
static void prepare_ppoll(void) {
  make_event();
  SET_WORDS(POINTER(&polled), 1, POINTER(&long_time), 0, 8);
}

static void prepare_select(void) {
  make_event();
  SET_WORDS(event + 1, POINTER(&selected), 0, 0, POINTER(&long_time), 0);
}

static aio_context_t context;
static struct iocb operation;
static struct io_event completed[2];

static void prepare_aio(void) { make_event(); }

// A child of fork() has no operations of its parent.
static void submit_in_subject(void) {
  struct iocb *list[] = {&operation};
  expect_success(syscall(SYS_io_setup, 8, &context));
  operation = (struct iocb){
    .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = (uint32_t)event, .aio_buf = POLLIN};
  expect_success(syscall(SYS_io_submit, context, 1, list));
  SET_WORDS((long)context, 1, 2, POINTER(completed), 0, 0);
}

// Does nothing if the system does not permit io_uring.
static void prepare_ring(void) {
  struct io_uring_params parameters = {0};
  make_event();
  int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  SET_WORDS(ring, 0, 1, IORING_ENTER_GETEVENTS, 0, 0);
  if (ring < 0) return;
  size_t size = parameters.sq_off.array + 4 * sizeof(uint32_t);
  uint8_t *queue = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe *entries = mmap(NULL, 4 * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED,
                                      ring, IORING_OFF_SQES);
  entries[0] = (struct io_uring_sqe){
    .opcode = IORING_OP_POLL_ADD, .fd = event, .poll_events = POLLIN};
  *(uint32_t *)(queue + parameters.sq_off.array) = 0;
  *(uint32_t *)(queue + parameters.sq_off.tail) = 1;
}

static void submit_to_ring(void) { expect_success(syscall(SYS_io_uring_enter, words[0], 1, 0, 0)); }

// MARK: Sockets, whose timeout makes the kernel return EINTR

static int ends[2], listener;
static char bytes[4096];
static struct iovec vector = {bytes, 1};
static struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};
static struct sockaddr_un address;
static socklen_t address_size;

static void set_timeout(int socket, int option) {
  struct timeval time = {1000000, 0};
  expect_success(setsockopt(socket, SOL_SOCKET, option, &time, sizeof time));
}

static void make_sockets(void) {
  expect_success(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  set_timeout(ends[0], SO_RCVTIMEO);
  set_timeout(ends[0], SO_SNDTIMEO);
}

static void send_byte(void) { expect_success(write(ends[1], bytes, 1)); }

static void prepare_receive(void) {
  make_sockets();
  SET_WORDS(ends[0], POINTER(bytes), 1, 0, 0, 0);
}

static void prepare_receive_vector(void) {
  make_sockets();
  SET_WORDS(ends[0], POINTER(&vector), 1, 0, 0, 0);
}

static void prepare_receive_message(void) {
  make_sockets();
  SET_WORDS(ends[0], POINTER(&message.msg_hdr), 0, 0, 0, 0);
}

static void prepare_receive_messages(void) {
  make_sockets();
  SET_WORDS(ends[0], POINTER(&message), 1, 0, 0, 0);
}

static void fill(void) {
  while (send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
  while (send(ends[0], bytes, 1, MSG_DONTWAIT) > 0) {}
}

static void drain(void) {
  while (recv(ends[1], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
}

static void prepare_send(void) { prepare_receive(), fill(); }
static void prepare_send_vector(void) { prepare_receive_vector(), fill(); }
static void prepare_send_message(void) { prepare_receive_message(), fill(); }
static void prepare_send_messages(void) { prepare_receive_messages(), fill(); }

// The kernel chooses a name that is not in the file system.
static void listen_with(int backlog) {
  address = (struct sockaddr_un){.sun_family = AF_UNIX};
  address_size = sizeof address;
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  expect_success(bind(listener, (struct sockaddr *)&address, sizeof address.sun_family));
  expect_success(getsockname(listener, (struct sockaddr *)&address, &address_size));
  expect_success(listen(listener, backlog));
}

static int new_client(int flags) {
  int client = socket(AF_UNIX, SOCK_STREAM | flags, 0);
  set_timeout(client, SO_SNDTIMEO);
  return client;
}

static int connect_client(int flags) {
  return connect(new_client(flags), (struct sockaddr *)&address, address_size);
}

static void connect_one(void) { expect_success(connect_client(0)); }

static void prepare_accept(void) {
  listen_with(8);
  set_timeout(listener, SO_RCVTIMEO);
  SET_WORDS(listener);
}

static void accept_all(void) {
  fcntl(listener, F_SETFL, O_NONBLOCK);
  while (accept(listener, NULL, NULL) >= 0) {}
}

static void prepare_connect(void) {
  listen_with(0);
  while (connect_client(SOCK_NONBLOCK) == 0) {}
  SET_WORDS(new_client(0), POINTER(&address), address_size);
}

// MARK: Semaphores, messages and signals

static struct sembuf taken = {0, -1, 0}, given = {0, 1, 0};

static void prepare_semaphore(void) {
  int set = semget(IPC_PRIVATE, 1, 0600);
  SET_WORDS(set, POINTER(&taken), 1, POINTER(&long_time));
}

static void give_semaphore(void) { expect_success(semop((int)words[0], &given, 1)); }
static void remove_semaphore(void) { semctl((int)words[0], 0, IPC_RMID); }

static struct { long type; char byte; } letter = {1, 0};

static void prepare_queue(void) {
  SET_WORDS(msgget(IPC_PRIVATE, 0600), POINTER(&letter), 1, 0, 0);
}

static void send_letter(void) { expect_success(msgsnd((int)words[0], &letter, 1, 0)); }
static void remove_queue(void) { msgctl((int)words[0], IPC_RMID, NULL); }

static sigset_t awaited;

static void prepare_signal(void) {
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  SET_WORDS(POINTER(&awaited), 0, POINTER(&long_time), 8);
}

static void block_in_subject(void) { sigprocmask(SIG_BLOCK, &awaited, NULL); }
static void send_signal(void) { kill(subject.process, SIGUSR1); }

// MARK: Calls that the kernel starts again by itself

static void prepare_pipe(void) {
  expect_success(pipe(ends));
  SET_WORDS(ends[0], POINTER(bytes), 1);
}

static void prepare_futex(void) {
  SET_WORDS(POINTER(&shared->goes_on), FUTEX_WAIT, 0, POINTER(&long_time));
}

static void wake_futex(void) { syscall(SYS_futex, &shared->goes_on, FUTEX_WAKE, 1, 0, 0, 0); }

static void prepare_child(void) { SET_WORDS(-1, 0, 0, 0); }

static void fork_in_subject(void) {
  if (fork() != 0) return;
  hear();
  _exit(0);
}

static void end_child(void) { tell(subject); }

static int locked;

static void prepare_lock(void) {
  char path[64] = "/tmp/watch-cases-XXXXXX";
  locked = mkostemp(path, O_CLOEXEC);
  expect_success(flock(locked, LOCK_EX));
  expect_success(words[0] = open(path, O_RDWR | O_CLOEXEC));
  words[1] = LOCK_EX;
  unlink(path);
}

static void unlock(void) { expect_success(flock(locked, LOCK_UN)); }

// MARK: The table

static const struct call {
  const char *name;
  long number;
  void (*prepare)(void);
  void (*prepare_subject)(void);
  void (*wake)(void);
  void (*remove)(void);
} calls[] = {
  {"epoll_wait", SYS_epoll_wait, prepare_epoll, NULL, wake_event, NULL},
  {"epoll_pwait", SYS_epoll_pwait, prepare_epoll, NULL, wake_event, NULL},
  {"epoll_pwait2", 441, prepare_epoll_pwait2, NULL, wake_event, NULL},
  {"poll", SYS_poll, prepare_poll, NULL, wake_event, NULL},
  {"ppoll", SYS_ppoll, prepare_ppoll, NULL, wake_event, NULL},
  {"select", SYS_select, prepare_select, NULL, wake_event, NULL},
  {"pselect6", SYS_pselect6, prepare_select, NULL, wake_event, NULL},
  {"io_getevents", SYS_io_getevents, prepare_aio, submit_in_subject, wake_event, NULL},
  {"io_pgetevents", 333, prepare_aio, submit_in_subject, wake_event, NULL},
  {"io_uring_enter", SYS_io_uring_enter, prepare_ring, submit_to_ring, wake_event, NULL},
  {"semop", SYS_semop, prepare_semaphore, NULL, give_semaphore, remove_semaphore},
  {"semtimedop", SYS_semtimedop, prepare_semaphore, NULL, give_semaphore, remove_semaphore},
  {"rt_sigtimedwait", SYS_rt_sigtimedwait, prepare_signal, block_in_subject, send_signal, NULL},
  {"accept", SYS_accept, prepare_accept, NULL, connect_one, NULL},
  {"accept4", SYS_accept4, prepare_accept, NULL, connect_one, NULL},
  {"connect", SYS_connect, prepare_connect, NULL, accept_all, NULL},
  {"recvfrom", SYS_recvfrom, prepare_receive, NULL, send_byte, NULL},
  {"recvmsg", SYS_recvmsg, prepare_receive_message, NULL, send_byte, NULL},
  {"recvmmsg", SYS_recvmmsg, prepare_receive_messages, NULL, send_byte, NULL},
  {"read of a socket", SYS_read, prepare_receive, NULL, send_byte, NULL},
  {"readv", SYS_readv, prepare_receive_vector, NULL, send_byte, NULL},
  {"sendto", SYS_sendto, prepare_send, NULL, drain, NULL},
  {"sendmsg", SYS_sendmsg, prepare_send_message, NULL, drain, NULL},
  {"sendmmsg", SYS_sendmmsg, prepare_send_messages, NULL, drain, NULL},
  {"write", SYS_write, prepare_send, NULL, drain, NULL},
  {"writev", SYS_writev, prepare_send_vector, NULL, drain, NULL},
  {"read of a pipe", SYS_read, prepare_pipe, NULL, send_byte, NULL},
  {"msgrcv", SYS_msgrcv, prepare_queue, NULL, send_letter, remove_queue},
  {"futex", SYS_futex, prepare_futex, NULL, wake_futex, NULL},
  {"wait4", SYS_wait4, prepare_child, fork_in_subject, end_child, NULL},
  {"flock", SYS_flock, prepare_lock, NULL, unlock, NULL},
};

static const struct call *current;

static void make_call(void) {
  if (current->prepare_subject != NULL) current->prepare_subject();
  shared->result = syscall(current->number, words[0], words[1], words[2], words[3], words[4],
                           words[5]);
  shared->error = shared->result < 0 ? errno : 0;
  say();
}

// Whether the thread sleeps again, in the call or in `restart_syscall`.
static bool is_in_call(void) {
  await_call(subject.process, subject.process, any_call);
  return state_of(subject.process, subject.process) == 'S';
}

// Captures the subject twice, because the second stop interrupts a call that was restarted.
static void run_call(const struct call *call) {
  current = call;
  shared->error = 0;
  call->prepare();
  if (words[0] < 0 && call->prepare == prepare_ring) return;
  subject = start(make_call);
  await_call(subject.process, subject.process, call->number);
  // The kernel is older than the call.
  if (shared->error == ENOSYS) return finish(subject);
  lw_stacks *stacks = open_stacks(subject.process);
  lw_stacks_always_stop(stacks);
  for (int i = 0; i < 2; i++) {
    struct capture captured = capture(stacks, subject.process);
    check_equal(captured.outcome, lw_captured);
    check(captured.stopped > 0);
    if (!is_in_call()) break;
  }
  call->wake();
  hear_from(subject);
  if (shared->result < 0) printf("%s failed: %s\n", call->name, strerror(shared->error));
  check(shared->result >= 0);
  lw_stacks_close(stacks);
  finish(subject);
  if (call->remove != NULL) call->remove();
}

static void run_calls(void) {
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) run_call(&calls[i]);
}

const struct named_case call_cases[] = {{"calls", run_calls}, {"", NULL}};

#endif
