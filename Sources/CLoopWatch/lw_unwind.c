// Makes the headers declare `process_vm_readv`.
#define _GNU_SOURCE
#include "lw_unwind.h"

#if LW_SUPPORTED

#include <string.h>
#include <sys/uio.h>

// Reads from the copy, or from the running process: code, and a stack above the copy.
static bool read_word(void *context, uint64_t address, uint64_t *word) {
  const struct lw_unwinder *unwinder = context;
  const struct lw_stop *stop = unwinder->stop;
  uint64_t offset = address - stop->base;
  if (offset < stop->length && stop->length - offset >= sizeof *word) {
    memcpy(word, stop->stack + offset, sizeof *word);
    return true;
  }
  struct iovec local = {word, sizeof *word};
  struct iovec remote = {(void *)(uintptr_t)address, sizeof *word};
  return process_vm_readv(stop->pid, &local, 1, &remote, 1, 0) == sizeof *word;
}

static bool memory_read(Dwfl *dwfl, uint64_t address, uint64_t *word, void *context) {
  (void)dwfl;
  return read_word(context, address, word);
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread_context) {
  (void)dwfl;
  struct lw_unwinder *unwinder = context;
  if (*thread_context != NULL) return 0;
  *thread_context = unwinder;
  return unwinder->stop->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread_context) {
  (void)dwfl;
  (void)tid;
  *thread_context = context;
  return true;
}

static bool set_initial_registers(Dwfl_Thread *thread, void *thread_context) {
  const struct lw_unwinder *unwinder = thread_context;
  const struct lw_registers *registers = &unwinder->registers;
  for (int i = 0; i < lw_register_count; i++) {
    if (!(registers->known & 1u << i)) continue;
    if (!unwinder->libdw->thread_state_registers(thread, i, 1, &registers->values[i])) {
      return false;
    }
  }
  return true;
}

const struct lw_thread_callbacks lw_unwind_callbacks = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = memory_read,
    .set_initial_registers = set_initial_registers,
};

static bool knows(const struct lw_unwinder *unwinder, int number) {
  return unwinder->registers.known & 1u << number;
}

// The code that this part steps through. Copied code is generated code in a file.
static bool is_generated(const struct lw_unwinder *unwinder, uint64_t pc) {
  const struct lw_mapping *mapping = lw_maps_find(unwinder->maps, pc);
  return mapping != NULL &&
         (mapping->kind == lw_generated_code || mapping->kind == lw_copied_code);
}

// Returns false if there is no room.
static bool add(struct lw_unwinder *unwinder, uint64_t pc, bool is_caller) {
  if (unwinder->count == unwinder->capacity) return false;
  unwinder->addresses[unwinder->count++] = is_caller ? pc - 1 : pc;
  return true;
}

static void save_registers(struct lw_unwinder *unwinder, Dwfl_Frame *frame, uint64_t pc) {
  struct lw_registers *registers = &unwinder->registers;
  registers->known = 1u << lw_pc;
  registers->values[lw_pc] = pc;
  for (unsigned i = 0; i < lw_register_count; i++) {
    if (i == lw_pc || unwinder->libdw->frame_reg(frame, i, &registers->values[i]) != 0) continue;
    registers->known |= 1u << i;
  }
}

static int on_frame(Dwfl_Frame *frame, void *context) {
  struct lw_unwinder *unwinder = context;
  uint64_t pc;
  bool is_activation;
  if (!unwinder->libdw->frame_pc(frame, &pc, &is_activation) || pc == 0) return lw_dwarf_abort;
  if (unwinder->libdw->frame_reg != NULL) save_registers(unwinder, frame, pc);
  if (is_generated(unwinder, pc) && unwinder->libdw->frame_reg != NULL) {
    unwinder->is_in_generated = knows(unwinder, lw_sp);
    unwinder->is_caller = !is_activation;
    return lw_dwarf_abort;
  }
  // libdw takes its first frame for the innermost one.
  bool is_caller = unwinder->is_caller || !is_activation;
  unwinder->is_caller = false;
  return add(unwinder, pc, is_caller) ? lw_dwarf_ok : lw_dwarf_abort;
}

// Steps until libdw can continue. Returns false at the end of the stack.
static bool step_generated(struct lw_unwinder *unwinder) {
  struct lw_registers *registers = &unwinder->registers;
  while (is_generated(unwinder, registers->values[lw_pc])) {
    if (!add(unwinder, registers->values[lw_pc], unwinder->is_caller)) return false;
    uint64_t sp = registers->values[lw_sp];
    if (!lw_step_generated(registers, !unwinder->is_caller, read_word, unwinder)) return false;
    if (registers->values[lw_sp] <= sp) return false;
    unwinder->is_caller = true;
  }
  return true;
}

// The handlers of V8's interpreter are in a file, without unwind tables. Those without
// a frame have their return address at the stack pointer, and libdw takes the frame
// of their caller for theirs.
static void add_skipped_caller(struct lw_unwinder *unwinder) {
  const struct lw_registers *registers = &unwinder->stop->registers;
  uint64_t *addresses = unwinder->addresses, caller;
  if (unwinder->count < 2 || unwinder->count == unwinder->capacity) return;
  if (is_generated(unwinder, addresses[0]) || !is_generated(unwinder, addresses[1])) return;
  if (!read_word(unwinder, registers->values[lw_sp], &caller)) return;
  if (!is_generated(unwinder, caller) || caller - 1 == addresses[1]) return;
  memmove(addresses + 2, addresses + 1, (unwinder->count - 1) * sizeof *addresses);
  addresses[1] = caller - 1;
  unwinder->count++;
}

// Frames are rarely larger than this.
enum { most_frame_bytes = 16 * 1024 };

// Whether the address before `pc` has a call of the function at `start`.
static bool is_call_of(struct lw_unwinder *unwinder, uint64_t pc, uint64_t start) {
  const struct lw_mapping *mapping = lw_maps_find(unwinder->maps, pc);
  uint64_t code;
  if (mapping == NULL || !read_word(unwinder, pc - lw_call_size, &code)) return false;
  return lw_call_target(code, pc) == start;
}

// Finds the frame pointer of the last frame, of a thread that was not stopped. It is
// the address of the first two words that are a frame pointer and an address behind a
// call of the frame's function. Older words on the stack look the same, except for the
// function, so an indirect call is no proof.
static bool find_frame_pointer(struct lw_unwinder *unwinder) {
  struct lw_registers *registers = &unwinder->registers;
  if (unwinder->count == 0 || knows(unwinder, lw_fp) || !knows(unwinder, lw_sp)) return false;
  uint64_t start = lw_symbols_start(unwinder->symbols, unwinder->addresses[unwinder->count - 1]);
  uint64_t sp = registers->values[lw_sp], pc;
  if (start == 0) return false;
  for (uint64_t fp = sp; fp < sp + most_frame_bytes; fp += sizeof pc) {
    if (!read_word(unwinder, fp + sizeof pc, &pc)) return false;
    if (!is_call_of(unwinder, pc, start)) continue;
    registers->values[lw_fp] = fp;
    registers->known |= 1u << lw_fp;
    return true;
  }
  return false;
}

// Runs libdw from `registers`. Returns false if the stack ends there.
static bool run_libdw(struct lw_unwinder *unwinder) {
  unwinder->is_in_generated = false;
  int result = unwinder->libdw->getthread_frames(unwinder->dwfl, unwinder->stop->tid, on_frame,
                                                 unwinder);
  if (unwinder->is_in_generated) return true;
  // libdw also ends without an error where it does not know a register that it needs. At
  // a real end it knows the frame pointer, which the outermost functions keep.
  bool has_ended = result == 0 && (knows(unwinder, lw_fp) || unwinder->libdw->frame_reg == NULL);
  unwinder->is_complete = has_ended || unwinder->count == unwinder->capacity;
  if (unwinder->is_complete || !find_frame_pointer(unwinder)) return false;
  // libdw starts again at the last frame.
  unwinder->count--;
  unwinder->is_caller = unwinder->count > 0;
  return true;
}

void lw_unwind(struct lw_unwinder *unwinder) {
  unwinder->registers = unwinder->stop->registers;
  unwinder->count = 0;
  unwinder->is_caller = false;
  unwinder->is_complete = false;
  while (step_generated(unwinder) && run_libdw(unwinder)) {
  }
  add_skipped_caller(unwinder);
  // libdw may know no module for the address, such as after a jump to a null pointer.
  if (unwinder->count == 0) add(unwinder, unwinder->stop->registers.values[lw_pc], false);
}

#endif
