// What `loopbench` needs from C: clocks, placed threads, and the peers that
// are raw libuv. No libuv type appears here, so Swift need not import `CUV`.
#ifndef CLOOPBENCH_H
#define CLOOPBENCH_H

#include "cl_floor.h"
#include "cl_library.h"
#include "cl_load.h"
#include "cl_measure.h"
#include "cl_system.h"
#include "cl_thread.h"
#include "cl_uv.h"

#endif
