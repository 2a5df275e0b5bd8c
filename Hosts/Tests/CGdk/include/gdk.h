#pragma once

#include <stdint.h>

// Registers a type with the name and the signal of GTK 4's GdkSurface, and makes an
// object of it.
void *cg_surface_new(void);

// Emits the signal "event" of a surface, with an event of the given GdkEventType and
// time.
void cg_surface_emit(void *surface, int type, uint32_t time);
