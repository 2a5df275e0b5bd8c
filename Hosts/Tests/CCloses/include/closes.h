#pragma once

// The number of times the process closed a descriptor that was not open. The calls
// are counted on Linux only, where this module replaces `close`. On other systems
// the number is 0.
int cc_closes_of_none(void);
