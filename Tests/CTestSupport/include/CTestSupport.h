// What the tests need from C: libuv handles that belong to somebody else,
// system calls that can be counted, threads, signals and forks. No libuv type
// appears here.
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include "ct_count.h"
#include "ct_loop.h"
#include "ct_system.h"

#endif
