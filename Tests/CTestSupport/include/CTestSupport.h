// The parts of the tests that need C: libuv handles owned by foreign code,
// counted system calls, threads, signals and forks. No libuv type appears here.
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include "ct_count.h"
#include "ct_loop.h"
#include "ct_system.h"

#endif
