// The part of GLib and GTK 4 that GLibHost uses. Names nothing of GLib, so that a program
// can import GLib's own headers too, and compiles without them.
#ifndef LT_GLIB_HOST_H
#define LT_GLIB_HOST_H

#include <stdint.h>

// A source of a GMainContext that runs a host.
typedef struct lt_glib_source lt_glib_source;

// The functions of a host. The thread of the context calls them.
typedef struct {
  // Returns how long GLib may wait, in milliseconds: -1 for no limit.
  int (*timeout)(void *host);
  // Called after GLib has waited. Returns whether `turn` is to be called.
  int (*is_due)(void *host, int is_readable);
  void (*turn)(void *host);
} lt_glib_host;

// Attaches a source that also waits until `descriptor` is readable. `context` is a
// GMainContext, or NULL for the default one. Does not retain `host`.
lt_glib_source *lt_glib_source_attach(void *context, int priority, int descriptor,
                                      lt_glib_host functions, void *host);

// Destroys the source. Its functions are not called again.
void lt_glib_source_destroy(lt_glib_source *source);

// Makes the context call `timeout` again. Call from any thread.
void lt_glib_wake(void *context);

// A hook for the events of GTK 4.
typedef struct lt_gtk_hook lt_gtk_hook;

// Calls `received` with the GdkEventType of each event that a GdkSurface receives, and the
// event's time in milliseconds. The time 0 is GDK_CURRENT_TIME, which GTK gives to events
// that it makes itself. Returns NULL if GTK has not made a surface yet, or if memory runs
// out.
lt_gtk_hook *lt_gtk_hook_add(void (*received)(void *target, int type, uint32_t time),
                             void *target);

// Removes and frees the hook.
void lt_gtk_hook_remove(lt_gtk_hook *hook);

#endif
