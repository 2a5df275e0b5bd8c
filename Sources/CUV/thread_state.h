// The state of another thread of this process, as the kernel tells it.
#ifndef LT_CUV_THREAD_STATE_H
#define LT_CUV_THREAD_STATE_H

#include <stdint.h>
#include <time.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

// Returns the CPU time of thread number `thread` in nanoseconds, or 0 if the
// thread has ended or the system cannot tell.
static inline uint64_t lt_thread_cpu_time(uint32_t thread) {
#if defined(__linux__)
  // As pthread_getcpuclockid(3) encodes it: the thread's scheduler clock.
  clockid_t clock = (clockid_t)((~(uint32_t)thread << 3) | 6u);
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#else
  (void)thread;
  return 0;
#endif
}

// Returns the name of system call `number`, or NULL if it is not one of those in
// which threads usually block.
static inline const char *lt_system_call_name(long number) {
#if defined(__linux__)
#define LT_NAME(name) \
  case SYS_##name: return #name;
  switch (number) {
    LT_NAME(read)
    LT_NAME(write)
    LT_NAME(readv)
    LT_NAME(writev)
    LT_NAME(pread64)
    LT_NAME(pwrite64)
    LT_NAME(preadv)
    LT_NAME(pwritev)
    LT_NAME(openat)
    LT_NAME(close)
    LT_NAME(fsync)
    LT_NAME(fdatasync)
    LT_NAME(sync)
    LT_NAME(syncfs)
    LT_NAME(ftruncate)
    LT_NAME(fallocate)
    LT_NAME(flock)
    LT_NAME(fcntl)
    LT_NAME(ioctl)
    LT_NAME(getdents64)
    LT_NAME(sendfile)
    LT_NAME(splice)
    LT_NAME(copy_file_range)
    LT_NAME(ppoll)
    LT_NAME(pselect6)
    LT_NAME(epoll_pwait)
    LT_NAME(futex)
    LT_NAME(nanosleep)
    LT_NAME(clock_nanosleep)
    LT_NAME(accept)
    LT_NAME(accept4)
    LT_NAME(connect)
    LT_NAME(sendto)
    LT_NAME(sendmsg)
    LT_NAME(sendmmsg)
    LT_NAME(recvfrom)
    LT_NAME(recvmsg)
    LT_NAME(recvmmsg)
    LT_NAME(wait4)
    LT_NAME(waitid)
    LT_NAME(msgrcv)
    LT_NAME(msgsnd)
    LT_NAME(semop)
    LT_NAME(semtimedop)
    LT_NAME(mq_timedreceive)
    LT_NAME(mq_timedsend)
    LT_NAME(rt_sigtimedwait)
    LT_NAME(rt_sigsuspend)
    LT_NAME(io_getevents)
    LT_NAME(mmap)
    LT_NAME(munmap)
    LT_NAME(madvise)
    LT_NAME(mprotect)
    LT_NAME(execve)
    LT_NAME(unlinkat)
#if defined(SYS_poll)
    LT_NAME(open)
    LT_NAME(poll)
    LT_NAME(select)
    LT_NAME(epoll_wait)
    LT_NAME(pause)
    LT_NAME(rename)
    LT_NAME(unlink)
#endif
#if defined(SYS_epoll_pwait2)
    LT_NAME(epoll_pwait2)
#endif
#if defined(SYS_io_uring_enter)
    LT_NAME(io_uring_enter)
#endif
    default: return 0;
  }
#undef LT_NAME
#else
  (void)number;
  return 0;
#endif
}

#endif
