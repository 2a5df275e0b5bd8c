// What `loopbench` needs from C: clocks, placed threads, and the peers that
// are raw libuv. No libuv type appears here, so Swift need not import `CUV`.
#ifndef CLOOPBENCH_H
#define CLOOPBENCH_H

#include "cl_clock.h"
#include "cl_cond.h"
#include "cl_doctor.h"
#include "cl_eventfd.h"
#include "cl_finish.h"
#include "cl_interrupt.h"
#include "cl_library.h"
#include "cl_load.h"
#include "cl_output.h"
#include "cl_process.h"
#include "cl_system.h"
#include "cl_thread.h"
#include "cl_ticker.h"
#include "cl_uv_commit.h"
#include "cl_uv_drain.h"
#include "cl_uv_loop.h"
#include "cl_uv_post.h"
#include "cl_uv_timer.h"
#include "cl_uv_wake.h"
#include "cl_uv_work.h"
#include "cl_wake.h"

#endif
