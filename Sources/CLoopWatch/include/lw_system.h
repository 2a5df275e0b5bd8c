#pragma once

// Facts about other processes, and their start.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Now, of CLOCK_MONOTONIC, in nanoseconds.
uint64_t lw_now(void);

// The time of the day since 1970, in nanoseconds.
uint64_t lw_real_time(void);

// The CPU time of this process, in nanoseconds.
uint64_t lw_own_time(void);

// The number of CPUs that are online.
int lw_cpus(void);

// Starts a program with default signal dispositions and `environment`. SIGHUP, SIGINT and
// SIGQUIT stay ignored if they are. Returns its process number, or a negative errno. The
// program sees no signal before exec.
int lw_start(char *const arguments[], char *const environment[]);

// Whether standard input is a terminal.
bool lw_terminal_is_input(void);
// Makes the terminal pass each key on at once, without showing it. It is given back by
// lw_terminal_leave, and at exit.
void lw_terminal_enter(void);
void lw_terminal_leave(void);
int lw_terminal_height(void);
// Reads keys from the terminal. Returns the number of bytes, or 0 at its end.
long lw_terminal_read(unsigned char *bytes, size_t capacity);

// Opens a file for reading, or returns a negative errno.
int lw_open(const char *path);
void lw_close(int file);

// Reads from `offset` on. Returns the number of bytes, or a negative errno.
long lw_read_at(int file, char *bytes, size_t capacity, uint64_t offset);

// The target of a symbolic link. Returns the number of bytes, or a negative errno.
long lw_read_link(const char *path, char *bytes, size_t capacity);

// The peer of a socket of another process: "10.0.0.5:5432", "[::1]:80", or the path of a
// UNIX socket. `address` is the argument of `connect` in the process, or 0: a socket that
// is not connected yet has no peer. Returns the number of bytes, or a negative errno.
long lw_peer(int process, int descriptor, uint64_t address, char *text, size_t capacity);

// The name of the system call with this number, or NULL.
const char *lw_call_name(long number);

// The readable form of a C++, Rust or Swift symbol, or NULL. Free the result.
char *lw_demangle(const char *symbol);

// The C library's errno, and its free().
int lw_errno(void);
char *lw_copy(const char *text);
int lw_process(void);
// Removes a file of this user, if it is a regular one.
void lw_remove(const char *path);

// Delays SIGINT, SIGTERM and SIGHUP to the calling thread until lw_release_signals.
void lw_delay_signals(void);
void lw_release_signals(void);

// Whether this process ignores a signal. nohup ignores SIGHUP, for example.
bool lw_is_ignored(int signal);

// Sends a signal to a process.
void lw_signal(int process, int signal);
void lw_free(void *memory);

// The names of the entries of a folder, each with a zero byte. Returns the number of
// bytes, or a negative errno.
long lw_list(const char *path, char *bytes, size_t capacity);
