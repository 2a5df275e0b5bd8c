// Makes the headers declare `process_vm_readv` and the numbers of new system calls.
#define _GNU_SOURCE
#include "lw_machine.h"

#if LW_SUPPORTED

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#if defined(__x86_64__)

int lw_read_registers(pid_t tid, struct user_regs_struct *registers) {
  struct iovec vector = {registers, sizeof *registers};
  if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) != 0) return errno;
  return vector.iov_len == sizeof *registers ? 0 : ENOTSUP;
}

struct lw_registers lw_dwarf_registers(const struct user_regs_struct *registers) {
  return (struct lw_registers){
      .values = {registers->rax, registers->rdx, registers->rcx, registers->rbx, registers->rsi,
                 registers->rdi, registers->rbp, registers->rsp, registers->r8, registers->r9,
                 registers->r10, registers->r11, registers->r12, registers->r13, registers->r14,
                 registers->r15, registers->rip},
      .known = (1u << lw_register_count) - 1,
  };
}

// System calls that return EINTR after a stop: see signal(7), "Interruption of system
// calls and library functions by stop signals". The calls for files return it on
// file systems in user space. The calls with a timeout in memory return it if the
// kernel cannot write the remaining time.
static bool can_restart(uint64_t number) {
  switch (number) {
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case 441:  // epoll_pwait2
  case SYS_ppoll:
  case SYS_select:
  case SYS_pselect6:
  case SYS_semop:
  case SYS_semtimedop:
  case SYS_rt_sigtimedwait:
  case SYS_io_getevents:
  case 333:  // io_pgetevents
  case 426:  // io_uring_enter
  case SYS_accept:
  case SYS_accept4:
  case SYS_connect:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
  case SYS_read:
  case SYS_readv:
  case SYS_pread64:
  case SYS_preadv:
  case SYS_write:
  case SYS_writev:
  case SYS_pwrite64:
  case SYS_pwritev:
  case SYS_open:
  case SYS_openat:
  case SYS_stat:
  case SYS_fstat:
  case SYS_lstat:
  case SYS_newfstatat:
  case SYS_getdents64:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_fcntl:
  case SYS_flock:
    return true;
  default:
    return false;
  }
}

static void set_register(pid_t tid, size_t offset, uint64_t value) {
  // Fails only if the thread was killed.
  ptrace(PTRACE_POKEUSER, tid, (void *)offset, (void *)value);
}

#define OFFSET(name) offsetof(struct user_regs_struct, name)

// The kernel's own code for "start again, unless a signal handler runs".
enum { no_handler = -514 };

// The wait's timeout is shortened only in the C library, where no caller relies on
// the register. Code that has the system call inline might pass it again.
static void shorten_timeout(pid_t tid, const struct user_regs_struct *registers,
                            uint64_t waited) {
  if (registers->orig_rax != SYS_epoll_wait && registers->orig_rax != SYS_epoll_pwait) return;
  int32_t timeout = (int32_t)registers->r10;
  uint64_t milliseconds = waited / 1000000;
  if (timeout <= 0 || milliseconds == 0) return;
  uint64_t rest = milliseconds < (uint64_t)timeout ? (uint64_t)timeout - milliseconds : 0;
  set_register(tid, OFFSET(r10), rest);
}

// A stop interrupts a wait. The kernel restarts most calls by itself, and these ones
// return EINTR, which the program would see. The thread now is between the call and
// the delivery of signals, so its result can still be replaced by the code that
// other calls have there. The kernel then decides: it runs a pending signal's
// handler and returns EINTR, or it starts the call again.
//
// AArch64 differs. Its kernel looks at the result before the stop, and has
// overwritten the first argument.
void lw_restart_call(pid_t tid, const struct user_regs_struct *registers, uint64_t waited,
                     struct lw_range libc) {
  if ((int64_t)registers->orig_rax < 0 || (int64_t)registers->rax != -EINTR) return;
  if (!can_restart(registers->orig_rax)) return;
  set_register(tid, OFFSET(rax), (uint64_t)(int64_t)no_handler);
  if (lw_contains(libc, registers->rip)) shorten_timeout(tid, registers, waited);
}


uint64_t lw_call_target(uint64_t code, uint64_t pc) {
  if ((code & 0xff) != 0xe8) return 0;
  return pc + (uint64_t)(int64_t)(int32_t)(code >> 8);
}

// Code at a program counter where the frame pointer is not this frame's.
static const struct {
  uint8_t bytes[6];
  uint8_t count;
  bool is_innermost;  // Only where no call is in progress.
  uint8_t size;       // The bytes between the stack pointer and the return address.
} shapes[] = {
    {{0xc3}, 1, true, 0},                                  // ret
    {{0xc2}, 1, true, 0},                                  // ret N
    {{0x55, 0x48, 0x89, 0xe5}, 4, true, 0},                // push %rbp; mov %rsp, %rbp
    {{0x48, 0x89, 0xe5}, 3, true, 8},                      // mov %rsp, %rbp
    {{0x48, 0x83, 0xec, 0x08, 0xff, 0xd1}, 6, true, 0},    // CPython: sub $8, %rsp; call *%rcx
    {{0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08}, 6, true, 8},    // CPython: call *%rcx; add $8, %rsp
    {{0x48, 0x83, 0xc4, 0x08, 0xc3}, 5, false, 8},         // CPython: add $8, %rsp; ret
};

// Returns the bytes between the stack pointer and the return address, or -1 if the
// frame pointer tells.
static int fixed_frame(uint64_t code, bool is_innermost) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (shapes[i].is_innermost && !is_innermost) continue;
    if (memcmp(&code, shapes[i].bytes, shapes[i].count) == 0) return shapes[i].size;
  }
  return -1;
}

// V8 keeps a frame pointer. The trampolines of CPython have frames of a fixed size.
bool lw_step_generated(struct lw_registers *registers, bool is_innermost, lw_read_word read,
                       void *context) {
  uint64_t *values = registers->values;
  uint64_t code = 0, sp = values[lw_sp];
  int size = read(context, values[lw_pc], &code) ? fixed_frame(code, is_innermost) : -1;
  if (size < 0) {
    if (!(registers->known & 1u << lw_fp) || values[lw_fp] < sp) return false;
    sp = values[lw_fp];
    if (!read(context, sp, &values[lw_fp])) return false;
    size = 8;
  }
  if (!read(context, sp + (uint64_t)size, &values[lw_pc]) || values[lw_pc] == 0) return false;
  values[lw_sp] = sp + (uint64_t)size + 8;
  return true;
}

#endif
#endif
