#pragma once

// Everything that depends on the processor. A port adds its part here and in
// lw_machine.c. See the comment on `lw_restart_call` before adding AArch64.

#if defined(__linux__) && defined(__x86_64__)
#define LW_SUPPORTED 1
#else
#define LW_SUPPORTED 0
#endif

#if LW_SUPPORTED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#if defined(__x86_64__)

// The numbers of registers in DWARF.
enum { lw_fp = 6, lw_sp = 7, lw_pc = 16, lw_register_count = 17 };

// The registers in /proc/PID/syscall: six arguments, the stack pointer, the program
// counter. `vfork` keeps its return address in the first.
static const int lw_call_registers[] = {5, 4, 1, 10, 8, 9, lw_sp, lw_pc};
enum { lw_call_register_count = 8 };

// The bytes below the stack pointer that a function may use.
enum { lw_red_zone = 128 };

// The bytes of a call instruction that holds the called address.
enum { lw_call_size = 5 };

// The bytes of the instruction that makes a system call.
enum { lw_system_call_size = 2 };

#endif

// Registers of a frame, numbered as in DWARF. A caller's frame knows only some.
struct lw_registers {
  uint64_t values[lw_register_count];
  uint32_t known;  // One bit per register.
};

// A part of an address space.
struct lw_range {
  uint64_t start;
  uint64_t end;
};

static inline bool lw_contains(struct lw_range range, uint64_t address) {
  return address >= range.start && address < range.end;
}

// Reads the registers of a stopped thread. Returns 0, ESRCH if the thread is not
// stopped, or ENOTSUP if it runs code for another instruction set.
int lw_read_registers(pid_t tid, struct user_regs_struct *registers);

struct lw_registers lw_dwarf_registers(const struct user_regs_struct *registers);

// Makes a system call that the stop interrupted start again. `waited` is the time in
// ns that the call has lasted, or 0. `libc` is the code of the C library.
void lw_restart_call(pid_t tid, const struct user_regs_struct *registers, uint64_t waited,
                     struct lw_range libc);

// Reads a word of the thread's memory.
typedef bool (*lw_read_word)(void *context, uint64_t address, uint64_t *word);

// Returns the function that the instruction before `pc` calls, or 0 if it is no call or
// does not hold an address. `code` is the instruction.
uint64_t lw_call_target(uint64_t code, uint64_t pc);

// Replaces `registers`, a frame in generated code, with its caller's. `is_innermost`
// says that the frame was not left by a call. Returns false if there is no caller.
bool lw_step_generated(struct lw_registers *registers, bool is_innermost, lw_read_word read,
                       void *context);

#endif
