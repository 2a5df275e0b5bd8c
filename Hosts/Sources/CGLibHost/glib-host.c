#include "glib-host.h"

#include <stdlib.h>

#include "glib-abi.h"

// MARK: The source

struct lt_glib_source {
  // GLib allocates and frees the structure, whose first member is its own.
  GSource source;
  void *tag;
  lt_glib_host functions;
  void *host;
};

static int prepare(GSource *source, int *timeout) {
  lt_glib_source *own = (lt_glib_source *)source;
  *timeout = own->functions.timeout(own->host);
  return *timeout == 0;
}

static int check(GSource *source) {
  lt_glib_source *own = (lt_glib_source *)source;
  return own->functions.is_due(own->host, g_source_query_unix_fd(source, own->tag) != 0);
}

static int dispatch(GSource *source, GSourceFunc callback, void *data) {
  (void)callback;
  (void)data;
  lt_glib_source *own = (lt_glib_source *)source;
  own->functions.turn(own->host);
  // G_SOURCE_CONTINUE
  return 1;
}

// GLib reads the functions but does not change them.
static GSourceFuncs functions_of_source = {prepare, check, dispatch, NULL, NULL, NULL};

lt_glib_source *lt_glib_source_attach(void *context, int priority, int descriptor,
                                      lt_glib_host functions, void *host) {
  // GLib aborts if memory runs out.
  lt_glib_source *own = (lt_glib_source *)g_source_new(&functions_of_source, sizeof *own);
  own->functions = functions;
  own->host = host;
  g_source_set_name(&own->source, "LoopTransactions");
  g_source_set_priority(&own->source, priority);
  // The descriptor stays registered, because changing the registration would wake the
  // context.
  own->tag = g_source_add_unix_fd(&own->source, descriptor, G_IO_IN);
  g_source_attach(&own->source, context);
  return own;
}

void lt_glib_source_destroy(lt_glib_source *source) {
  g_source_destroy(&source->source);
  g_source_unref(&source->source);
}

void lt_glib_wake(void *context) { g_main_context_wakeup(context); }

// MARK: Events of GTK 4

// Weak: a program without GTK links too.
extern int gdk_event_get_event_type(void *event) __attribute__((weak));
extern uint32_t gdk_event_get_time(void *event) __attribute__((weak));

struct lt_gtk_hook {
  unsigned signal;
  unsigned long number;
  void (*received)(void *target, int type, uint32_t time);
  void *target;
};

static int emitted(GSignalInvocationHint *hint, unsigned count, const GValue *values, void *data) {
  (void)hint;
  const lt_gtk_hook *hook = data;
  // The surface, then the event.
  void *event = count > 1 ? values[1].data[0].v_pointer : NULL;
  // `received` may remove the hook, which frees it.
  if (event && gdk_event_get_event_type && gdk_event_get_time)
    hook->received(hook->target, gdk_event_get_event_type(event), gdk_event_get_time(event));
  // Keeps the hook.
  return 1;
}

lt_gtk_hook *lt_gtk_hook_add(void (*received)(void *target, int type, uint32_t time),
                             void *target) {
  // GTK is not linked: its type is found by name once GTK has registered it. Only a type
  // that is in use has signals.
  uintptr_t type = g_type_from_name("GdkSurface");
  if (type == 0 || g_type_class_peek(type) == NULL) return NULL;
  unsigned signal = g_signal_lookup("event", type);
  if (signal == 0) return NULL;
  lt_gtk_hook *hook = malloc(sizeof *hook);
  if (hook == NULL) return NULL;
  *hook = (lt_gtk_hook){.signal = signal, .received = received, .target = target};
  hook->number = g_signal_add_emission_hook(signal, 0, emitted, hook, NULL);
  return hook;
}

void lt_gtk_hook_remove(lt_gtk_hook *hook) {
  g_signal_remove_emission_hook(hook->signal, hook->number);
  free(hook);
}
