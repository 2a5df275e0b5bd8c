// A server whose event loop is late for three reasons, for `loopbench watch`. Each request
// holds the loop in another way: it computes, waits for a child process, or waits for a lock
// that another thread has. At its end the program prints the holds that it planted.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define FUNCTION static __attribute__((noinline)) void

extern char **environ;
static uv_loop_t loop;
static uv_timer_t requests;
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t locked;
static volatile unsigned long sum;
static int served, limit;

static double cpu_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void fail(const char *call, int error) {
  fprintf(stderr, "planted-holds: %s: %s\n", call, uv_strerror(-error));
  exit(1);
}

// MARK: Three holds

// Computes for 60 ms.
FUNCTION render_page(void) {
  for (double end = cpu_ms() + 60; cpu_ms() < end;)
    for (int i = 0; i < 10000; i++) sum += i;
}

// Waits 80 ms for a child process.
FUNCTION append_log(void) {
  char *words[] = {"sleep", "0.08", NULL};
  pid_t child;
  int error = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
  if (error) fail("posix_spawnp", error);
  waitpid(child, NULL, 0);
}

static void *refresh(void *unused) {
  pthread_mutex_lock(&cache);
  pthread_barrier_wait(&locked);
  usleep(70000);
  pthread_mutex_unlock(&cache);
  return unused;
}

// Waits 70 ms for a lock that another thread has.
FUNCTION read_cache(void) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, refresh, NULL);
  if (error) fail("pthread_create", error);
  pthread_barrier_wait(&locked);
  pthread_mutex_lock(&cache);
  pthread_mutex_unlock(&cache);
  pthread_join(thread, NULL);
}

// MARK: The loop

static void serve(uv_timer_t *timer) {
  void (*const holds[])(void) = {render_page, append_log, read_cache};
  holds[served % 3]();
  if (++served == limit) uv_stop(timer->loop);
}

static void end(uv_signal_t *handle, int signal) {
  (void)signal;
  uv_stop(handle->loop);
}

// usage: planted-holds [REQUESTS]
int main(int count, char **words) {
  limit = count > 1 ? atoi(words[1]) : 0;
  if (count > 2 || (count == 2 && limit <= 0)) {
    fprintf(stderr, "usage: planted-holds [REQUESTS]\n");
    return 2;
  }
  pthread_barrier_init(&locked, NULL, 2);
  uv_signal_t signals[2];
  int numbers[] = {SIGINT, SIGTERM};
  uv_loop_init(&loop);
  for (int i = 0; i < 2; i++) {
    uv_signal_init(&loop, &signals[i]);
    uv_signal_start(&signals[i], end, numbers[i]);
  }
  uv_timer_init(&loop, &requests);
  uv_timer_start(&requests, serve, 100, 250);
  uv_run(&loop, UV_RUN_DEFAULT);
  printf("planted holds:\n  render_page  computed for 60 ms       x %d\n"
         "  append_log   waited 80 ms for a child x %d\n"
         "  read_cache   waited 70 ms for a lock  x %d\n",
         (served + 2) / 3, (served + 1) / 3, served / 3);
  return 0;
}
