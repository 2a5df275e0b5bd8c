#include "gdk.h"

#include <glib-object.h>

static unsigned event_signal;

void *cg_surface_new(void) {
  GType type = g_type_register_static_simple(G_TYPE_OBJECT, "GdkSurface", sizeof(GObjectClass),
                                             NULL, sizeof(GObject), NULL, 0);
  g_type_class_ref(type);
  event_signal = g_signal_new("event", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                              G_TYPE_BOOLEAN, 1, G_TYPE_POINTER);
  return g_object_new(type, NULL);
}

typedef struct {
  int type;
  uint32_t time;
} cg_event;

void cg_surface_emit(void *surface, int type, uint32_t time) {
  cg_event event = {type, time};
  gboolean handled = FALSE;
  g_signal_emit(surface, event_signal, 0, &event, &handled);
}

// In place of GTK's functions.
int gdk_event_get_event_type(void *event) { return ((cg_event *)event)->type; }
uint32_t gdk_event_get_time(void *event) { return ((cg_event *)event)->time; }
