#ifndef REMAINS_H
#define REMAINS_H

#include <stddef.h>
#include <sys/types.h>

// Files that a killed run left half written.

// How many characters a name has beyond its place's, at most.
#define CL_REMAINS_SUFFIX 64

// The name under which the process `owner` writes what will be at `place`.
void cl_remains_name(char *name, size_t capacity, const char *place, pid_t owner,
                     unsigned attempt);

// Removes the remains of killed runs, of any place in the folder of `place`: regular
// files of this user with such a name, whose owner is not alive and which nobody
// has locked.
void cl_remains_remove(const char *place);

#endif
