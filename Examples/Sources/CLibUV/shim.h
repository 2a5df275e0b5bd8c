// The server uses libuv's TCP handles directly.
#include <uv.h>
#include <netinet/in.h>
#include <sys/socket.h>

// Accessors for handles and requests of any type. Swift attributes the members of
// libuv's structs to the first libuv module that it imports. That may be a
// different module than this one, so the server does not use the members.
static inline void *resp_handle_data(const void *handle) {
  return uv_handle_get_data((const uv_handle_t *)handle);
}
static inline void resp_set_handle_data(void *handle, void *data) {
  uv_handle_set_data((uv_handle_t *)handle, data);
}
static inline void *resp_request_data(const void *request) {
  return uv_req_get_data((const uv_req_t *)request);
}
static inline void resp_set_request_data(void *request, void *data) {
  uv_req_set_data((uv_req_t *)request, data);
}
static inline const void *resp_buffer_start(const uv_buf_t *buffer) {
  return buffer ? buffer->base : 0;
}
