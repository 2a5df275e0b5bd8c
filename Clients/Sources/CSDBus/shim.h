#include <poll.h>
#include <systemd/sd-bus.h>

// Constants of types that Swift can use.
static const short lt_pollin = POLLIN, lt_pollout = POLLOUT;
static const char lt_string = SD_BUS_TYPE_STRING, lt_uint32 = SD_BUS_TYPE_UINT32;

// Starts a connection to the bus at `address`.
static inline int lt_sd_bus_open(sd_bus **bus, const char *address) {
  int result = sd_bus_new(bus);
  if (result >= 0) result = sd_bus_set_address(*bus, address);
  if (result >= 0) result = sd_bus_set_bus_client(*bus, 1);
  return result < 0 ? result : sd_bus_start(*bus);
}

// Calls `changed` for each change of a name's owner, and `matched` with the answer to this
// request.
static inline int lt_sd_bus_match_owners(sd_bus *bus, void *pointer,
                                         sd_bus_message_handler_t changed,
                                         sd_bus_message_handler_t matched) {
  const char *name = "org.freedesktop.DBus";
  return sd_bus_match_signal_async(bus, NULL, name, "/org/freedesktop/DBus", name,
                                   "NameOwnerChanged", changed, matched, pointer);
}

// When to call sd_bus_process again, in microseconds of the monotonic clock: 0 at once, and
// UINT64_MAX not before there is an event.
static inline uint64_t lt_sd_bus_timeout(sd_bus *bus) {
  uint64_t timeout = UINT64_MAX;
  return sd_bus_get_timeout(bus, &timeout) < 0 ? UINT64_MAX : timeout;
}
