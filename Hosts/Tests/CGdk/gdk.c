#include "gdk.h"

// Declared here for the same reason as in CGLib. The numbers are of GLib's stable ABI.
uintptr_t g_type_register_static_simple(uintptr_t parent, const char *name, unsigned class_size,
                                        void *class_init, unsigned instance_size,
                                        void *instance_init, unsigned flags);
void *g_type_class_ref(uintptr_t type);
void *g_object_new(uintptr_t type, const char *first, ...);
unsigned g_signal_new(const char *name, uintptr_t type, unsigned flags, unsigned offset,
                      void *accumulator, void *data, void *marshaller, uintptr_t result,
                      unsigned count, ...);
void g_signal_emit(void *object, unsigned signal, unsigned detail, ...);

enum { object_type = 80, pointer_type = 68, boolean_type = 20, run_last = 2 };

static unsigned event_signal;

void *cg_surface_new(void) {
  // The sizes of GObjectClass and GObject.
  uintptr_t type = g_type_register_static_simple(object_type, "GdkSurface", 136, 0, 24, 0, 0);
  g_type_class_ref(type);
  event_signal =
      g_signal_new("event", type, run_last, 0, 0, 0, 0, boolean_type, 1, (uintptr_t)pointer_type);
  return g_object_new(type, 0);
}

typedef struct {
  int type;
  uint32_t time;
} cg_event;

void cg_surface_emit(void *surface, int type, uint32_t time) {
  cg_event event = {type, time};
  int handled = 0;
  g_signal_emit(surface, event_signal, 0, &event, &handled);
}

// In place of GTK's functions.
int gdk_event_get_event_type(void *event) { return ((cg_event *)event)->type; }
uint32_t gdk_event_get_time(void *event) { return ((cg_event *)event)->time; }
