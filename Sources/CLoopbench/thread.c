// Makes the headers declare the functions for affinity.
#define _GNU_SOURCE
#include "cl_thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../CUV/scarce.h"

struct cl_thread {
  pthread_t thread;
  void (*body)(void *);
  void *context;
};

// Relaxed: readers have joined the thread, which orders the accesses.
static atomic_uint_fast64_t migrations;

#if defined(__linux__)

// The migrations of the calling thread. The file exists if the kernel has scheduler
// debugging.
static uint64_t own_migrations(void) {
  char line[256];
  unsigned long long count = 0;
  FILE *file = fopen("/proc/thread-self/sched", "re");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "se.nr_migrations : %llu", &count) == 1) break;
  }
  fclose(file);
  return count;
}

#else

static uint64_t own_migrations(void) { return 0; }

#endif

uint64_t cl_thread_migrations(void) {
  return atomic_load_explicit(&migrations, memory_order_relaxed);
}

#if defined(__linux__)

static cpu_set_t allowed;
static pthread_once_t allowed_once = PTHREAD_ONCE_INIT;

// Reads the main thread's mask, because the caller may already be placed.
static void read_allowed(void) {
  if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
}

static cpu_set_t seat(int cpu) {
  pthread_once(&allowed_once, read_allowed);
  cpu_set_t set = allowed;
  if (cpu >= 0) {
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
  }
  return set;
}

void cl_thread_place(int cpu) {
  static _Thread_local int placed = INT_MIN;
  if (placed == cpu) return;
  placed = cpu;
  cpu_set_t set = seat(cpu);
  // The result is not checked. If the call fails, the thread keeps its CPUs.
  if (CPU_COUNT(&set) > 0) pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static int place(pthread_attr_t *attributes, int cpu) {
  cpu_set_t set = seat(cpu);
  if (CPU_COUNT(&set) == 0) return 0;
  return pthread_attr_setaffinity_np(attributes, sizeof set, &set);
}

int cl_allowed_cpus(int *cpus, int capacity) {
  pthread_once(&allowed_once, read_allowed);
  int count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (count < capacity) cpus[count] = cpu;
    count++;
  }
  return count;
}

// Does not use the nice value, which makes preemption likely but not certain.
// SCHED_IDLE is always permitted.
void cl_thread_lower(void) {
  struct sched_param none = {0};
  sched_setscheduler(0, SCHED_IDLE, &none);
}

#else

static int place(pthread_attr_t *attributes, int cpu) {
  (void)attributes;
  return cpu < 0 ? 0 : ENOSYS;
}

void cl_thread_place(int cpu) { (void)cpu; }

int cl_allowed_cpus(int *cpus, int capacity) {
  (void)cpus;
  (void)capacity;
  return 0;
}

void cl_thread_lower(void) {}

#endif

static void *thread_main(void *argument) {
  cl_thread *thread = argument;
  thread->body(thread->context);
  atomic_fetch_add_explicit(&migrations, own_migrations(), memory_order_relaxed);
  return NULL;
}

static int start_placed(cl_thread *thread, int cpu) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  error = place(&attributes, cpu);
  if (error == 0) error = lt_thread_create(&thread->thread, &attributes, thread_main, thread);
  pthread_attr_destroy(&attributes);
  return error;
}

int cl_thread_start(cl_thread **out, int cpu, void (*body)(void *), void *context) {
  cl_thread *thread = calloc(1, sizeof *thread);
  if (thread == NULL) return ENOMEM;
  thread->body = body;
  thread->context = context;
  int error = start_placed(thread, cpu);
  if (error != 0) {
    free(thread);
    return error;
  }
  *out = thread;
  return 0;
}

void cl_thread_join(cl_thread *thread) {
  pthread_join(thread->thread, NULL);
  free(thread);
}

void cl_thread_yield(void) { sched_yield(); }
