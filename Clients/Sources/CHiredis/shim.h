// hiredis, and its adapter for libuv.
#include <hiredis/adapters/libuv.h>
#include <hiredis/async.h>
