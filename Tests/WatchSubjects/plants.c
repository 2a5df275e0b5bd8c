// usage: TRUTH=FILE plants ROUNDS
//
// A program on libuv, without threads of its own. With WITH_GTK it is a window of GTK 4.
// Holds its loop with each plant, ROUNDS times, and writes what it planted to TRUTH.
// README.md has the format. With NO_NAMES, its functions are expected to have no names.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_GTK
#include <gtk/gtk.h>
#else
#include <uv.h>
#endif

#ifdef NO_NAMES
#define NAMED(name) "-"
#else
#define NAMED(name) name
#endif
#define PLANT static __attribute__((noinline)) void

static char fifo[4096];
static FILE *truth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t sink;

static uint64_t clock_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The time for which this thread has waited for a CPU.
static uint64_t queued_time(void) {
  unsigned long long ran, queued = 0;
  FILE *file = fopen("/proc/thread-self/schedstat", "r");
  if (!file) return 0;
  if (fscanf(file, "%llu %llu", &ran, &queued) != 2) queued = 0;
  fclose(file);
  return queued;
}

static uint64_t now(void) { return clock_ns(CLOCK_MONOTONIC); }

// MARK: Plants

PLANT compute_long(void) {
  for (uint64_t end = now() + 60000000; now() < end;)
    for (int i = 0; i < 1000; i++) sink += i;
}

PLANT sleep_long(void) { usleep(60000); }

PLANT read_fifo(void) {
  char text[8];
  int file = open(fifo, O_RDONLY);
  while (read(file, text, sizeof text) > 0) {}
  close(file);
}

PLANT wait_for_lock(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

PLANT touch_pages(void) {
  size_t size = 64 << 20;
  char *memory = malloc(size);
  for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
  sink += memory[4096];
  free(memory);
}

static int compare(const void *one, const void *other) {
  int left = *(const int *)one, right = *(const int *)other;
  return (left > right) - (left < right);
}

PLANT sort_numbers(void) {
  enum { count = 400000 };
  static int numbers[count];
  for (int i = 0; i < count; i++) numbers[i] = rand();
  qsort(numbers, count, sizeof numbers[0], compare);
}

PLANT run_shell(void) { (void)!system("sleep 0.06"); }

PLANT wait_for_sync(void) {
  // Writes enough for a disk to take a while, or a memory file system to copy.
  char name[4200];
  snprintf(name, sizeof name, "%s.data", fifo);
  int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  static char block[1 << 20];
  for (int i = 0; i < 60; i++) (void)!write(file, block, sizeof block);
  fsync(file);
  close(file);
  unlink(name);
}

#ifndef WITH_GTK

static void close_nested(uv_timer_t *timer) { uv_close((uv_handle_t *)timer, NULL); }

// Another loop, inside of a callback.
PLANT run_nested(void) {
  uv_loop_t nested;
  uv_timer_t timer;
  uv_loop_init(&nested);
  uv_timer_init(&nested, &timer);
  uv_timer_start(&timer, close_nested, 60, 0);
  uv_run(&nested, UV_RUN_DEFAULT);
  uv_loop_close(&nested);
}

#endif

PLANT stop_self(void) { raise(SIGSTOP); }

// MARK: Preparation

static void shell(const char *command) {
  if (fork() != 0) return;
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

static void prepare_fifo(void) {
  char command[9000];
  snprintf(command, sizeof command, "exec 3>'%s'; sleep 0.15; echo text >&3", fifo);
  mkfifo(fifo, 0600);
  shell(command);
}

static void *hold_lock(void *unused) {
  pthread_mutex_lock(&lock);
  usleep(200000);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void prepare_lock(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, hold_lock, NULL);
  pthread_detach(thread);
}

static void prepare_stop(void) {
  char command[80];
  snprintf(command, sizeof command, "sleep 0.3; kill -CONT %d", getpid());
  shell(command);
}

static const struct plant {
  const char *name;
  void (*prepare)(void);
  void (*run)(void);
  const char *causes, *reason;
} plants[] = {
  {"compute_long", NULL, compute_long, "running", "-"},
  {"sleep_long", NULL, sleep_long, "blocked", "sleep"},
  {"read_fifo", prepare_fifo, read_fifo, "blocked", "read of .*fifo"},
  {"wait_for_lock", prepare_lock, wait_for_lock, "blocked", "lock"},
  {"touch_pages", NULL, touch_pages, "running", "-"},
  {"sort_numbers", NULL, sort_numbers, "running", "-"},
  {"run_shell", NULL, run_shell, "blocked", "wait for the child s"},
  {"wait_for_sync", NULL, wait_for_sync, "running|blocked", "-"},
#ifndef WITH_GTK
  {"run_nested", NULL, run_nested, "blocked", "nested loop"},
#endif
  {"stop_self", prepare_stop, stop_self, "stopped", "-"},
};
enum { kinds = sizeof plants / sizeof plants[0] };

// MARK: The loop

static void note_tick(void) { fprintf(truth, "tick\t%llu\n", (unsigned long long)now()); }

static void (*next_step)(void);

#ifdef WITH_GTK

static GMainLoop *loop;

static gboolean run_step(void *unused) {
  (void)unused;
  next_step();
  return G_SOURCE_REMOVE;
}

static void later(void (*step)(void), int milliseconds) {
  next_step = step;
  g_timeout_add(milliseconds, run_step, NULL);
}

static gboolean run_tick(void *unused) {
  (void)unused;
  note_tick();
  return G_SOURCE_CONTINUE;
}

static void stop(void) { g_main_loop_quit(loop); }

static void run(void) {
  gtk_init();
  GtkWidget *window = gtk_window_new();
  gtk_window_set_child(GTK_WINDOW(window), gtk_label_new("plants"));
  gtk_window_present(GTK_WINDOW(window));
  loop = g_main_loop_new(NULL, FALSE);
  g_timeout_add(5, run_tick, NULL);
  g_main_loop_run(loop);
}

#else

static uv_timer_t next, tick;

static void run_step(uv_timer_t *timer) {
  (void)timer;
  next_step();
}

static void later(void (*step)(void), int milliseconds) {
  next_step = step;
  uv_timer_start(&next, run_step, milliseconds, 0);
}

static void run_tick(uv_timer_t *timer) {
  (void)timer;
  note_tick();
}

static void stop(void) { uv_stop(uv_default_loop()); }

static void run(void) {
  uv_timer_init(uv_default_loop(), &tick);
  uv_timer_start(&tick, run_tick, 5, 5);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

#endif

// MARK: Run

static int rounds, planted;

static void prepare_plant(void);

static void hold(void) {
  const struct plant *plant = &plants[planted++ / rounds];
  uint64_t queued = queued_time(), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), began = now();
  plant->run();
  uint64_t ended = now();
  uint64_t times[] = {
    began, ended, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu, queued_time() - queued};
  fprintf(truth, "hold\t%s", plant->name);
  for (int i = 0; i < 4; i++) fprintf(truth, "\t%llu", (unsigned long long)times[i]);
  fprintf(truth, "\t%s\t%s\t%s\n", plant->causes, NAMED(plant->name), plant->reason);
  later(prepare_plant, 40);
}

static void prepare_plant(void) {
  while (waitpid(-1, NULL, WNOHANG) > 0) {}
  if (planted == rounds * kinds) {
    unlink(fifo);
    return stop();
  }
  if (plants[planted / rounds].prepare) plants[planted / rounds].prepare();
  later(hold, 40);
}

int main(int count, char **words) {
  const char *path = getenv("TRUTH");
  rounds = count == 2 ? atoi(words[1]) : 0;
  if (!path || rounds < 1) return 2;
  truth = fopen(path, "a");
  if (!truth) return 1;
  snprintf(fifo, sizeof fifo, "%s.fifo", path);
#ifndef WITH_GTK
  uv_timer_init(uv_default_loop(), &next);
#endif
  // Later than the window's first frames.
  later(prepare_plant, 500);
  run();
  return fclose(truth) == 0 ? 0 : 1;
}
