// libpq.
#include <postgresql/libpq-fe.h>

// Sends a query with the parameter `value`, or without one if it is null.
static inline int lt_pq_send(PGconn *connection, const char *query, const char *value) {
  return PQsendQueryParams(connection, query, value ? 1 : 0, NULL, &value, NULL, NULL, 0);
}
