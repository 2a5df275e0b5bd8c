#pragma once

// How often the process closed a descriptor that was not open: on Linux, where `close`
// is the program's own. Elsewhere 0.
int cc_closes_of_none(void);
