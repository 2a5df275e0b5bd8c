// libpq.
#include <postgresql/libpq-fe.h>

// Sends a query with the parameters `first` and `second`, or without any if `first` is null.
static inline int lt_pq_send(PGconn *connection, const char *query, const char *first,
                             const char *second) {
  const char *values[] = {first, second};
  return PQsendQueryParams(connection, query, first ? 2 : 0, NULL, values, NULL, NULL, 0);
}
