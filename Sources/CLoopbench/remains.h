#ifndef REMAINS_H
#define REMAINS_H

#include <stddef.h>
#include <sys/types.h>

// Functions for remains, which are temporary files that killed runs left behind.

// The greatest length that `cl_remains_name` adds to a place.
#define CL_REMAINS_SUFFIX 64

// Writes the name of the temporary file that the process `owner` uses for
// `place`.
void cl_remains_name(char *name, size_t capacity, const char *place, pid_t owner,
                     unsigned attempt);

// Removes all remains in the folder of `place`. A remain is a regular file of this
// user that has a name made by `cl_remains_name`. Its owner is not alive, and it is
// not locked.
void cl_remains_remove(const char *place);

#endif
