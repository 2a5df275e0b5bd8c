// Makes the headers declare `getline`.
#define _GNU_SOURCE
#include "lw_maps.h"

#if LW_SUPPORTED

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t lw_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// The memory of compilers that map their code twice, once to write it, has a name.
static enum lw_mapping_kind kind_of(const char *path) {
  if (starts_with(path, "[vdso]")) return lw_vdso_code;
  bool is_file = path[0] == '/' && !starts_with(path, "//anon") &&
                 !starts_with(path, "/memfd:") && !starts_with(path, "/dev/zero") &&
                 !starts_with(path, "/SYSV");
  return is_file ? lw_file_code : lw_generated_code;
}

static bool is_libc(const char *path) {
  const char *name = strrchr(path, '/');
  if (name == NULL) return false;
  return starts_with(name, "/libc.so") || starts_with(name, "/libc-2") ||
         starts_with(name, "/ld-musl");
}

static int add(struct lw_maps *maps, size_t *capacity, struct lw_mapping mapping) {
  if (maps->count == *capacity) {
    size_t larger = *capacity > 0 ? *capacity * 2 : 64;
    struct lw_mapping *mappings = realloc(maps->mappings, larger * sizeof *mappings);
    if (mappings == NULL) return ENOMEM;
    maps->mappings = mappings;
    *capacity = larger;
  }
  maps->mappings[maps->count++] = mapping;
  return 0;
}

static uint64_t hash(uint64_t hash, const char *text) {
  for (; *text != 0; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
  return hash;
}

// Adds the mapping of one line if it is executable. The line is
// "start-end rwxp offset device inode path".
static int add_line(struct lw_maps *maps, size_t *capacity, char *line) {
  char *text = line;
  struct lw_mapping mapping;
  mapping.range.start = strtoull(text, &text, 16);
  mapping.range.end = strtoull(text + 1, &text, 16);
  if (text[3] != 'x') return 0;
  char *path = text + 1;
  for (int field = 0; field < 4; field++) {
    path += strcspn(path, " \n");
    path += strspn(path, " ");
  }
  path[strcspn(path, "\n")] = 0;
  if (starts_with(path, "[vsyscall]")) return 0;
  mapping.kind = kind_of(path);
  if (mapping.kind == lw_file_code) maps->files = hash(maps->files, line);
  if (mapping.kind == lw_file_code && is_libc(path)) maps->libc = mapping.range;
  return add(maps, capacity, mapping);
}

int lw_maps_read(struct lw_maps *maps, int pid) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return errno;
  lw_maps_free(maps);
  size_t capacity = 0, size = 0;
  char *line = NULL;
  int error = 0;
  while (error == 0 && getline(&line, &size, file) > 0) error = add_line(maps, &capacity, line);
  free(line);
  fclose(file);
  maps->read_at = lw_now();
  // The maps of a process that has ended are empty.
  return error != 0 ? error : maps->count == 0 ? ESRCH : 0;
}

void lw_maps_free(struct lw_maps *maps) {
  free(maps->mappings);
  *maps = (struct lw_maps){0};
}

const struct lw_mapping *lw_maps_find(const struct lw_maps *maps, uint64_t address) {
  size_t low = 0, high = maps->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (maps->mappings[middle].range.end <= address) low = middle + 1;
    else high = middle;
  }
  if (low == maps->count || !lw_contains(maps->mappings[low].range, address)) return NULL;
  return &maps->mappings[low];
}

#endif
