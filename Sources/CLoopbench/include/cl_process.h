#ifndef CL_PROCESS_H
#define CL_PROCESS_H

#include <stddef.h>

// The path of the running program, or "".
void cl_program_path(char *_Nonnull path, size_t capacity);

// Becomes the program at `path`. Returns an errno, if at all.
int cl_become(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments);

// The environment: "NAME=value", at `index`; NULL past the last.
const char *_Nullable cl_environment(size_t index);

// Columns of a terminal, or 0.
int cl_terminal_width(int descriptor);

// Opens the standard descriptors that are closed, so that no file becomes one of
// them: for reading what is written to, so that writing still fails.
void cl_keep_descriptors(void);

// Opens `path` for reading. Returns a descriptor, or a negated errno.
int cl_open_input(const char *_Nonnull path);

// As `cl_open_input`, but opens a regular file only, and never blocks. Returns
// -EINVAL for a FIFO, a device or a folder, which it does not open.
int cl_open_regular_input(const char *_Nonnull path);

// Closes it.
void cl_close_input(int descriptor);

// Reads up to `capacity` bytes. Returns how many, 0 at the end, or a negated
// errno.
long cl_read(int descriptor, void *_Nonnull bytes, size_t capacity);

#endif
