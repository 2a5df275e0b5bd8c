// The C part of `loopbench`: clocks, placed threads, and the peers on raw
// libuv. These headers use no libuv types, so Swift need not import `CUV`.
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
