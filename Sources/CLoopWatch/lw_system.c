#define _GNU_SOURCE
#include "lw_system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int lw_errno(void) { return errno; }

char *lw_copy(const char *text) { return strdup(text); }

void lw_remove(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) return;
  unlink(path);
}

static sigset_t signals_before;

void lw_delay_signals(void) {
  sigset_t delayed;
  sigemptyset(&delayed);
  sigaddset(&delayed, SIGINT);
  sigaddset(&delayed, SIGTERM);
  sigaddset(&delayed, SIGHUP);
  sigaddset(&delayed, SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &delayed, &signals_before);
}

void lw_release_signals(void) { pthread_sigmask(SIG_SETMASK, &signals_before, NULL); }

bool lw_is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void lw_signal(int process, int signal) { kill(process, signal); }

int lw_process(void) { return (int)getpid(); }

void lw_free(void *memory) { free(memory); }

uint64_t lw_real_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t lw_own_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int lw_cpus(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

int lw_start(char *const arguments[], char *const environment[]) {
  posix_spawnattr_t attributes;
  if (posix_spawnattr_init(&attributes) != 0) return -ENOMEM;
  sigset_t all, none;
  sigfillset(&all);
  const int kept[] = {SIGHUP, SIGINT, SIGQUIT};
  for (int i = 0; i < 3; i++)
    if (lw_is_ignored(kept[i])) sigdelset(&all, kept[i]);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t process;
  int error = posix_spawnp(&process, arguments[0], NULL, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  return error ? -error : process;
}

static struct termios terminal;
static bool is_entered;

bool lw_terminal_is_input(void) { return isatty(0); }

void lw_terminal_leave(void) {
  if (is_entered) tcsetattr(0, TCSAFLUSH, &terminal);
  is_entered = false;
}

void lw_terminal_enter(void) {
  if (tcgetattr(0, &terminal) != 0) return;
  struct termios raw = terminal;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  is_entered = tcsetattr(0, TCSAFLUSH, &raw) == 0;
  static bool is_registered;
  if (!is_registered) atexit(lw_terminal_leave);
  is_registered = true;
}

int lw_terminal_height(void) {
  struct winsize size;
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

long lw_terminal_read(unsigned char *bytes, size_t capacity) {
  ssize_t count = read(0, bytes, capacity);
  return count < 0 ? 0 : count;
}

int lw_open(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return file < 0 ? -errno : file;
}

void lw_close(int file) { close(file); }

long lw_read_at(int file, char *bytes, size_t capacity, uint64_t offset) {
  ssize_t count = pread(file, bytes, capacity, (off_t)offset);
  return count < 0 ? -errno : count;
}

long lw_read_link(const char *path, char *bytes, size_t capacity) {
  ssize_t count = readlink(path, bytes, capacity);
  return count < 0 ? -errno : count;
}

long lw_list(const char *path, char *bytes, size_t capacity) {
  DIR *folder = opendir(path);
  if (!folder) return -errno;
  size_t used = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    size_t length = strlen(entry->d_name) + 1;
    if (entry->d_name[0] == '.') continue;
    if (used + length > capacity) break;
    memcpy(bytes + used, entry->d_name, length);
    used += length;
  }
  closedir(folder);
  return (long)used;
}

typedef char *demangle_cxx(const char *, char *, size_t *, int *);
typedef char *demangle_swift(const char *, size_t, char *, size_t *, uint32_t);

// Rust's older symbols end in `::h` and 16 digits.
static void remove_hash(char *name) {
  size_t length = strlen(name);
  if (length > 19 && strncmp(name + length - 19, "::h", 3) == 0 &&
      strspn(name + length - 16, "0123456789abcdef") == 16)
    name[length - 19] = 0;
}

static char *demangle_cxx_or_rust(const char *symbol) {
  demangle_cxx *demangle = (demangle_cxx *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
  if (!demangle) return NULL;
  // LLVM adds `.llvm.` and digits to symbols that it moves between modules.
  const char *suffix = strstr(symbol, ".llvm.");
  char *plain = suffix ? strndup(symbol, (size_t)(suffix - symbol)) : strdup(symbol);
  int status = 0;
  char *name = plain ? demangle(plain, NULL, NULL, &status) : NULL;
  free(plain);
  if (name) remove_hash(name);
  return name;
}

char *lw_demangle(const char *symbol) {
  if (strncmp(symbol, "_Z", 2) == 0) return demangle_cxx_or_rust(symbol);
  bool is_swift = strncmp(symbol, "$s", 2) == 0 || strncmp(symbol, "$S", 2) == 0;
  if (!is_swift) return NULL;
  demangle_swift *demangle = (demangle_swift *)dlsym(RTLD_DEFAULT, "swift_demangle");
  return demangle ? demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
}

#define CALL(name) \
  case SYS_##name: return #name

const char *lw_call_name(long number) {
  switch (number) {
    CALL(read);
    CALL(write);
    CALL(pread64);
    CALL(pwrite64);
    CALL(readv);
    CALL(writev);
    CALL(openat);
    CALL(close);
    CALL(fsync);
    CALL(fdatasync);
    CALL(fstat);
    CALL(statx);
    CALL(newfstatat);
    CALL(getdents64);
    CALL(ftruncate);
    CALL(flock);
    CALL(fcntl);
    CALL(ioctl);
    CALL(sendfile);
    CALL(splice);
    CALL(connect);
    CALL(accept);
    CALL(accept4);
    CALL(sendto);
    CALL(sendmsg);
    CALL(sendmmsg);
    CALL(recvfrom);
    CALL(recvmsg);
    CALL(recvmmsg);
    CALL(shutdown);
    CALL(wait4);
    CALL(waitid);
    CALL(futex);
    CALL(nanosleep);
    CALL(clock_nanosleep);
    CALL(ppoll);
    CALL(pselect6);
    CALL(epoll_pwait);
    CALL(mmap);
    CALL(munmap);
    CALL(mprotect);
    CALL(madvise);
    CALL(msync);
    CALL(mremap);
    CALL(clone);
    CALL(execve);
    CALL(unlinkat);
    CALL(renameat2);
    CALL(mkdirat);
    CALL(io_getevents);
    CALL(semtimedop);
    CALL(msgrcv);
    CALL(rt_sigtimedwait);
    CALL(rt_sigsuspend);
    CALL(restart_syscall);
    CALL(sched_yield);
    CALL(getrandom);
    CALL(membarrier);
    CALL(sync);
    CALL(syncfs);
#ifdef SYS_epoll_pwait2
    CALL(epoll_pwait2);
#endif
#ifdef SYS_io_uring_enter
    CALL(io_uring_enter);
#endif
#ifdef SYS_clone3
    CALL(clone3);
#endif
#ifdef SYS_open
    CALL(open);
    CALL(stat);
    CALL(lstat);
    CALL(poll);
    CALL(select);
    CALL(epoll_wait);
    CALL(unlink);
    CALL(rename);
    CALL(mkdir);
    CALL(fork);
    CALL(vfork);
    CALL(pause);
    CALL(access);
#endif
    default: return NULL;
  }
}
