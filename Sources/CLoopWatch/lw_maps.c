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

static const uint64_t hash_start = 14695981039346656037u;

static uint64_t hash(uint64_t hash, const char *text) {
  for (; *text != 0; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
  return hash;
}

// The mappings of a loaded file follow each other in memory, with larger and larger
// offsets in the file.
struct group {
  uint64_t file;
  uint64_t offset;
  bool is_first;
};

static void join(struct group *group, struct lw_mapping *mapping) {
  if (group->file != mapping->file || mapping->offset < group->offset) {
    group->is_first = mapping->offset == 0;
  }
  group->file = mapping->file;
  group->offset = mapping->offset;
  mapping->is_first = group->is_first;
}

// Adds the mapping of one line if it is executable. The line is
// "start-end rwxp offset device inode path".
static int add_line(struct lw_maps *maps, size_t *capacity, struct group *group, char *line) {
  struct lw_mapping mapping = {0};
  char *text = line;
  mapping.range.start = strtoull(text, &text, 16);
  mapping.range.end = strtoull(text + 1, &text, 16);
  bool is_executable = text[3] == 'x';
  mapping.offset = strtoull(text + 5, &text, 16);
  char *device = text + 1;
  char *path = device;
  for (int field = 0; field < 2; field++) path += strcspn(path, " \n") + 1;
  path[-1] = 0;
  path += strspn(path, " ");
  path[strcspn(path, "\n")] = 0;
  mapping.file = hash(hash_start, device);
  mapping.kind = kind_of(path);
  if (mapping.kind == lw_file_code) join(group, &mapping);
  if (!is_executable || starts_with(path, "[vsyscall]")) return 0;
  if (mapping.kind == lw_file_code) maps->files = hash(hash(maps->files, line), path);
  if (mapping.kind == lw_file_code && is_libc(path)) maps->libc = mapping.range;
  return add(maps, capacity, mapping);
}

// V8 maps its built-in functions from the program's file again, near generated code.
static void find_original(const struct lw_maps *maps, struct lw_mapping *copy) {
  if (copy->kind != lw_file_code || copy->is_first) return;
  for (size_t i = 0; i < maps->count; i++) {
    const struct lw_mapping *mapping = &maps->mappings[i];
    uint64_t size = mapping->range.end - mapping->range.start;
    uint64_t distance = copy->offset - mapping->offset;
    if (mapping->file != copy->file || !mapping->is_first || distance >= size) continue;
    copy->kind = lw_copied_code;
    copy->original = mapping->range.start + distance;
    return;
  }
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
  struct group group = {0};
  while (error == 0 && getline(&line, &size, file) > 0) {
    error = add_line(maps, &capacity, &group, line);
  }
  free(line);
  fclose(file);
  for (size_t i = 0; i < maps->count; i++) find_original(maps, &maps->mappings[i]);
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
