// Makes the headers declare `dladdr` and RTLD_DEFAULT.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl_measure.h"
#include "cl_system.h"

void cl_allocator_path(char *path, size_t capacity) {
  Dl_info info;
  // Not `&malloc`, which may be an entry of the program itself.
  void *function = dlsym(RTLD_DEFAULT, "malloc");
  if (function == NULL || dladdr(function, &info) == 0) info.dli_fname = "";
  snprintf(path, capacity, "%s", info.dli_fname);
}

enum { burst = 20000, bursts = 5 };

static void *free_all(void *context) {
  void **blocks = context;
  uint64_t began = cl_now();
  for (int i = 0; i < burst; i++) free(blocks[i]);
  return (void *)(uintptr_t)(cl_now() - began);
}

static int by_time(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

double cl_allocator_ns(void) {
  static void *blocks[burst];
  double times[bursts];
  for (int i = 0; i < bursts; i++) {
    uint64_t began = cl_now();
    for (int block = 0; block < burst; block++) {
      blocks[block] = malloc(64);
      // As its user does, so that the memory has a page.
      if (blocks[block] != NULL) *(char *)blocks[block] = 1;
    }
    uint64_t allocated = cl_now() - began;
    pthread_t thread;
    void *freed;
    if (pthread_create(&thread, NULL, free_all, blocks) != 0) {
      free_all(blocks);
      return 0;
    }
    pthread_join(thread, &freed);
    times[i] = (double)(allocated + (uintptr_t)freed) / burst;
  }
  qsort(times, bursts, sizeof *times, by_time);
  return times[bursts / 2];
}
