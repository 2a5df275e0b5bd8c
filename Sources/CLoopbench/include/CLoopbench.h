// The C part of `loopbench`: clocks, placed threads, and the peers on raw
// libuv. These headers use no libuv types, so Swift need not import `CUV`.
#ifndef CLOOPBENCH_H
#define CLOOPBENCH_H

// Functions of the C library that Swift calls through this module, because the
// C library's own module has a different name on each system.
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl_floor.h"
#include "cl_measure.h"
#include "cl_system.h"
#include "cl_thread.h"
#include "cl_uv.h"

#endif
