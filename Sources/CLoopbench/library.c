// `dladdr` is GNU's.
#define _GNU_SOURCE
#include "cl_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The path of the program or library that this function is in. A program that
// was found by PATH has no folder in its name: then Linux is asked.
static size_t own_path(char *path, size_t capacity) {
  Dl_info info;
  snprintf(path, capacity, "%s", "");
  if (dladdr((const void *)own_path, &info) != 0 && strchr(info.dli_fname, '/') != NULL) {
    snprintf(path, capacity, "%s", info.dli_fname);
    return strlen(path);
  }
  ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
  path[length > 0 ? length : 0] = 0;
  return strlen(path);
}

static void path_beside(const char *file, char *path, size_t capacity) {
  own_path(path, capacity);
  char *slash = strrchr(path, '/');
  size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  snprintf(path + folder, capacity - folder, "%s", file);
}

int cl_library_exists(const char *file) {
  char path[4096];
  path_beside(file, path, sizeof path);
  return access(path, R_OK) == 0;
}

void *cl_library_symbol(const char *file, const char *symbol, char *reason, size_t capacity) {
  char path[4096];
  path_beside(file, path, sizeof path);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *address = library == NULL ? NULL : dlsym(library, symbol);
  if (address == NULL) {
    const char *error = dlerror();
    snprintf(reason, capacity, "%s", error == NULL ? "it lacks a function" : error);
  }
  return address;
}
