#pragma once

// The number of times the process closed a descriptor that was not open. The calls
// are counted on Linux only, where this module replaces `close`. On other systems
// the number is 0.
int cc_closes_of_none(void);

// Makes the system refuse every thread that is started with default attributes, or
// no longer. Does nothing on systems other than Linux.
void cc_refuse_threads(int yes);
