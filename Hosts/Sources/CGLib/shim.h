// Declares the functions of GLib that the host calls. GLib's own headers are not used,
// because only pkg-config knows their folder, and SwiftPM warns about its -pthread. GLib's
// ABI is stable, so these declarations remain valid.
#ifndef CGLIB_SHIM_H
#define CGLIB_SHIM_H

#include <stdint.h>

typedef struct _GMainContext GMainContext;
typedef struct _GSource lt_glib_source;
typedef int (*lt_glib_callback)(void *data);

// GSourceFuncs.
typedef struct {
  int (*prepare)(lt_glib_source *source, int *timeout);
  int (*check)(lt_glib_source *source);
  int (*dispatch)(lt_glib_source *source, lt_glib_callback callback, void *data);
  void (*finalize)(lt_glib_source *source);
  void *closure_callback;
  void *closure_marshal;
} lt_glib_functions;

// GSource. GLib declares the fields of this structure so that programs can append
// their own fields.
struct _GSource {
  void *callback_data;
  void *callback_funcs;
  const void *source_funcs;
  unsigned ref_count;
  GMainContext *context;
  int priority;
  unsigned flags;
  unsigned source_id;
  void *poll_fds;
  lt_glib_source *prev;
  lt_glib_source *next;
  char *name;
  void *priv;
};

// A GSource, followed by a pointer to the host.
typedef struct {
  lt_glib_source source;
  void *host;
} lt_host_source;

// G_IO_IN
static const unsigned lt_glib_readable = 1;

lt_glib_source *g_source_new(lt_glib_functions *functions, unsigned size);
void g_source_set_name(lt_glib_source *source, const char *name);
void g_source_set_priority(lt_glib_source *source, int priority);
void *g_source_add_unix_fd(lt_glib_source *source, int descriptor, unsigned events);
unsigned g_source_query_unix_fd(lt_glib_source *source, void *tag);
unsigned g_source_attach(lt_glib_source *source, GMainContext *context);
void g_source_destroy(lt_glib_source *source);
void g_source_unref(lt_glib_source *source);
void g_main_context_wakeup(GMainContext *context);
int g_main_context_iteration(GMainContext *context, int may_block);
int g_main_context_acquire(GMainContext *context);
unsigned g_timeout_add(unsigned milliseconds, lt_glib_callback function, void *data);
void g_main_context_invoke(GMainContext *context, lt_glib_callback function, void *data);

// Of GObject.

// GValue, as far as a pointer in it.
typedef struct {
  uintptr_t type;
  void *pointer;
  uint64_t rest;
} lt_glib_value;

typedef int (*lt_glib_emission_hook)(void *hint, unsigned count, const lt_glib_value *values,
                                     void *data);

uintptr_t g_type_from_name(const char *name);
void *g_type_class_peek(uintptr_t type);
unsigned g_signal_lookup(const char *name, uintptr_t type);
unsigned long g_signal_add_emission_hook(unsigned signal, unsigned detail,
                                         lt_glib_emission_hook function, void *data,
                                         void (*destroy)(void *data));
void g_signal_remove_emission_hook(unsigned signal, unsigned long hook);

// Of GTK 4. Weak: a program without GTK links too.
extern int gdk_event_get_event_type(void *event) __attribute__((weak));
extern uint32_t gdk_event_get_time(void *event) __attribute__((weak));

// Returns the GdkEventType of an event of GTK 4, or -1 if GTK is not linked.
static inline int lt_gdk_event_type(void *event) {
  if (!gdk_event_get_event_type || !event) return -1;
  return gdk_event_get_event_type(event);
}

// Returns the time of an event of GTK 4, in milliseconds. 0 is GDK_CURRENT_TIME, which
// GTK gives to events that it makes itself.
static inline uint32_t lt_gdk_event_time(void *event) {
  return gdk_event_get_time ? gdk_event_get_time(event) : 0;
}

#endif
