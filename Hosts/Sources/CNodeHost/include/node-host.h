// The part of Node-API that NodeHost calls, and functions that cannot be written in
// Swift. Node-API has a stable ABI. The functions are in Node's executable, and are
// resolved when it loads an addon.
//
// All names are our own, so that a program can also import Node's headers.
// Hosts/NodeAddon/Tests/Headers compares these declarations with the headers.
#ifndef LT_NODE_HOST_H
#define LT_NODE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Declares `lt_name`, which is Node's function `name`.
#ifndef LT_NODE_FUNCTION
#define LT_NODE_QUOTED(text) #text
#define LT_NODE_LABEL(prefix, name) LT_NODE_QUOTED(prefix) #name
#define LT_NODE_FUNCTION(name, ...) \
  lt_napi_status lt_##name(__VA_ARGS__) __asm__(LT_NODE_LABEL(__USER_LABEL_PREFIX__, name))
#endif

#ifndef LT_NODE_HEADERS
// An enumeration in Node's headers. 0 is success.
typedef unsigned lt_napi_status;
typedef unsigned lt_napi_valuetype;
typedef unsigned lt_napi_typedarray_type;

typedef struct lt_napi_env *lt_napi_env;
typedef struct lt_napi_value *lt_napi_value;
typedef struct lt_napi_ref *lt_napi_ref;
typedef struct lt_napi_deferred *lt_napi_deferred;
typedef struct lt_napi_handle_scope *lt_napi_handle_scope;
typedef struct lt_napi_callback_scope *lt_napi_callback_scope;
typedef struct lt_napi_async_context *lt_napi_async_context;
typedef struct lt_napi_callback_info *lt_napi_callback_info;
typedef lt_napi_value (*lt_napi_callback)(lt_napi_env env, lt_napi_callback_info info);
struct lt_uv_loop;
typedef struct lt_uv_loop lt_uv_loop;
#endif

// napi_valuetype.
static const unsigned lt_napi_undefined = 0;
static const unsigned lt_napi_null = 1;
static const unsigned lt_napi_boolean = 2;
static const unsigned lt_napi_number = 3;
static const unsigned lt_napi_string = 4;
static const unsigned lt_napi_symbol = 5;
static const unsigned lt_napi_object = 6;
static const unsigned lt_napi_function = 7;
static const unsigned lt_napi_external = 8;
static const unsigned lt_napi_bigint = 9;
// napi_typedarray_type.
static const unsigned lt_napi_uint8_array = 1;

// MARK: The environment

LT_NODE_FUNCTION(napi_get_uv_event_loop, lt_napi_env env, lt_uv_loop **loop);
LT_NODE_FUNCTION(napi_add_env_cleanup_hook, lt_napi_env env, void (*hook)(void *context),
                 void *context);

// MARK: Scopes

LT_NODE_FUNCTION(napi_open_handle_scope, lt_napi_env env, lt_napi_handle_scope *scope);
LT_NODE_FUNCTION(napi_close_handle_scope, lt_napi_env env, lt_napi_handle_scope scope);
LT_NODE_FUNCTION(napi_async_init, lt_napi_env env, lt_napi_value resource, lt_napi_value name,
                 lt_napi_async_context *context);
LT_NODE_FUNCTION(napi_async_destroy, lt_napi_env env, lt_napi_async_context context);
LT_NODE_FUNCTION(napi_open_callback_scope, lt_napi_env env, lt_napi_value resource,
                 lt_napi_async_context context, lt_napi_callback_scope *scope);
LT_NODE_FUNCTION(napi_close_callback_scope, lt_napi_env env, lt_napi_callback_scope scope);

// MARK: Functions, references and promises

LT_NODE_FUNCTION(napi_create_function, lt_napi_env env, const char *name, size_t length,
                 lt_napi_callback callback, void *context, lt_napi_value *function);
LT_NODE_FUNCTION(napi_get_cb_info, lt_napi_env env, lt_napi_callback_info info, size_t *count,
                 lt_napi_value *arguments, lt_napi_value *receiver, void **context);
LT_NODE_FUNCTION(napi_call_function, lt_napi_env env, lt_napi_value receiver,
                 lt_napi_value function, size_t count, const lt_napi_value *arguments,
                 lt_napi_value *result);
LT_NODE_FUNCTION(napi_create_reference, lt_napi_env env, lt_napi_value value, uint32_t count,
                 lt_napi_ref *reference);
LT_NODE_FUNCTION(napi_delete_reference, lt_napi_env env, lt_napi_ref reference);
LT_NODE_FUNCTION(napi_get_reference_value, lt_napi_env env, lt_napi_ref reference,
                 lt_napi_value *value);
LT_NODE_FUNCTION(napi_create_promise, lt_napi_env env, lt_napi_deferred *deferred,
                 lt_napi_value *promise);
LT_NODE_FUNCTION(napi_resolve_deferred, lt_napi_env env, lt_napi_deferred deferred,
                 lt_napi_value value);
LT_NODE_FUNCTION(napi_reject_deferred, lt_napi_env env, lt_napi_deferred deferred,
                 lt_napi_value error);

// MARK: Errors

LT_NODE_FUNCTION(napi_create_error, lt_napi_env env, lt_napi_value code, lt_napi_value message,
                 lt_napi_value *error);
LT_NODE_FUNCTION(napi_create_type_error, lt_napi_env env, lt_napi_value code,
                 lt_napi_value message, lt_napi_value *error);
LT_NODE_FUNCTION(napi_throw, lt_napi_env env, lt_napi_value error);
LT_NODE_FUNCTION(napi_is_exception_pending, lt_napi_env env, bool *result);
LT_NODE_FUNCTION(napi_get_and_clear_last_exception, lt_napi_env env, lt_napi_value *error);
LT_NODE_FUNCTION(napi_fatal_exception, lt_napi_env env, lt_napi_value error);

// MARK: Values

LT_NODE_FUNCTION(napi_get_undefined, lt_napi_env env, lt_napi_value *result);
LT_NODE_FUNCTION(napi_get_null, lt_napi_env env, lt_napi_value *result);
LT_NODE_FUNCTION(napi_get_boolean, lt_napi_env env, bool value, lt_napi_value *result);
LT_NODE_FUNCTION(napi_create_double, lt_napi_env env, double value, lt_napi_value *result);
LT_NODE_FUNCTION(napi_create_string_utf8, lt_napi_env env, const char *text, size_t length,
                 lt_napi_value *result);
LT_NODE_FUNCTION(napi_create_object, lt_napi_env env, lt_napi_value *result);
LT_NODE_FUNCTION(napi_create_array_with_length, lt_napi_env env, size_t length,
                 lt_napi_value *result);
LT_NODE_FUNCTION(napi_create_buffer_copy, lt_napi_env env, size_t length, const void *bytes,
                 void **copy, lt_napi_value *result);
LT_NODE_FUNCTION(napi_set_property, lt_napi_env env, lt_napi_value object, lt_napi_value key,
                 lt_napi_value value);
LT_NODE_FUNCTION(napi_set_element, lt_napi_env env, lt_napi_value object, uint32_t index,
                 lt_napi_value value);
LT_NODE_FUNCTION(napi_typeof, lt_napi_env env, lt_napi_value value, lt_napi_valuetype *result);
LT_NODE_FUNCTION(napi_get_value_bool, lt_napi_env env, lt_napi_value value, bool *result);
LT_NODE_FUNCTION(napi_get_value_double, lt_napi_env env, lt_napi_value value, double *result);
LT_NODE_FUNCTION(napi_get_value_string_utf8, lt_napi_env env, lt_napi_value value, char *text,
                 size_t size, size_t *length);
LT_NODE_FUNCTION(napi_is_array, lt_napi_env env, lt_napi_value value, bool *result);
LT_NODE_FUNCTION(napi_is_typedarray, lt_napi_env env, lt_napi_value value, bool *result);
LT_NODE_FUNCTION(napi_get_typedarray_info, lt_napi_env env, lt_napi_value value,
                 lt_napi_typedarray_type *type, size_t *length, void **bytes,
                 lt_napi_value *buffer, size_t *offset);
LT_NODE_FUNCTION(napi_get_array_length, lt_napi_env env, lt_napi_value value, uint32_t *length);
LT_NODE_FUNCTION(napi_get_element, lt_napi_env env, lt_napi_value object, uint32_t index,
                 lt_napi_value *result);
LT_NODE_FUNCTION(napi_get_property_names, lt_napi_env env, lt_napi_value object,
                 lt_napi_value *names);
LT_NODE_FUNCTION(napi_get_property, lt_napi_env env, lt_napi_value object, lt_napi_value key,
                 lt_napi_value *result);

// MARK: The addon

// Keeps the addon in memory until the process ends. Node unloads an addon when the
// last environment that loaded it ends, while Swift's threads may still run its code.
// Returns 0 on failure.
int lt_node_pin(void);

// Whether the addon calls the libuv that the executable exports. Two copies of libuv
// may have different layouts, and do not know each other's loops.
int lt_node_shares_libuv(void);

// Whether the caller is the process's first thread.
int lt_node_is_first_thread(void);

// Identifies the calling thread while it exists.
uintptr_t lt_node_thread(void);

#endif
