#ifndef UV_PEER_H
#define UV_PEER_H

#include <stddef.h>
#include <uv.h>

// The first member of every peer on libuv. It begins with the loop, so a pointer to
// a peer can be passed to the functions that take a loop.
typedef struct {
  uv_loop_t loop;
  uv_mutex_t mutex;  // for peers that get work from other threads
} cl_uv_peer;

// Allocates a zeroed peer of `size` bytes and opens its loop. Returns NULL when
// libuv cannot open one. `cl_uv_loop_close` frees it.
void *cl_uv_peer_open(size_t size);

#endif
