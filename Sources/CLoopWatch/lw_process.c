// Makes the headers declare `strdup`.
#define _GNU_SOURCE
#include "lw_process.h"

#if LW_SUPPORTED

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Opens a file as the process sees it, which may be in a container. Returns -1 if it
// cannot be opened. A device must not be opened, because that may have an effect.
static int open_file_of(int pid, const char *path, char **name) {
  char whole[PATH_MAX];
  struct stat status;
  int length = snprintf(whole, sizeof whole, "/proc/%d/root%s", pid, path);
  if (length < 0 || (size_t)length >= sizeof whole) return -1;
  if (stat(whole, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  int file = open(whole, O_RDONLY | O_CLOEXEC);
  if (file >= 0) *name = strdup(whole);
  return file;
}

// Opens the program's file if `name` is its path. The file may have been removed or
// replaced since the program began.
static int open_removed_program(int pid, const char *name, char **path) {
  char link[40], target[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", pid);
  ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return -1;
  target[length] = 0;
  if (strcmp(target, name) != 0) return -1;
  int file = open(link, O_RDONLY | O_CLOEXEC);
  if (file >= 0) *path = strdup(link);
  return file;
}

// libdw's own function handles the vdso, and reads removed libraries from memory.
static int find_elf(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                    char **path, Elf **elf) {
  const struct lw_module *own = *data;
  if (own == NULL) return -1;
  int file = name[0] == '/' ? open_file_of(own->pid, name, path) : -1;
  if (file < 0) file = open_removed_program(own->pid, name, path);
  if (file >= 0) return file;
  return own->libdw->linux_proc_find_elf(module, data, name, base, path, elf);
}

// Finds an installed debug file by the build ID. libdw's own function would also ask
// debuginfod servers.
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                          const char *path, const char *link, uint32_t checksum,
                          char **debug_path) {
  (void)name, (void)base, (void)path, (void)link, (void)checksum;
  const struct lw_module *own = *data;
  const unsigned char *bits;
  uint64_t address;
  int count = own != NULL ? own->libdw->module_build_id(module, &bits, &address) : 0;
  // 64: longer than every build ID in use.
  if (count < 2 || count > 64) return -1;
  char file[40 + 2 * 64 + 8];
  int length = snprintf(file, sizeof file, "/usr/lib/debug/.build-id/%02x/", bits[0]);
  for (int i = 1; i < count; i++) length += snprintf(file + length, 3, "%02x", bits[i]);
  snprintf(file + length, 8, ".debug");
  return open_file_of(own->pid, file, debug_path);
}

static const struct lw_dwfl_callbacks callbacks = {
    .find_elf = find_elf,
    .find_debuginfo = find_debuginfo,
};

// Reads the addresses of the program's code and of its first stack frame.
static int read_image(int pid, uint64_t image[3]) {
  char path[40], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return ESRCH;
  text[length] = 0;
  char *field = strrchr(text, ')');
  // The name is field 2, and these are the fields 26 to 28.
  for (int i = 2; field != NULL && i < 26; i++) field = strchr(field + 1, ' ');
  if (field == NULL) return EINVAL;
  for (int i = 0; i < 3; i++) image[i] = strtoull(field, &field, 10);
  return 0;
}

bool lw_process_has_changed(const struct lw_process *process) {
  uint64_t image[3];
  return read_image(process->pid, image) == 0 &&
         memcmp(image, process->image, sizeof image) != 0;
}

// Without its data, a module has no symbols.
static int add_data(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                    void *context) {
  (void)module, (void)name, (void)base;
  const struct lw_process *process = context;
  if (*data != NULL) return lw_dwarf_ok;
  struct lw_module *own = calloc(1, sizeof *own);
  if (own != NULL) *own = (struct lw_module){.libdw = process->libdw, .pid = process->pid};
  *data = own;
  return lw_dwarf_ok;
}

static int report(struct lw_process *process) {
  int error = process->libdw->linux_proc_report(process->dwfl, process->pid);
  if (process->libdw->report_end(process->dwfl, lw_symbols_removed, &process->symbols) != 0 &&
      error == 0) {
    error = EINVAL;
  }
  process->libdw->getmodules(process->dwfl, add_data, process, 0);
  // libdw's code for a process without an auxiliary vector.
  if (error == ENOEXEC) return ESRCH;
  return error < 0 ? EINVAL : error;
}

// Opens the program's file, which tells libdw the kind of machine. Without it, libdw
// would keep using the file of a module after that module was unmapped.
static int open_program(struct lw_process *process) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/exe", process->pid);
  process->file = open(path, O_RDONLY | O_CLOEXEC);
  if (process->file < 0) return errno;
  process->elf = process->libdw->elf_begin(process->file);
  return process->elf != NULL ? 0 : EINVAL;
}

static int open_modules(struct lw_process *process,
                        const struct lw_thread_callbacks *thread_callbacks, void *context) {
  int error = read_image(process->pid, process->image);
  if (error == 0) error = lw_maps_read(&process->maps, process->pid);
  if (error != 0) return error;
  process->dwfl = process->libdw->begin(&callbacks);
  if (process->dwfl == NULL) return ENOMEM;
  process->symbols = (struct lw_symbols){.libdw = process->libdw, .dwfl = process->dwfl};
  error = report(process);
  if (error == 0) error = open_program(process);
  if (error != 0) return error;
  bool is_attached = process->libdw->attach_state(process->dwfl, process->elf, process->pid,
                                                  thread_callbacks, context);
  return is_attached ? 0 : EINVAL;
}

int lw_process_open(struct lw_process *process,
                    const struct lw_thread_callbacks *thread_callbacks, void *context,
                    char *message, size_t capacity) {
  static const struct timespec pause = {0, 2000000};
  int error = 0;
  snprintf(message, capacity, "%s", "");
  // During exec, a process has no mappings or none of its program for a moment.
  for (int attempt = 0; attempt < 5; attempt++) {
    if (attempt > 0) nanosleep(&pause, NULL);
    process->elf = NULL;
    process->file = -1;
    error = open_modules(process, thread_callbacks, context);
    if (error == 0) return 0;
    if (error == EINVAL) snprintf(message, capacity, "%s", process->libdw->errmsg(-1));
    lw_process_close(process);
    if ((error != ESRCH && error != EINVAL) || kill(process->pid, 0) != 0) break;
  }
  return error;
}

void lw_process_close(struct lw_process *process) {
  lw_symbols_free(&process->symbols);
  if (process->dwfl != NULL) process->libdw->end(process->dwfl);
  if (process->elf != NULL) process->libdw->elf_end(process->elf);
  if (process->file >= 0) close(process->file);
  process->dwfl = NULL;
  process->elf = NULL;
  process->file = -1;
  process->symbols.dwfl = NULL;
  lw_maps_free(&process->maps);
}

int lw_process_refresh(struct lw_process *process) {
  uint64_t before = process->maps.files;
  int error = lw_maps_read(&process->maps, process->pid);
  if (error != 0 || process->maps.files == before) return error;
  lw_symbols_forget(&process->symbols);
  process->libdw->report_begin(process->dwfl);
  return report(process);
}

#endif
