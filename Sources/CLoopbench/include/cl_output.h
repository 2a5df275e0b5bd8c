#ifndef CL_OUTPUT_H
#define CL_OUTPUT_H

// A file that is being written.
typedef struct cl_output cl_output;

// Opens what is to become `path`, through symlinks. A regular file, or one that
// is not there yet, is written beside its place, with the mode of the one it
// replaces or of a new one; anything else, and what standard output or error is
// already, is written directly. Returns 0, or an errno.
int cl_output_open(const char *_Nonnull path, cl_output *_Nullable *_Nonnull output);

// Opens what is to replace whatever is at `path`, unless it is a folder: a symlink
// is not followed, and a FIFO or device is not written to. Returns 0, or an errno.
int cl_output_open_replacing(const char *_Nonnull path, cl_output *_Nullable *_Nonnull output);

int cl_output_descriptor(const cl_output *_Nonnull output);

// The place it will have, the same for every way of writing it; NULL for what is
// written directly.
const char *_Nullable cl_output_place(const cl_output *_Nonnull output);

// Closes it, puts it in its place and frees `output`. Returns 0, or an errno.
int cl_output_finish(cl_output *_Nonnull output);

// Closes and removes it, and frees `output`.
void cl_output_abandon(cl_output *_Nonnull output);

// Removes every file that is neither finished nor abandoned. A signal handler
// may call it.
void cl_output_remove_all(void);

#endif
