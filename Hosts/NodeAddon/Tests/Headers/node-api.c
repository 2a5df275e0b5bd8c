// Declares the functions of CNodeHost again, after Node's own headers. A declaration that
// differs from a header's does not compile. The program compares the constants. The step
// `node` builds and runs it.
#include <node_api.h>
#include <stdio.h>

#define LT_NODE_HEADERS
#define LT_NODE_FUNCTION(name, ...) napi_status name(__VA_ARGS__)

typedef napi_status lt_napi_status;
typedef napi_valuetype lt_napi_valuetype;
typedef napi_typedarray_type lt_napi_typedarray_type;
typedef napi_env lt_napi_env;
typedef napi_value lt_napi_value;
typedef napi_ref lt_napi_ref;
typedef napi_deferred lt_napi_deferred;
typedef napi_handle_scope lt_napi_handle_scope;
typedef napi_callback_scope lt_napi_callback_scope;
typedef napi_async_context lt_napi_async_context;
typedef napi_callback_info lt_napi_callback_info;
typedef napi_callback lt_napi_callback;
typedef struct uv_loop_s lt_uv_loop;

#include "../../../Sources/CNodeHost/include/node-host.h"

// Swift passes an enumeration as an unsigned int.
_Static_assert(sizeof(napi_status) == sizeof(unsigned), "napi_status");
_Static_assert(sizeof(napi_valuetype) == sizeof(unsigned), "napi_valuetype");
_Static_assert(sizeof(napi_typedarray_type) == sizeof(unsigned), "napi_typedarray_type");
_Static_assert(napi_ok == 0, "napi_ok");

int main(void) {
  const struct {
    unsigned own, real;
    const char *name;
  } constants[] = {
      {lt_napi_undefined, napi_undefined, "undefined"}, {lt_napi_null, napi_null, "null"},
      {lt_napi_boolean, napi_boolean, "boolean"},       {lt_napi_number, napi_number, "number"},
      {lt_napi_string, napi_string, "string"},          {lt_napi_symbol, napi_symbol, "symbol"},
      {lt_napi_object, napi_object, "object"},          {lt_napi_function, napi_function, "function"},
      {lt_napi_external, napi_external, "external"},    {lt_napi_bigint, napi_bigint, "bigint"},
      {lt_napi_uint8_array, napi_uint8_array, "uint8_array"},
  };
  int faults = 0;
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    if (constants[i].own == constants[i].real) continue;
    printf("lt_napi_%s is %u in Node's header\n", constants[i].name, constants[i].real);
    faults++;
  }
  return faults;
}
